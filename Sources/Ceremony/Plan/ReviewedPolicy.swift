internal import Configuration
package import Crypto

/// The policy files that were reviewed with a ceremony.
package struct ReviewedPolicy: Sendable {
  package let directory: String
  /// As `kist policy check` prints it.
  package let digest: Digest256

  init(_ table: TOMLTable) throws(ConfigurationError) {
    directory = try table.optional("directory")?.path() ?? PolicyDirectory.defaultPath
    digest = try table.required("sha256", TOMLNode.expectedDigest).sha256()
  }
}

extension TOMLNode {
  func sha256() throws(ConfigurationError) -> Digest256 {
    let digits = try digest()
    guard let digest = Digest256(hex: digits) else { throw unfit(digits, Self.expectedDigest) }
    return digest
  }
}
