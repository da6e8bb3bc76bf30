package import Format
package import KeyStore
internal import Policy

/// Which keys make surrogates and envelopes of opened tokens, and in which format surrogates are, by merchant identifier [OP-SURR-7] [OP-ENV-1].
package struct StandInKeys: Sendable {
  package struct Merchant: Hashable, Sendable {
    package let surrogateKey: KeyLabel?
    package let surrogateFormat: SurrogateFormat
    package let envelopes: Envelopes?

    package init(surrogateKey: KeyLabel?, surrogateFormat: SurrogateFormat = .usual, envelopes: Envelopes?) {
      (self.surrogateKey, self.surrogateFormat, self.envelopes) = (surrogateKey, surrogateFormat, envelopes)
    }
  }

  package struct Envelopes: Hashable, Sendable {
    package let key: KeyLabel
    /// How long they can be opened, in seconds.
    package let lifetime: UInt32
    package let openOnce: Bool

    package init(key: KeyLabel, lifetime: UInt32, openOnce: Bool) { (self.key, self.lifetime, self.openOnce) = (key, lifetime, openOnce) }
  }

  package let merchants: [String: Merchant]

  package init(merchants: [String: Merchant] = [:]) { self.merchants = merchants }

  /// That of a merchant's surrogates, whichever operation makes or takes them [OP-SURR-10].
  package func surrogateFormat(of merchant: MerchantIdentifier) -> SurrogateFormat { merchants[merchant.text]?.surrogateFormat ?? .usual }

  /// For how long an envelope that opens once must be remembered, in seconds.
  package var longestOneUse: UInt32 { ReplayHorizon.oneUse(merchants.values.compactMap(\.envelopes).filter(\.openOnce).map(\.lifetime)) }
}
