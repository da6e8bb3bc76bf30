package import Crypto
package import Host
internal import KeyStore

/// The payment networks' side of the issuer's keys.
package struct TestNetworks: ~Copyable {
  /// Two-key TDEA, 16 bytes.
  let visa: SecretBuffer
  /// RSA; the network itself has only the public key.
  let mastercard: CertifiedKey

  package static func make(under root: CertifiedKey) throws(CryptoError) -> TestNetworks {
    let visa = try Random.secret(count: 16)
    return TestNetworks(
      visa: visa,
      mastercard: try .make(
        .rsa(bits: 2048), subject: [.commonName("Kist Sandbox Issuer")], extensions: [.basicConstraints(isCA: false), .keyUsage(.digitalSignature)], by: root))
  }

  /// What the store has under the key's label.
  func material(of key: TestIssuer) throws(CryptoError) -> KeyMaterial {
    switch key {
    case .visa: return try KeyMaterial(keyData: visa.bytes, for: key.role)
    case .mastercard: return .privateKey(mastercard.key)
    case .cards: return .symmetric(try Random.secret(count: 32))
    }
  }
}

extension TestNetworks {
  /// Writes Visa's key as 16 bytes, and Mastercard's as `CertifiedKey` does.
  package func write(to directory: String, on disk: any Disk) throws(SandboxError) {
    try SandboxError.disk { () throws(DiskError) in
      try DurableFile.replace("issuer-visa.key", in: directory, with: visa.bytes, mode: 0o600, on: disk)
    }
    try mastercard.write("issuer-mastercard", in: directory, on: disk)
  }

  package init(from directory: String, on disk: any Disk) throws(SandboxError) {
    let key: SecretBuffer
    do throws(StorageError) { key = try DurableFile.readSecret(directory + "/issuer-visa.key", limit: 16, on: disk) } catch { throw .storage(error) }
    guard key.count == 16 else { throw .pki }
    let certified = try CertifiedKey.read("issuer-mastercard", in: directory, on: disk)
    self.init(visa: key, mastercard: certified)
  }
}
