// Audit: the tamper-evident log: records, hash chain, Merkle tree, signed checkpoints.
// It makes records durable and gives a `Receipt` for them; it alone can make one.
// It must not know keys, operations or what a reply contains.
// Called by Operations and Service, and for reading by Review, Ceremony and Doctor.

package import Format
import Host
import Policy

/// An audit log open for writing: one for each directory, used by many threads.
///
/// Leader/follower group commit: the first thread that commits while nobody writes becomes the
/// leader, and writes the batches of all who wait under one checkpoint and one sync. It first waits
/// briefly for callers who are expected back (`ExpectedBatches`). Batches that come while it writes
/// are written by the log's own thread. After a failed write or sync nothing is tried again.
package final class AuditLog: @unchecked Sendable {
  package let verifier: NoteVerifier
  /// The time of the last record before this opening; nil if the log had none.
  package let newestBefore: Timestamp?
  private let directory: LogDirectory
  private let lowSpace: Int
  private let noteCommit: @Sendable (Int) -> Void
  private let monitor = Monitor()

  // Guarded by `monitor`.
  private var waiting: [Ticket] = []
  /// How many tickets wait, by user.
  private var waitingCount: ExpectedBatches.Count = [:]
  private var isLed = false
  /// How many threads wait in `takeLead`.
  private var pausing = 0
  private var expectedBatches = ExpectedBatches()
  private var life = Life.open
  private var durable: Covered
  /// Locked against other writers until the log is closed.
  private var lockFile: File?

  /// Owned by the leader.
  private var writer: SegmentWriter
  private let ownThread: CalledThread

  private enum Life: Equatable {
    case open, closed
    /// Nothing is half-written; `resume` reopens the log.
    case full
    case failed(AuditError)

    /// The error for a batch that is already queued; `.closed` has none, because `close` waits for
    /// queued batches.
    var refusal: AuditError? {
      switch self {
      case .open, .closed: nil
      case .full: .full
      case .failed: .unavailable
      }
    }
  }

  /// Opens the log, moves aside what a crash left, and records the start.
  ///
  /// The directory must exist; a log in it is continued, an empty directory gets a new one.
  /// - Parameter anchor: a tree head kept elsewhere, such as in the key store's manifest.
  /// - Throws: `AuditError`; on `.tampered` and `.truncated` nothing was changed.
  package init(
    _ directory: LogDirectory, signer: NoteSigner, start: StartFacts, settings: AuditSettings,
    anchor: TreeHead? = nil
  ) throws(AuditError) {
    let lock = try directory.lock()
    var recovery = try Recovery.run(
      directory, verifier: signer.verifier, settings: settings, anchor: anchor)
    let state = recovery.state
    let live: LiveSegment
    if let found = recovery.live.take() {
      live = found
    } else {
      live = try onDisk(
        LiveSegment.create(
          SegmentName(first: state.tree.size), in: directory, chunk: settings.allocation))
    }
    let began = try LogReader(directory).newestBeginning()
    self.directory = directory
    verifier = signer.verifier
    lowSpace = settings.lowSpace
    noteCommit = settings.noteCommit
    newestBefore = recovery.newest
    ownThread = CalledThread(start: settings.startThread)
    writer = SegmentWriter(
      directory, state: state, live: live, began: began, signer: signer, settings: settings)
    var drafts = recovery.torn.map { Draft(.recovery($0)) }
    if !state.isStopped { drafts.append(Draft(.uncleanStart)) }
    drafts.append(Draft(.start(start)))
    _ = try writer.append(drafts)
    _ = try writer.makeReserve()
    durable = Covered(writer)
    lockFile = consume lock
  }

  /// The tree head of the last checkpoint.
  package var head: TreeHead { monitor.withLock { durable.head } }

  /// The last signed checkpoint: a copy kept elsewhere reveals that the log was cut.
  package var checkpoint: [UInt8] { monitor.withLock { durable.checkpoint } }

  /// The write, sync or signature error that ended the log, if there was one.
  package var failure: AuditError? {
    monitor.withLock {
      guard case .failed(let error) = life else { return nil }
      return error
    }
  }

  package var reader: LogReader { LogReader(directory) }

  /// The outcome of a batch: `.full` if the disk is full, until `resume` returns true;
  /// `.unavailable`, from then on for ever, if its records could not be made durable.
  package typealias Settlement = Result<Receipt, AuditError>

  /// Makes every record of the batch durable under a signed checkpoint.
  ///
  /// - Parameters:
  ///   - isLast: whether the log is closed next: if the disk is full, such a batch may use the
  ///     reserve's space.
  ///   - settled: called once, on this or another thread, in the order of the records and before
  ///     any later batch is written. It may read from the log but must not wait for it.
  package func commit(
    _ batch: consuming Batch, isLast: Bool = false,
    then settled: @escaping @Sendable (consuming Settlement) -> Void
  ) {
    let ticket = Ticket(batch, isLast: isLast, settled)
    precondition(!ticket.drafts.isEmpty)
    do throws(AuditError) { if try join(ticket) { lead() } } catch { settled(.failure(error)) }
  }

  /// As above, but waits until every record of the batch is durable; throws if it cannot be made
  /// so.
  package func commit(_ batch: consuming Batch, isLast: Bool = false) throws(AuditError) -> Receipt
  {
    let settlement = Handover<Settlement>()
    commit(batch, isLast: isLast) { settlement.give($0) }
    return try settlement.take().get()
  }

  /// Runs `body` between commits: all that is durable has been settled, and nothing becomes durable
  /// meanwhile.
  package func pause<R>(_ body: () -> R) -> R {
    monitor.withLock { takeLead() }
    let result = body()
    if !passLead() { lead() }
    return result
  }

  /// Records the stop, frees unused space and lets other writers in; a later commit throws
  /// `.unavailable`.
  package func close() throws(AuditError) {
    let isMine = monitor.withLock {
      guard life == .open || life == .full else { return false }
      life = .closed
      while isLed || !waiting.isEmpty { monitor.wait() }
      isLed = life == .closed
      return isLed
    }
    guard isMine else { throw .unavailable }
    // Nobody can be waiting: a closed log refuses new batches.
    defer {
      _ = passLead()
      ownThread.dismiss()
    }
    try writer.noteStop()
    try writer.finish()
    monitor.withLock {
      durable = Covered(writer)
      lockFile = nil
    }
  }
}

extension AuditLog {
  /// Whether the log takes no records because the disk is full.
  package var isFull: Bool { monitor.withLock { life == .full } }

  /// How much room the log has, measured now.
  package var space: LogSpace {
    if isFull { return .full }
    guard let free = try? directory.disk.freeBytes(directory.path), free >= lowSpace else {
      return .low
    }
    return .ample
  }

  /// Tries to make the reserve again, or waits for whoever tries; whether a full log takes records
  /// again. True for a log that was not full.
  package func resume() -> Bool {
    let isMine = monitor.withLock { () -> Bool? in
      guard life == .full else { return nil }
      guard !isLed else {
        while isLed, life == .full { monitor.wait() }
        return life == .full ? false : nil
      }
      isLed = true
      return true
    }
    guard isMine == true else { return isMine == nil }
    var isOpen = false
    do throws(AuditError) { isOpen = try writer.resume() } catch {
      monitor.withLock { note(error) }
    }
    monitor.withLock {
      if isOpen, life == .full { life = .open }
      durable = Covered(writer)
    }
    if !passLead() { lead() }
    return isOpen
  }
}

extension AuditLog {
  /// Queues the ticket.
  ///
  /// - Returns: whether the calling thread must lead.
  private func join(_ ticket: Ticket) throws(AuditError) -> Bool {
    let (isToLead, isComplete) = try monitor.withLock { () throws(AuditError) -> (Bool, Bool) in
      guard life == .open || life == .full && ticket.isLast else {
        throw life == .full ? .full : .unavailable
      }
      waiting.append(ticket)
      waitingCount[ticket.user, default: 0] += 1
      guard !isLed, pausing == 0 else { return (false, expectedBatches.isComplete(waitingCount)) }
      isLed = true
      return (true, false)
    }
    if isComplete { monitor.wakeAll() }
    return isToLead
  }

  /// Waits until nobody leads, then leads.
  private func takeLead() {
    pausing += 1
    while isLed { monitor.wait() }
    pausing -= 1
    isLed = true
  }

  /// The leader's loop: waits for the batches that `ExpectedBatches` expects, and writes all that
  /// are queued.
  private func lead() {
    repeat { write(for: takeWaiting()) } while !passLead()
  }

  private func takeWaiting() -> [Ticket] {
    monitor.withLock {
      while !expectedBatches.isComplete(waitingCount), monitor.wait(until: expectedBatches.deadline)
      {}
      defer { (waiting, waitingCount) = ([], [:]) }
      return waiting
    }
  }

  /// Gives up the lead. If batches are queued, the log's own thread takes over, so that no caller's
  /// thread is kept from its connection.
  ///
  /// - Returns: false if no thread could be started, so that the caller still leads.
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
      if let refusal = monitor.withLock({ life.refusal }),
        refusal != .full || !tickets.allSatisfy(\.isLast)
      {
        return refuse(tickets, refusal)
      }
      let drafts = tickets.flatMap(\.drafts)
      var sequence = try writer.append(drafts)
      noteCommit(drafts.count)
      monitor.withLock {
        durable = Covered(writer)
        // Before they are settled: the first callers may be back before the last are answered.
        expectedBatches.note(
          settled: ExpectedBatches.Count(tickets.map { ($0.user, 1) }, uniquingKeysWith: +),
          waiting: waitingCount, at: Monitor.now)
      }
      for ticket in tickets {
        ticket.succeed(firstSequence: sequence)
        sequence += UInt64(ticket.drafts.count)
      }
    } catch {
      refuse(tickets, error == .full ? noteFull() : error)
    }
  }

  /// Called by the leader: records that the disk is full, and returns `.full` or the error that
  /// this caused.
  private func noteFull() -> AuditError {
    do throws(AuditError) {
      try writer.noteFull()
      return .full
    } catch { return error }
  }

  private func refuse(_ tickets: [Ticket], _ failure: AuditError) {
    monitor.withLock { note(failure) }
    for ticket in tickets { ticket.refuse(failure == .full ? .full : .unavailable) }
  }

  /// Call with `monitor` held, as leader. What failed first is final, even for a log that is being
  /// closed: nothing may be written after it.
  private func note(_ failure: AuditError) {
    durable = Covered(writer)
    if case .failed = life { return }
    if failure != .full { life = .failed(failure) } else if life == .open { life = .full }
  }
}
