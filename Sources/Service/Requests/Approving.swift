import Audit
import Crypto
import Format
import Host
import Operations
import Policy

extension RequestBatch {
  func needsApproval<O: Operation>(
    _ operation: O.Type, _ request: borrowing O.Request, _ grant: borrowing Grant
  ) -> Bool {
    guard O.opcode.traits.approval != .never else { return false }
    let operations = service.settings.configuration.operators.approval
    guard !grant.needsApproval, !operations.contains(O.opcode) else { return true }
    guard operations.contains(.exportKey) else { return false }
    return operation.opensWayOut(request)
  }

  /// Rejects a request before a second person is asked, because it could not succeed anyway.
  mutating func refuse(_ request: borrowing Request, _ grant: consuming Grant, _ stage: Stage)
    throws(SecretMemoryError)
  {
    let showsStage = grant.showsStage
    let sequence = record(Attempt(facts(of: request), allowed: grant, .rejected(stage)))
    try replies.append(to: request.header, sequence, bodyCap: 0) { _ in
      ReplyBuffer.Ending(.rejected(stage), showsStage: showsStage)
    }
  }

  /// Where an allowed request stands with the approval that it needs.
  func approvalState(
    of request: borrowing Request, about matter: PendingRequests.Matter?, _ daemon: DaemonContext
  ) -> PendingRequests.State {
    do throws(CryptoError) {
      // What people approve as operators is named by the plain hash of its body. A service's body
      // may hold a card number, so its hash is keyed.
      let digest =
        if case .policy(let hash)? = matter { hash } else {
          try request.opcode.isForOperators
            ? SHA256.hash(request.body) : daemon.digests.digest(ofRequest: request.body)
        }
      let scope = PendingRequests.Scope(
        uid: caller.person, opcode: request.opcode, key: request.header.key, digest: digest)
      return try daemon.pending.take(scope, label: request.target?.label, about: matter)
    } catch { return .full }
  }

  /// Answers that an approval is needed; only the first such answer to a request leaves a record.
  mutating func hold(
    _ request: borrowing Request, _ grant: consuming Grant, _ needed: ApprovalNeeded, isNew: Bool
  ) throws(SecretMemoryError) {
    var sequence = ReplyBuffer.Sequence.unaudited
    if isNew {
      var inputs = Inputs()
      inputs.approval = Approval(request: needed.request)
      sequence = record(
        Attempt(facts(of: request), allowed: grant, .failed(.approvalNeeded), inputs: inputs))
    }
    try replies.append(to: request.header, sequence, bodyCap: 0) { _ in
      ReplyBuffer.Ending(status: .approvalNeeded, needed: needed)
    }
  }

  /// Answers that no more requests can wait for an approval.
  mutating func turnAway(_ request: borrowing Request, _ grant: consuming Grant)
    throws(SecretMemoryError)
  {
    watch.counts.note(.approvals)
    try replies.append(
      to: request.header, record(Attempt(facts(of: request), allowed: grant, .failed(.busy))), .busy
    )
  }
}
