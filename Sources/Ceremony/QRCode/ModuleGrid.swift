internal import Host

/// The modules of a symbol in the arena, one word for each of the 57 rows: bit x is the module in column x; 1 is dark.
struct ModuleGrid: ~Copyable {
  private var buffer: SecretBuffer

  /// All light.
  init() throws(QRCodeError) { buffer = try .symbolBytes(8 * Version10.side) }

  static let rows = 0..<Version10.side
  /// One bit for each column.
  static let row: UInt64 = 1 << UInt64(Version10.side) - 1

  subscript(row: Int) -> UInt64 {
    get {
      var word: UInt64 = 0
      for i in 0..<8 { word |= UInt64(buffer.bytes[8 * row + i]) << UInt64(8 * i) }
      return word
    }
    set {
      var bytes = buffer.mutableBytes
      for i in 0..<8 { bytes[8 * row + i] = UInt8(truncatingIfNeeded: newValue >> UInt64(8 * i)) }
    }
  }

  /// The grid with its columns as rows.
  func transposed() throws(QRCodeError) -> ModuleGrid {
    var grid = try ModuleGrid()
    for column in Self.rows {
      var word: UInt64 = 0
      for row in Self.rows { word |= (self[row] >> UInt64(column) & 1) << UInt64(row) }
      grid[column] = word
    }
    return grid
  }
}
