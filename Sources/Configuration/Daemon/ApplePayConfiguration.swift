/// `[apple_pay]`: how payment tokens are checked.
package struct ApplePayConfiguration: Sendable {
  /// How old a token's signing time may be.
  package let freshnessWindow: Duration
  /// Transactions the replay guard can remember at once.
  package let replayEntries: Int
  /// A file with Apple Root CA - G3, compared with the built-in one; nil trusts the built-in one alone.
  package let trustAnchor: String?

  init(_ table: TOMLTable) throws(ConfigurationError) {
    freshnessWindow = try table.optional("freshness_window")?.freshnessWindow() ?? .seconds(300)
    replayEntries = try table.optional("replay_entries")?.integer(in: 1024...16_777_216) ?? 1 << 20
    trustAnchor = try table.optional("trust_anchor")?.path()
  }
}

/// `[[merchant]]`: what is particular to one merchant.
package struct MerchantConfiguration: Sendable {
  /// Such as `merchant.com.acme`.
  package let identifier: String
  package let freshnessWindow: Duration?

  /// - Throws: where an identifier stands twice.
  static func decode(_ root: TOMLTable) throws(ConfigurationError) -> [MerchantConfiguration] {
    var seen: Set<String> = []
    return try root.sections("merchant") { table throws(ConfigurationError) in
      let expected = "a merchant identifier such as \"merchant.com.acme\""
      let node = try table.required("identifier", expected)
      let identifier = try node.text(expected) { $0.isToken(count: 255, without: "\"\\") ? $0 : nil }
      guard seen.insert(identifier).inserted else { throw node.unfit("\"\(identifier)\" again", "each merchant once") }
      let window = try table.optional("freshness_window")?.freshnessWindow()
      return MerchantConfiguration(identifier: identifier, freshnessWindow: window)
    }
  }
}

extension TOMLNode {
  fileprivate func freshnessWindow() throws(ConfigurationError) -> Duration { try duration(in: .seconds(1)...(.seconds(86_400))) }
}
