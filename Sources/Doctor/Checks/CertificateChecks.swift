internal import ApplePay
internal import Crypto
internal import Format
internal import Host
internal import KeyStore
internal import Policy
internal import Review

/// The certificates of the store's keys, and those of Apple's CAs that kist.toml names.
let certificateChecks: [CheckUp.Check] = [checkStored, checkIssuers]

@Sendable private func checkStored(_ host: Host) -> [Finding] {
  host.keys.filter { [.preActive, .active, .suspended].contains($0.state) }.flatMap { key -> [Finding] in
    guard let reference = key.certificate else { return [] }
    let path = "\(host.keyDirectory)/\(Hex.encode(key.id.bytes)).\(reference.digest.hex.prefix(16)).cer"
    let restore = "Attach the certificate again: kist key attach \(key.label.text)."
    let der: [UInt8]
    do throws(StorageError) { der = try DurableFile.read(host.surroundings.root + path, limit: Certificate.maximumSize, on: LinuxDisk()) } catch {
      if case .hidden = host.surroundings.look(at: path) { return [] }
      return [Finding(.certificateMissing, key.label.text, "The key's certificate \(path) cannot be read: \(error.text).", cure: restore)]
    }
    guard SHA256.hash(der) == reference.digest, let certificate = try? Certificate(der: der) else {
      return [Finding(.certificateChanged, key.label.text, "The key's certificate \(path) is not what the key store wrote.", cure: restore)]
    }
    return checkDates(certificate, key.label.text, host.surroundings.now) + checkPurpose(certificate, of: key, key.label.text)
  }
}

/// The CAs of `apple_pay.merchant_issuers`, without which the daemon does not start.
@Sendable private func checkIssuers(_ host: Host) -> [Finding] {
  guard let configuration = try? host.written.get() else { return [] }
  return configuration.applePay.merchantIssuers.flatMap { path -> [Finding] in
    guard let der = try? DurableFile.read(host.surroundings.root + path, limit: Certificate.maximumSize, on: LinuxDisk()),
      let certificate = try? Certificate(der: der), (try? MerchantIssuers.apple(and: [certificate])) != nil
    else {
      return [
        Finding(
          .issuerInvalid, path, "apple_pay.merchant_issuers names \(path), which is not a CA's certificate signed by Apple Root CA - G3, in DER.",
          cure: "Download it from Apple's list of certificate authorities, or take it out.")
      ]
    }
    guard certificate.notAfter.days(after: host.surroundings.now) < endingDays else { return [] }
    return [
      Finding(.issuerEnding, path, "The CA's certificate ends on \(certificate.notAfter.day).", cure: "Add Apple's next one to apple_pay.merchant_issuers.")
    ]
  }
}
