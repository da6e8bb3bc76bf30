import Audit
package import Format
package import Host
import KeyStore
import Operations
import Policy

/// One read batch of one connection: serves its requests in order, then commits their records
/// together.
///
/// The order of checks is fixed for every request: opcode, socket, lock, key, policy; only then is
/// the body read.
package struct RequestBatch: ~Copyable {
  let service: Service
  let caller: Caller
  let rules: Rules
  /// Nil while the key store is locked or the log cannot be written.
  let session: Session?
  let socket: SocketKind
  private let handles: HandleTable
  let memory: ConnectionMemory
  private(set) var watch: BatchWatch
  private var batch = Batch()
  var replies: ReplyBuffer
  /// Refusals beyond the caller's budget, which have no records of their own.
  private var counted: CountedRefusals?
  /// What becomes true once the records are durable.
  private var used = Session.Uses()
  /// What the fleet's store made of the batch's requests, in their order; nothing of hosts in no
  /// fleet.
  var claims: [ClaimState] = []
  /// How many requests have been served.
  private var served = 0
  /// Whether a request has opened or closed the store, with which nothing more of this batch can
  /// work.
  private var hasMovedStore = false
  /// Runs what waits for others, while other connections are served.
  let waiting: @Sendable (() -> Void) -> Void
  /// Whether the caller broke the protocol, so that the connection must be closed.
  package internal(set) var closes = false

  init(
    _ service: Service, _ caller: Caller, on socket: SocketKind, _ handles: HandleTable,
    _ memory: ConnectionMemory, _ counts: ConnectionCounts,
    arrived: Int64?, waiting: @escaping @Sendable (() -> Void) -> Void
  ) throws(SecretMemoryError) {
    replies = try ReplyBuffer()
    watch = BatchWatch(counts, arrived: arrived, at: service.settings.monotonicClock())
    self.service = service
    self.caller = caller
    self.socket = socket
    self.handles = handles
    self.memory = memory
    self.waiting = waiting
    rules = service.rules.snapshot
    session = service.session
  }

  /// Notes that the batch's turn has come; until then it waited.
  package mutating func begin(at now: Int64) { watch.begin(at: now) }

  /// Notes that a request was served: since the one before, or since `begin`.
  package mutating func noteServed(at now: Int64) { replies.noteWork(watch.step(at: now)) }

  /// Whether a request belongs into this batch, or into the next. All of a batch work with one key
  /// store and one log, so what opens or closes them has a batch of its own: before it, everything
  /// is recorded and answered.
  package func takes(_ header: RequestHeader) -> Bool {
    served == 0 || !hasMovedStore && OperationRow.row(for: header.opcode)?.movesStore != true
  }

  /// Serves one request that the batch `takes`.
  ///
  /// - Throws: `SecretMemoryError.exhausted` if not even a refusal fits the arena.
  package mutating func serve(_ header: RequestHeader, _ body: Span<UInt8>)
    throws(SecretMemoryError)
  {
    defer { served += 1 }
    guard let row = OperationRow.row(for: header.opcode) else { return try refuseUnknown(header) }
    hasMovedStore = row.movesStore
    let known = session.flatMap {
      memory.known(row.opcode, header.key, from: caller, under: rules, $0.keys)
    }
    let target = if let known { known.target } else { session?.keys.target(header.key) }
    let request = Request(row, header, body, target)
    guard row.socket == .services || socket == .operators else {
      return try deny(request, .wrongSocket)
    }
    guard socket == .services || caller.owner == nil else {
      return try deny(request, .subordinateUser)
    }
    switch row.run {
    case .probe(let probe):
      guard body.isEmpty else { return try refuseMalformed(request, .trailingBytes) }
      try replies.append(to: header, .unaudited, status(of: probe))
    case .control(let control): try run(control, request)
    case .operation(let operation):
      guard let session else {
        return try replies.append(
          to: header, note(facts(of: request), .refused(servingStatus)), servingStatus)
      }
      try run(operation, request, known, session)
    }
  }

  /// Answers bytes whose length or header breaks the protocol; the connection must then be closed.
  package mutating func refuseBroken() throws(SecretMemoryError) {
    closes = true
    let header = RequestHeader(opcode: 0, requestID: 0, key: .none)
    let facts = RequestFacts(.unreadable, id: 0, caller: caller, policy: rules.policyHash)
    try replies.append(to: header, note(facts, .refused(.malformed)), .malformed)
  }

  /// Makes the batch's records durable, and only then passes its replies to `deliver`, on this or
  /// another thread.
  ///
  /// - Parameter deliver: called once; nothing else is recorded while it runs.
  package consuming func commit(_ deliver: @escaping @Sendable (consuming Replies) -> Void) {
    guard let session, batch.count > 0 || counted != nil else {
      return deliver(
        Replies(replies, watch, at: service.settings.monotonicClock(), hasRecords: false))
    }
    let held = HeldReplies(replies, service, session, handles, watch, deliver)
    let claimsLater = session.daemon.fleet != nil
    guard let counted else {
      return session.commit(batch, using: used) { [service] in
        held.finish($0)
        if claimsLater { service.claimLater(session) }
      }
    }
    let waiter = RefusalTally.Waiter(
      recorded: { held.finish(counted: $0) }, failed: { held.fail($0) })
    guard batch.count > 0 else {
      return service.refusals.add(counted, of: caller, for: session, waiter)
    }
    session.commit(batch, using: used) { [service, caller] settlement in
      if held.stamp(settlement) { service.refusals.add(counted, of: caller, for: session, waiter) }
      if claimsLater { service.claimLater(session) }
    }
  }
}

extension RequestBatch {
  private func status(of probe: OperationRow.Probe) -> Status {
    switch probe {
    case .ping: .ok
    case .ready: readyStatus
    }
  }

  /// `ok` while operations are served; otherwise what each of them is answered.
  private var servingStatus: Status { session == nil ? service.life.current.unservedStatus : .ok }

  /// The same, or `busy` while the fleet's store is away and no merchant is served without it.
  /// [FLEET-F3]
  private var readyStatus: Status {
    guard let session, session.daemon.isStoreAway, rules.opensLocally.isEmpty else {
      return servingStatus
    }
    return .busy
  }

  /// Covering rule, decoding, retry and claim, quota, approval: in this order, and only then is the
  /// operation run.
  private mutating func run<O: Operation>(
    _ operation: O.Type, _ request: borrowing Request, _ known: KnownRequest?, _ session: Session
  ) throws(SecretMemoryError) {
    let covering =
      known?.covering ?? rules.policy.covering(caller, request.opcode, key: request.key)
    let moment = service.moment
    let limits = service.limits
    let cover: Cover
    switch covering.cover(at: moment, limits: limits) {
    case .failure(let denial): return try deny(request, denial, by: covering)
    case .success(let found): cover = found
    }
    let decoded = Decoded<O.Request>(request.body)
    let retry = session.daemon.retry(
      operation, decoded.message, of: request.body, request.header.key, by: caller,
      under: cover.grant, rules)
    let claim = (claims.indices.contains(served) ? claims[served] : .alone).under(cover.grant)
    switch covering.decide(cover, at: moment, limits: limits, isRetry: retry.isRepetition) {
    case .deny(let denial): try deny(request, denial, by: covering)
    case .allow(let grant):
      let known = known ?? remember(request, covering, session.keys)
      var context = OperationContext(grant, session.daemon, rules, handles)
      context.retry = retry
      context.claim = claim
      context.waiting = waiting
      context.finding.note(retry, claim)
      if !context.grant.uses.isEmpty {
        context.finding.reservations.add(.quota(context.grant.uses, limits))
      }
      guard decoded.flaw == nil, needsApproval(operation, decoded.message, context.grant) else {
        return try carryOut(operation, decoded, request, known, context)
      }
      try propose(operation, decoded, request, known, context)
    }
  }

  /// Carries out a request that a second person has approved, or has it wait for one.
  private mutating func propose<O: Operation>(
    _ operation: O.Type, _ decoded: borrowing Decoded<O.Request>, _ request: borrowing Request,
    _ known: KnownRequest,
    _ context: consuming OperationContext
  ) throws(SecretMemoryError) {
    let finding = context.finding
    if let stage = operation.refusal(context) {
      used.add(&finding.reservations, at: batch.count)
      return try refuse(request, context.ended(), stage)
    }
    switch approvalState(
      of: request, about: operation.matter(decoded.message, context.keys), context.daemon)
    {
    case .approved(let approval):
      context.approval = approval
      try carryOut(operation, decoded, request, known, context)
    case .waiting(let needed, let isNew):
      // What leaves no record takes nothing.
      if isNew { used.add(&finding.reservations, at: batch.count) }
      try hold(request, context.ended(), needed, isNew: isNew)
    case .full:
      used.add(&finding.reservations, at: batch.count)
      try turnAway(request, context.ended())
    }
  }

  private func remember(_ request: borrowing Request, _ covering: CoveringRules, _ keys: KeyStore)
    -> KnownRequest
  {
    let isUse = request.target.map { keys.isUse(request.opcode, of: $0.id) } ?? false
    let known = KnownRequest(request.target, covering, isUse: isUse)
    memory.remember(known, for: request.opcode, request.header.key)
    return known
  }

  private mutating func carryOut<O: Operation>(
    _ operation: O.Type, _ decoded: borrowing Decoded<O.Request>, _ request: borrowing Request,
    _ known: KnownRequest,
    _ context: consuming OperationContext
  ) throws(SecretMemoryError) {
    let finding = context.finding
    var outcome = Outcome.failed(.busy)
    var malformation: Malformation?
    let place = batch.count
    let counts = watch.counts
    do throws(SecretMemoryError) {
      try replies.append(
        to: request.header, .attempt(place),
        bodyCap: operation.replyCap(forBodyOf: request.body.count)
      ) { writer in
        do throws(OperationError) {
          if let flaw = decoded.flaw { throw .wire(flaw) }
          try operation.run(decoded.message, context, into: &writer)
          outcome = .done(released: finding.released, secrets: finding.secrets)
        } catch {
          outcome = Outcome(error)
          if case .wire(let flaw) = error { malformation = Malformation(flaw) }
          counts.note(error)
        }
        return ReplyBuffer.Ending(
          outcome, finding.inputs, malformation, showsStage: context.grant.showsStage)
      }
    } catch {
      counts.note(.memory)
      try replies.append(to: request.header, .attempt(place), .busy)
    }
    if let approval = context.approval, finding.inputs.approval == nil {
      finding.inputs.approval = approval
    }
    if outcome == .failed(.malformed) { closes = true }
    if case .done = outcome {
      if known.isUse, !context.retry.isRepetition { used.keys.append(request.header.key) }
      used.keys += finding.furtherKeys
    }
    finding.reservations.end(outcome)
    used.add(&finding.reservations, at: place)
    let attempt = known.records.attempt(
      request.header.requestID, allowed: context.ended(), outcome, inputs: finding.notedInputs,
      furtherKeys: finding.furtherKeys
    ) { facts(of: request) }
    batch.add(attempt)
    if let change = finding.change {
      batch.add(Attempt(.key(change.kind, change.key)))
      used.changes.append(change)
    }
  }

  /// What a record says of a request before its outcome.
  func facts(of request: borrowing Request) -> RequestFacts {
    RequestFacts(
      .known(request.opcode), id: request.header.requestID, caller: caller,
      key: request.header.key == .none ? nil : request.header.key,
      label: request.target?.label, policy: rules.policyHash)
  }

  /// Adds an attempt to the batch; there must be a log.
  mutating func record(_ attempt: consuming Attempt) -> ReplyBuffer.Sequence {
    let place = batch.count
    batch.add(attempt)
    return .attempt(place)
  }

  /// - Parameter covering: what denied the request, if a rate or quota may have.
  mutating func deny(
    _ request: borrowing Request, _ denial: Denial, by covering: CoveringRules? = nil
  ) throws(SecretMemoryError) {
    watch.counts.note(denial)
    let wait =
      request.header.asksWait && denial.grant != nil
      ? covering?.wait(at: service.moment, limits: service.limits) : nil
    let ending = ReplyBuffer.Ending(
      status: denial.status, busy: wait.map(Busy.init(waiting:)) ?? .forASecond)
    try replies.append(to: request.header, note(facts(of: request), .denied(denial)), bodyCap: 0) {
      _ in ending
    }
  }

  private mutating func refuseUnknown(_ header: RequestHeader) throws(SecretMemoryError) {
    let facts = RequestFacts(
      .unknown(header.opcode), id: header.requestID, caller: caller, policy: rules.policyHash)
    try replies.append(to: header, note(facts, .refused(.unsupported)), .unsupported)
  }

  /// Records a refusal: by itself within the caller's budget, else counted in one record for many.
  /// Without a log it is only counted, and the next unlocking's record states the count.
  mutating func note(_ facts: RequestFacts, _ refusal: RefusalReason) -> ReplyBuffer.Sequence {
    guard session != nil else {
      service.unrecorded.add()
      return .unaudited
    }
    guard !service.refusals.takesOne(caller, at: service.settings.monotonicClock()) else {
      return record(Attempt(facts, refusal))
    }
    let now = service.settings.clock()
    var refusals = counted ?? CountedRefusals(at: now)
    refusals.add(refusal, of: facts.operation, at: now)
    counted = refusals
    return .counted
  }
}
