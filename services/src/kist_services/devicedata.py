"""CardPointe's `devicedata`: the parts of Apple's token in one string, and the numbers of CardSecure's errors."""

from __future__ import annotations

import binascii
from dataclasses import dataclass

import kist

from .common import base64

#: Of CardSecure's table of errors, those that this service can answer.
ERRORS = {
    13: "data is too long", 14: "data is empty", 16: "unknown algorithm", 19: "base64 decode failure", 20: "crypto data is the wrong length",
    24: "decryption failure", 38: "illegal characters", 74: "missing required parameter", 75: "invalid elliptic curve type parameter",
    77: "JSON deserialization error",
}  # fmt: skip
_NAMES = ("ectype", "ecsig", "eckey", "ectid", "echash", "ecpublickeyhash")


@dataclass
class CardSecureError(Exception):
    code: int


def parse(devicedata: str, own_hash: bytes) -> kist.Token:
    """The token of ``<data>&ectype=apple&ecsig=…&eckey=…&ectid=…[&echash=…&ecpublickeyhash=…]``.

    The data comes first and has no name; the others follow in any order.  Nothing is URL-encoded: ``+``, ``/`` and ``=`` stand as they are.

    Args:
        own_hash: stands in for `ecpublickeyhash`, which version 1.0 of Apple Pay does not have.

    Raises:
        CardSecureError
    """
    data, *items = devicedata.split("&")
    if not data or data.partition("=")[0] in _NAMES:
        raise CardSecureError(14)
    found: dict[str, str] = {}
    for item in items:
        name, separator, value = item.partition("=")
        if name not in _NAMES or name in found or not separator:
            raise CardSecureError(38)
        found[name] = value
    if found.get("ectype") != "apple":
        raise CardSecureError(74 if "ectype" not in found else 75)
    needed = {"ecsig", "eckey", "ectid"} | ({"echash"} if "ecpublickeyhash" in found else set())
    if not needed <= set(found):
        raise CardSecureError(74)
    return kist.Token(
        kist.TokenVersion.EC_V1,
        data=_octets(data),
        signature=_octets(found["ecsig"]),
        public_key_hash=_sized(_octets(found["ecpublickeyhash"])) if "ecpublickeyhash" in found else own_hash,
        transaction_id=_sized(_hexadecimal(found["ectid"])),
        ephemeral_public_key=_octets(found["eckey"]),
        application_data=_sized(_hexadecimal(found["echash"])) if found.get("echash") else b"",
    )


def _octets(text: str) -> bytes:
    try:
        value = base64.decode(text)
    except ValueError:
        raise CardSecureError(19) from None
    if not value:
        raise CardSecureError(19)
    return value


def _hexadecimal(text: str) -> bytes:
    try:
        return binascii.unhexlify(text)
    except ValueError:
        raise CardSecureError(38) from None


def _sized(value: bytes) -> bytes:
    """Transaction id and hashes have 32 bytes."""
    if len(value) != 32:
        raise CardSecureError(20)
    return value
