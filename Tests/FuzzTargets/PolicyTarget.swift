import Configuration
import Foundation
import Policy
import TestSupport

/// A file of `policy.d`.
enum PolicyTarget: FuzzTarget {
  static let name = "policy"
  static let byteLimit = 8192

  static func seeds() throws -> [[UInt8]] {
    let rate = """
      [[grant]]
      id = "a"
      users = ["acme", 7]
      groups = ["clients"]
      units = ["a.service"]
      executables = ["/usr/bin/a"]
      operations = ["open-payment-token", "ecdh"]
      keys = ["merchant/*", "app/a"]
      release = ["last4", "shared-secret"]
      stages = true
      rate = "100/s"
      """
    let folder = Repository.root.appending(path: "packaging/example/policy.d")
    let examples = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    ).map { Array(try Data(contentsOf: $0)) }
    return examples + [Array(rate.utf8), Array("a = ".utf8) + DeepNesting.arrays(300)]
  }

  static func run(_ input: [UInt8]) throws {
    let policy = try PolicyDirectory.locate(
      [.init(file: "FUZZ", text: input)], accounts: TestAccounts.all
    ).policy
    let text = withoutNames(policy.canonicalText)
    guard
      let again = try? PolicyDirectory.locate(
        [.init(file: "FUZZ", text: Array(text.utf8))], accounts: TestAccounts.all
      ).policy
    else {
      throw BrokenPromise(description: "a policy's canonical text is refused")
    }
    try promise(again.canonicalText == text, "a policy's canonical text is another policy's")
  }

  /// Users and groups stand there by number, with their names in a comment.
  private static func withoutNames(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("users = [") || line.hasPrefix("groups = [")
        ? line.prefix { $0 != "#" }.dropLast(while: { $0 == " " }) : line
    }
    return lines.joined(separator: "\n")
  }
}

/// A system that knows every user and group whose name such a system would take.
enum TestAccounts {
  static let all = Accounts(uid: number, gid: number)

  @Sendable private static func number(_ name: String) -> UInt32? {
    let isName =
      !name.isEmpty
      && name.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
      }
    return isName ? 1000 + UInt32(name.utf8.count) : nil
  }
}

extension Substring {
  fileprivate func dropLast(while matches: (Character) -> Bool) -> Substring {
    var rest = self
    while let last = rest.last, matches(last) { rest.removeLast() }
    return rest
  }
}
