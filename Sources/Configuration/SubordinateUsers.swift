import Format
import Glibc
package import Policy

/// The user ids that /etc/subuid gives to accounts for their user namespaces: subuid(5).
///
/// A process under such an id counts as its account's owner, who may become any of these ids at
/// will: newuidmap(1).
package struct SubordinateUsers: Hashable, Sendable {
  package let rows: [SubordinateRow]
  /// The numbers of lines that give nobody an id and are no comments, from 1.
  package let unreadLines: [Int]

  package static let none = SubordinateUsers([], unread: [])
  package static let path = "/etc/subuid"

  /// Reads the file, if there is one; owners are looked up in `accounts`.
  package static func load(_ path: String = path, accounts: Accounts = .system)
    throws(ConfigurationError) -> SubordinateUsers
  {
    guard let text = try TextFile.readIfPresent(path) else { return none }
    var (rows, unread): ([SubordinateRow], [Int]) = ([], [])
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() where !line.isEmpty && line.first != UInt8(ascii: "#")
    {
      let found = SubordinateRow.all(in: line, accounts)
      if found.isEmpty { unread.append(number + 1) }
      rows += found
    }
    return SubordinateUsers(rows, unread: unread)
  }

  /// Where newuidmap(1) looks in place of the file: what `subid:` names in nsswitch.conf(5), such
  /// as `sss`; nil where that is the file.
  ///
  /// The ranges there cannot be read: libsubid would load the service's own code, and ask it while
  /// the daemon starts.
  package static func unreadSource(_ path: String = "/etc/nsswitch.conf") throws(ConfigurationError)
    -> String?
  {
    let text = String(decoding: try TextFile.readIfPresent(path) ?? [], as: UTF8.self)
    let services = text.lines().compactMap { line -> String? in
      let fields = line.prefix { $0 != "#" }.split(separator: ":", maxSplits: 1)
      guard fields.count == 2, fields[0].allSatisfy({ !$0.isWhitespace }),
        fields[0].lowercased() == "subid"
      else { return nil }
      return fields[1].split(whereSeparator: \.isWhitespace).first.map(String.init)
    }
    return services.first { $0 != "files" }
  }

  private init(_ rows: [SubordinateRow], unread: [Int]) {
    self.rows = rows
    unreadLines = unread
  }

  package func ownership(of uid: UInt32) -> AccountTable.Ownership {
    AccountTable(subordinates: rows).ownership(of: uid)
  }
}

extension SubordinateRow {
  /// `alice:100000:65536`, as shadow's lib/subordinateio.c takes it.
  ///
  /// - Returns: none for a line that gives nobody an id; two if its owner is one account's name and
  ///   another's number.
  fileprivate static func all(in line: ArraySlice<UInt8>, _ accounts: Accounts) -> [Self] {
    let fields = line.split(
      separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false
    )
    .map { String(decoding: $0, as: UTF8.self) }
    guard fields.count > 2, !fields[0].isEmpty, let first = number(fields[1]),
      let count = number(fields[2]),
      let start = UInt32(exactly: first)
    else { return [] }
    // As newuidmap has it, which lets the sum wrap.
    let last = first &+ count &- 1
    guard last >= first else { return [] }
    let owners = [accounts.uid(fields[0]), UInt32(fields[0])].compactMap(\.self)
    // An unknown owner counts as one person for the whole range.
    return (owners.isEmpty ? [start] : owners).map { Self(start...UInt32(clamping: last), of: $0) }
  }

  /// Decimal, or octal or hexadecimal with a prefix; white space and a sign may come before it.
  private static func number(_ text: String) -> UInt64? {
    unsafe text.withCString { start in
      var end: UnsafeMutablePointer<CChar>?
      errno = 0
      let value = unsafe strtoul(start, &end, 0)
      return unsafe start.pointee != 0 && end?.pointee == 0 && errno == 0 ? UInt64(value) : nil
    }
  }
}
