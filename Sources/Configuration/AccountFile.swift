internal import Threads

/// The lines of passwd(5) or group(5).
struct AccountFile {
  private let text: [UInt8]

  init(_ path: String) throws(ConfigurationError) { text = try TextFile.read(path) }

  /// The third field of the first line with this name.
  func number(of name: String) -> UInt32? { entries.first { $0.name.elementsEqual(name.utf8) }.flatMap { Self.number($0.number) } }

  /// The first field of the first line with this number.
  func name(of number: UInt32) -> String? {
    entries.first { Self.number($0.number) == number && !$0.name.isEmpty }.map { String(decoding: $0.name, as: UTF8.self) }
  }

  private var entries: some Sequence<(name: ArraySlice<UInt8>, number: ArraySlice<UInt8>)> {
    text.split(separator: UInt8(ascii: "\n")).lazy.compactMap { line in
      let fields = line.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
      return fields.count > 2 ? (fields[0], fields[2]) : nil
    }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? { UInt32(String(decoding: digits, as: UTF8.self)) }
}

extension Accounts {
  /// The accounts of another host, from copies of its passwd(5) and group(5); no file, no names.
  package static func files(users: String?, groups: String?) throws(ConfigurationError) -> Accounts {
    func file(_ path: String?) throws(ConfigurationError) -> AccountFile? {
      guard let path else { return nil }
      return try AccountFile(path)
    }
    let (users, groups) = (try file(users), try file(groups))
    return Accounts(uid: { users?.number(of: $0) }, gid: { groups?.number(of: $0) }, userName: { users?.name(of: $0) })
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
