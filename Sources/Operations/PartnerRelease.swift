import ApplePay
import Audit
import Crypto
import Format
import Host
import KeyStore
import Policy

/// Where the fields of a payment go if the grant names a partner: into a JWE for that partner's
/// key, and nowhere else [OP-PARTNER-1].
struct PartnerRelease {
  private let slot: KeySlot

  /// Nil if the grant names none.
  ///
  /// - Throws: `.rejected(.partnerKey)` if the partner has no active key, or its time is over:
  ///   before anything is opened.
  init?(_ context: borrowing OperationContext) throws(OperationError) {
    guard let text = context.grant.partner else { return nil }
    guard let label = KeyLabel(text) else { throw .rejected(.partnerKey) }
    do throws(KeyStoreError) {
      slot = try context.keys.partnerKey(
        label, for: context.grant, at: context.now, context.noteUse)
    } catch {
      throw OperationError(partner: error)
    }
  }

  /// A field is in the body once; it takes three bytes for one at most, where it has escapes, and a
  /// third more in base64.
  static func replyCap(forBodyOf bodyCount: Int) -> Int { 4 * bodyCount + CompactJWE.overhead }

  func write(
    _ payment: borrowing SealedPayment, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    try write(payment.fields, of: payment.payment, context, into: &reply)
  }

  /// Writes the time of signing and, if there is any of these fields, the JWE with them.
  ///
  /// - Parameter fields: those of `payment` that are released.
  func write(
    _ fields: ReleasedFields, of payment: OpenPaymentTokenReply,
    _ context: borrowing OperationContext, into reply: inout MessageWriter
  ) throws(OperationError) {
    let jwe = fields.isEmpty ? "" : try jwe(fields, of: payment, at: context.now)
    try reply.write(signingTime: payment.signingTime)
    try reply.write(.jwe, jwe.utf8.span)
    context.finding.released = fields
    context.finding.inputs.partner = slot.record.label.text
    context.finding.furtherKeys.append(slot.record.id)
  }

  private func jwe(_ fields: ReleasedFields, of payment: OpenPaymentTokenReply, at now: Timestamp)
    throws(OperationError) -> String
  {
    do throws(CryptoError) {
      let payload = try payload(fields, of: payment)
      return try slot.jwe(around: payload.bytes, at: now)
    } catch { throw OperationError(error) }
  }

  private func payload(_ fields: ReleasedFields, of payment: OpenPaymentTokenReply)
    throws(CryptoError) -> SecretBuffer
  {
    let room = fields.fields.reduce(0) { $0 + PartnerPayload.capacity(of: $1.name, payment[$1]) }
    var payload = try PartnerPayload(capacity: room)
    for field in fields.fields {
      switch field.form {
      case .number: payload.add(field.name, number: payment.amount ?? 0)
      case .json: payload.add(field.name, json: payment[field])
      case .text: payload.add(field.name, text: payment[field])
      }
    }
    return try payload.finish()
  }
}

extension KeySlot {
  /// A JWE for the partner whose key this is, with the members that the key has.
  func jwe(around payload: Span<UInt8>, at now: Timestamp) throws(CryptoError) -> String {
    let members = record.jweMembers
    if let key = publicKey { return try CompactJWE.seal(payload, for: key, members, at: now) }
    let sealed = try withSymmetricKey { (key) throws(CryptoError) in
      try CompactJWE.seal(payload, underShared: key, members, at: now)
    }
    guard let sealed else { throw .invalidKey }
    return sealed
  }
}

extension OperationContext {
  /// A partner's key that a request's body names by its 16 bytes.
  ///
  /// - Throws: `.rejected(.partnerKey)` also for an absent key and one that the grant does not
  ///   cover.
  func partnerKey(_ id: Span<UInt8>) throws(OperationError) -> KeySlot {
    guard let id = KeyID(prefixOf: id) else { throw .rejected(.partnerKey) }
    do throws(KeyStoreError) { return try keys.partnerKey(id, for: grant, at: now, noteUse) } catch
    { throw OperationError(partner: error) }
  }
}

extension OperationError {
  fileprivate init(partner error: KeyStoreError) {
    if case .wrongState = error {
      self = .rejected(.partnerKey)
    } else {
      self =
        error == .unknownKey || error == .wrongRole ? .rejected(.partnerKey) : OperationError(error)
    }
  }
}

extension ReleasedField {
  fileprivate enum Form { case number, json, text }

  /// What it is in JSON [OP-PARTNER-3].
  fileprivate var form: Form {
    switch self {
    case .amount: .number
    case .authenticationResponses, .merchantToken: .json
    case .dpan, .last4, .bin, .network, .expiry, .currency, .cryptogram, .eci, .paymentDataType,
      .deviceManufacturer, .emvData, .encryptedPIN,
      .cardholderName, .raw, .surrogate, .envelope, .jwe:
      .text
    }
  }
}
