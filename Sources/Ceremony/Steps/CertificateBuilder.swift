package import Crypto
package import Format

/// Makes and signs X.509 version 3 certificates, for a rehearsal and a test PKI.
package struct CertificateBuilder: Sendable {
  package var subject: [CertificateRequest.Attribute]
  package var serial: UInt64
  package var notBefore, notAfter: Timestamp
  package var extensions: [Certificate.Extension]

  package init(
    subject: [CertificateRequest.Attribute], serial: UInt64, notBefore: Timestamp,
    notAfter: Timestamp, extensions: [Certificate.Extension] = []
  ) {
    self.subject = subject
    self.serial = serial
    self.notBefore = notBefore
    self.notAfter = notAfter
    self.extensions = extensions
  }

  /// Issues a certificate for `key`, signed with the issuer's private key.
  ///
  /// - Parameter issuer: the issuer's certificate, whose subject becomes the issuer name; nil for a
  ///   self-signed certificate.
  package func issue(for key: PublicKey, by issuer: Certificate?, signedWith signer: PrivateKey)
    throws(CryptoError) -> Certificate
  {
    let name = try CertificateRequest.name(subject)
    let algorithm = Self.algorithm(of: signer.kind)
    let contents = DERWriter.element(
      DERWriter.sequence, DERWriter.element(DERWriter.context(0), DERWriter.small(2)),
      DERWriter.unsigned(serial), algorithm, issuer?.subjectDER ?? name,
      DERWriter.element(
        DERWriter.sequence, DERWriter.time(notBefore), DERWriter.time(notAfter)),
      name, key.spki, encodedExtensions)
    let signature = try signer.sign(contents.span)
    return try Certificate(
      der: DERWriter.element(
        DERWriter.sequence, contents, algorithm, DERWriter.element(0x03, [0] + signature)))
  }

  private var encodedExtensions: [UInt8] {
    guard !extensions.isEmpty else { return [] }
    let all = extensions.flatMap { item in
      DERWriter.element(
        DERWriter.sequence, DERWriter.oid(item.oid), item.isCritical ? [0x01, 0x01, 0xFF] : [],
        DERWriter.octets(item.value))
    }
    return DERWriter.element(DERWriter.context(3), DERWriter.element(DERWriter.sequence, all))
  }

  /// With the hash that a key of this kind signs with.
  private static func algorithm(of kind: KeyKind) -> [UInt8] {
    let (oid, parameters): (String, [UInt8]) =
      switch kind {
      case .p256: ("1.2.840.10045.4.3.2", [])
      case .p384: ("1.2.840.10045.4.3.3", [])
      case .rsa: ("1.2.840.113549.1.1.11", DERWriter.null)
      case .ed25519: ("1.3.101.112", [])
      }
    return DERWriter.element(DERWriter.sequence, DERWriter.oid(OID(oid)), parameters)
  }
}

// The extensions that a test PKI needs.
extension Certificate.Extension {
  /// - Parameter pathLength: 0...127.
  package static func basicConstraints(isCA: Bool, pathLength: UInt8? = nil) -> Self {
    var contents: [UInt8] = isCA ? [0x01, 0x01, 0xFF] : []
    if let pathLength { contents += DERWriter.small(pathLength) }
    return Self(
      oid: .basicConstraints, isCritical: true,
      value: DERWriter.element(DERWriter.sequence, contents))
  }

  package static func keyUsage(_ usage: KeyUsage) -> Self {
    let bits = UInt8(truncatingIfNeeded: usage.rawValue)
    return Self(
      oid: .keyUsage, isCritical: true,
      value: [0x03, 0x02, UInt8(bits.trailingZeroBitCount & 7), bits])
  }

  /// One of Apple's markers: an extension whose presence alone counts, with the value NULL.
  package static func marker(_ oid: OID, isCritical: Bool = false) -> Self {
    Self(oid: oid, isCritical: isCritical, value: DERWriter.null)
  }

  /// The hash of a merchant identifier, as in merchant certificates.
  package static func merchantIdentifier(_ identifier: String) -> Self {
    merchantIdentifier(hash: SHA256.hash(Array(identifier.utf8)))
  }

  static func merchantIdentifier(hash: Digest256) -> Self {
    Self(
      oid: .appleMerchantIdentifier, isCritical: false,
      value: DERWriter.element(0x0C, Array(hash.hex.uppercased().utf8)))
  }
}

/// Writes DER (X.690) of public values.
package enum DERWriter {
  package static let sequence: UInt8 = 0x30
  package static let set: UInt8 = 0x31
  package static let null: [UInt8] = [0x05, 0x00]

  /// A constructed, context-specific tag.
  package static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }

  /// An element of fewer than 64 KiB, its contents in parts.
  package static func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
    let contents = parts.flatMap(\.self)
    precondition(contents.count < 1 << 16)
    let length: [UInt8] =
      switch contents.count {
      case 0..<0x80: [UInt8(contents.count)]
      case 0x80..<0x100: [0x81, UInt8(contents.count)]
      default: [0x82, UInt8(contents.count >> 8), UInt8(contents.count & 0xFF)]
      }
    return [tag] + length + contents
  }

  package static func small(_ number: UInt8) -> [UInt8] { element(0x02, [number & 0x7F]) }
  package static func oid(_ oid: OID) -> [UInt8] { element(0x06, oid.contents) }
  package static func octets(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }

  /// In the fewest bytes, the first below 0x80.
  static func unsigned(_ number: UInt64) -> [UInt8] {
    let digits = Array(number.bigEndianBytes.drop { $0 == 0 })
    return element(0x02, digits.first.map { $0 < 0x80 } ?? false ? [] : [0], digits)
  }

  /// UTCTime for the years that it can express, GeneralizedTime for the others (§11.3).
  package static func time(_ moment: Timestamp) -> [UInt8] {
    let digits = moment.wholeSeconds.utf8.filter(\.isDigit)
    let isUTCTime = moment.wholeSeconds < "2050"
    return element(
      isUTCTime ? 0x17 : 0x18, isUTCTime ? Array(digits.dropFirst(2)) : digits, [UInt8(ascii: "Z")])
  }
}
