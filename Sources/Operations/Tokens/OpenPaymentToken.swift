internal import ApplePay
internal import Audit
internal import CryptoBackend
internal import Encoding
internal import KeyStore
package import Policy
internal import SecretMemory
package import Wire

/// `open-payment-token`: verifies a token as Apple asks, refuses replays, decrypts, compares, and releases what the grant names.
///
/// The order follows Apple's "Payment token format reference": no step is skipped, and nothing is decrypted before
/// signature, signing time and replay guard have passed [OP-OPEN-1].
package enum OpenPaymentToken: Operation {
  package static let opcode = Opcode.openPaymentToken
  package static let bodyCap = PaymentTokenMessage.Caps.message + 192
  package static let replyCap: Int = replyCap(forBodyOf: bodyCap)

  /// Each released field occurs in the decrypted data and is sent at most twice, by itself and within `raw`; stand-ins for the PAN are short.
  package static func replyCap(forBodyOf bodyCount: Int) -> Int { 2 * bodyCount + 1024 }

  package static func run(
    _ body: consuming MessageReader, _ grant: borrowing Grant, _ context: borrowing OperationContext, into reply: inout MessageWriter,
    finding: inout Finding
  ) throws(OperationError) {
    let request = try OpenPaymentTokenRequest(decoding: body)
    let transaction = try transactionDigest(request.token, context)
    finding.inputs.transaction = transaction
    let slot = try context.key(for: grant)
    let leaving = request.release.isEmpty ? grant.released : grant.released.intersection(request.release)
    try finding.demand(request.required, of: leaving)
    let now = context.now

    let verified: VerifiedToken
    do throws(TokenError) {
      verified = try context.daemon.verifier.verify(PaymentToken(request.token), now: now, window: context.window(for: slot.record))
    } catch { throw OperationError(error) }
    let signingTime = verified.signingTime
    let opener = try opener(verified, slot)
    guard let merchant = slot.record.merchant else { throw .noSuchKey }
    let standIns = try StandIns(leaving, of: merchant, grant, context)

    try reserve(transaction, signingTime, now, context)
    do throws(OperationError) {
      let payment = try payment(opener)
      try check(payment, request)
      finding.released = try release(leaving, of: payment, signingTime, into: &reply)
      try standIns.write(payment, transaction: request.token.transactionID, context, into: &reply, finding: &finding)
      try finding.demand(request.required, of: finding.released)
    } catch {
      // If opening fails, the transaction does not count as opened and may be tried again.
      context.daemon.replays.release(transaction)
      throw error
    }
  }

  /// Checks that the token was made for this key [OP-OPEN-5].
  @_lifetime(copy token)
  private static func opener(_ token: consuming VerifiedToken, _ slot: KeySlot) throws(OperationError) -> PaymentTokenOpener {
    guard let key = slot.privateKey, let merchant = slot.record.merchant else { throw .noSuchKey }
    do throws(TokenError) {
      return try PaymentTokenOpener(token, key: key, merchantIdentifierHash: merchant.hash)
    } catch { throw OperationError(error) }
  }

  private static func reserve(
    _ transaction: KeyedDigest, _ signedAt: Timestamp, _ now: Timestamp, _ context: borrowing OperationContext
  ) throws(OperationError) {
    switch context.daemon.replays.reserve(transaction, signedAt: signedAt, now: now) {
    case .reserved: return
    case .replayed: throw .rejected(.replay)
    case .forgotten: throw .rejected(.signingTime)
    case .full: throw .busy
    }
  }

  private static func payment(_ opener: consuming PaymentTokenOpener) throws(OperationError) -> PaymentData {
    do throws(TokenError) { return try PaymentData(try opener.open()) } catch { throw OperationError(error) }
  }

  /// Apple's sixth step: checks that the payment is the one that the caller expects [OP-OPEN-8].
  private static func check(_ payment: borrowing PaymentData, _ request: borrowing OpenPaymentTokenRequest) throws(OperationError) {
    let expected = PaymentExpectation(
      currency: request.expectedCurrency.isEmpty ? nil : request.expectedCurrency.array, amount: request.expectedAmount,
      applicationData: request.expectedApplicationData.isEmpty ? nil : request.expectedApplicationData.array)
    do throws(TokenError) {
      try payment.check(expected, applicationData: request.token.applicationData)
    } catch { throw OperationError(error) }
  }

  /// Writes the fields that are both granted and requested to the reply, in ascending order, except stand-ins [OP-OPEN-9].
  private static func release(
    _ leaving: ReleasedFields, of payment: borrowing PaymentData, _ signingTime: Timestamp, into reply: inout MessageWriter
  ) throws(OperationError) -> ReleasedFields {
    var released: [ReleasedField] = []
    for field in leaving.fields {
      if try write(field, of: payment, into: &reply) { released.append(field) }
    }
    var seconds = UInt64(clamping: signingTime.seconds)
    do throws(WireError) { try reply.uint64(OpenPaymentTokenReply.signingTimeNumber, "signing_time", &seconds) } catch { throw .fault }
    return ReleasedFields(released)
  }

  /// Writes one field; returns false if the token does not have it.
  private static func write(
    _ field: ReleasedField, of payment: borrowing PaymentData, into reply: inout MessageWriter
  ) throws(OperationError) -> Bool {
    guard field != .amount else {
      guard let amount = payment.amount else { return false }
      do throws(WireError) { try reply.present(field.number, amount) } catch { throw .fault }
      return true
    }
    guard let source = field.source, let capacity = payment.capacity(for: source) else { return false }
    let written: Result<Void, WireError>
    do throws(TokenError) {
      written = try reply.bytes(field.number, capacity: capacity) { (out) throws(TokenError) in try payment.copy(source, into: &out) }
    } catch { throw OperationError(error) }
    guard case .success = written else { throw .fault }
    return true
  }
}

extension ReleasedField {
  /// The field's source in the payment data; nil for stand-ins for the PAN.
  fileprivate var source: PaymentField? {
    switch self {
    case .dpan: .dpan
    case .last4: .last4
    case .bin: .bin
    case .network: .network
    case .expiry: .expiry
    case .currency: .currency
    case .amount: .amount
    case .cryptogram: .cryptogram
    case .eci: .eci
    case .paymentDataType: .paymentDataType
    case .deviceManufacturer: .deviceManufacturer
    case .emvData: .emvData
    case .encryptedPIN: .encryptedPIN
    case .cardholderName: .cardholderName
    case .authenticationResponses: .authenticationResponses
    case .merchantToken: .merchantToken
    case .raw: .raw
    case .panEnvelope, .surrogate: nil
    }
  }
}
