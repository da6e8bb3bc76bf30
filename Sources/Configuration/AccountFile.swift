/// The lines of passwd(5) or group(5).
package struct AccountFile {
  private let text: [UInt8]

  package init(_ path: String) throws(ConfigurationError) { text = try TextFile.read(path) }

  /// The third field of the first line with this name.
  package func number(of name: String) -> UInt32? { entries.first { $0.name.elementsEqual(name.utf8) }.flatMap { Self.number($0.number) } }

  /// The first field of the first line with this number.
  package func name(of number: UInt32) -> String? {
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
