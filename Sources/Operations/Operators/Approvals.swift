import Audit
import Crypto
import Format
import KeyStore
import Policy

/// `approve`: a second person lets somebody else's request run, once.
enum Approve: Operation {
  static let opcode = Opcode.approve

  static func run(
    _ request: borrowing ApproveRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    switch context.daemon.pending.approve(request.request, by: context.grant.caller) {
    case .approved(let approval): context.finding.inputs.approval = approval
    case .own(let approval):
      context.finding.inputs.approval = approval
      throw .rejected(.ownRequest)
    case .unknown: throw .rejected(.unknownRequest)
    }
  }
}

/// `list-requests`: the requests that wait for approval.
enum ListRequests: Operation {
  static let opcode = Opcode.listRequests

  static func run(
    _ request: borrowing NoFields, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    try reply.write(ListRequestsReply(requests: context.daemon.pending.list))
  }
}

/// `swap-policy`: names the policy that the next reload may put in force, if a change of policy
/// needs approval.
enum SwapPolicy: Operation {
  static let opcode = Opcode.swapPolicy

  static func matter(_ request: borrowing SwapPolicyRequest, _ keys: KeyStore)
    -> PendingRequests.Matter?
  {
    Digest256(request.policyHash).map { .policy($0) }
  }

  static func run(
    _ request: borrowing SwapPolicyRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    guard let hash = Digest256(request.policyHash) else { throw .fault }
    context.daemon.pending.expect(policy: hash)
  }
}
