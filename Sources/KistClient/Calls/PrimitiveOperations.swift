import Format

extension Client {
  /// Signs a message of at most 65536 bytes, or its digest.
  ///
  /// - Parameter key: a key id, 16 bytes.
  public func sign(
    _ message: [UInt8], digested: Bool = false, with key: [UInt8], _ scheme: SignatureScheme
  ) throws(ClientError) -> [UInt8] {
    var request = SignRequest()
    request.scheme = scheme.wire
    request.digested = digested
    request.message = message.span
    let reply = try call(.sign, key: key, request)
    return try SignReply(reply).signature.array
  }

  /// Returns if the signature is the key's.
  ///
  /// - Throws: `ClientError.refused` with status `rejected` if not.
  public func verify(
    _ signature: [UInt8], over message: [UInt8], digested: Bool = false, with key: [UInt8],
    _ scheme: SignatureScheme
  ) throws(ClientError) {
    var request = VerifyRequest()
    request.scheme = scheme.wire
    request.digested = digested
    request.message = message.span
    request.signature = signature.span
    _ = try call(.verify, key: key, request)
  }

  /// A message authentication code over at most 65536 bytes.
  ///
  /// - Parameters:
  ///   - algorithm: for a key behind a handle, and only then.
  ///   - length: bytes of the code, at least 8; nil for all of them.
  public func mac(
    _ message: [UInt8], under key: SymmetricKey, _ algorithm: MACAlgorithm? = nil,
    length: Int? = nil
  ) throws(ClientError) -> ReleasedBytes {
    var request = MACRequest()
    request.handle = key.handle.span
    request.algorithm = algorithm?.wire
    request.length = length ?? 0
    request.message = message.span
    return try ReleasedBytes(try call(.mac, key: key.id, request)) {
      (reply) throws(ClientError) in
      reply.place(of: try MACReply(reply).mac)
    }
  }

  /// Returns if the code is right and has `length` bytes.
  ///
  /// - Throws: `ClientError.refused` with status `rejected` if not.
  public func verifyMAC(
    _ mac: [UInt8], over message: [UInt8], under key: SymmetricKey,
    _ algorithm: MACAlgorithm? = nil, length: Int? = nil
  ) throws(ClientError) {
    var request = VerifyMACRequest()
    request.handle = key.handle.span
    request.algorithm = algorithm?.wire
    request.length = length ?? 0
    request.message = message.span
    request.mac = mac.span
    _ = try call(.verifyMAC, key: key.id, request)
  }
}

extension Client {
  /// Seals with AES-256-GCM into an envelope that names its key.
  ///
  /// - Parameters:
  ///   - plaintext: at most 65536 bytes.
  ///   - associatedData: at most 4096 bytes, to be given again when opening.
  public func seal(_ plaintext: Span<UInt8>, under key: SymmetricKey, associatedData: [UInt8] = [])
    throws(ClientError) -> [UInt8]
  {
    var request = SealRequest()
    request.handle = key.handle.span
    request.plaintext = plaintext
    request.associatedData = associatedData.span
    let reply = try call(.seal, key: key.id, request)
    return try SealReply(reply).sealed.array
  }

  /// Opens an envelope; the stored key is the one that it names.
  public func unseal(_ envelope: [UInt8], associatedData: [UInt8] = []) throws(ClientError)
    -> ReleasedBytes
  {
    guard envelope.count > KeyID.byteCount else {
      throw .request("an envelope is longer than \(KeyID.byteCount) bytes")
    }
    return try unseal(
      envelope, under: .stored(Array(envelope[1...KeyID.byteCount])), associatedData: associatedData
    )
  }

  /// Opens an envelope or, with an IV of 12 or 16 bytes, a ciphertext and tag that others sealed.
  public func unseal(
    _ sealed: [UInt8], under key: SymmetricKey, iv: [UInt8] = [], associatedData: [UInt8] = []
  ) throws(ClientError) -> ReleasedBytes {
    var request = UnsealRequest()
    request.handle = key.handle.span
    request.iv = iv.span
    request.sealed = sealed.span
    request.associatedData = associatedData.span
    return try ReleasedBytes(try call(.unseal, key: key.id, request)) {
      (reply) throws(ClientError) in
      reply.place(of: try UnsealReply(reply).plaintext)
    }
  }
}

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

  /// - Parameter find: where the secret is in the reply's body.
  init(_ reply: consuming Reply, _ find: (borrowing Reply) throws(ClientError) -> Range<Int>)
    throws(ClientError)
  {
    place = try find(reply)
    self.reply = reply
  }

  public var count: Int { place.count }

  public borrowing func withBytes<R>(_ body: (Span<UInt8>) -> R) -> R {
    body(reply.body.extracting(place))
  }
}
