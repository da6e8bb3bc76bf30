import ApplePay
import Crypto
import Format
import KistClient
import TestSupport

/// One certificate in DER, as tokens, issuers' requests and imports bring it.
enum CertificateTarget: FuzzTarget {
  static let name = "certificate"
  static let byteLimit = 8192

  static func seeds() throws -> [[UInt8]] {
    var seeds = [DeepNesting.lyingLengths, DeepNesting.indefinite(0x30, 200)]
    for fixture in try TokenFixture.all() {
      seeds.append(fixture.root)
      let signature = fixture.token.signature
      // Wherever a SEQUENCE of two length bytes stands may be a certificate.
      for place in signature.indices.dropLast(4)
      where signature[place] == 0x30 && signature[place + 1] == 0x82 {
        let end = place + 4 + Int(signature[place + 2]) << 8 + Int(signature[place + 3])
        let part = Array(signature[place..<min(end, signature.count)])
        if (try? Certificate(der: part)) != nil { seeds.append(part) }
      }
    }
    return seeds
  }

  static func run(_ input: [UInt8]) throws {
    let certificate = try Certificate(der: input)
    try promise(certificate.der == input, "a certificate is not the bytes it was read from")
    _ = certificate.isSigned(by: certificate.publicKey)
    _ = try? certificate.merchantIdentifierHash()
    _ = certificate.criticalExtensionOIDs.map(\.description)
    let roots = try TokenFixture.all().prefix(1).map(\.root)
    _ = try? ProvisioningVerifier(anchor: .appleRootCAG3()).verify(
      [input] + roots, now: certificate.notBefore)
    // A key that is accepted is one that has one spelling.
    let spki = certificate.spki
    try promise(try PublicKey(spki: spki.span).spki == spki, "a public key encodes to other bytes")
  }
}
