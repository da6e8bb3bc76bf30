package import KeyStore

/// A span of time that merchants may have of their own, in seconds: how far a token's signing time may be from the present, or for how long
/// an opening can be repeated.
package struct MerchantWindows: Sendable {
  package let general: UInt32
  /// By merchant identifier.
  package let merchants: [String: UInt32]

  package init(general: UInt32, merchants: [String: UInt32] = [:]) { (self.general, self.merchants) = (general, merchants) }

  /// The merchant's own window, or the general one.
  package func window(of merchant: MerchantIdentifier?) -> UInt32 { merchant.flatMap { merchants[$0.text] } ?? general }

  package var longest: UInt32 { max(general, merchants.values.max() ?? 0) }
}
