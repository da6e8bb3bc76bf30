internal import CPostgreSQL
internal import Format

/// What the server answered to one statement, copied out of the library.
struct Answer {
  /// Such as `COMMIT`.
  let tag: String
  /// Values in binary; nil for NULL.
  let rows: [[[UInt8]?]]

  init(tag: String, rows: [[[UInt8]?]]) { (self.tag, self.rows) = (tag, rows) }

  init(_ result: OpaquePointer) {
    tag = unsafe PQcmdStatus(result).map { unsafe String(cString: $0) } ?? ""
    rows = unsafe (0..<PQntuples(result)).map { row in
      unsafe (0..<PQnfields(result)).map { column in
        guard unsafe PQgetisnull(result, row, column) == 0, let start = unsafe PQgetvalue(result, row, column) else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column))))
      }
    }
  }
}

/// One row's values, taken in order; each must have the form that its statement gives it.
struct Row {
  private var values: ArraySlice<[UInt8]?>

  init(_ values: [[UInt8]?]) { self.values = values[...] }

  mutating func bytes() throws(StoreFailure) -> [UInt8] {
    guard let value = values.popFirst(), let value else { throw .misunderstood }
    return value
  }

  mutating func text() throws(StoreFailure) -> String { String(decoding: try bytes(), as: UTF8.self) }

  mutating func integer() throws(StoreFailure) -> Int64 {
    let bytes = try bytes()
    guard bytes.count == 8 else { throw .misunderstood }
    return Int64(bigEndian: bytes.span, at: 0)
  }

  mutating func boolean() throws(StoreFailure) -> Bool {
    let bytes = try bytes()
    guard bytes.count == 1, bytes[0] < 2 else { throw .misunderstood }
    return bytes[0] == 1
  }
}
