import Ceremony
package import Crypto
package import Host
package import KistClient

/// What stands behind a phone that adds a card to a test Apple Wallet: Apple's CA and key for
/// issuers, and the phone's secure element.
///
/// Only sandboxes trust its root. Source of the shape: Apple, Security framework,
/// `SecPolicyCreateApplePayIssuerEncryption`.
package struct TestProvisioningPKI: Sendable {
  /// Named and marked as Apple's intermediate for issuers.
  package let intermediate: CertifiedKey
  /// Apple's key for which issuers seal passes: P-256, its certificate marked.
  package let leaf: CertifiedKey
  /// The key with which the phone's secure element signs nonces: P-256.
  package let phone: CertifiedKey

  package static func make(under root: CertifiedKey) throws(CryptoError) -> TestProvisioningPKI {
    let intermediate = try CertifiedKey.make(
      .p256, subject: intermediateName, extensions: intermediateExtensions, by: root)
    return TestProvisioningPKI(
      intermediate: intermediate,
      leaf: try .make(.p256, subject: leafName, extensions: leafExtensions, by: intermediate),
      phone: try .make(
        .p256, subject: [.commonName("Kist Sandbox Secure Element")],
        extensions: [.basicConstraints(isCA: false), .keyUsage(.digitalSignature)], by: root))
  }

  /// The certificates as Wallet gives them to an app: the leaf's and the intermediate's, with at
  /// most one defect.
  package func certificates(_ defect: PassDefect?) throws(CryptoError) -> [Certificate] {
    switch defect {
    case nil, .badNonceSignature: return [leaf.certificate, intermediate.certificate]
    case .noLeafMarker:
      let unmarked = try CertifiedKey.certify(
        leaf.key, subject: Self.leafName, extensions: Self.leafExtensions.dropLast(),
        by: intermediate)
      return [unmarked.certificate, intermediate.certificate]
    case .expired:
      let expired = try CertifiedKey.certify(
        leaf.key, subject: Self.leafName, extensions: Self.leafExtensions, by: intermediate,
        isExpired: true)
      return [expired.certificate, intermediate.certificate]
    case .otherRoot:
      // It has signed itself, so the chain ends before the sandbox's root.
      let own = try CertifiedKey.certify(
        intermediate.key, subject: Self.intermediateName, extensions: Self.intermediateExtensions,
        by: nil)
      return [leaf.certificate, own.certificate]
    }
  }

  /// What Wallet gives an app, with a nonce of its own that the phone has signed.
  package func passRequest(defect: PassDefect? = nil) throws(CryptoError) -> PassRequestJSON {
    let nonce = try Random.bytes(4)
    var signature = try phone.key.sign(nonce.span)
    if defect == .badNonceSignature { signature[signature.count - 1] ^= 1 }
    return PassRequestJSON(
      certificates: try certificates(defect).map(\.der), nonce: nonce, nonceSignature: signature)
  }

  private static let intermediateName: [CertificateRequest.Attribute] = [
    .commonName("Apple Worldwide Developer Relations CA - G2"), .organization("Kist Sandbox"),
  ]
  private static let intermediateExtensions: [Certificate.Extension] = [
    .basicConstraints(isCA: true, pathLength: 0), .keyUsage([.certificateSigning, .crlSigning]),
    .marker(.appleIssuerEncryptionIntermediate),
  ]
  private static let leafName: [CertificateRequest.Attribute] = [
    .commonName("Kist Sandbox ecc-crypto-services-encipherment"), .organization("Kist Sandbox"),
  ]
  /// The marker comes last; in Apple's certificates it is critical.
  private static let leafExtensions: [Certificate.Extension] = [
    .basicConstraints(isCA: false), .keyUsage([.keyEncipherment, .keyAgreement]),
    .marker(.appleIssuerEncryptionLeaf, isCritical: true),
  ]
}

extension TestProvisioningPKI {
  /// Writes each certificate and key into the directory; see `CertifiedKey` for the files.
  package func write(to directory: String, on disk: any Disk) throws(SandboxError) {
    try intermediate.write("provisioning-intermediate", in: directory, on: disk)
    try leaf.write("provisioning-leaf", in: directory, on: disk)
    try phone.write("phone", in: directory, on: disk)
  }

  package init(from directory: String, on disk: any Disk) throws(SandboxError) {
    intermediate = try .read("provisioning-intermediate", in: directory, on: disk)
    leaf = try .read("provisioning-leaf", in: directory, on: disk)
    phone = try .read("phone", in: directory, on: disk)
  }
}

/// A deliberate defect of what a phone gives an app, so that it fails at exactly one check.
package enum PassDefect: String, CaseIterable, Sendable {
  /// The certificates do not lead to the sandbox's root.
  case otherRoot = "other-root"
  /// The leaf's certificate is not marked as Apple's for issuers.
  case noLeafMarker = "no-leaf-marker"
  /// The leaf's certificate is no longer valid.
  case expired
  /// The nonce is not signed by the phone, which only Apple notices.
  case badNonceSignature = "bad-nonce-signature"
}
