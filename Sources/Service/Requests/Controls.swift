import Audit
import Crypto
import Format
import Host
import KeyStore
import Operations
import Policy

extension RequestBatch {
  /// Carries out an operator's request to the daemon itself; these also work while the key store is
  /// locked.
  mutating func run(_ control: OperationRow.Control, _ request: borrowing Request)
    throws(SecretMemoryError)
  {
    let covering = rules.policy.covering(caller, request.opcode, key: .none)
    switch covering.decide(at: service.moment, limits: service.limits) {
    case .deny(let denial): try deny(request, denial, by: covering)
    case .allow(let grant):
      service.limits.quotas.keep(grant.uses)
      switch control {
      case .status: try status(request)
      case .metrics: try metrics(request)
      case .unlock: try unlock(request, grant)
      case .lock: try lock(request, grant)
      case .submitShare: try submitShare(request, grant)
      case .shareProgress: try shareProgress(request)
      }
    }
  }

  /// Leaves no record: it reveals nothing about requests or keys.
  private mutating func status(_ request: borrowing Request) throws(SecretMemoryError) {
    guard request.body.isEmpty else { return try refuseMalformed(request, .trailingBytes) }
    try reply(request, .unaudited, service.statusReport)
  }

  /// Leaves no record: it reveals how much was asked for, but not by whom or about which key.
  private mutating func metrics(_ request: borrowing Request) throws(SecretMemoryError) {
    guard request.body.isEmpty else { return try refuseMalformed(request, .trailingBytes) }
    let figures = service.figures
    // Room for those that there are: the cap would take more of the arena than a busy daemon may
    // have.
    try reply(request, .unaudited, figures, atMost: figures.room)
  }

  private mutating func unlock(_ request: borrowing Request, _ grant: consuming Grant)
    throws(SecretMemoryError)
  {
    let showsStage = grant.showsStage
    let wanted: UnlockRequest
    do throws(WireError) { wanted = try UnlockRequest(MessageReader(request.body)) } catch {
      return try refuseMalformed(request, error)
    }
    do throws(UnlockError) {
      let sequence = try service.unlock(
        passphrase: wanted.passphrase, for: facts(of: request), grant)
      try? replies.append(to: request.header, .known(sequence), .ok)
    } catch {
      try refuse(request, error, ReplyBuffer.Ending(error, showsStage: showsStage))
    }
  }

  private mutating func lock(_ request: borrowing Request, _ grant: consuming Grant)
    throws(SecretMemoryError)
  {
    guard request.body.isEmpty else { return try refuseMalformed(request, .trailingBytes) }
    let sequence: UInt64
    do throws(UnlockError) { sequence = try service.lock(for: facts(of: request), grant) } catch {
      service.unrecorded.add()
      return try replies.append(to: request.header, .unaudited, error.lockingStatus)
    }
    try replies.append(to: request.header, .known(sequence), .ok)
  }

  private mutating func submitShare(_ request: borrowing Request, _ grant: consuming Grant)
    throws(SecretMemoryError)
  {
    let showsStage = grant.showsStage
    let wanted: SubmitShareRequest
    do throws(WireError) { wanted = try SubmitShareRequest(MessageReader(request.body)) } catch {
      return try refuseMalformed(request, error)
    }
    do throws(UnlockError) {
      switch try service.submit(share: wanted.share, for: facts(of: request), grant) {
      case .taken: try? reply(request, .unaudited, service.shareProgress)
      case .unlocked(let sequence):
        try? reply(request, .known(sequence), service.shareProgress)
      case .refused(let stage):
        service.settings.report(.shareRefused(stage))
        try? replies.append(to: request.header, .unaudited, bodyCap: 0) { _ in
          ReplyBuffer.Ending(.rejected(stage), showsStage: showsStage)
        }
      }
    } catch {
      let isOpen = ReplyBuffer.Ending(.rejected(.shareSurplus), showsStage: showsStage)
      try refuse(
        request, error,
        error == .notLocked ? isOpen : ReplyBuffer.Ending(error, showsStage: showsStage))
    }
  }

  /// Leaves no record: it reveals how many shares there are, but not whose.
  private mutating func shareProgress(_ request: borrowing Request) throws(SecretMemoryError) {
    guard request.body.isEmpty else { return try refuseMalformed(request, .trailingBytes) }
    try reply(request, .unaudited, service.shareProgress)
  }

  private mutating func reply(
    _ request: borrowing Request, _ sequence: ReplyBuffer.Sequence, _ message: some Message,
    atMost cap: Int? = nil
  ) throws(SecretMemoryError) {
    let cap = cap ?? request.opcode.largestReply ?? 0
    try replies.append(to: request.header, sequence, bodyCap: cap) { writer in
      do throws(WireError) { try message.encode(into: &writer) } catch {
        return ReplyBuffer.Ending(status: .internal)
      }
      return ReplyBuffer.Ending(status: .ok)
    }
  }

  /// Answers and records that the key store was not opened, and tells the person on call why.
  private mutating func refuse(
    _ request: borrowing Request, _ error: UnlockError, _ ending: ReplyBuffer.Ending
  ) throws(SecretMemoryError) {
    service.settings.report(.unlockFailed(error))
    if ending.status == .busy { watch.counts.note(.memory) }
    try replies.append(
      to: request.header, note(facts(of: request), .refused(ending.status)), bodyCap: 0
    ) { _ in ending }
  }

  /// Answers a body that breaks the protocol [WIRE-22]; the connection must then be closed.
  mutating func refuseMalformed(_ request: borrowing Request, _ error: WireError)
    throws(SecretMemoryError)
  {
    closes = true
    try replies.append(to: request.header, .unaudited, bodyCap: 0) { _ in
      ReplyBuffer.Ending(status: .malformed, malformation: Malformation(error))
    }
  }
}
