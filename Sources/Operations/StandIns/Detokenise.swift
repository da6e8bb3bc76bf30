internal import ApplePay
internal import Audit
internal import CryptoBackend
internal import Encoding
internal import KeyStore
package import Policy
internal import SecretMemory
package import Wire

/// `detokenise`: returns the PAN behind a surrogate or in an envelope [OP-SURR-5] [OP-SURR-6].
package enum Detokenise: Operation {
  package static let opcode = Opcode.detokenise
  package static let bodyCap = 512
  package static let replyCap = StandInCaps.digits + 16

  package static func run(
    _ body: consuming MessageReader, _ grant: borrowing Grant, _ context: borrowing OperationContext, into reply: inout MessageWriter,
    finding: inout Finding
  ) throws(OperationError) {
    let request = try DetokeniseRequest(decoding: body)
    let slot = try context.key(for: grant)
    let merchant = try MerchantIdentifier(parameter: request.merchantIdentifier)
    guard slot.record.role.makesSurrogates == request.panEnvelope.isEmpty else { throw .rejected(.parameters) }
    let pan = try pan(request, slot, merchant, context)
    try finding.note(pan: pan.bytes, transaction: request.transactionID, context)
    var answer = DetokeniseReply()
    answer.pan = pan.bytes
    try reply.write(answer)
    finding.released = ReleasedFields([.dpan])
  }

  private static func pan(
    _ request: borrowing DetokeniseRequest, _ slot: KeySlot, _ merchant: MerchantIdentifier, _ context: borrowing OperationContext
  ) throws(OperationError) -> SecretBuffer {
    if request.panEnvelope.isEmpty { return try slot.pan(ofSurrogate: request.surrogate, merchant) }
    return try slot.pan(ofEnvelope: request.panEnvelope, merchant, transaction: request.transactionID, now: context.now)
  }
}
