internal import Format

extension Client {
  /// Signs a message of at most 65536 bytes, or its digest.
  ///
  /// - Parameter key: a key id, 16 bytes.
  public func sign(_ message: [UInt8], digested: Bool = false, with key: [UInt8], _ scheme: SignatureScheme) throws(ClientError) -> [UInt8] {
    let reply = try call(.sign, key: try keyID(key), bodyCap: message.count + 64) { (writer) throws(WireError) in
      var request = SignRequest()
      (request.scheme, request.digested, request.message) = (scheme.wire, digested, message.span)
      try request.encode(into: &writer)
    }
    do throws(WireError) { return try SignReply(MessageReader(reply.body)).signature.array } catch { throw reply.malformed }
  }

  /// Returns if the signature is the key's.
  ///
  /// - Throws: `ClientError.refused` with status `rejected` if not.
  public func verify(
    _ signature: [UInt8], over message: [UInt8], digested: Bool = false, with key: [UInt8], _ scheme: SignatureScheme
  ) throws(ClientError) {
    _ = try call(.verify, key: try keyID(key), bodyCap: message.count + signature.count + 64) { (writer) throws(WireError) in
      var request = VerifyRequest()
      (request.signed.scheme, request.signed.digested) = (scheme.wire, digested)
      (request.signed.message, request.signature) = (message.span, signature.span)
      try request.encode(into: &writer)
    }
  }

  /// A message authentication code over at most 65536 bytes.
  ///
  /// - Parameters:
  ///   - algorithm: for a key behind a handle, and only then.
  ///   - length: bytes of the code, at least 8; nil for all of them.
  public func mac(
    _ message: [UInt8], under key: SymmetricKey, _ algorithm: MACAlgorithm? = nil, length: Int? = nil
  ) throws(ClientError) -> ReleasedBytes {
    let handle = key.handle
    let reply = try call(.mac, key: try keyID(key.id), bodyCap: message.count + 64) { (writer) throws(WireError) in
      var request = MACRequest()
      (request.handle, request.algorithm, request.length) = (handle.span, algorithm?.wire, length ?? 0)
      request.message = message.span
      try request.encode(into: &writer)
    }
    return try released(reply) { (body) throws(WireError) in body.place(of: try MACReply(MessageReader(body)).mac) }
  }

  /// Returns if the code is right and has `length` bytes.
  ///
  /// - Throws: `ClientError.refused` with status `rejected` if not.
  public func verifyMAC(
    _ mac: [UInt8], over message: [UInt8], under key: SymmetricKey, _ algorithm: MACAlgorithm? = nil, length: Int? = nil
  ) throws(ClientError) {
    let handle = key.handle
    _ = try call(.verifyMAC, key: try keyID(key.id), bodyCap: message.count + mac.count + 64) { (writer) throws(WireError) in
      var request = VerifyMACRequest()
      (request.authenticated.handle, request.authenticated.algorithm, request.authenticated.length) = (handle.span, algorithm?.wire, length ?? 0)
      (request.authenticated.message, request.mac) = (message.span, mac.span)
      try request.encode(into: &writer)
    }
  }
}
