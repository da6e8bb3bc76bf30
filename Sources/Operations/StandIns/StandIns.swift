internal import ApplePay
internal import CryptoBackend
internal import Encoding
internal import KeyStore
internal import Policy
internal import SecretMemory
internal import Wire

/// The stand-ins for one token's PAN and their keys, which are looked up before anything is opened.
struct StandIns {
  private let merchant: MerchantIdentifier
  private var envelope: (slot: KeySlot, lifetime: UInt32)?
  private var surrogate: KeySlot?

  /// - Parameter leaving: the fields that are granted and requested.
  /// - Throws: `.rejected(.standInKey)` if one of them is a stand-in for which the merchant has no active key, so that a service which
  ///   relies on surrogates gets an error rather than none.
  init(_ leaving: ReleasedFields, of merchant: MerchantIdentifier, _ grant: borrowing Grant, _ context: borrowing OperationContext) throws(OperationError) {
    self.merchant = merchant
    let configured = context.rules.standInKeys.merchants[merchant.text]
    if leaving.contains(.panEnvelope) {
      let slot = try Self.slot(configured?.envelopeKey, .sealing, grant, context)
      envelope = (slot, configured?.envelopeLifetime ?? 0)
    }
    if leaving.contains(.surrogate) { surrogate = try Self.slot(configured?.surrogateKey, .surrogate, grant, context) }
  }

  /// Writes the stand-ins for the payment's PAN, if it has one; they are the reply's last fields.
  func write(
    _ payment: borrowing PaymentData, transaction: Span<UInt8>, _ context: borrowing OperationContext, into reply: inout MessageWriter,
    finding: inout Finding
  ) throws(OperationError) {
    guard envelope != nil || surrogate != nil, let pan = payment.pan else { return }
    try finding.note(pan: pan, transaction: transaction, context)
    if let (slot, lifetime) = envelope {
      let expiry = context.now.adding(seconds: Int64(lifetime))
      let sealed = try slot.envelope(of: pan, merchant, transaction: transaction, expiry: expiry)
      try reply.write(.panEnvelope, sealed.span)
      finding.add(.panEnvelope, madeWith: slot)
    }
    if let slot = surrogate {
      let digits = try slot.surrogate(of: pan, merchant)
      try reply.write(.surrogate, digits.bytes)
      finding.add(.surrogate, madeWith: slot)
    }
  }

  private static func slot(
    _ label: KeyLabel?, _ role: KeyRole, _ grant: borrowing Grant, _ context: borrowing OperationContext
  ) throws(OperationError) -> KeySlot {
    guard let label else { throw .rejected(.standInKey) }
    do throws(KeyStoreError) { return try context.keys.key(label, of: role, beside: grant, at: context.now) } catch { throw .rejected(.standInKey) }
  }
}

extension Finding {
  fileprivate mutating func add(_ field: ReleasedField, madeWith slot: KeySlot) {
    released.formUnion(ReleasedFields([field]))
    furtherKeys.append(slot.record.id)
  }
}
