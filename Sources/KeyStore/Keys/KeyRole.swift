import Crypto
package import Format

/// What a key is for. `RoleTraits` says which algorithms, key block header and operations go with
/// it.
package enum KeyRole: String, CaseIterable, Sendable {
  /// Opens EC_v1 payment tokens of one merchant.
  case merchantProcessingEC = "merchant-processing-ec"
  /// Opens RSA_v1 payment tokens of one merchant.
  case merchantProcessingRSA = "merchant-processing-rsa"
  /// The client key of one merchant's sessions with Apple: signs TLS handshakes.
  case merchantIdentityRSA = "merchant-identity-rsa"
  /// Signs the audit log's checkpoints.
  case auditSigning = "audit-signing"
  /// Keys the digests of identifiers in the audit log.
  case auditDigest = "audit-digest"
  /// Agrees on shared secrets, from which keys are then derived.
  case agreement
  /// Seals into envelopes of Kist's own and opens them.
  case sealing
  /// Opens what others sealed, under their IV; seals nothing.
  case unsealing
  case signingECDSA = "signing-ecdsa"
  case signingRSA = "signing-rsa"
  case signingEd25519 = "signing-ed25519"
  case macHMACSHA256 = "mac-hmac-sha256"
  case macHMACSHA384 = "mac-hmac-sha384"
  case macHMACSHA512 = "mac-hmac-sha512"
  case macCMAC = "mac-cmac"
  /// Opens secrets that others wrapped for it.
  case unwrappingRSA = "unwrapping-rsa"
  /// A KBPK shared with another HSM: protects the key blocks exchanged with it.
  case keyExchange = "key-exchange"
  /// Opens key blocks from machines without AES.
  case keyExchangeTDEA = "key-exchange-tdea"
  /// Makes surrogates of PANs, and PANs of surrogates.
  case surrogate
  /// Shared by the hosts of a fleet: makes the digests by which they claim tokens and codes.
  case fleet
  /// A partner's public key on P-256: encrypts what is released to the partner.
  case partnerEncryptionEC = "partner-encryption-ec"
  /// A partner's public RSA key: the same.
  case partnerEncryptionRSA = "partner-encryption-rsa"
  /// A key shared with a partner: the same.
  case partnerEncryptionAES = "partner-encryption-aes"
  /// Makes one-time values for Visa Token Service.
  case otpVisa = "otp-visa"
  /// Signs one-time values for Mastercard's MDES.
  case otpMastercard = "otp-mastercard"
  /// Makes and checks counter-based codes (HOTP) for people.
  case otpHOTP = "otp-hotp"
  /// Makes and checks time-based codes (TOTP) for people.
  case otpTOTP = "otp-totp"

  /// The kind of one-time value that a key of this role makes.
  package enum OTPKind: Sendable { case visa, mastercard, counter, time }
}

extension KeyRole {
  /// Whether `opcode` works with a key of this role.
  package func serves(_ opcode: Opcode) -> Bool {
    // Whether a particular key may be exported is an attribute of the key.
    opcode == .exportKey ? !isInternal : traits.operations.contains(opcode)
  }

  /// Whether `opcode` works with handles to secrets that were derived with a key of this role.
  package func servesHandles(_ opcode: Opcode) -> Bool {
    traits.makesHandles
      && [.kdf, .seal, .unseal, .mac, .verifyMAC, .releaseHandle].contains(opcode)
  }

  package func allows(_ algorithm: KeyAlgorithm) -> Bool {
    switch traits.keys {
    case .asymmetric(let kind, let other):
      algorithm == .asymmetric(kind) || other.map { algorithm == .asymmetric($0) } ?? false
    case .rsa: algorithm.isRSA
    case .symmetric(let own): algorithm == own
    }
  }

  /// The default algorithm of a new key of this role.
  package var usualAlgorithm: KeyAlgorithm {
    switch traits.keys {
    case .asymmetric(let kind, _): .asymmetric(kind)
    case .rsa(let bits): .asymmetric(.rsa(bits: bits))
    case .symmetric(let algorithm): algorithm
    }
  }

  /// The algorithm of a role's symmetric keys, which their bytes alone do not tell; nil for an
  /// asymmetric role.
  package var symmetricAlgorithm: KeyAlgorithm? {
    if case .symmetric(let algorithm) = traits.keys { algorithm } else { nil }
  }

  /// Whether the store has only the public half of such a key: its owner, who is somebody else, has
  /// the private one.
  package var isPublic: Bool { traits.isPublic }

  /// Whether such a key encrypts what is released to a partner.
  package var isPartners: Bool {
    [.partnerEncryptionEC, .partnerEncryptionRSA, .partnerEncryptionAES].contains(self)
  }

  /// Whether a certificate can stand beside a key of this role.
  package var isCertified: Bool { isMerchant || isPublic }

  /// What Apple's certificate for a key of this role is called; nil if Apple certifies none.
  /// [KS-CSR-KEY]
  package var certifiedPurpose: String? { traits.certified }

  /// Whether a key of this role belongs to a merchant.
  package var isMerchant: Bool { certifiedPurpose != nil }

  package var otpKind: OTPKind? { traits.otp }

  /// Whether the store keeps a ledger of subjects for a key of this role.
  var keepsLedger: Bool { otpKind == .counter || otpKind == .time }

  /// Whether only the store itself makes keys of this role; they cannot be imported.
  package var isInternal: Bool { self == .auditSigning || self == .auditDigest }

  /// Usage, algorithm and mode of the role's key blocks.
  var blockUse: BlockUse { traits.block }
}

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
    _ operations: [Opcode], _ keys: Keys, _ block: BlockUse, makesHandles: Bool = false,
    otp: KeyRole.OTPKind? = nil, certified: String? = nil,
    isPublic: Bool = false
  ) {
    self.isPublic = isPublic
    self.operations = operations
    self.keys = keys
    self.block = block
    self.makesHandles = makesHandles
    self.otp = otp
    self.certified = certified
  }
}

extension KeyRole {
  var traits: RoleTraits {
    switch self {
    // Apple's and MDES's certificates are for RSA-2048; our own keys have the 128-bit strength of
    // SP 800-57.
    case .merchantProcessingEC:
      RoleTraits(
        [.openPaymentToken, .certificateRequest], .asymmetric(.p256),
        BlockUse(.keyAgreement, .ellipticCurve, .deriveOnly),
        certified: "Apple Pay Payment Processing")
    case .merchantProcessingRSA:
      RoleTraits(
        [.openPaymentToken, .certificateRequest], .rsa(usual: 2048),
        BlockUse(.asymmetricDataEncryption, .rsa, .decryptOnly),
        certified: "Apple Pay Payment Processing")
    case .merchantIdentityRSA:
      RoleTraits(
        [.sign, .certificateRequest], .rsa(usual: 2048),
        BlockUse(.digitalSignature, .rsa, .signOnly), certified: "Apple Pay Merchant Identity")

    // X9.143 has no algorithm code for Edwards curves: we use the one for elliptic curves, with the
    // RFC 8410 key as data.
    case .auditSigning:
      RoleTraits([], .asymmetric(.ed25519), BlockUse(.digitalSignature, .ellipticCurve, .signOnly))
    case .auditDigest:
      RoleTraits([], .symmetric(.hmac(.sha256)), BlockUse(.hmac, .hmac, .generateOnly))

    case .agreement:
      RoleTraits(
        [.ecdh], .asymmetric(.p256, or: .p384),
        BlockUse(.keyAgreement, .ellipticCurve, .deriveOnly), makesHandles: true)
    case .sealing:
      RoleTraits(
        [.seal, .unseal, .tokenise, .openEnvelope], .symmetric(.aes256),
        BlockUse(.dataEncryption, .aes, .encryptDecrypt))
    case .unsealing:
      RoleTraits([.unseal], .symmetric(.aes256), BlockUse(.dataEncryption, .aes, .decryptOnly))
    case .signingECDSA:
      RoleTraits(
        [.sign, .verify], .asymmetric(.p256, or: .p384),
        BlockUse(.digitalSignature, .ellipticCurve, .signOnly))
    case .signingRSA:
      RoleTraits([.sign, .verify], .rsa(usual: 3072), BlockUse(.digitalSignature, .rsa, .signOnly))
    case .signingEd25519:
      RoleTraits(
        [.sign, .verify], .asymmetric(.ed25519),
        BlockUse(.digitalSignature, .ellipticCurve, .signOnly))
    case .macHMACSHA256:
      RoleTraits(
        [.mac, .verifyMAC], .symmetric(.hmac(.sha256)), BlockUse(.hmac, .hmac, .generateVerify))
    case .macHMACSHA384:
      RoleTraits(
        [.mac, .verifyMAC], .symmetric(.hmac(.sha384)), BlockUse(.hmac, .hmac, .generateVerify))
    case .macHMACSHA512:
      RoleTraits(
        [.mac, .verifyMAC], .symmetric(.hmac(.sha512)), BlockUse(.hmac, .hmac, .generateVerify))
    case .macCMAC:
      RoleTraits([.mac, .verifyMAC], .symmetric(.aes256), BlockUse(.cmac, .aes, .generateVerify))
    case .unwrappingRSA:
      RoleTraits(
        [.unwrap], .rsa(usual: 3072), BlockUse(.asymmetricDataEncryption, .rsa, .decryptOnly),
        makesHandles: true)
    case .keyExchange:
      RoleTraits(
        [.importBlock], .symmetric(.aes256), BlockUse(.keyBlockProtection, .aes, .encryptDecrypt))
    case .keyExchangeTDEA:
      RoleTraits(
        [.importBlock], .symmetric(.tripleDES2),
        BlockUse(.keyBlockProtection, .tripleDES, .decryptOnly))
    // Not D0, the usage of a sealing key, so that neither key's block can be passed off as the
    // other's.
    case .surrogate:
      RoleTraits(
        [.tokenise, .detokenise], .symmetric(.aes256),
        BlockUse(.sensitiveDataEncryption, .aes, .encryptDecrypt))
    // No caller can have it make a digest: it would be one under which a token, or a code, could be
    // claimed.
    case .fleet: RoleTraits([], .symmetric(.hmac(.sha256)), BlockUse(.hmac, .hmac, .generateOnly))

    // A grant names them, and no request: so they serve no operation by themselves.
    case .partnerEncryptionEC:
      RoleTraits(
        [], .asymmetric(.p256), BlockUse(.asymmetricDataEncryption, .ellipticCurve, .encryptOnly),
        isPublic: true)
    case .partnerEncryptionRSA:
      RoleTraits(
        [], .rsa(usual: 2048), BlockUse(.asymmetricDataEncryption, .rsa, .encryptOnly),
        isPublic: true)
    case .partnerEncryptionAES:
      RoleTraits([], .symmetric(.aes256), BlockUse(.keyEncryption, .aes, .encryptOnly))

    case .otpVisa:
      RoleTraits(
        [.signOTP, .provisionPass], .symmetric(.tripleDES2),
        BlockUse(.dataEncryption, .tripleDES, .encryptOnly), otp: .visa)
    // What issuers register with MDES.
    case .otpMastercard:
      RoleTraits(
        [.signOTP, .provisionPass], .asymmetric(.rsa(bits: 2048)),
        BlockUse(.digitalSignature, .rsa, .signOnly), otp: .mastercard)
    case .otpHOTP:
      RoleTraits(
        [.signOTP, .verifyOTP, .enrolAuthenticator, .resetOTPLockout], .symmetric(.hmacOTP),
        BlockUse(.hmac, .hmac, .generateVerify), otp: .counter)
    case .otpTOTP:
      RoleTraits(
        [.signOTP, .verifyOTP, .enrolAuthenticator, .resetOTPLockout], .symmetric(.hmacOTP),
        BlockUse(.hmac, .hmac, .generateVerify), otp: .time)
    }
  }
}

/// The three header fields that say what a wrapped key is for.
struct BlockUse: Hashable, Sendable {
  let usage: HeaderCode
  let algorithm: KeyBlockAlgorithm
  let mode: ModeOfUse

  init(_ usage: HeaderCode, _ algorithm: KeyBlockAlgorithm, _ mode: ModeOfUse) {
    self.usage = usage
    self.algorithm = algorithm
    self.mode = mode
  }

  init(_ header: KeyBlockHeader) { self.init(header.usage, header.algorithm, header.mode) }

  /// `K3 E X`.
  var text: String {
    "\(usage) \(Unicode.Scalar(algorithm.rawValue)) \(Unicode.Scalar(mode.rawValue))"
  }
}
