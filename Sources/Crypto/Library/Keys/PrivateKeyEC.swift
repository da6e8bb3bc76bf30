import COpenSSL
import Format
import Host

extension PrivateKey {
  /// Parses an RFC 5915 ECPrivateKey with a named curve.
  ///
  /// - Throws: `invalidKey` if the encoding is not DER or names no curve that we support, if the
  ///   scalar has the wrong size or is out of range, or if the public key does not belong to the
  ///   scalar.
  package convenience init(ecPrivateKeyDER der: Span<UInt8>) throws(CryptoError) {
    try self.init(ecPrivateKeyDER: der, curve: nil)
  }

  /// The same, with the curve that an enclosing PKCS #8 names.
  convenience init(ecPrivateKeyDER der: Span<UInt8>, curve outer: Curve?) throws(CryptoError) {
    do throws(CryptoError) {
      var whole = DERReader(der)
      var fields = try whole.enter()
      try whole.finish()
      guard try fields.readSmall() == 1 else { throw .invalidKey }
      let scalar = try fields.read(.octetString)
      var curve = outer
      if fields.nextTag == .context(0) {
        var parameters = try fields.enter(.context(0))
        // Explicit parameters are a SEQUENCE and fail here.
        let named = Curve(oid: try parameters.read(.oid))
        try parameters.finish()
        guard let named, outer == nil || outer == named else { throw .invalidKey }
        curve = named
      }
      guard let curve else { throw .invalidKey }
      guard fields.nextTag == .context(1) else {
        try fields.finish()
        try self.init(scalar: scalar, on: curve)
        return
      }
      var publicKey = try fields.enter(.context(1))
      let bits = try publicKey.read(.bitString)
      try publicKey.finish()
      try fields.finish()
      try self.init(scalar: scalar, on: curve)
      // The point may be compressed; in either form it must be the scalar's own.
      guard try hasPoint(bits, on: curve) else { throw .invalidKey }
    } catch { throw error.asKeyError }
  }

  /// From a scalar of the curve's size, in 1..<n.
  convenience init(scalar: Span<UInt8>, on curve: Curve) throws(CryptoError) {
    let agreement = try Agreement(scalar: scalar, on: curve)
    let point = agreement.point
    var parameters = try Parameters()
    try parameters.add("group", curve.name)
    try parameters.add("pub", point.span)
    try parameters.add("priv", number: scalar)
    let key = try makeKey("EC", parameters)
    let publicKey = try PublicKey(point: point.span, on: curve.kind)
    self.init(kind: curve.kind, publicKey: publicKey, agreement: agreement, key: key)
  }

  convenience init(generateOn curve: Curve) throws(CryptoError) {
    let scalar = try curve.randomScalar()
    try self.init(scalar: scalar.bytes, on: curve)
  }

  /// SEQUENCE { 1, scalar, [0] curve, [1] public key }: 121 bytes for P-256, 167 for P-384.
  func ecPrivateKeyDER(_ curve: Curve) throws(CryptoError) -> SecretBuffer {
    guard let agreement else { throw .invalidInput }
    let head: [UInt8] = [0x02, 0x01, 0x01, 0x04, UInt8(curve.fieldSize)]
    let oid = [0xA0, UInt8(curve.oid.count + 2), 0x06, UInt8(curve.oid.count)] + curve.oid
    let point = publicKey.point ?? []
    let tail = oid + [0xA1, UInt8(point.count + 3), 0x03, UInt8(point.count + 1), 0x00] + point
    let length = head.count + curve.fieldSize + tail.count
    let start: [UInt8] =
      (length < 0x80 ? [0x30, UInt8(length)] : [0x30, 0x81, UInt8(length)]) + head
    var scalar = try SecretBuffer.make(curve.fieldSize)
    var digits = scalar.mutableBytes
    try agreement.scalar.write(into: &digits)
    var der = try SecretBuffer.make(start.count + curve.fieldSize + tail.count)
    var out = der.mutableBytes
    out.copy(start.span)
    out.copy(scalar.bytes, at: start.count)
    out.copy(tail.span, at: start.count + curve.fieldSize)
    return der
  }

  private func hasPoint(_ bits: Span<UInt8>, on curve: Curve) throws(CryptoError) -> Bool {
    guard let point = publicKey.point, bits.count >= 2, bits[0] == 0 else { return false }
    let given = bits.extracting(1..<bits.count)
    if given.elementsEqual(point) { return true }
    let compressed = [0x02 | (point[point.count - 1] & 1)] + point[1...curve.fieldSize]
    return given.elementsEqual(compressed)
  }
}

extension CryptoError {
  /// Every error in the data of a private key means that the key is invalid.
  var asKeyError: CryptoError {
    switch self {
    case .invalidInput, .invalidPoint, .authenticationFailed, .invalidCertificate, .invalidKey:
      .invalidKey
    case .exhausted, .backend: self
    }
  }
}
