package import KeyStore

/// Which keys make the stand-ins for PANs of opened tokens, by merchant identifier [OP-SURR-7].
package struct StandInKeys: Sendable {
  package struct Merchant: Hashable, Sendable {
    package let surrogateKey, envelopeKey: KeyLabel?
    /// How long the merchant's envelopes can be opened, in seconds.
    package let envelopeLifetime: UInt32

    package init(surrogateKey: KeyLabel?, envelopeKey: KeyLabel?, envelopeLifetime: UInt32) {
      (self.surrogateKey, self.envelopeKey, self.envelopeLifetime) = (surrogateKey, envelopeKey, envelopeLifetime)
    }
  }

  package let merchants: [String: Merchant]

  package init(merchants: [String: Merchant] = [:]) { self.merchants = merchants }
}
