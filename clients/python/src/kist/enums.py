"""The numbers of the protocol by name. Written by proto/generate.py from kist.proto: do not edit."""

from __future__ import annotations

import enum


class Opcode(enum.IntEnum):
    """The operations, as a request names them."""

    PING = 0x0001  #: Asks whether a daemon is there; needs no grant and leaves no audit record.
    DESCRIBE = 0x0002  #: What the daemon is, and which operations it has.
    LIST_KEYS = 0x0003  #: At most 64 of the keys that the caller may list, by label, and whether more follow.
    DESCRIBE_KEY = 0x0004  #: One key, with its public key and certificate; nothing of a private or secret key.
    RANDOM = 0x0005  #: Random bytes of the daemon's kernel.
    WHO = 0x0006  #: Who the caller is to the daemon, and what it may do now.
    AUDIT_DIGEST = 0x0007  #: The keyed digest that stands for a value in the audit log.
    READY = 0x0008  #: Returns if requests are served now, and fails as any other operation would if not; needs no grant and leaves no audit record.
    VERIFY_PAYMENT_TOKEN = 0x0010  #: Verifies a token as Apple requires, without opening it: do not count or compare by the transaction id of one that was only verified [OP-VERIFY-1].
    OPEN_PAYMENT_TOKEN = 0x0011  #: Verifies a token as Apple requires, and opens it once.
    PROVISION_PASS = 0x0020  #: Seals a card for Apple Wallet.
    PROVISION_TRACE = 0x0021  #: Every value of one encryption of a pass, for a test's ephemeral key; only a sandbox answers.
    SIGN_OTP = 0x0030  #: A one-time value of the kind that the key's role makes: a network's value from its input, or a person's code.
    VERIFY_OTP = 0x0031  #: Checks a person's code, which is accepted once; a wrong one is rejected.
    ENROL_AUTHENTICATOR = 0x0032  #: A new secret for a person's authenticator; the codes of the one before end.
    ECDH = 0x0040  #: Agrees on a secret with a peer; it stays in the daemon, for one derivation.
    KDF = 0x0041  #: Derives a key from a secret, which this uses up; the key stays in the daemon.
    SEAL = 0x0042  #: Seals up to 64 KiB with AES-256-GCM into an envelope that names its key.
    UNSEAL = 0x0043  #: Opens an envelope, or ciphertext and tag that others made.
    SIGN = 0x0044  #: Signs a message of up to 64 KiB, or its digest.
    VERIFY = 0x0045  #: Returns if the signature is the key's; it is rejected if not.
    MAC = 0x0046  #: A message authentication code.
    VERIFY_MAC = 0x0047  #: Returns if the code is right; it is rejected if not.
    UNWRAP = 0x0048  #: Unwraps a secret that was wrapped with RSAES-OAEP and SHA-256; it stays in the daemon.
    RELEASE_HANDLE = 0x0049  #: Has the daemon wipe a secret before its time is over.
    TOKENISE = 0x0050  #: The surrogate of a PAN; with a transaction and a lifetime, an envelope that holds it.
    DETOKENISE = 0x0051  #: The PAN that a surrogate stands in for.
    OPEN_ENVELOPE = 0x0052  #: What is sealed in a payment envelope, as far as policy releases it.
    STATUS = 0x0100  #: How the daemon is.
    UNLOCK = 0x0101  #: Opens the key store with a passphrase.
    LOCK = 0x0102  #: Ends serving, and wipes the keys.
    IMPORT_KEY = 0x0103  #: Takes a key into the key store, and describes it.


class Status(enum.IntEnum):
    """What came of a request, as the reply's header says it."""

    OK = 0
    MALFORMED = 1
    UNSUPPORTED = 2
    DENIED = 3
    REJECTED = 4
    BUSY = 5
    LOCKED = 6
    AUDIT_UNAVAILABLE = 7
    INTERNAL = 8
    APPROVAL_NEEDED = 9


class TokenVersion(enum.IntEnum):
    """Apple's token formats."""

    EC_V1 = 1
    RSA_V1 = 2


class ReleasedField(enum.IntEnum):
    """A field of an opened token that policy can release."""

    DPAN = 1
    LAST4 = 2
    BIN = 3
    NETWORK = 4
    EXPIRY = 5
    CURRENCY = 6
    AMOUNT = 7
    CRYPTOGRAM = 8
    ECI = 9
    PAYMENT_DATA_TYPE = 10
    DEVICE_MANUFACTURER = 11
    EMV_DATA = 12
    ENCRYPTED_PIN = 13
    CARDHOLDER_NAME = 14
    AUTHENTICATION_RESPONSES = 15
    MERCHANT_TOKEN = 16
    RAW = 17
    SURROGATE = 20
    ENVELOPE = 21
    JWE = 22  #: follows from the grant, and is never asked for


class Derivation(enum.IntEnum):
    """A key derivation function with its hash."""

    ONE_STEP_SHA256 = 1
    ONE_STEP_SHA384 = 2
    ONE_STEP_SHA512 = 3
    X963_SHA256 = 4
    X963_SHA384 = 5
    X963_SHA512 = 6
    HKDF_SHA256 = 7
    HKDF_SHA384 = 8
    HKDF_SHA512 = 9


class SignatureScheme(enum.IntEnum):
    """A signature algorithm with its hash; `FIXED` is r and s behind each other instead of DER."""

    ECDSA_P256_SHA256 = 1
    ECDSA_P384_SHA384 = 2
    ECDSA_P256_SHA256_FIXED = 3
    ECDSA_P384_SHA384_FIXED = 4
    RSA_PKCS1_SHA256 = 5
    RSA_PKCS1_SHA384 = 6
    RSA_PKCS1_SHA512 = 7
    RSA_PSS_SHA256 = 8
    RSA_PSS_SHA384 = 9
    RSA_PSS_SHA512 = 10
    ED25519 = 11


class MacAlgorithm(enum.IntEnum):
    """A message authentication code, for a key behind a handle."""

    HMAC_SHA256 = 1
    HMAC_SHA384 = 2
    HMAC_SHA512 = 3
    AES_CMAC = 4


class DigestField(enum.IntEnum):
    """What stands in the audit log as a keyed digest only."""

    TRANSACTION = 1
    PAN = 2
    SUBJECT = 3


class PassField(enum.IntEnum):
    """A field of a provisioning request that a rejection is about."""

    ENCRYPTED_PRIMARY_ACCOUNT_NUMBER = 1
    EXPIRATION = 2
    NAME = 3
    NETWORK_NAME = 4
    NONCE = 5
    NONCE_SIGNATURE = 6
    PRIMARY_ACCOUNT_IDENTIFIER = 7
    PRIMARY_ACCOUNT_NUMBER = 8
    PRIMARY_ACCOUNT_NUMBER_PREFIX = 9
    PRODUCT_TYPE = 10
    ACCOUNT_ENVELOPE = 11
    ACTIVATION = 12
    ACCOUNT_SURROGATE = 13


class EncryptionScheme(enum.IntEnum):
    """How a pass is encrypted."""

    EV_ECC_V2 = 1
    EV_RSA_V2 = 2  #: always refused


class PassConfiguration(enum.IntEnum):
    """Which members a pass's payment data has: the columns of table 9-1 of Apple's guide."""

    ACCOUNT_NUMBER = 1
    ACCOUNT_IDENTIFIER = 2
    ENCRYPTED_ACCOUNT_NUMBER = 3
    ENCRYPTED_ACCOUNT_NUMBER_UNNAMED = 4


class VisaType(enum.IntEnum):
    """What a value for Visa Token Service is for."""

    MBPAC = 1
    MBPAD = 2
    MPAC = 3
    MPAD = 4


class OtpHash(enum.IntEnum):
    """The hash of a counted or timed code."""

    SHA1 = 1
    SHA256 = 2
    SHA512 = 3


#: The checks of a rejection by number; PROTOCOL.md section 4 says what each means.
STAGES = {
    1: "format",
    2: "version",
    3: "cms",
    4: "leaf-marker",
    5: "intermediate-marker",
    6: "extra-certificate",
    7: "chain",
    8: "signer",
    9: "algorithm",
    10: "signed-attributes",
    11: "message-digest",
    12: "signature",
    13: "certificate-validity",
    14: "signing-time",
    15: "public-key-hash",
    16: "replay",
    17: "key-agreement",
    18: "tag",
    19: "plaintext",
    20: "expectation",
    21: "passphrase",
    22: "key-import",
    23: "key-state",
    24: "own-request",
    25: "unknown-request",
    26: "key-block",
    27: "key-export",
    28: "not-released",
    30: "peer-key",
    31: "parameters",
    32: "envelope",
    33: "invocations",
    34: "mac",
    35: "unwrap",
    50: "encryption-scheme",
    51: "missing-field",
    52: "surplus-field",
    53: "field-value",
    54: "issuer-certificate",
    55: "issuer-leaf-marker",
    56: "issuer-chain-length",
    57: "issuer-intermediate-marker",
    58: "issuer-intermediate-name",
    59: "issuer-chain",
    60: "issuer-key-usage",
    61: "issuer-critical-extension",
    62: "issuer-leaf-curve",
    63: "issuer-validity",
    64: "otp-input",
    65: "otp-key-expired",
    66: "otp-code",
    67: "otp-locked",
    68: "otp-not-restored",
    69: "otp-home",
    70: "stand-in-key",
    71: "pan",
    72: "stand-in",
    73: "expired",
    74: "envelope-used",
    75: "partner-key",
    76: "claims",
    80: "checkpoint",
    90: "share-form",
    92: "share-register",
    93: "share-split",
    94: "share-holder",
    95: "share-duplicate",
    96: "share-holder-twice",
    97: "share-surplus",
    98: "share-combination",
    99: "share-cool-down",
    100: "other-kek",
    101: "backup",
}
