internal import ApplePay
internal import Audit
internal import CryptoBackend
internal import Encoding
internal import KeyStore
package import Policy
internal import SecretMemory
package import Wire

/// `tokenise`: makes a surrogate of a PAN, or an envelope around it, depending on the key's role [OP-SURR-1].
package enum Tokenise: Operation {
  package static let opcode = Opcode.tokenise
  package static let bodyCap = 512
  package static let replyCap = StandInCaps.panEnvelope + 16

  package static func run(
    _ body: consuming MessageReader, _ grant: borrowing Grant, _ context: borrowing OperationContext, into reply: inout MessageWriter,
    finding: inout Finding
  ) throws(OperationError) {
    let request = try TokeniseRequest(decoding: body)
    let slot = try context.key(for: grant)
    let merchant = try MerchantIdentifier(parameter: request.merchantIdentifier)
    guard slot.record.role.makesSurrogates == request.transactionID.isEmpty else { throw .rejected(.parameters) }
    guard PAN.hasForm(request.pan), PAN.isLuhnValid(request.pan) else { throw .rejected(.pan) }
    try finding.note(pan: request.pan, transaction: request.transactionID, context)
    if slot.record.role.makesSurrogates {
      let surrogate = try slot.surrogate(of: request.pan, merchant)
      var answer = TokeniseReply()
      answer.surrogate = surrogate.bytes
      try reply.write(answer)
      finding.released = ReleasedFields([.surrogate])
    } else {
      guard PANEnvelope.lifetimes.contains(request.lifetime) else { throw .rejected(.parameters) }
      let envelope = try slot.envelope(
        of: request.pan, merchant, transaction: request.transactionID, expiry: context.now.adding(seconds: Int64(request.lifetime)))
      var answer = TokeniseReply()
      answer.panEnvelope = envelope.span
      try reply.write(answer)
      finding.released = ReleasedFields([.panEnvelope])
    }
  }
}
