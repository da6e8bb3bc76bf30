internal import Format

extension SurrogateFormat {
  /// `surrogate_format` of a merchant.
  static func decode(_ table: TOMLTable) throws(ConfigurationError) -> SurrogateFormat {
    let prefix = try table.optional("prefix")?.string("digits in quotes, such as \"90\"") ?? ""
    let first = try table.optional("first")?.integer(in: 0...19) ?? usual.first
    let last = try table.optional("last")?.integer(in: 0...19) ?? usual.last
    let length = try table.optional("length")?.integer(in: 10...longest)
    let luhn = try table.optional("luhn")?.text(oneOf: ["pass", "fail", "any"], LuhnRule.init(name:)) ?? usual.luhn
    do throws(Flaw) {
      return try SurrogateFormat(prefix: Array(prefix.utf8), first: first, last: last, length: length, luhn: luhn)
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
    case .prefixAndFirst: "'prefix' takes the place of a PAN's first digit, and 'first' would keep it; expected one of them, or 'length' beside them"
    case .length(let least):
      "'length' leaves no room for a PAN of 16 digits, the prefix and a digit that says where the PAN begins; expected an integer from \(least) to \(SurrogateFormat.longest)"
    }
  }
}
