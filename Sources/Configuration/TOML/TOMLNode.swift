internal import Format

/// One value of a TOML text, and its place; the accessors return it as the type that the schema expects, or say why not.
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
    guard let number = Int(exactly: number), range.contains(number) else { throw unfit("\(number)", expected) }
    return number
  }

  package func array(_ expected: String) throws(ConfigurationError) -> [TOMLNode] {
    guard case .array(let elements) = value else { throw wrongType("an array of \(expected)") }
    return elements.enumerated().map { index, element in
      TOMLNode(file: file, name: "\(name)[\(index)]", keyPosition: element.keyPosition, position: element.position, value: element.value)
    }
  }

  /// The string, as `convert` returns it.
  package func text<T>(_ expected: String, _ convert: (String) -> T?) throws(ConfigurationError) -> T {
    let text = try string(expected)
    guard let converted = convert(text) else { throw unfit("\"\(text)\"", expected) }
    return converted
  }

  /// The string as one of a closed set of names.
  package func text<T>(oneOf names: [String], _ convert: (String) -> T?) throws(ConfigurationError) -> T {
    let text = try string("one of \(names.joined(separator: ", "))")
    guard let converted = convert(text) else {
      let hint = text.nearest(among: names).map { "did you mean \"\($0)\"? " } ?? ""
      throw error("\(subject) is \"\(text)\"; \(hint)expected one of \(names.joined(separator: ", "))")
    }
    return converted
  }

  package func decodeTable<R>(_ decode: (TOMLTable) throws(ConfigurationError) -> R) throws(ConfigurationError) -> R {
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

  package func error(_ message: String) -> ConfigurationError { ConfigurationError(file: file, position: position, message) }

  /// `'mode' is "0999"; expected …`
  package func unfit(_ found: String, _ expected: String) -> ConfigurationError { error("\(subject) is \(found); expected \(expected)") }

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
