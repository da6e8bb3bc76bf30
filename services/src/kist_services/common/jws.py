"""JSON Web Signatures (RFC 7515, compact) by ES256 (RFC 7518 section 3.4), made by keys of the daemon's."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import kist
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import load_der_public_key
from kist import jws

_HALF = 32


async def sign(client: kist.AsyncClient, key: bytes, claims: Mapping[str, object], name: str = "") -> str:
    """By a key of role `signing-ecdsa` on P-256, which `kid` names by its id, or as `name` says."""
    scheme = kist.SignatureScheme.ECDSA_P256_SHA256_FIXED
    signed = jws.signing_input(scheme, json.dumps(claims).encode(), {"kid": name or key.hex(), "typ": "JWT"})
    return jws.compact(signed, await client.sign(key, scheme, signed))


def claims_of(text: str, key: ec.EllipticCurvePublicKey) -> dict[str, Any]:
    """What one says. No algorithm but ES256 is tried, whatever its header has.

    Raises:
        ValueError: it is not by this key.
    """
    signed, _, mark = text.rpartition(".")
    signature = _decoded(mark)
    if len(signature) != 2 * _HALF:
        raise ValueError("a signature by ES256 has 64 bytes")
    r, s = (int.from_bytes(half, "big") for half in (signature[:_HALF], signature[_HALF:]))
    try:
        key.verify(encode_dss_signature(r, s), signed.encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise ValueError("the signature is of another key") from None
    claims = json.loads(_decoded(signed.partition(".")[2]))
    if not isinstance(claims, dict):
        raise ValueError("claims are an object")
    return claims


def public_key(text: str) -> ec.EllipticCurvePublicKey:
    """A key on P-256, of base64 of its DER, as `kist key show --json` has it in `spki`.

    Raises:
        ValueError
    """
    key = load_der_public_key(base64.b64decode(text, validate=True))
    if not isinstance(key, ec.EllipticCurvePublicKey) or key.curve.name != "secp256r1":
        raise ValueError("it is not on P-256")
    return key


def _decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
