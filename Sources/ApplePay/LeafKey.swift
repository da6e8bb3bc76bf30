import Crypto
import Format
import Host

/// A leaf's key, which has a table of its own (`FixedKeyVerifier`) after it has signed some tokens:
/// Apple signs all tokens of a year with a few leaves.
final class LeafKey: @unchecked Sendable {
  let key: PublicKey

  /// How many tokens it signs before a table pays: one costs as much as some 700 verifications
  /// save, and a leaf that comes once comes again.
  static let uses = 256

  private enum Phase {
    case counting(Int)
    /// It waits for its table, whose place it holds.
    case waiting
    case fast(FixedKeyVerifier)
    /// It never has one.
    case plain
  }

  private let tables: LeafTables
  private let lock = Lock()
  /// Guarded by lock.
  private var phase = Phase.counting(0)

  init(_ key: PublicKey, _ tables: LeafTables) {
    self.key = key
    self.tables = tables
    if key.kind != .p256 { phase = .plain }
  }

  deinit {
    switch phase {
    case .waiting, .fast: tables.giveBack()
    case .counting, .plain: break
    }
  }

  /// Whether this is the key's signature over the message. A table only ever says yes; otherwise
  /// OpenSSL decides.
  func verify(signature: Span<UInt8>, message: Span<UInt8>) -> Bool {
    if case .fast(let verifier) = lock.withLock({ phase }),
      verifier.accepts(signature: signature, digest: SHA256.hash(message))
    {
      return true
    }
    guard key.verify(signature: signature, message: message) else { return false }
    if isDue() {
      let known = signature.array
      let digest = SHA256.hash(message)
      tables.build { [weak self] in self?.makeTable(known, digest) }
    }
    return true
  }

  /// Whether a table must be made now; true only once.
  private func isDue() -> Bool {
    lock.withLock {
      guard case .counting(let count) = phase else { return false }
      phase = .counting(count + 1)
      guard count + 1 >= Self.uses, tables.takePlace() else { return false }
      phase = .waiting
      return true
    }
  }

  /// The table serves only if it accepts a signature over `digest` that OpenSSL has accepted, and
  /// refuses it for another digest.
  func makeTable(_ known: [UInt8], _ digest: Digest256) {
    if let verifier = try? FixedKeyVerifier(key),
      verifier.accepts(signature: known.span, digest: digest),
      !verifier.accepts(signature: known.span, digest: SHA256.hash(known))
    {
      return lock.withLock { phase = .fast(verifier) }
    }
    // As without memory for it, the leaf goes on as before, and its place is another's.
    lock.withLock { phase = .plain }
    tables.giveBack()
  }
}

/// The tables that leaves may have at a time: each takes 256 KiB of the arena.
package final class LeafTables: @unchecked Sendable {
  package static let usualLimit = 8

  private let background: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let lock = Lock()
  /// Guarded by lock.
  private var free: Int

  /// - Parameter background: runs an action where no request waits for it.
  package init(limit: Int, background: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void)
  {
    free = limit
    self.background = background
  }

  /// For a process that verifies a few tokens.
  package static var none: LeafTables { LeafTables(limit: 0) { _ in } }

  func takePlace() -> Bool {
    lock.withLock {
      guard free > 0 else { return false }
      free -= 1
      return true
    }
  }

  func giveBack() { lock.withLock { free += 1 } }

  func build(_ table: @escaping @Sendable () -> Void) { background(table) }
}
