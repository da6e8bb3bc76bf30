import Format

/// The further input of a derivation besides the secret.
public struct DerivationInfo: Hashable, Sendable {
  enum Form: Hashable, Sendable {
    case whole([UInt8])
    case parts(
      algorithmID: [UInt8], partyU: [UInt8], partyV: [UInt8], suppPub: [UInt8], suppPriv: [UInt8])
  }

  let form: Form

  /// OtherInfo, SharedInfo or info as one value.
  public static func whole(_ bytes: [UInt8]) -> DerivationInfo {
    DerivationInfo(form: .whole(bytes))
  }

  /// OtherInfo in parts, which are concatenated as they are.
  public static func otherInfo(
    algorithmID: [UInt8], partyU: [UInt8] = [], partyV: [UInt8] = [], suppPub: [UInt8] = [],
    suppPriv: [UInt8] = []
  ) -> DerivationInfo {
    DerivationInfo(
      form: .parts(
        algorithmID: algorithmID, partyU: partyU, partyV: partyV, suppPub: suppPub,
        suppPriv: suppPriv))
  }

  fileprivate var whole: [UInt8] { if case .whole(let bytes) = form { bytes } else { [] } }

  /// Empty if the form is whole.
  fileprivate var parts: [[UInt8]] {
    switch form {
    case .whole: Array(repeating: [], count: 5)
    case .parts(let algorithmID, let partyU, let partyV, let suppPub, let suppPriv):
      [algorithmID, partyU, partyV, suppPub, suppPriv]
    }
  }
}

extension Client {
  /// Agrees on a shared secret, which stays in the daemon for one derivation.
  ///
  /// - Parameters:
  ///   - key: a key id, 16 bytes.
  ///   - peer: an uncompressed point, or a SubjectPublicKeyInfo.
  public func agree(_ key: [UInt8], with peer: [UInt8]) throws(ClientError) -> SecretHandle {
    let reply = try agree(key, peer, release: false)
    do throws(WireError) {
      return SecretHandle(bytes: try ECDHReply(MessageReader(reply.body)).handle.array, key: key)
    } catch { throw reply.malformed }
  }

  /// Agrees on a shared secret and returns it, if policy releases `shared-secret`.
  public func sharedSecret(_ key: [UInt8], with peer: [UInt8]) throws(ClientError) -> ReleasedBytes
  {
    try released(try agree(key, peer, release: true)) { (body) throws(WireError) in
      body.place(of: try ECDHReply(MessageReader(body)).sharedSecret)
    }
  }

  /// Derives a key from a secret, which this uses up; the key stays in the daemon.
  ///
  /// - Parameters:
  ///   - count: 16 to 256 bytes.
  ///   - salt: for HKDF alone.
  public func derive(
    _ derivation: Derivation, from secret: SecretHandle, count: Int, info: DerivationInfo,
    salt: [UInt8] = []
  ) throws(ClientError) -> SecretHandle {
    let reply = try derive(derivation, secret, count, info, salt, release: false)
    do throws(WireError) {
      return SecretHandle(
        bytes: try KDFReply(MessageReader(reply.body)).handle.array, key: secret.key)
    } catch {
      throw reply.malformed
    }
  }

  /// The same, but returns the key, if policy releases `derived-key`.
  public func derivedKey(
    _ derivation: Derivation, from secret: SecretHandle, count: Int, info: DerivationInfo,
    salt: [UInt8] = []
  ) throws(ClientError) -> ReleasedBytes {
    try released(try derive(derivation, secret, count, info, salt, release: true)) {
      (body) throws(WireError) in
      body.place(of: try KDFReply(MessageReader(body)).derivedKey)
    }
  }

  /// Unwraps a secret that was wrapped for an RSA key with OAEP and SHA-256; it stays in the
  /// daemon.
  ///
  /// - Parameter key: a key id, 16 bytes.
  public func unwrap(_ key: [UInt8], _ wrapped: [UInt8]) throws(ClientError) -> SecretHandle {
    let reply = try call(.unwrap, key: try keyID(key)) { (writer) throws(WireError) in
      try UnwrapRequest(wrappedKey: wrapped.span).encode(into: &writer)
    }
    do throws(WireError) {
      return SecretHandle(bytes: try UnwrapReply(MessageReader(reply.body)).handle.array, key: key)
    } catch {
      throw reply.malformed
    }
  }

  /// Has the daemon wipe a secret before its time is over.
  public func release(_ secret: SecretHandle) throws(ClientError) {
    _ = try call(.releaseHandle, key: try keyID(secret.key)) { (writer) throws(WireError) in
      try ReleaseHandleRequest(handle: secret.bytes.span).encode(into: &writer)
    }
  }

  private func agree(_ key: [UInt8], _ peer: [UInt8], release: Bool) throws(ClientError) -> Reply {
    try call(.ecdh, key: try keyID(key)) { (writer) throws(WireError) in
      var request = ECDHRequest()
      request.peer = peer.span
      request.release = release
      try request.encode(into: &writer)
    }
  }

  private func derive(
    _ derivation: Derivation, _ secret: SecretHandle, _ count: Int, _ info: DerivationInfo,
    _ salt: [UInt8], release: Bool
  ) throws(ClientError) -> Reply {
    let whole = info.whole
    let parts = info.parts
    let algorithmID = parts[0]
    let partyU = parts[1]
    let partyV = parts[2]
    let suppPub = parts[3]
    let suppPriv = parts[4]
    return try call(.kdf, key: try keyID(secret.key), bodyCap: 8 * 1024) {
      (writer) throws(WireError) in
      var request = KDFRequest()
      request.handle = secret.bytes.span
      request.derivation = derivation.wire
      request.count = count
      request.info = whole.span
      request.otherInfo.algorithmID = algorithmID.span
      request.otherInfo.partyUInfo = partyU.span
      request.otherInfo.partyVInfo = partyV.span
      request.otherInfo.suppPubInfo = suppPub.span
      request.otherInfo.suppPrivInfo = suppPriv.span
      request.salt = salt.span
      request.release = release
      try request.encode(into: &writer)
    }
  }
}

extension Client {
  /// The part of a reply's body that `read` finds.
  func released(_ reply: consuming Reply, _ read: (Span<UInt8>) throws(WireError) -> Range<Int>)
    throws(ClientError) -> ReleasedBytes
  {
    let place: Range<Int>
    do throws(WireError) { place = try read(reply.body) } catch { throw reply.malformed }
    return ReleasedBytes(reply, place)
  }
}

extension Span where Element == UInt8 {
  /// The indices of `part`, a slice of this span.
  func place(of part: Span<UInt8>) -> Range<Int> { indices(of: part) ?? 0..<0 }
}
