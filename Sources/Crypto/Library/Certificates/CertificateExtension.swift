internal import Format

extension Certificate {
  /// An extension as it is encoded in the certificate.
  package struct Extension: Sendable, Equatable {
    package let oid: OID
    package let isCritical: Bool
    /// The contents of the OCTET STRING.
    package let value: [UInt8]

    package init(oid: OID, isCritical: Bool, value: [UInt8]) {
      self.oid = oid
      self.isCritical = isCritical
      self.value = value
    }
  }
}

// The extensions that a test PKI needs.
extension Certificate.Extension {
  /// - Parameter pathLength: 0...127.
  package static func basicConstraints(isCA: Bool, pathLength: UInt8? = nil) -> Self {
    var contents: [UInt8] = isCA ? [0x01, 0x01, 0xFF] : []
    if let pathLength { contents += [0x02, 0x01, pathLength & 0x7F] }
    return Self(oid: .basicConstraints, isCritical: true, value: [0x30, UInt8(contents.count)] + contents)
  }

  package static func keyUsage(_ usage: KeyUsage) -> Self {
    let bits = UInt8(truncatingIfNeeded: usage.rawValue)
    return Self(oid: .keyUsage, isCritical: true, value: [0x03, 0x02, UInt8(bits.trailingZeroBitCount & 7), bits])
  }

  /// One of Apple's markers: an extension whose presence alone counts, with the value NULL.
  package static func marker(_ oid: OID, isCritical: Bool = false) -> Self { Self(oid: oid, isCritical: isCritical, value: [0x05, 0x00]) }

  /// The hash of a merchant identifier, as in merchant certificates.
  package static func merchantIdentifier(_ identifier: String) -> Self {
    let digits = SHA256.hash(Array(identifier.utf8)).hex.uppercased()
    return Self(oid: .appleMerchantIdentifier, isCritical: false, value: [0x0C, 0x40] + Array(digits.utf8))
  }
}
