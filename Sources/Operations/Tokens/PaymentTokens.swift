import ApplePay
import Audit
import Crypto
import Format
import Host
import KeyStore
import Policy

/// `open-payment-token`: verifies a token as Apple asks, refuses replays, decrypts, compares, and
/// releases what the grant names.
///
/// The order follows Apple's "Payment token format reference": no step is skipped, and nothing is
/// decrypted before signature, signing time and replay guard have passed [OP-OPEN-1].
enum OpenPaymentToken: Operation {
  static let opcode = Opcode.openPaymentToken

  /// Each released field occurs in the decrypted data and is sent at most three times: by itself,
  /// within `raw` and sealed; or once, with escapes and in base64, in a JWE.
  static func replyCap(forBodyOf bodyCount: Int) -> Int {
    max(3 * bodyCount + 1024, PartnerRelease.replyCap(forBodyOf: bodyCount))
  }

  static func retryWindow(
    of request: borrowing OpenPaymentTokenRequest, _ key: KeyID, _ keys: KeyStore,
    _ windows: MerchantWindows
  ) -> UInt32 {
    request.retryKey.isEmpty ? 0 : windows.window(of: keys.record(for: key)?.merchant)
  }

  static let opens: OpenedOnce? = .token

  /// Looks at its token's signature, chain, signing time and key.
  static func opening(
    _ request: borrowing OpenPaymentTokenRequest, _ search: borrowing OpeningSearch
  ) throws(OperationError) -> FoundOpening.Opening? {
    let daemon = search.daemon
    let record = try search.key().record
    guard Digest256(request.token.publicKeyHash) == Digest256(record.check.value) else {
      return nil
    }
    // One that is opened again elsewhere was fresh at its first opening, so that it may be older by
    // the window.
    let window = daemon.window(for: record, search.rules) + search.window
    let proof: TokenProof
    do throws(TokenError) {
      let verified = try daemon.verifier.verify(
        PaymentToken(request.token), now: search.now, window: window)
      proof = verified.proof
    } catch { throw OperationError(error) }
    let transaction = try transactionDigest(request.token, daemon)
    guard !daemon.replays.knows(transaction),
      !daemon.replays.isForgotten(signedAt: proof.signingTime)
    else { return nil }
    let digest = try search.digests.opening(
      request.token.publicKeyHash, request.token.transactionID)
    return FoundOpening.Opening(digest: digest, made: proof.signingTime.seconds, proof: proof)
  }

  static func run(
    _ request: borrowing OpenPaymentTokenRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let transaction = try transactionDigest(request.token, context.daemon)
    let finding = context.finding
    finding.inputs.transaction = transaction
    let slot = try context.key()
    let leaving =
      request.release.isEmpty
      ? context.grant.released : context.grant.released.intersection(request.release)
    let sealed = leaving.contains(.envelope) ? context.grant.sealed : []
    try finding.demand(request.required.subtracting(sealed), of: leaving)
    let now = context.now

    let verified = try verify(request.token, slot, context)
    let signingTime = verified.signingTime
    let opener = try opener(verified, slot)
    guard let merchant = slot.record.merchant else { throw .noSuchKey }
    let standIns = try StandIns(leaving, of: merchant, context)
    let partner = try PartnerRelease(context)

    try context.reserveRepetition(at: now)
    try context.reserve(
      transaction, in: context.daemon.replays, made: signingTime, at: now, refusing: .replay,
      .signingTime)
    try context.requireClaim(of: merchant, refusing: .replay)
    let payment = try payment(opener)
    try check(payment, request)
    if let partner {
      try partner.write(SealedPayment(leaving, of: payment, signingTime), context, into: &reply)
    } else {
      finding.released = try reply.write(leaving, of: payment, signingTime)
    }
    try standIns.write(
      payment, signingTime, transaction: request.token.transactionID, context, into: &reply)
    try finding.demand(request.required.subtracting(finding.inputs.sealed), of: finding.released)
  }

  /// Has Apple's signature checked, unless that was done before the token was claimed.
  @_lifetime(copy token)
  private static func verify(
    _ token: borrowing PaymentTokenMessage, _ slot: KeySlot, _ context: borrowing OperationContext
  ) throws(OperationError) -> VerifiedToken {
    // A token that is opened again was fresh when it was opened first.
    let isAgain = context.retry.isRepetition || context.claim.elsewhere != nil
    let window = isAgain ? .max : context.window(for: slot.record)
    let verifier = context.daemon.verifier
    do throws(TokenError) {
      let token = try PaymentToken(token)
      guard let proof = context.claim.found?.proof else {
        return try verifier.verify(token, now: context.now, window: window)
      }
      return try verifier.verify(token, by: proof, now: context.now, window: window)
    } catch { throw OperationError(error) }
  }

  /// Checks that the token was made for this key [OP-OPEN-5].
  @_lifetime(copy token)
  private static func opener(_ token: consuming VerifiedToken, _ slot: KeySlot)
    throws(OperationError) -> PaymentTokenOpener
  {
    guard let key = slot.privateKey, let merchant = slot.record.merchant else { throw .noSuchKey }
    do throws(TokenError) {
      return try PaymentTokenOpener(token, key: key, merchantIdentifierHash: merchant.hash)
    } catch { throw OperationError(error) }
  }

  private static func payment(_ opener: consuming PaymentTokenOpener) throws(OperationError)
    -> PaymentData
  {
    do throws(TokenError) { return try PaymentData(try opener.open()) } catch {
      throw OperationError(error)
    }
  }

  /// Apple's sixth step: checks that the payment is the one that the caller expects [OP-OPEN-8].
  private static func check(
    _ payment: borrowing PaymentData, _ request: borrowing OpenPaymentTokenRequest
  ) throws(OperationError) {
    let expected = PaymentExpectation(
      currency: request.expectedCurrency.isEmpty ? nil : request.expectedCurrency.array,
      amount: request.expectedAmount,
      applicationData: request.expectedApplicationData.isEmpty
        ? nil : request.expectedApplicationData.array)
    try onToken(payment.check(expected, applicationData: request.token.applicationData))
  }
}

/// `verify-payment-token`: Apple's checks up to the signing time, without a key and without
/// decrypting anything.
enum VerifyPaymentToken: Operation {
  static let opcode = Opcode.verifyPaymentToken

  static func run(
    _ request: borrowing VerifyPaymentTokenRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let transaction = try transactionDigest(request.token, context.daemon)
    context.finding.inputs.transaction = transaction
    var window = context.rules.freshness.general
    if let id = context.grant.key, let record = context.keys.record(for: id) {
      window = context.window(for: record)
    }
    let signingTime: Timestamp
    do throws(TokenError) {
      let verified = try context.daemon.verifier.verify(
        PaymentToken(request.token), now: context.now, window: window)
      signingTime = verified.signingTime
    } catch { throw OperationError(error) }
    guard
      request.expectedApplicationData.isEmpty
        || ConstantTime.equal(request.expectedApplicationData, request.token.applicationData)
    else { throw .rejected(.expectation) }
    try reply.write(VerifyPaymentTokenReply(signingTime: UInt64(clamping: signingTime.seconds)))
  }
}

extension PaymentToken {
  /// Checks the wire's fields for size and against the version.
  @_lifetime(copy message)
  init(_ message: borrowing PaymentTokenMessage) throws(TokenError) {
    try self.init(
      version: message.version, data: message.data, signature: message.signature,
      ephemeralPublicKey: message.ephemeralPublicKey, wrappedKey: message.wrappedKey,
      publicKeyHash: message.publicKeyHash,
      transactionID: message.transactionID, applicationData: message.applicationData)
  }
}

/// The keyed digest that stands for the token's transaction in the log and the replay guard.
func transactionDigest(_ token: borrowing PaymentTokenMessage, _ daemon: DaemonContext)
  throws(OperationError) -> KeyedDigest
{
  try onCrypto(daemon.digests.digest(.transaction, of: token.transactionID))
}

/// Runs code of `ApplePay`, and tells its error as the operation's.
func onToken<R: ~Copyable>(_ body: @autoclosure () throws(TokenError) -> R) throws(OperationError)
  -> R
{
  do throws(TokenError) { return try body() } catch { throw OperationError(error) }
}

extension OperationError {
  fileprivate init(_ error: TokenError) {
    switch error {
    case .exhausted: self = .busy(.memory)
    case .backend: self = .fault
    case .rejected(let rejection): self = .rejected(rejection.stage)
    }
  }
}

extension TokenRejection {
  fileprivate var stage: Stage {
    switch self {
    case .format: .format
    case .version: .version
    case .cms: .cms
    case .leafMarker: .leafMarker
    case .intermediateMarker: .intermediateMarker
    case .extraCertificate: .extraCertificate
    case .chain: .chain
    case .signer: .signer
    case .algorithm: .algorithm
    case .signedAttributes: .signedAttributes
    case .messageDigest: .messageDigest
    case .signature: .signature
    case .certificateValidity: .certificateValidity
    case .signingTime: .signingTime
    case .publicKeyHash: .publicKeyHash
    case .keyAgreement: .keyAgreement
    case .tag: .tag
    case .plaintext: .plaintext
    case .expectation: .expectation
    }
  }
}
