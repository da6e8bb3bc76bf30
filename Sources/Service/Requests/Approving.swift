internal import Audit
internal import CryptoBackend
internal import KeyStore
internal import Operations
internal import Policy
internal import SecretMemory
internal import Wire

extension Exchange {
  func needsApproval(_ row: OperationRow, _ grant: borrowing Grant) -> Bool {
    row.opcode.traits.approval != .never && (grant.needsApproval || service.settings.approval.operations.contains(row.opcode))
  }

  /// Rejects a request before a second person is asked, because it could not succeed anyway.
  mutating func refuse(_ facts: RequestFacts, _ header: RequestHeader, _ grant: consuming Grant, _ stage: Stage) throws(SecretMemoryError) {
    let showsStage = grant.showsStage
    let sequence = record(Attempt(facts, allowed: grant, .rejected(stage)))
    try replies.append(to: header, sequence, bodyCap: 0) { _ in ReplyBuffer.Answer(.rejected(stage), field: nil, showsStage: showsStage) }
  }

  /// Where an allowed request stands with the approval that it needs; nil if it needs none.
  func standing(
    of row: OperationRow, _ grant: borrowing Grant, _ target: KeyTarget?, _ header: RequestHeader, _ body: Span<UInt8>, _ serving: Serving
  ) -> PendingRequests.Standing? {
    guard needsApproval(row, grant) else { return nil }
    do throws(CryptoError) {
      // What people approve as operators is named by the plain hash of its body. A service's body may hold a card number, so its hash is keyed.
      let isPlain = row.socket == .operators
      let digest = isPlain ? Self.shownDigest(of: body, row.opcode) : try serving.requestDigest(body)
      let scope = PendingRequests.Scope(uid: caller.person, opcode: row.opcode, key: header.key, digest: digest, isPlain: isPlain)
      return try serving.pending.take(scope, label: target?.label, under: exchangeKey(of: row.opcode, body, serving))
    } catch { return .full }
  }

  /// By which a person recognises what was asked: SHA-256 of a policy for `swap-policy`, as the log and `kist policy check` have it, otherwise that of the body.
  private static func shownDigest(of body: Span<UInt8>, _ opcode: Opcode) -> Digest256 {
    guard opcode == .swapPolicy, let request = try? SwapPolicyRequest(MessageReader(body)), let policy = Digest256(request.policyHash) else {
      return SHA256.hash(body)
    }
    return policy
  }

  /// The exchange key that an `export-key` request names; nil if there is no such key [OP-APPROVE-5].
  private func exchangeKey(of opcode: Opcode, _ body: Span<UInt8>, _ serving: Serving) -> PendingRequests.ExchangeKey? {
    guard opcode == .exportKey, let request = try? ExportKeyRequest(MessageReader(body)), let id = KeyID(prefixOf: request.exchangeKey.span),
      let record = serving.keys.record(for: id), record.role == .keyExchange
    else { return nil }
    return PendingRequests.ExchangeKey(id: id, label: record.label.text, checkValue: record.check.value)
  }

  /// Answers that an approval is needed; only the first such answer to a request leaves a record.
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
