"""An Apple Pay payment token, unpacked from the JSON that Apple's frameworks give an app or a page."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._codec import Flaw, encode
from ._json import parse
from .enums import TokenVersion
from .errors import KistError

#: How many objects and base64 texts may be nested around the token itself.
_WRAPPINGS = 8
_TEXT_MOST = 512 * 1024
_NEITHER = "neither JSON nor base64 of JSON"
_SIMULATOR = "a token of Apple's simulator: nothing can open it"


class TokenError(KistError, ValueError):
    """The text is not a payment token; nothing was sent."""


@dataclass(frozen=True)
class Token:
    """A payment token, unpacked and not yet verified.

    Attributes:
        data: ciphertext and 16-byte tag, up to 64 KiB.
        signature: CMS SignedData, up to 16 KiB.
        public_key_hash: 32 bytes; names the merchant's key.
        transaction_id: 32 bytes.
        ephemeral_public_key: EC_v1: SubjectPublicKeyInfo, 91 bytes.
        wrapped_key: RSA_v1: as long as the modulus.
        application_data: 32 bytes, or empty.
    """

    version: TokenVersion
    data: bytes
    signature: bytes
    public_key_hash: bytes
    transaction_id: bytes
    ephemeral_public_key: bytes = b""
    wrapped_key: bytes = b""
    application_data: bytes = b""

    @property
    def key(self) -> bytes:
        """The id of the key that the token is for, 16 bytes."""
        return self.public_key_hash[:16]

    @staticmethod
    def from_apple(text: str | bytes | Mapping[str, Any]) -> Token:
        """Unpacks the JSON of `paymentData`, also within what PassKit, Apple Pay JS or W3C's Payment Request puts around it, or base64.

        Raises:
            TokenError: it is none of these, or of Apple's simulator, whose tokens are empty, or a part has a size that no token's has.
        """
        token = _unwrapped(text, _WRAPPINGS)
        try:
            encode("PaymentToken", vars(token))
        except Flaw as flaw:
            raise TokenError(flaw.text) from None
        return token


def _unwrapped(value: object, wrappings: int) -> Token:
    if wrappings == 0:
        raise TokenError("no token within so many objects")
    if isinstance(value, (str, bytes)):
        inner = _parsed(value)
        return _unwrapped(inner, wrappings if isinstance(inner, Mapping) else wrappings - 1)
    if not isinstance(value, Mapping):
        raise TokenError("JSON, but no token" if value is not None else _SIMULATOR)
    for name in ("paymentData", "token", "details", "payment"):
        if name in value:
            return _unwrapped(value[name], wrappings - 1)
    return _token(value)


def _parsed(text: str | bytes) -> object:
    """JSON, or base64 of more."""
    try:
        octets = text.encode("utf-8") if isinstance(text, str) else text
        text = octets.decode("utf-8")
    except UnicodeError:
        raise TokenError(_NEITHER) from None
    if len(octets) > _TEXT_MOST:
        raise TokenError(f"more than {_TEXT_MOST} bytes")
    text = text.strip(" \t\r\n")
    if not text:
        raise TokenError(_SIMULATOR)
    try:
        return parse(text) if text[0] in '{"' else _decoded(text)
    except ValueError:
        raise TokenError(_NEITHER) from None


def _token(members: Mapping[str, Any]) -> Token:
    if not members:
        raise TokenError(_SIMULATOR)
    versions = {"EC_v1": TokenVersion.EC_V1, "RSA_v1": TokenVersion.RSA_V1}
    version = versions.get(_text(members, "version"))
    if version is None:
        raise TokenError("neither EC_v1 nor RSA_v1")
    data, signature = _base64(members, "data"), _base64(members, "signature")
    for name, value in (("data", data), ("signature", signature)):
        if not value:
            raise TokenError(f"{name} is empty" if data or signature else _SIMULATOR)
    header = _header(members)
    is_ec = version is TokenVersion.EC_V1
    return Token(
        version,
        data,
        signature,
        public_key_hash=_base64(header, "publicKeyHash"),
        transaction_id=_hex(header, "transactionId"),
        # Serialisers of optional fields write null where Apple writes nothing.
        application_data=b"" if header.get("applicationData") is None else _hex(header, "applicationData"),
        ephemeral_public_key=_base64(header, "ephemeralPublicKey") if is_ec else b"",
        wrapped_key=b"" if is_ec else _base64(header, "wrappedKey"),
    )


def _member(members: Mapping[str, Any], name: str) -> object:
    if name not in members:
        raise TokenError(f"the token has no {name}")
    return members[name]


def _header(members: Mapping[str, Any]) -> Mapping[str, Any]:
    header = _member(members, "header")
    if not isinstance(header, Mapping):
        raise TokenError("header is not an object")
    return header


def _text(members: Mapping[str, Any], name: str) -> str:
    text = _member(members, name)
    if not isinstance(text, str):
        raise TokenError(f"{name} is not text")
    return text


def _base64(members: Mapping[str, Any], name: str) -> bytes:
    text = _text(members, name)
    try:
        return _decoded(text)
    except ValueError:
        raise TokenError(f"{name} is not base64") from None


def _decoded(text: str) -> bytes:
    """Base64 with its padding, and zeros in the unused bits, so that no two texts mean the same bytes."""
    octets = base64.b64decode(text, validate=True)
    if base64.b64encode(octets).decode() != text:
        raise ValueError("not canonical")
    return octets


def _hex(members: Mapping[str, Any], name: str) -> bytes:
    text = _text(members, name)
    try:
        return binascii.unhexlify(text)
    except ValueError:
        raise TokenError(f"{name} is not hexadecimal") from None
