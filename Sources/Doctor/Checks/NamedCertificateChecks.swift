internal import Crypto
internal import KeyStore

/// Certificates that somebody is about to import, against the keys of the store.
let namedCertificateChecks: [CheckUp.Check] = [checkNamed]

@Sendable private func checkNamed(_ host: Host) -> [Finding] {
  host.surroundings.certificates.flatMap { named -> [Finding] in
    let certificate = named.content
    let dates = checkDates(certificate, named.name, host.surroundings.now)
    let merchant = CertificateFinding.Merchant(certificate)
    if merchant == .inconsistent {
      return dates + [
        Finding(
          .certificateInconsistent, named.name, "Its merchant extension is not the SHA-256 of its subject's UID, so no token could be opened with it.",
          cure: "Download the certificate from Apple again.")
      ]
    }
    guard let key = host.keys.first(where: { $0.check == .spki(certificate.spki) }) else { return dates + [without(key: certificate, named.name, host)] }
    var findings = dates + checkPurpose(certificate, of: key, named.name)
    if case .named(let name) = merchant, let own = key.merchant?.text, own != name {
      findings.append(
        Finding(
          .certificateMerchant, named.name, "It certifies \(key.label.text) for \(name), and the key was made for \(own).",
          cure: "Make a new key with --merchant-id \(name) and have Apple certify that, or ask Apple under \(own)."))
    }
    return findings
  }
}

private func without(key certificate: Certificate, _ name: String, _ host: Host) -> Finding {
  let waiting = host.keys.filter { $0.role == .merchantProcessingEC && $0.certificate == nil }.map(\.label.text)
  if case .rsa = certificate.publicKey.kind, CertificateFinding.Purpose(certificate) == .processing, !waiting.isEmpty {
    return Finding(
      .certificateRSA, name, "It is for an RSA key, and \(waiting.joined(separator: ", ")) is an EC key, as tokens outside mainland China need.",
      cure: "Upload the request that kist key csr \(waiting[0]) prints, and take the certificate that Apple makes of it.")
  }
  return Finding(
    .certificateWithoutKey, name, "No key of the store is the one that it certifies.",
    cure: "Upload the request that kist key csr prints, and take the certificate that Apple makes of that one.")
}
