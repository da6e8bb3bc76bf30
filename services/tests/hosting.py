"""Hosts of a fleet that sign by themselves, without a daemon."""

from __future__ import annotations

import base64
import json
import pathlib
from collections.abc import Sequence

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from kist_services.carried import Carried, Sign


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signer(key: ec.EllipticCurvePrivateKey) -> Sign:
    async def sign(claims: dict[str, object]) -> str:
        signed = f"{_text(b'{}')}.{_text(json.dumps(claims).encode())}"
        r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{signed}.{_text(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"

    return sign


def fleet(directory: pathlib.Path, hosts: Sequence[str] = "abc") -> list[Carried]:
    keys = {host: ec.generate_private_key(ec.SECP256R1()) for host in hosts}
    public = {host: key.public_key() for host, key in keys.items()}
    return [Carried(str(directory), host, public, signer(key)) for host, key in keys.items()]
