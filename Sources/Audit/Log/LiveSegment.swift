import Host

/// The segment that is being written.
///
/// Space is zeroed and synced in chunks before it is used, so that a commit changes no metadata: it
/// is one `pwrite(2)` and one `fdatasync(2)`. It writes whole pages, past the page cache, which
/// costs a copy and a new page each time. The page that the last commit ended in is written again.
struct LiveSegment: ~Copyable {
  private let file: File
  private let path: String
  /// The offset of the next batch.
  private(set) var end: Int
  private var allocated: Int
  /// What the page that `end` is in holds before it.
  private var tail: PageBuffer

  private let chunk: Int

  /// open(O_EXCL), write zeros, fsync, fsync(directory).
  static func create(_ name: SegmentName, in directory: LogDirectory, chunk: Int) throws(DiskError)
    -> LiveSegment
  {
    _ = try directory.open(name, .create(mode: 0o640))
    do throws(DiskError) {
      var segment = try resume(name, in: directory, at: 0, chunk: chunk)
      try segment.allocate(chunk)
      try segment.file.sync()
      try directory.disk.syncDirectory(directory.path)
      return segment
    } catch {
      // Nothing is in it, and the next attempt needs the name.
      if error.isShortage { try directory.remove(name) }
      throw error
    }
  }

  static func resume(_ name: SegmentName, in directory: LogDirectory, at end: Int, chunk: Int)
    throws(DiskError) -> LiveSegment
  {
    let kept = try contents(of: name, in: directory, end.roundedDownToPage..<end)
    var tail = try PageBuffer()
    try tail.append(kept.span)
    let file = try directory.open(name, .updateDirect)
    let size = try file.size
    return LiveSegment(
      file: file, path: directory.path(of: name), end: end, allocated: size, tail: tail,
      chunk: chunk)
  }

  /// Whether the file is still the one last written: not removed, cut or replaced.
  var isInPlace: Bool {
    get throws(DiskError) {
      guard try file.isNamed(path) else { return false }
      return try file.size == allocated
    }
  }

  /// Makes room for `count` more bytes; returns false, and changes nothing, if the disk is full.
  mutating func hasRoom(for count: Int) throws(DiskError) -> Bool {
    let before = allocated
    do throws(DiskError) {
      try allocate((end + count).roundedUpToPage)
      return true
    } catch {
      // A failed sync must not be tried again, even if the error says "full".
      guard error.isExhaustion, error.call == .write else { throw error }
      try file.truncate(to: before)
      allocated = before
      return false
    }
  }

  /// Makes the bytes durable; after an error nobody knows whether they are, and `tail` is not what
  /// it should be: nothing may follow.
  ///
  /// There must be room for them.
  mutating func append(_ bytes: [UInt8]) throws(DiskError) {
    precondition((end + bytes.count).roundedUpToPage <= allocated)
    try tail.append(bytes.span)
    try file.write(tail.pages, at: end.roundedDownToPage)
    try file.syncData()
    tail.dropFullPages()
    end += bytes.count
  }

  /// Cuts off the space that was not used.
  mutating func finish() throws(DiskError) {
    try file.truncate(to: end)
    try file.syncData()
    allocated = end
  }

  private static func contents(
    of name: SegmentName, in directory: LogDirectory, _ range: Range<Int>
  ) throws(DiskError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var span = bytes.mutableSpan
    let count = try directory.open(name, .read).read(into: &span, at: range.lowerBound)
    guard count == range.count else { throw DiskError(.read, errno: DiskError.inputOutput) }
    return bytes
  }

  private mutating func allocate(_ size: Int) throws(DiskError) {
    guard size > allocated else { return }
    let zeros = try PageBuffer(zeros: chunk)
    // What a stop or a crash left may end within a page. The rest of it needs space as well, of
    // which file systems with small blocks have none yet.
    let page = allocated.roundedDownToPage
    if page < end {
      try file.write(tail.pages, at: page)
    } else if page < allocated {
      try file.write(zeros.pages.extracting(first: PageBuffer.pageSize), at: page)
    }
    allocated = allocated.roundedUpToPage
    while allocated < size {
      try file.write(zeros.pages, at: allocated)
      allocated += zeros.pages.count
    }
    try file.syncData()
  }
}
