/// What the surrogates of one merchant's PANs look like [OP-SURR-10]: the prefix, the PAN's first
/// digits, what is enciphered, its last digits.
package struct SurrogateFormat: Hashable, Sendable {
  /// Whether surrogates pass Luhn's formula; the raw values are those of the tweak [OP-SURR-13].
  package enum LuhnRule: UInt8, CaseIterable, Sendable {
    case pass = 1, fail, any
  }

  /// Why there can be no such format.
  package enum Flaw: Error, Hashable {
    /// The prefix is no number of up to fifteen digits.
    case prefix
    /// More of the PAN would be shown than PCI DSS 3.4.1 allows: its first eight digits and its
    /// last four.
    case showsTooMuch
    /// A PAN of sixteen digits would have fewer than six hidden ones, or fewer than a million
    /// numbers to be enciphered to (SP 800-38G r1).
    case domainTooSmall
    /// There are more PANs than numbers that are as long and have this prefix.
    case needsLength
    /// In place of the PAN's first digit there is the prefix, so the first digits cannot be kept.
    case prefixAndFirst
    /// PANs of up to sixteen digits need at least this length with this prefix, and the longest is
    /// 32.
    case length(atLeast: Int)
  }

  /// ASCII digits.
  package let prefix: [UInt8]
  /// How many of the PAN's first and last digits are kept.
  package let first, last: Int
  /// How many digits a surrogate has; nil for as many as the PAN.
  package let length: Int?
  package let luhn: LuhnRule
  /// How many digits the PANs have that have a surrogate [OP-SURR-11].
  package let panLengths: ClosedRange<Int>

  /// As long as the PAN, with its last four digits, and never a PAN [OP-SURR-2].
  package static let usual = SurrogateFormat(
    prefix: [], first: 0, last: 4, length: nil, luhn: .fail, panLengths: allPANs)

  package init(
    prefix: [UInt8] = [], first: Int = 0, last: Int = 4, length: Int? = nil, luhn: LuhnRule = .fail
  ) throws(Flaw) {
    guard prefix.count < Self.longest - Self.usualPAN, prefix.allSatisfy(\.isDigit) else {
      throw .prefix
    }
    guard Self.shownFirst.contains(first), Self.shownLast.contains(last) else {
      throw .showsTooMuch
    }
    if let length {
      // Besides the prefix, at least one digit says where the PAN begins.
      let least = prefix.count + Self.usualPAN + 1
      guard length >= least, length <= Self.longest else { throw .length(atLeast: least) }
    } else if !prefix.isEmpty {
      guard prefix.count == 1, luhn != .pass else { throw .needsLength }
      guard first == 0 else { throw .prefixAndFirst }
    }
    // One hidden digit is not enciphered if the prefix has its place, or Luhn's formula gives it.
    let isEncipheredWhole = length != nil || prefix.isEmpty && luhn != .pass
    let shortest = max(
      Self.allPANs.lowerBound, first + last + Self.leastHidden + (isEncipheredWhole ? 0 : 1),
      first > 6 ? Self.usualPAN : 0)
    guard shortest <= Self.usualPAN else { throw .domainTooSmall }
    let longest =
      length.map { min(Self.allPANs.upperBound, $0 - prefix.count - 1) } ?? Self.allPANs.upperBound
    self.init(
      prefix: prefix, first: first, last: last, length: length, luhn: luhn,
      panLengths: shortest...longest)
  }

  private init(
    prefix: [UInt8], first: Int, last: Int, length: Int?, luhn: LuhnRule,
    panLengths: ClosedRange<Int>
  ) {
    self.prefix = prefix
    self.first = first
    self.last = last
    self.length = length
    self.luhn = luhn
    self.panLengths = panLengths
  }
}

extension SurrogateFormat {
  /// How many of a PAN's first and last digits may be kept. PCI SSC's FAQ 1091: eight first digits
  /// of PANs of sixteen digits and more alone, else six.
  package static let shownFirst = 0...8, shownLast = 0...4
  /// Of digits: those that the messages have room for.
  package static let longest = 32
  private static let allPANs = 10...19
  /// The PANs of most networks: a format that has no surrogates of these is refused.
  private static let usualPAN = 16
  /// SP 800-38G r1 demands a domain of at least a million texts.
  private static let leastHidden = 6

  /// Whether the prefix has the place of the PAN's first digit, which Luhn's formula gives back.
  package var replacesFirstDigit: Bool { length == nil && !prefix.isEmpty }

  /// The lengths of the PANs that could have a surrogate of this length.
  package func panLengths(ofSurrogate count: Int) -> ClosedRange<Int>? {
    guard let length else { return panLengths.contains(count) ? count...count : nil }
    return count == length ? panLengths : nil
  }
}
