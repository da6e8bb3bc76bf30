package import Format

/// `[apple_pay]`: how payment tokens are checked.
package struct ApplePayConfiguration: Message, Sendable {
  /// How old a token's signing time may be.
  package var freshnessWindow = Duration.zero
  /// For how long an opening can be repeated by the same request; zero for never.
  package var retryWindow = Duration.zero
  /// How many transactions the replay guard can remember at once.
  package var replayEntries = 0
  /// A file with Apple Root CA - G3, which is compared with the built-in one; nil uses only the
  /// built-in one.
  package var trustAnchor: String?
  /// Files with further CAs of Apple's that issue merchants' certificates, for when Apple begins to
  /// use another.
  package var merchantIssuers: [String] = []

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.duration(1, "freshness_window", &freshnessWindow)
    try visitor.duration(2, "retry_window", &retryWindow)
    try visitor.uint32(3, "replay_entries", &replayEntries, in: Self.replayCounts)
    try visitor.text(4, "trust_anchor", &trustAnchor, .pathIfAny)
    try visitor.texts(5, "merchant_issuers", &merchantIssuers, atMost: 4096, count: 64)
  }

  package static let replayCounts = 1024...16_777_216
}

/// `[[merchant]]`: the settings of one merchant.
package struct MerchantConfiguration: Message, Sendable {
  /// Such as `merchant.com.acme`.
  package var identifier = ""
  package var freshnessWindow, retryWindow: Duration?
  /// The labels of the keys that make surrogates of this merchant's PANs, and envelopes of its
  /// payments.
  package var surrogateKey, envelopeKey: String?
  package var surrogateFormat = SurrogateFormat.usual
  /// Whether its tokens are opened while the fleet's store is away, and claimed afterwards.
  package var opensLocally = false
  /// How long such an envelope can be opened.
  package var envelopeLifetime = Duration.zero
  /// Whether it opens once.
  package var envelopeOpensOnce = false

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "identifier", &identifier, .oneTo(255))
    try visitor.duration(2, "freshness_window", &freshnessWindow)
    try visitor.duration(3, "retry_window", &retryWindow)
    try visitor.text(4, "surrogate_key", &surrogateKey, .atMost(KeyPattern.maximumByteCount))
    try visitor.text(5, "envelope_key", &envelopeKey, .atMost(KeyPattern.maximumByteCount))
    try visitor.surrogateFormat(6, "surrogate_format", &surrogateFormat)
    try visitor.bool(7, "opens_locally", &opensLocally)
    try visitor.duration(8, "envelope_lifetime", &envelopeLifetime)
    try visitor.bool(9, "envelope_opens_once", &envelopeOpensOnce)
  }

  /// How long one that opens once can last, and for how long after it was opened a request can be
  /// repeated: a start in a fleet reads the log as far back as both together.
  package static let longestOneUse = Duration.seconds(7 * 86_400),
    longestRetry = Duration.seconds(3600)
}

/// `[provisioning]`: how the certificates that Apple gives an issuer are checked.
package struct ProvisioningConfiguration: Message, Sendable {
  /// The intermediate's common name; nil for Apple's present one.
  package var intermediateName: String?
  /// The intermediate's marker, as the numbers of its OID with dots between; nil for Apple's
  /// present one.
  package var intermediateMarker: String?
  /// Whether certificates must be valid now.
  package var checksValidity = false

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.text(1, "intermediate_name", &intermediateName, .atMost(128))
    try visitor.text(2, "intermediate_marker", &intermediateMarker, .atMost(128))
    try visitor.bool(3, "check_validity", &checksValidity)
  }
}

/// `[key_exchange]`: in which forms keys may be imported from other HSMs.
package struct KeyExchangeConfiguration: Message, Sendable {
  /// Which of the key block versions `A`, `B` and `C` are accepted besides D; by default none.
  package var oldBlocks: [String] = []

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.texts(1, "old_blocks", &oldBlocks, atMost: 1, count: 3)
  }
}
