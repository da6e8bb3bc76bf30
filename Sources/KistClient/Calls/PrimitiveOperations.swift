import Format

extension Client {
  /// Signs a message of at most 65536 bytes, or its digest.
  ///
  /// - Parameter key: a key id, 16 bytes.
  public func sign(
    _ message: [UInt8], digested: Bool = false, with key: [UInt8], _ scheme: SignatureScheme
  ) throws(ClientError) -> [UInt8] {
    let reply = try call(.sign, key: try keyID(key), bodyCap: message.count + 64) {
      (writer) throws(WireError) in
      var request = SignRequest()
      request.scheme = scheme.wire
      request.digested = digested
      request.message = message.span
      try request.encode(into: &writer)
    }
    do throws(WireError) { return try SignReply(MessageReader(reply.body)).signature.array } catch {
      throw reply.malformed
    }
  }

  /// Returns if the signature is the key's.
  ///
  /// - Throws: `ClientError.refused` with status `rejected` if not.
  public func verify(
    _ signature: [UInt8], over message: [UInt8], digested: Bool = false, with key: [UInt8],
    _ scheme: SignatureScheme
  ) throws(ClientError) {
    _ = try call(.verify, key: try keyID(key), bodyCap: message.count + signature.count + 64) {
      (writer) throws(WireError) in
      var request = VerifyRequest()
      request.scheme = scheme.wire
      request.digested = digested
      request.message = message.span
      request.signature = signature.span
      try request.encode(into: &writer)
    }
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
    let handle = key.handle
    let reply = try call(.mac, key: try keyID(key.id), bodyCap: message.count + 64) {
      (writer) throws(WireError) in
      var request = MACRequest()
      request.handle = handle.span
      request.algorithm = algorithm?.wire
      request.length = length ?? 0
      request.message = message.span
      try request.encode(into: &writer)
    }
    return try released(reply) { (body) throws(WireError) in
      body.place(of: try MACReply(MessageReader(body)).mac)
    }
  }

  /// Returns if the code is right and has `length` bytes.
  ///
  /// - Throws: `ClientError.refused` with status `rejected` if not.
  public func verifyMAC(
    _ mac: [UInt8], over message: [UInt8], under key: SymmetricKey,
    _ algorithm: MACAlgorithm? = nil, length: Int? = nil
  ) throws(ClientError) {
    let handle = key.handle
    _ = try call(.verifyMAC, key: try keyID(key.id), bodyCap: message.count + mac.count + 64) {
      (writer) throws(WireError) in
      var request = VerifyMACRequest()
      request.handle = handle.span
      request.algorithm = algorithm?.wire
      request.length = length ?? 0
      request.message = message.span
      request.mac = mac.span
      try request.encode(into: &writer)
    }
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
    let handle = key.handle
    let bodyCap = plaintext.count + associatedData.count + 128
    let reply = try call(.seal, key: try keyID(key.id), bodyCap: bodyCap) {
      (writer) throws(WireError) in
      var request = SealRequest()
      request.handle = handle.span
      request.plaintext = plaintext
      request.associatedData = associatedData.span
      try request.encode(into: &writer)
    }
    do throws(WireError) { return try SealReply(MessageReader(reply.body)).sealed.array } catch {
      throw reply.malformed
    }
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
    let handle = key.handle
    let bodyCap = sealed.count + associatedData.count + 128
    let reply = try call(.unseal, key: try keyID(key.id), bodyCap: bodyCap) {
      (writer) throws(WireError) in
      var request = UnsealRequest()
      request.handle = handle.span
      request.iv = iv.span
      request.sealed = sealed.span
      request.associatedData = associatedData.span
      try request.encode(into: &writer)
    }
    return try released(reply) { (body) throws(WireError) in
      body.place(of: try UnsealReply(MessageReader(body)).plaintext)
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

  init(_ reply: consuming Reply, _ place: Range<Int>) {
    self.reply = reply
    self.place = place
  }

  public var count: Int { place.count }

  public borrowing func withBytes<R>(_ body: (Span<UInt8>) -> R) -> R {
    body(reply.body.extracting(place))
  }
}
