import Host

/// The modules of a symbol in the arena, one word for each of the 57 rows: bit x is the module in
/// column x; 1 is dark.
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

extension ModuleGrid {
  /// The penalty score of a mask (ISO/IEC 18004 §7.8.3), computed from whole rows, without a branch
  /// on a module.
  func penalty() throws(QRCodeError) -> Int {
    let columns = try transposed()
    var total = 0
    var dark = 0
    for i in Self.rows {
      total +=
        Self.runs(self[i]) + Self.runs(columns[i]) + Self.finders(self[i])
        + Self.finders(columns[i])
      dark += self[i].nonzeroBitCount
    }
    for i in Self.rows.dropLast() { total += Self.blocks(self[i], self[i + 1]) }
    return total + Self.balance(dark)
  }

  /// Five modules or more of one colour: 3, and 1 for each beyond the fifth.
  private static func runs(_ line: UInt64) -> Int {
    var points = 0
    for modules in [line, ~line & row] {
      let fives = modules & modules >> 1 & modules >> 2 & modules >> 3 & modules >> 4
      points += fives.nonzeroBitCount + 2 * (fives & ~(fives << 1)).nonzeroBitCount
    }
    return points
  }

  /// Four modules in a square of one colour: 3.
  private static func blocks(_ line: UInt64, _ next: UInt64) -> Int {
    let differs = (line ^ next) | (line ^ line >> 1) | (next ^ next >> 1)
    return 3 * (~differs & row >> 1).nonzeroBitCount
  }

  /// A pattern like a finder, 1011101 with four light modules before or after it: 40. Outside the
  /// symbol all is light.
  private static func finders(_ line: UInt64) -> Int {
    let light = ~line
    let pattern = line & light >> 1 & line >> 2 & line >> 3 & line >> 4 & light >> 5 & line >> 6
    let before = ~(line << 1 | line << 2 | line << 3 | line << 4)
    let behind = ~(line >> 7 | line >> 8 | line >> 9 | line >> 10)
    return 40 * (pattern & (before | behind)).nonzeroBitCount
  }

  /// For each 5 % by which the share of dark modules differs from half: 10.
  private static func balance(_ dark: Int) -> Int {
    let total = Version10.side * Version10.side
    return 10 * (abs(20 * dark - 10 * total) / total)
  }
}
