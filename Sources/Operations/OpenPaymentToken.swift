internal import ApplePay
internal import Audit
internal import Encoding
internal import KeyStore
package import Policy
internal import SecretMemory
package import Wire

/// `open-payment-token`: verify as Apple asks, guard against replay, open, compare, and release what the grant names.
///
/// The order is that of Apple's "Payment token format reference"; nothing is skipped and nothing is opened before the
/// signature, the signing time and the replay guard have said yes [OP-OPEN-1].
package enum OpenPaymentToken: Operation {
  package static let opcode = Opcode.openPaymentToken
  package static let bodyCap = PaymentTokenMessage.Caps.message + 128
  package static let replyCap = 2 * PaymentTokenMessage.Caps.data

  package static func run(
    _ body: consuming MessageReader, _ grant: borrowing Grant, _ context: OperationContext, into reply: inout MessageWriter,
    finding: inout Finding
  ) throws(OperationError) {
    let request: OpenPaymentTokenRequest
    do throws(WireError) { request = try OpenPaymentTokenRequest(body) } catch { throw .wire(error) }
    let transaction = try transactionDigest(request.token, context)
    finding.inputs.transaction = transaction
    guard let id = grant.key, let record = context.keys.record(for: id) else { throw .noSuchKey }

    let now = context.clock()
    do throws(TokenError) {
      let verified = try context.verifier.verify(
        PaymentToken(request.token), now: now, window: context.freshness.window(for: record))
      try reserve(transaction, verified.signingTime, now, context)
      do throws(OperationError) {
        finding.released = try open(verified, request, grant, context, into: &reply)
      } catch {
        // A transaction whose opening failed was not opened, and may be tried again.
        context.replays.release(transaction)
        throw error
      }
    } catch { throw OperationError(error) }
  }
}
