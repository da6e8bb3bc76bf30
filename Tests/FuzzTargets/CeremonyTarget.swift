import Ceremony
import Configuration
import Crypto
import Foundation
import TestSupport

/// A ceremony's file, and beside it what OpenSSH signed.
enum CeremonyTarget: FuzzTarget {
  static let name = "ceremony"
  static let byteLimit = 8192

  static func seeds() throws -> [[UInt8]] {
    let examples = try ["first-keys", "exchange", "custodians", "drill"].map { name in
      Array(
        try Data(
          contentsOf: Repository.root.appending(path: "packaging/example/ceremonies/\(name).toml")))
    }
    return examples + [Array(signature.utf8), Array("step = ".utf8) + DeepNesting.arrays(300)]
  }

  static func run(_ input: [UInt8]) throws {
    if let signature = SSHSignature(armoured: input) {
      return try promise(!signature.isTrue(of: input, by: witness()), "a signature over itself")
    }
    let plan = try CeremonyPlan.decode(input, file: "FUZZ")
    try promise(plan.text == input, "a plan's text is not what was read")
    try promise(
      (1...plan.people.witnesses.count).contains(plan.quorum),
      "more signatures are needed than there are witnesses")
    try promise(
      plan.people.witnesses.allSatisfy { $0.roles == [.witness] }, "a witness does something else")
    try promise(
      plan.people.reader.name != plan.people.administrator.name, "somebody checks themselves")
    try promise(Set(plan.outputs).count == plan.outputs.count, "an output is written over")
    let script = Script(plan).text
    try promise(script.contains(plan.digest.hex), "a script without its file's hash")
  }

  private static func witness() throws -> SSHPublicKey {
    guard
      let key = SSHPublicKey(
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICjvxnTh9sfRmQd1D73JBm3Wy6aLHdCdundxLxSsSPTR")
    else {
      throw BrokenPromise(description: "a key that OpenSSH made is none")
    }
    return key
  }

  // By OpenSSH 9.2, over another text.
  private static let signature = """
    -----BEGIN SSH SIGNATURE-----
    U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgKO/GdOH2x9GZB3UPvckGbdbLpo
    sd0J26d3EvFKxI9NEAAAAIY2VyZW1vbnkAAAAAAAAABnNoYTUxMgAAAFMAAAALc3NoLWVk
    MjU1MTkAAABAGYD8jCIMEsIl4s4o3+eaiFWfPyXmkdFV0JBSnDi8I9LYTykkgeoTUT7Hix
    Icdea4RLPeSOTq/Pr1KvzAi9EuBA==
    -----END SSH SIGNATURE-----

    """
}
