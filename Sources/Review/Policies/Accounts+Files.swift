package import Configuration
import Host

extension Accounts {
  /// The accounts of another host, from copies of its passwd(5) and group(5); no file, no names.
  package static func files(users: String?, groups: String?) throws(ConfigurationError) -> Accounts
  {
    func file(_ path: String?) throws(ConfigurationError) -> AccountFile? {
      guard let path else { return nil }
      return try AccountFile(path)
    }
    let users = try file(users)
    let groups = try file(groups)
    return Accounts(
      uid: { users?.number(of: $0) }, gid: { groups?.number(of: $0) },
      userName: { users?.name(of: $0) })
  }

  /// Accepts every name as an account, and gives each a number of its own without meaning.
  package static func anyName() -> Accounts {
    let numbers = InventedNumbers()
    return Accounts(uid: { numbers.number(of: $0) }, gid: { numbers.number(of: $0) })
  }
}

private final class InventedNumbers: @unchecked Sendable {
  /// In a range where no host has accounts: see the uid ranges in systemd's documentation.
  private static let first: UInt32 = 3_000_000_000
  private let lock = Lock()
  /// Guarded by `lock`.
  private var numbers: [String: UInt32] = [:]

  func number(of name: String) -> UInt32 {
    lock.withLock {
      let number = numbers[name] ?? Self.first + UInt32(numbers.count)
      numbers[name] = number
      return number
    }
  }
}
