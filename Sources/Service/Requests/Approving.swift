internal import Audit
internal import CryptoBackend
internal import Encoding
internal import KeyStore
internal import Operations
internal import Policy
internal import SecretMemory
internal import Wire

extension Exchange {
  func needsApproval(_ request: borrowing Request, _ grant: borrowing Grant) -> Bool {
    let operations = service.settings.approval.operations
    return request.opcode.traits.approval != .never
      && (grant.needsApproval || operations.contains(request.opcode) || Self.opensWayOut(request) && operations.contains(.exportKey))
  }

  /// Whether it imports a key under which other keys or released fields leave: half of an export. [OP-APPROVE-6]
  private static func opensWayOut(_ request: borrowing Request) -> Bool {
    guard request.opcode == .importKey || request.opcode == .importBlock, let new = try? ImportKeyRequest(MessageReader(request.body)),
      let role = KeyRole(rawValue: new.role)
    else { return false }
    return role.isPartners || role.serves(.importBlock)
  }

  /// Rejects a request before a second person is asked, because it could not succeed anyway.
  mutating func refuse(_ request: borrowing Request, _ grant: consuming Grant, _ stage: Stage) throws(SecretMemoryError) {
    let showsStage = grant.showsStage
    let sequence = record(Attempt(facts(of: request), allowed: grant, .rejected(stage)))
    try replies.append(to: request.header, sequence, bodyCap: 0) { _ in ReplyBuffer.Ending(.rejected(stage), showsStage: showsStage) }
  }

  /// Where an allowed request stands with the approval that it needs.
  func standing(of request: borrowing Request, _ daemon: DaemonContext) -> PendingRequests.Standing {
    do throws(CryptoError) {
      // What people approve as operators is named by the plain hash of its body. A service's body may hold a card number, so its hash is keyed.
      let isPlain = request.row.socket == .operators
      let digest = isPlain ? Self.shownDigest(of: request) : try daemon.digests.digest(ofRequest: request.body)
      let scope = PendingRequests.Scope(uid: caller.person, opcode: request.opcode, key: request.header.key, digest: digest, isPlain: isPlain)
      return try daemon.pending.take(scope, label: request.target?.label, about: matter(of: request, daemon.keys))
    } catch { return .full }
  }

  /// By which a person recognises what was asked: SHA-256 of a policy for `swap-policy`, as the log and `kist policy check` have it, otherwise that of the body.
  private static func shownDigest(of request: borrowing Request) -> Digest256 {
    guard request.opcode == .swapPolicy, let swap = try? SwapPolicyRequest(MessageReader(request.body)), let policy = Digest256(swap.policyHash) else {
      return SHA256.hash(request.body)
    }
    return policy
  }

  private func matter(of request: borrowing Request, _ keys: KeyStore) -> PendingRequests.Matter? {
    guard request.opcode != .resetOTPLockout else { return Self.subject(of: request).map { .subject($0) } }
    return exchangeKey(of: request, keys).map { .exchange($0) }
  }

  /// Whose lock-out a `reset-otp-lockout` request would end.
  private static func subject(of request: borrowing Request) -> String? {
    guard let reset = try? ResetOTPLockoutRequest(MessageReader(request.body)) else { return nil }
    return String(decoding: reset.subject.array, as: UTF8.self)
  }

  /// The exchange key that an `export-key` request names; nil if there is no such key.
  private func exchangeKey(of request: borrowing Request, _ keys: KeyStore) -> PendingRequests.ExchangeKey? {
    guard request.opcode == .exportKey, let export = try? ExportKeyRequest(MessageReader(request.body)),
      let id = KeyID(prefixOf: export.exchangeKey.span), let record = keys.record(for: id), record.role == .keyExchange
    else { return nil }
    return PendingRequests.ExchangeKey(id: id, label: record.label.text, checkValue: record.check.value)
  }

  /// Answers that an approval is needed; only the first such answer to a request leaves a record.
  mutating func hold(
    _ request: borrowing Request, _ grant: consuming Grant, _ needed: ApprovalNeeded, isNew: Bool
  ) throws(SecretMemoryError) {
    var sequence = ReplyBuffer.Sequence.unaudited
    if isNew {
      var inputs = Inputs()
      inputs.approval = Approval(request: needed.request)
      sequence = record(Attempt(facts(of: request), allowed: grant, .failed(.approvalNeeded), inputs: inputs))
    }
    try replies.append(to: request.header, sequence, bodyCap: 0) { _ in ReplyBuffer.Ending(status: .approvalNeeded, needed: needed) }
  }

  /// Answers that no more requests can wait for an approval.
  mutating func turnAway(_ request: borrowing Request, _ grant: consuming Grant) throws(SecretMemoryError) {
    watch.counts.note(.approvals)
    try replies.append(to: request.header, record(Attempt(facts(of: request), allowed: grant, .failed(.busy))), .busy)
  }
}
