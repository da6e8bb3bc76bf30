"""JWS over `sign`, verified by a library that shares no code with it."""

from __future__ import annotations

import base64
import json

import kist
import pytest
from cryptography.hazmat.primitives import serialization as ser
from joserfc import jws as joserfc_jws
from joserfc.jwk import ECKey
from kist import jws
from stage import Stage

SCHEME = kist.SignatureScheme.ECDSA_P256_SHA256_FIXED


def test_a_jws_is_verified_by_another_library(staged: Stage) -> None:
    key = staged.keys["signing"]
    signed = jws.signing_input(SCHEME, b'{"a":1}', {"kid": "issuer-1", "typ": "JWT", "iat": 1750000000})
    with kist.Client(staged.sandbox.endpoint) as client:
        text = jws.compact(signed, client.sign(key, SCHEME, signed))
        public = ser.load_der_public_key(client.describe_key(key).public_key)
    pem = public.public_bytes(ser.Encoding.PEM, ser.PublicFormat.SubjectPublicKeyInfo)
    registry = joserfc_jws.JWSRegistry(algorithms=["ES256"], strict_check_header=False)
    opened = joserfc_jws.deserialize_compact(text, ECKey.import_key(pem), registry=registry)
    assert opened.payload == b'{"a":1}'
    assert opened.protected == {"alg": "ES256", "kid": "issuer-1", "typ": "JWT", "iat": 1750000000}


@pytest.mark.parametrize("name", ["alg", "jwk", "jku", "x5u", "x5c", "crit", "b64", "none", "KID"])
def test_no_other_member_is_taken(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        jws.signing_input(SCHEME, b"", {name: "none"})


@pytest.mark.parametrize("scheme", [scheme for scheme in kist.SignatureScheme if scheme not in jws.ALGORITHMS])
def test_no_other_scheme_is_taken(scheme: kist.SignatureScheme) -> None:
    with pytest.raises(ValueError):
        jws.signing_input(scheme, b"")


def test_the_algorithm_is_the_schemes() -> None:
    for scheme, name in jws.ALGORITHMS.items():
        header = jws.signing_input(scheme, b"").split(b".")[0]
        assert json.loads(base64.urlsafe_b64decode(header + b"=" * (-len(header) % 4))) == {"alg": name}
    assert "none" not in jws.ALGORITHMS.values()
