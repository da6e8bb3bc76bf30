import Host

extension PrivateKey {
  /// Parses a PKCS #8 PrivateKeyInfo or OneAsymmetricKey (RFC 5958) in DER.
  ///
  /// - Throws: `invalidKey` for an unsupported kind, curve or size, explicit curve parameters, or
  ///   parts that do not match.
  package convenience init(pkcs8DER der: Span<UInt8>) throws(CryptoError) {
    do throws(CryptoError) {
      var whole = DERReader(der)
      var fields = try whole.enter()
      try whole.finish()
      let version = try fields.readSmall()
      guard version <= 1 else { throw .invalidKey }
      var algorithm = try fields.enter()
      let oid = try algorithm.read(.oid)
      let contents = try fields.read(.octetString)
      if oid.elementsEqual(OID.ecPublicKey.contents) {
        let named = Curve(oid: try algorithm.read(.oid))
        try algorithm.finish()
        guard let named else { throw .invalidKey }
        try self.init(ecPrivateKeyDER: contents, curve: named)
      } else if oid.elementsEqual(OID.rsaEncryption.contents) {
        guard try algorithm.read(.null).count == 0 else { throw .invalidKey }
        try algorithm.finish()
        try self.init(rsaPrivateKeyDER: contents)
      } else if oid.elementsEqual(OID.ed25519.contents) {
        try algorithm.finish()
        var inner = DERReader(contents)
        let seed = try inner.read(.octetString)
        try inner.finish()
        try self.init(ed25519Seed: seed)
      } else {
        throw .invalidKey
      }
      // Attributes do not affect the key.
      if fields.nextTag == .context(0) { _ = try fields.read(.context(0)) }
      // Version 2, encoded as 1, has a public key (RFC 5958 §2).
      if version == 1 {
        let bits = try fields.read(.primitive(1))
        // The BIT STRING's contents are also the end of every SubjectPublicKeyInfo.
        guard bits.count > 1, spki.suffix(bits.count).elementsEqual(bits.array) else {
          throw .invalidKey
        }
      }
      try fields.finish()
    } catch { throw error.asKeyError }
  }
}

extension OID {
  static let ecPublicKey = OID(1, 2, 840, 10045, 2, 1)
  static let rsaEncryption = OID(1, 2, 840, 113549, 1, 1, 1)
  static let ed25519 = OID(1, 3, 101, 112)
}
