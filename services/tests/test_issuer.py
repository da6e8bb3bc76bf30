"""Apple, "Getting Started with Apple Pay In-App Provisioning", 1.23, and Adyen, "Apple Pay Provisioning"."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from kist import OtpParameters
from kist.testing import Sandbox
from kist_services import cards
from kist_services.common.keys import LabelledKey
from running import API_KEY, PROGRAM, Service, api_keys, client, policy, refusal, sample, serving
from stage import VISA, der
from stage import issuer as apple_certificates

#: The dictionary of the guide's section IX, which has the members of all configurations.
SAMPLE = json.loads(sample("apple-payment-data.json"))
NUMBER = SAMPLE["primaryAccountNumber"]
NONCE, NONCE_SIGNATURE = bytes.fromhex(SAMPLE["nonce"]), bytes.fromhex(SAMPLE["nonceSignature"])
MASTERCARD = rsa.generate_private_key(65537, 2048)
CARD = {"name": SAMPLE["name"], "expiration": SAMPLE["expiration"], "number": NUMBER}
CARDS: list[dict[str, object]] = [
    {"id": "fpan", "network": "visa", "configuration": 1, **CARD},
    {"id": "tav", "network": "mastercard", "configuration": 1, **CARD},
    {
        "id": "id", "network": "visa", "configuration": 2, "account_identifier": SAMPLE["primaryAccountIdentifier"],
        "authentication_code": "abc123", **CARD,
    },
    {"id": "efpan", "network": "visa", "configuration": 3, **CARD},
]  # fmt: skip
SECRETS = (NUMBER, NUMBER[:9], "Tester", SAMPLE["nonce"], SAMPLE["nonceSignature"][:12], base64.b64encode(NONCE).decode(), "abc123", "MBPA")


@dataclass
class Issuer:
    """Both services over one daemon and one file of cards, and Apple's side."""

    issuer: Service
    activation: Service
    certificates: list[bytes]
    leaf: ec.EllipticCurvePrivateKey
    file: pathlib.Path

    def phone(self, **changes: object) -> dict[str, object]:
        encoded = [base64.b64encode(certificate).decode() for certificate in self.certificates]
        nonces = {"nonce": base64.b64encode(NONCE).decode(), "nonceSignature": base64.b64encode(NONCE_SIGNATURE).decode()}
        return {"certificates": encoded, **nonces, **changes}

    def opened(self, answer: dict[str, str]) -> tuple[dict[str, str], str]:
        """What Apple finds in a pass, and the activation data."""
        point = base64.b64decode(answer["ephemeralPublicKey"])
        shared = self.leaf.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point))
        key = hashlib.sha256(b"\0\0\0\1" + shared + b"\x0did-aes256-GCM" + b"Apple" + point).digest()
        data = AESGCM(key).decrypt(bytes(12), base64.b64decode(answer["encryptedPassData"]), None)
        return json.loads(data), base64.b64decode(answer["activationData"]).decode()


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Issuer]:
    place = tmp_path_factory.mktemp("issuer")
    file = place / "cards.sqlite"
    settings = api_keys() + f'cards = "{file}"\nkeys = {{ visa = "issuer/visa/2026", mastercard = "issuer/mastercard/2026" }}\n'
    with Sandbox(program=PROGRAM, policy=policy("issuer")) as sandbox:
        sandbox.import_key("issuer/visa/2026", "otp-visa", VISA, otp=OtpParameters(key_set="123456.1"))
        sandbox.import_key("issuer/mastercard/2026", "otp-mastercard", der(MASTERCARD), otp=OtpParameters(key_alias="issuer.1"))
        sandbox.import_key("issuer/cards/2026", "sealing", bytes(range(32)))
        add(sandbox, file, CARDS)
        certificates, leaf = apple_certificates(sandbox)
        with serving("issuer", sandbox, settings, place) as service, serving("activation", sandbox, settings, place) as activation:
            yield Issuer(service, activation, certificates, leaf, file)
            service.assert_unsaid(*SECRETS)
            activation.assert_unsaid(*SECRETS)


def add(sandbox: Sandbox, file: pathlib.Path, rows: list[dict[str, object]]) -> str:
    """Adds cards as the issuer's core does; what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "kist_services.cards", str(file), "issuer/cards/2026"], input="\n".join(map(json.dumps, rows)), text=True,
        capture_output=True, env={"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path), "KIST_ENDPOINT": sandbox.endpoint},
    )  # fmt: skip
    return done.stderr if done.returncode else ""


def ask(issuer: Issuer, card: str, **changes: object) -> Any:
    return issuer.issuer.http.post(f"/issuer/v1/cards/{card}/pass", json=issuer.phone(**changes))


def provision(issuer: Issuer, card: str) -> tuple[dict[str, str], str]:
    response = ask(issuer, card)
    assert response.status_code == 200, response.text
    return issuer.opened(response.json())


def expected(*members: str) -> dict[str, str]:
    return {member: SAMPLE[member] for member in (*members, "nonce", "nonceSignature")}


def test_configuration_1_visa(issuer: Issuer) -> None:
    data, activation = provision(issuer, "fpan")
    assert data == expected("primaryAccountNumber", "expiration", "name")
    assert activation.startswith("MBPAD-1-FK-123456.1--TDEA-")


def test_configuration_1_mastercard(issuer: Issuer) -> None:
    data, activation = provision(issuer, "tav")
    assert data == expected("primaryAccountNumber", "expiration", "name")
    value = json.loads(activation)
    assert value["version"] == "3" and value["signatureAlgorithm"] == "RSA-SHA256"
    signed = f"{NUMBER}|1215|{value['dataValidUntilTimestamp']}".encode()
    MASTERCARD.public_key().verify(base64.b64decode(value["signature"]), signed, padding.PKCS1v15(), hashes.SHA256())


def test_configuration_2(issuer: Issuer) -> None:
    data, activation = provision(issuer, "id")
    assert data == expected("primaryAccountIdentifier")
    assert activation.startswith("MBPAC-1-FK-123456.1--TDEA-")


def test_configuration_3(issuer: Issuer) -> None:
    """The number is encrypted for Visa, and in base64 within the JSON."""
    data, activation = provision(issuer, "efpan")
    encrypted = base64.b64decode(data.pop("encryptedPrimaryAccountNumber"), validate=True)
    assert data == expected("name", "networkName") | {"primaryAccountNumberPrefix": NUMBER[:9]}
    assert encrypted.startswith(b"MBPAD-1-FK-123456.1--TDEA-") and activation.startswith("MBPAD-1-FK-123456.1--TDEA-")


def test_every_pass_has_a_key_of_its_own(issuer: Issuer) -> None:
    first, second = ask(issuer, "fpan").json(), ask(issuer, "fpan").json()
    assert first["ephemeralPublicKey"] != second["ephemeralPublicKey"]


def test_certificates_that_are_not_apples(issuer: Issuer, tmp_path: pathlib.Path) -> None:
    subprocess.run([PROGRAM, "sandbox", "init", str(tmp_path / "other")], check=True, capture_output=True)
    stranger = Sandbox(program=PROGRAM)
    stranger.directory = tmp_path / "other"
    other, _ = apple_certificates(stranger)
    response = ask(issuer, "fpan", certificates=[base64.b64encode(certificate).decode() for certificate in other])
    assert refusal(response, 422) and response.json()["auditSequence"]
    assert refusal(ask(issuer, "fpan", certificates=[base64.b64encode(b"no certificate").decode()]), 422)


def test_another_cards_number_does_not_open(issuer: Issuer, tmp_path: pathlib.Path) -> None:
    """Rows are bound to their numbers: who can write the file cannot have one card's number sealed for another's phone."""
    with sqlite3.connect(issuer.file) as database:
        database.execute("INSERT INTO cards SELECT 'stolen', network, configuration, name, last_four, expiration, prefix, account_identifier, "
                         "authentication_code, sealed_number FROM cards WHERE id = 'fpan'")  # fmt: skip
    database.close()
    assert refusal(ask(issuer, "stolen"), 422)


def test_the_file_has_no_number(issuer: Issuer) -> None:
    octets = issuer.file.read_bytes()
    assert NUMBER.encode() not in octets and NUMBER[:9].encode() in octets  # the prefix of configuration 3
    found = cards.find(str(issuer.file), "fpan")
    assert found and NUMBER not in repr(found) and len(found.sealed_number) == 45 + len(NUMBER)


@pytest.mark.parametrize(
    "change",
    [
        {"number": "411111111"}, {"number": "4111 1111 1111 1111"}, {"configuration": 4}, {"configuration": 2}, {"network": "mastercard", "configuration": 3},
        {"network": "amex"}, {"id": ""}, {"id": "fpan"}, {"expiration": "2030-01"}, {"other": 1}, {"name": None},
    ],
)  # fmt: skip
def test_cards_that_are_not_added(issuer: Issuer, change: dict[str, object]) -> None:
    async def attempt() -> None:
        async with issuer.issuer.sandbox.async_client() as client:
            card = {"id": "new", "network": "visa", "configuration": 1, **CARD} | change
            await cards.add(database, client, LabelledKey(client, "issuer/cards/2026"), card)

    with contextlib.closing(sqlite3.connect(issuer.file)) as database:
        with pytest.raises((ValueError, sqlite3.IntegrityError)):
            asyncio.run(attempt())
    assert cards.find(str(issuer.file), "new") is None


def test_what_the_core_is_told(issuer: Issuer) -> None:
    """The line and the kind of mistake, and no number."""
    good: dict[str, object] = {"id": "more", "network": "visa", "configuration": 1, **CARD}
    assert add(issuer.issuer.sandbox, issuer.file, [good, good]) == "line 2: IntegrityError\n"


@pytest.mark.parametrize("card", ["none", "FPAN", "fpan ", "' OR 1=1 --", "a" * 5000, "%00"])
def test_cards_that_are_not_there(issuer: Issuer, card: str) -> None:
    assert refusal(ask(issuer, card), 404)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"nonce": ""}, "nonce has 1 to 64"), ({"nonce": "9c023092zz"}, "nonce is not base64"), ({"nonce": 5}, "nonce is of another type"),
        ({"nonce": base64.b64encode(bytes(65)).decode()}, "nonce has 1 to 64"), ({"nonceSignature": None}, "nonceSignature is missing"),
        ({"certificates": []}, "certificates has 1 to 3"), ({"certificates": ["AA=="] * 4}, "certificates has 1 to 3"),
        ({"certificates": "AA=="}, "another type"), ({"certificates": [1]}, "1 to 3"), ({"pan": "4111111111111111"}, "pan is not expected"),
    ],
)  # fmt: skip
def test_hostile_requests(issuer: Issuer, change: dict[str, object], why: str) -> None:
    assert why in refusal(ask(issuer, "fpan", **change), 400)


def test_bodies_that_are_not_json(issuer: Issuer) -> None:
    post = issuer.issuer.http.post
    for body in (b"", b"<a/>", b"[" * 60_000, b'{"nonce":' * 7_000, b"\xff"):
        assert refusal(post("/issuer/v1/cards/fpan/pass", content=body, headers={"content-type": "application/json"}), 400)
    assert refusal(post("/issuer/v1/cards/fpan/pass", content=b"{}"), 415)
    assert refusal(post("/issuer/v1/cards/fpan/pass", content=b" " * 70_000), 413)
    assert provision(issuer, "fpan")


def adyen(issuer: Issuer, method: str, identifier: str = "fpan", **options: Any) -> Any:
    return issuer.activation.http.request(method, f"/bcl/v2/paymentInstruments/{identifier}/networkTokenActivationData", **options)


def inside(response: Any) -> dict[str, Any]:
    """The object within `sdkInput`, as `JSONDecoder` with `.base64` reads it."""
    assert response.status_code == 200 and list(response.json()) == ["sdkInput"], response.text
    members: dict[str, Any] = json.loads(base64.b64decode(response.json()["sdkInput"], validate=True))
    return members


def test_adyens_first_call(issuer: Issuer) -> None:
    assert inside(adyen(issuer, "GET")) == {
        "paymentInstrumentId": "fpan", "cardholderName": SAMPLE["name"], "lastFour": NUMBER[-4:], "brand": "visa", "primaryAccountReference": "",
        "supportedWallets": ["applePay"],
    }  # fmt: skip


def test_adyens_second_call(issuer: Issuer) -> None:
    output = base64.b64encode(json.dumps(issuer.phone()).encode()).decode()
    data, activation = issuer.opened(inside(adyen(issuer, "POST", json={"sdkOutput": output})))
    assert data == expected("primaryAccountNumber", "expiration", "name") and activation.startswith("MBPAD-1-")
    line = issuer.activation.log_lines()[-1]
    assert (line["endpoint"], line["status"]) == ("activation_data", 200) and line["audit"]


def test_adyens_api_key(issuer: Issuer) -> None:
    """The page's header, `x-api-key`, by either call."""
    for key in ("", "YOUR_BALANCE_PLATFORM_API_KEY"):
        assert refusal(adyen(issuer, "GET", headers={"x-api-key": key}), 401)
        assert refusal(adyen(issuer, "POST", headers={"x-api-key": key}, json={"sdkOutput": "e30="}), 401)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({}, "sdkOutput is missing"), ({"sdkOutput": ""}, "sdkOutput has 1 to"), ({"sdkOutput": "e30"}, "sdkOutput is not base64"),
        ({"sdkOutput": "e30="}, "certificates is missing"), ({"sdkOutput": "AAAA"}, "not JSON"), ({"sdkOutput": {}}, "another type"),
        ({"sdkOutput": "e30=", "other": 1}, "other is not expected"),
    ],
)  # fmt: skip
def test_hostile_sdk_output(issuer: Issuer, body: dict[str, object], why: str) -> None:
    assert why in refusal(adyen(issuer, "POST", json=body), 400)


def test_instruments_that_are_not_there(issuer: Issuer) -> None:
    output = base64.b64encode(json.dumps(issuer.phone()).encode()).decode()
    assert refusal(adyen(issuer, "GET", "none"), 404) and refusal(adyen(issuer, "POST", "none", json={"sdkOutput": output}), 404)
    response = adyen(issuer, "DELETE")
    assert refusal(response, 405) and {"GET", "POST"} <= set(response.headers["allow"].split(", "))


def test_the_public_keys_are_the_ones_that_sealed(issuer: Issuer) -> None:
    """65 bytes, uncompressed, as PKAddPaymentPassRequest wants it."""
    point = base64.b64decode(ask(issuer, "fpan").json()["ephemeralPublicKey"])
    assert len(point) == 65 and point[0] == 4
    assert issuer.leaf.public_key().public_bytes(ser.Encoding.X962, ser.PublicFormat.UncompressedPoint) != point


def test_neither_service_ever_holds_a_number(issuer: Issuer) -> None:
    """After all configurations, Mastercard's too: their memory has the holder's name, and no card number."""
    for card in CARDS:
        assert ask(issuer, str(card["id"])).status_code == 200
    output = base64.b64encode(json.dumps(issuer.phone()).encode()).decode()
    assert adyen(issuer, "POST", json={"sdkOutput": output}).status_code == adyen(issuer, "GET").status_code == 200
    for service in (issuer.issuer, issuer.activation):
        assert service.remembers(b"/cards.sqlite") and not service.remembers(NUMBER.encode())


def test_restarts(issuer: Issuer) -> None:
    """While the daemon is killed and started again, requests are answered, or told when to come back; what was answered is in the audit log."""
    sandbox, answers, is_over = issuer.issuer.sandbox, list[httpx.Response](), threading.Event()

    def ask_on() -> None:
        with client(issuer.issuer.socket, {"x-api-key": API_KEY}) as http:
            while not is_over.is_set():
                answers.append(http.post("/issuer/v1/cards/fpan/pass", json=issuer.phone()))

    with ThreadPoolExecutor(6) as threads:
        asking = [threads.submit(ask_on) for _ in range(6)]
        for _ in range(int(os.environ.get("KIST_SOAK_ROUNDS", "2"))):
            enough = len(answers) + 20
            while len(answers) < enough:
                time.sleep(0.01)
            sandbox.kill()
            sandbox.start()
        is_over.set()
    assert [future.exception() for future in asking] == [None] * 6
    assert {answer.status_code for answer in answers} == {200, 503}
    assert all(answer.headers.get("retry-after") for answer in answers if answer.status_code == 503)
    log = str(sandbox.directory / "audit")
    subprocess.run([PROGRAM, "audit", "verify", log, "--key", f"{log}.vkey"], check=True, capture_output=True)
    shown = subprocess.run([PROGRAM, "audit", "show", log, "--op", "provision-pass", "--result", "ok", "--json"], check=True, capture_output=True)
    recorded = {json.loads(line)["seq"] for line in shown.stdout.splitlines()}
    answered = {line["audit"] for line in issuer.issuer.log_lines() if line["status"] == 200 and line["endpoint"] == "provision"}
    assert len(answered) >= sum(answer.status_code == 200 for answer in answers) and answered <= recorded
