import ApplePay
import Audit
import Crypto
package import Format
import Host
package import KeyStore
import Policy

/// `open-envelope`: releases what is sealed in a payment envelope, as far as the grant names it
/// [OP-ENV-3].
package enum OpenEnvelope: Operation {
  package static let opcode = Opcode.openEnvelope

  /// What is sealed is shorter than the envelope.
  package static func replyCap(forBodyOf bodyCount: Int) -> Int {
    PartnerRelease.replyCap(forBodyOf: bodyCount)
  }

  package static func retryWindow(
    of request: borrowing OpenEnvelopeRequest, _ key: KeyID, _ keys: KeyStore,
    _ windows: MerchantWindows
  ) -> UInt32 {
    request.retryKey.isEmpty
      ? 0 : windows.window(of: MerchantIdentifier(request.merchantIdentifier))
  }

  package static let opens: OpenedOnce? = .envelope

  /// Opens an envelope that opens once, since nobody else can tell whether it is genuine.
  /// [FLEET-CLAIM-11]
  package static func opening(
    _ request: borrowing OpenEnvelopeRequest, _ search: borrowing OpeningSearch
  ) throws(OperationError) -> FoundOpening.Opening? {
    let envelope = try parse(request.envelope)
    let terms = envelope.terms
    let daemon = search.daemon
    guard terms.opensOnce, terms.isTimely(at: search.now) else { return nil }
    let merchant = try MerchantIdentifier(parameter: request.merchantIdentifier)
    // One that another host has opened may have expired since.
    let opened = search.now.adding(seconds: -Int64(search.window))
    let contents = try search.key().contents(
      of: envelope, for: merchant, request.transactionID, now: opened)
    let payment = try payment(in: contents.bytes)
    guard request.required.subtracting(payment.fields).isEmpty else { return nil }
    let used = try digest(request.transactionID, payment.dpan, daemon)
    let made = Timestamp(seconds: terms.made)
    guard !daemon.usedEnvelopes.knows(used), !daemon.usedEnvelopes.isForgotten(signedAt: made)
    else { return nil }
    let claimed = try search.digests.payment(request.transactionID, payment.dpan)
    let signed = Int64(clamping: payment.signingTime)
    return FoundOpening.Opening(digest: claimed, made: signed > 0 ? signed : terms.made)
  }

  package static func run(
    _ request: borrowing OpenEnvelopeRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let slot = try context.key()
    let leaving =
      request.release.isEmpty
      ? context.grant.released : context.grant.released.intersection(request.release)
    try context.finding.demand(request.required, of: leaving)
    let merchant = try MerchantIdentifier(parameter: request.merchantIdentifier)
    let now = context.now
    let partner = try PartnerRelease(context)
    let envelope = try parse(request.envelope)
    // One that is opened again had not expired when it was opened first. [OP-ENV-7]
    let opened = Timestamp(seconds: context.opened(by: now))
    let contents = try slot.contents(
      of: envelope, for: merchant, request.transactionID, now: opened)
    let payment = try payment(in: contents.bytes)
    try context.finding.note(pan: payment.dpan, transaction: request.transactionID, context)
    let released = leaving.intersection(payment.fields)
    try context.finding.demand(request.required, of: released)
    try context.reserveRepetition(at: now)
    if envelope.terms.opensOnce {
      try spend(envelope.terms, request.transactionID, payment.dpan, now, context)
      try context.requireClaim(of: merchant, refusing: .envelopeUsed)
    }
    if let partner {
      try partner.write(released, of: payment, context, into: &reply)
    } else {
      try write(released, of: payment, into: &reply)
      context.finding.released = released
    }
  }

  private static func write(
    _ fields: ReleasedFields, of payment: OpenPaymentTokenReply, into reply: inout MessageWriter
  ) throws(OperationError) {
    for field in fields.fields {
      if field == .amount, let amount = payment.amount {
        try onReply(reply.present(field.number, amount))
      }
      try reply.write(field, payment[field])
    }
    try reply.write(signingTime: payment.signingTime)
  }

  @_lifetime(copy bytes)
  private static func parse(_ bytes: Span<UInt8>) throws(OperationError) -> PaymentEnvelope {
    do throws(PANError) { return try PaymentEnvelope(bytes) } catch { throw OperationError(error) }
  }

  /// - Throws: `.fault`, for nobody else can have sealed it.
  @_lifetime(copy contents)
  private static func payment(in contents: Span<UInt8>) throws(OperationError)
    -> OpenPaymentTokenReply
  {
    do throws(WireError) { return try OpenPaymentTokenReply(MessageReader(contents)) } catch {
      throw .fault
    }
  }

  /// Reserves the payment's envelope, which stays used until it expires [OP-ENV-5]. A token that is
  /// opened again gives another one.
  ///
  /// - Throws: `.rejected(.envelopeUsed)` also if nobody can know any more whether it was.
  private static func spend(
    _ terms: PaymentEnvelope.Terms, _ transaction: Span<UInt8>, _ pan: Span<UInt8>,
    _ now: Timestamp, _ context: borrowing OperationContext
  ) throws(OperationError) {
    let digest = try digest(transaction, pan, context.daemon)
    context.finding.inputs.envelope = digest
    guard context.retry.isRepetition || terms.isTimely(at: now) else { throw .rejected(.expired) }
    let made = Timestamp(seconds: terms.made)
    let used = context.daemon.usedEnvelopes
    try context.reserve(
      digest, in: used, made: made, at: now, refusing: .envelopeUsed, .envelopeUsed)
  }

  private static func digest(
    _ transaction: Span<UInt8>, _ pan: Span<UInt8>, _ daemon: DaemonContext
  ) throws(OperationError) -> KeyedDigest {
    try onCrypto(daemon.digests.digest(ofPayment: transaction, pan))
  }
}

extension PaymentEnvelope.Terms {
  /// Whether it was not made too far ahead: the memory of a restart begins this much later than the
  /// log that it is read from.
  fileprivate func isTimely(at now: Timestamp) -> Bool {
    made <= now.seconds + Int64(ReplayHorizon.envelopeLead)
  }
}
