internal import CryptoBackend
internal import KeyBlock
package import Wire

/// What a key is for: the one place that says which algorithms, key block header and operations go with it.
package enum KeyRole: String, CaseIterable, Sendable {
  /// Opens EC_v1 payment tokens of one merchant.
  case merchantProcessingEC = "merchant-processing-ec"
  /// Opens RSA_v1 payment tokens of one merchant.
  case merchantProcessingRSA = "merchant-processing-rsa"
  /// The client key of one merchant's sessions with Apple.
  case merchantIdentityRSA = "merchant-identity-rsa"
  /// Signs the audit log's checkpoints.
  case auditSigning = "audit-signing"
  /// Keys the digests of identifiers in the audit log.
  case auditDigest = "audit-digest"

  /// Whether `opcode` works with the material of a key of this role.
  package func serves(_ opcode: Opcode) -> Bool {
    switch self {
    case .merchantProcessingEC, .merchantProcessingRSA: opcode == .openPaymentToken
    case .merchantIdentityRSA, .auditSigning, .auditDigest: false
    }
  }

  package func allows(_ algorithm: KeyAlgorithm) -> Bool {
    switch self {
    case .merchantProcessingEC: algorithm == .asymmetric(.p256)
    case .merchantProcessingRSA, .merchantIdentityRSA: algorithm.isRSA
    case .auditSigning: algorithm == .asymmetric(.ed25519)
    case .auditDigest: algorithm == .hmacSHA256
    }
  }

  /// Whether a key of this role belongs to a merchant.
  package var isMerchant: Bool {
    switch self {
    case .merchantProcessingEC, .merchantProcessingRSA, .merchantIdentityRSA: true
    case .auditSigning, .auditDigest: false
    }
  }

  /// Usage, algorithm and mode of the role's key blocks.
  var blockUse: BlockUse {
    switch self {
    case .merchantProcessingEC: BlockUse(.keyAgreement, .ellipticCurve, .deriveOnly)
    case .merchantProcessingRSA: BlockUse(.asymmetricDataEncryption, .rsa, .decryptOnly)
    case .merchantIdentityRSA: BlockUse(.digitalSignature, .rsa, .signOnly)
    // X9.143 has no letter for Edwards curves: our own choice, with the RFC 8410 key as data.
    case .auditSigning: BlockUse(.digitalSignature, .ellipticCurve, .signOnly)
    case .auditDigest: BlockUse(.hmac, .hmac, .generateOnly)
    }
  }
}
