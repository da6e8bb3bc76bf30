import Format

/// The further input of a derivation besides the secret.
public struct DerivationInfo: Hashable, Sendable {
  fileprivate var whole: [UInt8] = []
  fileprivate var algorithmID: [UInt8] = []
  fileprivate var partyU: [UInt8] = []
  fileprivate var partyV: [UInt8] = []
  fileprivate var suppPub: [UInt8] = []
  fileprivate var suppPriv: [UInt8] = []

  /// OtherInfo, SharedInfo or info as one value.
  public static func whole(_ bytes: [UInt8]) -> DerivationInfo {
    DerivationInfo(whole: bytes)
  }

  /// OtherInfo in parts, which are concatenated as they are.
  public static func otherInfo(
    algorithmID: [UInt8], partyU: [UInt8] = [], partyV: [UInt8] = [], suppPub: [UInt8] = [],
    suppPriv: [UInt8] = []
  ) -> DerivationInfo {
    DerivationInfo(
      algorithmID: algorithmID, partyU: partyU, partyV: partyV, suppPub: suppPub, suppPriv: suppPriv
    )
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
    return SecretHandle(bytes: try ECDHReply(reply).handle.array, key: key)
  }

  /// Agrees on a shared secret and returns it, if policy releases `shared-secret`.
  public func sharedSecret(_ key: [UInt8], with peer: [UInt8]) throws(ClientError) -> ReleasedBytes
  {
    return try ReleasedBytes(try agree(key, peer, release: true)) { (reply) throws(ClientError) in
      reply.place(of: try ECDHReply(reply).sharedSecret)
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
    return SecretHandle(bytes: try KDFReply(reply).handle.array, key: secret.key)
  }

  /// The same, but returns the key, if policy releases `derived-key`.
  public func derivedKey(
    _ derivation: Derivation, from secret: SecretHandle, count: Int, info: DerivationInfo,
    salt: [UInt8] = []
  ) throws(ClientError) -> ReleasedBytes {
    return try ReleasedBytes(try derive(derivation, secret, count, info, salt, release: true)) {
      (reply) throws(ClientError) in
      reply.place(of: try KDFReply(reply).derivedKey)
    }
  }

  /// Unwraps a secret that was wrapped for an RSA key with OAEP and SHA-256; it stays in the
  /// daemon.
  ///
  /// - Parameter key: a key id, 16 bytes.
  public func unwrap(_ key: [UInt8], _ wrapped: [UInt8]) throws(ClientError) -> SecretHandle {
    let request = UnwrapRequest(wrappedKey: wrapped.span)
    let reply = try call(.unwrap, key: key, request)
    return SecretHandle(bytes: try UnwrapReply(reply).handle.array, key: key)
  }

  /// Has the daemon wipe a secret before its time is over.
  public func release(_ secret: SecretHandle) throws(ClientError) {
    let request = ReleaseHandleRequest(handle: secret.bytes.span)
    _ = try call(.releaseHandle, key: secret.key, request)
  }

  private func agree(_ key: [UInt8], _ peer: [UInt8], release: Bool) throws(ClientError) -> Reply {
    var request = ECDHRequest()
    request.peer = peer.span
    request.release = release
    return try call(.ecdh, key: key, request)
  }

  private func derive(
    _ derivation: Derivation, _ secret: SecretHandle, _ count: Int, _ info: DerivationInfo,
    _ salt: [UInt8], release: Bool
  ) throws(ClientError) -> Reply {
    var request = KDFRequest()
    request.handle = secret.bytes.span
    request.derivation = derivation.wire
    request.count = count
    request.info = info.whole.span
    request.otherInfo.algorithmID = info.algorithmID.span
    request.otherInfo.partyUInfo = info.partyU.span
    request.otherInfo.partyVInfo = info.partyV.span
    request.otherInfo.suppPubInfo = info.suppPub.span
    request.otherInfo.suppPrivInfo = info.suppPriv.span
    request.salt = salt.span
    request.release = release
    return try call(.kdf, key: secret.key, request)
  }
}
