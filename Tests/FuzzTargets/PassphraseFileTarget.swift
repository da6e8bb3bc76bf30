@testable internal import KeyStore

/// `kek.json`, which is read before a passphrase is tried.
enum PassphraseFileTarget: FuzzTarget {
  static let name = "passphrase-file"
  static let byteLimit = 2048

  static func seeds() throws -> [[UInt8]] {
    [try ManifestTarget.goldenFile("kek.json"), DeepNesting.objects(200)]
  }

  static func run(_ input: [UInt8]) throws {
    let file = try PassphraseFile(parsing: input)
    try promise(file.serialised == input, "a passphrase file encodes to other bytes")
    try promise(
      file.cost.memory <= 1 << 30 && file.cost.passes <= 16,
      "a passphrase file asks for more work than it may")
  }
}
