import Format
import Host

/// The bytes that a connection has received and not yet served, in the arena.
struct FrameBuffer: ~Copyable {
  private var storage: SecretBuffer
  private var start = 0
  private var end = 0
  /// That of the frame at `start`, once it has arrived and been parsed.
  private var header: RequestHeader?
  /// When the last bytes came, on the monotonic clock: every whole frame in it had arrived then,
  /// and none before.
  var arrived: Int64 = 0

  /// What the unserved bytes begin with.
  enum Next: Equatable, Sendable {
    /// One request; its body is at this range of `bytes`.
    case frame(RequestHeader, body: Range<Int>)
    /// More bytes are needed.
    case incomplete
    /// A frame whose length or header breaks the protocol, so that nothing after it can be trusted.
    case broken(WireError)
  }

  init() throws(SecretMemoryError) { storage = try SecretBuffer(count: Self.initialCount) }

  /// Everything received; the ranges that `next` returns index it.
  var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.bytes }
  }

  /// Whether part of a frame has arrived.
  var isPartial: Bool { end > start }

  /// Whether `next` would return a frame or refuse one.
  mutating func isReady(cap: (UInt16) -> Int) -> Bool {
    switch peek(cap) {
    case .incomplete: false
    case .frame, .broken: true
    }
  }

  /// Takes the next whole frame off the front.
  ///
  /// - Parameter cap: the most bytes, header and body, that a request with a given opcode may have.
  mutating func next(cap: (UInt16) -> Int) -> Next {
    let next = peek(cap)
    if case .frame(_, let body) = next { (start, header) = (body.upperBound, nil) }
    return next
  }

  /// A place among the bytes, to which `rewind` returns; good until the next `fill`.
  struct Mark: Sendable { fileprivate let start: Int }

  var mark: Mark { Mark(start: start) }

  /// Has `next` return again what it returned since the mark.
  mutating func rewind(to mark: Mark) {
    start = mark.start
    header = nil
  }

  private mutating func peek(_ cap: (UInt16) -> Int) -> Next {
    wanted = Self.initialCount
    let held = end - start
    guard held >= RequestHeader.lengthByteCount else { return .incomplete }
    let length = Int(UInt32(bigEndian: storage.bytes, at: start))
    guard RequestHeader.lengths.contains(length) else { return .broken(.frameSize) }
    guard held >= RequestHeader.lengthByteCount + RequestHeader.byteCount else {
      return .incomplete
    }
    let begin = start + RequestHeader.lengthByteCount
    let header: RequestHeader
    do throws(WireError) { header = try parsedHeader(at: begin) } catch { return .broken(error) }
    // Checked before any room is made for the body.
    guard length <= cap(header.opcode) else { return .broken(.frameSize) }
    guard held >= RequestHeader.lengthByteCount + length else {
      wanted = RequestHeader.lengthByteCount + length
      return .incomplete
    }
    return .frame(header, body: begin + RequestHeader.byteCount..<begin + length)
  }

  /// The header of the frame that has begun, which is parsed once however often it is looked at.
  private mutating func parsedHeader(at place: Int) throws(WireError) -> RequestHeader {
    if let header { return header }
    let parsed = try RequestHeader(
      storage.bytes.extracting(place..<place + RequestHeader.byteCount))
    header = parsed
    return parsed
  }

  /// Makes room and lets `receive` fill it; `receive` returns how many bytes it wrote.
  ///
  /// - Throws: `SecretMemoryError.exhausted` if the arena has no room for the frame that has begun.
  mutating func fill(_ receive: (inout MutableSpan<UInt8>) -> Int) throws(SecretMemoryError)
    -> Int
  {
    try compact()
    let space = end..<storage.count
    var bytes = storage.mutableBytes
    var free = bytes._mutatingExtracting(space)
    let count = receive(&free)
    end += max(0, count)
    noteRead(count, of: space.count)
    return count
  }

  /// All frames that fit are served together and share a commit: a caller who fills the buffer has
  /// more to send, so gets a larger one, until several reads in a row have found little. What
  /// follows a full read is often little: the rest of what was sent together.
  private mutating func noteRead(_ count: Int, of room: Int) {
    let isSmall = count < min(room, Self.initialCount)
    smallReads = isSmall ? smallReads + 1 : 0
    if count == room {
      usual = Self.busyCount
    } else if smallReads == Self.patience {
      usual = Self.initialCount
    }
  }

  private static let (initialCount, busyCount) = (16 * 1024, 64 * 1024)
  /// How many small reads in a row show that a caller has no more to send.
  private static let patience = 8
  /// The bytes needed for the frame that has begun.
  private var wanted = initialCount
  /// The buffer size that suits the caller, judged by its last reads.
  private var usual = initialCount
  private var smallReads = 0

  /// Moves the unserved bytes into a buffer of the size that the next frame needs; the old buffer
  /// is wiped when it is freed.
  private mutating func compact() throws(SecretMemoryError) {
    let held = end - start
    let best = max(wanted, usual)
    guard start > 0 || storage.count < best else { return }
    if held == 0, storage.count == best {
      let served = 0..<end
      var bytes = storage.mutableBytes
      var used = bytes._mutatingExtracting(served)
      used.wipe()
      start = 0
      end = 0
      return
    }
    var fresh: SecretBuffer
    do throws(SecretMemoryError) { fresh = try SecretBuffer(count: max(best, held)) } catch {
      fresh = try SecretBuffer(count: max(wanted, held))
    }
    var bytes = fresh.mutableBytes
    bytes.copy(storage.bytes.extracting(start..<end))
    storage = fresh
    start = 0
    end = held
  }
}
