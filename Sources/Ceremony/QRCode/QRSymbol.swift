// QRCode: a share as a QR code, made in the arena and painted on a terminal.
// It makes one size of symbol, because it only has one use.
// The daemon must not link it.

import Host

/// A QR Code symbol (ISO/IEC 18004:2015) of a secret text, which stays in the arena until the
/// symbol is drawn.
package struct QRSymbol: ~Copyable {
  private let modules: ModuleGrid

  /// Encodes up to 311 letters, of either case, and spaces in a symbol of 57 by 57 modules that can
  /// be read with 15 % damaged.
  ///
  /// - Throws: `QRCodeError`.
  package init(_ text: Span<UInt8>) throws(QRCodeError) {
    let codewords = try Self.placed(text)
    var best = DataMask.diagonal
    var least = Int.max
    for mask in DataMask.allCases {
      let penalty = try Self.masked(codewords, mask).penalty()
      if penalty < least { (best, least) = (mask, penalty) }
    }
    modules = try Self.masked(codewords, best)
  }

  /// With the caller's mask, which need not be the one with the best score.
  init(_ text: Span<UInt8>, _ mask: DataMask) throws(QRCodeError) {
    modules = try Self.masked(Self.placed(text), mask)
  }

  /// Whether a module is dark; those around the symbol are light.
  func isDark(_ x: Int, _ y: Int) -> Bool {
    ModuleGrid.rows.contains(x) && ModuleGrid.rows.contains(y) && modules[y] >> UInt64(x) & 1 == 1
  }

  private static func masked(_ codewords: borrowing ModuleGrid, _ mask: DataMask)
    throws(QRCodeError) -> ModuleGrid
  {
    let patterns = FunctionPatterns.all[mask.rawValue]
    var grid = try ModuleGrid()
    for y in ModuleGrid.rows {
      grid[y] = codewords[y] ^ (mask.row(y) & ~patterns.reserved[y]) | patterns.dark[y]
    }
    return grid
  }

  /// Places the codewords' bits in pairs of columns from the right, upwards and downwards in turn,
  /// around reserved modules (§7.7.3).
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

/// Why a text does not become a symbol; reveals nothing of the text.
package enum QRCodeError: Error, Hashable {
  /// A character other than the letters A to Z, of either case, and spaces.
  case letter
  /// More characters than the symbol holds.
  case tooLong
  /// The arena is full.
  case exhausted
}

extension QRSymbol {
  /// Characters in a line, including the light margin of four modules on either side.
  package static let columns = Version10.side + 2 * margin
  /// Lines: each shows two rows of modules.
  package static let lines = (columns + 1) / 2

  /// Draws the symbol for a terminal, in UTF-8 half blocks, black on white whatever the terminal's
  /// own colours.
  ///
  /// The output and its length in bytes depend on the text.
  package func draw(_ put: (UInt8) -> Void) {
    for line in 0..<Self.lines {
      for byte in "\u{1B}[30;47m".utf8 { put(byte) }
      for column in 0..<Self.columns {
        let x = column - Self.margin
        let y = 2 * line - Self.margin
        switch (isDark(x, y), isDark(x, y + 1)) {
        case (false, false): put(UInt8(ascii: " "))
        case (true, false): Self.block(0x80, put)
        case (false, true): Self.block(0x84, put)
        case (true, true): Self.block(0x88, put)
        }
      }
      for byte in "\u{1B}[0m\n".utf8 { put(byte) }
    }
  }

  /// In modules (§6.3.8).
  private static let margin = 4

  /// ▀, ▄ and █ are U+2580, U+2584 and U+2588.
  private static func block(_ last: UInt8, _ put: (UInt8) -> Void) {
    for byte in [0xE2, 0x96, last] { put(byte) }
  }
}

/// The only symbol size made here, version 10 at level M: the smallest at that level for 33 words
/// of eight letters (ISO/IEC 18004 tables 1, 7, 9).
enum Version10 {
  static let number = 10
  /// Modules.
  static let side = 57
  /// The most characters in alphanumeric mode.
  static let capacity = 311
  /// The bits of the character count.
  static let countWidth = 11
  /// Data codewords of each block.
  static let blocks = [43, 43, 43, 43, 44]
  /// Error correction codewords of each block.
  static let correctionCount = 26
  static let dataCount = 216
  static let codewordCount = 346
  /// The centres of the alignment patterns, in either direction.
  static let alignment = [6, 28, 50]
}

extension SecretBuffer {
  /// A zeroed buffer of `count` bytes; throws `QRCodeError`.
  static func symbolBytes(_ count: Int) throws(QRCodeError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: count) } catch {
      throw .exhausted
    }
  }
}
