import ApplePay
import Audit
import Crypto
import Format
import Host
import KeyStore

/// `tokenise`: makes a surrogate of a PAN, or an envelope around it, depending on the key's role
/// [OP-SURR-1].
enum Tokenise: Operation {
  static let opcode = Opcode.tokenise

  /// An envelope of a number alone is as short.
  static func replyCap(forBodyOf _: Int) -> Int {
    PaymentEnvelope.overhead + TokeniseRequest.Caps.pan + 16
  }

  static func run(
    _ request: borrowing TokeniseRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let slot = try context.key()
    let merchant = try MerchantIdentifier(parameter: request.merchantIdentifier)
    guard slot.record.role.makesSurrogates == request.transactionID.isEmpty else {
      throw .rejected(.parameters)
    }
    guard PAN.hasForm(request.pan), PAN.isLuhnValid(request.pan) else { throw .rejected(.pan) }
    try context.finding.note(pan: request.pan, transaction: request.transactionID, context)
    if slot.record.role.makesSurrogates {
      let surrogate = try slot.surrogate(
        of: request.pan, merchant, context.rules.standInKeys.surrogateFormat(of: merchant))
      var answer = TokeniseReply()
      answer.surrogate = surrogate.bytes
      try reply.write(answer)
      context.finding.released = ReleasedFields([.surrogate])
    } else {
      let terms = try terms(merchant, request.lifetime, context)
      let envelope = try SealedPayment(pan: request.pan).sealed(
        with: slot, for: merchant, request.transactionID, terms)
      var answer = TokeniseReply()
      answer.envelope = envelope.span
      try reply.write(answer)
      context.finding.released = ReleasedFields([.envelope])
      context.finding.inputs.sealed = ReleasedFields([.dpan])
    }
  }

  /// Where the merchant's envelopes open once, one of these does, too, and lasts no longer than
  /// they do.
  private static func terms(
    _ merchant: MerchantIdentifier, _ lifetime: UInt32, _ context: borrowing OperationContext
  ) throws(OperationError) -> PaymentEnvelope.Terms {
    let configured = context.rules.standInKeys.merchants[merchant.text]?.envelopes
    let opensOnce = configured?.openOnce ?? false
    guard PaymentEnvelope.lifetimes.contains(lifetime),
      !opensOnce || lifetime <= configured?.lifetime ?? 0
    else { throw .rejected(.parameters) }
    return PaymentEnvelope.Terms(opensOnce: opensOnce, made: context.now, lifetime: lifetime)
  }
}

/// `detokenise`: returns the PAN behind a surrogate [OP-SURR-5].
enum Detokenise: Operation {
  static let opcode = Opcode.detokenise

  static func run(
    _ request: borrowing DetokeniseRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let slot = try context.key()
    let merchant = try MerchantIdentifier(parameter: request.merchantIdentifier)
    let pan = try slot.pan(
      ofSurrogate: request.surrogate, merchant,
      context.rules.standInKeys.surrogateFormat(of: merchant))
    try context.finding.note(pan: pan.bytes, transaction: Span(), context)
    var answer = DetokeniseReply()
    answer.pan = pan.bytes
    try reply.write(answer)
    context.finding.released = ReleasedFields([.dpan])
  }
}
