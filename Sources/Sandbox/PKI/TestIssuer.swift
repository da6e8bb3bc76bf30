import Ceremony
package import Crypto
package import Host
package import KeyStore

/// An issuer's key in a sandbox; the raw value names it in its label and its files.
package enum TestIssuer: String, CaseIterable, Sendable {
  /// Makes Visa's values; the network has the same key.
  case visa
  /// Signs Mastercard's values; the network has the public key.
  case mastercard
  /// Seals card numbers for the issuer's own files.
  case cards

  /// The key's label in the sandbox's store.
  package var label: String { "issuer/\(rawValue)/sandbox" }

  package var role: KeyRole {
    switch self {
    case .visa: .otpVisa
    case .mastercard: .otpMastercard
    case .cards: .sealing
    }
  }

  package var otp: OTPAttributes? {
    switch self {
    case .visa: .visa(keySet: Self.keySet)
    case .mastercard: .mastercard(alias: Self.keyAlias)
    case .cards: nil
    }
  }

  /// Visa's name for its key.
  package static let keySet = "sandbox.1"
  /// MDES's name for its key.
  package static let keyAlias = "sandbox.1"
}

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
        .rsa(bits: 2048), subject: [.commonName("Kist Sandbox Issuer")],
        extensions: [.basicConstraints(isCA: false), .keyUsage(.digitalSignature)], by: root))
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
    try onDisk(
      DurableFile.replace(
        "issuer-visa.key", in: directory, with: visa.bytes, mode: 0o600, on: disk))
    try mastercard.write("issuer-mastercard", in: directory, on: disk)
  }

  package init(from directory: String, on disk: any Disk) throws(SandboxError) {
    let key: SecretBuffer
    do throws(StorageError) {
      key = try DurableFile.readSecret(directory + "/issuer-visa.key", limit: 16, on: disk)
    } catch { throw .storage(error) }
    guard key.count == 16 else { throw .pki }
    let certified = try CertifiedKey.read("issuer-mastercard", in: directory, on: disk)
    self.init(visa: key, mastercard: certified)
  }
}
