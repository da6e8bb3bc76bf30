import Configuration
import Format
import Foundation
import Policy
import TestSupport

/// What kistd hands to kistd-keys, from a kistd that somebody else has taken over.
enum SettingsTarget: FuzzTarget {
  static let name = "settings"
  static let byteLimit = 16_384

  static func seeds() throws -> [[UInt8]] {
    let text = try Data(contentsOf: Repository.root.appending(path: "packaging/example/kist.toml"))
    let grants = try Data(
      contentsOf: Repository.root.appending(path: "packaging/example/policy.d/10-roles.toml"))
    let configuration = try DaemonConfiguration.decode(
      Array(text), file: "SEED", accounts: everybody)
    let policy = try PolicyDirectory.locate(
      [.init(file: "SEED", text: Array(grants))], accounts: everybody
    ).policy
    let accounts = AccountTable(
      users: [UserRow(uid: 0, name: "root"), UserRow(uid: 900, name: "kist")],
      groups: [GroupRow(gid: 901, members: [0, 900])],
      subordinates: [SubordinateRow(100_000...165_535, of: 900)])
    return [
      try SettingsFrame(configuration, policy, accounts).encoded(),
      try SettingsFrame(configuration, .empty, AccountTable()).encoded(),
    ]
  }

  /// Each name is somebody else.
  private static let everybody = Accounts(uid: number(of:), gid: number(of:))

  private static func number(of name: String) -> UInt32 {
    name.utf8.reduce(7) { $0 &* 31 &+ UInt32($1) } % 50_000 + 1000
  }

  static func run(_ input: [UInt8]) throws {
    let frame = try SettingsFrame(canonical: input)
    let policy = try frame.policy()
    let again = SettingsFrame(frame.configuration, policy, frame.accounts)
    try promise(try again.encoded() == input, "a frame says the same as another")
  }
}
