internal import Format

extension CanonicalJSON {
  /// A count from elsewhere, clamped to what JSON numbers hold.
  static func count(_ value: some BinaryInteger) -> CanonicalJSON { .integer(Int64(clamping: min(UInt64(clamping: value), UInt64(integerLimit)))) }

  static func hex(_ bytes: [UInt8]) -> CanonicalJSON { .string(Hex.encode(bytes)) }
}
