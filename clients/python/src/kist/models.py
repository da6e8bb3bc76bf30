"""The parts of requests, and their results."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from urllib.parse import quote

from .enums import OtpHash, VisaType
from .secret import Secret

Bytes = bytes | bytearray | memoryview


@dataclass(frozen=True)
class Handle:
    """A secret that the daemon holds for one connection; it ends with the connection.

    Attributes:
        value: 16 bytes.
        key: the id of the key that the secret came of, 16 bytes.
    """

    value: bytes
    key: bytes


@dataclass(frozen=True)
class Operation:
    """An operation of a daemon, and its largest request, in bytes with the header."""

    opcode: int = 0
    name: str = ""
    request_cap: int = 0


@dataclass(frozen=True)
class Description:
    """What a daemon is and can do; `rehearsal` is true for a sandbox, whose keys are not real."""

    product_version: str = ""
    wire_version: int = 0
    operations: tuple[Operation, ...] = ()
    in_flight: int = 0
    rehearsal: bool = False


@dataclass(frozen=True)
class OtpParameters:
    """What a key for one-time values needs besides its role; None and empty mean the default."""

    key_set: str = ""
    key_alias: str = ""
    digits: int = 0
    hash: OtpHash | None = None
    step: int = 0
    window: int | None = None
    failures: int = 0
    lockout: int = 0


@dataclass(frozen=True)
class Key:
    """The public description of a key; the key itself never leaves the daemon.

    Attributes:
        id: 16 bytes.
        public_key: SubjectPublicKeyInfo; empty in a listing.
        check_value: SHA-256 of the SubjectPublicKeyInfo, or a 5-byte KCV.
        certificate: DER; empty in a listing.
        created, activated, not_before, not_after, last_use: seconds since 1970; 0 where there is none.
        exportable: whether operators may send the key to another HSM.
        use_limit: how often it may be used in total; 0 for any number of times.
    """

    id: bytes
    label: str = ""
    role: str = ""
    state: str = ""
    algorithm: str = ""
    usage: str = ""
    merchant_identifier: str = ""
    public_key: bytes = b""
    check_value: bytes = b""
    certificate: bytes = b""
    created: int = 0
    activated: int = 0
    not_after: int = 0
    last_use: int = 0
    uses: int = 0
    otp: OtpParameters = field(default_factory=OtpParameters)
    exportable: bool = False
    not_before: int = 0
    use_limit: int = 0


@dataclass(frozen=True)
class KeyPage:
    """At most 64 keys, and whether more follow the last."""

    keys: tuple[Key, ...]
    more: bool


@dataclass(frozen=True)
class OpenedToken:
    """The released fields of an opened token or envelope; None for a field that was not released or that the token does not have.

    A context manager: leaving it wipes its secrets.

    Attributes:
        signing_time: when Apple signed the token, in seconds since 1970; 0 for an envelope that was made of a PAN alone.
        audit_sequence: the record of the opening.
        expiry: YYMMDD.
        currency: ISO 4217 numeric.
        amount: minor units.
        cryptogram, emv_data: base64 text, as Apple wrote it.
        raw: the whole decrypted JSON.
        envelope: fields for another service, for `open_envelope`.
        jwe: everything that is released, where the grant releases to a partner: a JWE in compact serialisation, for that partner alone.
    """

    signing_time: int
    audit_sequence: int | None
    dpan: Secret | None = None
    last4: str | None = None
    bin: str | None = None
    network: str | None = None
    expiry: Secret | None = None
    currency: str | None = None
    amount: int | None = None
    cryptogram: Secret | None = None
    eci: str | None = None
    payment_data_type: str | None = None
    device_manufacturer: str | None = None
    emv_data: Secret | None = None
    encrypted_pin: Secret | None = None
    cardholder_name: Secret | None = None
    authentication_responses: Secret | None = None
    merchant_token: Secret | None = None
    raw: Secret | None = None
    surrogate: str | None = None
    envelope: bytes | None = None
    jwe: str | None = None

    def wipe(self) -> None:
        """Wipes every secret field."""
        for value in vars(self).values():
            if isinstance(value, Secret):
                value.wipe()

    def __enter__(self) -> OpenedToken:
        return self

    def __exit__(self, *exception: object) -> None:
        self.wipe()


@dataclass(frozen=True)
class VisaInput:
    """For Visa Token Service: MBPAC and MPAC take nonce and code, MBPAD and MPAD number and expiry (MMYY)."""

    type: VisaType
    nonce: Bytes = b""
    authentication_code: str = field(default="", repr=False)
    account_number: str | Bytes = field(default="", repr=False)
    expiry: str = field(default="", repr=False)


@dataclass(frozen=True)
class MastercardInput:
    """For Mastercard's MDES: version 2, 3 or 4; `valid_until` in seconds since 1970, 0 for half an hour."""

    version: int = 3
    account_number: str | Bytes = field(default="", repr=False)
    expiry: str = field(default="", repr=False)
    token_reference: str = ""
    valid_until: int = 0


@dataclass(frozen=True)
class AccountSurrogate:
    """A card's number by its surrogate: the key that made it, and for whom."""

    surrogate: str | Bytes
    key: Bytes
    merchant_identifier: str


@dataclass(frozen=True)
class ProvisionedPass:
    """The input for Apple Wallet: ciphertext and tag, a point of 65 bytes, and activation data, which may be empty."""

    encrypted_pass_data: bytes
    ephemeral_public_key: bytes
    activation_data: bytes
    audit_sequence: int | None


@dataclass(frozen=True)
class ProvisioningTrace:
    """The values between a test ephemeral key and the encrypted pass, by the names of Apple's log."""

    public_key_hash: bytes
    ephemeral_public_key: bytes
    shared_secret: bytes = field(repr=False)
    other_info: bytes
    shared_key: bytes = field(repr=False)
    encrypted_pass_data: bytes = b""


@dataclass(frozen=True)
class OneTimeValue:
    """A one-time value: UTF-8 text, and the counter or time step of a code."""

    otp: Secret
    counter: int | None
    audit_sequence: int | None


@dataclass(frozen=True)
class EnrolledAuthenticator:
    """What a person's authenticator makes its codes from: a secret of 20, 32 or 64 bytes, its number from 1 on, and how codes are made."""

    secret: Secret
    number: int
    otp: OtpParameters
    audit_sequence: int | None

    def uri(self, account: str, issuer: str = "") -> str:
        """The otpauth URI for authenticator apps, which holds the secret; neither name has a colon."""
        if ":" in account + issuer:
            raise ValueError("neither account nor issuer has a colon")
        secret = base64.b32encode(self.secret).decode().rstrip("=")
        label = f"{quote(issuer, safe='')}:" * bool(issuer) + quote(account, safe="")
        named = f"&issuer={quote(issuer, safe='')}" * bool(issuer)
        digest = (self.otp.hash or OtpHash.SHA1).name
        kind, moving = ("totp", f"period={self.otp.step}") if self.otp.step else ("hotp", "counter=0")
        return f"otpauth://{kind}/{label}?secret={secret}{named}&algorithm={digest}&digits={self.otp.digits}&{moving}"


@dataclass(frozen=True)
class OtherInfo:
    """The parts of OtherInfo, which are concatenated as they are; each up to 1024 bytes."""

    algorithm_id: Bytes = b""
    party_u_info: Bytes = b""
    party_v_info: Bytes = b""
    supp_pub_info: Bytes = b""
    supp_priv_info: Bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class Right:
    """What one grant gives the caller; texts are as in the policy files, and empty if there is no limit."""

    grant: str = ""
    operations: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    released: tuple[str, ...] = ()
    stages: bool = False
    rate: str = ""
    quota: str = ""
    key_quota: str = ""
    until: int = 0
    hours: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rights:
    """Who the caller is to the daemon, and the grants that cover it now, in the order in which they decide."""

    uid: int = 0
    gid: int = 0
    unit: str = ""
    rights: tuple[Right, ...] = ()
    more: bool = False


@dataclass(frozen=True)
class StatusReport:
    """The daemon's status; for operators."""

    state: str = ""
    product_version: str = ""
    rehearsal: bool = False
    started: int = 0
    keys: int = 0
    connections: int = 0
    audit_size: int = 0
    audit_root: bytes = b""
    audit_verifier_key: str = ""
    policy_hash: bytes = b""
    arena: str = ""
    arena_capacity: int = 0
    arena_used: int = 0
    arena_peak: int = 0
    dumpable: bool = False
    locked_bytes: int = 0
    swapped_bytes: int = 0
    core_dumps: bool = False
    ptrace_scope: int | None = None
    seccomp: int = 0
    landlock: bool = False
    audit_condition: str = ""
    audit_free: int = 0
    stack_capacity: int = 0
    resident_bytes: int = 0
    unmatched_grants: str = ""
    next_key_end: int = 0
    code_intact: bool = False
    store_fill: int = 0
