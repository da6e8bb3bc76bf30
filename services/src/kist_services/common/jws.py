"""A JSON Web Signature (RFC 7515, compact) by a key of the daemon's."""

from __future__ import annotations

import json
from collections.abc import Mapping

import kist
from kist import jws


async def sign(client: kist.AsyncClient, key: bytes, claims: Mapping[str, object], name: str = "") -> str:
    """ES256 (RFC 7518 section 3.4) by a key of role `signing-ecdsa` on P-256, which `kid` names by its id, or as `name` says."""
    scheme = kist.SignatureScheme.ECDSA_P256_SHA256_FIXED
    signed = jws.signing_input(scheme, json.dumps(claims).encode(), {"kid": name or key.hex(), "typ": "JWT"})
    return jws.compact(signed, await client.sign(key, scheme, signed))
