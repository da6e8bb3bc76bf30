internal import ApplePay
internal import Format
internal import Policy

/// Whether the surrogates that kist.toml asks for can be told from card numbers, and which PANs have none.
let surrogateChecks: [CheckUp.Check] = [checkLikeness, checkLeftOut]

@Sendable private func checkLikeness(_ host: Host) -> [Finding] {
  let merchants = (try? host.written.get())?.merchants ?? []
  return merchants.filter { $0.surrogateFormat.looksLikePAN }.map { merchant in
    Finding(
      .surrogateLikePAN, merchant.identifier,
      "Surrogates of \(merchant.identifier) can be taken for card numbers: they may pass Luhn's formula and begin as a network's numbers do.",
      cure: "Write luhn = \"fail\" or a prefix of no network, such as \"0\", into 'surrogate_format', and make a new key for it; "
        + "or tell those who search for card numbers, and keep surrogates away from systems that would charge one.")
  }
}

@Sendable private func checkLeftOut(_ host: Host) -> [Finding] {
  let merchants = (try? host.written.get())?.merchants ?? []
  return merchants.compactMap { merchant in
    merchant.surrogateFormat.leftOut.map { pans in
      Finding(
        .surrogateLeavesOut, merchant.identifier, "PANs \(pans) have no surrogate in the format of \(merchant.identifier).",
        cure: "Change 'surrogate_format', and make a new key for it; or see to it that no service asks for surrogates of such cards.")
    }
  }
}

extension SurrogateFormat {
  fileprivate var looksLikePAN: Bool { luhn != .fail && PaymentNetwork.haveNumbers(beginning: prefix) }

  /// Which PANs of those that cards have.
  fileprivate var leftOut: String? {
    if !panLengths.contains(15) { return "of 15 digits, as American Express has," }
    guard luhn == .fail, replacesFirstDigit, PaymentNetwork.haveNumbers(beginning: prefix) else { return nil }
    return "that begin with \(String(decoding: prefix, as: UTF8.self))"
  }
}

extension PaymentNetwork {
  /// Whether numbers of a network that we know can begin with these ASCII digits.
  fileprivate static func haveNumbers(beginning digits: [UInt8]) -> Bool {
    let known = digits.prefix(6).reduce(0) { 10 * $0 + Int($1 & 0x0F) }
    let further = (0..<max(0, 6 - digits.count)).reduce(1) { product, _ in 10 * product }
    return (known * further..<(known + 1) * further).contains { PaymentNetwork(iin: $0) != .unknown }
  }
}
