"""An Apple Pay payment token, taken out of the JSON that Apple's frameworks hand to an app or a page."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .enums import TokenVersion
from .errors import KistError

#: Objects and base64 texts that may be around the token itself.
_WRAPPINGS = 4
_TEXT_MOST = 512 * 1024


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
        """Takes the JSON of `paymentData`, Apple Pay JS's payment, token or `paymentData` around it, or base64 of any.

        Raises:
            TokenError: it is none of these, or of Apple's simulator, whose tokens are empty.
        """
        return _unwrapped(text, _WRAPPINGS)


def _unwrapped(value: object, wrappings: int) -> Token:
    if wrappings == 0:
        raise TokenError("no token within so many objects")
    if isinstance(value, (str, bytes)):
        inner = _parsed(value)
        return _unwrapped(inner, wrappings if isinstance(inner, Mapping) else wrappings - 1)
    if not isinstance(value, Mapping):
        raise TokenError("JSON, but no token" if value is not None else "a token of Apple's simulator: nothing can open it")
    for name in ("paymentData", "token"):
        if name in value:
            return _unwrapped(value[name], wrappings - 1)
    return _token(value)


def _parsed(text: str | bytes) -> object:
    """JSON, or base64 of more."""
    if len(text) > _TEXT_MOST:
        raise TokenError(f"more than {_TEXT_MOST} bytes")
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
    except UnicodeDecodeError:
        raise TokenError("neither JSON nor base64 of JSON") from None
    text = text.strip(" \t\r\n")
    if not text:
        raise TokenError("a token of Apple's simulator: nothing can open it")
    try:
        if text[0] not in '{"':
            return base64.b64decode(text, validate=True)
        return json.loads(text)
    except (ValueError, RecursionError):
        raise TokenError("neither JSON nor base64 of JSON") from None


def _token(members: Mapping[str, Any]) -> Token:
    header = members.get("header")
    if not members or header == {} or members.get("data") == "" or members.get("signature") == "":
        raise TokenError("a token of Apple's simulator: nothing can open it")
    if not isinstance(header, Mapping):
        raise TokenError("the token has no header")
    versions = {"EC_v1": TokenVersion.EC_V1, "RSA_v1": TokenVersion.RSA_V1}
    version = versions.get(_text(members, "version"))
    if version is None:
        raise TokenError("neither EC_v1 nor RSA_v1")
    is_ec = version is TokenVersion.EC_V1
    return Token(
        version,
        data=_base64(members, "data"),
        signature=_base64(members, "signature"),
        public_key_hash=_base64(header, "publicKeyHash"),
        transaction_id=_hex(header, "transactionId"),
        ephemeral_public_key=_base64(header, "ephemeralPublicKey") if is_ec else b"",
        wrapped_key=b"" if is_ec else _base64(header, "wrappedKey"),
        # Serialisers of optional fields write null where Apple writes nothing.
        application_data=b"" if header.get("applicationData") is None else _hex(header, "applicationData"),
    )


def _text(members: Mapping[str, Any], name: str) -> str:
    text = members.get(name)
    if not isinstance(text, str):
        raise TokenError(f"the token has no {name}")
    return text


def _base64(members: Mapping[str, Any], name: str) -> bytes:
    try:
        return base64.b64decode(_text(members, name), validate=True)
    except ValueError:
        raise TokenError(f"{name} is not base64") from None


def _hex(members: Mapping[str, Any], name: str) -> bytes:
    try:
        return binascii.unhexlify(_text(members, name))
    except ValueError:
        raise TokenError(f"{name} is not hexadecimal") from None
