package import Format

extension Opcode {
  /// All that a grant can name.
  package static let grantable = allCases.filter(\.traits.needsGrant)

  /// Those that need a second operator's approval unless the configuration says otherwise.
  package static let approvedByDefault = Set(allCases.filter { $0.traits.approval == .byDefault })

  package var traits: OpcodeTraits {
    switch self {
    case .ping: OpcodeTraits(needsGrant: false, approval: .never)
    case .describe: OpcodeTraits(approval: .never, isQuestion: true)
    case .listKeys: OpcodeTraits(key: .covered, isQuestion: true)
    case .describeKey: OpcodeTraits(key: .required)
    case .random: OpcodeTraits()
    case .who: OpcodeTraits(approval: .never, isQuestion: true)
    case .auditDigest: OpcodeTraits(needsLimit: true)
    case .ready: OpcodeTraits(needsGrant: false, approval: .never)

    case .verifyPaymentToken: OpcodeTraits(key: .optional)
    case .openPaymentToken: OpcodeTraits(key: .required, serves: .retiredKeys, releases: .tokenFields)
    case .provisionPass: OpcodeTraits(key: .optional, releases: .pan, needsLimit: true)
    case .provisionTrace: OpcodeTraits()
    case .signOTP: OpcodeTraits(key: .required, releases: .pan, needsLimit: true)
    case .verifyOTP: OpcodeTraits(key: .required, serves: .retiredKeys)
    case .enrolAuthenticator: OpcodeTraits(key: .required, needsLimit: true)

    case .ecdh: OpcodeTraits(key: .required, releases: .secret)
    case .kdf: OpcodeTraits(key: .required, releases: .secret)
    case .seal: OpcodeTraits(key: .required)
    case .unseal: OpcodeTraits(key: .required, serves: .compromisedKeys)
    case .sign: OpcodeTraits(key: .required)
    case .verify: OpcodeTraits(key: .required, serves: .retiredKeys)
    case .mac: OpcodeTraits(key: .required)
    case .verifyMAC: OpcodeTraits(key: .required, serves: .retiredKeys)
    case .unwrap: OpcodeTraits(key: .required, serves: .retiredKeys)
    case .releaseHandle: OpcodeTraits(key: .required)
    case .tokenise: OpcodeTraits(key: .required, needsLimit: true)
    case .detokenise: OpcodeTraits(key: .required, serves: .compromisedKeys, releases: .panAlone)
    case .openEnvelope: OpcodeTraits(key: .required, serves: .compromisedKeys, releases: .sealedFields)

    case .status: OpcodeTraits(approval: .never)
    case .unlock: OpcodeTraits(approval: .never)
    case .lock: OpcodeTraits(approval: .never)
    case .importKey: OpcodeTraits(key: .covered)
    case .reviewLog: OpcodeTraits()
    case .submitShare: OpcodeTraits(approval: .never)
    case .shareProgress: OpcodeTraits(approval: .never)
    case .recordDrill: OpcodeTraits()
    case .metrics: OpcodeTraits(approval: .never)
    case .certificateRequest: OpcodeTraits(key: .required, serves: .newKeys)
    case .exportKey: OpcodeTraits(key: .required, serves: .newKeys, approval: .byDefault)
    case .importBlock: OpcodeTraits(key: .required)

    case .generateKey: OpcodeTraits(key: .covered)
    case .activateKey: OpcodeTraits(key: .required, approval: .byDefault)
    case .retireKey: OpcodeTraits(key: .required, approval: .byDefault)
    case .compromiseKey: OpcodeTraits(key: .required, approval: .byDefault)
    case .destroyKey: OpcodeTraits(key: .required, approval: .byDefault)
    case .attachCertificate: OpcodeTraits(key: .required, approval: .byDefault)
    case .approve: OpcodeTraits(approval: .never)
    case .listRequests: OpcodeTraits(approval: .never)
    case .swapPolicy: OpcodeTraits(approval: .byDefault)
    case .backUp: OpcodeTraits(approval: .byDefault)
    case .suspendKey: OpcodeTraits(key: .required)
    case .resumeKey: OpcodeTraits(key: .required, approval: .byDefault)
    case .resetOTPLockout: OpcodeTraits(key: .required, serves: .retiredKeys, approval: .byDefault)
    }
  }
}
