internal import Configuration
internal import Format
internal import KeyStore
internal import Policy

/// Whether what kist.toml says of merchants fits their keys.
let merchantChecks: [CheckUp.Check] = [checkMerchants, checkStandIns] + surrogateChecks

@Sendable private func checkMerchants(_ host: Host) -> [Finding] {
  guard let merchants = (try? host.written.get())?.merchants, (try? host.store.get()) != nil else { return [] }
  let keys = host.keys.filter { $0.state == .active || $0.state == .preActive }
  let known = Set(keys.compactMap { $0.merchant?.text })
  let unknown = known.isEmpty ? [] : merchants.map(\.identifier).filter { !known.contains($0) }
  let mistyped = unknown.map { name in
    Finding(
      .merchantUnknown, name, "kist.toml has settings for \(name), and no key is of that merchant.",
      cure: name.nearest(among: known.sorted()).map { "Did you mean \($0)? Correct 'identifier' in [[merchant]]." }
        ?? "Correct 'identifier' in [[merchant]], or take it out.")
  }
  let onlyRSA = known.sorted().filter { name in
    let roles = Set(keys.filter { $0.merchant?.text == name }.map(\.role))
    return roles.contains(.merchantProcessingRSA) && !roles.contains(.merchantProcessingEC)
  }
  return mistyped
    + onlyRSA.map { name in
      Finding(
        .merchantOnlyRSA, name, "The only processing key of \(name) is RSA, which opens tokens from mainland China alone.",
        cure: "Make a key of role merchant-processing-ec, and have Apple certify it.")
    }
}

@Sendable private func checkStandIns(_ host: Host) -> [Finding] {
  guard let merchants = (try? host.written.get())?.merchants, (try? host.store.get()) != nil else { return [] }
  let labels = Set(host.keys.map(\.label.text))
  return merchants.flatMap { [$0.surrogateKey, $0.envelopeKey] }.compactMap { $0 }.filter { !labels.contains($0) }.map { label in
    Finding(
      .standInKeyMissing, label, "kist.toml names the key \(label), and the key store has none of that name.",
      cure: "Make it with kist key generate, or correct the name in [[merchant]].")
  }
}
