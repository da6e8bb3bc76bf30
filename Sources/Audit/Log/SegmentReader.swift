import Format
package import Host

/// Reads a segment item by item through a buffer of fixed size.
package struct SegmentReader: ~Copyable {
  private let file: File
  private var buffer: [UInt8]
  /// The part of `buffer` that is not consumed yet.
  private var unread = 0..<0
  private var isAtEnd = false
  /// Where the next item begins in the file.
  private(set) var offset = 0

  /// Ranges are in `bytes` and valid until the next call.
  enum Item {
    /// A line that begins with `{`, without its newline.
    case record(Range<Int>)
    /// The five lines of a note, with their newlines; only their number and length were checked.
    case note(Range<Int>)
    /// Only zero bytes follow, or nothing.
    case end
    /// None of these: a write that was never finished.
    case torn
  }

  private static let bufferSize = 1 << 20
  /// Large enough for the longest record.
  static let smallestBuffer = 2 * (Draft.byteLimit + 1)

  package init(_ file: consuming File) { self.init(file, bufferSize: Self.bufferSize) }

  init(_ file: consuming File, bufferSize: Int) {
    self.file = file
    buffer = [UInt8](repeating: 0, count: bufferSize)
  }

  package var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { buffer.span }
  }

  mutating func next() throws(DiskError) -> Item {
    try fill()
    guard let first = unread.first else { return .end }
    switch buffer[first] {
    case 0: return try onlyZerosFollow() ? .end : .torn
    case UInt8(ascii: "{"):
      guard let newline = newline(from: first, within: Draft.byteLimit + 1) else { return .torn }
      pass(to: newline + 1)
      return .record(first..<newline)
    default:
      guard let end = noteEnd(from: first) else { return .torn }
      pass(to: end)
      return .note(first..<end)
    }
  }

  var fileSize: Int {
    get throws(DiskError) { try file.size }
  }

  /// Everything from `start` on, without zero bytes at the end.
  func remainder(from start: Int) throws(DiskError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(0, try file.size - start))
    var span = bytes.mutableSpan
    let count = try file.read(into: &span, at: start)
    bytes.removeLast(bytes.count - count)
    while bytes.last == 0 { bytes.removeLast() }
    return bytes
  }

  /// Reads until the buffer holds the longest possible record, or the file ends.
  private mutating func fill() throws(DiskError) {
    guard unread.count <= Draft.byteLimit + 1, !isAtEnd else { return }
    let start = unread.lowerBound
    let kept = unread.count
    // Copied forwards, as the ranges may overlap.
    var bytes = buffer.mutableSpan
    for i in 0..<kept { bytes[i] = bytes[start + i] }
    let count = try Self.read(file, into: &buffer, from: kept, at: offset + kept)
    isAtEnd = count < buffer.count - kept
    unread = 0..<kept + count
  }

  private static func read(
    _ file: borrowing File, into buffer: inout [UInt8], from start: Int, at offset: Int
  ) throws(DiskError) -> Int {
    let end = buffer.count
    var span = buffer.mutableSpan
    var free = span._mutatingExtracting(start..<end)
    return try file.read(into: &free, at: offset)
  }

  private mutating func pass(to end: Int) {
    offset += end - unread.lowerBound
    unread = end..<unread.upperBound
  }

  private func newline(from start: Int, within limit: Int) -> Int? {
    buffer.span.extracting(first: min(unread.upperBound, start + limit)).firstIndex(
      of: 0x0A, from: start)
  }

  /// Five lines: origin, size, root, an empty one, signature.
  private func noteEnd(from start: Int) -> Int? {
    var end = start
    for _ in 0..<5 {
      guard let newline = newline(from: end, within: SignedCheckpoint.byteLimit) else { return nil }
      end = newline + 1
    }
    return end - start <= SignedCheckpoint.byteLimit ? end : nil
  }

  private func onlyZerosFollow() throws(DiskError) -> Bool {
    for i in unread where buffer[i] != 0 { return false }
    var chunk = [UInt8](repeating: 0, count: Self.bufferSize)
    var place = offset + unread.count
    while true {
      var span = chunk.mutableSpan
      let count = try file.read(into: &span, at: place)
      if count == 0 { return true }
      for i in 0..<count where chunk[i] != 0 { return false }
      place += count
    }
  }
}
