/// All operations, with their numbers on the wire, which never change and are never reused.
package enum Opcode: UInt16, Named, Sendable {
  case ping = 0x0001
  case describe = 0x0002
  case listKeys = 0x0003
  case describeKey = 0x0004
  case random = 0x0005
  case who = 0x0006
  case auditDigest = 0x0007
  case ready = 0x0008

  case verifyPaymentToken = 0x0010
  case openPaymentToken = 0x0011

  case provisionPass = 0x0020
  case provisionTrace = 0x0021

  case signOTP = 0x0030
  case verifyOTP = 0x0031
  case enrolAuthenticator = 0x0032

  case ecdh = 0x0040
  case kdf = 0x0041
  case seal = 0x0042
  case unseal = 0x0043
  case sign = 0x0044
  case verify = 0x0045
  case mac = 0x0046
  case verifyMAC = 0x0047
  case unwrap = 0x0048
  case releaseHandle = 0x0049

  case tokenise = 0x0050
  case detokenise = 0x0051
  case openEnvelope = 0x0052

  // Operators' socket only.
  case status = 0x0100
  case unlock = 0x0101
  case lock = 0x0102
  case importKey = 0x0103
  case reviewLog = 0x0104
  case submitShare = 0x0105
  case shareProgress = 0x0106
  case recordDrill = 0x0107
  case metrics = 0x0108
  case certificateRequest = 0x0110
  case exportKey = 0x0111
  case importBlock = 0x0112

  case generateKey = 0x0120
  case activateKey = 0x0121
  case retireKey = 0x0122
  case compromiseKey = 0x0123
  case destroyKey = 0x0124
  case attachCertificate = 0x0125
  case approve = 0x0126
  case listRequests = 0x0127
  case swapPolicy = 0x0128
  case backUp = 0x0129
  case suspendKey = 0x012A
  case resumeKey = 0x012B
  case resetOTPLockout = 0x012C

  /// Whether it is available only on the operators' socket: the numbers from 0x0100 on.
  package var isForOperators: Bool { rawValue >= 0x0100 }

  /// The name in policy files, audit records and on the command line.
  package var name: String {
    switch self {
    case .ping: "ping"
    case .describe: "describe"
    case .listKeys: "list-keys"
    case .describeKey: "describe-key"
    case .random: "random"
    case .who: "who"
    case .auditDigest: "audit-digest"
    case .ready: "ready"

    case .verifyPaymentToken: "verify-payment-token"
    case .openPaymentToken: "open-payment-token"
    case .provisionPass: "provision-pass"
    case .provisionTrace: "provision-trace"
    case .signOTP: "sign-otp"
    case .verifyOTP: "verify-otp"
    case .enrolAuthenticator: "enrol-authenticator"

    case .ecdh: "ecdh"
    case .kdf: "kdf"
    case .seal: "seal"
    case .unseal: "unseal"
    case .sign: "sign"
    case .verify: "verify"
    case .mac: "mac"
    case .verifyMAC: "verify-mac"
    case .unwrap: "unwrap"
    case .releaseHandle: "release-handle"
    case .tokenise: "tokenise"
    case .detokenise: "detokenise"
    case .openEnvelope: "open-envelope"

    case .status: "status"
    case .unlock: "unlock"
    case .lock: "lock"
    case .importKey: "import-key"
    case .reviewLog: "review-log"
    case .submitShare: "submit-share"
    case .shareProgress: "share-progress"
    case .recordDrill: "record-drill"
    case .metrics: "metrics"
    case .certificateRequest: "certificate-request"
    case .exportKey: "export-key"
    case .importBlock: "import-block"

    case .generateKey: "generate-key"
    case .activateKey: "activate-key"
    case .retireKey: "retire-key"
    case .compromiseKey: "compromise-key"
    case .destroyKey: "destroy-key"
    case .attachCertificate: "attach-certificate"
    case .approve: "approve"
    case .listRequests: "list-requests"
    case .swapPolicy: "swap-policy"
    case .backUp: "back-up"
    case .suspendKey: "suspend-key"
    case .resumeKey: "resume-key"
    case .resetOTPLockout: "reset-otp-lockout"
    }
  }
}

/// An enum whose cases have names in policy, in the audit log and on the command line.
package protocol Named: CaseIterable {
  var name: String { get }
}

extension Named {
  package init?(name: some StringProtocol) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}
