internal import Audit
internal import KeyStore
internal import Operations
internal import Policy
package import SecretMemory
internal import Wire

/// One read batch of one connection: serves its requests in order, then commits their records together.
///
/// The order of checks is fixed for every request: header, opcode, socket, lock, key, policy; only then is the body read.
package struct Exchange: ~Copyable {
  let service: Service
  let caller: Caller
  let rules: Rules
  /// Nil while the key store is locked or the log cannot be written.
  let serving: Serving?
  private let socket: SocketKind
  private let handles: HandleTable
  private var batch = Batch()
  var replies: ReplyBuffer
  /// Refusals beyond the caller's budget, which have no records of their own.
  private var counted: CountedRefusals?
  /// Keys whose material was used; the uses are counted once the records are durable.
  private var used: [KeyID] = []
  /// Whether the caller broke the protocol, so that the connection must be closed.
  package internal(set) var closes = false

  init(_ service: Service, _ caller: Caller, on socket: SocketKind, _ handles: HandleTable) throws(SecretMemoryError) {
    replies = try ReplyBuffer()
    (self.service, self.caller, self.socket, self.handles) = (service, caller, socket, handles)
    rules = service.rules.snapshot
    serving = service.serving
  }

  /// Serves one request, given its header and body without the length.
  ///
  /// - Throws: `SecretMemoryError.exhausted` if not even a refusal fits the arena.
  package mutating func serve(_ frame: Span<UInt8>) throws(SecretMemoryError) {
    let header: RequestHeader
    do throws(WireError) { header = try RequestHeader(frame) } catch { return try refuseBroken() }
    guard let row = OperationRow.row(for: header.opcode) else { return try refuseUnknown(header) }
    let target = serving?.keys.target(header.key)
    let facts = RequestFacts(
      .known(row.opcode), id: header.requestID, caller: caller, key: header.key == .none ? nil : header.key, label: target?.label,
      policy: rules.policyHash)
    guard row.socket == .services || socket == .operators else { return try deny(facts, header, .wrongSocket) }
    guard socket == .services || caller.owner == nil else { return try deny(facts, header, .subordinateUser) }
    let body = frame.extracting(droppingFirst: RequestHeader.byteCount)
    switch row.run {
    case .ping: try replies.append(to: header, .unaudited, body.isEmpty ? .ok : .malformed)
    case .control(let control): try run(control, row, facts, header, body)
    case .operation(let operation, let refusal):
      guard let serving else { return try replies.append(to: header, .unaudited, service.life.current.unservedStatus) }
      let key = target.map(NamedKey.known) ?? (header.key == .none ? .none : .absent)
      try run(operation, refusal, row, facts, key, header, body, serving)
    }
  }

  /// Answers bytes whose length or header breaks the protocol; the connection must then be closed.
  package mutating func refuseBroken() throws(SecretMemoryError) {
    closes = true
    let header = RequestHeader(opcode: 0, requestID: 0, key: .none)
    let facts = RequestFacts(.unreadable, id: 0, caller: caller, policy: rules.policyHash)
    try replies.append(to: header, note(facts, .refused(.malformed)), .malformed)
  }

  /// Makes the batch's records durable, and only then passes its replies to `deliver`, on this or another thread.
  ///
  /// - Parameter deliver: called once; nothing else is recorded while it runs.
  package consuming func commit(_ deliver: @escaping @Sendable (consuming Replies) -> Void) {
    guard let serving, batch.count > 0 || counted != nil else { return deliver(Replies(replies)) }
    let held = HeldReplies(replies, service, serving, handles, deliver)
    guard let counted else {
      return serving.commit(batch, using: used) { held.finish($0) }
    }
    let waiter = RefusalTally.Waiter(recorded: { held.finish(counted: $0) }, failed: { held.fail($0) })
    guard batch.count > 0 else { return service.refusals.add(counted, of: caller, for: serving, waiter) }
    serving.commit(batch, using: used) { [service, caller] settlement in
      if held.stamp(settlement) { service.refusals.add(counted, of: caller, for: serving, waiter) }
    }
  }
}

extension Exchange {
  private mutating func run(
    _ operation: OperationRow.Body, _ refusal: OperationRow.Refusal, _ row: OperationRow, _ facts: RequestFacts, _ key: NamedKey,
    _ header: RequestHeader, _ body: Span<UInt8>, _ serving: Serving
  ) throws(SecretMemoryError) {
    switch service.decide(rules.policy, caller, row.opcode, key: key) {
    case .deny(let denial): try deny(facts, header, denial)
    case .allow(let grant):
      if needsApproval(row, grant), let stage = refusal(grant, serving.context(rules, handles, approvedBy: nil)) {
        return try refuse(facts, header, grant, stage)
      }
      let target = key.target
      switch standing(of: row, grant, target, header, body, serving) {
      case nil: try carryOut(operation, row, facts, target, header, body, serving, grant, nil)
      case .approved(let approval): try carryOut(operation, row, facts, target, header, body, serving, grant, approval)
      case .waiting(let needed, let isNew): try hold(facts, header, grant, needed, isNew: isNew)
      case .full: try replies.append(to: header, record(Attempt(facts, allowed: grant, .failed(.busy))), .busy)
      }
    }
  }

  private mutating func carryOut(
    _ operation: OperationRow.Body, _ row: OperationRow, _ facts: RequestFacts, _ target: KeyTarget?, _ header: RequestHeader,
    _ body: Span<UInt8>, _ serving: Serving, _ grant: consuming Grant, _ approval: Approval?
  ) throws(SecretMemoryError) {
    var finding = Finding()
    var outcome = Outcome.failed(.busy)
    let place = batch.count
    let context = serving.context(rules, handles, approvedBy: approval?.by)
    do throws(SecretMemoryError) {
      try replies.append(to: header, .attempt(place), bodyCap: row.replyCap(body.count)) { writer in
        outcome = Self.outcome(of: operation, body, grant, context, &writer, &finding)
        return ReplyBuffer.Answer(outcome, field: finding.inputs.field, showsStage: grant.showsStage)
      }
    } catch {
      try replies.append(to: header, .attempt(place), .busy)
    }
    finding.inputs.approval = finding.inputs.approval ?? approval
    if outcome == .failed(.malformed) { closes = true }
    if case .done = outcome {
      if let target, serving.keys.isUse(row.opcode, of: target.id) { used.append(target.id) }
      used += finding.furtherKeys
    }
    batch.add(Attempt(facts, allowed: grant, outcome, inputs: finding.inputs, furtherKeys: finding.furtherKeys))
    if let change = finding.change { batch.add(Attempt(.key(change.kind, change.key))) }
  }

  /// Adds an attempt to the batch; there must be a log.
  mutating func record(_ attempt: consuming Attempt) -> ReplyBuffer.Sequence {
    let place = batch.count
    batch.add(attempt)
    return .attempt(place)
  }

  private static func outcome(
    of operation: OperationRow.Body, _ body: Span<UInt8>, _ grant: borrowing Grant, _ context: OperationContext,
    _ writer: inout MessageWriter, _ finding: inout Finding
  ) -> Outcome {
    do throws(OperationError) {
      try operation(MessageReader(body), grant, context, &writer, &finding)
      return .done(released: finding.released, secrets: finding.secrets)
    } catch { return Outcome(error) }
  }

  mutating func deny(_ facts: RequestFacts, _ header: RequestHeader, _ denial: Denial) throws(SecretMemoryError) {
    try replies.append(to: header, note(facts, .denied(denial)), denial.status)
  }

  private mutating func refuseUnknown(_ header: RequestHeader) throws(SecretMemoryError) {
    let facts = RequestFacts(.unknown(header.opcode), id: header.requestID, caller: caller, policy: rules.policyHash)
    try replies.append(to: header, note(facts, .refused(.unsupported)), .unsupported)
  }

  /// Records a refusal: by itself within the caller's budget, else counted in one record for many. Without a log it is only counted, and
  /// the next unlocking's record states the count.
  mutating func note(_ facts: RequestFacts, _ refusal: RefusalReason) -> ReplyBuffer.Sequence {
    guard serving != nil else {
      service.unrecorded.add()
      return .unaudited
    }
    guard !service.refusals.takesOne(caller, at: service.settings.monotonicClock()) else { return record(Attempt(facts, refusal)) }
    let now = service.settings.clock()
    var refusals = counted ?? CountedRefusals(at: now)
    refusals.add(refusal, of: facts.operation, at: now)
    counted = refusals
    return .counted
  }
}
