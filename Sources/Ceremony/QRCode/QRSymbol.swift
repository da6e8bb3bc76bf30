// QRCode: a share as a QR code, made in the arena and painted on a terminal.
// It makes one size of symbol, because it only has one use.
// The daemon must not link it.

internal import Host

/// A QR Code symbol (ISO/IEC 18004:2015) of a secret text, which stays in the arena until the symbol is drawn.
package struct QRSymbol: ~Copyable {
  private let modules: ModuleGrid

  /// Encodes up to 311 letters, of either case, and spaces in a symbol of 57 by 57 modules that can be read with 15 % damaged.
  ///
  /// - Throws: `QRCodeError`.
  package init(_ text: Span<UInt8>) throws(QRCodeError) {
    let codewords = try Self.placed(text)
    var (best, least) = (DataMask.diagonal, Int.max)
    for mask in DataMask.allCases {
      let penalty = try Self.masked(codewords, mask).penalty()
      if penalty < least { (best, least) = (mask, penalty) }
    }
    modules = try Self.masked(codewords, best)
  }

  /// With the caller's mask, which need not be the one with the best score.
  init(_ text: Span<UInt8>, _ mask: DataMask) throws(QRCodeError) { modules = try Self.masked(Self.placed(text), mask) }

  /// Whether a module is dark; those around the symbol are light.
  func isDark(_ x: Int, _ y: Int) -> Bool {
    ModuleGrid.rows.contains(x) && ModuleGrid.rows.contains(y) && modules[y] >> UInt64(x) & 1 == 1
  }

  private static func masked(_ codewords: borrowing ModuleGrid, _ mask: DataMask) throws(QRCodeError) -> ModuleGrid {
    let patterns = FunctionPatterns.all[mask.rawValue]
    var grid = try ModuleGrid()
    for y in ModuleGrid.rows { grid[y] = codewords[y] ^ (mask.row(y) & ~patterns.reserved[y]) | patterns.dark[y] }
    return grid
  }

  /// Places the codewords' bits in pairs of columns from the right, upwards and downwards in turn, around reserved modules (§7.7.3).
  private static func placed(_ text: Span<UInt8>) throws(QRCodeError) -> ModuleGrid {
    let codewords = try ErrorCorrection.codewords(AlphanumericText.dataCodewords(text))
    let reserved = FunctionPatterns.all[0].reserved
    var grid = try ModuleGrid()
    var count = 0
    for (pair, right) in pairs.enumerated() {
      for step in ModuleGrid.rows {
        let y = pair.isMultiple(of: 2) ? Version10.side - 1 - step : step
        for x in [right, right - 1] where reserved[y] >> UInt64(x) & 1 == 0 {
          let bit = codewords.bytes[count >> 3] >> UInt8(7 - count & 7) & 1
          grid[y] |= UInt64(bit) << UInt64(x)
          count += 1
        }
      }
    }
    return grid
  }

  /// The right column of each pair; the timing pattern's column is in no pair.
  private static let pairs = Array(stride(from: Version10.side - 1, to: 6, by: -2)) + [5, 3, 1]
}
