/// Refuses texts that the TOML library cannot handle safely: it recurses as deep as a text nests,
/// and keeps a table for each part of a key.
///
/// If a text is no valid TOML, the library stops at the first mistake; up to there both find the
/// same strings, comments and brackets.
struct TOMLBounds {
  /// The most open brackets and parts of keys around a value.
  static let depthLimit = 64
  /// The most keys, elements, tables and arrays of a text.
  static let valueLimit = 1 << 16

  private let text: [UInt8]
  private let file: String
  private var place = 0
  private var line = 1
  private var values = 0
  /// The number of dots since the key or element began, for each open bracket and outside.
  private var dots = [0]
  private var depth = 0

  /// - Throws: at the line that goes beyond a limit.
  static func check(_ text: [UInt8], file: String) throws(ConfigurationError) {
    var bounds = TOMLBounds(text, file: file)
    while bounds.place < text.count { try bounds.step() }
  }

  private init(_ text: [UInt8], file: String) {
    self.text = text
    self.file = file
  }

  private mutating func step() throws(ConfigurationError) {
    let character = text[place]
    place += 1
    switch character {
    case UInt8(ascii: "\n"):
      line += 1
      if dots.count == 1 { begin() }
    case UInt8(ascii: "#"): skip { $0 != UInt8(ascii: "\n") }
    case UInt8(ascii: "\""), UInt8(ascii: "'"): skipString(character)
    case UInt8(ascii: "."): try nest { $0.dots[$0.dots.count - 1] += 1 }
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      try count()
      try nest { $0.dots.append(0) }
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      guard dots.count > 1 else { return }
      depth -= dots.removeLast() + 1
    case UInt8(ascii: ","):
      try count()
      begin()
    case UInt8(ascii: "="): try count()
    default: break
    }
  }

  /// The next key or element begins, at the depth of its bracket.
  private mutating func begin() {
    depth -= dots[dots.count - 1]
    dots[dots.count - 1] = 0
  }

  private mutating func nest(_ deeper: (inout TOMLBounds) -> Void) throws(ConfigurationError) {
    depth += 1
    guard depth <= Self.depthLimit else {
      throw excess("more than \(Self.depthLimit) tables, arrays and parts of keys in one another")
    }
    deeper(&self)
  }

  private mutating func count() throws(ConfigurationError) {
    values += 1
    guard values <= Self.valueLimit else {
      throw excess("more than \(Self.valueLimit) keys and values")
    }
  }

  private mutating func skip(while isMeant: (UInt8) -> Bool) {
    while place < text.count, isMeant(text[place]) { place += 1 }
  }

  /// From after the opening quote to the end of the string, of one line or several.
  private mutating func skipString(_ quote: UInt8) {
    let isLong = place + 1 < text.count && text[place] == quote && text[place + 1] == quote
    if isLong { place += 2 }
    var run = 0
    while place < text.count {
      let character = text[place]
      if character == UInt8(ascii: "\n") {
        // A one-line string cannot go on, and the library stops here.
        guard isLong else { return }
        line += 1
      }
      place += 1
      if character == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") { skipEscaped() }
      run = character == quote ? run + 1 : 0
      guard run == (isLong ? 3 : 1) else { continue }
      // Up to two quotes before the closing three are text.
      for _ in 0..<2 where isLong && place < text.count && text[place] == quote { place += 1 }
      return
    }
  }

  private mutating func skipEscaped() {
    guard place < text.count, text[place] != UInt8(ascii: "\n") else { return }
    place += 1
  }

  private func excess(_ what: String) -> ConfigurationError {
    ConfigurationError(
      file: file, position: SourcePosition(line: line, column: 1), "not TOML: \(what)")
  }
}
