internal import CryptoBackend
internal import KeyBlock
package import Wire

/// What a key is for: the one place that says which algorithms, key block header and operations go with it.
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
  /// Makes one-time values for Visa Token Service.
  case otpVisa = "otp-visa"
  /// Signs one-time values for Mastercard's MDES.
  case otpMastercard = "otp-mastercard"
  /// Makes and checks counter-based codes (HOTP) for people.
  case otpHOTP = "otp-hotp"
  /// Makes and checks time-based codes (TOTP) for people.
  case otpTOTP = "otp-totp"

  /// Whether `opcode` works with a key of this role.
  package func serves(_ opcode: Opcode) -> Bool {
    // Whether a particular key may be exported is an attribute of the key.
    if opcode == .exportKey { return !isInternal }
    return switch self {
    case .merchantProcessingEC, .merchantProcessingRSA: opcode == .openPaymentToken || opcode == .certificateRequest
    case .merchantIdentityRSA: opcode == .sign || opcode == .certificateRequest
    case .auditSigning, .auditDigest: false
    case .agreement: opcode == .ecdh
    case .sealing: [.seal, .unseal, .tokenise, .detokenise].contains(opcode)
    case .unsealing: opcode == .unseal
    case .signingECDSA, .signingRSA, .signingEd25519: opcode == .sign || opcode == .verify
    case .macHMACSHA256, .macHMACSHA384, .macHMACSHA512, .macCMAC: opcode == .mac || opcode == .verifyMAC
    case .unwrappingRSA: opcode == .unwrap
    case .keyExchange, .keyExchangeTDEA: opcode == .importBlock
    case .surrogate: opcode == .tokenise || opcode == .detokenise
    case .otpVisa, .otpMastercard: opcode == .signOTP || opcode == .provisionPass
    case .otpHOTP, .otpTOTP: opcode == .signOTP || opcode == .verifyOTP
    }
  }

  /// Whether `opcode` works with handles to secrets that were derived with a key of this role.
  package func servesHandles(_ opcode: Opcode) -> Bool {
    switch self {
    case .agreement, .unwrappingRSA: [.kdf, .seal, .unseal, .mac, .verifyMAC, .releaseHandle].contains(opcode)
    case .merchantProcessingEC, .merchantProcessingRSA, .merchantIdentityRSA, .auditSigning, .auditDigest, .sealing, .unsealing, .signingECDSA,
      .signingRSA, .signingEd25519, .macHMACSHA256, .macHMACSHA384, .macHMACSHA512, .macCMAC, .keyExchange, .keyExchangeTDEA, .otpVisa,
      .otpMastercard, .otpHOTP, .otpTOTP, .surrogate:
      false
    }
  }

  package func allows(_ algorithm: KeyAlgorithm) -> Bool {
    switch self {
    case .merchantProcessingEC: algorithm == .asymmetric(.p256)
    case .merchantProcessingRSA, .merchantIdentityRSA, .signingRSA, .unwrappingRSA: algorithm.isRSA
    case .agreement, .signingECDSA: algorithm == .asymmetric(.p256) || algorithm == .asymmetric(.p384)
    case .auditSigning, .signingEd25519: algorithm == .asymmetric(.ed25519)
    // What issuers register with MDES.
    case .otpMastercard: algorithm == .asymmetric(.rsa(bits: 2048))
    case .auditDigest, .sealing, .unsealing, .macHMACSHA256, .macHMACSHA384, .macHMACSHA512, .macCMAC, .keyExchange, .keyExchangeTDEA, .otpVisa,
      .otpHOTP, .otpTOTP, .surrogate:
      algorithm == symmetricAlgorithm
    }
  }

  /// The default algorithm of a new key of this role.
  package var usualAlgorithm: KeyAlgorithm {
    if let symmetricAlgorithm { return symmetricAlgorithm }
    for kind in [KeyKind.p256, .ed25519] where allows(.asymmetric(kind)) { return .asymmetric(kind) }
    // Apple's and MDES's certificates are for RSA-2048; our own keys have the 128-bit strength of SP 800-57.
    return .asymmetric(.rsa(bits: self == .signingRSA || self == .unwrappingRSA ? 3072 : 2048))
  }

  /// The algorithm of a role's symmetric keys, which their bytes alone do not tell; nil for an asymmetric role.
  package var symmetricAlgorithm: KeyAlgorithm? {
    switch self {
    case .auditDigest, .macHMACSHA256: .hmac(.sha256)
    case .macHMACSHA384: .hmac(.sha384)
    case .macHMACSHA512: .hmac(.sha512)
    case .sealing, .unsealing, .macCMAC, .keyExchange, .surrogate: .aes256
    case .keyExchangeTDEA, .otpVisa: .tripleDES2
    case .otpHOTP, .otpTOTP: .hmacOTP
    case .merchantProcessingEC, .merchantProcessingRSA, .merchantIdentityRSA, .auditSigning, .agreement, .signingECDSA, .signingRSA,
      .signingEd25519, .unwrappingRSA, .otpMastercard:
      nil
    }
  }

  /// Whether a key of this role belongs to a merchant.
  package var isMerchant: Bool {
    switch self {
    case .merchantProcessingEC, .merchantProcessingRSA, .merchantIdentityRSA: true
    case .auditSigning, .auditDigest, .agreement, .sealing, .unsealing, .signingECDSA, .signingRSA, .signingEd25519, .macHMACSHA256,
      .macHMACSHA384, .macHMACSHA512, .macCMAC, .unwrappingRSA, .keyExchange, .keyExchangeTDEA, .otpVisa, .otpMastercard, .otpHOTP, .otpTOTP,
      .surrogate:
      false
    }
  }

  /// The kind of one-time value that a key of this role makes.
  package enum OTPKind: Sendable { case visa, mastercard, counter, time }

  package var otpKind: OTPKind? {
    switch self {
    case .otpVisa: .visa
    case .otpMastercard: .mastercard
    case .otpHOTP: .counter
    case .otpTOTP: .time
    case .merchantProcessingEC, .merchantProcessingRSA, .merchantIdentityRSA, .auditSigning, .auditDigest, .agreement, .sealing, .unsealing,
      .signingECDSA, .signingRSA, .signingEd25519, .macHMACSHA256, .macHMACSHA384, .macHMACSHA512, .macCMAC, .unwrappingRSA, .keyExchange,
      .keyExchangeTDEA, .surrogate:
      nil
    }
  }

  /// Whether the store keeps a ledger of subjects for a key of this role.
  var keepsLedger: Bool { otpKind == .counter || otpKind == .time }

  package var isSymmetric: Bool { symmetricAlgorithm != nil }

  /// Whether only the store itself makes keys of this role; they cannot be imported.
  package var isInternal: Bool { self == .auditSigning || self == .auditDigest }

  /// Usage, algorithm and mode of the role's key blocks.
  var blockUse: BlockUse {
    switch self {
    case .merchantProcessingEC, .agreement: BlockUse(.keyAgreement, .ellipticCurve, .deriveOnly)
    case .merchantProcessingRSA, .unwrappingRSA: BlockUse(.asymmetricDataEncryption, .rsa, .decryptOnly)
    case .merchantIdentityRSA, .signingRSA, .otpMastercard: BlockUse(.digitalSignature, .rsa, .signOnly)
    // X9.143 has no algorithm code for Edwards curves: we use the one for elliptic curves, with the RFC 8410 key as data.
    case .auditSigning, .signingECDSA, .signingEd25519: BlockUse(.digitalSignature, .ellipticCurve, .signOnly)
    case .auditDigest: BlockUse(.hmac, .hmac, .generateOnly)
    case .sealing: BlockUse(.dataEncryption, .aes, .encryptDecrypt)
    case .unsealing: BlockUse(.dataEncryption, .aes, .decryptOnly)
    case .macHMACSHA256, .macHMACSHA384, .macHMACSHA512: BlockUse(.hmac, .hmac, .generateVerify)
    // Not D0, the usage of a sealing key, so that neither key's block can be passed off as the other's.
    case .surrogate: BlockUse(.sensitiveDataEncryption, .aes, .encryptDecrypt)
    case .macCMAC: BlockUse(.cmac, .aes, .generateVerify)
    case .keyExchange: BlockUse(.keyBlockProtection, .aes, .encryptDecrypt)
    case .keyExchangeTDEA: BlockUse(.keyBlockProtection, .tripleDES, .decryptOnly)
    case .otpVisa: BlockUse(.dataEncryption, .tripleDES, .encryptOnly)
    case .otpHOTP, .otpTOTP: BlockUse(.hmac, .hmac, .generateVerify)
    }
  }
}
