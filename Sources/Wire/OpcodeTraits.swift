/// What the rules say of an operation. `Opcode.traits` has a row for each; `operationTable` says what carries it out.
package struct OpcodeTraits: Sendable {
  /// What an operation has to do with keys.
  package enum KeyUse: Sendable {
    /// It works with no key.
    case never
    /// It names no key, but shows the caller only keys that the grant covers.
    case listing
    /// It works with a key if the request names one.
    case optional
    /// It needs a key.
    case required
  }

  /// Which keys serve it besides active ones. [KS-STATE-USE]
  package enum Service: Sendable {
    case activeKeys
    /// Pre-active ones: it prepares the key, and is not a use of it.
    case newKeys
    /// Retired ones: what was made for the key or with it can still be read.
    case retiredKeys
    /// Retired and compromised ones: what they sealed must be opened to be sealed under another key (SP 800-57 part 1 §7.3).
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
  }

  /// Whether a second operator must approve a request.
  package enum Approval: Sendable {
    /// It cannot wait: it is a harmless query, opens or closes the key store, or approving needs it.
    case never
    /// If the configuration or the grant says so.
    case ifConfigured
    /// Unless the configuration says otherwise: it cannot be undone, it lets something leave the machine, or it decides over
    /// everything else. One person alone can suspend a key at once; resuming or ending it takes two.
    case byDefault
  }

  package let name: String
  package let key: KeyUse
  package let serves: Service
  package let releases: Release
  /// Whether policy decides who may do it; without, everybody who can connect may.
  package let needsGrant: Bool
  /// Whether a grant must limit how often: each answer tells whether a guess was right.
  package let needsLimit: Bool
  package let approval: Approval

  fileprivate init(
    _ name: String, key: KeyUse = .never, serves: Service = .activeKeys, releases: Release = .nothing, needsGrant: Bool = true,
    needsLimit: Bool = false, approval: Approval = .ifConfigured
  ) {
    (self.name, self.key, self.serves, self.releases) = (name, key, serves, releases)
    (self.needsGrant, self.needsLimit, self.approval) = (needsGrant, needsLimit, approval)
  }
}

extension OpcodeTraits.KeyUse {
  /// Whether a grant of such an operation can name keys.
  package var namesKeys: Bool { self != .never }

  /// Whether a grant of such an operation must name keys.
  package var needsKeys: Bool { self == .listing || self == .required }
}

extension Opcode {
  package var traits: OpcodeTraits {
    switch self {
    case .ping: OpcodeTraits("ping", needsGrant: false, approval: .never)
    case .describe: OpcodeTraits("describe", approval: .never)
    case .listKeys: OpcodeTraits("list-keys", key: .listing)
    case .describeKey: OpcodeTraits("describe-key", key: .required)
    case .random: OpcodeTraits("random")
    case .who: OpcodeTraits("who", approval: .never)
    case .auditDigest: OpcodeTraits("audit-digest", needsLimit: true)
    case .ready: OpcodeTraits("ready", needsGrant: false, approval: .never)

    case .verifyPaymentToken: OpcodeTraits("verify-payment-token", key: .optional)
    case .openPaymentToken: OpcodeTraits("open-payment-token", key: .required, serves: .retiredKeys, releases: .tokenFields)
    case .provisionPass: OpcodeTraits("provision-pass", key: .optional, releases: .pan)
    case .provisionTrace: OpcodeTraits("provision-trace")
    case .signOTP: OpcodeTraits("sign-otp", key: .required)
    case .verifyOTP: OpcodeTraits("verify-otp", key: .required, serves: .retiredKeys)

    case .ecdh: OpcodeTraits("ecdh", key: .required, releases: .secret)
    case .kdf: OpcodeTraits("kdf", key: .required, releases: .secret)
    case .seal: OpcodeTraits("seal", key: .required)
    case .unseal: OpcodeTraits("unseal", key: .required, serves: .compromisedKeys)
    case .sign: OpcodeTraits("sign", key: .required)
    case .verify: OpcodeTraits("verify", key: .required, serves: .retiredKeys)
    case .mac: OpcodeTraits("mac", key: .required)
    case .verifyMAC: OpcodeTraits("verify-mac", key: .required, serves: .retiredKeys)
    case .unwrap: OpcodeTraits("unwrap", key: .required, serves: .retiredKeys)
    case .releaseHandle: OpcodeTraits("release-handle", key: .required)
    case .tokenise: OpcodeTraits("tokenise", key: .required)
    case .detokenise: OpcodeTraits("detokenise", key: .required, serves: .compromisedKeys, releases: .panAlone)
    case .openEnvelope: OpcodeTraits("open-envelope", key: .required, serves: .compromisedKeys, releases: .sealedFields)

    case .status: OpcodeTraits("status", approval: .never)
    case .unlock: OpcodeTraits("unlock", approval: .never)
    case .lock: OpcodeTraits("lock", approval: .never)
    case .importKey: OpcodeTraits("import-key")
    case .reviewLog: OpcodeTraits("review-log")
    case .submitShare: OpcodeTraits("submit-share", approval: .never)
    case .shareProgress: OpcodeTraits("share-progress", approval: .never)
    case .recordDrill: OpcodeTraits("record-drill")
    case .metrics: OpcodeTraits("metrics", approval: .never)
    case .certificateRequest: OpcodeTraits("certificate-request", key: .required, serves: .newKeys)
    case .exportKey: OpcodeTraits("export-key", key: .required, serves: .newKeys, approval: .byDefault)
    case .importBlock: OpcodeTraits("import-block", key: .required)

    case .generateKey: OpcodeTraits("generate-key")
    case .activateKey: OpcodeTraits("activate-key", key: .required, approval: .byDefault)
    case .retireKey: OpcodeTraits("retire-key", key: .required, approval: .byDefault)
    case .compromiseKey: OpcodeTraits("compromise-key", key: .required, approval: .byDefault)
    case .destroyKey: OpcodeTraits("destroy-key", key: .required, approval: .byDefault)
    case .attachCertificate: OpcodeTraits("attach-certificate", key: .required, approval: .byDefault)
    case .approve: OpcodeTraits("approve", approval: .never)
    case .listRequests: OpcodeTraits("list-requests", approval: .never)
    case .swapPolicy: OpcodeTraits("swap-policy", approval: .byDefault)
    case .backUp: OpcodeTraits("back-up", approval: .byDefault)
    case .suspendKey: OpcodeTraits("suspend-key", key: .required)
    case .resumeKey: OpcodeTraits("resume-key", key: .required, approval: .byDefault)
    case .resetOTPLockout: OpcodeTraits("reset-otp-lockout", key: .required, serves: .retiredKeys, approval: .byDefault)
    }
  }

  package static let approvedByDefault = Set(allCases.filter { $0.traits.approval == .byDefault })
}
