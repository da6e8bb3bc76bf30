package import Format

/// What the rules say of an operation. `Opcode.traits` has a row for each; `operationTable` says
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
  let coversKeys: Bool
  package let serves: Service
  package let releases: Release
  /// Whether policy decides who may do it; without, everybody who can connect may.
  package let needsGrant: Bool
  /// Whether a grant must limit how often: each answer tells whether a guess was right, or many
  /// together do.
  package let needsLimit: Bool
  package let approval: Approval
  /// Whether it only asks, and uses no key: `Rate.ofQuestions` limits it where its grant states no
  /// rate.
  package let isQuestion: Bool

  init(
    coversKeys: Bool = false, serves: Service = .activeKeys, releases: Release = .nothing,
    needsGrant: Bool = true, needsLimit: Bool = false,
    approval: Approval = .ifConfigured, isQuestion: Bool = false
  ) {
    self.coversKeys = coversKeys
    self.serves = serves
    self.releases = releases
    self.needsGrant = needsGrant
    self.needsLimit = needsLimit
    self.approval = approval
    self.isQuestion = isQuestion
  }
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
    case .ping: OpcodeTraits(needsGrant: false, approval: .never)
    case .describe: OpcodeTraits(approval: .never, isQuestion: true)
    case .listKeys: OpcodeTraits(coversKeys: true, isQuestion: true)
    case .describeKey: OpcodeTraits()
    case .random: OpcodeTraits()
    case .who: OpcodeTraits(approval: .never, isQuestion: true)
    case .auditDigest: OpcodeTraits(needsLimit: true)
    case .ready: OpcodeTraits(needsGrant: false, approval: .never)

    case .verifyPaymentToken: OpcodeTraits()
    case .openPaymentToken:
      OpcodeTraits(serves: .retiredKeys, releases: .tokenFields)
    case .provisionPass: OpcodeTraits(releases: .pan, needsLimit: true)
    case .provisionTrace: OpcodeTraits()
    case .signOTP: OpcodeTraits(releases: .pan, needsLimit: true)
    case .verifyOTP: OpcodeTraits(serves: .retiredKeys)
    case .enrolAuthenticator: OpcodeTraits(needsLimit: true)

    case .ecdh: OpcodeTraits(releases: .secret)
    case .kdf: OpcodeTraits(releases: .secret)
    case .seal: OpcodeTraits()
    case .unseal: OpcodeTraits(serves: .compromisedKeys)
    case .sign: OpcodeTraits()
    case .verify: OpcodeTraits(serves: .retiredKeys)
    case .mac: OpcodeTraits()
    case .verifyMAC: OpcodeTraits(serves: .retiredKeys)
    case .unwrap: OpcodeTraits(serves: .retiredKeys)
    case .releaseHandle: OpcodeTraits()
    case .tokenise: OpcodeTraits(needsLimit: true)
    case .detokenise: OpcodeTraits(serves: .compromisedKeys, releases: .panAlone)
    case .openEnvelope:
      OpcodeTraits(serves: .compromisedKeys, releases: .sealedFields)

    case .status: OpcodeTraits(approval: .never)
    case .unlock: OpcodeTraits(approval: .never)
    case .lock: OpcodeTraits(approval: .never)
    case .importKey: OpcodeTraits(coversKeys: true)
    case .reviewLog: OpcodeTraits()
    case .submitShare: OpcodeTraits(approval: .never)
    case .shareProgress: OpcodeTraits(approval: .never)
    case .recordDrill: OpcodeTraits()
    case .metrics: OpcodeTraits(approval: .never)
    case .certificateRequest: OpcodeTraits(serves: .newKeys)
    case .exportKey: OpcodeTraits(serves: .newKeys, approval: .byDefault)
    case .importBlock: OpcodeTraits()

    case .generateKey: OpcodeTraits(coversKeys: true)
    case .activateKey: OpcodeTraits(approval: .byDefault)
    case .retireKey: OpcodeTraits(approval: .byDefault)
    case .compromiseKey: OpcodeTraits(approval: .byDefault)
    case .destroyKey: OpcodeTraits(approval: .byDefault)
    case .attachCertificate: OpcodeTraits(approval: .byDefault)
    case .approve: OpcodeTraits(approval: .never)
    case .listRequests: OpcodeTraits(approval: .never)
    case .swapPolicy: OpcodeTraits(approval: .byDefault)
    case .backUp: OpcodeTraits(approval: .byDefault)
    case .suspendKey: OpcodeTraits()
    case .resumeKey: OpcodeTraits(approval: .byDefault)
    case .resetOTPLockout: OpcodeTraits(serves: .retiredKeys, approval: .byDefault)
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
