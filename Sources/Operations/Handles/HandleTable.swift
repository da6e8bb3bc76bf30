internal import Crypto
internal import Format
internal import Host
package import Policy

/// The short-lived secrets of one connection, each behind a random handle of sixteen bytes that only this connection can use.
///
/// A secret is wiped when it is used up, released or expired, when the key store is locked, and when the connection
/// ends [OP-HANDLE-1].
package final class HandleTable: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var handles: [Handle] = []
  private let limits: HandleLimits
  private let clock: @Sendable () -> MonotonicTime

  package init(_ limits: HandleLimits, clock: @escaping @Sendable () -> MonotonicTime) { (self.limits, self.clock) = (limits, clock) }

  /// An always-empty table, for requests without a connection.
  package static let none = HandleTable(HandleLimits(count: 0, nanoseconds: 0)) { MonotonicTime(nanoseconds: 0) }

  /// Adds a secret.
  ///
  /// - Parameter key: the key that it was made with.
  /// - Returns: its handle, 16 bytes.
  /// - Throws: `OperationError.busy` if the connection has reached its limit.
  func add(_ secret: consuming SecretBuffer, _ kind: HandleKind, of key: KeyID) throws(OperationError) -> [UInt8] {
    let id: [UInt8]
    do throws(CryptoError) { id = try Random.bytes(Handle.idSize) } catch { throw OperationError(error) }
    let now = clock().nanoseconds
    let handle = Handle(id, secret, kind, of: key, deadline: now + limits.nanoseconds)
    let isTaken = lock.withLock {
      handles.removeAll { $0.deadline <= now }
      guard handles.count < limits.count else { return false }
      handles.append(handle)
      return true
    }
    guard isTaken else { throw .busy(.handles) }
    return id
  }

  /// The secret behind a handle, if it was made with this key and its kind serves the operation; otherwise nil, whatever the reason.
  ///
  /// - Parameter spending: whether the handle is used up by this.
  func use(_ id: Span<UInt8>, of key: KeyID, for opcode: Opcode, spending: Bool) -> Handle? {
    let now = clock().nanoseconds
    return lock.withLock {
      handles.removeAll { $0.deadline <= now }
      guard let place = place(of: id), handles[place].key == key, handles[place].kind.serves(opcode) else { return nil }
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

/// How many secrets a connection may hold, and for how long.
package struct HandleLimits: Sendable {
  package let count: Int
  package let nanoseconds: Int64

  package init(count: Int, nanoseconds: Int64) { (self.count, self.nanoseconds) = (count, nanoseconds) }

  package static let standard = HandleLimits(count: 16, nanoseconds: 60_000_000_000)
}
