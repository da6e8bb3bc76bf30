/// A table being decoded: it remembers which keys were asked for, so that every other key is
/// unknown.
package final class TOMLTable {
  package let node: TOMLNode
  private let entries: [String: TOMLNode]
  private var asked: Set<String> = []

  init(_ node: TOMLNode, _ entries: [TOMLNode]) {
    self.node = node
    // The parser refuses duplicate keys.
    self.entries = Dictionary(entries.map { ($0.name, $0) }) { first, _ in first }
  }

  /// The value of `key`, or nil if there is none.
  package func optional(_ key: String) -> TOMLNode? {
    asked.insert(key)
    return entries[key]
  }

  /// - Parameter expected: what the value should be, for the error if it is missing.
  package func required(_ key: String, _ expected: String) throws(ConfigurationError) -> TOMLNode {
    guard let found = optional(key) else {
      throw error("'\(key)' is missing; expected \(expected)")
    }
    return found
  }

  /// The text of `key`, as what `parse` makes of it.
  package func text<T>(_ key: String, _ expected: String, _ parse: (String) -> T?)
    throws(ConfigurationError) -> T
  {
    try required(key, expected).text(expected, parse)
  }

  /// The table under `key`; if there is none, an empty one, so that the defaults apply.
  package func section<R>(_ key: String, _ decode: (TOMLTable) throws(ConfigurationError) -> R)
    throws(ConfigurationError) -> R
  {
    let absent = TOMLNode(
      file: node.file, name: key, keyPosition: node.position, position: node.position,
      value: .table([]))
    return try (optional(key) ?? absent).decodeTable(decode)
  }

  /// The array of tables under `key`, empty if there is none.
  package func sections<R>(_ key: String, _ decode: (TOMLTable) throws(ConfigurationError) -> R)
    throws(ConfigurationError) -> [R]
  {
    var decoded: [R] = []
    for element in try elements(key) { decoded.append(try element.decodeTable(decode)) }
    return decoded
  }

  /// The same, not yet decoded.
  func elements(_ key: String) throws(ConfigurationError) -> [TOMLNode] {
    try optional(key)?.array("tables, each under [[\(key)]]") ?? []
  }

  /// An error about the table as a whole.
  package func error(_ message: String) -> ConfigurationError { node.error(message) }

  /// - Throws: an error about the first key in the file that was not asked for, if any.
  package func finish() throws(ConfigurationError) {
    if let first = unknownKeys.first { throw first }
  }

  /// Every key that was not asked for, in the order of the file.
  var unknownKeys: [ConfigurationError] {
    let known = asked.sorted()
    return entries.values.filter { !asked.contains($0.name) }.sorted {
      $0.keyPosition < $1.keyPosition
    }.map { entry in
      let hint = entry.name.nearest(among: known).map { " (did you mean '\($0)'?)" } ?? ""
      return ConfigurationError(
        file: node.file, position: entry.keyPosition,
        "unknown key '\(entry.name)'\(hint); expected one of \(known.joined(separator: ", "))")
    }
  }
}
