internal import Host

/// The record lines of one segment, one after another, through a buffer of fixed size.
struct LineReader: ~Copyable {
  private let file: File
  private var buffer: [UInt8]
  /// The part of `buffer` that was read from the file and not yet returned.
  private var unread = 0..<0
  private var isAtEnd = false
  /// The file offset of that part: just after the last whole line.
  private(set) var end: Int
  /// The file offset of the last line returned.
  private(set) var offset = 0

  /// - Parameter bufferSize: in bytes; more than the longest line, 65,535.
  init(_ file: consuming File, at offset: Int = 0, bufferSize: Int = 256 << 10) {
    self.file = file
    buffer = [UInt8](repeating: 0, count: bufferSize)
    end = offset
  }

  var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { buffer.span }
  }

  /// The place in `bytes`, valid until the next call, of the next line that begins with `{`; nil if no whole line follows.
  mutating func next() throws(DiskError) -> Range<Int>? {
    while let line = try nextLine() {
      if buffer[line.lowerBound] == UInt8(ascii: "{") { return line }
    }
    return nil
  }

  /// Skips the rest of a line.
  mutating func skipLine() throws(DiskError) { _ = try nextLine() }

  /// A segment is filled up with zero bytes, and no line begins with one.
  private mutating func nextLine() throws(DiskError) -> Range<Int>? {
    var newline = newline
    if newline == nil {
      try refill()
      newline = self.newline
    }
    guard let newline, buffer[unread.lowerBound] != 0 else { return nil }
    let line = unread.lowerBound..<newline
    offset = end
    end += line.count + 1
    unread = newline + 1..<unread.upperBound
    return line
  }

  private var newline: Int? {
    unread.isEmpty ? nil : ByteSearch.newline(in: buffer.span.extracting(..<unread.upperBound), from: unread.lowerBound)
  }

  private mutating func refill() throws(DiskError) {
    guard !isAtEnd else { return }
    let count = try Self.read(file, into: &buffer, at: end)
    isAtEnd = count < buffer.count
    unread = 0..<count
  }

  private static func read(_ file: borrowing File, into buffer: inout [UInt8], at offset: Int) throws(DiskError) -> Int {
    var span = buffer.mutableSpan
    return try file.read(into: &span, at: offset)
  }
}
