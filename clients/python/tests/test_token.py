"""Apple's JSON in every wrapping, text that is no token, and secrets."""

from __future__ import annotations

import base64
import copy
import json
import pickle
from typing import Any

import kist
import pytest
from kist import Secret, Token, TokenError


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


HEADER = {"ephemeralPublicKey": b64(b"k" * 91), "publicKeyHash": b64(b"h" * 32), "transactionId": "ab" * 32}
EC = {"version": "EC_v1", "data": b64(b"d" * 40), "signature": b64(b"s" * 50), "header": HEADER}
RSA = EC | {"version": "RSA_v1", "header": {"wrappedKey": b64(b"w" * 256)} | {n: HEADER[n] for n in ("publicKeyHash", "transactionId")}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(EC), json.dumps(EC).encode(), EC, f" {json.dumps(EC)}\n", json.dumps({"paymentData": EC}),
        json.dumps({"token": {"paymentData": EC}}), b64(json.dumps(EC).encode()), json.dumps({"paymentData": b64(json.dumps(EC).encode())}),
        json.dumps(EC | {"header": HEADER | {"applicationData": None}}),
    ],
)  # fmt: skip
def test_taken(text: Any) -> None:
    token = Token.from_apple(text)
    assert token == Token(kist.TokenVersion.EC_V1, b"d" * 40, b"s" * 50, b"h" * 32, b"\xab" * 32, b"k" * 91)
    assert token.key == b"h" * 16


def test_taken_rsa() -> None:
    token = Token.from_apple(RSA | {"header": RSA["header"] | {"applicationData": "cd" * 32}})  # type: ignore[operator]
    assert (token.wrapped_key, token.ephemeral_public_key, token.application_data) == (b"w" * 256, b"", b"\xcd" * 32)


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in EC.items() if key != name}


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "{", "null", "[]", "1", '"', "{}", b"\xff", "not base64!", json.dumps(without("version")), json.dumps(without("data")),
        json.dumps(without("header")), json.dumps(EC | {"version": "EC_v2"}), json.dumps(EC | {"data": ""}), json.dumps(EC | {"data": "%"}),
        json.dumps(EC | {"data": 1}), json.dumps(EC | {"header": {}}), json.dumps(EC | {"header": []}),
        json.dumps(EC | {"header": HEADER | {"transactionId": "abc"}}), json.dumps(EC | {"header": HEADER | {"transactionId": 1}}),
        json.dumps({"paymentData": None}), json.dumps({"paymentData": {"paymentData": {"paymentData": {"paymentData": EC}}}}),
        "[" * 100000, "x" * 600000,
    ],
    ids=range(25),
)  # fmt: skip
def test_refused(text: Any) -> None:
    with pytest.raises(TokenError):
        Token.from_apple(text)


def test_secrets() -> None:
    secret = Secret(b"4109370251004320")
    assert secret.text() == "4109370251004320" and "4109" not in repr(secret) + str(secret) + f"{secret}"
    for leak in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            leak(secret)
    with secret:
        pass
    assert bytes(secret) == bytes(16)
    view = memoryview(other := Secret(b"secret"))
    other.__del__()
    assert view == bytes(6)
