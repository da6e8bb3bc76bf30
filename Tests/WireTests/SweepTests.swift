import Format
import TestSupport
import Testing

/// Whatever bytes are taken encode to themselves again: there is one way to write a message.
@Suite("sweeps")
struct SweepTests {
  @Test("[WIRE-3] cut at each byte", arguments: try WireVector.accepted())
  func cuts(_ vector: WireVector) throws {
    for count in vector.bytes.indices {
      try expectCanonical(vector, Array(vector.bytes.prefix(count)))
    }
  }

  @Test("[WIRE-3] with each bit flipped", arguments: try WireVector.accepted())
  func flips(_ vector: WireVector) throws {
    var bytes = vector.bytes
    for i in bytes.indices {
      for bit in 0..<8 {
        bytes[i] ^= 1 << bit
        try expectCanonical(vector, bytes)
        bytes[i] ^= 1 << bit
      }
    }
  }

  @Test(
    "[WIRE-3] with each byte twice, missing, zero and all ones", arguments: try WireVector.all())
  func edits(_ vector: WireVector) throws {
    for i in vector.bytes.indices {
      for replacement in [[vector.bytes[i], vector.bytes[i]], [], [0], [0xFF]] {
        try expectCanonical(vector, vector.bytes[..<i] + replacement + vector.bytes[(i + 1)...])
      }
    }
  }

  private func expectCanonical(_ vector: WireVector, _ bytes: some Sequence<UInt8>) throws {
    let bytes = Array(bytes)
    do {
      let again = try Decoded(vector.subject, bytes).bytes
      // Not in the macro: it would keep millions of these.
      if again != bytes { Issue.record("\(vector.file): \(bytes) became \(again)") }
    } catch is WireError {}
  }
}
