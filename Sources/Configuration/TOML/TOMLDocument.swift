import CToml

/// A parsed TOML text, copied out of the C library into values.
package enum TOMLDocument {
  /// Parses `text`, at most 1 MiB, and passes the root table to `decode`, which must ask for every
  /// key in it.
  package static func decode<R>(
    _ text: [UInt8], file: String, _ decode: (TOMLTable) throws(ConfigurationError) -> R
  ) throws(ConfigurationError) -> R {
    try parse(text, file: file).decodeTable(decode)
  }

  /// The root table, for callers that collect mistakes or need only some keys.
  package static func root(_ text: [UInt8], file: String) throws(ConfigurationError) -> TOMLTable {
    try parse(text, file: file).table()
  }

  private static func parse(_ text: [UInt8], file: String) throws(ConfigurationError) -> TOMLNode {
    try TOMLBounds.check(text, file: file)
    var failure = kist_toml_error()
    let parsed = unsafe text.withUnsafeBytes { bytes in
      unsafe kist_toml_parse(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, &failure)
    }
    guard let document = unsafe parsed else {
      let message = unsafe withUnsafeBytes(of: failure.message) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      throw ConfigurationError(
        file: file, position: SourcePosition(failure.line, failure.column), "not TOML: \(message)")
    }
    defer { unsafe kist_toml_free(document) }
    var next = 0
    return unsafe node(document, &next, file: file)
  }

  /// Reads node `next` and everything below it; its children follow it directly.
  private static func node(_ document: OpaquePointer, _ next: inout Int, file: String) -> TOMLNode {
    let flat = unsafe kist_toml_node_at(document, next).pointee
    next += 1
    let name = unsafe string(flat.key, flat.key_length)
    let children = unsafe (0..<flat.children).map { _ in unsafe node(document, &next, file: file) }
    return unsafe TOMLNode(
      file: file, name: name, keyPosition: SourcePosition(flat.key_line, flat.key_column),
      position: SourcePosition(flat.line, flat.column), value: value(flat, children))
  }

  private static func value(_ flat: kist_toml_node, _ children: [TOMLNode]) -> TOMLNode.Value {
    switch unsafe flat.kind {
    case KIST_TOML_TABLE: .table(children)
    case KIST_TOML_ARRAY: .array(children)
    case KIST_TOML_STRING: unsafe .string(string(flat.string, flat.string_length))
    case KIST_TOML_INTEGER: unsafe .integer(flat.integer)
    case KIST_TOML_BOOLEAN: unsafe .boolean(flat.boolean)
    case KIST_TOML_FLOAT: .float
    default: .dateOrTime
    }
  }

  private static func string(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
}

extension SourcePosition {
  fileprivate init(_ line: UInt32, _ column: UInt32) {
    self.init(line: Int(line), column: Int(column))
  }
}
