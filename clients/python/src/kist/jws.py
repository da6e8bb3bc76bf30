"""JWS in compact serialisation (RFC 7515 §7.1), signed by the daemon: what a partner asks for, and no more of JOSE.

The algorithm follows from the signature's scheme, so there is no `none`; a header has no members but those of `HEADER_MEMBERS`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping

from .enums import SignatureScheme

#: `alg` by scheme. ECDSA signatures are r ‖ s (RFC 7518 §3.4).
ALGORITHMS: Mapping[SignatureScheme, str] = {
    SignatureScheme.ECDSA_P256_SHA256_FIXED: "ES256",
    SignatureScheme.ECDSA_P384_SHA384_FIXED: "ES384",
    SignatureScheme.RSA_PKCS1_SHA256: "RS256",
    SignatureScheme.RSA_PSS_SHA256: "PS256",
    SignatureScheme.ED25519: "EdDSA",
}
HEADER_MEMBERS = frozenset({"kid", "typ", "cty", "iat", "exp", "nbf", "iss", "aud"})


def signing_input(scheme: SignatureScheme, payload: bytes, header: Mapping[str, str | int] | None = None) -> bytes:
    """What `sign` signs: header and payload.

    Raises:
        ValueError: for a scheme that JWS has no name for, or a member of the header that may not be there.
    """
    if scheme not in ALGORITHMS:
        raise ValueError(f"a JWS has no signature by {scheme!r}")
    members = dict(header or {})
    if unknown := sorted(members.keys() - HEADER_MEMBERS):
        raise ValueError(f"a JWS's header has no {', '.join(unknown)} here")
    text = json.dumps({"alg": ALGORITHMS[scheme], **members}, separators=(",", ":"), ensure_ascii=False)
    return _encoded(text.encode()) + b"." + _encoded(payload)


def compact(signed: bytes, signature: bytes) -> str:
    """The JWS of a signing input and its signature."""
    return (signed + b"." + _encoded(signature)).decode("ascii")


def _encoded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")
