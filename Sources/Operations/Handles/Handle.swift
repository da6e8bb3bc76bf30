internal import Format
internal import Host

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

  init(_ id: [UInt8], _ secret: consuming SecretBuffer, _ kind: HandleKind, of key: KeyID, deadline: Int64) {
    (self.id, self.kind, self.key, self.deadline) = (id, kind, key, deadline)
    self.secret = secret
  }

  /// Lends the secret's bytes.
  func withBytes<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R { try Self.lend(secret, body) }

  private static func lend<R: ~Copyable, E: Error>(_ secret: borrowing SecretBuffer, _ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
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
