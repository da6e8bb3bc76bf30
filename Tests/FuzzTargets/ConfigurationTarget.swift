import Configuration
import Foundation
import Policy
import TestSupport

/// `kist.toml`.
enum ConfigurationTarget: FuzzTarget {
  static let name = "configuration"
  static let byteLimit = 8192

  static func seeds() throws -> [[UInt8]] {
    let example = try Data(
      contentsOf: Repository.root.appending(path: "packaging/example/kist.toml"))
    // The example's settings stand in comments.
    let settings = String(decoding: example, as: UTF8.self).split(separator: "\n").map {
      $0.hasPrefix("# ") ? $0.dropFirst(2) : $0[...]
    }
    return [
      Array(example), Array(settings.joined(separator: "\n").utf8),
      Array("a = ".utf8) + DeepNesting.arrays(300), Array("a.b.c.d.e = 1".utf8),
      Array(#""\"".a.'\'.b = [{ c.d = """\"""" }]"#.utf8),
    ]
  }

  static func run(_ input: [UInt8]) throws {
    let configuration = try DaemonConfiguration.decode(
      input, file: "FUZZ", accounts: TestAccounts.all)
    let bytes = try configuration.encoded()
    try promise(
      try DaemonConfiguration(canonical: bytes).encoded() == bytes,
      "the key program would not take what was read")
    try promise(
      configuration.stateDirectory.hasPrefix("/"), "a state directory that is not absolute")
  }
}
