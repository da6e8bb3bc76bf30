"""Apple's JSON in every wrapping, text that is no token, and secrets."""

from __future__ import annotations

import base64
import json
import pathlib
import re
from typing import Any

import kist
import pytest
from kist import Token, TokenError
from kist.token import _unwrapped


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
        json.dumps({"paymentData": None}), '{"paymentData":' * 8 + json.dumps(EC) + "}" * 8,
        "[" * 100000, "x" * 600000, json.dumps(EC | {"header": HEADER | {"transactionId": "ab" * 31}}),
        json.dumps(EC | {"header": HEADER | {"publicKeyHash": b64(b"h" * 33)}}), json.dumps(EC | {"data": b64(b"d" * 65537)}),
        json.dumps(EC | {"signature": b64(b"s" * 16385)}), json.dumps(EC | {"header": HEADER | {"applicationData": "ab"}}),
        json.dumps(EC | {"header": HEADER | {"ephemeralPublicKey": b64(b"k" * 1025)}}),
    ],
    ids=range(31),
)  # fmt: skip
def test_refused(text: Any) -> None:
    with pytest.raises(TokenError):
        Token.from_apple(text)


def test_a_size_that_is_none() -> None:  # [WIRE-12]
    with pytest.raises(TokenError, match="transaction_id has 31 bytes"):
        Token.from_apple(EC | {"header": HEADER | {"transactionId": "ab" * 31}})


TABLE = [
    line.split(" | ", 2)
    for line in (pathlib.Path(__file__).resolve().parents[3] / "proto/vectors/payment-token-json.table").read_text().splitlines()
    if line and line[0] != "#"
]
SAID = {
    "not-json": "neither JSON nor base64 of JSON", "not-token": "JSON, but no token|no token within so many objects",
    "unknown-version": "neither EC_v1 nor RSA_v1", "simulator": "a token of Apple's simulator: nothing can open it",
}  # fmt: skip


@pytest.mark.parametrize("outcome, text", [(outcome, text) for outcome, _, text in TABLE], ids=[name for _, name, _ in TABLE])
def test_the_table_of_all_clients(outcome: str, text: str) -> None:
    octets = bytes.fromhex(text.removeprefix("hex:")) if text.startswith("hex:") else text.encode()
    if outcome == "ok":
        assert _unwrapped(octets, 8) == Token(kist.TokenVersion.EC_V1, b"\0\1\2\xff", b"\x30\x80", b"\xab\xcd", b"\0\xff", b"\x30\x59")
        return
    with pytest.raises(TokenError) as error:
        Token.from_apple(octets)
    kind, _, member = outcome.partition(" ")
    expected = {"missing": f"the token has no {member}", "malformed": f"{member} is not (base64|hexadecimal|text|an object)", "empty": f"{member} is empty"} | SAID
    assert re.fullmatch(expected[kind], str(error.value))


def test_the_whole_table() -> None:
    assert len(TABLE) == 121 and len({name for _, name, _ in TABLE}) == 121
    kinds = {outcome.partition(" ")[0] for outcome, _, _ in TABLE}
    assert kinds == {"ok", "missing", "malformed", "empty", *SAID}


@pytest.mark.parametrize("text", ["\ud800", '{"version":"\ud800"}'])
def test_a_str_that_is_no_unicode(text: str) -> None:
    with pytest.raises(TokenError):
        Token.from_apple(text)
