import Crypto
import Format
import Host
import KeyStore
package import Policy

/// The short-lived secrets of one connection, each behind a random handle of sixteen bytes that
/// only this connection can use.
///
/// A secret is wiped when it is used up, released or expired, when the key store is locked, and
/// when the connection ends [OP-HANDLE-1].
package final class HandleTable: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var handles: [Handle] = []
  private let limits: LimitsConfiguration
  private let clock: @Sendable () -> MonotonicTime

  package init(_ limits: LimitsConfiguration, clock: @escaping @Sendable () -> MonotonicTime) {
    self.limits = limits
    self.clock = clock
  }

  /// An always-empty table, for requests without a connection.
  package static let none = HandleTable(LimitsConfiguration()) {
    MonotonicTime(nanoseconds: 0)
  }

  /// Adds a secret.
  ///
  /// - Parameter key: the key that it was made with.
  /// - Returns: its handle, 16 bytes.
  /// - Throws: `OperationError.busy` if the connection has reached its limit.
  func add(_ secret: consuming SecretBuffer, _ kind: HandleKind, of key: KeyID)
    throws(OperationError) -> [UInt8]
  {
    let id = try onCrypto(Random.bytes(Handle.idSize))
    let now = clock().nanoseconds
    let deadline = now + limits.handleTimeout.nanoseconds
    let handle = Handle(id, secret, kind, of: key, deadline: deadline)
    let isTaken = lock.withLock {
      handles.removeAll { $0.deadline <= now }
      guard handles.count < limits.handles else { return false }
      handles.append(handle)
      return true
    }
    guard isTaken else { throw .busy(.handles) }
    return id
  }

  /// The secret behind a handle, if it was made with this key and its kind serves the operation;
  /// otherwise nil, whatever the reason.
  ///
  /// - Parameter spending: whether the handle is used up by this.
  func use(_ id: Span<UInt8>, of key: KeyID, for opcode: Opcode, spending: Bool) -> Handle? {
    let now = clock().nanoseconds
    return lock.withLock {
      handles.removeAll { $0.deadline <= now }
      guard let place = place(of: id), handles[place].key == key, handles[place].kind.serves(opcode)
      else { return nil }
      return spending ? handles.remove(at: place) : handles[place]
    }
  }

  /// Wipes expired secrets.
  ///
  /// - Returns: whether any are left.
  package func expire() -> Bool {
    let now = clock().nanoseconds
    return lock.withLock {
      handles.removeAll { $0.deadline <= now }
      return !handles.isEmpty
    }
  }

  /// How many secrets it holds, expired ones among them until they are wiped.
  var count: Int { lock.withLock { handles.count } }

  package func wipe() { lock.withLock { handles = [] } }

  /// Compares with every handle, so that the time does not depend on the match.
  private func place(of id: Span<UInt8>) -> Int? {
    var found: Int?
    for (place, handle) in handles.enumerated() {
      let known = handle.id
      if ConstantTime.equal(known.span, id) { found = place }
    }
    return found
  }
}

/// One secret of a connection; wiped when the last reference to it is dropped.
final class Handle: Sendable {
  static let idSize = 16

  /// 16 bytes.
  let id: [UInt8]
  let kind: HandleKind
  /// The key that the secret was made with; its grants decide who may use the secret.
  let key: KeyID
  /// On the monotonic clock, in nanoseconds.
  let deadline: Int64
  private let secret: SecretBuffer

  init(
    _ id: [UInt8], _ secret: consuming SecretBuffer, _ kind: HandleKind, of key: KeyID,
    deadline: Int64
  ) {
    self.id = id
    self.kind = kind
    self.key = key
    self.deadline = deadline
    self.secret = secret
  }

  /// Lends the secret's bytes.
  func withBytes<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try Self.lend(secret, body)
  }

  private static func lend<R: ~Copyable, E: Error>(
    _ secret: borrowing SecretBuffer, _ body: (Span<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try body(secret.bytes)
  }
}

/// What kind of secret this is, and thus what it can be used for [OP-HANDLE-2].
enum HandleKind: Sendable {
  /// The Z of an `ecdh`: can be derived from once.
  case sharedSecret
  /// A key that `kdf` derived.
  case derivedKey
  /// A secret that `unwrap` opened: a key, or something to derive from once.
  case unwrappedKey

  func serves(_ opcode: Opcode) -> Bool {
    switch self {
    case .sharedSecret: [.kdf, .releaseHandle].contains(opcode)
    case .derivedKey: [.seal, .unseal, .mac, .verifyMAC, .releaseHandle].contains(opcode)
    case .unwrappedKey: [.kdf, .seal, .unseal, .mac, .verifyMAC, .releaseHandle].contains(opcode)
    }
  }
}

/// The handle tables of all connections, so that all can be wiped when the key store is locked.
package final class HandleTables: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`; an entry becomes empty when its connection ends.
  private var tables: [Entry] = []
  private let limits: LimitsConfiguration
  private let clock: @Sendable () -> MonotonicTime

  package init(_ limits: LimitsConfiguration, clock: @escaping @Sendable () -> MonotonicTime) {
    self.limits = limits
    self.clock = clock
  }

  /// Makes the table of a new connection, which owns it.
  package func make() -> HandleTable {
    let table = HandleTable(limits, clock: clock)
    lock.withLock {
      tables.removeAll { $0.table == nil }
      tables.append(Entry(table: table))
    }
    return table
  }

  /// Wipes the secrets of all connections.
  package func wipeAll() {
    let live = lock.withLock { tables.compactMap(\.table) }
    for table in live { table.wipe() }
  }

  /// How many secrets each connection holds.
  package var counts: [Int] { lock.withLock { tables.compactMap(\.table) }.map(\.count) }

  private struct Entry {
    weak var table: HandleTable?
  }
}

/// The symmetric key for a request: the stored key that the header names, or a secret made with
/// that key.
enum WorkingKey {
  case stored(KeySlot)
  case held(Handle)

  /// - Parameter handle: 16 bytes, or none for the stored key.
  /// - Throws: `OperationError.noSuchKey`, whatever is missing.
  init(_ handle: Span<UInt8>, _ context: borrowing OperationContext) throws(OperationError) {
    if handle.isEmpty {
      self = .stored(try context.key())
    } else {
      self = .held(try context.handle(handle, spending: false))
    }
  }

  /// Lends the key's bytes.
  func withBytes<R: ~Copyable>(_ body: (Span<UInt8>) throws(OperationError) -> R)
    throws(OperationError) -> R
  {
    switch self {
    case .held(let handle): return try handle.withBytes(body)
    case .stored(let slot):
      let result: R? = try slot.withSymmetricKey(body)
      guard let result else { throw .noSuchKey }
      return result
    }
  }
}

extension OperationContext {
  /// The connection's secret behind a handle, if it was made with the grant's key [OP-HANDLE-3].
  ///
  /// - Throws: `OperationError.noSuchKey` if it is used up, expired, of another connection or key,
  ///   or never existed.
  func handle(_ id: Span<UInt8>, spending: Bool) throws(OperationError) -> Handle {
    do throws(KeyStoreError) { try keys.checkOrigin(for: grant) } catch { throw .noSuchKey }
    guard let key = grant.key,
      let handle = handles.use(id, of: key, for: grant.opcode, spending: spending)
    else { throw .noSuchKey }
    return handle
  }
}

/// `release-handle`: wipes the secret behind a handle before it expires [OP-HANDLE-4].
enum ReleaseHandle: Operation {
  static let opcode = Opcode.releaseHandle

  static func run(
    _ request: borrowing ReleaseHandleRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    _ = try context.handle(request.handle, spending: true)
  }
}
