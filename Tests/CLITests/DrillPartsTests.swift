import Format
import KeyStore
import KistClient
import TestSupport
import Testing

@testable import kist

/// A drill of a store with more keys than one request takes.
@Suite struct DrillPartsTests {
  @Test(
    "[OP-DRILL-3] every key is in one request, and every request fits",
    arguments: [0, 1, 1024, 1025, 2500])
  func partsHoldEveryKey(_ count: Int) throws {
    let ids = (0..<count).map { number in
      (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * (15 - $0))) }
    }
    let parts = RecordDrillRequest.parts(
      ids.shuffled().map { DrilledKey(id: $0, checkValue: [UInt8](repeating: 1, count: 32)) },
      of: 7, kek: [1, 2, 3, 4, 5])
    #expect(parts.flatMap(\.keys).map(\.id) == ids)
    #expect(parts.count == max(1, (count + 1023) / 1024))
    for (place, part) in parts.enumerated() {
      #expect(part.after == (place == 0 ? [] : parts[place - 1].keys.last?.id))
      #expect(part.more == (place < parts.count - 1))
      var storage = [UInt8](repeating: 0, count: 60 << 10)
      var writer = MessageWriter(storage.mutableSpan)
      try part.encode(into: &writer)
    }
  }
}
