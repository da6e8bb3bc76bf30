import Ceremony
import Crypto
import Format
import TestSupport
import Testing

@testable import ApplePay

/// A chain shaped like Apple's for issuers, each part to be made otherwise.
struct IssuerPKI {
  var intermediateName = "Apple Worldwide Developer Relations CA - G2"
  var intermediateExtensions: [Certificate.Extension] = [
    .basicConstraints(isCA: true, pathLength: 0), .keyUsage([.certificateSigning, .crlSigning]),
    .marker(.appleIssuerEncryptionIntermediate),
  ]
  var leafKind = KeyKind.p256
  var leafExtensions: [Certificate.Extension] = [
    .basicConstraints(isCA: false), .keyUsage([.keyEncipherment, .keyAgreement]),
    .marker(.appleIssuerEncryptionLeaf, isCritical: true),
  ]
  /// Another root than the anchor signs the intermediate.
  var hasOwnRoot = false
  /// Another intermediate's key signs the leaf.
  var hasForeignIssuer = false

  static let now = Timestamp(seconds: 1_750_000_000)
  private static let notBefore = Timestamp(seconds: 1_700_000_000),
    notAfter = Timestamp(seconds: 1_800_000_000)

  struct Made {
    let anchor: TrustAnchor
    let root, intermediate, leaf: [UInt8]
    let leafKey: PrivateKey

    func verify(
      _ certificates: [[UInt8]]? = nil, at now: Timestamp = IssuerPKI.now,
      issuer: ProvisioningIssuer = .apple, checksValidity: Bool = true
    ) throws(ProvisioningError) -> ProvisioningChain {
      try ProvisioningVerifier(anchor: anchor, issuer: issuer, checksValidity: checksValidity)
        .verify(certificates ?? [leaf, intermediate], now: now)
    }
  }

  func make() throws -> Made {
    try #require(TestArena.ready)
    let rootKey = try PrivateKey.generate(.p384)
    let root = try Self.root(rootKey)
    let signerKey = hasOwnRoot ? try PrivateKey.generate(.p384) : rootKey
    let intermediateKey = try PrivateKey.generate(.p256)
    let intermediate = try Self.builder(intermediateName, 2, intermediateExtensions).issue(
      for: intermediateKey.publicKey, by: root, signedWith: signerKey)
    let leafKey = try PrivateKey.generate(leafKind)
    let issuerKey = hasForeignIssuer ? try PrivateKey.generate(.p256) : intermediateKey
    let leaf = try Self.builder("TEST UC6", 3, leafExtensions).issue(
      for: leafKey.publicKey, by: intermediate, signedWith: issuerKey)
    return Made(
      anchor: try TrustAnchor(root), root: root.der, intermediate: intermediate.der, leaf: leaf.der,
      leafKey: leafKey)
  }

  private static func root(_ key: PrivateKey) throws -> Certificate {
    try builder(
      "TEST Root", 1,
      [.basicConstraints(isCA: true, pathLength: 2), .keyUsage([.certificateSigning])]
    ).issue(
      for: key.publicKey, by: nil, signedWith: key)
  }

  private static func builder(
    _ name: String, _ serial: UInt64, _ extensions: [Certificate.Extension]
  ) -> CertificateBuilder {
    CertificateBuilder(
      subject: [.commonName(name)], serial: serial, notBefore: notBefore, notAfter: notAfter,
      extensions: extensions)
  }
}
