"""A JSON Web Signature (RFC 7515, compact) by a key of the daemon's."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping

import kist


async def sign(client: kist.AsyncClient, key: bytes, claims: Mapping[str, object]) -> str:
    """ES256 (RFC 7518 section 3.4) by a key of role `signing-ecdsa` on P-256, which `kid` names by its id."""
    header = {"alg": "ES256", "kid": key.hex(), "typ": "JWT"}
    text = f"{_encoded(json.dumps(header).encode())}.{_encoded(json.dumps(claims).encode())}"
    signature = await client.sign(key, kist.SignatureScheme.ECDSA_P256_SHA256_FIXED, text.encode())
    return f"{text}.{_encoded(signature)}"


def _encoded(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).decode().rstrip("=")
