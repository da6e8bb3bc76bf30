/// The lines of passwd(5) or group(5).
package struct AccountFile {
  private let text: [UInt8]

  package init(_ path: String) throws(ConfigurationError) { text = try TextFile.read(path) }

  /// The same, or no lines if there is no such file.
  init(ifPresent path: String) throws(ConfigurationError) { text = try TextFile.readIfPresent(path) ?? [] }

  /// The third field of the first line with this name.
  package func number(of name: String) -> UInt32? {
    entries.first { $0.name.elementsEqual(name.utf8) }.flatMap { Self.number($0.number) }
  }

  /// The first field of the first line with this number.
  package func name(of number: UInt32) -> String? {
    lines(of: number).first { !$0.name.isEmpty }.map { String(decoding: $0.name, as: UTF8.self) }
  }

  /// All lines with this number.
  func lines(of number: UInt32) -> [Entry] { entries.filter { Self.number($0.number) == number } }

  struct Entry {
    fileprivate let number: ArraySlice<UInt8>
    let name: ArraySlice<UInt8>
    /// A user's primary group, or a group's members.
    let fourth: ArraySlice<UInt8>

    var primaryGroup: UInt32? { AccountFile.number(fourth) }
    var members: [ArraySlice<UInt8>] { fourth.split(separator: UInt8(ascii: ",")) }
  }

  /// The number and name of each line.
  var numbered: [(number: UInt32, name: String)] {
    entries.compactMap { entry in Self.number(entry.number).map { ($0, String(decoding: entry.name, as: UTF8.self)) } }
  }

  /// All numbers that a name has.
  var numbersByName: [ArraySlice<UInt8>: [UInt32]] {
    entries.reduce(into: [:]) { numbers, entry in if let number = Self.number(entry.number) { numbers[entry.name, default: []].append(number) } }
  }

  /// The numbers of the users whose primary group it is, of a passwd(5).
  var primaryMembers: [(group: UInt32, users: [UInt32])] {
    entries.compactMap { entry in
      guard let user = Self.number(entry.number), let group = entry.primaryGroup else { return nil }
      return (group, [user])
    }
  }

  /// The names of each line's members, of a group(5).
  var membersByNumber: [(group: UInt32, names: [ArraySlice<UInt8>])] {
    entries.compactMap { entry in Self.number(entry.number).map { ($0, entry.members) } }
  }

  private var entries: some Sequence<Entry> {
    text.split(separator: UInt8(ascii: "\n")).lazy.compactMap { line in
      let fields = line.split(
        separator: UInt8(ascii: ":"), maxSplits: 4, omittingEmptySubsequences: false)
      guard fields.count > 2 else { return nil }
      return Entry(number: fields[2], name: fields[0], fourth: fields.count > 3 ? fields[3] : [])
    }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? { UInt32(String(decoding: digits, as: UTF8.self)) }
}
