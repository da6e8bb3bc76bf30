package import Encoding
internal import Policy

/// `[apple_pay]`: how payment tokens are checked.
package struct ApplePayConfiguration: Sendable {
  /// How old a token's signing time may be.
  package let freshnessWindow: Duration
  /// For how long an opening can be repeated by the same request; zero for never.
  package let retryWindow: Duration
  /// How many transactions the replay guard can remember at once.
  package let replayEntries: Int
  /// A file with Apple Root CA - G3, which is compared with the built-in one; nil uses only the built-in one.
  package let trustAnchor: String?
  /// Files with further CAs of Apple's that issue merchants' certificates, for when Apple begins to use another.
  package let merchantIssuers: [String]

  /// - Parameter isSandbox: a sandbox trusts its own root alone, and what that has issued.
  init(_ table: TOMLTable, isSandbox: Bool) throws(ConfigurationError) {
    for key in ["trust_anchor", "merchant_issuers"] where isSandbox {
      if let node = table.optional(key) {
        throw node.error("'\(key)' stands beside [sandbox], which trusts its own root alone; expected one of the two")
      }
    }
    freshnessWindow = try table.optional("freshness_window")?.freshnessWindow() ?? .seconds(300)
    retryWindow = try table.optional("retry_window")?.retryWindow() ?? .seconds(120)
    replayEntries = try table.optional("replay_entries")?.integer(in: 1024...16_777_216) ?? 1 << 20
    trustAnchor = try table.optional("trust_anchor")?.path()
    merchantIssuers = try table.list("merchant_issuers", "paths") { node throws(ConfigurationError) in try node.path() }
  }
}

/// `[[merchant]]`: the settings of one merchant.
package struct MerchantConfiguration: Sendable {
  /// Such as `merchant.com.acme`.
  package let identifier: String
  package let freshnessWindow, retryWindow: Duration?
  /// The labels of the keys that make surrogates of this merchant's PANs, and envelopes of its payments.
  package let surrogateKey, envelopeKey: String?
  package let surrogateFormat: SurrogateFormat
  /// Whether its tokens are opened while the fleet's store is away, and claimed afterwards.
  package let opensLocally: Bool
  /// How long such an envelope can be opened.
  package let envelopeLifetime: Duration
  /// Whether it opens once.
  package let envelopeOpensOnce: Bool

  /// How long one that opens once can last, and for how long after it was opened a request can be repeated: a start in a fleet
  /// reads the log as far back as both together.
  package static let longestOneUse = Duration.seconds(7 * 86_400), longestRetry = Duration.seconds(3600)

  /// - Throws: if an identifier appears twice, or something is said of envelopes that have no key, or of claims without a fleet.
  static func decode(_ root: TOMLTable, inFleet: Bool) throws(ConfigurationError) -> [MerchantConfiguration] {
    var seen: Set<String> = []
    return try root.sections("merchant") { table throws(ConfigurationError) in
      let expected = "a merchant identifier such as \"merchant.com.acme\""
      let node = try table.required("identifier", expected)
      let identifier = try node.text(expected) { $0.isToken(count: 255, without: "\"\\") ? $0 : nil }
      guard seen.insert(identifier).inserted else { throw node.unfit("\"\(identifier)\" again", "each merchant once") }
      let window = try table.optional("freshness_window")?.freshnessWindow()
      let retryWindow = try table.optional("retry_window")?.retryWindow()
      let (surrogateKey, envelopeKey) = (try table.optional("surrogate_key")?.keyLabel(), try table.optional("envelope_key")?.keyLabel())
      let format = try table.optional("surrogate_format")?.decodeTable(SurrogateFormat.decode) ?? .usual
      for key in ["envelope_lifetime", "envelope_one_use"] where envelopeKey == nil {
        if let node = table.optional(key) { throw node.error("'\(key)' stands without 'envelope_key'; expected both or neither") }
      }
      let claims = table.optional("claims")
      if let claims, !inFleet { throw claims.error("'claims' stands without [fleet]; expected both or neither") }
      let opensLocally = try claims?.text(oneOf: ["store", "local"]) { $0 == "local" } ?? false
      let opensOnce = try table.optional("envelope_one_use")?.boolean() ?? false
      let longest = opensOnce ? longestOneUse : .seconds(366 * 86_400)
      return MerchantConfiguration(
        identifier: identifier, freshnessWindow: window, retryWindow: retryWindow, surrogateKey: surrogateKey, envelopeKey: envelopeKey,
        surrogateFormat: format, opensLocally: opensLocally,
        envelopeLifetime: try table.optional("envelope_lifetime")?.duration(in: .seconds(1)...longest) ?? .seconds(900),
        envelopeOpensOnce: opensOnce)
    }
  }
}

extension TOMLNode {
  func keyLabel() throws(ConfigurationError) -> String {
    try text("a key label such as \"merchant/acme/surrogate-2026\"") { text in
      guard case .label(let label) = KeyPattern(text) else { return nil }
      return label
    }
  }

  fileprivate func freshnessWindow() throws(ConfigurationError) -> Duration { try duration(in: .seconds(1)...(.seconds(86_400))) }

  fileprivate func retryWindow() throws(ConfigurationError) -> Duration { try duration(in: .zero...MerchantConfiguration.longestRetry) }
}
