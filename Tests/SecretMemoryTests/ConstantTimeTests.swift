import Host
import Testing

@Suite struct ConstantTimeTests {
  @Test(arguments: [0, 1, 16, 32, 1000]) func sameBytesAreEqual(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let copy = bytes.map { $0 }
    #expect(isEqual(bytes, copy))
  }

  @Test func everySingleBitCounts() {
    let bytes = [UInt8](repeating: 0x5a, count: 32)
    for position in bytes.indices {
      for bit in 0..<8 {
        var other = bytes
        other[position] ^= 1 << bit
        #expect(!isEqual(bytes, other), "bit \(bit) of byte \(position)")
      }
    }
  }

  @Test func differencesDoNotCancelOut() {
    #expect(!isEqual([1, 1], [2, 2]))
    #expect(!isEqual([0xff, 0], [0, 0xff]))
  }

  @Test func anotherLengthIsNeverEqual() {
    #expect(!isEqual([], [0]))
    #expect(!isEqual([0, 0], [0]))
    #expect(!isEqual([1, 2], [1, 2, 0]))
  }
}

// #expect cannot hold a span.
private func isEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool { ConstantTime.equal(a.span, b.span) }
