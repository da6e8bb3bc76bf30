package import Format

// Values of settings that a wire has no field of its own for.
extension FieldVisitor where Self: ~Copyable, Self: ~Escapable {
  /// A text that is absent where there is none.
  mutating func text(_ number: UInt32, _ name: String, _ value: inout String?, _ size: FieldSize)
    throws(WireError)
  {
    var text = value ?? ""
    try self.text(number, name, &text, size)
    value = text.isEmpty ? nil : text
  }

  /// Whole milliseconds.
  mutating func duration(_ number: UInt32, _ name: String, _ value: inout Duration)
    throws(WireError)
  {
    var milliseconds = UInt64(clamping: value.milliseconds)
    try uint64(number, name, &milliseconds)
    value = try Self.duration(milliseconds, number, name)
  }

  mutating func duration(_ number: UInt32, _ name: String, _ value: inout Duration?)
    throws(WireError)
  {
    var milliseconds = value.map { UInt64(clamping: $0.milliseconds) }
    try uint64(number, name, &milliseconds)
    value = nil
    if let milliseconds { value = try Self.duration(milliseconds, number, name) }
  }

  /// Microseconds since 1970.
  mutating func moment(_ number: UInt32, _ name: String, _ value: inout Timestamp?)
    throws(WireError)
  {
    var microseconds = value.map { UInt64(clamping: $0.microseconds) }
    try uint64(number, name, &microseconds)
    value = microseconds.map { Timestamp(microseconds: Int64(clamping: $0)) }
  }

  /// The names of operations, by their numbers.
  mutating func operations(_ number: UInt32, _ name: String, _ value: inout Set<Opcode>)
    throws(WireError)
  {
    var names = value.sorted { $0.rawValue < $1.rawValue }.map(\.name)
    try texts(number, name, &names, atMost: 64, count: 256)
    value = Set(names.compactMap { Opcode(name: $0) })
    guard value.count == names.count else {
      throw .badValue(WireField(number, name, "names an operation that there is not, or one twice"))
    }
  }

  /// Four bytes each, big-endian, ascending.
  mutating func numbers(_ number: UInt32, _ name: String, _ value: inout [UInt32], count limit: Int)
    throws(WireError)
  {
    var bytes = value.flatMap(\.bigEndianBytes)
    try self.bytes(number, name, &bytes, .atMost(4 * limit))
    value = stride(from: 0, to: bytes.count - 3, by: 4).map {
      UInt32(bigEndian: bytes.span, at: $0)
    }
    guard 4 * value.count == bytes.count else {
      throw .badValue(WireField(number, name, "is not made of numbers"))
    }
  }

  mutating func surrogateFormat(_ number: UInt32, _ name: String, _ value: inout SurrogateFormat)
    throws(WireError)
  {
    var form = SurrogateFormatForm(value)
    try message(number, name, "SurrogateFormatForm", &form, atMost: 128)
    value = try form.format(number, name)
  }

  private static func duration(_ milliseconds: UInt64, _ number: UInt32, _ name: String)
    throws(WireError) -> Duration
  {
    // A hundred years.
    guard milliseconds <= 36_600 * 86_400 * 1000 else {
      throw .badValue(WireField(number, name, "is longer than a hundred years"))
    }
    return .milliseconds(Int64(milliseconds))
  }
}

extension Duration {
  package var nanoseconds: Int64 { milliseconds * 1_000_000 }
  package var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
  package var wholeSeconds: UInt32 { UInt32(clamping: components.seconds) }
}

extension FieldSize {
  static let path = oneTo(4096)
  static let pathIfAny = atMost(4096)
  /// Hexadecimal digits of a SHA-256, or none.
  static let digest = absentOr(64)
}

/// A `SurrogateFormat` as it travels.
package struct SurrogateFormatForm: Message {
  private var prefix: [UInt8] = []
  private var first: UInt32 = 0
  private var last: UInt32 = 0
  private var length: UInt32?
  private var luhn = SurrogateFormat.LuhnRule.fail

  package init() {}

  init(_ format: SurrogateFormat) {
    prefix = format.prefix
    first = UInt32(format.first)
    last = UInt32(format.last)
    length = format.length.map { UInt32($0) }
    luhn = format.luhn
  }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.bytes(1, "prefix", &prefix, .atMost(32))
    try visitor.uint32(2, "first", &first)
    try visitor.uint32(3, "last", &last)
    try visitor.uint32(4, "length", &length)
    try visitor.enumeration(5, "luhn", "LuhnRule", &luhn)
  }

  func format(_ number: UInt32, _ name: String) throws(WireError) -> SurrogateFormat {
    do throws(SurrogateFormat.Flaw) {
      return try SurrogateFormat(
        prefix: prefix, first: Int(first), last: Int(last), length: length.map { Int($0) },
        luhn: luhn)
    } catch { throw .badValue(WireField(number, name, "is no format of surrogates")) }
  }
}

extension Principal {
  /// Bytes of one.
  static let cap = 300
}
