import Audit
import Format
package import Host

/// Finds and reads a log's lines without checking them; `kist audit verify` does that.
package struct LogText: Sendable {
  private let path: String
  private let disk: any Disk

  package init(_ path: String, on disk: any Disk = LinuxDisk()) {
    self.path = path
    self.disk = disk
  }

  /// Visits every record's line from a place on, without its newline, until `visit` returns false.
  ///
  /// - Returns: the place after the last line.
  @discardableResult package func forEachLine(
    from start: Place = .start, _ visit: (Span<UInt8>) -> Bool
  ) throws(DiskError) -> Place {
    var end = start
    for segment in try segments() where segment.first >= start.segment {
      var reader = LineReader(
        try File(segment.path, .read, on: disk),
        at: segment.first == start.segment ? start.offset : 0)
      while let line = try reader.next() {
        guard visit(reader.bytes.extracting(line)) else {
          return Place(segment: segment.first, offset: reader.end)
        }
      }
      end = Place(segment: segment.first, offset: reader.end)
    }
    return end
  }

  /// The last lines that match, the oldest first, and the place after the log's last line.
  package func last(_ count: Int, where isMeant: (Span<UInt8>) -> Bool) throws(DiskError) -> (
    lines: [[UInt8]], end: Place
  ) {
    var lines: [[UInt8]] = []
    var end: Place?
    for segment in try segments().reversed() {
      var found: [[UInt8]] = []
      var reader = LineReader(try File(segment.path, .read, on: disk))
      while let place = try reader.next() {
        let line = reader.bytes.extracting(place)
        guard isMeant(line) else { continue }
        found.append(line.array)
        if found.count > 2 * count + 1000 { found.removeFirst(found.count - count) }
      }
      lines = found.suffix(count - lines.count) + lines
      end = end ?? Place(segment: segment.first, offset: reader.end)
      if lines.count == count { break }
    }
    return (lines, end ?? .start)
  }

  /// A place between two lines.
  package struct Place: Equatable, Sendable {
    /// The first sequence of its segment.
    fileprivate let segment: UInt64
    /// In bytes.
    fileprivate let offset: Int

    package static let start = Place(segment: 0, offset: 0)
  }

  /// The line of the record with that sequence, or nil if there is none; found by bisection, so the
  /// log's length does not matter.
  package func line(of sequence: UInt64) throws(LogTextError) -> [UInt8]? {
    let found: [UInt8]?
    do throws(DiskError) { found = try find(sequence)?.line } catch { throw .disk(error) }
    guard let found else { return nil }
    guard let record = try? Record(parsing: found.span) else { throw .form(near: sequence) }
    return record.sequence == sequence ? found : nil
  }

  /// Why there is no record with a sequence.
  package enum Absence: Equatable, Sendable {
    /// The log begins with a later record.
    case removed(oldest: UInt64)
    /// Records before and after it are there.
    case missing
    /// The log ends before it.
    case beyondEnd
  }

  package func absence(of sequence: UInt64) throws(DiskError) -> Absence {
    let segments = try segments()
    if let oldest = segments.first, sequence < oldest.first {
      return .removed(oldest: oldest.first)
    }
    return segments.contains { $0.first > sequence } ? .missing : .beyondEnd
  }

  private struct Segment: Comparable {
    let first: UInt64
    let path: String

    static func < (a: Self, b: Self) -> Bool { a.first < b.first }
  }

  /// Ascending; other names are ignored (AUD-DIR-1).
  private func segments() throws(DiskError) -> [Segment] {
    try disk.list(path).compactMap { name in
      guard name.utf8.count == 24, name.hasSuffix(".log"), let first = UInt64(name.dropLast(4))
      else { return nil }
      return Segment(first: first, path: path + "/" + name)
    }.sorted()
  }

  /// The record with that sequence, and the place after it; nil if there is none.
  package func find(_ sequence: UInt64) throws(DiskError) -> (line: [UInt8], end: Place)? {
    guard let segment = try segments().last(where: { $0.first <= sequence }) else { return nil }
    var low = 0
    var high = try File(segment.path, .read, on: disk).size
    while high - low > Self.stretch {
      let middle = low + (high - low) / 2
      guard let probe = try probe(segment, behind: middle), probe.offset < high,
        probe.sequence <= sequence
      else {
        high = middle
        continue
      }
      low = probe.offset
    }
    var reader = LineReader(
      try File(segment.path, .read, on: disk), at: low, bufferSize: 2 * Self.stretch)
    while let place = try reader.next() {
      let line = reader.bytes.extracting(place)
      if let found = Self.sequence(of: line), found >= sequence {
        return found == sequence
          ? (line.array, Place(segment: segment.first, offset: reader.end)) : nil
      }
    }
    return nil
  }

  /// The first record that begins after an offset; nil in the zero bytes at the end.
  private func probe(_ segment: Segment, behind offset: Int) throws(DiskError) -> (
    offset: Int, sequence: UInt64
  )? {
    var reader = LineReader(
      try File(segment.path, .read, on: disk), at: offset, bufferSize: 2 * Self.stretch)
    try reader.skipLine()
    while let place = try reader.next() {
      if let sequence = Self.sequence(of: reader.bytes.extracting(place)) {
        return (reader.offset, sequence)
      }
    }
    return nil
  }

  private static func sequence(of line: Span<UInt8>) -> UInt64? {
    (try? Record(parsing: line))?.sequence
  }

  /// At most so many bytes are searched line by line; more than the longest line.
  private static let stretch = 128 << 10
}

/// Why a record cannot be shown.
package enum LogTextError: Error, Hashable {
  case disk(DiskError)
  /// A line is no record.
  case form(near: UInt64)
}

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

  /// The place in `bytes`, valid until the next call, of the next line that begins with `{`; nil if
  /// no whole line follows.
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
    unread.isEmpty
      ? nil
      : ByteSearch.newline(
        in: buffer.span.extracting(..<unread.upperBound), from: unread.lowerBound)
  }

  private mutating func refill() throws(DiskError) {
    guard !isAtEnd else { return }
    let count = try Self.read(file, into: &buffer, at: end)
    isAtEnd = count < buffer.count
    unread = 0..<count
  }

  private static func read(_ file: borrowing File, into buffer: inout [UInt8], at offset: Int)
    throws(DiskError) -> Int
  {
    var span = buffer.mutableSpan
    return try file.read(into: &span, at: offset)
  }
}
