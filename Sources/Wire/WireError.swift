/// What is wrong with the bytes of a frame; each is the sender's fault.
package enum WireError: Error, Hashable, Sendable {
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
  case wireType(UInt32)
  /// A varint is longer than necessary, or does not fit its field.
  case varint
  /// A field holds its default value, which must be omitted.
  case explicitDefault(UInt32)
  /// A value is longer than the field allows, or a list has too many elements.
  case tooLong(UInt32)
  /// A required field is missing, or a number has no meaning.
  case badValue(UInt32)
  /// Text is not UTF-8.
  case text(UInt32)
}
