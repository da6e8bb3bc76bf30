internal import Encoding

extension CanonicalJSON {
  /// A count from elsewhere, as far as JSON numbers go.
  static func count(_ value: some BinaryInteger) -> CanonicalJSON { .integer(Int64(clamping: min(UInt64(clamping: value), UInt64(integerLimit)))) }

  static func hex(_ bytes: [UInt8]) -> CanonicalJSON { .string(Hex.encode(bytes)) }
}
