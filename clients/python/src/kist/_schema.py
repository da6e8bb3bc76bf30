"""The operations of proto/kist.proto, and its messages as tables with the bounds of PROTOCOL.md section 7; a test compares them with protoc."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .enums import (
    STAGES,
    Derivation,
    DigestField,
    EncryptionScheme,
    MacAlgorithm,
    OtpHash,
    PassConfiguration,
    PassField,
    ReleasedField,
    SignatureScheme,
    TokenVersion,
    VisaType,
)

UINT32_MOST = 2**32 - 1
UINT64_MOST = 2**64 - 1


class Opcode(enum.IntEnum):
    """The operations, as a request names them."""

    PING = 0x0001
    DESCRIBE = 0x0002
    LIST_KEYS = 0x0003
    DESCRIBE_KEY = 0x0004
    RANDOM = 0x0005
    WHO = 0x0006
    AUDIT_DIGEST = 0x0007
    READY = 0x0008
    VERIFY_PAYMENT_TOKEN = 0x0010
    OPEN_PAYMENT_TOKEN = 0x0011
    PROVISION_PASS = 0x0020
    PROVISION_TRACE = 0x0021
    SIGN_OTP = 0x0030
    VERIFY_OTP = 0x0031
    ENROL_AUTHENTICATOR = 0x0032
    ECDH = 0x0040
    KDF = 0x0041
    SEAL = 0x0042
    UNSEAL = 0x0043
    SIGN = 0x0044
    VERIFY = 0x0045
    MAC = 0x0046
    VERIFY_MAC = 0x0047
    UNWRAP = 0x0048
    RELEASE_HANDLE = 0x0049
    TOKENISE = 0x0050
    DETOKENISE = 0x0051
    OPEN_ENVELOPE = 0x0052
    STATUS = 0x0100
    UNLOCK = 0x0101
    LOCK = 0x0102
    IMPORT_KEY = 0x0103


class Kind(enum.Enum):
    """What a field holds, and so its wire type."""

    BYTES = "bytes"
    TEXT = "string"
    UINT32 = "uint32"
    UINT64 = "uint64"
    BOOL = "bool"
    ENUM = "enum"
    SET = "set"  # strictly ascending numbers of an enum, packed
    MESSAGE = "message"


class Presence(enum.Enum):
    """Whether a field can be missing, and what that means."""

    ANY = "any"  # absent if it has its default
    REQUIRED = "required"  # the same on the wire, but the default is refused
    OPTIONAL = "optional"  # a default can be sent
    REPEATED = "repeated"


@dataclass(frozen=True)
class Field:
    """One field; its bounds limit a number, a size in bytes, or a count of elements."""

    number: int
    name: str
    kind: Kind
    presence: Presence = Presence.ANY
    least: int = 0
    most: int = UINT64_MOST
    message: str = ""
    elements: int = 0

    @property
    def is_delimited(self) -> bool:
        return self.kind in (Kind.BYTES, Kind.TEXT, Kind.SET, Kind.MESSAGE)


Rule = Callable[[Mapping[str, Any]], int]


@dataclass(frozen=True)
class Message:
    """A message: its fields, and the rule between them, which returns the number of the field at fault, or 0."""

    fields: tuple[Field, ...]
    rule: Rule = lambda value: 0


def _bytes(number: int, name: str, most: int = UINT64_MOST, least: int = 0, required: bool = False) -> Field:
    return Field(number, name, Kind.BYTES, Presence.REQUIRED if required else Presence.ANY, least, most)


def _exactly(number: int, name: str, size: int) -> Field:
    return _bytes(number, name, size, size, required=True)


def _if_any(number: int, name: str, size: int) -> Field:
    return _bytes(number, name, size, size)


def _text(number: int, name: str, most: int = UINT64_MOST, required: bool = False) -> Field:
    return Field(number, name, Kind.TEXT, Presence.REQUIRED if required else Presence.ANY, 1 if required else 0, most)


def _texts(number: int, name: str, most: int, elements: int) -> Field:
    return Field(number, name, Kind.TEXT, Presence.REPEATED, 0, most, elements=elements)


def _uint32(number: int, name: str, least: int = 0, most: int = UINT32_MOST, presence: Presence = Presence.ANY) -> Field:
    return Field(number, name, Kind.UINT32, Presence.REQUIRED if least else presence, least, most)


def _uint64(number: int, name: str, presence: Presence = Presence.ANY) -> Field:
    return Field(number, name, Kind.UINT64, presence)


def _bool(number: int, name: str) -> Field:
    return Field(number, name, Kind.BOOL, most=1)


def _enum(number: int, name: str, kind: type[enum.IntEnum], required: bool = True) -> Field:
    return Field(number, name, Kind.ENUM, Presence.REQUIRED if required else Presence.ANY, 1, max(kind))


def _nested(number: int, name: str, message: str, most: int, presence: Presence = Presence.ANY, elements: int = 0) -> Field:
    return Field(number, name, Kind.MESSAGE, presence, 0, most, message, elements)


def _flaw(number: int, is_sound: bool) -> int:
    return 0 if is_sound else number


def _rejection(value: Mapping[str, Any]) -> int:
    return _flaw(1, value["stage"] in STAGES) or _flaw(3, value.get("released_field", ReleasedField.DPAN) in _RELEASED)


def _wanted(release: int, required: int) -> Rule:
    """Only fields that can be asked for are, in the fields of these numbers."""

    def rule(value: Mapping[str, Any]) -> int:
        return _flaw(release, _ASKABLE.issuperset(value.get("release", ()))) or _flaw(required, _ASKABLE.issuperset(value.get("required", ())))

    return rule


def _iv(value: Mapping[str, Any]) -> int:
    return _flaw(2, len(value.get("iv", b"")) in (0, 12, 16))


def _algorithm(value: Mapping[str, Any]) -> int:
    """[OP-MAC-1] The algorithm is present exactly if there is a handle."""
    return _flaw(2, ("handle" in value) == ("algorithm" in value))


_TOKEN = 64 * 1024 + 16 * 1024 + 2 * 1024 + 256
_INPUT = 256
_MESSAGE = 64 * 1024
_SEALED = _MESSAGE + 45
_INFO = 1024
_MODULUS = 512
_DIGITS = 32
_ENVELOPE = 64 * 1024 + 512
_OPTIONAL, _REQUIRED = Presence.OPTIONAL, Presence.REQUIRED
_RELEASED = frozenset(field.value for field in ReleasedField)
_ASKABLE = _RELEASED - {ReleasedField.JWE}

MESSAGES: dict[str, Message] = {
    "PaymentToken": Message((
        _enum(1, "version", TokenVersion), _bytes(2, "data", 64 * 1024), _bytes(3, "signature", 16 * 1024), _bytes(4, "ephemeral_public_key", 1024),
        _bytes(5, "wrapped_key", 1024), _exactly(6, "public_key_hash", 32), _exactly(7, "transaction_id", 32),
        _if_any(8, "application_data", 32),
    )),
    "Malformation": Message((_text(1, "why", 160, required=True),)),
    "Busy": Message((_uint32(1, "retry_after", 1, 1_209_600_000),)),
    "Rejection": Message((
        Field(1, "stage", Kind.ENUM, _REQUIRED, 1, 255), _enum(2, "field", PassField, required=False),
        _enum(3, "released_field", ReleasedField, required=False),
    ), _rejection),
    "ApprovalNeeded": Message((_text(1, "request", 16), _uint64(2, "until"))),
    "OperationDescription": Message((_uint32(1, "opcode"), _text(2, "name", 64), _uint32(3, "request_cap"))),
    "DescribeReply": Message((
        _text(1, "product_version", 64), _uint32(2, "wire_version"),
        _nested(3, "operations", "OperationDescription", 128, Presence.REPEATED, 256), _uint32(4, "in_flight"), _bool(5, "rehearsal"),
    )),
    "OtpParameters": Message((
        _text(1, "key_set", 64), _text(2, "key_alias", 64), _uint32(3, "digits"), _enum(4, "hash", OtpHash, required=False), _uint32(5, "step"),
        _uint32(6, "window", presence=_OPTIONAL), _uint32(7, "failures"), _uint32(8, "lockout"),
    )),
    "KeyDescription": Message((
        _exactly(1, "id", 16), _text(2, "label", 128), _text(3, "role", 64), _text(4, "state", 32), _text(5, "algorithm", 32),
        _text(6, "usage", 16), _text(7, "merchant_identifier", 255), _bytes(8, "public_key", 1024), _bytes(9, "check_value", 32),
        _bytes(10, "certificate", 8192), _uint64(11, "created"), _uint64(12, "activated"), _uint64(13, "not_after"),
        _uint64(14, "last_use"), _uint64(15, "uses"), _nested(16, "otp", "OtpParameters", _INPUT),
        _bool(17, "exportable"), _uint64(18, "not_before"), _uint64(19, "use_limit"),
    )),
    "ListKeysRequest": Message((_text(1, "prefix", 128), _text(2, "after", 128), _text(3, "pattern", 128))),
    "ListKeysReply": Message((_nested(1, "keys", "KeyDescription", 16 * 1024, Presence.REPEATED, 64), _bool(2, "more"))),
    "RandomRequest": Message((_uint32(1, "count", 1, 1024),)),
    "RandomReply": Message((_bytes(1, "random", 1024),)),
    "Right": Message((
        _text(1, "grant", 64), _texts(2, "operations", 64, 64), _texts(3, "keys", 128, 128), _texts(4, "released", 64, 64), _bool(5, "stages"),
        _text(6, "rate", 32), _text(7, "quota", 32), _text(8, "key_quota", 32), _uint64(9, "until"), _texts(10, "hours", 32, 16),
    )),
    "WhoReply": Message((
        _uint32(1, "uid"), _uint32(2, "gid"), _text(3, "unit", 256), _nested(4, "rights", "Right", 32 * 1024, Presence.REPEATED, 24),
        _bool(5, "more"),
    )),
    "AuditDigestRequest": Message((_enum(1, "field", DigestField), _bytes(2, "value", 128))),
    "AuditDigestReply": Message((_text(1, "digest", 76, required=True),)),
    "VerifyPaymentTokenRequest": Message((_nested(1, "token", "PaymentToken", _TOKEN, _REQUIRED), _if_any(2, "expected_application_data", 32))),
    "VerifyPaymentTokenReply": Message((_uint64(1, "signing_time"),)),
    "OpenPaymentTokenRequest": Message((
        _nested(1, "token", "PaymentToken", _TOKEN, _REQUIRED), Field(2, "release", Kind.SET, most=64), _text(3, "expected_currency", 3),
        _uint64(4, "expected_amount", _OPTIONAL), _if_any(5, "expected_application_data", 32), Field(6, "required", Kind.SET, most=64),
        _if_any(7, "retry_key", 16),
    ), _wanted(2, 6)),
    "OpenPaymentTokenReply": Message((
        _text(1, "dpan"), _text(2, "last4"), _text(3, "bin"), _text(4, "network"), _text(5, "expiry"), _text(6, "currency"),
        _uint64(7, "amount", _OPTIONAL), _text(8, "cryptogram"), _text(9, "eci"), _text(10, "payment_data_type"),
        _text(11, "device_manufacturer"), _text(12, "emv_data"), _text(13, "encrypted_pin"), _text(14, "cardholder_name"),
        _text(15, "authentication_responses"), _text(16, "merchant_token"), _bytes(17, "raw"), _uint64(18, "signing_time"),
        _text(20, "surrogate"), _bytes(21, "envelope"), _text(22, "jwe"),
    )),
    "VisaInput": Message((
        _enum(1, "type", VisaType), _bytes(2, "nonce", 64), _text(3, "authentication_code", 32), _text(4, "account_number", 19), _text(5, "expiry", 4),
    )),
    "MastercardInput": Message((
        _uint32(1, "version", 2, 4), _text(2, "account_number", 19), _text(3, "expiry", 4), _text(4, "token_reference", 64),
        _uint64(5, "valid_until"),
    )),
    "AccountSurrogate": Message((
        _text(1, "surrogate", _DIGITS, required=True), _exactly(2, "key", 16), _text(3, "merchant_identifier", 255),
    )),
    "ProvisionPassRequest": Message((
        _enum(1, "scheme", EncryptionScheme), Field(2, "certificates", Kind.BYTES, Presence.REPEATED, 0, 8192, elements=3),
        _enum(3, "configuration", PassConfiguration),
        _text(4, "encrypted_primary_account_number", 1024), _text(5, "expiration", 5), _text(6, "name", 256), _text(7, "network_name", 64),
        _bytes(8, "nonce", 64), _bytes(9, "nonce_signature", 256), _text(10, "primary_account_identifier", 128),
        _text(11, "primary_account_number", 19), _text(12, "primary_account_number_prefix", 19), _text(13, "product_type", 64),
        _bytes(14, "account_envelope", 512), _bytes(15, "envelope_context", 512), _nested(16, "visa", "VisaInput", _INPUT),
        _nested(17, "mastercard", "MastercardInput", _INPUT), _bytes(18, "activation_data", 4096),
        _nested(19, "account_surrogate", "AccountSurrogate", 512), _if_any(20, "network_key", 16),
    )),
    "ProvisionPassReply": Message((
        _bytes(1, "encrypted_pass_data", 16 * 1024), _exactly(2, "ephemeral_public_key", 65), _bytes(3, "activation_data", 4096),
    )),
    "ProvisionTraceRequest": Message((_exactly(1, "recipient", 65), _exactly(2, "ephemeral_private_key", 32), _bytes(3, "pass_data", 4096))),
    "ProvisionTraceReply": Message((
        _exactly(1, "public_key_hash", 32), _exactly(2, "ephemeral_public_key", 65), _exactly(3, "shared_secret", 32),
        _exactly(4, "other_info", 84), _exactly(5, "shared_key", 32), _bytes(6, "encrypted_pass_data", 4096 + 16),
    )),
    "SignOtpRequest": Message((
        _text(1, "subject", 128), _uint64(2, "counter", _OPTIONAL), _nested(3, "visa", "VisaInput", _INPUT),
        _nested(4, "mastercard", "MastercardInput", _INPUT),
        _bytes(5, "account_envelope", 512), _bytes(6, "envelope_context", 512), _nested(7, "account_surrogate", "AccountSurrogate", 512),
    )),
    "SignOtpReply": Message((_text(1, "otp", 2048), _uint64(2, "counter", _OPTIONAL))),
    "VerifyOtpRequest": Message((_text(1, "subject", 128), _text(2, "code", 8))),
    "VerifyOtpReply": Message((_uint64(1, "counter"),)),
    "EnrolAuthenticatorRequest": Message((_text(1, "subject", 128, required=True), _exactly(2, "retry_key", 16))),
    "EnrolAuthenticatorReply": Message((
        _bytes(1, "secret", 64, 1, required=True), _uint32(2, "number"), _nested(3, "otp", "OtpParameters", _INPUT),
    )),
    "EcdhRequest": Message((_bytes(1, "peer", 120), _bool(2, "release"))),
    "EcdhReply": Message((_if_any(1, "handle", 16), _bytes(2, "shared_secret", 48))),
    "OtherInfo": Message((
        _bytes(1, "algorithm_id", _INFO), _bytes(2, "party_u_info", _INFO), _bytes(3, "party_v_info", _INFO),
        _bytes(4, "supp_pub_info", _INFO), _bytes(5, "supp_priv_info", _INFO),
    )),
    "KdfRequest": Message((
        _exactly(1, "handle", 16), _enum(2, "derivation", Derivation), _uint32(3, "count", 16, 256), _bytes(4, "info", _INFO),
        _nested(5, "other_info", "OtherInfo", 5 * (_INFO + 3)), _bytes(6, "salt", _INFO), _bool(7, "release"),
    ), lambda value: _flaw(5, not ("info" in value and "other_info" in value))),
    "KdfReply": Message((_if_any(1, "handle", 16), _bytes(2, "derived_key", 256))),
    "SealRequest": Message((
        _if_any(1, "handle", 16), _bytes(3, "plaintext", _MESSAGE), _bytes(4, "associated_data", 4096),
    )),
    "SealReply": Message((_bytes(1, "sealed", _SEALED),)),
    "UnsealRequest": Message((
        _if_any(1, "handle", 16), _bytes(2, "iv", 16), _bytes(3, "sealed", _SEALED), _bytes(4, "associated_data", 4096),
    ), _iv),
    "UnsealReply": Message((_bytes(1, "plaintext", _SEALED),)),
    "SignRequest": Message((_enum(1, "scheme", SignatureScheme), _bool(2, "digested"), _bytes(3, "message", _MESSAGE))),
    "SignReply": Message((_bytes(1, "signature", _MODULUS),)),
    "VerifyRequest": Message((
        _enum(1, "scheme", SignatureScheme), _bool(2, "digested"), _bytes(3, "message", _MESSAGE), _bytes(4, "signature", _MODULUS),
    )),
    "MacRequest": Message((
        _if_any(1, "handle", 16), _enum(2, "algorithm", MacAlgorithm, required=False), _uint32(3, "length", most=64), _bytes(4, "message", _MESSAGE),
    ), _algorithm),
    "MacReply": Message((_bytes(1, "mac", 64),)),
    "VerifyMacRequest": Message((
        _if_any(1, "handle", 16), _enum(2, "algorithm", MacAlgorithm, required=False), _uint32(3, "length", most=64), _bytes(4, "message", _MESSAGE),
        _bytes(5, "mac", 64),
    ), _algorithm),
    "UnwrapRequest": Message((_bytes(1, "wrapped_key", _MODULUS),)),
    "UnwrapReply": Message((_exactly(1, "handle", 16),)),
    "ReleaseHandleRequest": Message((_exactly(1, "handle", 16),)),
    "TokeniseRequest": Message((
        _text(1, "pan", _DIGITS), _text(2, "merchant_identifier", 255), _if_any(3, "transaction_id", 32), _uint32(4, "lifetime"),
    ), lambda value: _flaw(4, ("transaction_id" in value) == ("lifetime" in value))),
    "TokeniseReply": Message((
        _text(1, "surrogate", _DIGITS), _bytes(3, "envelope", _ENVELOPE),
    ), lambda value: _flaw(3, ("surrogate" in value) != ("envelope" in value))),
    "DetokeniseRequest": Message((_text(1, "surrogate", _DIGITS, required=True), _text(3, "merchant_identifier", 255))),
    "DetokeniseReply": Message((_text(1, "pan", _DIGITS, required=True),)),
    "OpenEnvelopeRequest": Message((
        _bytes(1, "envelope", _ENVELOPE, 1, required=True), _text(2, "merchant_identifier", 255), _exactly(3, "transaction_id", 32),
        Field(4, "release", Kind.SET, most=64), Field(5, "required", Kind.SET, most=64), _if_any(6, "retry_key", 16),
    ), _wanted(4, 5)),
    "StatusReport": Message((
        _text(1, "state", 32), _text(2, "product_version", 64), _bool(3, "rehearsal"), _uint64(4, "started"), _uint32(5, "keys"),
        _uint32(6, "connections"), _uint64(7, "audit_size"), _bytes(8, "audit_root", 32), _text(9, "audit_verifier_key", 512),
        _bytes(10, "policy_hash", 32), _text(11, "arena", 32), _uint64(12, "arena_capacity"), _uint64(13, "arena_used"),
        _uint64(14, "arena_peak"), _bool(15, "dumpable"), _uint64(16, "locked_bytes"), _uint64(17, "swapped_bytes"),
        _bool(18, "core_dumps"), _uint64(19, "ptrace_scope", _OPTIONAL), _uint32(20, "seccomp"), _bool(21, "landlock"), _text(22, "audit_condition", 32),
        _uint64(23, "audit_free"), _uint64(24, "stack_capacity"), _uint64(25, "resident_bytes"), _text(26, "unmatched_grants", 1024),
        _uint64(27, "next_key_end"), _bool(28, "code_intact"), _uint32(29, "store_fill"),
    )),
    "UnlockRequest": Message((_bytes(1, "passphrase", 1024, 1, required=True),)),
    "ImportKeyRequest": Message((
        _text(1, "label", 128), _text(2, "role", 64), _bytes(3, "private_key", 8192), _bytes(4, "certificate", 8192),
        _text(5, "merchant_identifier", 255), _bool(6, "activate"), _uint64(7, "not_after"), _nested(8, "otp", "OtpParameters", _INPUT),
        _bool(9, "exportable"), _text(10, "jwe_members", 512),
    )),
}
