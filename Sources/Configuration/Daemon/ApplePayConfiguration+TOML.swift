internal import Format
internal import Policy

extension ApplePayConfiguration {
  /// - Parameter isSandbox: a sandbox trusts its own root alone, and what that has issued.
  init(_ table: TOMLTable, isSandbox: Bool) throws(ConfigurationError) {
    self.init()
    for key in ["trust_anchor", "merchant_issuers"] where isSandbox {
      if let node = table.optional(key) {
        throw node.error("'\(key)' stands beside [sandbox], which trusts its own root alone; expected one of the two")
      }
    }
    freshnessWindow = try table.optional("freshness_window")?.freshnessWindow() ?? .seconds(300)
    retryWindow = try table.optional("retry_window")?.retryWindow() ?? .seconds(120)
    replayEntries = try table.optional("replay_entries")?.integer(in: Self.replayCounts) ?? 1 << 20
    trustAnchor = try table.optional("trust_anchor")?.path()
    merchantIssuers = try table.list("merchant_issuers", "paths") { node throws(ConfigurationError) in try node.path() }
  }
}

extension MerchantConfiguration {
  /// - Throws: if an identifier appears twice, or something is said of envelopes that have no key, or of claims without a fleet.
  static func decode(_ root: TOMLTable, inFleet: Bool) throws(ConfigurationError) -> [MerchantConfiguration] {
    var seen: Set<String> = []
    return try root.sections("merchant") { table throws(ConfigurationError) in
      let expected = "a merchant identifier such as \"merchant.com.acme\""
      let node = try table.required("identifier", expected)
      let identifier = try node.text(expected) { $0.isToken(count: 255, without: "\"\\") ? $0 : nil }
      guard seen.insert(identifier).inserted else { throw node.unfit("\"\(identifier)\" again", "each merchant once") }
      var merchant = MerchantConfiguration()
      merchant.identifier = identifier
      merchant.freshnessWindow = try table.optional("freshness_window")?.freshnessWindow()
      merchant.retryWindow = try table.optional("retry_window")?.retryWindow()
      merchant.surrogateKey = try table.optional("surrogate_key")?.keyLabel()
      merchant.envelopeKey = try table.optional("envelope_key")?.keyLabel()
      merchant.surrogateFormat = try table.optional("surrogate_format")?.decodeTable(SurrogateFormat.decode) ?? .usual
      for key in ["envelope_lifetime", "envelope_one_use"] where merchant.envelopeKey == nil {
        if let node = table.optional(key) { throw node.error("'\(key)' stands without 'envelope_key'; expected both or neither") }
      }
      let claims = table.optional("claims")
      if let claims, !inFleet { throw claims.error("'claims' stands without [fleet]; expected both or neither") }
      merchant.opensLocally = try claims?.text(oneOf: ["store", "local"]) { $0 == "local" } ?? false
      merchant.envelopeOpensOnce = try table.optional("envelope_one_use")?.boolean() ?? false
      let longest = merchant.envelopeOpensOnce ? longestOneUse : .seconds(366 * 86_400)
      merchant.envelopeLifetime = try table.optional("envelope_lifetime")?.duration(in: .seconds(1)...longest) ?? .seconds(900)
      return merchant
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
