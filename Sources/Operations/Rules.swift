package import Crypto
package import KeyStore
package import Policy

/// What a reload can change while requests are served: policy, freshness of tokens, and stand-ins
/// for PANs. Immutable.
package final class Rules: Sendable {
  package let policy: Policy
  /// SHA-256 of the policy's canonical text.
  package let policyHash: Digest256
  /// How far a token's signing time may be from the present, where its key says nothing else.
  package let freshness: MerchantWindows
  /// For how long after its first opening a token opens again for the same request; 0 for never.
  /// [OP-OPEN-11]
  package let retry: MerchantWindows
  package let standInKeys: StandInKeys
  /// The merchants whose tokens are opened while the fleet's store is away. [FLEET-F3]
  package let opensLocally: Set<String>
  /// Versions of key blocks, besides D, in which keys may be imported.
  package let oldBlocks: Set<KeyBlockVersion>
  /// SHA-256 of the configuration's text.
  package let configurationHash: Digest256

  package init(
    _ policy: Policy, freshness: MerchantWindows,
    retry: MerchantWindows = MerchantWindows(general: 0), standInKeys: StandInKeys = StandInKeys(),
    oldBlocks: Set<KeyBlockVersion> = [], opensLocally: Set<String> = [],
    configurationHash: Digest256
  ) {
    self.policy = policy
    policyHash = SHA256.hash(Array(policy.canonicalText.utf8))
    self.freshness = freshness
    self.retry = retry
    self.standInKeys = standInKeys
    self.oldBlocks = oldBlocks
    self.configurationHash = configurationHash
    self.opensLocally = opensLocally
  }
}

/// A span of time that merchants may have of their own, in seconds: how far a token's signing time
/// may be from the present, or for how long an opening can be repeated.
package struct MerchantWindows: Sendable {
  package let general: UInt32
  /// By merchant identifier.
  package let merchants: [String: UInt32]

  package init(general: UInt32, merchants: [String: UInt32] = [:]) {
    self.general = general
    self.merchants = merchants
  }

  /// The merchant's own window, or the general one.
  package func window(of merchant: MerchantIdentifier?) -> UInt32 {
    merchant.flatMap { merchants[$0.text] } ?? general
  }

  package var longest: UInt32 { max(general, merchants.values.max() ?? 0) }
}
