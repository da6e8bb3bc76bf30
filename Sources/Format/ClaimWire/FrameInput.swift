/// What has been received of a peer's frames and not been taken yet; it never holds more than the largest frame.
package struct FrameInput: ~Copyable {
  private var storage = [UInt8](repeating: 0, count: ClaimFrameSize.lengthByteCount + ClaimFrameSize.range.upperBound)
  private var start = 0
  private var end = 0

  package init() {}

  /// Lets `receive` write behind what is there, and returns how many bytes it says it wrote, or its error if that is negative.
  ///
  /// There is always room if every whole frame has been taken.
  package mutating func fill(_ receive: (inout MutableSpan<UInt8>) -> Int) -> Int {
    moveToFront()
    let space = end..<storage.count
    var bytes = storage.mutableSpan
    var free = bytes._mutatingExtracting(space)
    let count = receive(&free)
    end += max(0, min(count, space.count))
    return count
  }

  /// Takes the first frame; nil if it has not arrived as a whole.
  ///
  /// - Throws: `ClaimWireError`; nothing after it can be trusted.
  package mutating func next<Frame: ClaimFrame>(_: Frame.Type = Frame.self) throws(ClaimWireError) -> Frame? {
    let held = end - start
    guard held >= ClaimFrameSize.lengthByteCount else { return nil }
    let length = Int(UInt32(bigEndian: storage.span, at: start))
    guard ClaimFrameSize.range.contains(length) else { throw .frameSize }
    guard held >= ClaimFrameSize.lengthByteCount + length else { return nil }
    let body = start + ClaimFrameSize.lengthByteCount
    start = body + length
    return try Frame(storage.span.extracting(body..<body + length))
  }

  private mutating func moveToFront() {
    guard start > 0 else { return }
    for i in start..<end { storage[i - start] = storage[i] }
    (start, end) = (0, end - start)
  }
}
