// The types of the protocol's requests and replies. Written by proto/generate.py from kist.proto: do not edit.

import type { Secret } from "./secret.js";

/** What came of a request, as the reply's header says it. */
export type Status =
  | "ok"
  | "malformed"
  | "unsupported"
  | "denied"
  | "rejected"
  | "busy"
  | "locked"
  | "audit-unavailable"
  | "internal"
  | "approval-needed";

/** Apple's token formats. */
export type TokenVersion =
  | "EC_v1"
  | "RSA_v1";

/** The check at which a request was rejected. */
export type Stage =
  | "format"
  | "version"
  | "cms"
  | "leaf-marker"
  | "intermediate-marker"
  | "extra-certificate"
  | "chain"
  | "signer"
  | "algorithm"
  | "signed-attributes"
  | "message-digest"
  | "signature"
  | "certificate-validity"
  | "signing-time"
  | "public-key-hash"
  | "replay"
  | "key-agreement"
  | "tag"
  | "plaintext"
  | "expectation"
  | "passphrase"
  | "key-import"
  | "key-state"
  | "own-request"
  | "unknown-request"
  | "key-block"
  | "key-export"
  | "not-released"
  | "peer-key"
  | "parameters"
  | "envelope"
  | "invocations"
  | "mac"
  | "unwrap"
  | "encryption-scheme"
  | "missing-field"
  | "surplus-field"
  | "field-value"
  | "issuer-certificate"
  | "issuer-leaf-marker"
  | "issuer-chain-length"
  | "issuer-intermediate-marker"
  | "issuer-intermediate-name"
  | "issuer-chain"
  | "issuer-key-usage"
  | "issuer-critical-extension"
  | "issuer-leaf-curve"
  | "issuer-validity"
  | "otp-input"
  | "otp-key-expired"
  | "otp-code"
  | "otp-locked"
  | "otp-not-restored"
  | "otp-home"
  | "stand-in-key"
  | "pan"
  | "stand-in"
  | "expired"
  | "envelope-used"
  | "partner-key"
  | "claims"
  | "checkpoint"
  | "share-form"
  | "share-register"
  | "share-split"
  | "share-holder"
  | "share-duplicate"
  | "share-holder-twice"
  | "share-surplus"
  | "share-combination"
  | "share-cool-down"
  | "other-kek"
  | "backup";

/** A field of an opened token that policy can release. */
export type ReleasedField =
  | "dpan"
  | "last4"
  | "bin"
  | "network"
  | "expiry"
  | "currency"
  | "amount"
  | "cryptogram"
  | "eci"
  | "payment-data-type"
  | "device-manufacturer"
  | "emv-data"
  | "encrypted-pin"
  | "cardholder-name"
  | "authentication-responses"
  | "merchant-token"
  | "raw"
  | "surrogate"
  | "envelope"
  | "jwe";

/** A key derivation function with its hash. */
export type Derivation =
  | "one-step-sha256"
  | "one-step-sha384"
  | "one-step-sha512"
  | "x963-sha256"
  | "x963-sha384"
  | "x963-sha512"
  | "hkdf-sha256"
  | "hkdf-sha384"
  | "hkdf-sha512";

/** A signature algorithm with its hash; `FIXED` is r and s behind each other instead of DER. */
export type SignatureScheme =
  | "ecdsa-p256-sha256"
  | "ecdsa-p384-sha384"
  | "ecdsa-p256-sha256-fixed"
  | "ecdsa-p384-sha384-fixed"
  | "rsa-pkcs1-sha256"
  | "rsa-pkcs1-sha384"
  | "rsa-pkcs1-sha512"
  | "rsa-pss-sha256"
  | "rsa-pss-sha384"
  | "rsa-pss-sha512"
  | "ed25519";

/** A message authentication code, for a key behind a handle. */
export type MacAlgorithm =
  | "hmac-sha256"
  | "hmac-sha384"
  | "hmac-sha512"
  | "aes-cmac";

/** What stands in the audit log as a keyed digest only. */
export type DigestField =
  | "transaction"
  | "pan"
  | "subject";

/** A field of a provisioning request that a rejection is about. */
export type PassField =
  | "encrypted-primary-account-number"
  | "expiration"
  | "name"
  | "network-name"
  | "nonce"
  | "nonce-signature"
  | "primary-account-identifier"
  | "primary-account-number"
  | "primary-account-number-prefix"
  | "product-type"
  | "account-envelope"
  | "activation"
  | "account-surrogate";

/** How a pass is encrypted. */
export type EncryptionScheme =
  | "ev-ecc-v2"
  | "ev-rsa-v2";

/** Which members a pass's payment data has: the columns of table 9-1 of Apple's guide. */
export type PassConfiguration =
  | "account-number"
  | "account-identifier"
  | "encrypted-account-number"
  | "encrypted-account-number-unnamed";

/** What a value for Visa Token Service is for. */
export type VisaType =
  | "mbpac"
  | "mbpad"
  | "mpac"
  | "mpad";

/** The hash of a counted or timed code. */
export type OtpHash =
  | "sha1"
  | "sha256"
  | "sha512";

/** A payment token, decoded from the base64 and hex of Apple's JSON. */
export interface PaymentToken {
  version: TokenVersion;
  /** at most 65536 bytes; ciphertext and 16-byte tag */
  data?: Uint8Array;
  /** at most 16384 bytes; detached CMS SignedData */
  signature?: Uint8Array;
  /** EC_v1: SubjectPublicKeyInfo, 91 bytes */
  ephemeralPublicKey?: Uint8Array;
  /** at most 1024 bytes; RSA_v1 */
  wrappedKey?: Uint8Array;
  /** 32 bytes */
  publicKeyHash: Uint8Array;
  /** 32 bytes */
  transactionId: Uint8Array;
  /** 32 bytes; or absent */
  applicationData?: Uint8Array;
}

/** An operation that the daemon knows. */
export interface OperationDescription {
  /** as in the table of operations */
  readonly opcode: number;
  /** at most 64 bytes */
  readonly name?: string;
  /** bytes, header included */
  readonly requestCap: number;
}

export interface DescribeReply {
  /** at most 64 bytes */
  readonly productVersion?: string;
  /** 1 */
  readonly wireVersion: number;
  /** all that the daemon knows */
  readonly operations: OperationDescription[];
  readonly inFlight: number;
  readonly rehearsal: boolean;
}

/**
 * What a key for one-time values needs besides its role; absent for the usual, or where the role
 * has no such thing.
 */
export interface OtpParametersInput {
  /** at most 64 bytes; otp-visa: such as 123456.1 */
  keySet?: string | Uint8Array;
  /** at most 64 bytes; otp-mastercard */
  keyAlias?: string | Uint8Array;
  /** otp-hotp, otp-totp: 6 to 8, and so on */
  digits?: number;
  /** otp-hotp, otp-totp: of their HMAC */
  hash?: OtpHash;
  /** otp-totp: seconds */
  step?: number;
  /** counters, or time steps either way */
  window?: number;
  /** before a lock-out */
  failures?: number;
  /** seconds */
  lockout?: number;
}

/**
 * What a key for one-time values needs besides its role; absent for the usual, or where the role
 * has no such thing.
 */
export interface OtpParameters {
  /** at most 64 bytes; otp-visa: such as 123456.1 */
  readonly keySet?: string;
  /** at most 64 bytes; otp-mastercard */
  readonly keyAlias?: string;
  /** otp-hotp, otp-totp: 6 to 8, and so on */
  readonly digits: number;
  /** otp-hotp, otp-totp: of their HMAC */
  readonly hash?: OtpHash;
  /** otp-totp: seconds */
  readonly step: number;
  /** counters, or time steps either way */
  readonly window?: number;
  /** before a lock-out */
  readonly failures: number;
  /** seconds */
  readonly lockout: number;
}

/** What anyone who may use a key may know of it. */
export interface KeyDescription {
  /** 16 bytes */
  readonly id: Uint8Array;
  /** at most 128 bytes */
  readonly label?: string;
  /** at most 64 bytes */
  readonly role?: string;
  /** at most 32 bytes */
  readonly state?: string;
  /** at most 32 bytes */
  readonly algorithm?: string;
  /** at most 16 bytes */
  readonly usage?: string;
  /** at most 255 bytes */
  readonly merchantIdentifier?: string;
  /** at most 1024 bytes; SubjectPublicKeyInfo; not in listings */
  readonly publicKey?: Uint8Array;
  /** at most 32 bytes; SHA-256 of the SubjectPublicKeyInfo, or a 5-byte KCV */
  readonly checkValue?: Uint8Array;
  /** at most 8192 bytes; DER; not in listings */
  readonly certificate?: Uint8Array;
  /** seconds since 1970, as all times here */
  readonly created: bigint;
  /** zero for never */
  readonly activated: bigint;
  readonly notAfter: bigint;
  /** zero for never */
  readonly lastUse: bigint;
  readonly uses: bigint;
  /** of a key for one-time values */
  readonly otp?: OtpParameters;
  /** whether it may leave under an exchange key */
  readonly exportable: boolean;
  readonly notBefore: bigint;
  /** zero for any number of uses */
  readonly useLimit: bigint;
}

export interface ListKeysRequest {
  /** at most 128 bytes */
  prefix?: string | Uint8Array;
  /** at most 128 bytes */
  after?: string | Uint8Array;
  /** at most 128 bytes; as policy has it: a label, or one that ends in /* */
  pattern?: string | Uint8Array;
}

export interface ListKeysReply {
  readonly keys: KeyDescription[];
  readonly more: boolean;
}

export interface RandomRequest {
  /** 1 to 1024 bytes */
  count: number;
}

export interface RandomReply {
  /** at most 1024 bytes */
  readonly random?: Secret;
}

/** What one grant gives the caller; whom else it covers is left out. */
export interface Right {
  /** at most 64 bytes; its id in the policy */
  readonly grant?: string;
  /** at most 64 bytes; names */
  readonly operations: string[];
  /** at most 128 bytes; labels, and prefixes that end in * */
  readonly keys: string[];
  /** at most 64 bytes */
  readonly released: string[];
  /** whether rejections name theirs */
  readonly stages: boolean;
  /** at most 32 bytes; such as 200/s */
  readonly rate?: string;
  /** at most 32 bytes; such as 5000/d */
  readonly quota?: string;
  /** at most 32 bytes */
  readonly keyQuota?: string;
  /** the first second at which it is not in force; zero for no end */
  readonly until: bigint;
  /** at most 32 bytes; such as mon-fri 08:00-18:00, UTC */
  readonly hours: string[];
}

export interface WhoReply {
  /** as the kernel says */
  readonly uid: number;
  /** as the kernel says */
  readonly gid: number;
  /** at most 256 bytes; absent where the daemon sees none */
  readonly unit?: string;
  /** what the caller may do on this socket */
  readonly rights: Right[];
  /** some of it did not fit */
  readonly more: boolean;
}

export interface AuditDigestRequest {
  field: DigestField;
  /** 32 bytes of a transaction id, digits, or the subject of codes */
  value?: Uint8Array;
}

export interface AuditDigestReply {
  /** at most 76 bytes; hmac-sha256: and 64 digits */
  readonly digest: string;
}

export interface VerifyPaymentTokenRequest {
  /** decoded from Apple's JSON */
  token: PaymentToken;
  /** 32 bytes */
  expectedApplicationData?: Uint8Array;
}

export interface VerifyPaymentTokenReply {
  /** seconds since 1970, by the signature */
  readonly signingTime: bigint;
}

export interface OpenPaymentTokenRequest {
  /** decoded from Apple's JSON */
  token: PaymentToken;
  /** strictly ascending; absent asks for all that is granted */
  release?: readonly (Exclude<ReleasedField, "jwe">)[];
  /** at most 3 bytes; ISO 4217 numeric */
  expectedCurrency?: string | Uint8Array;
  /** minor units */
  expectedAmount?: number | bigint;
  /** 32 bytes */
  expectedApplicationData?: Uint8Array;
  /** strictly ascending; without any of these the token is not to be opened */
  required?: readonly (Exclude<ReleasedField, "jwe">)[];
  /** 16 random bytes; the same request with it opens again after a lost reply */
  retryKey?: Uint8Array;
}

/**
 * The released fields of an opened token; one that was not released, or that the token does not
 * have, is absent.
 */
export interface OpenPaymentTokenReply {
  readonly dpan?: Secret;
  readonly last4?: string;
  readonly bin?: string;
  readonly network?: string;
  /** YYMMDD */
  readonly expiry?: Secret;
  readonly currency?: string;
  /** minor units */
  readonly amount?: bigint;
  /** base64 text, as Apple wrote it */
  readonly cryptogram?: Secret;
  readonly eci?: string;
  /** 3DSecure or EMV */
  readonly paymentDataType?: string;
  /** hexadecimal */
  readonly deviceManufacturer?: string;
  /** base64 text, as Apple wrote it */
  readonly emvData?: Secret;
  /** hexadecimal, of EMV */
  readonly encryptedPin?: Secret;
  /** if the issuer gave it */
  readonly cardholderName?: Secret;
  /** JSON */
  readonly authenticationResponses?: Secret;
  /** JSON: merchantTokenIdentifier and merchantTokenMetadata */
  readonly merchantToken?: Secret;
  /** the whole decrypted JSON */
  readonly raw?: Secret;
  /** seconds since 1970, by the signature */
  readonly signingTime: bigint;
  readonly surrogate?: string;
  readonly envelope?: Uint8Array;
  /** everything that is released, for a partner: compact serialisation */
  readonly jwe?: string;
}

/**
 * For Visa Token Service: MBPAC and MPAC take nonce and code, MBPAD and MPAD number and expiry.
 */
export interface VisaInput {
  /** which of Visa's values */
  type: VisaType;
  /** 1 to 64 bytes */
  nonce?: Uint8Array;
  /** at most 32 bytes; 1 to 32 letters and digits */
  authenticationCode?: string | Uint8Array;
  /** at most 19 bytes; digits */
  accountNumber?: string | Uint8Array;
  /** at most 4 bytes; MMYY */
  expiry?: string | Uint8Array;
}

/** For Mastercard's MDES. */
export interface MastercardInput {
  /** 2, 3 or 4 */
  version: number;
  /** at most 19 bytes; digits */
  accountNumber?: string | Uint8Array;
  /** at most 4 bytes; MMYY */
  expiry?: string | Uint8Array;
  /** at most 64 bytes; version 2 */
  tokenReference?: string | Uint8Array;
  /** versions 3 and 4; absent for half an hour */
  validUntil?: number | bigint;
}

/** A card's number by its surrogate. */
export interface AccountSurrogate {
  /** at most 32 bytes */
  surrogate: string | Uint8Array;
  /** 16 bytes: the key that made it */
  key: Uint8Array;
  /** at most 255 bytes */
  merchantIdentifier?: string | Uint8Array;
}

export interface ProvisionPassRequest {
  /** EV_ECC_v2; the other is refused */
  scheme: EncryptionScheme;
  /** at most 8192 bytes; DER, one to three in any order */
  certificates?: readonly Uint8Array[];
  /** which of Apple's four */
  configuration: PassConfiguration;
  /** at most 1024 bytes */
  encryptedPrimaryAccountNumber?: string | Uint8Array;
  /** at most 5 bytes; MM/YY */
  expiration?: string | Uint8Array;
  /** at most 256 bytes */
  name?: string | Uint8Array;
  /** at most 64 bytes */
  networkName?: string | Uint8Array;
  /** at most 64 bytes */
  nonce?: Uint8Array;
  /** at most 256 bytes */
  nonceSignature?: Uint8Array;
  /** at most 128 bytes */
  primaryAccountIdentifier?: string | Uint8Array;
  /** at most 19 bytes */
  primaryAccountNumber?: string | Uint8Array;
  /** at most 19 bytes; its first digits */
  primaryAccountNumberPrefix?: string | Uint8Array;
  /** at most 64 bytes */
  productType?: string | Uint8Array;
  /** at most 512 bytes; in place of the number */
  accountEnvelope?: Uint8Array;
  /** at most 512 bytes; what it was sealed with besides */
  envelopeContext?: Uint8Array;
  visa?: VisaInput;
  mastercard?: MastercardInput;
  /** at most 4096 bytes; another network's, passed through */
  activationData?: Uint8Array;
  /** in place of the number */
  accountSurrogate?: AccountSurrogate;
  /** 16 bytes: encrypts the number for the network */
  networkKey?: Uint8Array;
}

export interface ProvisionPassReply {
  /** at most 16384 bytes; ciphertext and 16-byte tag */
  readonly encryptedPassData?: Uint8Array;
  /** 65 bytes */
  readonly ephemeralPublicKey: Uint8Array;
  /** at most 4096 bytes */
  readonly activationData?: Uint8Array;
}

export interface ProvisionTraceRequest {
  /** 65 bytes; the public key, as an uncompressed point */
  recipient: Uint8Array;
  /** 32 bytes; the scalar */
  ephemeralPrivateKey: Uint8Array;
  /** at most 4096 bytes; what is sealed */
  passData?: Uint8Array;
}

export interface ProvisionTraceReply {
  /** 32 bytes */
  readonly publicKeyHash: Uint8Array;
  /** 65 bytes */
  readonly ephemeralPublicKey: Uint8Array;
  /** 32 bytes; Z */
  readonly sharedSecret: Uint8Array;
  /** 84 bytes */
  readonly otherInfo: Uint8Array;
  /** 32 bytes; the content key */
  readonly sharedKey: Uint8Array;
  /** at most 4112 bytes; ciphertext and tag */
  readonly encryptedPassData?: Uint8Array;
}

export interface SignOtpRequest {
  /** at most 128 bytes; of a code */
  subject?: string | Uint8Array;
  /** of a counted code; absent for the next */
  counter?: number | bigint;
  visa?: VisaInput;
  mastercard?: MastercardInput;
  /** at most 512 bytes; in place of the number */
  accountEnvelope?: Uint8Array;
  /** at most 512 bytes; what it was sealed with besides */
  envelopeContext?: Uint8Array;
  accountSurrogate?: AccountSurrogate;
}

export interface SignOtpReply {
  /** at most 2048 bytes; the value or code */
  readonly otp?: Secret;
  /** of a code: its counter or time step */
  readonly counter?: bigint;
}

export interface VerifyOtpRequest {
  /** at most 128 bytes */
  subject?: string | Uint8Array;
  /** at most 8 bytes; 6 to 8 digits */
  code?: string | Uint8Array;
}

export interface VerifyOtpReply {
  /** that the code was right for, or the time step */
  readonly counter: bigint;
}

export interface EnrolAuthenticatorRequest {
  /** at most 128 bytes */
  subject: string | Uint8Array;
  /** 16 bytes; random, for this enrolment alone */
  retryKey: Uint8Array;
}

export interface EnrolAuthenticatorReply {
  /** 20, 32 or 64 bytes, as long as the key's hash */
  readonly secret: Secret;
  /** the subject's first authenticator is 1 */
  readonly number: number;
  /** how its codes are made */
  readonly otp?: OtpParameters;
}

export interface EcdhRequest {
  /** at most 120 bytes; an uncompressed point, or a SubjectPublicKeyInfo with a named curve */
  peer?: Uint8Array;
  release?: boolean;
}

/** One of the two. */
export interface EcdhReply {
  /** 16 bytes; of Z; absent where it is released */
  readonly handle?: Uint8Array;
  /** Z: 32 or 48 bytes */
  readonly sharedSecret?: Secret;
}

/** The parts of OtherInfo, put behind one another as they are. */
export interface OtherInfo {
  /** at most 1024 bytes; SP 800-56A r3 §5.8.2.1.1 */
  algorithmId?: Uint8Array;
  /** at most 1024 bytes; the same */
  partyUInfo?: Uint8Array;
  /** at most 1024 bytes; the same */
  partyVInfo?: Uint8Array;
  /** at most 1024 bytes; the same */
  suppPubInfo?: Uint8Array;
  /** at most 1024 bytes; the same */
  suppPrivInfo?: Uint8Array;
}

export interface KdfRequest {
  /** 16 bytes; of a shared secret */
  handle: Uint8Array;
  /** which function */
  derivation: Derivation;
  /** 16 to 256 bytes */
  count: number;
  /** at most 1024 bytes; OtherInfo, SharedInfo or info as one */
  info?: Uint8Array;
  /** or in parts */
  otherInfo?: OtherInfo;
  /** at most 1024 bytes; HKDF */
  salt?: Uint8Array;
  release?: boolean;
}

/** One of the two. */
export interface KdfReply {
  /** 16 bytes; of the derived key; absent where it is released */
  readonly handle?: Uint8Array;
  /** at most 256 bytes; only where it is released */
  readonly derivedKey?: Secret;
}

export interface SealRequest {
  /** 16 bytes, or absent for the stored key */
  handle?: Uint8Array;
  /** at most 65536 bytes */
  plaintext?: Uint8Array;
  /** at most 4096 bytes */
  associatedData?: Uint8Array;
}

export interface SealReply {
  /** at most 65581 bytes; an envelope */
  readonly sealed?: Uint8Array;
}

export interface UnsealRequest {
  /** 16 bytes, or absent for the stored key */
  handle?: Uint8Array;
  /** 12 or 16 bytes; absent for an envelope */
  iv?: Uint8Array;
  /** at most 65581 bytes; an envelope; ciphertext and tag where there is an IV */
  sealed?: Uint8Array;
  /** at most 4096 bytes */
  associatedData?: Uint8Array;
}

export interface UnsealReply {
  /** at most 65581 bytes */
  readonly plaintext?: Secret;
}

export interface SignRequest {
  /** which signature */
  scheme: SignatureScheme;
  /** message is the message's digest */
  digested?: boolean;
  /** at most 65536 bytes */
  message?: Uint8Array;
}

export interface SignReply {
  /** at most 512 bytes */
  readonly signature?: Uint8Array;
}

export interface VerifyRequest {
  /** which signature */
  scheme: SignatureScheme;
  /** message is the message's digest */
  digested?: boolean;
  /** at most 65536 bytes */
  message?: Uint8Array;
  /** at most 512 bytes */
  signature?: Uint8Array;
}

export interface MacRequest {
  /** 16 bytes, or absent for the stored key */
  handle?: Uint8Array;
  /** with a handle, and only then */
  algorithm?: MacAlgorithm;
  /** of the code; absent for all of it */
  length?: number;
  /** at most 65536 bytes */
  message?: Uint8Array;
}

export interface MacReply {
  /** at most 64 bytes */
  readonly mac?: Secret;
}

export interface VerifyMacRequest {
  /** 16 bytes, or absent for the stored key */
  handle?: Uint8Array;
  /** with a handle, and only then */
  algorithm?: MacAlgorithm;
  /** that the code must have; absent for all of it */
  length?: number;
  /** at most 65536 bytes */
  message?: Uint8Array;
  /** at most 64 bytes */
  mac?: Uint8Array;
}

export interface UnwrapRequest {
  /** at most 512 bytes; as long as the modulus */
  wrappedKey?: Uint8Array;
}

export interface UnwrapReply {
  /** 16 bytes; of the key that was wrapped */
  readonly handle: Uint8Array;
}

export interface ReleaseHandleRequest {
  /** 16 bytes; what is no longer needed */
  handle: Uint8Array;
}

/** Either for a surrogate, without the last two fields, or for an envelope. */
export interface TokeniseRequest {
  /** at most 32 bytes; digits */
  pan?: string | Uint8Array;
  /** at most 255 bytes */
  merchantIdentifier?: string | Uint8Array;
  /** 32 bytes */
  transactionId?: Uint8Array;
  /** seconds */
  lifetime?: number;
}

/** One of the two. */
export interface TokeniseReply {
  /** at most 32 bytes; digits */
  readonly surrogate?: string;
  /** at most 66048 bytes */
  readonly envelope?: Uint8Array;
}

export interface DetokeniseRequest {
  /** at most 32 bytes; digits */
  surrogate: string | Uint8Array;
  /** at most 255 bytes */
  merchantIdentifier?: string | Uint8Array;
}

export interface DetokeniseReply {
  /** at most 32 bytes; digits */
  readonly pan: Secret;
}

/** The reply is an OpenPaymentTokenReply, and so is what the envelope holds. */
export interface OpenEnvelopeRequest {
  /** at most 66048 bytes */
  envelope: Uint8Array;
  /** at most 255 bytes */
  merchantIdentifier?: string | Uint8Array;
  /** 32 bytes */
  transactionId: Uint8Array;
  /** strictly ascending; absent asks for all that is granted */
  release?: readonly (Exclude<ReleasedField, "jwe">)[];
  /** strictly ascending; without any of these the envelope is not to be opened */
  required?: readonly (Exclude<ReleasedField, "jwe">)[];
  /** 16 random bytes; the same request with it opens again after a lost reply */
  retryKey?: Uint8Array;
}

export interface StatusReport {
  /** at most 32 bytes */
  readonly state?: string;
  /** at most 64 bytes */
  readonly productVersion?: string;
  readonly rehearsal: boolean;
  /** seconds since 1970 */
  readonly started: bigint;
  readonly keys: number;
  /** open now */
  readonly connections: number;
  /** records in the log */
  readonly auditSize: bigint;
  /** at most 32 bytes */
  readonly auditRoot?: Uint8Array;
  /** at most 512 bytes */
  readonly auditVerifierKey?: string;
  /** at most 32 bytes */
  readonly policyHash?: Uint8Array;
  /** at most 32 bytes */
  readonly arena?: string;
  /** bytes */
  readonly arenaCapacity: bigint;
  /** bytes */
  readonly arenaUsed: bigint;
  /** the most bytes that were in use */
  readonly arenaPeak: bigint;
  /** whether the kernel would let the process be traced */
  readonly dumpable: boolean;
  readonly lockedBytes: bigint;
  readonly swappedBytes: bigint;
  /** whether the kernel would write one */
  readonly coreDumps: boolean;
  /** absent without Yama */
  readonly ptraceScope?: bigint;
  readonly seccomp: number;
  readonly landlock: boolean;
  /** at most 32 bytes */
  readonly auditCondition?: string;
  readonly auditFree: bigint;
  readonly stackCapacity: bigint;
  readonly residentBytes: bigint;
  /** at most 1024 bytes */
  readonly unmatchedGrants?: string;
  readonly nextKeyEnd: bigint;
  readonly codeIntact: boolean;
  readonly storeFill: number;
}

export interface UnlockRequest {
  /** 1 to 1024 bytes */
  passphrase: Uint8Array;
}

export interface ImportKeyRequest {
  /** at most 128 bytes */
  label?: string | Uint8Array;
  /** at most 64 bytes */
  role?: string | Uint8Array;
  /**
   * RFC 5915, PKCS#1 or RFC 8410 DER, a partner's SubjectPublicKeyInfo, or the key's bytes; in
   * import-block a key block's characters
   */
  privateKey?: Uint8Array;
  /** at most 8192 bytes; DER */
  certificate?: Uint8Array;
  /** at most 255 bytes */
  merchantIdentifier?: string | Uint8Array;
  /** at once, instead of by activate-key */
  activate?: boolean;
  notAfter?: number | bigint;
  /** of a key for one-time values */
  otp?: OtpParametersInput;
  exportable?: boolean;
  /** at most 512 bytes; of a partner's key: name=value for each member of its JWEs' headers */
  jweMembers?: string | Uint8Array;
}

/** What holds for one call alone. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. The request may have been carried out. */
  signal?: AbortSignal;
  /** Milliseconds, connecting included, in place of the client's; null for no end. */
  timeout?: number | null;
  /** The id in the audit record: a number, 16 hexadecimal digits, or any other text, as `kist audit show --request` reads it. */
  requestId?: number | bigint | string;
}

/** What every answer has: the record of the request in the audit log, null if there is none. */
export interface Answer {
  readonly auditSequence: bigint | null;
}

/** Every operation as a method; `Client` has them. */
export interface Operations {
  /** Asks whether a daemon is there; needs no grant and leaves no audit record. */
  ping(options?: CallOptions): Promise<Answer>;
  /** What the daemon is, and which operations it has. */
  describe(options?: CallOptions): Promise<Answer & DescribeReply>;
  /** At most 64 of the keys that the caller may list, by label, and whether more follow. */
  listKeys(request: ListKeysRequest, options?: CallOptions): Promise<Answer & ListKeysReply>;
  /** One key, with its public key and certificate; nothing of a private or secret key. */
  describeKey(key: Uint8Array, options?: CallOptions): Promise<Answer & KeyDescription>;
  /** Random bytes of the daemon's kernel. */
  random(request: RandomRequest, options?: CallOptions): Promise<Answer & RandomReply>;
  /** Who the caller is to the daemon, and what it may do now. */
  who(options?: CallOptions): Promise<Answer & WhoReply>;
  /** The keyed digest that stands for a value in the audit log. */
  auditDigest(request: AuditDigestRequest, options?: CallOptions): Promise<Answer & AuditDigestReply>;
  /**
   * Returns if requests are served now, and fails as any other operation would if not; needs no
   * grant and leaves no audit record.
   */
  ready(options?: CallOptions): Promise<Answer>;
  /**
   * Verifies a token as Apple requires, without opening it: do not count or compare by the
   * transaction id of one that was only verified [OP-VERIFY-1].
   */
  verifyPaymentToken(key: Uint8Array | null, request: VerifyPaymentTokenRequest, options?: CallOptions): Promise<Answer & VerifyPaymentTokenReply>;
  /** Verifies a token as Apple requires, and opens it once. */
  openPaymentToken(key: Uint8Array, request: OpenPaymentTokenRequest, options?: CallOptions): Promise<Answer & OpenPaymentTokenReply>;
  /** Seals a card for Apple Wallet. */
  provisionPass(key: Uint8Array | null, request: ProvisionPassRequest, options?: CallOptions): Promise<Answer & ProvisionPassReply>;
  /**
   * Every value of one encryption of a pass, for a test's ephemeral key; only a sandbox answers.
   */
  provisionTrace(request: ProvisionTraceRequest, options?: CallOptions): Promise<Answer & ProvisionTraceReply>;
  /**
   * A one-time value of the kind that the key's role makes: a network's value from its input, or a
   * person's code.
   */
  signOtp(key: Uint8Array, request: SignOtpRequest, options?: CallOptions): Promise<Answer & SignOtpReply>;
  /** Checks a person's code, which is accepted once; a wrong one is rejected. */
  verifyOtp(key: Uint8Array, request: VerifyOtpRequest, options?: CallOptions): Promise<Answer & VerifyOtpReply>;
  /** A new secret for a person's authenticator; the codes of the one before end. */
  enrolAuthenticator(key: Uint8Array, request: EnrolAuthenticatorRequest, options?: CallOptions): Promise<Answer & EnrolAuthenticatorReply>;
  /** Agrees on a secret with a peer; it stays in the daemon, for one derivation. */
  ecdh(key: Uint8Array, request: EcdhRequest, options?: CallOptions): Promise<Answer & EcdhReply>;
  /** Derives a key from a secret, which this uses up; the key stays in the daemon. */
  kdf(key: Uint8Array, request: KdfRequest, options?: CallOptions): Promise<Answer & KdfReply>;
  /** Seals up to 64 KiB with AES-256-GCM into an envelope that names its key. */
  seal(key: Uint8Array, request: SealRequest, options?: CallOptions): Promise<Answer & SealReply>;
  /** Opens an envelope, or ciphertext and tag that others made. */
  unseal(key: Uint8Array, request: UnsealRequest, options?: CallOptions): Promise<Answer & UnsealReply>;
  /** Signs a message of up to 64 KiB, or its digest. */
  sign(key: Uint8Array, request: SignRequest, options?: CallOptions): Promise<Answer & SignReply>;
  /** Returns if the signature is the key's; it is rejected if not. */
  verify(key: Uint8Array, request: VerifyRequest, options?: CallOptions): Promise<Answer>;
  /** A message authentication code. */
  mac(key: Uint8Array, request: MacRequest, options?: CallOptions): Promise<Answer & MacReply>;
  /** Returns if the code is right; it is rejected if not. */
  verifyMac(key: Uint8Array, request: VerifyMacRequest, options?: CallOptions): Promise<Answer>;
  /** Unwraps a secret that was wrapped with RSAES-OAEP and SHA-256; it stays in the daemon. */
  unwrap(key: Uint8Array, request: UnwrapRequest, options?: CallOptions): Promise<Answer & UnwrapReply>;
  /** Has the daemon wipe a secret before its time is over. */
  releaseHandle(key: Uint8Array, request: ReleaseHandleRequest, options?: CallOptions): Promise<Answer>;
  /** The surrogate of a PAN; with a transaction and a lifetime, an envelope that holds it. */
  tokenise(key: Uint8Array, request: TokeniseRequest, options?: CallOptions): Promise<Answer & TokeniseReply>;
  /** The PAN that a surrogate stands in for. */
  detokenise(key: Uint8Array, request: DetokeniseRequest, options?: CallOptions): Promise<Answer & DetokeniseReply>;
  /** What is sealed in a payment envelope, as far as policy releases it. */
  openEnvelope(key: Uint8Array, request: OpenEnvelopeRequest, options?: CallOptions): Promise<Answer & OpenPaymentTokenReply>;
  /** How the daemon is. */
  status(options?: CallOptions): Promise<Answer & StatusReport>;
  /** Opens the key store with a passphrase. */
  unlock(request: UnlockRequest, options?: CallOptions): Promise<Answer>;
  /** Ends serving, and wipes the keys. */
  lock(options?: CallOptions): Promise<Answer>;
  /** Takes a key into the key store, and describes it. */
  importKey(request: ImportKeyRequest, options?: CallOptions): Promise<Answer & KeyDescription>;
}
