/// A pattern that is XOR-ed with a symbol's codewords; the raw value is its reference (ISO/IEC 18004 table 10).
enum DataMask: Int, CaseIterable, Sendable {
  case diagonal, rows, columns, wideDiagonal, blocks, crosses, diamonds, mixed

  /// The pattern's modules in a row.
  func row(_ y: Int) -> UInt64 { Self.modules[rawValue][y] }

  private static let modules = allCases.map { mask in
    ModuleGrid.rows.map { y in ModuleGrid.rows.reduce(UInt64(0)) { $0 | (mask.inverts($1, y) ? 1 << UInt64($1) : 0) } }
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
