internal import ApplePay
internal import Audit
internal import Crypto
internal import Format
internal import Host
internal import KeyStore

/// `detokenise`: returns the PAN behind a surrogate [OP-SURR-5].
enum Detokenise: Operation {
  package static let opcode = Opcode.detokenise
  package static let bodyCap = 512
  package static let replyCap = StandInCaps.digits + 16

  package static func run(_ request: borrowing DetokeniseRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter) throws(OperationError)
  {
    let slot = try context.key()
    let merchant = try MerchantIdentifier(parameter: request.merchantIdentifier)
    let pan = try slot.pan(ofSurrogate: request.surrogate, merchant, context.rules.standInKeys.surrogateFormat(of: merchant))
    try context.finding.note(pan: pan.bytes, transaction: Span(), context)
    var answer = DetokeniseReply()
    answer.pan = pan.bytes
    try reply.write(answer)
    context.finding.released = ReleasedFields([.dpan])
  }
}
