import Format
import TestSupport
import Testing

extension WireVector: CustomTestStringConvertible {
  package var testDescription: String { file }
}

extension WireError {
  /// As the vectors write it.
  var vectorName: String {
    switch self {
    case .truncated: "truncated"
    case .trailingBytes: "trailing-bytes"
    case .frameSize: "frame-size"
    case .version: "version"
    case .reservedBits: "reserved-bits"
    case .unexpectedField(let field): "unexpected-field \(field)"
    case .wireType(let field): "wire-type \(field.number)"
    case .varint: "varint"
    case .explicitDefault(let field): "explicit-default \(field.number)"
    case .tooLong(let field): "too-long \(field.number)"
    case .badValue(let field): "bad-value \(field.number)"
    case .text(let field): "text \(field.number)"
    }
  }
}
