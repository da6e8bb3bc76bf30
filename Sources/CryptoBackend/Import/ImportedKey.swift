/// What a key file held.
package struct ImportedKey: Sendable {
  package let key: PrivateKey?
  /// At most `PrivateKeyFile.maximumCertificates`, in the file's order.
  package let certificates: [Certificate]

  /// The certificate for the key itself.
  package var certificate: Certificate? {
    guard let key else { return nil }
    return certificates.first { $0.spki == key.spki }
  }
}
