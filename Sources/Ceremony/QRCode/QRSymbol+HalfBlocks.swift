extension QRSymbol {
  /// Characters in a line, including the light margin of four modules on either side.
  package static let columns = Version10.side + 2 * margin
  /// Lines: each shows two rows of modules.
  package static let lines = (columns + 1) / 2

  /// Draws the symbol for a terminal, in UTF-8 half blocks, black on white whatever the terminal's own colours.
  ///
  /// The output and its length in bytes depend on the text.
  package func draw(_ put: (UInt8) -> Void) {
    for line in 0..<Self.lines {
      for byte in "\u{1B}[30;47m".utf8 { put(byte) }
      for column in 0..<Self.columns {
        let (x, y) = (column - Self.margin, 2 * line - Self.margin)
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
