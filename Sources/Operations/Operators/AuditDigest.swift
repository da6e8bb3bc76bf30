import ApplePay
import Audit
import Crypto
import Format

/// `audit-digest`: the keyed digest that stands for a transaction, a PAN or a subject of codes in
/// the audit log [OP-DIGEST-1].
enum AuditDigest: Operation {
  static let opcode = Opcode.auditDigest

  /// The size of Apple's transaction identifier in bytes.
  private static let transactionCount = 32

  static func run(
    _ request: borrowing AuditDigestRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    switch request.field {
    case .transaction:
      guard request.value.count == transactionCount else { throw .rejected(.format) }
    // A mistyped number would find no records, and the searcher would believe that.
    case .pan:
      guard PAN.hasForm(request.value), PAN.isLuhnValid(request.value) else {
        throw .rejected(.pan)
      }
    case .subject: break
    }
    let digest = try onCrypto(context.daemon.digests.digest(request.field, of: request.value))
    switch request.field {
    case .transaction: context.finding.inputs.transaction = digest
    case .pan: context.finding.inputs.pan = digest
    case .subject: context.finding.inputs.subject = digest
    }
    try reply.write(AuditDigestReply(digest: digest.text))
  }
}
