internal import Policy
internal import SecretMemory
internal import Storage

/// The log that is open for writing: one per directory, for many threads.
///
/// Threads that commit at the same time share one write, one checkpoint and one sync: whoever finds nobody writing
/// leads, and writes for all who wait. The first write or sync that fails is the last one tried.
package final class AuditLog: @unchecked Sendable {
  package let verifier: NoteVerifier
  private let directory: LogDirectory
  private let monitor = Monitor()

  // Owned by `monitor`.
  private var waiting: [Ticket] = []
  private var isLed = false
  private var life = Life.open
  private var durableHead: TreeHead
  /// Keeps other writers out until the log is closed.
  private var lockFile: File?

  /// Owned by the thread that set `isLed`.
  private var writer: SegmentWriter

  private enum Life: Equatable {
    case open, closed
    case failed(AuditError)

    var isFailed: Bool {
      switch self {
      case .open, .closed: false
      case .failed: true
      }
    }
  }

  /// Opens the log, puts aside what a crash left, and records the start.
  ///
  /// The directory must exist; a log in it is continued, and an empty one gets its first record.
  /// - Parameter anchor: a tree head known from elsewhere, such as the key store's manifest.
  /// - Throws: `AuditError`; `.tampered` and `.truncated` before anything was changed.
  package init(
    _ directory: LogDirectory, signer: NoteSigner, start: StartFacts, settings: AuditSettings, anchor: TreeHead? = nil
  ) throws(AuditError) {
    let lock = try directory.lock()
    var recovery = try Recovery.run(directory, verifier: signer.verifier, settings: settings, anchor: anchor)
    let state = recovery.state
    let live: LiveSegment
    if let found = recovery.live.take() {
      live = found
    } else {
      live = try onDisk { () throws(DiskError) in
        try LiveSegment.create(SegmentName(first: state.tree.size), in: directory, chunk: settings.allocation)
      }
    }
    (self.directory, verifier) = (directory, signer.verifier)
    writer = SegmentWriter(directory, state: state, live: live, signer: signer, settings: settings)
    var drafts = recovery.torn.map { Draft(.recovery($0)) }
    if !state.isStopped { drafts.append(Draft(.uncleanStart)) }
    drafts.append(Draft(.start(start)))
    _ = try writer.append(drafts)
    durableHead = writer.state.tree.head
    lockFile = consume lock
  }

  /// What the last checkpoint covers.
  package var head: TreeHead { monitor.withLock { durableHead } }

  /// Why the log takes nothing more, where a write, a sync or a signature failed.
  package var failure: AuditError? {
    monitor.withLock {
      guard case .failed(let error) = life else { return nil }
      return error
    }
  }

  package var reader: LogReader { LogReader(directory) }

  /// Returns when every record of the batch is durable under a signed checkpoint.
  ///
  /// - Throws: `AuditError.unavailable`, now and for ever after, where that could not be done.
  package func commit(_ batch: consuming Batch) throws(AuditError) -> Receipt {
    let ticket = Ticket(batch.handOver())
    precondition(!ticket.drafts.isEmpty)
    if let led = try join(ticket) { lead(led) }
    guard let first = monitor.withLock({ ticket.firstSequence }) else { throw .unavailable }
    return Receipt(firstSequence: first, count: ticket.drafts.count)
  }

  /// Records the stop, gives back unused space and lets another writer in; a later commit throws `.unavailable`.
  package func close() throws(AuditError) {
    let isMine = monitor.withLock {
      guard life == .open else { return false }
      life = .closed
      while isLed || !waiting.isEmpty { monitor.wait() }
      return life == .closed
    }
    guard isMine else { throw .unavailable }
    _ = try writer.append([Draft(Event.stop)])
    try writer.finish()
    monitor.withLock {
      durableHead = writer.state.tree.head
      lockFile = nil
    }
  }
}

extension AuditLog {
  /// One thread's batch while it waits; all but `drafts` is owned by `monitor`.
  private final class Ticket: @unchecked Sendable {
    let drafts: [Draft]
    var isSettled = false
    /// Nil once settled means that the batch is not durable.
    var firstSequence: UInt64?

    init(_ drafts: [Draft]) { self.drafts = drafts }
  }

  /// Waits until the ticket is settled, or takes the lead for all who wait.
  private func join(_ ticket: Ticket) throws(AuditError) -> [Ticket]? {
    try monitor.withLock { () throws(AuditError) in
      guard life == .open else { throw .unavailable }
      waiting.append(ticket)
      while isLed, !ticket.isSettled { monitor.wait() }
      guard !ticket.isSettled else { return nil }
      isLed = true
      defer { waiting = [] }
      return waiting
    }
  }

  private func lead(_ tickets: [Ticket]) {
    do throws(AuditError) {
      guard monitor.withLock({ !life.isFailed }) else { throw .unavailable }
      var sequence = try writer.append(tickets.flatMap(\.drafts))
      settle(tickets) { ticket in
        ticket.firstSequence = sequence
        sequence += UInt64(ticket.drafts.count)
      }
    } catch {
      settle(tickets, failure: error) { _ in }
    }
  }

  private func settle(_ tickets: [Ticket], failure: AuditError? = nil, _ body: (Ticket) -> Void) {
    monitor.withLock {
      for ticket in tickets {
        ticket.isSettled = true
        body(ticket)
      }
      if let failure {
        if !life.isFailed { life = .failed(failure) }
      } else {
        durableHead = writer.state.tree.head
      }
      isLed = false
      monitor.wakeAll()
    }
  }
}

extension Draft {
  init(_ event: Event) {
    var fields = RecordFields(operation: event.name)
    fields.event = .daemon(event)
    (fields.key, fields.label) = (event.target?.id, event.target?.label)
    self.init(fields)
  }
}
