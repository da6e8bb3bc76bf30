package import Format

/// What the rules say of an operation. `Opcode.traits` has it for each; `operationTable` says
/// what carries it out.
package struct OpcodeTraits: Sendable {
  /// Which keys serve it besides active ones. [KS-STATE-USE]
  package enum Service: Sendable {
    case activeKeys
    /// Pre-active ones: it prepares the key, and is not a use of it.
    case newKeys
    /// Retired ones: what was made for the key or with it can still be read.
    case retiredKeys
    /// Retired and compromised ones: what they sealed must be opened to be sealed under another key
    /// (SP 800-57 part 1 §7.3).
    case compromisedKeys
  }

  /// What a grant may let out of the result.
  package enum Release: Sendable {
    case nothing
    /// Any of a payment token's fields.
    case tokenFields
    /// Those of a payment token's fields that an envelope can hold.
    case sealedFields
    /// The PAN, which is not the result itself.
    case pan
    /// The PAN and nothing else: a grant that does not release it is meaningless.
    case panAlone
    /// A `ReleasedSecret`.
    case secret

    /// Whether what it lets out are fields of a payment, which a partner can have instead of the
    /// caller.
    package var isOfPayments: Bool { self == .tokenFields || self == .sealedFields }
  }

  /// Whether a second operator must approve a request.
  package enum Approval: Sendable {
    /// It cannot wait: it is a harmless query, opens or closes the key store, or approving needs
    /// it.
    case never
    /// If the configuration or the grant says so.
    case ifConfigured
    /// Unless the configuration says otherwise: it cannot be undone, it lets something leave the
    /// machine, or it decides over everything else. One person alone can suspend a key at once;
    /// resuming or ending it takes two.
    case byDefault
  }

  /// Whether it shows or makes keys without naming one.
  var coversKeys = false
  package var serves = Service.activeKeys
  package var releases = Release.nothing
  /// Whether policy decides who may do it; without, everybody who can connect may.
  package var needsGrant = true
  /// Whether a grant must limit how often: each answer tells whether a guess was right, or many
  /// together do.
  package var needsLimit = false
  package var approval = Approval.ifConfigured
  /// Whether it only asks, and uses no key: `Rate.ofQuestions` limits it where its grant states no
  /// rate.
  package var isQuestion = false
}

/// What an operation has to do with keys.
package enum KeyUse: Sendable {
  /// It works with no key.
  case never
  /// It names no key, but shows or makes only keys that the grant covers.
  case covered
  /// It works with a key if the request names one.
  case optional
  /// It needs a key.
  case required

  /// Whether a grant of such an operation can name keys.
  package var namesKeys: Bool { self != .never }

  /// Whether a grant of such an operation must name keys.
  package var needsKeys: Bool { self == .covered || self == .required }
}

extension Opcode {
  /// All that a grant can name.
  package static let grantable = allCases.filter(\.traits.needsGrant)

  /// Those that need a second operator's approval unless the configuration says otherwise.
  package static let approvedByDefault = Set(allCases.filter { $0.traits.approval == .byDefault })

  package var keyUse: KeyUse {
    switch headerKey {
    case .none: traits.coversKeys ? .covered : .never
    case .optional: .optional
    case .required: .required
    }
  }

  package var traits: OpcodeTraits {
    switch self {
    case .ping, .ready: OpcodeTraits(needsGrant: false, approval: .never)
    case .describe, .who: OpcodeTraits(approval: .never, isQuestion: true)
    case .status, .metrics, .unlock, .lock, .submitShare, .shareProgress, .approve, .listRequests:
      OpcodeTraits(approval: .never)

    case .listKeys: OpcodeTraits(coversKeys: true, isQuestion: true)
    case .generateKey, .importKey: OpcodeTraits(coversKeys: true)

    case .openPaymentToken: OpcodeTraits(serves: .retiredKeys, releases: .tokenFields)
    case .openEnvelope: OpcodeTraits(serves: .compromisedKeys, releases: .sealedFields)
    case .detokenise: OpcodeTraits(serves: .compromisedKeys, releases: .panAlone)
    case .provisionPass, .signOTP: OpcodeTraits(releases: .pan, needsLimit: true)
    case .ecdh, .kdf: OpcodeTraits(releases: .secret)
    case .tokenise, .enrolAuthenticator, .auditDigest: OpcodeTraits(needsLimit: true)

    case .verify, .verifyMAC, .verifyOTP, .unwrap: OpcodeTraits(serves: .retiredKeys)
    case .unseal: OpcodeTraits(serves: .compromisedKeys)
    case .certificateRequest: OpcodeTraits(serves: .newKeys)
    case .exportKey: OpcodeTraits(serves: .newKeys, approval: .byDefault)
    case .resetOTPLockout: OpcodeTraits(serves: .retiredKeys, approval: .byDefault)
    case .activateKey, .retireKey, .compromiseKey, .destroyKey, .resumeKey, .attachCertificate,
      .swapPolicy, .backUp:
      OpcodeTraits(approval: .byDefault)

    case .describeKey, .random, .verifyPaymentToken, .provisionTrace, .seal, .sign, .mac,
      .releaseHandle, .reviewLog, .recordDrill, .importBlock, .suspendKey:
      OpcodeTraits()
    }
  }
}

extension Opcode {
  /// The fields that a grant can let out of the operation's result.
  package var releasable: ReleasedFields {
    switch traits.releases {
    case .tokenFields: .nameable
    case .sealedFields: .sealable
    // A Mastercard value over a sealed number gives the number away. [OP-PROV-5]
    case .pan, .panAlone: ReleasedFields([.dpan])
    case .nothing, .secret: []
    }
  }
}
