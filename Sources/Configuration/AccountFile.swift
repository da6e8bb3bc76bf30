/// The lines of passwd(5) or group(5).
package struct AccountFile {
  private let text: [UInt8]

  package init(_ path: String) throws(ConfigurationError) { text = try TextFile.read(path) }

  /// The same, or no lines if there is no such file.
  init(ifPresent path: String) throws(ConfigurationError) { text = try TextFile.readIfPresent(path) ?? [] }

  /// The third field of the first line with this name.
  package func number(of name: String) -> UInt32? {
    entries.first { $0.name.elementsEqual(name.utf8) }?.number
  }

  /// The first field of the first line with this number.
  package func name(of number: UInt32) -> String? {
    entries.first { $0.number == number && !$0.name.isEmpty }.map { String(decoding: $0.name, as: UTF8.self) }
  }

  struct Entry {
    let number: UInt32?
    let name: ArraySlice<UInt8>
    /// A user's primary group, or a group's members.
    fileprivate let fourth: ArraySlice<UInt8>

    var primaryGroup: UInt32? { AccountFile.number(fourth) }
    var members: [ArraySlice<UInt8>] { fourth.split(separator: UInt8(ascii: ",")) }
  }

  var entries: some Sequence<Entry> {
    text.split(separator: UInt8(ascii: "\n")).lazy.compactMap { line in
      let fields = line.split(
        separator: UInt8(ascii: ":"), maxSplits: 4, omittingEmptySubsequences: false)
      guard fields.count > 2 else { return nil }
      return Entry(number: Self.number(fields[2]), name: fields[0], fourth: fields.count > 3 ? fields[3] : [])
    }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? { UInt32(String(decoding: digits, as: UTF8.self)) }
}
