import Audit
import Crypto
import Format

/// `review-log`: records that somebody has reviewed the log up to one of its checkpoints
/// [OP-REVIEW-1].
enum ReviewLog: Operation {
  static let opcode = Opcode.reviewLog

  static func run(
    _ request: borrowing ReviewLogRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    guard let note = ReviewNote(request.note) else { throw .rejected(.format) }
    let head: TreeHead?
    do throws(AuditError) { head = try context.daemon.signedHead(request.size) } catch {
      throw .fault
    }
    guard let head, head.root == Digest256(request.root) else { throw .rejected(.checkpoint) }
    context.finding.inputs.review = SignOff(head, request.outcome, note)
  }
}
