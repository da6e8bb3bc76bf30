"""Tokens in Apple's JSON, and the granted fields of them."""

from __future__ import annotations

import base64
import dataclasses
import json
import pathlib
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import jsonschema_rs
import kist
import pytest
from kist.testing import Sandbox
from kist_services.common.settings import SettingsError
from kist_services.shapes import SHAPES
from kist_services.tokens import FIELDS, PATH, TokensSettings, payment
from running import API_KEY, API_KEY_DIGEST, PROGRAM, SERVICES, Service, api_keys, client, policy, refusal, serving

PAN, CRYPTOGRAM = "4109370251004320", "Af9x/QwAA/DjmU65oyc1MAABAAA="
KEY = "payment-0001-a7f3c1"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Sandbox(program=PROGRAM, policy=policy("tokens")) as sandbox:
        with serving("tokens", sandbox, api_keys(), tmp_path_factory.mktemp("service")) as service:
            yield service
            service.assert_unsaid(PAN, CRYPTOGRAM, "a key of the tests", KEY)


def post(service: Service, body: object, key: str | None = None) -> httpx.Response:
    headers = {"content-type": "application/json"} | ({} if key is None else {"idempotency-key": key})
    content = body if isinstance(body, (str, bytes)) else json.dumps(body)
    return service.http.post(PATH, content=content, headers=headers)


def minted(service: Service) -> dict[str, object]:
    """A fresh token as PassKit gives it."""
    token: dict[str, object] = json.loads(service.sandbox.token_json(pan=PAN, amount=1499))
    return token


def payment_data(token: dict[str, object]) -> dict[str, object]:
    while "paymentData" in token or "token" in token:
        token = token["paymentData" if "paymentData" in token else "token"]  # type: ignore[assignment]
    return token


WRAPPINGS: dict[str, Callable[[object], object]] = {
    "paymentData alone": lambda data: data,
    "PKPaymentToken": lambda data: {"paymentData": data, "paymentMethod": {"network": "Visa"}, "transactionIdentifier": "00"},
    "Apple Pay JS": lambda data: {"token": {"paymentData": data}, "billingContact": {"locality": "Cupertino"}},
    "the W3C's PaymentResponse": lambda data: {"requestId": "1", "methodName": "https://apple.com/apple-pay", "details": {"token": {"paymentData": data}}},
}


@pytest.mark.parametrize("name", WRAPPINGS)
def test_a_token_is_opened(service: Service, name: str) -> None:
    answer = post(service, WRAPPINGS[name](payment_data(minted(service))))
    assert answer.status_code == 200 and answer.headers["cache-control"] == "no-store", answer.text
    body = answer.json()
    assert body.pop("signingTime") > 1_700_000_000 and body.pop("auditSequence") == service.log_lines()[-1]["audit"]
    assert body == {
        "dpan": PAN, "last4": PAN[-4:], "network": "visa", "expiry": "491231", "currency": "840", "amount": 1499, "cryptogram": CRYPTOGRAM, "eci": "5",
        "paymentDataType": "3DSecure", "deviceManufacturer": "040010030273",
    }  # fmt: skip


def test_only_what_the_grant_names_leaves(tmp_path: pathlib.Path) -> None:
    """A shop that wants four digits for its receipt has a service that sees no card number."""
    narrow = policy("tokens").replace('"dpan", ', "").replace('"expiry", ', "").replace('"cryptogram", ', "")
    with Sandbox(program=PROGRAM, policy=narrow) as sandbox, serving("tokens", sandbox, api_keys(), tmp_path) as service:
        answer = post(service, minted(service))
        assert answer.status_code == 200 and answer.json()["last4"] == PAN[-4:]
        assert not {"dpan", "expiry", "cryptogram"} & set(answer.json()) and PAN not in answer.text
        assert not service.remembers(PAN.encode())


SHAPED = {
    "apple": {
        "applicationPrimaryAccountNumber": PAN, "applicationExpirationDate": "491231", "currencyCode": "840", "transactionAmount": 1499,
        "deviceManufacturerIdentifier": "040010030273", "paymentDataType": "3DSecure", "paymentData": {"onlinePaymentCryptogram": CRYPTOGRAM, "eciIndicator": "5"},
    },
    "hyperswitch": {
        "application_primary_account_number": PAN, "application_expiration_month": "12", "application_expiration_year": "2049",
        "payment_data": {"online_payment_cryptogram": CRYPTOGRAM, "eci_indicator": "5"},
    },
    "checkout": {
        "type": "network_token", "token": PAN, "token_type": "applepay", "expiry_month": "12", "expiry_year": "2049", "cryptogram": CRYPTOGRAM, "eci": "05",
    },
    "adyen": {
        "paymentMethod": {"type": "scheme", "number": PAN, "expiryMonth": "12", "expiryYear": "2049"},
        "mpiData": {"directoryResponse": "Y", "authenticationResponse": "Y", "cavv": CRYPTOGRAM, "eci": "5"},
    },
    "finix": {
        "number": PAN, "expiration_month": 12, "expiration_year": 2049, "cryptogram": CRYPTOGRAM, "electronic_commerce_indicator_code": "5",
    },
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(service: Service, tmp_path: pathlib.Path, shape: str) -> None:
    """As processors take decrypted tokens, and as the OpenAPI document says."""
    with serving("tokens", service.sandbox, api_keys() + f'shape = "{shape}"\n', tmp_path) as shaped:
        answer = post(shaped, minted(service))
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert body.pop("signingTime") > 1_700_000_000 and body.pop("auditSequence") > 0
        assert body == {"payment": SHAPED[shape]}
        shaped.assert_unsaid(PAN, CRYPTOGRAM)
    document = json.loads((SERVICES / "openapi/tokens.json").read_text())
    schema = document | {"$ref": f"#/components/schemas/{shape.capitalize()}Payment"}
    jsonschema_rs.validator_for(schema).validate(SHAPED[shape])


def test_a_shape_without_what_it_needs(tmp_path: pathlib.Path) -> None:
    """A grant that lacks a field of the shape refuses each token, and uses none up."""
    grant = policy("tokens").replace('"cryptogram", ', "")
    assert grant != policy("tokens")
    with Sandbox(program=PROGRAM, policy=grant) as sandbox:
        with serving("tokens", sandbox, api_keys() + 'shape = "checkout"\n', tmp_path) as service:
            token = minted(service)
            assert "not used up" in refusal(post(service, token), 422)
        (tmp_path / "again").mkdir()
        with serving("tokens", sandbox, api_keys(), tmp_path / "again") as service:
            assert post(service, token).json()["dpan"] == PAN, "it was not used up"


def test_a_shape_and_a_grant_that_releases_to_a_partner(tmp_path: pathlib.Path) -> None:
    """The partner alone can read what a shape would be written of, so the caller gets the JWE; the token is used up, and not in vain."""
    granted = ("dpan", "expiry", "cryptogram")
    grant = re.sub(r"release = .*", f'release = {json.dumps(granted)}\nrelease_to = "partner/acquirer"', policy("tokens"))
    with Sandbox(program=PROGRAM, policy=grant) as sandbox:
        sandbox.import_key("partner/acquirer", "partner-encryption-aes", bytes(range(32)), activate=True)
        with serving("tokens", sandbox, api_keys() + 'shape = "checkout"\n', tmp_path) as service:
            answer = post(service, minted(service))
            assert answer.status_code == 200, answer.text
            assert answer.json().keys() == {"signingTime", "auditSequence", "jwe"}


def test_the_page_has_what_a_shape_needs() -> None:
    page = (SERVICES.parent / "docs/SERVICES.md").read_text()
    for name, shape in SHAPES.items():
        row = re.search(rf"^\| `{name}` \|[^|]*\|([^|]*)\|", page, re.MULTILINE)
        assert row and {FIELDS[field] for field in re.findall("`([^`]*)`", row[1])} == set(shape.required), name


def test_a_shape_has_no_member_for_what_a_token_lacks() -> None:
    """An ECI need not be there."""
    opened = kist.OpenedToken(1, 2, dpan=kist.Secret(b"41"), expiry=kist.Secret(b"301130"), cryptogram=kist.Secret(b"AA=="))
    assert "eci" not in SHAPES["checkout"].write(opened)
    assert SHAPES["finix"].write(opened).keys() == {"number", "expiration_month", "expiration_year", "cryptogram"}
    assert SHAPES["adyen"].write(opened)["mpiData"] == {"directoryResponse": "Y", "authenticationResponse": "Y", "cavv": "AA=="}
    assert SHAPES["hyperswitch"].write(opened)["payment_data"] == {"online_payment_cryptogram": "AA=="}


def test_what_is_required_and_not_granted(tmp_path: pathlib.Path) -> None:
    narrow = policy("tokens").replace('"dpan", ', "")
    with Sandbox(program=PROGRAM, policy=narrow) as sandbox:
        token = json.loads(sandbox.token_json(pan=PAN))
        with serving("tokens", sandbox, api_keys() + 'required = ["dpan"]\n', tmp_path) as service:
            assert "not used up" in refusal(post(service, token), 422)
        (tmp_path / "again").mkdir()
        with serving("tokens", sandbox, api_keys() + 'required = ["last4"]\n', tmp_path / "again") as service:
            assert post(service, token).json()["last4"] == PAN[-4:], "it was not used up"


def test_an_idempotency_key_opens_again_after_a_lost_answer(service: Service) -> None:
    token = minted(service)
    first = post(service, token, KEY)
    assert first.status_code == 200
    service.sandbox.kill()
    service.sandbox.start()
    again = post(service, token, KEY)
    assert {name: value for name, value in again.json().items() if name != "auditSequence"} == {
        name: value for name, value in first.json().items() if name != "auditSequence"
    }
    for other in ("payment-0002-a7f3c1", None):
        assert refusal(post(service, token, other), 422)
    for wrong in ("short", "x" * 256, "sixteen characters with spaces"):
        assert "Idempotency-Key" in refusal(post(service, token, wrong), 400)


def test_a_token_opens_once_among_many(service: Service) -> None:
    body = minted(service)
    with ThreadPoolExecutor(20) as threads:
        answers = sorted(response.status_code for response in threads.map(lambda _: post(service, body), range(20)))
    assert answers == [200] + [422] * 19


@pytest.mark.parametrize("defect", ["wrong-key", "bad-signature", "no-leaf-marker", "bad-tag"])
def test_wrong_tokens_look_alike(service: Service, defect: str) -> None:
    body = post(service, service.sandbox.token_json(defect=defect)).json()
    assert body["status"] == 422 and body["detail"] == "a check failed; the same request would be refused again"


def test_a_stale_token(service: Service) -> None:
    assert refusal(post(service, service.sandbox.token_json(stale=True)), 422)


def test_an_altered_amount(service: Service) -> None:
    """One bit of what was encrypted, which a reader that ignores the tag would decrypt."""
    data = payment_data(minted(service))
    octets = bytearray(base64.b64decode(str(data["data"])))
    octets[20] ^= 1
    assert refusal(post(service, data | {"data": base64.b64encode(octets).decode()}), 422)


GOOD = {
    "version": "EC_v1", "data": base64.b64encode(b"d" * 99).decode(), "signature": base64.b64encode(b"s" * 99).decode(),
    "header": {
        "ephemeralPublicKey": base64.b64encode(b"k" * 91).decode(), "publicKeyHash": base64.b64encode(bytes(32)).decode(), "transactionId": "00" * 32,
    },
}  # fmt: skip
TEXT = json.dumps(GOOD)
HOSTILE = {
    "nothing": "",
    "a list": "[]",
    "a text": '"a"',
    "a token in base64": base64.b64encode(TEXT.encode()).decode(),
    "Apple's simulator": '{"paymentData": {}}',
    "a member twice": TEXT.replace('"version"', '"version": "EC_v1", "version"', 1),
    "twice within": TEXT.replace('"transactionId"', '"transactionId": "00", "transactionId"'),
    "another version": TEXT.replace("EC_v1", "EC_v2"),
    "RSA without its key": TEXT.replace("EC_v1", "RSA_v1"),
    "no data": json.dumps({name: value for name, value in GOOD.items() if name != "data"}),
    "empty data": json.dumps(GOOD | {"data": ""}),
    "data of another type": json.dumps(GOOD | {"data": 1}),
    "a header of another type": json.dumps(GOOD | {"header": "a"}),
    "no base64": json.dumps(GOOD | {"signature": "*"}),
    "base64 that ends otherwise": TEXT.replace(base64.b64encode(bytes(32)).decode(), "A" * 42 + "B="),
    "no hexadecimal": TEXT.replace("00" * 32, "0" * 63 + "x"),
    "a short transaction id": TEXT.replace("00" * 32, "00"),
    "many wrappings": '{"token": ' * 20 + TEXT + "}" * 20,
    "deep": '{"a":' * 20_000,
    "a constant": TEXT.replace('"EC_v1"', "NaN"),
    "cut off": TEXT[:-1],
    "more behind it": TEXT + "{}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bodies(service: Service, name: str) -> None:
    assert len(refusal(post(service, HOSTILE[name]), 400)) < 200


@pytest.mark.parametrize("body", [b"\xff\xfe{\x00", TEXT.encode("utf-16"), TEXT.encode() + b"\x00", b"{" + bytes(range(256))])
def test_hostile_octets(service: Service, body: bytes) -> None:
    assert refusal(post(service, body), 400)


def test_what_is_well_formed_comes_to_the_daemon(service: Service) -> None:
    """`GOOD` is refused for its key alone, so that each hostile body is refused for what was changed in it."""
    assert refusal(post(service, GOOD), 403)


def test_other_types_sizes_and_keys(service: Service) -> None:
    assert refusal(service.http.post(PATH, content=TEXT, headers={"content-type": "text/plain"}), 415)
    assert refusal(post(service, TEXT + " " * 200_000), 413)
    assert refusal(service.http.get(PATH), 405)
    with client(service.socket) as stranger:
        for key in ("", "another", API_KEY[:-1]):
            headers = {"content-type": "application/json"} | ({"x-api-key": key} if key else {})
            assert refusal(stranger.post(PATH, content=TEXT, headers=headers), 401)
        assert stranger.get("/ready").json() == {"ready": True}


def test_while_the_daemon_is_away(service: Service) -> None:
    token = minted(service)
    service.sandbox.kill()
    away = post(service, token)
    assert refusal(away, 503) and away.headers["retry-after"] == "5"
    service.sandbox.start()
    assert post(service, token).status_code == 200


def test_every_field_has_its_member() -> None:
    """And is written in its own way: secrets as text, JSON as JSON, an envelope in base64."""
    values: dict[str, object] = {field.name: "a" for field in dataclasses.fields(kist.OpenedToken)}
    secrets = ("dpan", "expiry", "cryptogram", "emv_data", "encrypted_pin", "cardholder_name", "raw")
    values |= {name: kist.Secret(name.encode()) for name in secrets} | {"signing_time": 1, "audit_sequence": 2, "amount": 3, "envelope": b"\xff"}
    values |= {"authentication_responses": kist.Secret(b'[{"a": 1}]'), "merchant_token": kist.Secret(b"{}")}
    members = payment(kist.OpenedToken(**values))  # type: ignore[arg-type]
    assert len(members) == len(values) == len(FIELDS) + 3
    assert (members["dpan"], members["authenticationResponses"], members["merchantToken"], members["envelope"]) == ("dpan", [{"a": 1}], {}, "/w==")
    assert payment(kist.OpenedToken(1, 2)) == {"signingTime": 1, "auditSequence": 2}


def test_settings() -> None:
    with pytest.raises(SettingsError, match="pan is no field"):
        TokensSettings(api_keys=(API_KEY_DIGEST,), required=("pan",))
    assert TokensSettings(api_keys=(API_KEY_DIGEST,), required=tuple(FIELDS)).required
    with pytest.raises(SettingsError, match="shape: stripe is none; there are apple, hyperswitch, checkout, adyen, finix"):
        TokensSettings(api_keys=(API_KEY_DIGEST,), shape="stripe")


def test_the_readmes_five_commands(tmp_path: pathlib.Path) -> None:
    """As a stranger types them, after each is ready for the next; the programs are those under test."""
    block = re.search(r"in five commands\b(?:[^\n]+\n)+\n((?: {4}[^\n]*\n)+)", (SERVICES.parent / "README.md").read_text())
    assert block
    build, *commands = [line.strip() for line in block[1].splitlines()]
    assert build == "make build venv" and len(commands) == 4
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    script = "\n".join(
        ["trap 'kill $(jobs -p); wait' EXIT", *commands[:3], f"until curl --silent --fail http://127.0.0.1:{port}/ready; do sleep 0.2; done >&2", commands[3]]
    )
    for said, meant in (("/tmp/box", str(tmp_path / "box")), (".build/release/kist", str(PROGRAM)), (".venv/bin/python", sys.executable), ("8081", port)):
        assert said in script
        script = script.replace(said, meant)
    done = subprocess.run(["timeout", "60", "bash", "-c", script], cwd=SERVICES.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    assert (answer["amount"], answer["last4"], len(answer["dpan"])) == (1499, "4320", 16)
