import Foundation
import TestSupport
import Testing

@testable import Ceremony

/// Symbols as a terminal shows them, for an independent reader; `Tests/interop/qr_codes.py` says
/// how to run both sides.
@Suite struct QRInteropTests {
  private struct Drawn: Encodable {
    let text, page: String
  }

  init() throws { try #require(TestArena.ready) }

  @Test func symbolsToRead() throws {
    var rows: [Drawn] = []
    for known in try QRSymbolTests.Known.all() {
      let text = Array(known.text.utf8)
      let symbol = try QRSymbol(text.span, #require(DataMask(rawValue: known.mask)))
      rows.append(Drawn(text: known.text, page: Drawing.of(symbol)))
    }
    #expect(Set(rows.map(\.page)).count == 64)
    guard let directory = ProcessInfo.processInfo.environment["KIST_INTEROP_DIR"] else { return }
    try JSONEncoder().encode(rows).write(to: URL(fileURLWithPath: directory + "/symbols.json"))
  }
}
