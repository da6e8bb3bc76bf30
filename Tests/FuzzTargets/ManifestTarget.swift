import Crypto
import Format
import Foundation
import TestSupport

@testable internal import KeyStore

/// `manifest.json`, which is read before its HMAC can be believed.
enum ManifestTarget: FuzzTarget {
  static let name = "manifest"
  static let byteLimit = 16 << 10

  static func seeds() throws -> [[UInt8]] {
    [try goldenFile("manifest.json"), DeepNesting.arrays(200), DeepNesting.objects(200)]
  }

  static func run(_ input: [UInt8]) throws {
    let file = try ManifestFile(parsing: input)
    try promise(file.serialised == input, "a manifest encodes to other bytes")
    let key = [UInt8](repeating: 1, count: 32)
    try promise(try !file.isAuthentic(key: key.span), "a manifest nobody signed is authentic")
    let again = try ManifestFile(file.manifest, after: file, key: key.span)
    try promise(
      try ManifestFile(parsing: again.serialised).manifest == file.manifest,
      "a manifest reads back as another")
    _ = file.manifest.files
  }

  /// A file of the golden key store.
  static func goldenFile(_ name: String) throws -> [UInt8] {
    Array(
      try Data(contentsOf: Repository.root.appending(path: "proto/vectors/keystore-v1/" + name)))
  }
}
