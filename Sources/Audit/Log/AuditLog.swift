package import Encoding
internal import Policy
internal import SecretMemory
internal import Storage

/// The log that is open for writing: one per directory, for many threads.
///
/// Batches that come at the same time share one write, one checkpoint and one sync: whoever finds nobody writing
/// leads, and writes for all who wait, where more are about to come for those too; for those who come meanwhile the log's own thread
/// does. The first write or sync that fails is the last one tried.
package final class AuditLog: @unchecked Sendable {
  package let verifier: NoteVerifier
  /// When the last record was written before this opening; nil for a log that had none.
  package let newestBefore: Timestamp?
  private let directory: LogDirectory
  private let lowSpace: Int
  private let monitor = Monitor()

  // Owned by `monitor`.
  private var waiting: [Ticket] = []
  /// The tickets that wait, by user.
  private var waitingCount: Company.Count = [:]
  private var isLed = false
  /// Threads that wait until nobody leads.
  private var pausing = 0
  private var company = Company()
  private var life = Life.open
  private var durable: Covered
  /// Keeps other writers out until the log is closed.
  private var lockFile: File?

  /// Owned by the thread that leads.
  private var writer: SegmentWriter
  private let ownThread: CalledThread

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
    newestBefore = recovery.newest
    ownThread = CalledThread(start: settings.startThread)
    writer = SegmentWriter(directory, state: state, live: live, began: began, signer: signer, settings: settings)
    var drafts = recovery.torn.map { Draft(.recovery($0)) }
    if !state.isStopped { drafts.append(Draft(.uncleanStart)) }
    drafts.append(Draft(.start(start)))
    _ = try writer.append(drafts)
    _ = try writer.makeReserve()
    durable = Covered(writer)
    lockFile = consume lock
  }

  /// What the last checkpoint covers.
  package var head: TreeHead { monitor.withLock { durable.head } }

  /// The last checkpoint, signed: what is kept elsewhere shows a log that was cut.
  package var checkpoint: [UInt8] { monitor.withLock { durable.checkpoint } }

  /// Why the log takes nothing more, where a write, a sync or a signature failed.
  package var failure: AuditError? {
    monitor.withLock {
      guard case .failed(let error) = life else { return nil }
      return error
    }
  }

  package var reader: LogReader { LogReader(directory) }

  /// What became of a batch: `AuditError.full` where the disk is, until `resume` gives true; `.unavailable`, now and for ever after,
  /// where its records could not be made durable.
  package typealias Settlement = Result<Receipt, AuditError>

  /// Makes every record of the batch durable under a signed checkpoint.
  ///
  /// - Parameters:
  ///   - isLast: whether the log is to be closed next: such a batch takes of the reserve's space while the disk is full.
  ///   - settled: called once, here or on another thread, in the order of the records and before anything is written behind those
  ///     of this commit. It may ask the log, and not wait for it.
  package func commit(_ batch: consuming Batch, isLast: Bool = false, then settled: @escaping @Sendable (consuming Settlement) -> Void) {
    let ticket = Ticket(batch, isLast: isLast, settled)
    precondition(!ticket.drafts.isEmpty)
    do throws(AuditError) { if try join(ticket) { lead() } } catch { settled(.failure(error)) }
  }

  /// Returns when every record of the batch is durable, or throws what its settlement is.
  package func commit(_ batch: consuming Batch, isLast: Bool = false) throws(AuditError) -> Receipt {
    let settlement = Handover<Settlement>()
    commit(batch, isLast: isLast) { settlement.give($0) }
    return try settlement.take().get()
  }

  /// Does something while nothing is committed: all that is durable is settled, and nothing becomes durable meanwhile.
  package func pause<R>(_ body: () -> R) -> R {
    monitor.withLock { takeLead() }
    let result = body()
    if !passLead() { lead() }
    return result
  }

  /// Records the stop, gives back unused space and lets another writer in; a later commit throws `.unavailable`.
  package func close() throws(AuditError) {
    let isMine = monitor.withLock {
      guard life == .open || life == .full else { return false }
      life = .closed
      while isLed || !waiting.isEmpty { monitor.wait() }
      isLed = life == .closed
      return isLed
    }
    guard isMine else { throw .unavailable }
    // Nobody waits: a closed log refuses who comes.
    defer {
      _ = passLead()
      ownThread.dismiss()
    }
    _ = try writer.append([Draft(Event.stop)])
    try writer.finish()
    monitor.withLock {
      durable = Covered(writer)
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
    monitor.withLock {
      if life == .full { life = next }
      durable = Covered(writer)
    }
    if !passLead() { lead() }
    return next == .open
  }
}

extension AuditLog {
  /// What is durable, and the checkpoint that says so.
  private struct Covered {
    let head: TreeHead
    let checkpoint: [UInt8]

    init(_ writer: borrowing SegmentWriter) { (head, checkpoint) = (writer.state.tree.head, writer.note) }
  }

  /// A batch that waits.
  private struct Ticket: Sendable {
    let drafts: [Draft]
    let user: UInt32?
    let isLast: Bool
    private let settled: @Sendable (consuming Settlement) -> Void

    init(_ batch: consuming Batch, isLast: Bool, _ settled: @escaping @Sendable (consuming Settlement) -> Void) {
      user = batch.user
      drafts = batch.handOver()
      (self.isLast, self.settled) = (isLast, settled)
    }

    func settle(firstSequence: UInt64) { settled(.success(Receipt(firstSequence: firstSequence, count: drafts.count))) }
    func refuse(_ error: AuditError) { settled(.failure(error)) }
  }

  /// Puts the ticket among those who wait.
  ///
  /// - Returns: whether the caller is to lead.
  private func join(_ ticket: Ticket) throws(AuditError) -> Bool {
    let (isToLead, isCompanyComplete) = try monitor.withLock { () throws(AuditError) -> (Bool, Bool) in
      guard life == .open || life == .full && ticket.isLast else { throw life == .full ? .full : .unavailable }
      waiting.append(ticket)
      waitingCount[ticket.user, default: 0] += 1
      guard !isLed, pausing == 0 else { return (false, company.isComplete(waitingCount)) }
      isLed = true
      return (true, false)
    }
    if isCompanyComplete { monitor.wakeAll() }
    return isToLead
  }

  /// Waits until nobody leads.
  private func takeLead() {
    pausing += 1
    while isLed { monitor.wait() }
    pausing -= 1
    isLed = true
  }

  /// The leader's: writes for all who wait, once those are there who are about to come.
  private func lead() {
    repeat { write(for: takeWaiting()) } while !passLead()
  }

  private func takeWaiting() -> [Ticket] {
    monitor.withLock {
      while !company.isComplete(waitingCount), monitor.wait(until: company.deadline) {}
      defer { (waiting, waitingCount) = ([], [:]) }
      return waiting
    }
  }

  /// Gives the lead up: to the log's own thread while some wait, so that no caller's thread is kept from its connection.
  ///
  /// - Returns: false where there is no thread to be had, and the caller still leads.
  private func passLead() -> Bool {
    let isLedOn = monitor.withLock {
      isLed = !waiting.isEmpty && pausing == 0
      return isLed
    }
    guard isLedOn else {
      monitor.wakeAll()
      return true
    }
    return ownThread.call { [weak self] in self?.lead() }
  }

  private func write(for tickets: [Ticket]) {
    do throws(AuditError) {
      if let refusal = monitor.withLock({ life.refusal }), refusal != .full || !tickets.allSatisfy(\.isLast) {
        return refuse(tickets, refusal)
      }
      var sequence = try writer.append(tickets.flatMap(\.drafts))
      monitor.withLock {
        durable = Covered(writer)
        // Before they are settled: the first are back before the last are told.
        company.note(settled: Company.Count(tickets.map { ($0.user, 1) }, uniquingKeysWith: +), waiting: waitingCount, at: Monitor.now)
      }
      for ticket in tickets {
        ticket.settle(firstSequence: sequence)
        sequence += UInt64(ticket.drafts.count)
      }
    } catch {
      refuse(tickets, error == .full ? noteFull() : error)
    }
  }

  /// The leader's: what became of the log when it was full.
  private func noteFull() -> AuditError {
    do throws(AuditError) {
      try writer.noteFull()
      return .full
    } catch { return error }
  }

  private func refuse(_ tickets: [Ticket], _ failure: AuditError) {
    monitor.withLock {
      if failure == .full {
        if life == .open { life = .full }
        durable = Covered(writer)
      } else if life.refusal == nil || life == .full {
        life = .failed(failure)
      }
    }
    for ticket in tickets { ticket.refuse(failure == .full ? .full : .unavailable) }
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
