internal import Format

/// A secret that the daemon holds for this connection; it ends with the connection.
public struct SecretHandle: Hashable, Sendable {
  /// 16 bytes.
  public let bytes: [UInt8]
  /// The id of the key from which the secret came, 16 bytes.
  public let key: [UInt8]
}

/// The symmetric key of a call: one of the key store's, or one behind a handle.
public enum SymmetricKey: Hashable, Sendable {
  /// A key id, 16 bytes.
  case stored([UInt8])
  case held(SecretHandle)

  var id: [UInt8] {
    switch self {
    case .stored(let id): id
    case .held(let handle): handle.key
    }
  }

  /// Empty for a stored key.
  var handle: [UInt8] {
    switch self {
    case .stored: []
    case .held(let handle): handle.bytes
    }
  }
}

/// A secret that policy released, in locked memory for the life of this value.
public struct ReleasedBytes: ~Copyable {
  private let reply: Reply
  private let place: Range<Int>

  init(_ reply: consuming Reply, _ place: Range<Int>) {
    self.reply = reply
    self.place = place
  }

  public var count: Int { place.count }

  public borrowing func withBytes<R>(_ body: (Span<UInt8>) -> R) -> R { body(reply.body.extracting(place)) }
}
