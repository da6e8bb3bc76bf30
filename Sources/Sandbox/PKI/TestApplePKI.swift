import Ceremony
package import Crypto
package import Format
package import Host

/// A test replacement of Apple's PKI: our own root, shaped like Apple Root CA - G3, and the
/// certificates below it.
///
/// Only sandboxes trust it. Source of the shape: Apple, "Payment token format reference".
package struct TestApplePKI: Sendable {
  /// P-384, path length 2.
  package let root: CertifiedKey
  /// P-256, marked as Apple's intermediate of token signers.
  package let intermediate: CertifiedKey
  /// The signers of EC_v1 and of RSA_v1 tokens, both marked.
  package let ecLeaf, rsaLeaf: CertifiedKey

  /// Makes new keys; the RSA one takes a moment.
  package static func make() throws(CryptoError) -> TestApplePKI {
    let root = try CertifiedKey.make(
      .p384, subject: subject("Root CA - G3"),
      extensions: [
        .basicConstraints(isCA: true, pathLength: 2),
        .keyUsage([.certificateSigning, .crlSigning]),
      ], by: nil)
    let intermediate = try CertifiedKey.make(
      .p256, subject: subject("Application Integration CA - G3"),
      extensions: [
        .basicConstraints(isCA: true, pathLength: 0),
        .keyUsage([.certificateSigning, .crlSigning]),
        .marker(.appleTokenSigningIntermediate),
      ], by: root)
    return TestApplePKI(
      root: root, intermediate: intermediate,
      ecLeaf: try .make(
        .p256, subject: subject("ecc-smp-broker-sign"), extensions: leafExtensions, by: intermediate
      ),
      rsaLeaf: try .make(
        .rsa(bits: 2048), subject: subject("rsa-smp-broker-sign"), extensions: leafExtensions,
        by: intermediate))
  }

  package func leaf(for version: ApplePayTokenVersion) -> CertifiedKey {
    switch version {
    case .ecV1: ecLeaf
    case .rsaV1: rsaLeaf
    }
  }

  /// The same signer with a certificate that lacks the marker, so that it does not count as
  /// Apple's.
  package func unmarkedLeaf(for version: ApplePayTokenVersion) throws(CryptoError) -> CertifiedKey {
    try .certify(
      leaf(for: version).key, subject: Self.subject("unmarked"),
      extensions: Self.leafExtensions.dropLast(), by: intermediate)
  }

  /// A merchant's new processing key with its certificate.
  package func certify(_ merchant: TestMerchant) throws(CryptoError) -> CertifiedKey {
    let name = "Apple Pay Payment Processing:" + merchant.identifier
    return try .make(
      merchant.keyKind,
      subject: [.userID(merchant.identifier), .commonName(name), .organization("Kist Sandbox")],
      extensions: [.basicConstraints(isCA: false), .merchantIdentifier(merchant.identifier)],
      by: root)
  }

  private static let leafExtensions: [Certificate.Extension] = [
    .basicConstraints(isCA: false), .keyUsage(.digitalSignature), .marker(.appleTokenSigningLeaf),
  ]

  private static func subject(_ name: String) -> [CertificateRequest.Attribute] {
    [.commonName("Kist Sandbox " + name), .organization("Kist Sandbox")]
  }
}

extension TestApplePKI {
  /// Writes each certificate and key into the directory; see `CertifiedKey` for the files.
  package func write(to directory: String, on disk: any Disk) throws(SandboxError) {
    for (name, certified) in [
      ("root", root), ("intermediate", intermediate), ("leaf-ec", ecLeaf), ("leaf-rsa", rsaLeaf),
    ] {
      try certified.write(name, in: directory, on: disk)
    }
  }

  package init(from directory: String, on disk: any Disk) throws(SandboxError) {
    root = try .read("root", in: directory, on: disk)
    intermediate = try .read("intermediate", in: directory, on: disk)
    ecLeaf = try .read("leaf-ec", in: directory, on: disk)
    rsaLeaf = try .read("leaf-rsa", in: directory, on: disk)
  }
}
