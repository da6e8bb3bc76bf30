internal import Format

extension Client {
  /// Seals with AES-256-GCM into an envelope that names its key.
  ///
  /// - Parameters:
  ///   - plaintext: at most 65536 bytes.
  ///   - associatedData: at most 4096 bytes, to be given again when opening.
  public func seal(_ plaintext: Span<UInt8>, under key: SymmetricKey, associatedData: [UInt8] = []) throws(ClientError) -> [UInt8] {
    let handle = key.handle
    let bodyCap = plaintext.count + associatedData.count + 128
    let reply = try call(.seal, key: try keyID(key.id), bodyCap: bodyCap) { (writer) throws(WireError) in
      var request = SealRequest()
      (request.handle, request.plaintext, request.associatedData) = (handle.span, plaintext, associatedData.span)
      try request.encode(into: &writer)
    }
    do throws(WireError) { return try SealReply(MessageReader(reply.body)).sealed.array } catch { throw reply.malformed }
  }

  /// Opens an envelope; the stored key is the one that it names.
  public func unseal(_ envelope: [UInt8], associatedData: [UInt8] = []) throws(ClientError) -> ReleasedBytes {
    guard envelope.count > KeyID.byteCount else { throw .request("an envelope is longer than \(KeyID.byteCount) bytes") }
    return try unseal(envelope, under: .stored(Array(envelope[1...KeyID.byteCount])), associatedData: associatedData)
  }

  /// Opens an envelope or, with an IV of 12 or 16 bytes, a ciphertext and tag that others sealed.
  public func unseal(
    _ sealed: [UInt8], under key: SymmetricKey, iv: [UInt8] = [], associatedData: [UInt8] = []
  ) throws(ClientError) -> ReleasedBytes {
    let handle = key.handle
    let bodyCap = sealed.count + associatedData.count + 128
    let reply = try call(.unseal, key: try keyID(key.id), bodyCap: bodyCap) { (writer) throws(WireError) in
      var request = UnsealRequest()
      (request.handle, request.iv) = (handle.span, iv.span)
      (request.sealed, request.associatedData) = (sealed.span, associatedData.span)
      try request.encode(into: &writer)
    }
    return try released(reply) { (body) throws(WireError) in body.place(of: try UnsealReply(MessageReader(body)).plaintext) }
  }
}
