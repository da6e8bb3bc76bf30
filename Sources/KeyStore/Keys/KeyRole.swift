internal import Crypto
package import Format

/// What a key is for. `RoleTraits` says which algorithms, key block header and operations go with it.
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
    traits.makesHandles && [.kdf, .seal, .unseal, .mac, .verifyMAC, .releaseHandle].contains(opcode)
  }

  package func allows(_ algorithm: KeyAlgorithm) -> Bool {
    switch traits.keys {
    case .asymmetric(let kind, let other): algorithm == .asymmetric(kind) || other.map { algorithm == .asymmetric($0) } ?? false
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

  /// The algorithm of a role's symmetric keys, which their bytes alone do not tell; nil for an asymmetric role.
  package var symmetricAlgorithm: KeyAlgorithm? { if case .symmetric(let algorithm) = traits.keys { algorithm } else { nil } }

  /// Whether the store has only the public half of such a key: its owner, who is somebody else, has the private one.
  package var isPublic: Bool { traits.isPublic }

  /// Whether such a key encrypts what is released to a partner.
  package var isPartners: Bool { [.partnerEncryptionEC, .partnerEncryptionRSA, .partnerEncryptionAES].contains(self) }

  /// Whether a certificate can stand beside a key of this role.
  package var isCertified: Bool { isMerchant || isPublic }

  /// What Apple's certificate for a key of this role is called; nil if Apple certifies none. [KS-CSR-KEY]
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
