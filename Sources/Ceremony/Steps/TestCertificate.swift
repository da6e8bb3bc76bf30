internal import Crypto
internal import Format
internal import KeyStore

/// In a rehearsal, a certificate for a test key in place of Apple's.
enum TestCertificate {
  static func make(for record: KeyRecord, _ room: CeremonyRoom) throws(CeremonyError) -> Certificate {
    guard let merchant = record.merchant, case .spki(let spki) = record.check else { throw .keyStore(.importRefused(.notMerchants)) }
    try room.tell("  REHEARSAL: a test certificate stands in for the one in the file")
    let now = room.now
    return try CeremonyError.crypto { () throws(CryptoError) in
      let identifier = Certificate.Extension(
        oid: .appleMerchantIdentifier, isCritical: false, value: [0x0C, 0x40] + merchant.hash.hex.uppercased().utf8)
      let builder = CertificateBuilder(
        subject: [.userID(merchant.text), .commonName("REHEARSAL")], serial: 1, notBefore: now, notAfter: now.adding(seconds: 86_400), extensions: [identifier])
      return try builder.issue(for: PublicKey(spki: spki), by: nil, signedWith: PrivateKey.generate(.p256))
    }
  }
}
