internal import Encoding
internal import Glibc

/// The user ids that /etc/subuid gives to accounts for their user namespaces: subuid(5).
///
/// A process under such an id counts as its account's owner, who may become any of these ids at will: newuidmap(1).
package struct SubordinateUsers: Hashable, Sendable {
  package enum Ownership: Hashable, Sendable {
    /// The id is an account of its own.
    case account
    case subordinate(of: UInt32)
    /// Several accounts may become it.
    case disputed
  }

  fileprivate struct Allotment: Hashable {
    let ids: ClosedRange<UInt32>
    let owner: UInt32
  }

  private let ranges: [Allotment]

  package static let none = SubordinateUsers([])
  package static let path = "/etc/subuid"

  /// Reads the file, if there is one; owners are looked up in `accounts`.
  package static func load(_ path: String = path, accounts: Accounts = .system) throws(ConfigurationError) -> SubordinateUsers {
    guard let text = try TextFile.readIfPresent(path) else { return none }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    return SubordinateUsers(lines.compactMap { Allotment($0, accounts) })
  }

  /// Where newuidmap(1) looks in place of the file: what `subid:` names in nsswitch.conf(5), such as `sss`; nil where that is the file.
  ///
  /// The ranges there cannot be read: libsubid would load the service's own code, and ask it while the daemon starts.
  package static func unreadSource(_ path: String = "/etc/nsswitch.conf") throws(ConfigurationError) -> String? {
    let lines = String(decoding: try TextFile.readIfPresent(path) ?? [], as: UTF8.self).split(separator: "\n")
    let services = lines.compactMap { line -> String? in
      let fields = line.prefix { $0 != "#" }.split(separator: ":", maxSplits: 1)
      guard fields.count == 2, fields[0].allSatisfy({ !$0.isWhitespace }), fields[0].lowercased() == "subid" else { return nil }
      return fields[1].split(whereSeparator: \.isWhitespace).first.map(String.init)
    }
    return services.first { $0 != "files" }
  }

  private init(_ ranges: [Allotment]) { self.ranges = ranges }

  package func ownership(of uid: UInt32) -> Ownership {
    let owners = Set(ranges.filter { $0.ids.contains(uid) }.map(\.owner)).subtracting([uid])
    guard let owner = owners.first else { return .account }
    return owners.count == 1 ? .subordinate(of: owner) : .disputed
  }
}

extension SubordinateUsers.Allotment {
  /// `alice:100000:65536`. A line of another form is nil: newuidmap ignores it, too.
  fileprivate init?(_ line: Substring, _ accounts: Accounts) {
    let fields = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 3, !fields[0].isEmpty, !fields[0].hasPrefix("#"), let first = Self.number(fields[1]), let count = Self.number(fields[2]),
      count > 0, let start = UInt32(exactly: first)
    else { return nil }
    ids = start...UInt32(clamping: first + min(count, 1 << 32) - 1)
    // An unknown owner counts as one person for the whole range.
    owner = accounts.uid(fields[0]) ?? UInt32(fields[0]) ?? start
  }

  /// As newuidmap reads it: decimal, or octal or hexadecimal with a prefix.
  private static func number(_ text: String) -> UInt64? {
    guard text.utf8.first?.isDigit == true else { return nil }
    return unsafe text.withCString { start in
      var end: UnsafeMutablePointer<CChar>?
      let value = unsafe strtoul(start, &end, 0)
      return unsafe end?.pointee == 0 ? UInt64(value) : nil
    }
  }
}
