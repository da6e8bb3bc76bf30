import Format
package import Policy

/// One value of a TOML text, and its place; the accessors return it as the type that the schema
/// expects, or say why not.
package struct TOMLNode {
  package let file: String
  /// Its key, or in an array the array's key and the index, such as `users[0]`; empty for the root.
  package let name: String
  package let keyPosition: SourcePosition
  package let position: SourcePosition
  let value: Value

  enum Value {
    case table([TOMLNode])
    case array([TOMLNode])
    case string(String)
    case integer(Int64)
    case boolean(Bool)
    case float
    case dateOrTime
  }

  package func string(_ expected: String = "a string") throws(ConfigurationError) -> String {
    guard case .string(let text) = value else { throw wrongType(expected) }
    return text
  }

  package func boolean() throws(ConfigurationError) -> Bool {
    guard case .boolean(let flag) = value else { throw wrongType("true or false") }
    return flag
  }

  package func integer(in range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
    let expected = "an integer from \(range.lowerBound) to \(range.upperBound)"
    guard case .integer(let number) = value else { throw wrongType(expected) }
    guard let number = Int(exactly: number), range.contains(number) else {
      throw unfit("\(number)", expected)
    }
    return number
  }

  package func array(_ expected: String) throws(ConfigurationError) -> [TOMLNode] {
    guard case .array(let elements) = value else { throw wrongType("an array of \(expected)") }
    return elements.enumerated().map { index, element in
      TOMLNode(
        file: file, name: "\(name)[\(index)]", keyPosition: element.keyPosition,
        position: element.position, value: element.value)
    }
  }

  /// The string, as `convert` returns it.
  package func text<T>(_ expected: String, _ convert: (String) -> T?) throws(ConfigurationError)
    -> T
  {
    let text = try string(expected)
    guard let converted = convert(text) else { throw unfit("\"\(text)\"", expected) }
    return converted
  }

  /// The string as one of a closed set of names.
  package func text<T>(oneOf names: [String], _ convert: (String) -> T?) throws(ConfigurationError)
    -> T
  {
    let text = try string("one of \(names.joined(separator: ", "))")
    guard let converted = convert(text) else {
      let hint = text.nearest(among: names).map { "did you mean \"\($0)\"? " } ?? ""
      throw error(
        "\(subject) is \"\(text)\"; \(hint)expected one of \(names.joined(separator: ", "))")
    }
    return converted
  }

  package func decodeTable<R>(_ decode: (TOMLTable) throws(ConfigurationError) -> R)
    throws(ConfigurationError) -> R
  {
    let table = try table()
    let decoded = try decode(table)
    try table.finish()
    return decoded
  }

  /// The caller must check its `unknownKeys`.
  package func table() throws(ConfigurationError) -> TOMLTable {
    guard case .table(let entries) = value else { throw wrongType("a table") }
    return TOMLTable(self, entries)
  }

  package func error(_ message: String) -> ConfigurationError {
    ConfigurationError(file: file, position: position, message)
  }

  /// `'mode' is "0999"; expected …`
  package func unfit(_ found: String, _ expected: String) -> ConfigurationError {
    error("\(subject) is \(found); expected \(expected)")
  }

  func wrongType(_ expected: String) -> ConfigurationError { unfit(kind, expected) }

  private var subject: String { name.isEmpty ? "this" : "'\(name)'" }

  private var kind: String {
    switch value {
    case .table: "a table"
    case .array: "an array"
    case .string: "a string"
    case .integer: "an integer"
    case .boolean: "a boolean"
    case .float: "a float"
    case .dateOrTime: "a date or time"
    }
  }
}

extension TOMLNode {
  /// A duration such as `"300s"`; units are `ms`, `s`, `m`, `h` and `d`.
  package func duration(in range: ClosedRange<Duration>) throws(ConfigurationError) -> Duration {
    let expected =
      "a duration from \(range.lowerBound.text) to \(range.upperBound.text), such as \"300s\" or \"5m\""
    return try text(expected) { text in
      guard
        let (count, unit) = Self.quantity(
          text, ["ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000])
      else { return nil }
      let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit)
      let duration = Duration.milliseconds(milliseconds)
      return !overflow && range.contains(duration) ? duration : nil
    }
  }

  /// A number of bytes such as `"32MiB"`; units are `KiB`, `MiB` and `GiB`.
  func size(in range: ClosedRange<Int>, powerOfTwo: Bool = false) throws(ConfigurationError) -> Int
  {
    let kind = powerOfTwo ? "a power of two" : "a size"
    let expected =
      "\(kind) from \(Self.sizeText(range.lowerBound)) to \(Self.sizeText(range.upperBound)), such as \"32MiB\""
    return try text(expected) { text in
      guard
        let (count, unit) = Self.quantity(text, ["KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30])
      else { return nil }
      let (bytes, overflow) = count.multipliedReportingOverflow(by: unit)
      guard !overflow, range.contains(bytes), !powerOfTwo || bytes.nonzeroBitCount == 1 else {
        return nil
      }
      return bytes
    }
  }

  /// Permission bits as an octal string such as `"0660"`; only bits of `allowed`.
  func mode(allowed: UInt32) throws(ConfigurationError) -> UInt32 {
    let expected =
      "permission bits within 0\(String(allowed, radix: 8)), as an octal string such as \"0660\""
    return try text(expected) { text in
      guard text.utf8.count == 4, text.first == "0", let mode = UInt32(text, radix: 8),
        mode & ~allowed == 0
      else { return nil }
      return mode
    }
  }

  package static let expectedDigest = "64 hexadecimal digits in lower case"

  /// The digits of a SHA-256.
  package func digest() throws(ConfigurationError) -> String {
    try text(Self.expectedDigest) { text in
      let digits = text.utf8.allSatisfy {
        $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
      return text.utf8.count == 64 && digits ? text : nil
    }
  }

  /// An absolute path in normal form.
  package func path() throws(ConfigurationError) -> String {
    try text("a printable absolute path without '.', '..' or empty parts") { text in
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count > 1, parts[0].isEmpty, text.utf8.count < 4096, Printable.isLine(text) else {
        return nil
      }
      return parts.dropFirst().allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." } ? text : nil
    }
  }

  /// Digits without a leading zero, and a unit's factor.
  private static func quantity(_ text: String, _ units: [String: Int]) -> (count: Int, factor: Int)?
  {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let factor = units[String(text[digits.endIndex...])], let count = Int(digits),
      digits == "0" || digits.first != "0"
    else { return nil }
    return (count, factor)
  }

  private static func sizeText(_ bytes: Int) -> String {
    if bytes.isMultiple(of: 1 << 30) { return "\(bytes >> 30)GiB" }
    if bytes.isMultiple(of: 1 << 20) { return "\(bytes >> 20)MiB" }
    return "\(bytes >> 10)KiB"
  }
}

extension Duration {
  /// In the largest unit that divides it.
  fileprivate var text: String {
    let (seconds, attoseconds) = components
    guard attoseconds == 0 else {
      return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms"
    }
    if seconds == 0 || !seconds.isMultiple(of: 60) { return "\(seconds)s" }
    if seconds.isMultiple(of: 86_400) { return "\(seconds / 86_400)d" }
    if seconds.isMultiple(of: 3600) { return "\(seconds / 3600)h" }
    return "\(seconds / 60)m"
  }
}

extension TOMLNode {
  /// A user by name or number.
  package func user(_ accounts: Accounts) throws(ConfigurationError) -> Principal {
    try principal("user", accounts.uid)
  }

  /// A group by name or number.
  package func group(_ accounts: Accounts) throws(ConfigurationError) -> Principal {
    try principal("group", accounts.gid)
  }

  private func principal(_ kind: String, _ id: (String) -> UInt32?) throws(ConfigurationError)
    -> Principal
  {
    let expected = "the name or number of a \(kind)"
    switch value {
    case .string(let name):
      guard name.isToken(count: 256), let id = id(name) else {
        throw error("unknown \(kind) \"\(name)\"; expected \(expected) on this system")
      }
      return Principal(id: id, name: name)
    case .integer(let number):
      guard let id = UInt32(exactly: number), id != UInt32.max else {
        throw unfit("\(number)", expected)
      }
      return Principal(id: id)
    case .table, .array, .boolean, .float, .dateOrTime: throw wrongType(expected)
    }
  }
}

extension String {
  /// Whether it is printable ASCII without spaces, of 1 to `count` bytes, none of them in
  /// `excluded`.
  package func isToken(count: Int, without excluded: String = "") -> Bool {
    (1...count).contains(utf8.count)
      && utf8.allSatisfy { (0x21...0x7E).contains($0) && !excluded.utf8.contains($0) }
  }
}
