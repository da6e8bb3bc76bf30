import ApplePay
import Configuration
import Format
import KeyStore
import Policy

/// Whether what kist.toml says of merchants fits their keys.
let merchantChecks: [CheckUp.Check] = [checkMerchants, checkStandIns] + surrogateChecks

@Sendable private func checkMerchants(_ host: Host) -> [Finding] {
  guard let merchants = (try? host.written.get())?.merchants, (try? host.store.get()) != nil else {
    return []
  }
  let keys = host.keys.filter { $0.state == .active || $0.state == .preActive }
  let known = Set(keys.compactMap { $0.merchant?.text })
  let unknown = known.isEmpty ? [] : merchants.map(\.identifier).filter { !known.contains($0) }
  let mistyped = unknown.map { name in
    Finding(
      .merchantUnknown, name, "kist.toml has settings for \(name), and no key is of that merchant.",
      cure: name.nearest(among: known.sorted()).map {
        "Did you mean \($0)? Correct 'identifier' in [[merchant]]."
      }
        ?? "Correct 'identifier' in [[merchant]], or take it out.")
  }
  let onlyRSA = known.sorted().filter { name in
    let roles = Set(keys.filter { $0.merchant?.text == name }.map(\.role))
    return roles.contains(.merchantProcessingRSA) && !roles.contains(.merchantProcessingEC)
  }
  return mistyped
    + onlyRSA.map { name in
      Finding(
        .merchantOnlyRSA, name,
        "The only processing key of \(name) is RSA, which opens tokens from mainland China alone.",
        cure: "Make a key of role merchant-processing-ec, and have Apple certify it.")
    }
}

@Sendable private func checkStandIns(_ host: Host) -> [Finding] {
  guard let merchants = (try? host.written.get())?.merchants, (try? host.store.get()) != nil else {
    return []
  }
  let labels = Set(host.keys.map(\.label.text))
  return merchants.flatMap { [$0.surrogateKey, $0.envelopeKey] }.compactMap { $0 }.filter {
    !labels.contains($0)
  }.map { label in
    Finding(
      .standInKeyMissing, label,
      "kist.toml names the key \(label), and the key store has none of that name.",
      cure: "Make it with kist key generate, or correct the name in [[merchant]].")
  }
}

/// Whether the surrogates that kist.toml asks for can be told from card numbers, and which PANs
/// have none.
let surrogateChecks: [CheckUp.Check] = [checkLikeness, checkLeftOut]

@Sendable private func checkLikeness(_ host: Host) -> [Finding] {
  let merchants = (try? host.written.get())?.merchants ?? []
  return merchants.filter { $0.surrogateFormat.looksLikePAN }.map { merchant in
    Finding(
      .surrogateLikePAN, merchant.identifier,
      "Surrogates of \(merchant.identifier) can be taken for card numbers: they may pass Luhn's formula and begin as a network's numbers do.",
      cure:
        "Write luhn = \"fail\" or a prefix of no network, such as \"0\", into 'surrogate_format', and make a new key for it; "
        + "or tell those who search for card numbers, and keep surrogates away from systems that would charge one."
    )
  }
}

@Sendable private func checkLeftOut(_ host: Host) -> [Finding] {
  let merchants = (try? host.written.get())?.merchants ?? []
  return merchants.compactMap { merchant in
    merchant.surrogateFormat.leftOut.map { pans in
      Finding(
        .surrogateLeavesOut, merchant.identifier,
        "PANs \(pans) have no surrogate in the format of \(merchant.identifier).",
        cure:
          "Change 'surrogate_format', and make a new key for it; or see to it that no service asks for surrogates of such cards."
      )
    }
  }
}

extension SurrogateFormat {
  fileprivate var looksLikePAN: Bool {
    luhn != .fail && PaymentNetwork.haveNumbers(beginning: prefix)
  }

  /// Which PANs of those that cards have.
  fileprivate var leftOut: String? {
    if !panLengths.contains(15) { return "of 15 digits, as American Express has," }
    guard luhn == .fail, replacesFirstDigit, PaymentNetwork.haveNumbers(beginning: prefix) else {
      return nil
    }
    return "that begin with \(String(decoding: prefix, as: UTF8.self))"
  }
}

extension PaymentNetwork {
  /// Whether numbers of a network that we know can begin with these ASCII digits.
  fileprivate static func haveNumbers(beginning digits: [UInt8]) -> Bool {
    let known = digits.prefix(6).reduce(0) { 10 * $0 + Int($1 & 0x0F) }
    let further = (0..<max(0, 6 - digits.count)).reduce(1) { product, _ in 10 * product }
    return (known * further..<(known + 1) * further).contains {
      PaymentNetwork(iin: $0) != .unknown
    }
  }
}

/// The domain-association file of a merchant's web site, which Apple compares with its own copy.
let domainChecks: [CheckUp.Check] = [checkDomains]

@Sendable private func checkDomains(_ host: Host) -> [Finding] {
  host.surroundings.domainAssociations.compactMap { named in
    let text = named.content
    let again = "Download it from Apple again and serve it as it is, without a newline at its end."
    guard let other = text.firstIndex(where: { !isDigit($0) }) else {
      guard let plain = Hex.decode(text.span), isAssociation(plain) else {
        return Finding(
          .domainAssociationSize, named.name,
          "The file has \(text.count) bytes and is cut short or empty.", cure: again)
      }
      return nil
    }
    return Finding(
      .domainAssociationChanged, named.name,
      "Byte \(other + 1) of the file is not a hexadecimal digit, and Apple's file has only those.",
      cure: again)
  }
}

private func isDigit(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
    UInt8(ascii: "A")...UInt8(ascii: "F"):
    true
  default: false
  }
}

/// Apple's file is the hexadecimal of a JSON object.
private func isAssociation(_ text: [UInt8]) -> Bool {
  guard let reader = try? JSONReader(text.span) else { return false }
  return reader.root.kind == .object
}
