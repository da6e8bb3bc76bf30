import Crypto
import Foundation
import TestSupport
import Testing

@testable import Ceremony

@Suite struct QRSymbolTests {
  init() throws { try #require(TestArena.ready) }

  /// Symbols by segno, of `Tests/interop/qr_codes.py`.
  struct Known: Decodable, CustomTestStringConvertible {
    let text: String
    let mask: Int
    let sha256: String
    var testDescription: String { "\(text.count) characters, mask \(mask)" }

    static func all() throws -> [Known] {
      let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("interop/qr_codes.json")
      return try JSONDecoder().decode([Known].self, from: Data(contentsOf: file))
    }
  }

  @Test func symbolsAreThoseOfAnotherGenerator() throws {
    let all = try Known.all()
    #expect(all.count == 64)
    for known in all {
      for text in [known.text, known.text.uppercased()] {
        let symbol = try symbol(text, DataMask(rawValue: known.mask))
        let lines = Array(bits(symbol).utf8)
        #expect(SHA256.hash(lines).hex == known.sha256, "\(known.testDescription)")
      }
    }
  }

  @Test func theMaskIsTheOneThatScoresBest() throws {
    for text in Set(try Known.all().map(\.text)) {
      let scores = try DataMask.allCases.map { mask in Self.penalty(bits(try symbol(text, mask))) }
      let chosen = bits(try symbol(text))
      #expect(Self.penalty(chosen) == scores.min(), "\(scores)")
    }
  }

  @Test(arguments: [
    "1", "a1", "a.b", "a\nb", "a\tb", "a\u{0}", "@", "[", "`", "{", "_", "!", "\u{7F}", "ä", "a-b",
    "$", "K\u{212A}",
  ])
  func noOtherCharacters(_ text: String) {
    #expect(throws: QRCodeError.letter) { _ = try symbol(text) }
  }

  @Test func noMoreThanItHolds() throws {
    _ = try symbol(String(repeating: "z", count: 311))
    for count in [312, 400, 5000] {
      #expect(throws: QRCodeError.tooLong) { _ = try symbol(String(repeating: "a", count: count)) }
    }
    // How long it is, is said before what is in it.
    #expect(throws: QRCodeError.tooLong) { _ = try symbol(String(repeating: "1", count: 312)) }
  }

  @Test func itIsDrawnInHalfBlocksWithinItsMargin() throws {
    let symbol = try symbol("academic acid")
    let lines = Drawing.of(symbol).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == QRSymbol.lines + 1 && lines.last == "")
    let blocks: [Character: (Bool, Bool)] = [
      " ": (false, false), "▀": (true, false), "▄": (false, true), "█": (true, true),
    ]
    for (row, line) in lines.dropLast().enumerated() {
      #expect(line.hasPrefix("\u{1B}[30;47m") && line.hasSuffix("\u{1B}[0m"))
      let cells = line.dropFirst(8).dropLast(4)
      #expect(cells.count == QRSymbol.columns)
      for (column, cell) in cells.enumerated() {
        let (upper, lower) = try #require(blocks[cell])
        #expect(
          upper == symbol.isDark(column - 4, 2 * row - 4)
            && lower == symbol.isDark(column - 4, 2 * row - 3))
        if column < 4 || column >= 61 || row < 2 || row >= 31 {
          #expect(!upper, "the margin is light")
        }
      }
    }
  }

  private func symbol(_ text: String, _ mask: DataMask? = nil) throws -> QRSymbol {
    let bytes = Array(text.utf8)
    if let mask { return try QRSymbol(bytes.span, mask) }
    return try QRSymbol(bytes.span)
  }

  /// Lines of 0 and 1.
  private func bits(_ symbol: borrowing QRSymbol) -> String {
    var text = ""
    for y in 0..<57 {
      for x in 0..<57 { text += symbol.isDark(x, y) ? "1" : "0" }
      text += "\n"
    }
    return text
  }

  /// ISO/IEC 18004 §7.8.3, module by module.
  private static func penalty(_ bits: String) -> Int {
    let rows = bits.split(separator: "\n").map { $0.map { $0 == "1" } }
    let columns = rows.indices.map { x in rows.map { $0[x] } }
    var points = 0
    for line in rows + columns {
      var run = 0
      for i in line.indices {
        run = i > 0 && line[i] == line[i - 1] ? run + 1 : 1
        points += run == 5 ? 3 : run > 5 ? 1 : 0
      }
      for i in 0...line.count - 7
      where Array(line[i..<i + 7]) == [true, false, true, true, true, false, true] {
        let isClear = [i - 4..<i, i + 7..<i + 11].contains { place in
          !place.contains { line.indices.contains($0) && line[$0] }
        }
        points += isClear ? 40 : 0
      }
    }
    for y in 0..<56 {
      for x in 0..<56
      where Set([rows[y][x], rows[y][x + 1], rows[y + 1][x], rows[y + 1][x + 1]]).count == 1 {
        points += 3
      }
    }
    let dark = rows.joined().count { $0 }
    return points + 10 * Int((abs(Double(dark) / 3249 - 0.5) / 0.05).rounded(.down))
  }
}

/// What the terminal is sent.
enum Drawing {
  static func of(_ symbol: borrowing QRSymbol) -> String {
    var bytes: [UInt8] = []
    symbol.draw { bytes.append($0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
