import Format
import Policy

extension ApplePayConfiguration {
  /// - Parameter isSandbox: a sandbox trusts its own root alone, and what that has issued.
  init(_ table: TOMLTable, isSandbox: Bool) throws(ConfigurationError) {
    self.init()
    for key in ["trust_anchor", "merchant_issuers"] where isSandbox {
      if let node = table.optional(key) {
        throw node.error(
          "'\(key)' stands beside [sandbox], which trusts its own root alone; expected one of the two"
        )
      }
    }
    freshnessWindow = try table.optional("freshness_window")?.freshnessWindow() ?? .seconds(300)
    retryWindow = try table.optional("retry_window")?.retryWindow() ?? .seconds(120)
    replayEntries = try table.optional("replay_entries")?.integer(in: Self.replayCounts) ?? 1 << 20
    trustAnchor = try table.optional("trust_anchor")?.path()
    merchantIssuers = try table.list("merchant_issuers", "paths") {
      node throws(ConfigurationError) in try node.path()
    }
  }
}

extension MerchantConfiguration {
  /// - Throws: if an identifier appears twice, or something is said of envelopes that have no key,
  ///   or of claims without a fleet.
  static func decode(_ root: TOMLTable, inFleet: Bool) throws(ConfigurationError)
    -> [MerchantConfiguration]
  {
    var seen: Set<String> = []
    return try root.sections("merchant") { table throws(ConfigurationError) in
      let expected = "a merchant identifier such as \"merchant.com.acme\""
      let node = try table.required("identifier", expected)
      let identifier = try node.text(expected) {
        $0.isToken(count: 255, without: "\"\\") ? $0 : nil
      }
      guard seen.insert(identifier).inserted else {
        throw node.unfit("\"\(identifier)\" again", "each merchant once")
      }
      var merchant = MerchantConfiguration()
      merchant.identifier = identifier
      merchant.freshnessWindow = try table.optional("freshness_window")?.freshnessWindow()
      merchant.retryWindow = try table.optional("retry_window")?.retryWindow()
      merchant.surrogateKey = try table.optional("surrogate_key")?.keyLabel()
      merchant.envelopeKey = try table.optional("envelope_key")?.keyLabel()
      merchant.surrogateFormat =
        try table.optional("surrogate_format")?.decodeTable(SurrogateFormat.decode) ?? .usual
      for key in ["envelope_lifetime", "envelope_one_use"] where merchant.envelopeKey == nil {
        if let node = table.optional(key) {
          throw node.error("'\(key)' stands without 'envelope_key'; expected both or neither")
        }
      }
      let claims = table.optional("claims")
      if let claims, !inFleet {
        throw claims.error("'claims' stands without [fleet]; expected both or neither")
      }
      merchant.opensLocally =
        try claims?.text(oneOf: ["store", "local"]) { $0 == "local" } ?? false
      merchant.envelopeOpensOnce = try table.optional("envelope_one_use")?.boolean() ?? false
      let longest = merchant.envelopeOpensOnce ? longestOneUse : .seconds(366 * 86_400)
      merchant.envelopeLifetime =
        try table.optional("envelope_lifetime")?.duration(in: .seconds(1)...longest)
        ?? .seconds(900)
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

  fileprivate func freshnessWindow() throws(ConfigurationError) -> Duration {
    try duration(in: .seconds(1)...(.seconds(86_400)))
  }

  fileprivate func retryWindow() throws(ConfigurationError) -> Duration {
    try duration(in: .zero...MerchantConfiguration.longestRetry)
  }
}

extension SurrogateFormat {
  /// `surrogate_format` of a merchant.
  static func decode(_ table: TOMLTable) throws(ConfigurationError) -> SurrogateFormat {
    let prefix = try table.optional("prefix")?.string("digits in quotes, such as \"90\"") ?? ""
    let first = try table.optional("first")?.integer(in: 0...19) ?? usual.first
    let last = try table.optional("last")?.integer(in: 0...19) ?? usual.last
    let length = try table.optional("length")?.integer(in: 10...longest)
    let luhn =
      try table.optional("luhn")?.text(oneOf: ["pass", "fail", "any"], LuhnRule.init(name:))
      ?? usual.luhn
    do throws(Flaw) {
      return try SurrogateFormat(
        prefix: Array(prefix.utf8), first: first, last: last, length: length, luhn: luhn)
    } catch { throw table.error(error.text) }
  }
}

extension SurrogateFormat.LuhnRule {
  fileprivate init?(name: String) {
    switch name {
    case "pass": self = .pass
    case "fail": self = .fail
    case "any": self = .any
    default: return nil
    }
  }
}

extension SurrogateFormat.Flaw {
  fileprivate var text: String {
    switch self {
    case .prefix: "'prefix' is not a number of up to 15 digits; expected one such as \"90\""
    case .showsTooMuch:
      "'first' and 'last' keep more of a PAN than may be shown (PCI DSS 3.4.1); expected at most \(SurrogateFormat.shownFirst.upperBound) first and \(SurrogateFormat.shownLast.upperBound) last digits"
    case .domainTooSmall:
      "'first' and 'last' leave fewer than a million numbers for a PAN of 16 digits (SP 800-38G r1); expected fewer kept digits"
    case .needsLength:
      "'prefix' leaves fewer numbers of a PAN's length than there are PANs; expected 'length' beside it, or one digit and 'luhn' other than \"pass\""
    case .prefixAndFirst:
      "'prefix' takes the place of a PAN's first digit, and 'first' would keep it; expected one of them, or 'length' beside them"
    case .length(let least):
      "'length' leaves no room for a PAN of 16 digits, the prefix and a digit that says where the PAN begins; expected an integer from \(least) to \(SurrogateFormat.longest)"
    }
  }
}

extension ProvisioningConfiguration {
  init(_ table: TOMLTable) throws(ConfigurationError) {
    self.init()
    intermediateName = try table.optional("intermediate_name")?.text(
      "a certificate's common name of 1 to 128 bytes"
    ) {
      (1...128).contains($0.utf8.count) ? $0 : nil
    }
    intermediateMarker = try table.optional("intermediate_marker")?.text(
      "an object identifier such as \"1.2.840.113635.100.6.2.15\"", Self.identifier)
    checksValidity = try table.optional("check_validity")?.boolean() ?? true
  }

  private static func identifier(_ text: String) -> String? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let arcs = parts.compactMap { part in UInt32(part).flatMap { String($0) == part ? $0 : nil } }
    // X.660: the first arc is 0, 1 or 2, the second below 40 under the first two of them.
    guard arcs.count == parts.count, (3...16).contains(arcs.count), arcs[0] <= 2,
      arcs[1] < (arcs[0] == 2 ? 1 << 16 : 40)
    else { return nil }
    return text
  }
}

extension KeyExchangeConfiguration {
  init(_ table: TOMLTable) throws(ConfigurationError) {
    self.init()
    for element in try table.optional("old_blocks")?.array("versions of key blocks") ?? [] {
      let version = try element.text("one of \"A\", \"B\", \"C\"") {
        ["A", "B", "C"].contains($0) ? $0 : nil
      }
      guard !oldBlocks.contains(version) else {
        throw element.error("is listed twice in 'old_blocks'; expected once")
      }
      oldBlocks.append(version)
    }
  }
}
