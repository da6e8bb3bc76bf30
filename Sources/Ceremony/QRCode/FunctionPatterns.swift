/// The parts of a symbol other than codewords, in rows as in `ModuleGrid`; they depend only on the
/// mask (ISO/IEC 18004 §6.3, §7.9, §7.10).
struct FunctionPatterns: Sendable {
  private(set) var dark = [UInt64](repeating: 0, count: Version10.side)
  /// The modules that codewords must not use.
  private(set) var reserved = [UInt64](repeating: 0, count: Version10.side)

  /// By mask.
  static let all = DataMask.allCases.map(FunctionPatterns.init)

  private init(_ mask: DataMask) {
    drawTiming()
    drawFinders()
    drawAlignment()
    drawFormat(mask)
    drawVersion()
  }

  private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
    let bit: UInt64 = 1 << UInt64(x)
    reserved[y] |= bit
    dark[y] = isDark ? dark[y] | bit : dark[y] & ~bit
  }

  private mutating func drawTiming() {
    for i in ModuleGrid.rows {
      set(i, 6, i.isMultiple(of: 2))
      set(6, i, i.isMultiple(of: 2))
    }
  }

  /// Draws the finders and their separators, which are light.
  private mutating func drawFinders() {
    for (x, y) in [(3, 3), (Version10.side - 4, 3), (3, Version10.side - 4)] {
      for (dx, dy) in Self.around(4)
      where ModuleGrid.rows.contains(x + dx) && ModuleGrid.rows.contains(y + dy) {
        set(x + dx, y + dy, ![2, 4].contains(max(abs(dx), abs(dy))))
      }
    }
  }

  private mutating func drawAlignment() {
    let first = Version10.alignment[0]
    let last = Version10.alignment[Version10.alignment.count - 1]
    for y in Version10.alignment {
      // In three corners there is a finder instead.
      for x in Version10.alignment
      where ![[first, first], [first, last], [last, first]].contains([x, y]) {
        for (dx, dy) in Self.around(2) { set(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) }
      }
    }
  }

  /// Draws level M, whose two bits are 00, and the mask, in a BCH (15, 5) code, twice.
  private mutating func drawFormat(_ mask: DataMask) {
    let bits = (mask.rawValue << 10 | Self.remainder(mask.rawValue << 10, 0x537)) ^ 0x5412
    let end = Version10.side - 1
    let first = [
      (8, 0), (8, 1), (8, 2), (8, 3), (8, 4), (8, 5), (8, 7), (8, 8), (7, 8), (5, 8), (4, 8),
      (3, 8), (2, 8), (1, 8), (0, 8),
    ]
    for (i, (x, y)) in first.enumerated() {
      set(x, y, bits >> i & 1 == 1)
      if i < 8 {
        set(end - i, 8, bits >> i & 1 == 1)
      } else {
        set(8, end - 14 + i, bits >> i & 1 == 1)
      }
    }
    set(8, end - 7, true)
  }

  /// Draws the version in a BCH (18, 6) code, twice.
  private mutating func drawVersion() {
    let bits = Version10.number << 12 | Self.remainder(Version10.number << 12, 0x1F25)
    for i in 0..<18 {
      let along = i / 3
      let across = Version10.side - 11 + i % 3
      set(along, across, bits >> i & 1 == 1)
      set(across, along, bits >> i & 1 == 1)
    }
  }

  /// The remainder of polynomials over GF(2).
  private static func remainder(_ dividend: Int, _ divisor: Int) -> Int {
    let width = Int.bitWidth - divisor.leadingZeroBitCount
    var rest = dividend
    while rest >> (width - 1) > 0 {
      rest ^= divisor << (Int.bitWidth - rest.leadingZeroBitCount - width)
    }
    return rest
  }

  private static func around(_ distance: Int) -> [(Int, Int)] {
    (-distance...distance).flatMap { dy in (-distance...distance).map { ($0, dy) } }
  }
}

/// A pattern that is XOR-ed with a symbol's codewords; the raw value is its reference (ISO/IEC
/// 18004 table 10).
enum DataMask: Int, CaseIterable, Sendable {
  case diagonal, rows, columns, wideDiagonal, blocks, crosses, diamonds, mixed

  /// The pattern's modules in a row.
  func row(_ y: Int) -> UInt64 { Self.modules[rawValue][y] }

  private static let modules = allCases.map { mask in
    ModuleGrid.rows.map { y in
      ModuleGrid.rows.reduce(UInt64(0)) { $0 | (mask.inverts($1, y) ? 1 << UInt64($1) : 0) }
    }
  }

  private func inverts(_ x: Int, _ y: Int) -> Bool {
    switch self {
    case .diagonal: (x + y) % 2 == 0
    case .rows: y % 2 == 0
    case .columns: x % 3 == 0
    case .wideDiagonal: (x + y) % 3 == 0
    case .blocks: (x / 3 + y / 2) % 2 == 0
    case .crosses: x * y % 2 + x * y % 3 == 0
    case .diamonds: (x * y % 2 + x * y % 3) % 2 == 0
    case .mixed: ((x + y) % 2 + x * y % 3) % 2 == 0
    }
  }
}
