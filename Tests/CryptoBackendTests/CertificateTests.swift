import Ceremony
import Crypto
import Format
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.present, "no test vectors")) struct CertificateVectors {
  @Test func applesChain() throws {
    try #require(TestArena.ready)
    let root = try read("AppleRootCA-G3.cer")
    let intermediate = try read("AppleAAICAG3.cer")
    #expect(
      SHA256.hash(root.der).hex
        == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
    #expect(root.publicKey.kind == .p384 && intermediate.publicKey.kind == .p256)
    #expect(intermediate.isSigned(by: root.publicKey) && root.isSigned(by: root.publicKey))
    #expect(
      !intermediate.isSigned(by: intermediate.publicKey)
        && !root.isSigned(by: intermediate.publicKey))
    #expect(intermediate.issuerDER == root.subjectDER && root.issuerDER == root.subjectDER)
    #expect(intermediate.subjectCommonName == "Apple Application Integration CA - G3")
    #expect(intermediate.isCA && intermediate.keyUsage == [.certificateSigning, .crlSigning])
    #expect(
      intermediate.hasExtension(.appleTokenSigningIntermediate)
        && !intermediate.hasExtension(.appleTokenSigningLeaf))
    #expect(intermediate.extensionValue(.appleTokenSigningIntermediate) == [0x05, 0x00])
    #expect(Set(intermediate.criticalExtensionOIDs) == [.basicConstraints, .keyUsage])
    #expect(
      intermediate.notBefore.wholeSeconds == "2014-05-06T23:46:30Z"
        && intermediate.notAfter.wholeSeconds == "2029-05-06T23:46:30Z")
    #expect(intermediate.serialDER == Hex.decode("0208496d2fbf3a98da97"))
  }

  /// The merchants of the tokens: key and certificate from one PEM file belong together and name
  /// the merchant.
  @Test func merchantIdentifiers() throws {
    try #require(TestArena.ready)
    var tally = Tally()
    for name in [
      "basistheory-ec-ios", "basistheory-ec-old", "basistheory-rsa", "gala-2014-visa",
      "gala-2023-mc", "payu-sandbox-mc",
    ] {
      let merchant = try VectorCase(Vectors.json("applepay/tokens/\(name).json")).object("merchant")
      guard let text = merchant.fields["certificate"] as? String else {
        tally.add("no certificate")
        continue
      }
      let file = Array((try merchant.text("privateKey") + "\n" + text).utf8)
      let imported = try PrivateKeyFile.decode(file.span, passphrase: nil)
      let certificate = try #require(imported.certificate)
      #expect(try certificate.merchantIdentifierHash().hex == merchant.text("merchantIdHash"))
      tally.add("\(try #require(imported.key).kind)")
    }
    #expect(tally.counts == ["p256": 4, "rsa(bits: 2048)": 1, "no certificate": 1])
  }

  private func read(_ name: String) throws -> Certificate {
    try Certificate(der: [UInt8](Vectors.data("applepay/certs/\(name)")))
  }
}

@Suite struct CertificateTests {
  private static let start = Timestamp(seconds: 1_700_000_000),
    end = Timestamp(seconds: 1_800_000_000)

  private func builder(
    _ extensions: [Certificate.Extension],
    _ subject: [CertificateRequest.Attribute] = [.commonName("kist test")]
  ) -> CertificateBuilder {
    CertificateBuilder(
      subject: subject, serial: 0x80, notBefore: Self.start, notAfter: Self.end,
      extensions: extensions)
  }

  @Test(arguments: [KeyKind.p256, .p384, .rsa(bits: 2048)]) func chain(kind: KeyKind) throws {
    try #require(TestArena.ready)
    let rootKey = try PrivateKey.generate(kind)
    let leafKey = try PrivateKey.generate(.p256)
    let root = try builder([
      .basicConstraints(isCA: true, pathLength: 1), .keyUsage([.certificateSigning, .crlSigning]),
    ])
    .issue(for: rootKey.publicKey, by: nil, signedWith: rootKey)
    let leaf = try builder(
      [
        .keyUsage(.digitalSignature), .marker(.appleTokenSigningLeaf),
        .marker(.appleIssuerEncryptionLeaf, isCritical: true),
      ],
      [.commonName("leaf"), .organization("Kist"), .organizationalUnit("tests"), .country("GB")]
    )
    .issue(for: leafKey.publicKey, by: root, signedWith: rootKey)
    #expect(
      root.isCA && root.pathLength == 1 && root.keyUsage == [.certificateSigning, .crlSigning])
    #expect(!leaf.isCA && leaf.pathLength == nil && leaf.keyUsage == .digitalSignature)
    #expect(
      leaf.isSigned(by: rootKey.publicKey) && !leaf.isSigned(by: leafKey.publicKey)
        && leaf.issuerDER == root.subjectDER)
    #expect(leaf.criticalExtensionOIDs == [.keyUsage, .appleIssuerEncryptionLeaf])
    #expect(leaf.spki == leafKey.spki && leaf.serialDER == [0x02, 0x02, 0x00, 0x80])
    #expect(leaf.isValid(at: Self.start) && leaf.isValid(at: Self.end))
    #expect(
      !leaf.isValid(at: Self.start.adding(seconds: -1))
        && !leaf.isValid(at: Self.end.adding(seconds: 1)))
  }

  /// Whatever byte changes, the certificate is refused or no longer signed.
  @Test func everyByteMatters() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    let certificate = try builder([
      .basicConstraints(isCA: true), .keyUsage(.certificateSigning),
      .merchantIdentifier("merchant.kist"),
    ])
    .issue(for: key.publicKey, by: nil, signedWith: key)
    for index in certificate.der.indices {
      for bit: UInt8 in [0x01, 0x80] {
        var der = certificate.der
        der[index] ^= bit
        guard let changed = try? Certificate(der: der) else { continue }
        #expect(!changed.isSigned(by: key.publicKey), "byte \(index)")
      }
    }
  }

  @Test func refusesOtherLengths() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    let der = try builder([]).issue(for: key.publicKey, by: nil, signedWith: key).der
    for count in 0..<der.count {
      #expect(throws: CryptoError.invalidCertificate) {
        _ = try Certificate(der: Array(der.prefix(count)))
      }
    }
    #expect(throws: CryptoError.invalidCertificate) { _ = try Certificate(der: der + [0]) }
    #expect(throws: CryptoError.invalidCertificate) { _ = try Certificate(der: der + der) }
    let filler = Certificate.Extension(
      oid: OID("2.5.29.32"), isCritical: false, value: [UInt8](repeating: 0x30, count: 8200))
    #expect(throws: CryptoError.invalidCertificate) {
      _ = try builder([filler]).issue(for: key.publicKey, by: nil, signedWith: key)
    }
  }

  /// The same extension twice, one that does not parse, and a key of a kind we do not take.
  @Test func refusesMalformedContents() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    let cases: [[Certificate.Extension]] = [
      [.keyUsage(.digitalSignature), .keyUsage(.certificateSigning)],
      [.marker(.appleTokenSigningLeaf), .marker(.appleTokenSigningLeaf)],
      [Certificate.Extension(oid: .basicConstraints, isCritical: true, value: [0x30, 0x05])],
      [Certificate.Extension(oid: .keyUsage, isCritical: true, value: [0x05, 0x00])],
    ]
    for extensions in cases {
      #expect(throws: CryptoError.invalidCertificate) {
        _ = try builder(extensions).issue(for: key.publicKey, by: nil, signedWith: key)
      }
    }
  }

  @Test func subjectAttributes() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    func subject(_ attributes: [CertificateRequest.Attribute]) throws -> Certificate {
      try builder([], attributes).issue(for: key.publicKey, by: nil, signedWith: key)
    }
    #expect(try subject([.userID("merchant.a"), .commonName("A")]).subjectUID == "merchant.a")
    #expect(try subject([.commonName("Ä ✓")]).subjectCommonName == "Ä ✓")
    #expect(try subject([.commonName("A")]).subjectUID == nil)
    #expect(try subject([.userID("a"), .userID("b")]).subjectUID == nil)
    #expect(try subject([.commonName("a\u{0}b")]).subjectCommonName == nil)
    #expect(try subject([]).subjectCommonName == nil)
  }

  @Test func merchantIdentifier() throws {
    try #require(TestArena.ready)
    let key = try PrivateKey.generate(.p256)
    let identifier = "merchant.com.example"
    func hash(_ extensions: [Certificate.Extension], _ subject: [CertificateRequest.Attribute])
      throws -> Digest256
    {
      try builder(extensions, subject).issue(for: key.publicKey, by: nil, signedWith: key)
        .merchantIdentifierHash()
    }
    #expect(
      try hash([.merchantIdentifier(identifier)], [.userID(identifier)])
        == SHA256.hash(Array(identifier.utf8)))
    let digits = Array(SHA256.hash(Array(identifier.utf8)).hex.uppercased().utf8)
    func raw(_ value: [UInt8]) -> Certificate.Extension {
      Certificate.Extension(oid: .appleMerchantIdentifier, isCritical: false, value: value)
    }
    let refused: [([Certificate.Extension], [CertificateRequest.Attribute])] = [
      ([], [.userID(identifier)]), ([.merchantIdentifier(identifier)], [.commonName(identifier)]),
      ([.merchantIdentifier(identifier)], [.userID("merchant.com.other")]),
      ([.merchantIdentifier(identifier)], [.userID(identifier), .userID(identifier)]),
      ([raw([0x13, 0x40] + digits)], [.userID(identifier)]),
      ([raw([0x0C, 0x40] + digits + [0])], [.userID(identifier)]),
      ([raw([0x0C, 0x3F] + digits.dropLast())], [.userID(identifier)]),
      ([raw([0x0C, 0x40] + digits.dropLast() + [0x47])], [.userID(identifier)]),
      ([raw(digits)], [.userID(identifier)]), ([raw([])], [.userID(identifier)]),
    ]
    for (extensions, subject) in refused {
      #expect(throws: CryptoError.invalidCertificate) { _ = try hash(extensions, subject) }
    }
  }

  @Test(arguments: [
    (OID.appleMerchantIdentifier, "1.2.840.113635.100.6.32", "2a864886f763640620"),
    (.keyUsage, "2.5.29.15", "551d0f"),
    (OID("0.9.2342.19200300.100.1.1"), "0.9.2342.19200300.100.1.1", "0992268993f22c640101"),
    (OID("2.999.3"), "2.999.3", "883703"),
  ])
  func objectIdentifiers(oid: OID, dotted: String, contents: String) {
    #expect(oid.description == dotted)
    #expect(Hex.encode(oid.contents) == contents)
  }
}
