import Ceremony
import Crypto
import Format
import Foundation
import Host
import TestSupport

/// A private key's file, as people have them, and its passphrase.
enum KeyFileTarget: FuzzTarget {
  static let name = "key-file"
  static let byteLimit = 8192
  /// That of most vectors.
  private static let passphrase = Array("password".utf8)

  /// Files of others are among them where the vectors are.
  static func seeds() throws -> [[UInt8]] {
    let folders = ["pkcs12", "pkcs8"].map { Vectors.root.appending(path: "atrest/" + $0) }
    let files =
      try Vectors.present
      ? folders.flatMap {
        try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
      } : []
    let others = try files.filter { !$0.hasDirectoryPath }.map { Array(try Data(contentsOf: $0)) }
      .filter { $0.count <= byteLimit }
    var seeds = [DeepNesting.lyingLengths, DeepNesting.indefinite(0x30, 200)]
    for kind in [.p256, .p384, .ed25519, .rsa(bits: 2048)] as [KeyKind] {
      let key = try PrivateKey.generate(kind)
      // Nobody's key; a seed may leave its buffer.
      let text = try key.serialised()
      seeds.append(text.bytes.array)
    }
    return others + seeds
      + seeds.map {
        Array("-----BEGIN PRIVATE KEY-----\n\(Base64.encode($0))\n-----END PRIVATE KEY-----\n".utf8)
      }
  }

  static func run(_ input: [UInt8]) throws {
    let file = try SecretBuffer(copying: input.span)
    let passphrase = try SecretBuffer(copying: passphrase.span)
    guard let key = try PrivateKeyFile.decode(file.bytes, passphrase: passphrase.bytes).key else {
      return
    }
    let spki = key.spki
    try promise(
      try PublicKey(spki: spki.span).spki == spki, "a key's public part encodes to other bytes")
    let text = try key.serialised()
    let again = try PrivateKeyFile.decode(text.bytes, passphrase: nil)
    try promise(again.key?.spki == spki, "a key is another one when it is written down again")
  }
}
