internal import ApplePay
internal import Audit
internal import Format
internal import Host
internal import KeyStore
internal import Policy

/// `verify-payment-token`: Apple's checks up to the signing time, without a key and without decrypting anything.
enum VerifyPaymentToken: Operation {
  package static let opcode = Opcode.verifyPaymentToken
  package static let bodyCap = PaymentTokenMessage.Caps.message + 64
  package static let replyCap = 32

  package static func run(
    _ request: borrowing VerifyPaymentTokenRequest, _ context: borrowing OperationContext, into reply: inout MessageWriter
  ) throws(OperationError) {
    let transaction = try transactionDigest(request.token, context.daemon)
    context.finding.inputs.transaction = transaction
    var window = context.rules.freshness.general
    if let id = context.grant.key, let record = context.keys.record(for: id) { window = context.window(for: record) }
    let signingTime: Timestamp
    do throws(TokenError) {
      let verified = try context.daemon.verifier.verify(PaymentToken(request.token), now: context.now, window: window)
      signingTime = verified.signingTime
    } catch { throw OperationError(error) }
    guard request.expectedApplicationData.isEmpty || ConstantTime.equal(request.expectedApplicationData, request.token.applicationData)
    else { throw .rejected(.expectation) }
    try reply.write(VerifyPaymentTokenReply(signingTime: UInt64(clamping: signingTime.seconds)))
  }
}
