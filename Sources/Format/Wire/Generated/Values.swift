// Written by proto/generate.py from kist.proto: do not edit.

/// The operations, as the request's header names them. Numbers are never reused.
package enum Opcode: UInt16, Named, Sendable {
  /// Asks whether a daemon is there; needs no grant and leaves no audit record.
  case ping = 0x0001
  /// What the daemon is, and which operations it has.
  case describe = 0x0002
  /// At most 64 of the keys that the caller may list, by label, and whether more follow.
  case listKeys = 0x0003
  /// One key, with its public key and certificate; nothing of a private or secret key.
  case describeKey = 0x0004
  /// Random bytes of the daemon's kernel.
  case random = 0x0005
  /// Who the caller is to the daemon, and what it may do now.
  case who = 0x0006
  /// The keyed digest that stands for a value in the audit log.
  case auditDigest = 0x0007
  /// Returns if requests are served now, and fails as any other operation would if not; needs no
  /// grant and leaves no audit record.
  case ready = 0x0008
  /// Verifies a token as Apple requires, without opening it: do not count or compare by the
  /// transaction id of one that was only verified [OP-VERIFY-1].
  case verifyPaymentToken = 0x0010
  /// Verifies a token as Apple requires, and opens it once.
  case openPaymentToken = 0x0011
  /// Seals a card for Apple Wallet.
  case provisionPass = 0x0020
  /// Every value of one encryption of a pass, for a test's ephemeral key; only a sandbox answers.
  case provisionTrace = 0x0021
  /// A one-time value of the kind that the key's role makes: a network's value from its input, or a
  /// person's code.
  case signOTP = 0x0030
  /// Checks a person's code, which is accepted once; a wrong one is rejected.
  case verifyOTP = 0x0031
  /// A new secret for a person's authenticator; the codes of the one before end.
  case enrolAuthenticator = 0x0032
  /// Agrees on a secret with a peer; it stays in the daemon, for one derivation.
  case ecdh = 0x0040
  /// Derives a key from a secret, which this uses up; the key stays in the daemon.
  case kdf = 0x0041
  /// Seals up to 64 KiB with AES-256-GCM into an envelope that names its key.
  case seal = 0x0042
  /// Opens an envelope, or ciphertext and tag that others made.
  case unseal = 0x0043
  /// Signs a message of up to 64 KiB, or its digest.
  case sign = 0x0044
  /// Returns if the signature is the key's; it is rejected if not.
  case verify = 0x0045
  /// A message authentication code.
  case mac = 0x0046
  /// Returns if the code is right; it is rejected if not.
  case verifyMAC = 0x0047
  /// Unwraps a secret that was wrapped with RSAES-OAEP and SHA-256; it stays in the daemon.
  case unwrap = 0x0048
  /// Has the daemon wipe a secret before its time is over.
  case releaseHandle = 0x0049
  /// The surrogate of a PAN; with a transaction and a lifetime, an envelope that holds it.
  case tokenise = 0x0050
  /// The PAN that a surrogate stands in for.
  case detokenise = 0x0051
  /// What is sealed in a payment envelope, as far as policy releases it.
  case openEnvelope = 0x0052
  /// How the daemon is.
  case status = 0x0100
  /// Opens the key store with a passphrase.
  case unlock = 0x0101
  /// Ends serving, and wipes the keys.
  case lock = 0x0102
  /// Takes a key into the key store, and describes it.
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
  case suspendKey = 0x012a
  case resumeKey = 0x012b
  case resetOTPLockout = 0x012c

  /// As policy, records and documents write it.
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

extension Opcode {
  /// The most bytes of a request's body.
  package var largestRequest: Int {
    switch self {
    case .ping: 0
    case .describe: 0
    case .listKeys: 393
    case .describeKey: 0
    case .random: 3
    case .who: 0
    case .auditDigest: 133
    case .ready: 0
    case .verifyPaymentToken: 84124
    case .openPaymentToken: 84290
    case .provisionPass: 32217
    case .provisionTrace: 4200
    case .signOTP: 1725
    case .verifyOTP: 141
    case .enrolAuthenticator: 149
    case .ecdh: 124
    case .kdf: 7217
    case .seal: 69657
    case .unseal: 69720
    case .sign: 65544
    case .verify: 66059
    case .mac: 65562
    case .verifyMAC: 65628
    case .unwrap: 515
    case .releaseHandle: 18
    case .tokenise: 332
    case .detokenise: 292
    case .openEnvelope: 66494
    case .status: 0
    case .unlock: 1027
    case .lock: 0
    case .importKey: 17542
    case .reviewLog: 550
    case .submitShare: 39
    case .shareProgress: 0
    case .recordDrill: 55334
    case .metrics: 0
    case .certificateRequest: 70
    case .exportKey: 18
    case .importBlock: 17542
    case .generateKey: 693
    case .activateKey: 0
    case .retireKey: 0
    case .compromiseKey: 0
    case .destroyKey: 0
    case .attachCertificate: 8195
    case .approve: 18
    case .listRequests: 0
    case .swapPolicy: 34
    case .backUp: 0
    case .suspendKey: 0
    case .resumeKey: 0
    case .resetOTPLockout: 131
    }
  }

  /// The most bytes of a reply's body; nil where its fields have no bounds.
  package var largestReply: Int? {
    switch self {
    case .ping: 0
    case .describe: 20560
    case .listKeys: 644354
    case .describeKey: 10065
    case .random: 1027
    case .who: 622953
    case .auditDigest: 78
    case .ready: 0
    case .verifyPaymentToken: 11
    case .openPaymentToken: nil
    case .provisionPass: 20554
    case .provisionTrace: 4370
    case .signOTP: 2062
    case .verifyOTP: 11
    case .enrolAuthenticator: 239
    case .ecdh: 68
    case .kdf: 277
    case .seal: 65585
    case .unseal: 65585
    case .sign: 515
    case .verify: 0
    case .mac: 66
    case .verifyMAC: 0
    case .unwrap: 18
    case .releaseHandle: 0
    case .tokenise: 66086
    case .detokenise: 34
    case .openEnvelope: nil
    case .status: 1958
    case .unlock: 0
    case .lock: 0
    case .importKey: 10065
    case .reviewLog: 0
    case .submitShare: 25
    case .shareProgress: 25
    case .recordDrill: 16780
    case .metrics: 1183744
    case .certificateRequest: 2051
    case .exportKey: 10002
    case .importBlock: 10065
    case .generateKey: 10065
    case .activateKey: 10065
    case .retireKey: 10065
    case .compromiseKey: 10065
    case .destroyKey: 10065
    case .attachCertificate: 10065
    case .approve: 0
    case .listRequests: 38848
    case .swapPolicy: 0
    case .backUp: 128
    case .suspendKey: 10065
    case .resumeKey: 10065
    case .resetOTPLockout: 6
    }
  }
}

/// Whether a request's header names a key.
package enum HeaderKey: Sendable { case none, optional, required }

extension Opcode {
  package var headerKey: HeaderKey {
    switch self {
    case .ping: .none
    case .describe: .none
    case .listKeys: .none
    case .describeKey: .required
    case .random: .none
    case .who: .none
    case .auditDigest: .none
    case .ready: .none
    case .verifyPaymentToken: .optional
    case .openPaymentToken: .required
    case .provisionPass: .optional
    case .provisionTrace: .none
    case .signOTP: .required
    case .verifyOTP: .required
    case .enrolAuthenticator: .required
    case .ecdh: .required
    case .kdf: .required
    case .seal: .required
    case .unseal: .required
    case .sign: .required
    case .verify: .required
    case .mac: .required
    case .verifyMAC: .required
    case .unwrap: .required
    case .releaseHandle: .required
    case .tokenise: .required
    case .detokenise: .required
    case .openEnvelope: .required
    case .status: .none
    case .unlock: .none
    case .lock: .none
    case .importKey: .none
    case .reviewLog: .none
    case .submitShare: .none
    case .shareProgress: .none
    case .recordDrill: .none
    case .metrics: .none
    case .certificateRequest: .required
    case .exportKey: .required
    case .importBlock: .required
    case .generateKey: .none
    case .activateKey: .required
    case .retireKey: .required
    case .compromiseKey: .required
    case .destroyKey: .required
    case .attachCertificate: .required
    case .approve: .none
    case .listRequests: .none
    case .swapPolicy: .none
    case .backUp: .none
    case .suspendKey: .required
    case .resumeKey: .required
    case .resetOTPLockout: .required
    }
  }
}

/// What came of a request, as the reply's header says it. Numbers are never reused.
package enum Status: UInt8, Named, Sendable {
  case ok = 0
  case malformed = 1
  case unsupported = 2
  case denied = 3
  case rejected = 4
  case busy = 5
  case locked = 6
  case auditUnavailable = 7
  case `internal` = 8
  case approvalNeeded = 9

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .ok: "ok"
    case .malformed: "malformed"
    case .unsupported: "unsupported"
    case .denied: "denied"
    case .rejected: "rejected"
    case .busy: "busy"
    case .locked: "locked"
    case .auditUnavailable: "audit-unavailable"
    case .internal: "internal"
    case .approvalNeeded: "approval-needed"
    }
  }
}

/// Apple's token formats. Numbers are never reused.
package enum ApplePayTokenVersion: UInt8, Named, Sendable {
  case ecV1 = 1
  case rsaV1 = 2

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .ecV1: "EC_v1"
    case .rsaV1: "RSA_v1"
    }
  }
}

/// The check at which a request was rejected. Numbers are never reused.
package enum Stage: UInt8, Named, Sendable {
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

  /// As policy, records and documents write it.
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

/// A field of an opened token that policy can release. Numbers are never reused.
package enum ReleasedField: UInt8, Named, Sendable {
  case dpan = 1
  case last4 = 2
  case bin = 3
  case network = 4
  case expiry = 5
  case currency = 6
  case amount = 7
  case cryptogram = 8
  case eci = 9
  case paymentDataType = 10
  case deviceManufacturer = 11
  case emvData = 12
  case encryptedPIN = 13
  case cardholderName = 14
  case authenticationResponses = 15
  case merchantToken = 16
  case raw = 17
  case surrogate = 20
  case envelope = 21
  /// Follows from the grant, and is never asked for.
  case jwe = 22

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .dpan: "dpan"
    case .last4: "last4"
    case .bin: "bin"
    case .network: "network"
    case .expiry: "expiry"
    case .currency: "currency"
    case .amount: "amount"
    case .cryptogram: "cryptogram"
    case .eci: "eci"
    case .paymentDataType: "payment-data-type"
    case .deviceManufacturer: "device-manufacturer"
    case .emvData: "emv-data"
    case .encryptedPIN: "encrypted-pin"
    case .cardholderName: "cardholder-name"
    case .authenticationResponses: "authentication-responses"
    case .merchantToken: "merchant-token"
    case .raw: "raw"
    case .surrogate: "surrogate"
    case .envelope: "envelope"
    case .jwe: "jwe"
    }
  }
}

/// A key derivation function with its hash. Numbers are never reused.
package enum DerivationChoice: UInt8, Named, Sendable {
  case oneStepSHA256 = 1
  case oneStepSHA384 = 2
  case oneStepSHA512 = 3
  case x963SHA256 = 4
  case x963SHA384 = 5
  case x963SHA512 = 6
  case hkdfSHA256 = 7
  case hkdfSHA384 = 8
  case hkdfSHA512 = 9

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .oneStepSHA256: "one-step-sha256"
    case .oneStepSHA384: "one-step-sha384"
    case .oneStepSHA512: "one-step-sha512"
    case .x963SHA256: "x963-sha256"
    case .x963SHA384: "x963-sha384"
    case .x963SHA512: "x963-sha512"
    case .hkdfSHA256: "hkdf-sha256"
    case .hkdfSHA384: "hkdf-sha384"
    case .hkdfSHA512: "hkdf-sha512"
    }
  }
}

/// A signature algorithm with its hash; `FIXED` is r and s behind each other instead of DER.
/// Numbers are never reused.
package enum SignatureChoice: UInt8, Named, Sendable {
  case ecdsaP256SHA256 = 1
  case ecdsaP384SHA384 = 2
  case ecdsaP256SHA256Fixed = 3
  case ecdsaP384SHA384Fixed = 4
  case rsaPKCS1SHA256 = 5
  case rsaPKCS1SHA384 = 6
  case rsaPKCS1SHA512 = 7
  case rsaPSSSHA256 = 8
  case rsaPSSSHA384 = 9
  case rsaPSSSHA512 = 10
  case ed25519 = 11

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .ecdsaP256SHA256: "ecdsa-p256-sha256"
    case .ecdsaP384SHA384: "ecdsa-p384-sha384"
    case .ecdsaP256SHA256Fixed: "ecdsa-p256-sha256-fixed"
    case .ecdsaP384SHA384Fixed: "ecdsa-p384-sha384-fixed"
    case .rsaPKCS1SHA256: "rsa-pkcs1-sha256"
    case .rsaPKCS1SHA384: "rsa-pkcs1-sha384"
    case .rsaPKCS1SHA512: "rsa-pkcs1-sha512"
    case .rsaPSSSHA256: "rsa-pss-sha256"
    case .rsaPSSSHA384: "rsa-pss-sha384"
    case .rsaPSSSHA512: "rsa-pss-sha512"
    case .ed25519: "ed25519"
    }
  }
}

/// A message authentication code, for a key behind a handle. Numbers are never reused.
package enum MACChoice: UInt8, Named, Sendable {
  case hmacSHA256 = 1
  case hmacSHA384 = 2
  case hmacSHA512 = 3
  case aesCMAC = 4

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .hmacSHA256: "hmac-sha256"
    case .hmacSHA384: "hmac-sha384"
    case .hmacSHA512: "hmac-sha512"
    case .aesCMAC: "aes-cmac"
    }
  }
}

/// What stands in the audit log as a keyed digest only. Numbers are never reused.
package enum DigestField: UInt8, Named, Sendable {
  case transaction = 1
  case pan = 2
  case subject = 3

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .transaction: "transaction"
    case .pan: "pan"
    case .subject: "subject"
    }
  }
}

/// A field of a provisioning request that a rejection is about. Numbers are never reused.
package enum PassField: UInt8, Named, Sendable {
  case encryptedPrimaryAccountNumber = 1
  case expiration = 2
  case name = 3
  case networkName = 4
  case nonce = 5
  case nonceSignature = 6
  case primaryAccountIdentifier = 7
  case primaryAccountNumber = 8
  case primaryAccountNumberPrefix = 9
  case productType = 10
  case accountEnvelope = 11
  case activation = 12
  case accountSurrogate = 13

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .encryptedPrimaryAccountNumber: "encrypted-primary-account-number"
    case .expiration: "expiration"
    case .name: "name"
    case .networkName: "network-name"
    case .nonce: "nonce"
    case .nonceSignature: "nonce-signature"
    case .primaryAccountIdentifier: "primary-account-identifier"
    case .primaryAccountNumber: "primary-account-number"
    case .primaryAccountNumberPrefix: "primary-account-number-prefix"
    case .productType: "product-type"
    case .accountEnvelope: "account-envelope"
    case .activation: "activation"
    case .accountSurrogate: "account-surrogate"
    }
  }
}

/// How a pass is encrypted. Numbers are never reused.
package enum EncryptionScheme: UInt8, Named, Sendable {
  case evECCV2 = 1
  /// Always refused.
  case evRSAV2 = 2

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .evECCV2: "ev-ecc-v2"
    case .evRSAV2: "ev-rsa-v2"
    }
  }
}

/// Which members a pass's payment data has: the columns of table 9-1 of Apple's guide. Numbers are
/// never reused.
package enum PassConfiguration: UInt8, Named, Sendable {
  case accountNumber = 1
  case accountIdentifier = 2
  case encryptedAccountNumber = 3
  case encryptedAccountNumberUnnamed = 4

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .accountNumber: "account-number"
    case .accountIdentifier: "account-identifier"
    case .encryptedAccountNumber: "encrypted-account-number"
    case .encryptedAccountNumberUnnamed: "encrypted-account-number-unnamed"
    }
  }
}

/// What a value for Visa Token Service is for. Numbers are never reused.
package enum VisaType: UInt8, Named, Sendable {
  case mbpac = 1
  case mbpad = 2
  case mpac = 3
  case mpad = 4

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .mbpac: "mbpac"
    case .mbpad: "mbpad"
    case .mpac: "mpac"
    case .mpad: "mpad"
    }
  }
}

/// The hash of a counted or timed code. Numbers are never reused.
package enum OTPHashName: UInt8, Named, Sendable {
  case sha1 = 1
  case sha256 = 2
  case sha512 = 3

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .sha1: "sha1"
    case .sha256: "sha256"
    case .sha512: "sha512"
    }
  }
}

/// A reviewer's verdict on the audit log. Numbers are never reused.
package enum ReviewOutcome: UInt8, Named, Sendable {
  /// Nothing needs to be investigated.
  case clean = 1
  /// Something must be investigated; the note says what.
  case followUp = 2
  /// Something happened that should not have; the note says what.
  case incident = 3

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .clean: "clean"
    case .followUp: "follow-up"
    case .incident: "incident"
    }
  }
}

/// A number that the daemon keeps; docs/METRICS.md says what each means. Numbers are never reused.
package enum Metric: UInt8, Named, Sendable {
  case requests = 1
  case answerTimes = 2
  case rejections = 3
  case denials = 4
  case busy = 5
  case queueTimes = 6
  case computeTimes = 7
  case commitTimes = 8
  case batchRequests = 9
  case commitRecords = 10
  case batchesInFlight = 11
  case userConnections = 12
  case socketConnections = 13
  case socketConnectionsLimit = 14
  case handles = 15
  case connectionHandlesMost = 16
  case connectionHandlesLimit = 17
  case stacks = 18
  case stacksLimit = 19
  case replayEntries = 20
  case replayEntriesLimit = 21
  case processorTime = 22
  case fleetInfo = 23
  case claimsAway = 24
  case claimsUnanswered = 25
  case claimsRefused = 26
  case localOpenings = 27
  case duplicateOpenings = 28
  case claimTimes = 29
  case signingCertificateLastToken = 30
  case signingCertificateEnd = 31

  /// As policy, records and documents write it.
  package var name: String {
    switch self {
    case .requests: "requests"
    case .answerTimes: "answer-times"
    case .rejections: "rejections"
    case .denials: "denials"
    case .busy: "busy"
    case .queueTimes: "queue-times"
    case .computeTimes: "compute-times"
    case .commitTimes: "commit-times"
    case .batchRequests: "batch-requests"
    case .commitRecords: "commit-records"
    case .batchesInFlight: "batches-in-flight"
    case .userConnections: "user-connections"
    case .socketConnections: "socket-connections"
    case .socketConnectionsLimit: "socket-connections-limit"
    case .handles: "handles"
    case .connectionHandlesMost: "connection-handles-most"
    case .connectionHandlesLimit: "connection-handles-limit"
    case .stacks: "stacks"
    case .stacksLimit: "stacks-limit"
    case .replayEntries: "replay-entries"
    case .replayEntriesLimit: "replay-entries-limit"
    case .processorTime: "processor-time"
    case .fleetInfo: "fleet-info"
    case .claimsAway: "claims-away"
    case .claimsUnanswered: "claims-unanswered"
    case .claimsRefused: "claims-refused"
    case .localOpenings: "local-openings"
    case .duplicateOpenings: "duplicate-openings"
    case .claimTimes: "claim-times"
    case .signingCertificateLastToken: "signing-certificate-last-token"
    case .signingCertificateEnd: "signing-certificate-end"
    }
  }
}
