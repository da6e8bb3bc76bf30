package import Wire

/// What an operation has to do with keys, as far as policy cares.
package enum KeyUse: Sendable {
  /// It works with none.
  case never
  /// It names none, and shows the caller only keys that the grant covers.
  case listing
  /// It works with one where the request names one.
  case optional
  /// It cannot be asked for without one.
  case required

  /// Whether a grant of such an operation can name keys.
  package var namesKeys: Bool {
    switch self {
    case .never: false
    case .listing, .optional, .required: true
    }
  }

  /// Whether a grant of such an operation must name keys.
  package var needsKeys: Bool {
    switch self {
    case .never, .optional: false
    case .listing, .required: true
    }
  }
}

extension Opcode {
  package var keyUse: KeyUse {
    switch self {
    case .ping, .describe, .random, .who, .auditDigest, .status, .unlock, .lock, .importKey, .reviewLog, .submitShare, .shareProgress, .recordDrill,
      .generateKey, .provisionTrace, .approve, .listRequests, .swapPolicy, .backUp:
      .never
    case .listKeys: .listing
    case .verifyPaymentToken, .provisionPass: .optional
    case .describeKey, .certificateRequest, .exportKey, .importBlock, .openPaymentToken, .signOTP, .verifyOTP: .required
    case .activateKey, .retireKey, .compromiseKey, .destroyKey, .suspendKey, .resumeKey, .attachCertificate: .required
    case .ecdh, .kdf, .seal, .unseal, .sign, .verify, .mac, .verifyMAC, .unwrap, .releaseHandle, .tokenise, .detokenise: .required
    }
  }
}

extension Opcode {
  /// The fields that a grant can let out of the operation's result.
  package var releasable: ReleasedFields {
    switch self {
    case .openPaymentToken: ReleasedFields(ReleasedField.allCases)
    // A Mastercard value over a sealed number gives the number away. [OP-PROV-5]
    case .detokenise, .provisionPass: ReleasedFields([.dpan])
    default: []
    }
  }

  /// Whether a grant says what of its result may leave.
  package var releases: Bool { self == .openPaymentToken || ReleasedSecret.allCases.contains { $0.opcode == self } }

  /// Whether a grant must limit how often: each answer tells whether a guess was right.
  package var needsLimit: Bool { self == .auditDigest }
}
