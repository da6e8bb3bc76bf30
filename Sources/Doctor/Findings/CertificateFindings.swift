internal import Crypto
internal import Format
internal import KeyStore
internal import Review

func checkDates(_ certificate: Certificate, _ place: String, _ now: Timestamp) -> [Finding] {
  let (from, until) = (certificate.notBefore, certificate.notAfter)
  let renew = "Renew it: kist key rotate plan shows each step."
  if until < now { return [Finding(.certificateEnded, place, "The certificate ended on \(until.day), and Apple makes no token for it.", cure: renew)] }
  if now < from {
    return [Finding(.certificateNotBegun, place, "The certificate begins on \(from.day), and it is \(now.day) here.", cure: "Check the clock: timedatectl.")]
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
      .certificatePurpose, place, "The certificate is for \(purpose.rawValue), and the key \(key.label.text) has the role \(key.role.rawValue).",
      cure: "Take the other of the merchant's two certificates, with its own key.")
  ]
}
