/// The contents of a key file.
package struct ImportedKey: Sendable {
  package let key: PrivateKey?
  /// At most `PrivateKeyFile.maximumCertificates`, in the order of the file.
  package let certificates: [Certificate]

  /// The certificate that certifies the key.
  package var certificate: Certificate? {
    guard let key else { return nil }
    return certificates.first { $0.spki == key.spki }
  }
}
