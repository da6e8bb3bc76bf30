import ApplePay
import Crypto
import Format
import Host
import KeyStore
import Policy
import Review

/// The certificates of the store's keys, and those of Apple's CAs that kist.toml names.
let certificateChecks: [CheckUp.Check] = [checkStored, checkIssuers]

@Sendable private func checkStored(_ host: Host) -> [Finding] {
  host.keys.filter { [.preActive, .active, .suspended].contains($0.state) }.flatMap {
    key -> [Finding] in
    guard let reference = key.certificate else { return [] }
    let path =
      "\(host.keyDirectory)/\(Hex.encode(key.id.bytes)).\(reference.digest.hex.prefix(16)).cer"
    let restore = "Attach the certificate again: kist key attach \(key.label.text)."
    let der: [UInt8]
    do throws(StorageError) {
      der = try DurableFile.read(
        host.surroundings.root + path, limit: Certificate.maximumSize, on: LinuxDisk())
    } catch {
      if case .hidden = host.surroundings.look(at: path) { return [] }
      return [
        Finding(
          .certificateMissing, key.label.text,
          "The key's certificate \(path) cannot be read: \(error.text).", cure: restore)
      ]
    }
    guard SHA256.hash(der) == reference.digest, let certificate = try? Certificate(der: der) else {
      return [
        Finding(
          .certificateChanged, key.label.text,
          "The key's certificate \(path) is not what the key store wrote.", cure: restore)
      ]
    }
    return checkDates(certificate, key.label.text, host.surroundings.now)
      + checkPurpose(certificate, of: key, key.label.text)
  }
}

/// The CAs of `apple_pay.merchant_issuers`, without which the daemon does not start.
@Sendable private func checkIssuers(_ host: Host) -> [Finding] {
  guard let configuration = try? host.written.get() else { return [] }
  return configuration.applePay.merchantIssuers.flatMap { path -> [Finding] in
    guard
      let der = try? DurableFile.read(
        host.surroundings.root + path, limit: Certificate.maximumSize, on: LinuxDisk()),
      let certificate = try? Certificate(der: der),
      (try? MerchantIssuers.apple(and: [certificate])) != nil
    else {
      return [
        Finding(
          .issuerInvalid, path,
          "apple_pay.merchant_issuers names \(path), which is not a CA's certificate signed by Apple Root CA - G3, in DER.",
          cure: "Download it from Apple's list of certificate authorities, or take it out.")
      ]
    }
    guard certificate.notAfter.days(after: host.surroundings.now) < endingDays else { return [] }
    return [
      Finding(
        .issuerEnding, path, "The CA's certificate ends on \(certificate.notAfter.day).",
        cure: "Add Apple's next one to apple_pay.merchant_issuers.")
    ]
  }
}

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
          .certificateInconsistent, named.name,
          "Its merchant extension is not the SHA-256 of its subject's UID, so no token could be opened with it.",
          cure: "Download the certificate from Apple again.")
      ]
    }
    guard let key = host.keys.first(where: { $0.check == .spki(certificate.spki) }) else {
      return dates + [without(key: certificate, named.name, host)]
    }
    var findings = dates + checkPurpose(certificate, of: key, named.name)
    if case .named(let name) = merchant, let own = key.merchant?.text, own != name {
      findings.append(
        Finding(
          .certificateMerchant, named.name,
          "It certifies \(key.label.text) for \(name), and the key was made for \(own).",
          cure:
            "Make a new key with --merchant-id \(name) and have Apple certify that, or ask Apple under \(own)."
        ))
    }
    return findings
  }
}

private func without(key certificate: Certificate, _ name: String, _ host: Host) -> Finding {
  let waiting = host.keys.filter { $0.role == .merchantProcessingEC && $0.certificate == nil }.map(
    \.label.text)
  if case .rsa = certificate.publicKey.kind, CertificateFinding.Purpose(certificate) == .processing,
    !waiting.isEmpty
  {
    return Finding(
      .certificateRSA, name,
      "It is for an RSA key, and \(waiting.joined(separator: ", ")) is an EC key, as tokens outside mainland China need.",
      cure:
        "Upload the request that kist key csr \(waiting[0]) prints, and take the certificate that Apple makes of it."
    )
  }
  return Finding(
    .certificateWithoutKey, name, "No key of the store is the one that it certifies.",
    cure:
      "Upload the request that kist key csr prints, and take the certificate that Apple makes of that one."
  )
}

func checkDates(_ certificate: Certificate, _ place: String, _ now: Timestamp) -> [Finding] {
  let from = certificate.notBefore
  let until = certificate.notAfter
  let renew = "Renew it: kist key rotate plan shows each step."
  if until < now {
    return [
      Finding(
        .certificateEnded, place,
        "The certificate ended on \(until.day), and Apple makes no token for it.", cure: renew)
    ]
  }
  if now < from {
    return [
      Finding(
        .certificateNotBegun, place,
        "The certificate begins on \(from.day), and it is \(now.day) here.",
        cure: "Check the clock: timedatectl.")
    ]
  }
  guard until.days(after: now) < endingDays else { return [] }
  return [Finding(.certificateEnding, place, "The certificate ends on \(until.day).", cure: renew)]
}

/// Apple issues two certificates for a merchant, and each is useless in the other's place.
func checkPurpose(_ certificate: Certificate, of key: KeyRecord, _ place: String) -> [Finding] {
  let purpose = CertificateFinding.Purpose(certificate)
  let isWrong = key.role == .merchantIdentityRSA ? purpose == .processing : purpose == .identity
  guard isWrong else { return [] }
  return [
    Finding(
      .certificatePurpose, place,
      "The certificate is for \(purpose.rawValue), and the key \(key.label.text) has the role \(key.role.rawValue).",
      cure: "Take the other of the merchant's two certificates, with its own key.")
  ]
}
