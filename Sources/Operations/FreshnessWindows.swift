package import KeyStore

/// How far a token's signing time may be from the present, in seconds.
package struct FreshnessWindows: Sendable {
  package let general: UInt32
  /// By merchant identifier.
  package let merchants: [String: UInt32]

  package init(general: UInt32, merchants: [String: UInt32] = [:]) { (self.general, self.merchants) = (general, merchants) }

  /// The key's own window, its merchant's, or the general one.
  package func window(for record: KeyRecord) -> UInt32 {
    if let own = record.freshnessWindow { return UInt32(clamping: own) }
    return record.merchant.flatMap { merchants[$0.text] } ?? general
  }

  package var longest: UInt32 { max(general, merchants.values.max() ?? 0) }
}
