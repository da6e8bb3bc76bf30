internal import Crypto
internal import Host

/// The words of a share as indices into the word list, 0 to 1023, in the arena.
struct WordIndices: ~Copyable {
  private(set) var count: Int
  private var buffer: SecretBuffer

  /// `count` zeros, with room for `capacity`.
  init(count: Int, capacity: Int) throws(SharingError) {
    buffer = try SecretBuffer.zeroed(2 * capacity)
    self.count = count
  }

  subscript(i: Int) -> UInt16 {
    get { UInt16(buffer.bytes[2 * i]) << 8 | UInt16(buffer.bytes[2 * i + 1]) }
    set {
      var bytes = buffer.mutableBytes
      (bytes[2 * i], bytes[2 * i + 1]) = (UInt8(newValue >> 8), UInt8(truncatingIfNeeded: newValue))
    }
  }

  var isFull: Bool { 2 * count == buffer.count }

  mutating func append(_ index: UInt16) {
    count += 1
    self[count - 1] = index
  }
}
