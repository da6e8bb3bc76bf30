import Audit
import Format
import Host
import Operations

/// The replies to one read batch, in order, in the arena, complete except for their audit
/// sequences.
struct ReplyBuffer: ~Copyable {
  /// Where a reply's audit sequence comes from.
  enum Sequence {
    case unaudited
    /// The record is already durable.
    case known(UInt64)
    /// The index of its attempt in the batch.
    case attempt(Int)
    /// The record that counts it together with others.
    case counted
  }

  /// How a request ended; the body that it wrote is kept only on success.
  struct Ending {
    let status: Status
    /// The check that it failed, if it was rejected; the caller may not know it.
    var stage: Stage? = nil
    /// What the caller may know of a rejection.
    var rejection: Rejection? = nil
    /// What was wrong with the request's body, if that broke the protocol.
    var malformation: Malformation? = nil
    /// For how long, if it is `busy` and the request asks: a second, where nothing is known.
    var busy = Busy.forASecond
    /// The pending request, if an approval is needed.
    var needed: ApprovalNeeded? = nil
  }

  /// One reply.
  struct Entry {
    fileprivate let start: Int
    let request: RequestHeader
    fileprivate let sequence: Sequence
    let status: Status
    let stage: Stage?
    /// How long the work on the request took.
    fileprivate(set) var nanoseconds: UInt64 = 0
  }

  private var storage: SecretBuffer
  private var count = 0
  private(set) var entries: [Entry] = []

  init() throws(SecretMemoryError) { storage = try SecretBuffer(count: 8 * 1024) }

  /// The finished frames.
  var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.bytes.extracting(first: count) }
  }

  /// Appends a reply; `write` writes its body and returns how the request ended.
  ///
  /// - Parameter bodyCap: the most bytes the body can have.
  /// - Throws: `.exhausted` if the arena has no room for it; then nothing is appended.
  mutating func append(
    to request: RequestHeader, _ sequence: Sequence, bodyCap: Int,
    _ write: (inout MessageWriter) -> Ending
  ) throws(SecretMemoryError) {
    let bodyCap = max(bodyCap, Self.refusalCap)
    try reserve(Self.headerCount + bodyCap)
    let place = count + Self.headerCount..<count + Self.headerCount + bodyCap
    var bytes = storage.mutableBytes
    let (ending, written) = Self.write(write, into: bytes._mutatingExtracting(place))
    let bodyCount =
      ending.status == .ok
      ? written
      : Self.replaceBody(
        with: ending, asksWait: request.asksWait, in: bytes._mutatingExtracting(place))
    finish(request, sequence, ending.status, ending.stage, bodyCount: bodyCount)
  }

  /// Appends a reply without a body.
  mutating func append(to request: RequestHeader, _ sequence: Sequence, _ status: Status)
    throws(SecretMemoryError)
  {
    try append(to: request, sequence, bodyCap: 0) { _ in Ending(status: status) }
  }

  /// Notes how long the work on the last request took; it may have had no reply.
  mutating func noteWork(_ nanoseconds: UInt64) {
    guard !entries.isEmpty else { return }
    entries[entries.count - 1].nanoseconds = nanoseconds
  }

  /// Fills in the sequences of the batch's replies; the receipt proves that they may leave.
  mutating func stamp(_ receipt: consuming Receipt) {
    let first = receipt.firstSequence
    let entries = entries
    var bytes = storage.mutableBytes
    for entry in entries {
      guard case .attempt(let place) = entry.sequence else { continue }
      bytes.store(first + UInt64(place), at: entry.start + Self.sequenceOffset)
    }
  }

  /// Fills in the sequence of replies to refusals that were counted in one record.
  mutating func stamp(counted receipt: borrowing Receipt) {
    let sequence = receipt.firstSequence
    let entries = entries
    var bytes = storage.mutableBytes
    for entry in entries {
      guard case .counted = entry.sequence else { continue }
      bytes.store(sequence, at: entry.start + Self.sequenceOffset)
    }
  }

  /// Wipes all replies and answers every request with only a status, because their records could
  /// not be made durable.
  mutating func refuseAll(_ status: Status) {
    let refused = entries
    storage.wipe()
    count = 0
    entries = []
    // Each reply had room for at least its header.
    for entry in refused {
      finish(entry.request, .unaudited, status, bodyCount: 0)
      noteWork(entry.nanoseconds)
    }
  }
}

extension ReplyBuffer {
  private static let headerCount = RequestHeader.lengthByteCount + ReplyHeader.byteCount
  private static let sequenceOffset = 16
  /// The size of a `Malformation`, the largest body of a refusal.
  private static let refusalCap = Malformation.Caps.why + 8

  private static func write(
    _ body: (inout MessageWriter) -> Ending, into place: consuming MutableSpan<UInt8>
  ) -> (ending: Ending, written: Int) {
    var writer = MessageWriter(place)
    let ending = body(&writer)
    return (ending, writer.count)
  }

  /// Wipes what a failed request wrote; returns the size of the body that replaces it.
  private static func replaceBody(
    with ending: Ending, asksWait: Bool, in place: consuming MutableSpan<UInt8>
  ) -> Int {
    place.wipe()
    var writer = MessageWriter(place)
    do throws(WireError) {
      if let needed = ending.needed {
        try needed.encode(into: &writer)
      } else if let malformation = ending.malformation {
        try malformation.encode(into: &writer)
      } else if let rejection = ending.rejection {
        try rejection.encode(into: &writer)
      } else if ending.status == .busy, asksWait {
        try ending.busy.encode(into: &writer)
      }
    } catch { return 0 }
    return writer.count
  }

  private mutating func finish(
    _ request: RequestHeader, _ sequence: Sequence, _ status: Status, _ stage: Stage? = nil,
    bodyCount: Int
  ) {
    let start = count
    entries.append(
      Entry(start: start, request: request, sequence: sequence, status: status, stage: stage))
    count += Self.headerCount + bodyCount
    let number: UInt64 =
      if case .known(let number) = sequence { number } else { ReplyHeader.unaudited }
    let header = ReplyHeader(
      status: status, opcode: request.opcode, requestID: request.requestID, auditSequence: number)
    var bytes = storage.mutableBytes
    var place = bytes._mutatingExtracting(start..<start + Self.headerCount)
    header.encode(bodyCount: bodyCount, into: &place)
  }

  /// Makes room for `more` bytes; the old buffer is wiped when it is freed.
  private mutating func reserve(_ more: Int) throws(SecretMemoryError) {
    guard storage.count - count < more else { return }
    var larger = try SecretBuffer(count: max(2 * storage.count, count + more))
    var bytes = larger.mutableBytes
    bytes.copy(storage.bytes.extracting(first: count))
    storage = larger
  }
}
