internal import CryptoBackend
internal import Encoding
internal import Storage

/// Gives records their place, and writes them with the checkpoint that covers them.
struct SegmentWriter: ~Copyable {
  private let directory: LogDirectory
  private let signer: NoteSigner
  private let boot: BootID
  private let clock: @Sendable () -> Timestamp
  /// A segment that has reached this size in bytes is followed by another.
  private let segmentLimit: Int
  private let allocation: Int
  private(set) var state: LogState
  private var live: LiveSegment

  init(
    _ directory: LogDirectory, state: LogState, live: consuming LiveSegment, signer: NoteSigner, settings: AuditSettings
  ) {
    (self.directory, self.state, self.signer) = (directory, state, signer)
    self.live = live
    (boot, clock) = (settings.boot, settings.clock)
    (segmentLimit, allocation) = (settings.segmentLimit, settings.allocation)
  }

  /// Appends the records and one checkpoint, durably.
  ///
  /// - Returns: the first one's sequence.
  mutating func append(_ drafts: [Draft]) throws(AuditError) -> UInt64 {
    guard let stamp = Draft.Stamp(boot: boot, time: clock()) else { throw .clock }
    guard try onDisk({ () throws(DiskError) in try live.isInPlace }) else { throw .displaced }
    if live.end >= segmentLimit { try roll() }
    var text: [UInt8] = []
    if live.end == 0 { place(.segment(state.tree), stamp, into: &text) }
    let first = state.tree.size
    for draft in drafts { place(draft, stamp, into: &text) }
    text += try checkpoint()
    try onDisk { () throws(DiskError) in try live.append(text) }
    return first
  }

  /// The segment ends at its last checkpoint.
  mutating func finish() throws(AuditError) {
    try onDisk { () throws(DiskError) in try live.finish() }
  }

  /// The old segment is complete before there is a new one.
  private mutating func roll() throws(AuditError) {
    try finish()
    live = try onDisk { () throws(DiskError) in
      try LiveSegment.create(SegmentName(first: state.tree.size), in: directory, chunk: allocation)
    }
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
