import Crypto
import Format
import Host

/// Gives records their sequence and hashes, and writes them together with the checkpoint that
/// covers them.
struct SegmentWriter: ~Copyable {
  private let directory: LogDirectory
  private let signer: NoteSigner
  private let boot: BootID
  private let clock: @Sendable () -> Timestamp
  /// A segment that has reached this size in bytes is followed by a new one.
  private let segmentLimit: Int
  private let segmentAge: Int64?
  /// The time of the live segment's first record; nil if it has none.
  private var began: Timestamp?
  private let allocation: Int
  private(set) var state: LogState
  private var live: LiveSegment
  /// Whether this process has checked that the log still begins where it says.
  private var hasLooked = false
  private let reserve: SpaceReserve
  /// The error after which nobody knows what the live segment holds: nothing is written from then
  /// on.
  private var failure: AuditError?
  /// The last checkpoint as it was written.
  private(set) var note: [UInt8] = []

  init(
    _ directory: LogDirectory, state: LogState, live: consuming LiveSegment, began: Timestamp?,
    signer: NoteSigner, settings: AuditSettings
  ) {
    self.directory = directory
    self.state = state
    self.signer = signer
    self.live = live
    self.began = began
    boot = settings.boot
    clock = settings.clock
    segmentLimit = settings.segmentLimit
    allocation = settings.allocation
    segmentAge = settings.segmentAge
    reserve = SpaceReserve(directory: directory, size: settings.reserve)
  }

  /// Makes the reserve; false if none is configured or there is no space for it.
  func makeReserve() throws(AuditError) -> Bool {
    try onDisk(reserve.make())
  }

  /// Records the stop, in the reserve's space if the disk is full.
  mutating func noteStop() throws(AuditError) {
    do throws(AuditError) { _ = try append([Draft(Event.stop)]) } catch {
      guard error == .full else { throw error }
      try noteFull()
      _ = try append([Draft(Event.stop)])
    }
  }

  /// Frees the reserve and uses its space to record that the disk is full.
  mutating func noteFull() throws(AuditError) {
    try repeatably { () throws(DiskError) in try reserve.release() }
    _ = try append([Draft(.full)])
  }

  /// Records that the log goes on, if there is space for the reserve again.
  mutating func resume() throws(AuditError) -> Bool {
    // For the reserve and the next records. Checked first, because trying means writing all of it.
    let free = try onDisk(directory.disk.freeBytes(directory.path))
    guard free >= reserve.size + allocation, try makeReserve() else { return false }
    _ = try append([Draft(.resumed)])
    return true
  }

  /// Durably appends the records and one checkpoint.
  ///
  /// - Returns: the first record's sequence.
  /// - Throws: `AuditError.full` if there is a reserve and nothing was written; the caller may try
  ///   again.
  mutating func append(_ drafts: [Draft]) throws(AuditError) -> UInt64 {
    if let failure { throw failure }
    let before = state
    do throws(AuditError) { return try write(drafts) } catch {
      // After a failed write nobody knows whether the records are there: a tree head that is kept
      // elsewhere must not count them.
      state = before
      guard error != .full else { throw .full }
      failure = error
      throw error
    }
  }

  private mutating func write(_ drafts: [Draft]) throws(AuditError) -> UInt64 {
    let now = clock()
    guard let stamp = Draft.Stamp(boot: boot, time: now) else { throw .clock }
    guard try onDisk(live.isInPlace) else { throw .displaced }
    if live.end >= segmentLimit || isOld(at: now) { try roll() }
    var text: [UInt8] = []
    text.reserveCapacity(drafts.reduce(Self.checkpointRoom) { $0 + $1.byteCount + 1 })
    if live.end == 0 || !hasLooked { try placeBeginning(at: now, stamp, into: &text) }
    state.note(time: RecordTime(stamp.time.span))
    let first = state.tree.size
    for draft in drafts { place(draft, stamp, into: &text) }
    let checkpoint = try checkpoint()
    text += checkpoint
    guard try onDisk(live.hasRoom(for: text.count)) else {
      throw shortage(DiskError(.write, errno: DiskError.full))
    }
    try onDisk(live.append(text))
    note = checkpoint
    return first
  }

  /// Room for a checkpoint, in bytes; a longer one only takes a copy.
  private static let checkpointRoom = 1024

  /// A segment's first record, and a record of segments that were removed: checked at every start
  /// and with every segment.
  private mutating func placeBeginning(
    at now: Timestamp, _ stamp: Draft.Stamp, into text: inout [UInt8]
  ) throws(AuditError) {
    let oldest =
      try repeatably { () throws(DiskError) in try directory.oldest() } ?? state.tree.size
    if live.end == 0 {
      began = now
      let newest = state.newest.flatMap { $0 > RecordTime(stamp.time.span) ? $0 : nil }
      place(.segment(state.tree, oldest: oldest, newest: newest), stamp, into: &text)
    }
    if let first = state.oldest, first < oldest {
      place(.segmentsRemoved(first: first, oldest: oldest), stamp, into: &text)
    }
    state.note(oldest: oldest)
    hasLooked = true
  }

  /// Cuts the segment off behind its last checkpoint.
  mutating func finish() throws(AuditError) {
    try onDisk(live.finish())
  }

  private func isOld(at now: Timestamp) -> Bool {
    guard let began, live.end > 0 else { return false }
    // Either way: one that began while the clock was ahead would otherwise grow until that time has
    // come. From one that began years ahead nobody can tell how old those before it are.
    let age = now.microseconds - began.microseconds
    return age.magnitude >= segmentAge ?? .max || began > now.adding(seconds: Record.wrongLead)
  }

  /// Completes the old segment before it creates a new one.
  private mutating func roll() throws(AuditError) {
    try finish()
    live = try repeatably { () throws(DiskError) in
      try LiveSegment.create(SegmentName(first: state.tree.size), in: directory, chunk: allocation)
    }
  }

  /// As `onDisk`, for what can be done again: the log waits for descriptors or memory as for space.
  private func repeatably<R: ~Copyable>(_ body: () throws(DiskError) -> R) throws(AuditError) -> R {
    do throws(DiskError) { return try body() } catch {
      throw error.isShortage ? shortage(error) : .disk(error)
    }
  }

  /// Without a reserve there is no space to record what happened.
  private func shortage(_ error: DiskError) -> AuditError {
    reserve.size > 0 ? .full : .disk(error)
  }

  private mutating func place(_ event: LogEvent, _ stamp: Draft.Stamp, into text: inout [UInt8]) {
    place(Draft(event), stamp, into: &text)
  }

  private mutating func place(_ draft: Draft, _ stamp: Draft.Stamp, into text: inout [UInt8]) {
    let start = text.count
    draft.append(to: &text, sequence: state.tree.size, previous: state.previous, stamp: stamp)
    state.append(leaf: TreeHash.leaf(text.span.extracting(start..<text.count)))
    text.append(0x0A)
  }

  private func checkpoint() throws(AuditError) -> [UInt8] {
    do throws(NoteError) {
      return try Checkpoint(origin: signer.name, head: state.tree.head).signed(by: signer)
    } catch {
      throw .signing
    }
  }
}

extension Draft {
  init(_ event: LogEvent) {
    var fields = RecordFields(operation: event.name)
    fields.event = .log(event)
    self.init(fields)
  }
}

/// What is durable: a tree head and its signed checkpoint.
struct Covered {
  let head: TreeHead
  let checkpoint: [UInt8]

  init(_ writer: borrowing SegmentWriter) {
    head = writer.state.tree.head
    checkpoint = writer.note
  }
}
