internal import Format

/// A statement with values in binary, or one that is prepared for later.
struct Statement {
  enum Kind {
    case prepare(String, types: [UInt32])
    case run([[UInt8]])
  }

  let name: String
  let kind: Kind

  static func prepare(_ query: Query) -> Statement { Statement(name: "\(query)", kind: .prepare(query.text, types: query.types)) }
  static func run(_ query: Query, _ values: [[UInt8]] = []) -> Statement { Statement(name: "\(query)", kind: .run(values)) }
}

/// Values as the server reads them in binary.
enum BinaryValue {
  /// Numbers of types.
  static let (bytea, bigInteger, integer, text, byteaArray, integerArray): (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) = (17, 20, 23, 25, 1001, 1007)

  static func array(_ values: [[UInt8]], of type: UInt32) -> [UInt8] {
    // Dimensions, no NULLs, type, length, first index.
    var bytes = [1, 0, type, UInt32(values.count), 1].flatMap { $0.bigEndianBytes }
    for value in values { bytes += UInt32(value.count).bigEndianBytes + value }
    return bytes
  }

  static func days(_ claims: [Claim]) -> [UInt8] { array(claims.map { $0.day.bigEndianBytes }, of: integer) }
  static func digests(_ claims: [Claim]) -> [UInt8] { array(claims.map { $0.digest.bytes }, of: bytea) }
  static func retryDigests(_ claims: [Claim]) -> [UInt8] { array(claims.map { $0.retryDigest.bytes }, of: bytea) }
}
