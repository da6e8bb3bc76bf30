internal import Audit
internal import CryptoBackend
internal import Operations
internal import Policy
internal import SecretMemory
internal import Wire

extension Exchange {
  func needsApproval(_ row: OperationRow, _ grant: borrowing Grant) -> Bool {
    row.opcode.canNeedApproval && (grant.needsApproval || service.settings.approval.operations.contains(row.opcode))
  }

  /// Refuses a request for which no second person is to be asked.
  mutating func refuse(_ facts: RequestFacts, _ header: RequestHeader, _ grant: consuming Grant, _ stage: Stage) throws(SecretMemoryError) {
    let showsStage = grant.showsStage
    let sequence = record(Attempt(facts, allowed: grant, .rejected(stage)))
    try replies.append(to: header, sequence, bodyCap: 0) { _ in ReplyBuffer.Answer(.rejected(stage), field: nil, showsStage: showsStage) }
  }

  /// How a permitted request stands with the second person that it needs; nil where it needs none.
  func standing(
    of row: OperationRow, _ grant: borrowing Grant, _ target: KeyTarget?, _ header: RequestHeader, _ body: Span<UInt8>, _ serving: Serving
  ) -> PendingRequests.Standing? {
    guard needsApproval(row, grant) else { return nil }
    do throws(CryptoError) {
      // An operators' body says what a person approves, so it is shown by its hash; a service's may be a card number's.
      let isPlain = row.socket == .operators
      let digest = isPlain ? SHA256.hash(body) : try serving.requestDigest(body)
      let scope = PendingRequests.Scope(uid: caller.person, opcode: row.opcode, key: header.key, digest: digest, isPlain: isPlain)
      return try serving.pending.take(scope, label: target?.label)
    } catch { return .full }
  }

  /// Answers that a second person is needed; a request that waits already leaves no further record.
  mutating func hold(
    _ facts: RequestFacts, _ header: RequestHeader, _ grant: consuming Grant, _ needed: ApprovalNeeded, isNew: Bool
  ) throws(SecretMemoryError) {
    var sequence = ReplyBuffer.Sequence.unaudited
    if isNew {
      var inputs = Inputs()
      inputs.approval = Approval(request: needed.request)
      sequence = record(Attempt(facts, allowed: grant, .failed(.approvalNeeded), inputs: inputs))
    }
    try replies.append(to: header, sequence, bodyCap: 0) { _ in ReplyBuffer.Answer(status: .approvalNeeded, needed: needed) }
  }
}
