/// The check at which a request was rejected, in the order of the checks; numbers are never reused.
///
/// The audit record always names it; the caller learns it only if the grant says `stages = true`.
package enum Stage: UInt8, CaseIterable, Sendable {
  case format = 1
  case version = 2
  case cms = 3
  case leafMarker = 4
  case intermediateMarker = 5
  case extraCertificate = 6
  case chain = 7
  case signer = 8
  case algorithm = 9
  case signedAttributes = 10
  case messageDigest = 11
  case signature = 12
  case certificateValidity = 13
  case signingTime = 14
  case publicKeyHash = 15
  case replay = 16
  case keyAgreement = 17
  case tag = 18
  case plaintext = 19
  case expectation = 20
  case passphrase = 21
  case keyImport = 22
  case keyState = 23
  case ownRequest = 24
  case unknownRequest = 25
  case keyBlock = 26
  case keyExport = 27
  case notReleased = 28

  case peerKey = 30
  case parameters = 31
  case envelope = 32
  case invocations = 33
  case mac = 34
  case unwrap = 35

  case encryptionScheme = 50
  case missingField = 51
  case surplusField = 52
  case fieldValue = 53
  case issuerCertificate = 54
  case issuerLeafMarker = 55
  case issuerChainLength = 56
  case issuerIntermediateMarker = 57
  case issuerIntermediateName = 58
  case issuerChain = 59
  case issuerKeyUsage = 60
  case issuerCriticalExtension = 61
  case issuerLeafCurve = 62
  case issuerValidity = 63
  case otpInput = 64
  case otpKeyExpired = 65
  case otpCode = 66
  case otpLocked = 67
  case otpNotRestored = 68
  case otpHome = 69

  case standInKey = 70
  case pan = 71
  case standIn = 72
  case expired = 73
  case envelopeUsed = 74
  case partnerKey = 75
  /// Of records alone: the caller's answer is `busy`.
  case claims = 76

  case checkpoint = 80
  case shareForm = 90
  case shareRegister = 92
  case shareSplit = 93
  case shareHolder = 94
  case shareDuplicate = 95
  case shareHolderTwice = 96
  case shareSurplus = 97
  case shareCombination = 98
  case shareCoolDown = 99

  case otherKEK = 100
  case backup = 101

  package var name: String {
    switch self {
    case .format: "format"
    case .version: "version"
    case .cms: "cms"
    case .leafMarker: "leaf-marker"
    case .intermediateMarker: "intermediate-marker"
    case .extraCertificate: "extra-certificate"
    case .chain: "chain"
    case .signer: "signer"
    case .algorithm: "algorithm"
    case .signedAttributes: "signed-attributes"
    case .messageDigest: "message-digest"
    case .signature: "signature"
    case .certificateValidity: "certificate-validity"
    case .signingTime: "signing-time"
    case .publicKeyHash: "public-key-hash"
    case .replay: "replay"
    case .keyAgreement: "key-agreement"
    case .tag: "tag"
    case .plaintext: "plaintext"
    case .expectation: "expectation"
    case .passphrase: "passphrase"
    case .keyImport: "key-import"
    case .keyState: "key-state"
    case .ownRequest: "own-request"
    case .unknownRequest: "unknown-request"
    case .keyBlock: "key-block"
    case .keyExport: "key-export"
    case .notReleased: "not-released"
    case .peerKey: "peer-key"
    case .parameters: "parameters"
    case .envelope: "envelope"
    case .invocations: "invocations"
    case .mac: "mac"
    case .unwrap: "unwrap"
    case .encryptionScheme: "encryption-scheme"
    case .missingField: "missing-field"
    case .surplusField: "surplus-field"
    case .fieldValue: "field-value"
    case .issuerCertificate: "issuer-certificate"
    case .issuerLeafMarker: "issuer-leaf-marker"
    case .issuerChainLength: "issuer-chain-length"
    case .issuerIntermediateMarker: "issuer-intermediate-marker"
    case .issuerIntermediateName: "issuer-intermediate-name"
    case .issuerChain: "issuer-chain"
    case .issuerKeyUsage: "issuer-key-usage"
    case .issuerCriticalExtension: "issuer-critical-extension"
    case .issuerLeafCurve: "issuer-leaf-curve"
    case .issuerValidity: "issuer-validity"
    case .otpInput: "otp-input"
    case .otpKeyExpired: "otp-key-expired"
    case .otpCode: "otp-code"
    case .otpLocked: "otp-locked"
    case .otpNotRestored: "otp-not-restored"
    case .otpHome: "otp-home"
    case .standInKey: "stand-in-key"
    case .pan: "pan"
    case .standIn: "stand-in"
    case .expired: "expired"
    case .envelopeUsed: "envelope-used"
    case .partnerKey: "partner-key"
    case .claims: "claims"
    case .checkpoint: "checkpoint"
    case .shareForm: "share-form"
    case .shareRegister: "share-register"
    case .shareSplit: "share-split"
    case .shareHolder: "share-holder"
    case .shareDuplicate: "share-duplicate"
    case .shareHolderTwice: "share-holder-twice"
    case .shareSurplus: "share-surplus"
    case .shareCombination: "share-combination"
    case .shareCoolDown: "share-cool-down"
    case .otherKEK: "other-kek"
    case .backup: "backup"
    }
  }
}
