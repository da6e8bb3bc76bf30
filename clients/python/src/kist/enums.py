"""The enums of proto/kist.proto by name, but for the opcodes."""

from __future__ import annotations

import enum


class Status(enum.IntEnum):
    """The status of a reply."""

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
    PAYMENT_ENVELOPE = 21  #: `OpenedToken.envelope`
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
    """A signature algorithm with its hash; `FIXED` is r ‖ s instead of DER."""

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


class DigestField(enum.IntEnum):
    """A kind of value that the audit log has only as a keyed digest."""

    TRANSACTION = 1
    PAN = 2
    SUBJECT = 3


class MacAlgorithm(enum.IntEnum):
    """A message authentication code, for a key behind a handle."""

    HMAC_SHA256 = 1
    HMAC_SHA384 = 2
    HMAC_SHA512 = 3
    AES_CMAC = 4


class PassField(enum.IntEnum):
    """A field of a provisioning request, as a rejection names it."""

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
    """How a pass is encrypted; `EV_RSA_V2` is always refused."""

    EV_ECC_V2 = 1
    EV_RSA_V2 = 2


class PassConfiguration(enum.IntEnum):
    """Which members a pass's payment data has."""

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
}
