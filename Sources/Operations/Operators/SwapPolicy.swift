internal import Crypto
internal import Format
internal import KeyStore

/// `swap-policy`: names the policy that the next reload may put in force, if a change of policy needs approval.
enum SwapPolicy: Operation {
  package static let opcode = Opcode.swapPolicy
  package static let bodyCap = 34
  package static let replyCap = 0

  package static func matter(_ request: borrowing SwapPolicyRequest, _ keys: KeyStore) -> PendingRequests.Matter? {
    Digest256(request.policyHash).map { .policy($0) }
  }

  package static func run(_ request: borrowing SwapPolicyRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter) throws(OperationError)
  {
    guard let hash = Digest256(request.policyHash) else { throw .fault }
    context.daemon.pending.expect(policy: hash)
  }
}
