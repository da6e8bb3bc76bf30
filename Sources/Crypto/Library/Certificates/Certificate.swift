import COpenSSL
package import Format

/// An X.509 certificate, parsed once and immutable.
///
/// Parsing checks only the form: callers must check signature, validity and purpose before they
/// trust it.
package final class Certificate: Sendable {
  /// The largest certificate that is parsed, in bytes of DER.
  package static let maximumSize = 8 << 10

  package let der: [UInt8]
  package let publicKey: PublicKey
  /// The complete names in DER.
  package let subjectDER, issuerDER: [UInt8]
  /// The serial number with its INTEGER tag.
  package let serialDER: [UInt8]
  /// The validity, both ends included.
  package let notBefore, notAfter: Timestamp
  /// Whether basicConstraints mark it as a CA.
  package let isCA: Bool
  /// How many intermediates may follow below this CA; nil for any number.
  package let pathLength: Int?
  /// Nil if the certificate does not restrict its key.
  package let keyUsage: KeyUsage?
  package let extensions: [Extension]
  /// The subject's attribute of this kind, if it has exactly one.
  package let subjectUID, subjectCommonName: String?
  let x509: Owned

  package var spki: [UInt8] { publicKey.spki }

  /// Parses exactly one certificate.
  ///
  /// - Throws: `invalidCertificate` if it is larger than `maximumSize`, not version 3 in DER, or
  ///   followed by other bytes, if an extension is malformed or occurs twice, or if `PublicKey`
  ///   refuses the key.
  package init(der: Span<UInt8>) throws(CryptoError) {
    guard der.count <= Self.maximumSize else { throw .invalidCertificate }
    var next: UnsafePointer<UInt8>? = unsafe der.start
    let x509 = try unsafe Owned(d2i_X509(nil, &next, der.count), X509_free, or: .invalidCertificate)
    let reader = unsafe CertificateReader(x509: x509.pointer)
    // Encoding it again proves that it was DER and that nothing was left over.
    guard try der.elementsEqual(reader.encoded()), try reader.isWellFormed() else {
      throw .invalidCertificate
    }
    self.der = der.array
    publicKey = try reader.publicKey()
    subjectDER = try reader.subjectDER()
    issuerDER = try reader.issuerDER()
    serialDER = try reader.serialDER()
    notBefore = try reader.notBefore()
    notAfter = try reader.notAfter()
    isCA = reader.isCA
    pathLength = reader.pathLength
    keyUsage = reader.keyUsage
    extensions = try reader.extensions()
    subjectUID = try reader.subjectAttribute(NID_userId)
    subjectCommonName = try reader.subjectAttribute(NID_commonName)
    self.x509 = x509
  }

  package convenience init(der: [UInt8]) throws(CryptoError) { try self.init(der: der.span) }
}

extension Certificate {
  package func hasExtension(_ oid: OID) -> Bool { extensions.contains { $0.oid == oid } }

  package func extensionValue(_ oid: OID) -> [UInt8]? { extensions.first { $0.oid == oid }?.value }

  package var criticalExtensionOIDs: [OID] { extensions.filter(\.isCritical).map(\.oid) }

  package func isValid(at moment: Timestamp) -> Bool { notBefore <= moment && moment <= notAfter }

  /// Whether `issuer` signed this certificate, using ECDSA with SHA-256 or SHA-384, or RSA PKCS #1
  /// v1.5 with SHA-2.
  ///
  /// Names, validity and permissions are not checked.
  package func isSigned(by issuer: PublicKey) -> Bool {
    let allowed: [Int32] =
      switch issuer.kind {
      case .p256, .p384: [NID_ecdsa_with_SHA256, NID_ecdsa_with_SHA384]
      case .rsa:
        [NID_sha256WithRSAEncryption, NID_sha384WithRSAEncryption, NID_sha512WithRSAEncryption]
      case .ed25519: []
      }
    guard allowed.contains(unsafe X509_get_signature_nid(x509.pointer)) else { return false }
    guard unsafe X509_verify(x509.pointer, issuer.key.pointer) == 1 else {
      _ = failure(.invalidCertificate)
      return false
    }
    return true
  }
}

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

/// The keyUsage extension (RFC 5280 §4.2.1.3), with OpenSSL's bit values.
package struct KeyUsage: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let digitalSignature = KeyUsage(rawValue: 0x80)
  package static let keyEncipherment = KeyUsage(rawValue: 0x20)
  package static let keyAgreement = KeyUsage(rawValue: 0x08)
  package static let certificateSigning = KeyUsage(rawValue: 0x04)
  package static let crlSigning = KeyUsage(rawValue: 0x02)
}

extension Certificate {
  /// The hash of the merchant identifier in this merchant certificate, checked against its subject.
  ///
  /// Extension 1.2.840.113635.100.6.32 holds the hash as `0C 40` and 64 hexadecimal characters. The
  /// subject's UID is the identifier itself, and its SHA-256 must equal the hash.
  ///
  /// - Throws: `invalidCertificate` if either is missing or malformed, or they differ.
  package func merchantIdentifierHash() throws(CryptoError) -> Digest256 {
    guard let value = extensionValue(.appleMerchantIdentifier), value.count == 66,
      value.starts(with: [0x0C, 0x40]),
      let bytes = Hex.decode(value.span.extracting(2..<66)), let hash = Digest256(bytes),
      let identifier = subjectUID, SHA256.hash(Array(identifier.utf8)) == hash
    else { throw .invalidCertificate }
    return hash
  }
}
