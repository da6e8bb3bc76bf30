/// What is wrong with the bytes of a frame; each is the sender's fault.
package indirect enum WireError: Error, Hashable {
  /// The frame ends inside a value.
  case truncated
  /// Bytes are left after the last field.
  case trailingBytes
  /// The length is outside the range that this operation allows.
  case frameSize
  /// The protocol version is not supported.
  case version
  /// A reserved bit or byte is set.
  case reservedBits
  /// A field number is unknown, repeated or out of order.
  case unexpectedField(UInt32)
  /// A field's wire type differs from the schema's.
  case wireType(WireField)
  /// A varint is longer than necessary, or does not fit its field.
  case varint
  /// A field holds its default value, which must be omitted.
  case explicitDefault(WireField)
  /// A value is longer than the field allows, or a list has too many elements.
  case tooLong(WireField)
  /// A required field is missing, or a number has no meaning.
  case badValue(WireField)
  /// Text is not UTF-8.
  case text(WireField)
}

extension WireError: CustomStringConvertible {
  /// Which field broke which rule; no value is in it.
  package var description: String {
    switch self {
    case .truncated: "the bytes end inside a value"
    case .trailingBytes: "bytes are left after the last field"
    case .frameSize: "the frame is longer or shorter than this operation's can be"
    case .version: "another version of the protocol"
    case .reservedBits: "a reserved bit is set"
    case .unexpectedField(let number): "field \(number) is unknown, comes twice or is out of order"
    case .varint: "a number is written longer than it must be, or does not fit its field"
    case .wireType(let field), .explicitDefault(let field), .tooLong(let field),
      .badValue(let field), .text(let field):
      field.description
    }
  }
}

/// The field that a `WireError` is about; two are the same if they have the same number.
package struct WireField: Sendable, ExpressibleByIntegerLiteral {
  package let number: UInt32
  /// As the schema has it; empty where only the number is known.
  let name: String
  /// What is wrong with it, to follow its name.
  let flaw: String

  package init(_ number: UInt32, _ name: String, _ flaw: String) {
    self.number = number
    self.name = name
    self.flaw = flaw
  }

  init(_ number: UInt32, _ name: String, _ value: Int, outside range: ClosedRange<Int>) {
    self.init(
      number, name,
      value == 0 ? "is missing" : "is \(value); it takes \(range.lowerBound) to \(range.upperBound)"
    )
  }

  package init(integerLiteral number: UInt32) { self.init(number, "", "is not as it must be") }
}

extension WireField: Hashable {
  package static func == (a: WireField, b: WireField) -> Bool { a.number == b.number }
  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension WireField: CustomStringConvertible {
  /// Such as `transaction_id has 31 bytes; it takes 32`.
  package var description: String { (name.isEmpty ? "field \(number)" : name) + " " + flaw }
}
