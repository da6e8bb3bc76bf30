internal import Audit
internal import Format
internal import Policy

/// `approve`: a second person lets somebody else's request run, once.
enum Approve: Operation {
  package static let opcode = Opcode.approve
  package static let bodyCap = 32
  package static let replyCap = 0

  package static func run(_ request: borrowing ApproveRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter) throws(OperationError) {
    switch context.daemon.pending.approve(request.request, by: context.grant.caller) {
    case .approved(let approval): context.finding.inputs.approval = approval
    case .own(let approval):
      context.finding.inputs.approval = approval
      throw .rejected(.ownRequest)
    case .unknown: throw .rejected(.unknownRequest)
    }
  }
}
