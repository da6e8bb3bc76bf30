internal import Crypto
internal import Format

/// What goes with a key's role: `KeyRole.traits` has a row for each.
struct RoleTraits {
  enum Keys {
    /// Of this kind or, if stated, also of the other.
    case asymmetric(KeyKind, or: KeyKind? = nil)
    /// RSA keys of any size that we accept; the usual one, in bits.
    case rsa(usual: Int)
    case symmetric(KeyAlgorithm)
  }

  /// What works with such a key itself.
  let operations: [Opcode]
  let keys: Keys
  let block: BlockUse
  /// Whether secrets that are derived or opened with such a key stay behind handles.
  let makesHandles: Bool
  let otp: KeyRole.OTPKind?
  /// The name of Apple's certificates for such keys.
  let certified: String?
  let isPublic: Bool

  fileprivate init(
    _ operations: [Opcode], _ keys: Keys, _ block: BlockUse, makesHandles: Bool = false, otp: KeyRole.OTPKind? = nil, certified: String? = nil,
    isPublic: Bool = false
  ) {
    self.isPublic = isPublic
    (self.operations, self.keys, self.block, self.makesHandles, self.otp, self.certified) = (operations, keys, block, makesHandles, otp, certified)
  }
}

extension KeyRole {
  var traits: RoleTraits {
    switch self {
    // Apple's and MDES's certificates are for RSA-2048; our own keys have the 128-bit strength of SP 800-57.
    case .merchantProcessingEC:
      RoleTraits(
        [.openPaymentToken, .certificateRequest], .asymmetric(.p256), BlockUse(.keyAgreement, .ellipticCurve, .deriveOnly),
        certified: "Apple Pay Payment Processing")
    case .merchantProcessingRSA:
      RoleTraits(
        [.openPaymentToken, .certificateRequest], .rsa(usual: 2048), BlockUse(.asymmetricDataEncryption, .rsa, .decryptOnly),
        certified: "Apple Pay Payment Processing")
    case .merchantIdentityRSA:
      RoleTraits(
        [.sign, .certificateRequest], .rsa(usual: 2048), BlockUse(.digitalSignature, .rsa, .signOnly), certified: "Apple Pay Merchant Identity")

    // X9.143 has no algorithm code for Edwards curves: we use the one for elliptic curves, with the RFC 8410 key as data.
    case .auditSigning: RoleTraits([], .asymmetric(.ed25519), BlockUse(.digitalSignature, .ellipticCurve, .signOnly))
    case .auditDigest: RoleTraits([], .symmetric(.hmac(.sha256)), BlockUse(.hmac, .hmac, .generateOnly))

    case .agreement: RoleTraits([.ecdh], .asymmetric(.p256, or: .p384), BlockUse(.keyAgreement, .ellipticCurve, .deriveOnly), makesHandles: true)
    case .sealing: RoleTraits([.seal, .unseal, .tokenise, .openEnvelope], .symmetric(.aes256), BlockUse(.dataEncryption, .aes, .encryptDecrypt))
    case .unsealing: RoleTraits([.unseal], .symmetric(.aes256), BlockUse(.dataEncryption, .aes, .decryptOnly))
    case .signingECDSA: RoleTraits([.sign, .verify], .asymmetric(.p256, or: .p384), BlockUse(.digitalSignature, .ellipticCurve, .signOnly))
    case .signingRSA: RoleTraits([.sign, .verify], .rsa(usual: 3072), BlockUse(.digitalSignature, .rsa, .signOnly))
    case .signingEd25519: RoleTraits([.sign, .verify], .asymmetric(.ed25519), BlockUse(.digitalSignature, .ellipticCurve, .signOnly))
    case .macHMACSHA256: RoleTraits([.mac, .verifyMAC], .symmetric(.hmac(.sha256)), BlockUse(.hmac, .hmac, .generateVerify))
    case .macHMACSHA384: RoleTraits([.mac, .verifyMAC], .symmetric(.hmac(.sha384)), BlockUse(.hmac, .hmac, .generateVerify))
    case .macHMACSHA512: RoleTraits([.mac, .verifyMAC], .symmetric(.hmac(.sha512)), BlockUse(.hmac, .hmac, .generateVerify))
    case .macCMAC: RoleTraits([.mac, .verifyMAC], .symmetric(.aes256), BlockUse(.cmac, .aes, .generateVerify))
    case .unwrappingRSA: RoleTraits([.unwrap], .rsa(usual: 3072), BlockUse(.asymmetricDataEncryption, .rsa, .decryptOnly), makesHandles: true)
    case .keyExchange: RoleTraits([.importBlock], .symmetric(.aes256), BlockUse(.keyBlockProtection, .aes, .encryptDecrypt))
    case .keyExchangeTDEA: RoleTraits([.importBlock], .symmetric(.tripleDES2), BlockUse(.keyBlockProtection, .tripleDES, .decryptOnly))
    // Not D0, the usage of a sealing key, so that neither key's block can be passed off as the other's.
    case .surrogate: RoleTraits([.tokenise, .detokenise], .symmetric(.aes256), BlockUse(.sensitiveDataEncryption, .aes, .encryptDecrypt))
    // No caller can have it make a digest: it would be one under which a token, or a code, could be claimed.
    case .fleet: RoleTraits([], .symmetric(.hmac(.sha256)), BlockUse(.hmac, .hmac, .generateOnly))

    // A grant names them, and no request: so they serve no operation by themselves.
    case .partnerEncryptionEC:
      RoleTraits([], .asymmetric(.p256), BlockUse(.asymmetricDataEncryption, .ellipticCurve, .encryptOnly), isPublic: true)
    case .partnerEncryptionRSA: RoleTraits([], .rsa(usual: 2048), BlockUse(.asymmetricDataEncryption, .rsa, .encryptOnly), isPublic: true)
    case .partnerEncryptionAES: RoleTraits([], .symmetric(.aes256), BlockUse(.keyEncryption, .aes, .encryptOnly))

    case .otpVisa: RoleTraits([.signOTP, .provisionPass], .symmetric(.tripleDES2), BlockUse(.dataEncryption, .tripleDES, .encryptOnly), otp: .visa)
    // What issuers register with MDES.
    case .otpMastercard:
      RoleTraits([.signOTP, .provisionPass], .asymmetric(.rsa(bits: 2048)), BlockUse(.digitalSignature, .rsa, .signOnly), otp: .mastercard)
    case .otpHOTP:
      RoleTraits(
        [.signOTP, .verifyOTP, .enrolAuthenticator, .resetOTPLockout], .symmetric(.hmacOTP), BlockUse(.hmac, .hmac, .generateVerify), otp: .counter)
    case .otpTOTP:
      RoleTraits(
        [.signOTP, .verifyOTP, .enrolAuthenticator, .resetOTPLockout], .symmetric(.hmacOTP), BlockUse(.hmac, .hmac, .generateVerify), otp: .time)
    }
  }
}
