package import Wire

/// Whether an operation works with keys, as far as policy is concerned.
package enum KeyUse: Sendable {
  /// It works with no key.
  case never
  /// It names no key, but shows the caller only keys that the grant covers.
  case listing
  /// It works with a key if the request names one.
  case optional
  /// It needs a key.
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
  /// The fields of the operation's result that a grant can release.
  package var releasable: ReleasedFields {
    switch self {
    case .openPaymentToken: ReleasedFields(ReleasedField.allCases)
    // A Mastercard value made from a sealed number reveals the number. [OP-PROV-5]
    case .detokenise, .provisionPass: ReleasedFields([.dpan])
    default: []
    }
  }

  /// Whether a grant must state what may be released of its result.
  package var releases: Bool { self == .openPaymentToken || ReleasedSecret.allCases.contains { $0.opcode == self } }

  /// Whether a grant must have a rate or quota, because each answer confirms or refutes a guess.
  package var needsLimit: Bool { self == .auditDigest }
}
