import ApplePay
import Audit
import Crypto
package import Format
import Host
package import KeyStore
import Policy

/// What is made of one token with other keys, which are looked up before anything is opened: an
/// envelope, and a surrogate of its PAN.
struct StandIns {
  private let merchant: MerchantIdentifier
  private var envelope: (slot: KeySlot, fields: ReleasedFields, configured: StandInKeys.Envelopes)?
  private var surrogate: KeySlot?

  /// - Parameter leaving: the fields that are granted and requested.
  /// - Throws: `.rejected(.standInKey)` if one of them is a stand-in for which the merchant has no
  ///   active key, so that a service which relies on surrogates gets an error rather than none.
  init(
    _ leaving: ReleasedFields, of merchant: MerchantIdentifier,
    _ context: borrowing OperationContext
  ) throws(OperationError) {
    self.merchant = merchant
    let configured = context.rules.standInKeys.merchants[merchant.text]
    if leaving.contains(.envelope) {
      guard let envelopes = configured?.envelopes else { throw .rejected(.standInKey) }
      envelope = (try Self.slot(envelopes.key, .sealing, context), context.grant.sealed, envelopes)
    }
    if leaving.contains(.surrogate) {
      surrogate = try Self.slot(configured?.surrogateKey, .surrogate, context)
    }
  }

  /// Writes a surrogate of the payment's PAN and an envelope with its fields, as far as it has
  /// them; they are the reply's last fields.
  func write(
    _ payment: borrowing PaymentData, _ signingTime: Timestamp, transaction: Span<UInt8>,
    _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    if envelope != nil || surrogate != nil, let pan = payment.pan {
      try context.finding.note(pan: pan, transaction: transaction, context)
    }
    if let slot = surrogate, let pan = payment.pan {
      let digits = try slot.surrogate(
        of: pan, merchant, context.rules.standInKeys.surrogateFormat(of: merchant))
      try reply.write(.surrogate, digits.bytes)
      context.finding.add(.surrogate, madeWith: slot)
    }
    guard let (slot, fields, configured) = envelope else { return }
    let contents = try SealedPayment(fields, of: payment, signingTime)
    guard !contents.fields.isEmpty else { return }
    // That of a token that is opened again lasts no longer than the first, which is remembered so
    // long. [OP-OPEN-12]
    let made = context.opened(by: context.now)
    let terms = PaymentEnvelope.Terms(
      opensOnce: configured.openOnce, made: Timestamp(seconds: made), lifetime: configured.lifetime)
    let sealed = try contents.sealed(with: slot, for: merchant, transaction, terms)
    try reply.write(.envelope, sealed.span)
    context.finding.inputs.sealed = contents.fields
    context.finding.add(.envelope, madeWith: slot)
  }

  private static func slot(
    _ label: KeyLabel?, _ role: KeyRole, _ context: borrowing OperationContext
  ) throws(OperationError) -> KeySlot {
    guard let label else { throw .rejected(.standInKey) }
    do throws(KeyStoreError) {
      return try context.keys.key(
        label, of: role, beside: context.grant, at: context.now, context.noteUse)
    } catch {
      throw .rejected(.standInKey)
    }
  }
}

extension Finding {
  fileprivate func add(_ field: ReleasedField, madeWith slot: KeySlot) {
    released.formUnion(ReleasedFields([field]))
    furtherKeys.append(slot.record.id)
  }
}

/// Which keys make surrogates and envelopes of opened tokens, and in which format surrogates are,
/// by merchant identifier [OP-SURR-7] [OP-ENV-1].
package struct StandInKeys: Sendable {
  package struct Merchant: Hashable, Sendable {
    package let surrogateKey: KeyLabel?
    package let surrogateFormat: SurrogateFormat
    package let envelopes: Envelopes?

    package init(
      surrogateKey: KeyLabel?, surrogateFormat: SurrogateFormat = .usual, envelopes: Envelopes?
    ) {
      self.surrogateKey = surrogateKey
      self.surrogateFormat = surrogateFormat
      self.envelopes = envelopes
    }
  }

  package struct Envelopes: Hashable, Sendable {
    package let key: KeyLabel
    /// How long they can be opened, in seconds.
    package let lifetime: UInt32
    package let openOnce: Bool

    package init(key: KeyLabel, lifetime: UInt32, openOnce: Bool) {
      self.key = key
      self.lifetime = lifetime
      self.openOnce = openOnce
    }
  }

  package let merchants: [String: Merchant]

  package init(merchants: [String: Merchant] = [:]) { self.merchants = merchants }

  /// That of a merchant's surrogates, whichever operation makes or takes them [OP-SURR-10].
  package func surrogateFormat(of merchant: MerchantIdentifier) -> SurrogateFormat {
    merchants[merchant.text]?.surrogateFormat ?? .usual
  }

  /// For how long an envelope that opens once must be remembered, in seconds.
  package var longestOneUse: UInt32 {
    ReplayHorizon.oneUse(
      merchants.values.compactMap(\.envelopes).filter(\.openOnce).map(\.lifetime))
  }
}
