internal import Audit
internal import CryptoBackend
internal import KeyStore
internal import Operations
internal import Policy
internal import SecretMemory
internal import Wire

extension Exchange {
  /// Carries out an operator's request to the daemon itself; these also work while the key store is locked.
  mutating func run(
    _ control: OperationRow.Control, _ row: OperationRow, _ facts: RequestFacts, _ header: RequestHeader, _ body: Span<UInt8>
  ) throws(SecretMemoryError) {
    switch service.decide(rules.policy, caller, row.opcode, key: .none) {
    case .deny(let denial): try deny(facts, header, denial)
    case .allow(let grant):
      switch control {
      case .status: try status(header, row, body)
      case .unlock: try unlock(facts, header, body, grant)
      case .lock: try lock(facts, header, body, grant)
      case .submitShare: try submitShare(facts, header, row, body, grant)
      case .shareProgress: try shareProgress(header, row, body)
      }
    }
  }

  /// Leaves no record: it reveals nothing about requests or keys.
  private mutating func status(_ header: RequestHeader, _ row: OperationRow, _ body: Span<UInt8>) throws(SecretMemoryError) {
    guard body.isEmpty else { return try refuseMalformed(header) }
    let report = service.statusReport
    try replies.append(to: header, .unaudited, bodyCap: row.replyCap(body.count)) { writer in
      do throws(WireError) { try report.encode(into: &writer) } catch { return ReplyBuffer.Answer(status: .internal) }
      return ReplyBuffer.Answer(status: .ok)
    }
  }

  private mutating func unlock(
    _ facts: RequestFacts, _ header: RequestHeader, _ body: Span<UInt8>, _ grant: consuming Grant
  ) throws(SecretMemoryError) {
    let showsStage = grant.showsStage
    let request: UnlockRequest
    do throws(WireError) { request = try UnlockRequest(MessageReader(body)) } catch { return try refuseMalformed(header) }
    do throws(UnlockError) {
      let sequence = try service.unlock(passphrase: request.passphrase, for: facts, grant)
      try? replies.append(to: header, .known(sequence), .ok)
    } catch {
      let answer = ReplyBuffer.Answer(error, showsStage: showsStage)
      service.settings.report(.unlockFailed(error))
      try replies.append(to: header, note(facts, .refused(answer.status)), bodyCap: 0) { _ in answer }
    }
  }

  private mutating func lock(
    _ facts: RequestFacts, _ header: RequestHeader, _ body: Span<UInt8>, _ grant: consuming Grant
  ) throws(SecretMemoryError) {
    guard body.isEmpty else { return try refuseMalformed(header) }
    let outcome: Result<UInt64, UnlockError>
    do throws(UnlockError) { outcome = .success(try service.lock(for: facts, grant)) } catch { outcome = .failure(error) }
    switch outcome {
    case .success(let sequence): try replies.append(to: header, .known(sequence), .ok)
    case .failure(let error): try replies.append(to: header, .unaudited, error.lockingStatus)
    }
  }

  private mutating func submitShare(
    _ facts: RequestFacts, _ header: RequestHeader, _ row: OperationRow, _ body: Span<UInt8>, _ grant: consuming Grant
  ) throws(SecretMemoryError) {
    let showsStage = grant.showsStage
    let request: SubmitShareRequest
    do throws(WireError) { request = try SubmitShareRequest(MessageReader(body)) } catch { return try refuseMalformed(header) }
    do throws(UnlockError) {
      switch try service.submit(share: request.words, for: facts, grant) {
      case .taken: try? answer(header, .unaudited, row, service.shareProgress)
      case .unlocked(let sequence): try? answer(header, .known(sequence), row, service.shareProgress)
      case .refused(let stage):
        service.settings.report(.shareRefused(stage))
        try? replies.append(to: header, .unaudited, bodyCap: 0) { _ in ReplyBuffer.Answer(status: .rejected, stage: showsStage ? stage : nil) }
      }
    } catch {
      let isOpen = ReplyBuffer.Answer(status: .rejected, stage: showsStage ? .shareSurplus : nil)
      let answer = error == .notLocked ? isOpen : ReplyBuffer.Answer(error, showsStage: showsStage)
      service.settings.report(.unlockFailed(error))
      try replies.append(to: header, note(facts, .refused(answer.status)), bodyCap: 0) { _ in answer }
    }
  }

  /// Leaves no record: it reveals how many shares there are, but not whose.
  private mutating func shareProgress(_ header: RequestHeader, _ row: OperationRow, _ body: Span<UInt8>) throws(SecretMemoryError) {
    guard body.isEmpty else { return try refuseMalformed(header) }
    try answer(header, .unaudited, row, service.shareProgress)
  }

  private mutating func answer(
    _ header: RequestHeader, _ sequence: ReplyBuffer.Sequence, _ row: OperationRow, _ progress: ShareProgressReply
  ) throws(SecretMemoryError) {
    try replies.append(to: header, sequence, bodyCap: row.replyCap(0)) { writer in
      do throws(WireError) { try progress.encode(into: &writer) } catch { return ReplyBuffer.Answer(status: .internal) }
      return ReplyBuffer.Answer(status: .ok)
    }
  }

  private mutating func refuseMalformed(_ header: RequestHeader) throws(SecretMemoryError) {
    closes = true
    try replies.append(to: header, .unaudited, .malformed)
  }
}
