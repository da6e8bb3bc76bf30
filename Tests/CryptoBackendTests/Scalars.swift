import Crypto

/// A big-endian number as `size` bytes: vector files add sign bytes and drop leading zeros.
func fixed(_ number: [UInt8], _ size: Int) -> [UInt8] {
  let digits = number.drop { $0 == 0 }
  return [UInt8](repeating: 0, count: size - digits.count) + digits
}

/// A key from a bare scalar, through the RFC 5915 form without a public key.
func privateKey(scalar: [UInt8], kind: KeyKind) throws -> PrivateKey {
  let oid: [UInt8] =
    kind == .p256
    ? [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    : [0xA0, 0x07, 0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
  let body: [UInt8] = [0x02, 0x01, 0x01, 0x04, UInt8(scalar.count)] + scalar + oid
  let der = [0x30, UInt8(body.count)] + body
  return try PrivateKey(ecPrivateKeyDER: der.span)
}

/// DER of an ECDSA signature.
func signatureDER(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
  func integer(_ number: [UInt8]) -> [UInt8] {
    var digits = Array(number.drop { $0 == 0 })
    if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
    return [0x02, UInt8(digits.count)] + digits
  }
  let body = integer(r) + integer(s)
  return [0x30, UInt8(body.count)] + body
}
