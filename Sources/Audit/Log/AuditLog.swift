internal import Policy
internal import SecretMemory
internal import Storage

/// The log that is open for writing: one per directory, for many threads.
///
/// Threads that commit at the same time share one write, one checkpoint and one sync: whoever finds nobody writing
/// leads, and writes for all who wait, where more are about to come for those too. The first write or sync that fails is the last one tried.
package final class AuditLog: @unchecked Sendable {
  package let verifier: NoteVerifier
  private let directory: LogDirectory
  private let lowSpace: Int
  private let monitor = Monitor()

  // Owned by `monitor`.
  private var waiting: [Ticket] = []
  private var isLed = false
  private var company = Company()
  private var life = Life.open
  private var durableHead: TreeHead
  /// Keeps other writers out until the log is closed.
  private var lockFile: File?

  /// Owned by the thread that set `isLed`.
  private var writer: SegmentWriter

  private enum Life: Equatable {
    case open, closed
    /// Nothing is half-written; `resume` opens it again.
    case full
    case failed(AuditError)

    /// Of a batch that has waited its turn: closing waits for those.
    var refusal: AuditError? {
      switch self {
      case .open, .closed: nil
      case .full: .full
      case .failed: .unavailable
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
    let began = settings.segmentAge == nil ? nil : try LogReader(directory).newestBeginning()
    (self.directory, verifier, lowSpace) = (directory, signer.verifier, settings.lowSpace)
    writer = SegmentWriter(directory, state: state, live: live, began: began, signer: signer, settings: settings)
    var drafts = recovery.torn.map { Draft(.recovery($0)) }
    if !state.isStopped { drafts.append(Draft(.uncleanStart)) }
    drafts.append(Draft(.start(start)))
    _ = try writer.append(drafts)
    _ = try writer.makeReserve()
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
  /// - Throws: `AuditError.full` where the disk is, until `resume` gives true; `.unavailable`, now and for ever after, where
  ///   it could not be done.
  ///
  /// - Parameter isLast: whether the log is to be closed next: such a batch takes of the reserve's space while the disk is full.
  package func commit(_ batch: consuming Batch, isLast: Bool = false) throws(AuditError) -> Receipt {
    let ticket = Ticket(batch.handOver(), isLast: isLast)
    precondition(!ticket.drafts.isEmpty)
    if let led = try join(ticket) { lead(led) }
    switch ticket.outcome {
    case .durable(let first): return Receipt(firstSequence: first, count: ticket.drafts.count)
    case .refused(let error): throw error
    }
  }

  /// Records the stop, gives back unused space and lets another writer in; a later commit throws `.unavailable`.
  package func close() throws(AuditError) {
    let isMine = monitor.withLock {
      guard life == .open || life == .full else { return false }
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
  /// Whether it takes no records because the disk is full.
  package var isFull: Bool { monitor.withLock { life == .full } }

  /// What there is room for, measured now.
  package var space: LogSpace {
    if isFull { return .full }
    guard let free = try? directory.disk.freeBytes(directory.path), free >= lowSpace else { return .low }
    return .ample
  }

  /// Whether a log that was full takes records again: it tries to make its reserve anew. True for any other log.
  package func resume() -> Bool {
    let isMine = monitor.withLock { () -> Bool? in
      guard life == .full else { return nil }
      guard !isLed else { return false }
      isLed = true
      return true
    }
    guard let isMine else { return true }
    guard isMine else { return false }
    var next = Life.full
    do throws(AuditError) { if try writer.resume() { next = .open } } catch { if error != .full { next = .failed(error) } }
    let leader = monitor.withLock {
      if life == .full { life = next }
      durableHead = writer.state.tree.head
      return passLead()
    }
    leader?.signal.give()
    return next == .open
  }
}

extension AuditLog {
  /// One thread's batch.
  ///
  /// While it waits, it belongs to the thread that leads; with the signal it is its own thread's again.
  private final class Ticket: @unchecked Sendable {
    enum Outcome {
      case durable(firstSequence: UInt64)
      case refused(AuditError)
    }

    let drafts: [Draft]
    let isLast: Bool
    let signal = Signal()
    /// Whether the signal means that its thread is to lead, rather than that it is settled.
    var isToLead = false
    var outcome = Outcome.refused(.unavailable)

    init(_ drafts: [Draft], isLast: Bool) { (self.drafts, self.isLast) = (drafts, isLast) }
  }

  /// Waits until the ticket is settled, or takes the lead for all who wait.
  private func join(_ ticket: Ticket) throws(AuditError) -> [Ticket]? {
    let led = try monitor.withLock { () throws(AuditError) -> [Ticket]? in
      guard life == .open || life == .full && ticket.isLast else { throw life == .full ? .full : .unavailable }
      waiting.append(ticket)
      guard !isLed else {
        if company.isComplete(waiting.count) { monitor.wakeAll() }
        return nil
      }
      isLed = true
      return takeWaiting()
    }
    if let led { return led }
    ticket.signal.wait()
    return ticket.isToLead ? monitor.withLock { takeWaiting() } : nil
  }

  /// The leader's: takes all who wait, once those are there who are about to come.
  private func takeWaiting() -> [Ticket] {
    while !company.isComplete(waiting.count), monitor.wait(until: company.deadline) {}
    defer { waiting = [] }
    return waiting
  }

  /// Gives the lead to whoever has waited longest and is to be signalled, or to nobody.
  private func passLead() -> Ticket? {
    guard let next = waiting.first else {
      isLed = false
      monitor.wakeAll()
      return nil
    }
    next.isToLead = true
    return next
  }

  private func lead(_ tickets: [Ticket]) {
    do throws(AuditError) {
      if let refusal = monitor.withLock({ life.refusal }), refusal != .full || !tickets.allSatisfy(\.isLast) {
        return settle(tickets, failure: refusal)
      }
      var sequence = try writer.append(tickets.flatMap(\.drafts))
      for ticket in tickets {
        ticket.outcome = .durable(firstSequence: sequence)
        sequence += UInt64(ticket.drafts.count)
      }
      settle(tickets, failure: nil)
    } catch {
      settle(tickets, failure: error == .full ? noteFull() : error)
    }
  }

  /// The leader's: what became of the log when it was full.
  private func noteFull() -> AuditError {
    do throws(AuditError) {
      try writer.noteFull()
      return .full
    } catch { return error }
  }

  private func settle(_ tickets: [Ticket], failure: AuditError?) {
    if let failure {
      for ticket in tickets { ticket.outcome = .refused(failure == .full ? .full : .unavailable) }
    }
    let next = monitor.withLock {
      if let failure {
        if failure == .full {
          if life == .open { life = .full }
        } else if life.refusal == nil || life == .full {
          life = .failed(failure)
        }
      }
      if failure == nil || failure == .full { durableHead = writer.state.tree.head }
      company.note(settled: tickets.count, waiting: waiting.count, at: Monitor.now)
      return passLead()
    }
    next?.signal.give()
    for ticket in tickets { ticket.signal.give() }
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
