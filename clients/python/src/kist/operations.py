"""The operations of PROTOCOL.md section 7, each as a function that makes a `Request`.

`Client` and `AsyncClient` have all of them as methods; `pipeline` takes the requests themselves.  A function raises
`RequestError` where a value breaks a bound of the protocol, and `TypeError` where it is of another type than is asked
for: an amount is an `int`, and no float, `Decimal` or text is made one.  What a client raises besides is in `kist.errors`.

A key is named by its id of 16 bytes.  Where a `key` may be a `Handle`, the secret behind it takes the stored key's place.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ._codec import Flaw, Value, encode, flat
from ._frame import NO_KEY, Request
from ._methods import Method
from ._schema import MESSAGES, OPERATIONS
from ._table import Field, Kind, Presence
from .enums import (
    Derivation,
    DigestField,
    EncryptionScheme,
    MacAlgorithm,
    Opcode,
    OtpHash,
    PassConfiguration,
    ReleasedField,
    SignatureScheme,
)
from .errors import ReplyError, RequestError
from .models import (
    AccountSurrogate,
    Bytes,
    Description,
    EnrolledAuthenticator,
    Handle,
    Key,
    KeyPage,
    MastercardInput,
    OneTimeValue,
    OpenedToken,
    Operation,
    OtherInfo,
    OtpParameters,
    ProvisionedPass,
    ProvisioningTrace,
    Right,
    Rights,
    StatusReport,
    VisaInput,
)
from .secret import Secret
from .token import Token

R = TypeVar("R")

_SECRET_FIELDS = frozenset(field.name for field in MESSAGES["OpenPaymentTokenReply"].fields if field.is_secret)


# General operations


def ping() -> Request[None]:
    """Asks whether the daemon answers; needs no grant and leaves no audit record."""
    return _request(Opcode.PING, None, None, _nothing)


def ready() -> Request[None]:
    """Returns if the daemon serves requests now; needs no grant and leaves no audit record.

    Otherwise it raises what any other request would: `Locked`, `AuditUnavailable` or `Internal`.
    """
    return _request(Opcode.READY, None, None, _nothing)


def describe() -> Request[Description]:
    """What the daemon is, and which operations it has."""
    return _request(Opcode.DESCRIBE, None, None, _description)


def list_keys(prefix: str = "", after: str = "", pattern: str = "") -> Request[KeyPage]:
    """At most 64 keys that the caller may list, by label; pass a page's last label as `after` to get the next page.

    Args:
        prefix: only labels that begin so.
        pattern: only labels that this covers, as policy would: a label, or one that ends in ``/*``.
    """
    body = {"prefix": prefix, "after": after, "pattern": pattern}
    return _request(Opcode.LIST_KEYS, None, body, _page)


def describe_key(key: Bytes) -> Request[Key]:
    """One key, with its public key and certificate."""
    return _request(Opcode.DESCRIBE_KEY, key, None, lambda value, _: _key(value))


def random(count: int) -> Request[Secret]:
    """1 to 1024 random bytes from the daemon's kernel."""

    def result(value: Value, _: int | None) -> Secret:
        drawn = _secret(value, "random")
        if len(drawn) != count:
            raise ReplyError(f"{len(drawn)} random bytes instead of {count}")
        return drawn

    return _request(Opcode.RANDOM, None, {"count": count}, result)


def who() -> Request[Rights]:
    """Who the caller is to the daemon, and what it may do now."""
    return _request(Opcode.WHO, None, None, _rights)


def audit_digest(field: DigestField, value: str | Bytes) -> Request[str]:
    """The digest that stands for a transaction id (32 bytes), a PAN (digits) or a subject of codes in the audit log, for ``kist audit show --digest``."""
    body = {"field": field, "value": value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value}
    return _request(Opcode.AUDIT_DIGEST, None, body, lambda reply, _: str(_one(reply, "digest"), "utf-8"))


# Payment tokens


def verify_payment_token(token: Token, *, application_data: Bytes = b"", key: Bytes | None = None) -> Request[int]:
    """Verifies a token as Apple requires, without opening it; returns its signing time in seconds since 1970.

    Apple signs key, data, transaction id and application data as one text, without their lengths: do not count or compare by
    the transaction id of a token that was only verified [OP-VERIFY-1].  Opening it proves that, too.

    Args:
        application_data: SHA-256 of the request's, 32 bytes, which the token's must equal.
        key: the key whose freshness window applies.
    """
    body = {"token": vars(token), "expected_application_data": application_data}
    return _request(Opcode.VERIFY_PAYMENT_TOKEN, key, body, lambda value, _: int(value.get("signing_time", 0)))


def open_payment_token(
    token: Token,
    *,
    fields: Iterable[ReleasedField] = (),
    required: Iterable[ReleasedField] = (),
    currency: str = "",
    amount: int | None = None,
    application_data: Bytes = b"",
    key: Bytes | None = None,
    retry: bool = False,
    retry_key: Bytes = b"",
) -> Request[OpenedToken]:
    """Verifies a token as Apple requires and opens it, once.

    With a retry key the very same call, by the same user, opens it again for as long as the merchant's `retry_window` lasts, so that a
    lost reply is not a lost payment [OP-OPEN-11].  Every error of such a call names the key as its `retry_key`.

    Args:
        fields: the wanted fields among those that policy allows; none asks for all of these.
        required: without any of these the token stays unopened, and `Rejected` names the field as its `released_field`.
        currency: ISO 4217 numeric, such as ``"840"``, which the token's must equal.
        amount: minor units, which the token's must equal.
        application_data: SHA-256 of the request's, 32 bytes, which the token's must equal.
        key: only if it is not the key that the token names.
        retry: send it once more where the reply is lost (`Disconnected`, `Timeout`), with a key made for it if none is given.
        retry_key: 16 random bytes, or what stands for this payment alone; used with no other.
    """
    body = {
        "token": vars(token), "release": tuple(fields), "expected_currency": currency, "expected_amount": amount,
        "expected_application_data": application_data, "required": tuple(required),
    }  # fmt: skip
    return _opening(Opcode.OPEN_PAYMENT_TOKEN, token.key if key is None else key, body, retry, retry_key)


def _opening(opcode: Opcode, key: Bytes, body: dict[str, Any], retry: bool, retry_key: Bytes) -> Request[OpenedToken]:
    """One that can be made again with its retry key, if it has one."""
    if retry and not retry_key:
        retry_key = secrets.token_bytes(16)
    request = _request(opcode, key, {**body, "retry_key": retry_key}, _opened)
    return replace(request, retry_key=bytes(retry_key) or None, is_repeated=retry)


# Passes and one-time values


def provision_pass(
    *,
    certificates: Sequence[Bytes],
    configuration: PassConfiguration,
    nonce: Bytes,
    nonce_signature: Bytes,
    scheme: EncryptionScheme = EncryptionScheme.EV_ECC_V2,
    primary_account_number: str | Bytes = "",
    expiration: str = "",
    name: str = "",
    primary_account_identifier: str = "",
    encrypted_primary_account_number: str = "",
    network_name: str = "",
    primary_account_number_prefix: str = "",
    product_type: str = "",
    account_envelope: Bytes = b"",
    envelope_context: Bytes = b"",
    visa: VisaInput | None = None,
    mastercard: MastercardInput | None = None,
    activation_data: Bytes = b"",
    account_surrogate: AccountSurrogate | None = None,
    network_key: Bytes = b"",
    key: Bytes | None = None,
) -> Request[ProvisionedPass]:
    """Seals a card for Apple Wallet.

    Args:
        certificates: one to three, DER, in any order.
        configuration: which members the pass's payment data has; the others stay empty.
        expiration: MM/YY.
        account_envelope: replaces the number: an envelope of `seal` with `envelope_context` as associated data.
        account_surrogate: replaces the number, too.
        network_key: the id of the network's key, for which the number and its expiration are encrypted, in configurations 3 and 4.
        visa, mastercard: the input of the activation data, which is made with `key`; or give `activation_data` itself.
    """
    body = {
        "scheme": scheme, "certificates": list(certificates), "configuration": configuration,
        "encrypted_primary_account_number": encrypted_primary_account_number, "expiration": expiration, "name": name,
        "network_name": network_name, "nonce": nonce, "nonce_signature": nonce_signature,
        "primary_account_identifier": primary_account_identifier, "primary_account_number": primary_account_number,
        "primary_account_number_prefix": primary_account_number_prefix, "product_type": product_type,
        "account_envelope": account_envelope, "envelope_context": envelope_context, "visa": _optional(visa),
        "mastercard": _optional(mastercard), "activation_data": activation_data,
        "account_surrogate": _optional(account_surrogate), "network_key": network_key,
    }  # fmt: skip
    return _request(
        Opcode.PROVISION_PASS, key, body,
        lambda value, sequence: ProvisionedPass(
            _plain(value, "encrypted_pass_data"), _plain(value, "ephemeral_public_key"), _plain(value, "activation_data"), sequence
        ),
    )  # fmt: skip


def provision_trace(recipient: Bytes, ephemeral_private_key: Bytes, pass_data: Bytes) -> Request[ProvisioningTrace]:
    """Every value of one encryption, for a test's ephemeral key of 32 bytes and a recipient of 65; only a sandbox answers."""
    body = {"recipient": recipient, "ephemeral_private_key": ephemeral_private_key, "pass_data": pass_data}
    return _request(
        Opcode.PROVISION_TRACE, None, body, lambda value, _: ProvisioningTrace(**_values("ProvisionTraceReply", value))
    )


def sign_otp(
    key: Bytes,
    *,
    subject: str = "",
    counter: int | None = None,
    visa: VisaInput | None = None,
    mastercard: MastercardInput | None = None,
    account_envelope: Bytes = b"",
    envelope_context: Bytes = b"",
    account_surrogate: AccountSurrogate | None = None,
) -> Request[OneTimeValue]:
    """A one-time value of the kind that the key's role makes: a network's value from its input, or a person's code.

    Args:
        subject: the person for whom a code is, up to 128 bytes; empty for the key's own codes.
        counter: the counter of a code by counter (HOTP); None for the next.
        account_envelope, account_surrogate: replace the number in the network's input: an envelope of `seal` with `envelope_context` as
            associated data, or a surrogate.
    """
    body = {
        "subject": subject, "counter": counter, "visa": _optional(visa), "mastercard": _optional(mastercard),
        "account_envelope": account_envelope, "envelope_context": envelope_context, "account_surrogate": _optional(account_surrogate),
    }  # fmt: skip
    return _request(
        Opcode.SIGN_OTP, key, body,
        lambda value, sequence: OneTimeValue(_secret(value, "otp"), value.get("counter"), sequence),
    )  # fmt: skip


def verify_otp(key: Bytes, code: str | Bytes, *, subject: str = "") -> Request[int]:
    """Checks a person's code, which is accepted once; returns its counter or time step. A wrong code raises `Rejected`."""
    return _request(
        Opcode.VERIFY_OTP, key, {"subject": subject, "code": code}, lambda value, _: int(value.get("counter", 0))
    )


def enrol_authenticator(key: Bytes, subject: str, *, retry_key: Bytes | None = None) -> Request[EnrolledAuthenticator]:
    """A new secret for a person's authenticator; the codes of the one before end.

    Args:
        retry_key: 16 random bytes of your own: with them the same call gives the same secret after a lost reply, until its first code.
    """
    body = {"subject": subject, "retry_key": secrets.token_bytes(16) if retry_key is None else retry_key}
    return _request(
        Opcode.ENROL_AUTHENTICATOR, key, body,
        lambda value, sequence: EnrolledAuthenticator(
            _secret(value, "secret"), int(value.get("number", 0)), _otp(_values("OtpParameters", value.get("otp", {}))), sequence
        ),
    )  # fmt: skip


# Primitives


def ecdh(key: Bytes, peer: Bytes) -> Request[Handle]:
    """Agrees on a secret with an uncompressed point or SubjectPublicKeyInfo; the secret stays in the daemon, for one `kdf`."""
    return _request(Opcode.ECDH, key, {"peer": peer}, _handle(key))


def shared_secret(key: Bytes, peer: Bytes) -> Request[Secret]:
    """The shared secret Z itself, 32 or 48 bytes, if policy releases it."""
    return _request(Opcode.ECDH, key, {"peer": peer, "release": True}, _released("shared_secret"))


def kdf(
    secret: Handle, derivation: Derivation, count: int, *, info: Bytes = b"", other_info: OtherInfo | None = None, salt: Bytes = b""
) -> Request[Handle]:
    """Derives a key of 16 to 256 bytes from a secret, which this uses up; the key stays in the daemon.

    Args:
        info: OtherInfo, SharedInfo or info as one, up to 1024 bytes; or `other_info` in parts.
        salt: for HKDF alone.
    """
    return _request(Opcode.KDF, secret.key, _kdf(secret, derivation, count, info, other_info, salt), _handle(secret.key))


def derived_key(
    secret: Handle, derivation: Derivation, count: int, *, info: Bytes = b"", other_info: OtherInfo | None = None, salt: Bytes = b""
) -> Request[Secret]:
    """The derived key itself, if policy releases it; otherwise like `kdf`."""
    body = _kdf(secret, derivation, count, info, other_info, salt) | {"release": True}
    return _request(Opcode.KDF, secret.key, body, _released("derived_key"))


def seal(key: Bytes | Handle, plaintext: Bytes, *, associated_data: Bytes = b"") -> Request[bytes]:
    """Seals up to 64 KiB with AES-256-GCM into an envelope that names its key.

    Args:
        associated_data: up to 4096 bytes, to be given again for `unseal`.
    """
    body = {"handle": _value(key), "plaintext": plaintext, "associated_data": associated_data}
    return _request(Opcode.SEAL, _id(key), body, lambda value, _: _plain(value, "sealed"))


def unseal(key: Bytes | Handle, sealed: Bytes, *, associated_data: Bytes = b"", iv: Bytes = b"") -> Request[Secret]:
    """Opens an envelope or, with an IV of 12 or 16 bytes, ciphertext and tag that others made."""
    body = {"handle": _value(key), "iv": iv, "sealed": sealed, "associated_data": associated_data}
    return _request(Opcode.UNSEAL, _id(key), body, lambda value, _: _secret(value, "plaintext"))


def sign(key: Bytes, scheme: SignatureScheme, message: Bytes, *, digested: bool = False) -> Request[bytes]:
    """Signs a message of up to 64 KiB, or with `digested` its digest."""
    body = {"scheme": scheme, "digested": digested, "message": message}
    return _request(Opcode.SIGN, key, body, lambda value, _: _plain(value, "signature"))


def verify(key: Bytes, scheme: SignatureScheme, message: Bytes, signature: Bytes, *, digested: bool = False) -> Request[None]:
    """Returns if the signature is the key's, and raises `Rejected` if not."""
    body = {"scheme": scheme, "digested": digested, "message": message, "signature": signature}
    return _request(Opcode.VERIFY, key, body, _nothing)


def mac(key: Bytes | Handle, message: Bytes, *, algorithm: MacAlgorithm | None = None, length: int = 0) -> Request[Secret]:
    """A message authentication code.

    Args:
        algorithm: with a handle, and only then.
        length: how many bytes of it, 8 at least; 0 for all.
    """
    body = {"handle": _value(key), "algorithm": algorithm, "length": length, "message": message}
    return _request(Opcode.MAC, _id(key), body, lambda value, _: _secret(value, "mac"))


def verify_mac(
    key: Bytes | Handle, message: Bytes, code: Bytes, *, algorithm: MacAlgorithm | None = None, length: int = 0
) -> Request[None]:
    """Returns if the code is right and has `length` bytes, and raises `Rejected` if not."""
    body = {"handle": _value(key), "algorithm": algorithm, "length": length, "message": message, "mac": code}
    return _request(Opcode.VERIFY_MAC, _id(key), body, _nothing)


def unwrap(key: Bytes, wrapped_key: Bytes) -> Request[Handle]:
    """Unwraps a secret that was wrapped with RSAES-OAEP and SHA-256; it stays in the daemon."""
    return _request(Opcode.UNWRAP, key, {"wrapped_key": wrapped_key}, _handle(key))


def release_handle(secret: Handle) -> Request[None]:
    """Has the daemon wipe a secret before its time is over."""
    return _request(Opcode.RELEASE_HANDLE, secret.key, {"handle": secret.value}, _nothing)


# In place of a PAN


def tokenise(key: Bytes, pan: str | Bytes, merchant_identifier: str) -> Request[str]:
    """The surrogate of a PAN: as many digits, the same last four, never a PAN itself, unless the merchant's are of another format."""
    body = {"pan": pan, "merchant_identifier": merchant_identifier}
    return _request(Opcode.TOKENISE, key, body, lambda value, _: str(_one(value, "surrogate"), "utf-8"))


def tokenise_envelope(key: Bytes, pan: str | Bytes, merchant_identifier: str, transaction_id: Bytes, lifetime: int) -> Request[bytes]:
    """An envelope with a PAN, bound to a transaction (32 bytes), for `lifetime` seconds, up to 366 days.

    It opens once if the merchant's envelopes do, and then lasts no longer than those.
    """
    body = {"pan": pan, "merchant_identifier": merchant_identifier, "transaction_id": transaction_id, "lifetime": lifetime}
    return _request(Opcode.TOKENISE, key, body, lambda value, _: bytes(_one(value, "envelope")))


def detokenise(key: Bytes, surrogate: str, merchant_identifier: str) -> Request[Secret]:
    """The PAN that a surrogate stands in for."""
    body = {"surrogate": surrogate, "merchant_identifier": merchant_identifier}
    return _request(Opcode.DETOKENISE, key, body, _released("pan"))


def open_envelope(
    key: Bytes,
    envelope: Bytes,
    merchant_identifier: str,
    transaction_id: Bytes,
    *,
    fields: Iterable[ReleasedField] = (),
    required: Iterable[ReleasedField] = (),
    retry: bool = False,
    retry_key: Bytes = b"",
) -> Request[OpenedToken]:
    """What is sealed in a payment envelope, as far as policy releases it.

    With a retry key the very same call opens it again, as in `open_payment_token`, also if it opens once [OP-ENV-7].

    Args:
        key: the key that sealed it.
        transaction_id: the 32 bytes for which it was sealed: of the token that was opened.
        fields: the wanted fields among those that policy allows; none asks for all of these.
        required: without any of these the envelope stays unopened, and `Rejected` names the field as its `released_field`.
        retry: send it once more where the reply is lost (`Disconnected`, `Timeout`), with a key made for it if none is given.
        retry_key: 16 random bytes, or what stands for this opening alone; used with no other.
    """
    body = {
        "envelope": envelope, "merchant_identifier": merchant_identifier, "transaction_id": transaction_id, "release": tuple(fields),
        "required": tuple(required),
    }  # fmt: skip
    return _opening(Opcode.OPEN_ENVELOPE, key, body, retry, retry_key)


# For operators, on their own socket


def status() -> Request[StatusReport]:
    """The daemon's status; works in every state."""
    return _request(Opcode.STATUS, None, None, lambda value, _: StatusReport(**_values("StatusReport", value)))


def unlock(passphrase: Bytes) -> Request[None]:
    """Opens the key store with a passphrase of 1 to 1024 bytes."""
    return _request(Opcode.UNLOCK, None, {"passphrase": passphrase}, _nothing)


def lock() -> Request[None]:
    """Ends serving and wipes the keys."""
    return _request(Opcode.LOCK, None, None, _nothing)


def import_key(
    label: str,
    role: str,
    private_key: Bytes,
    *,
    certificate: Bytes = b"",
    merchant_identifier: str = "",
    activate: bool = True,
    not_after: int = 0,
    otp: OtpParameters | None = None,
    exportable: bool = False,
) -> Request[Key]:
    """Imports a key into the key store: RFC 5915, PKCS#1 or RFC 8410 DER, or the bytes of a symmetric key."""
    body = {
        "label": label, "role": role, "private_key": private_key, "certificate": certificate, "merchant_identifier": merchant_identifier,
        "activate": activate, "not_after": not_after, "otp": _optional(otp), "exportable": exportable,
    }  # fmt: skip
    return _request(Opcode.IMPORT_KEY, None, body, lambda value, _: _key(value))


class Methods:
    """Every operation as a method: of `Client` it waits for its result, of `AsyncClient` it is a coroutine."""

    ping = Method(ping)
    ready = Method(ready)
    describe = Method(describe)
    list_keys = Method(list_keys)
    describe_key = Method(describe_key)
    random = Method(random)
    who = Method(who)
    audit_digest = Method(audit_digest)
    verify_payment_token = Method(verify_payment_token)
    open_payment_token = Method(open_payment_token)
    provision_pass = Method(provision_pass)
    provision_trace = Method(provision_trace)
    sign_otp = Method(sign_otp)
    verify_otp = Method(verify_otp)
    enrol_authenticator = Method(enrol_authenticator)
    ecdh = Method(ecdh)
    shared_secret = Method(shared_secret)
    kdf = Method(kdf)
    derived_key = Method(derived_key)
    seal = Method(seal)
    unseal = Method(unseal)
    sign = Method(sign)
    verify = Method(verify)
    mac = Method(mac)
    verify_mac = Method(verify_mac)
    unwrap = Method(unwrap)
    release_handle = Method(release_handle)
    tokenise = Method(tokenise)
    tokenise_envelope = Method(tokenise_envelope)
    detokenise = Method(detokenise)
    open_envelope = Method(open_envelope)
    status = Method(status)
    unlock = Method(unlock)
    lock = Method(lock)
    import_key = Method(import_key)


# How requests are made and replies are read


def _request(
    opcode: Opcode, key: Bytes | None, body: Mapping[str, Any] | None, result: Callable[[Value, int | None], R]
) -> Request[R]:
    key_id = NO_KEY if key is None else bytes(flat("key", key))
    if len(key_id) != len(NO_KEY):
        raise RequestError(f"a key id has {len(NO_KEY)} bytes, not {len(key_id)}")
    name, reply = OPERATIONS[opcode]
    try:
        parts = [] if name is None else encode(name, body or {})
    except Flaw as flaw:
        raise RequestError(f"{name}: {flaw.text}") from None
    return Request(opcode, parts, reply, result, key_id)


def _nothing(value: Value, sequence: int | None) -> None:
    return None


def _optional(part: VisaInput | MastercardInput | AccountSurrogate | OtherInfo | OtpParameters | None) -> dict[str, Any] | None:
    return None if part is None else vars(part)


def _id(key: Bytes | Handle) -> Bytes:
    return key.key if isinstance(key, Handle) else key


def _value(key: Bytes | Handle) -> bytes:
    return key.value if isinstance(key, Handle) else b""


def _plain(value: Value, name: str) -> bytes:
    return bytes(value.get(name, b""))


def _secret(value: Value, name: str) -> Secret:
    return Secret(value.get(name, b""))


def _one(value: Value, name: str) -> memoryview:
    """The one of two fields that was requested."""
    part = value.get(name)
    if not isinstance(part, memoryview):
        raise ReplyError(f"the reply has no {name}")
    return part


def _released(name: str) -> Callable[[Value, int | None], Secret]:
    return lambda value, _: Secret(_one(value, name))


def _handle(key: Bytes) -> Callable[[Value, int | None], Handle]:
    return lambda value, _: Handle(bytes(_one(value, "handle")), bytes(key))


def _values(name: str, value: Value) -> dict[str, Any]:
    """Text decoded, bytes copied, for messages without secrets."""
    return {field.name: _public(field, value[field.name]) for field in MESSAGES[name].fields if field.name in value}


def _public(field: Field, item: Any) -> Any:
    if field.presence is Presence.REPEATED:
        return [_values(field.message, element) if field.kind is Kind.MESSAGE else str(element, "utf-8") for element in item]
    if field.kind is Kind.MESSAGE:
        return _values(field.message, item)
    if field.kind is Kind.TEXT:
        return str(item, "utf-8")
    return bytes(item) if field.kind is Kind.BYTES else item


def _key(value: Value) -> Key:
    members = _values("KeyDescription", value)
    return Key(otp=_otp(members.pop("otp", {})), **members)


def _otp(members: dict[str, Any]) -> OtpParameters:
    kind = OtpHash(members.pop("hash")) if "hash" in members else None
    return OtpParameters(hash=kind, **members)


def _page(value: Value, sequence: int | None) -> KeyPage:
    return KeyPage(tuple(map(_key, value.get("keys", ()))), value.get("more", False))


def _description(value: Value, sequence: int | None) -> Description:
    members = _values("DescribeReply", value)
    operations = tuple(Operation(**operation) for operation in members.pop("operations", ()))
    return Description(operations=operations, **members)


def _right(members: dict[str, Any]) -> Right:
    lists: dict[str, Any] = {name: tuple(members.pop(name, ())) for name in ("operations", "keys", "released", "hours")}
    return Right(**lists, **members)


def _rights(value: Value, sequence: int | None) -> Rights:
    members = _values("WhoReply", value)
    return Rights(rights=tuple(map(_right, members.pop("rights", ()))), **members)


def _opened(value: Value, sequence: int | None) -> OpenedToken:
    fields: dict[str, Any] = {"signing_time": value.get("signing_time", 0), "audit_sequence": sequence, "amount": value.get("amount")}
    for name, item in value.items():
        if name in _SECRET_FIELDS:
            fields[name] = Secret(item)
        elif name == "envelope":
            fields[name] = bytes(item)
        elif isinstance(item, memoryview):
            fields[name] = str(item, "utf-8")
    return OpenedToken(**fields)


def _kdf(
    secret: Handle, derivation: Derivation, count: int, info: Bytes, other_info: OtherInfo | None, salt: Bytes
) -> dict[str, Any]:
    return {
        "handle": secret.value, "derivation": derivation, "count": count, "info": info, "other_info": _optional(other_info), "salt": salt,
    }  # fmt: skip
