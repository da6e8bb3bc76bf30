"""Apple, "Getting Started with Apple Pay In-App Provisioning", 1.23, and Adyen, "Apple Pay Provisioning"."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import dataclasses
import json
import os
import pathlib
import re
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
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from kist.testing import Sandbox
from kist_services import cards
from kist_services.common.keys import LabelledKey
from kist_services.common.problems import Problem
from kist_services.common.settings import SettingsError
from kist_services.provisioning import Provisioning, ProvisioningSettings
from running import API_KEY, PROGRAM, Service, api_keys, client, policy, refusal, sample, serving

#: The dictionary of the guide's section IX, which has the members of all configurations.
SAMPLE = json.loads(sample("apple-payment-data.json"))
NUMBER = SAMPLE["primaryAccountNumber"]
CARD = {"name": SAMPLE["name"], "expiration": SAMPLE["expiration"], "number": NUMBER}
CARDS: list[dict[str, object]] = [
    {"id": "fpan", "network": "visa", "configuration": 1, **CARD},
    {"id": "tav", "network": "mastercard", "configuration": 1, **CARD},
    {
        "id": "id", "network": "visa", "configuration": 2, "account_identifier": SAMPLE["primaryAccountIdentifier"],
        "authentication_code": "abc123", **CARD,
    },
    {"id": "efpan", "network": "visa", "configuration": 3, **CARD},
    {"id": "jwe", "network": "mastercard", "configuration": 3, "product": "gold", **CARD},
]  # fmt: skip
#: The key that Mastercard has given for numbers.
NETWORK = bytes(range(32))
SECRETS = (NUMBER, NUMBER[:9], "Tester", "abc123", "MBPA")


@dataclass
class Issuer:
    """Both services over one daemon and one file of cards, and what a phone sends them."""

    issuer: Service
    activation: Service
    request: dict[str, Any]
    file: pathlib.Path

    def phone(self, **changes: object) -> dict[str, object]:
        return {**self.request, **changes}

    def opened(self, answer: dict[str, str]) -> dict[str, Any]:
        """What Apple and the network find in an answer; the network must have checked its value."""
        found = self.issuer.sandbox.pass_open(answer)
        assert found["activation"]["checked"]
        return found

    def expected(self, *members: str) -> dict[str, str]:
        nonces = {name: base64.b64decode(self.request[name]).hex() for name in ("nonce", "nonceSignature")}
        return {member: SAMPLE[member] for member in members} | nonces


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Issuer]:
    place = tmp_path_factory.mktemp("issuer")
    file = place / "cards.sqlite"
    settings = api_keys() + f'cards = "{file}"\nkeys = {{ visa = "issuer/visa/sandbox", mastercard = "issuer/mastercard/sandbox" }}\n'
    settings += 'network_keys = { mastercard = "issuer/networks/mastercard/sandbox" }\n'
    settings += f'mastercard_versions = {{ gold = "3" }}\nproduct_types = {{ gold = "{SAMPLE["productType"]}" }}\n'
    with Sandbox(program=PROGRAM, policy=policy("issuer")) as sandbox:
        sandbox.import_key("issuer/networks/mastercard/sandbox", "partner-encryption-aes", NETWORK)
        add(sandbox, file, CARDS)
        request = sandbox.pass_request()
        nonces = (request["nonce"], base64.b64decode(request["nonce"]).hex(), request["nonceSignature"][:16])
        with serving("issuer", sandbox, settings, place) as service, serving("activation", sandbox, settings, place) as activation:
            yield Issuer(service, activation, request, file)
            service.assert_unsaid(*SECRETS, *nonces)
            activation.assert_unsaid(*SECRETS, *nonces)


def add(sandbox: Sandbox, file: pathlib.Path, rows: list[dict[str, object]]) -> str:
    """Adds cards as the issuer's core does; what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "kist_services.cards", str(file), "issuer/cards/sandbox"], input="\n".join(map(json.dumps, rows)), text=True,
        capture_output=True, env={"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path), "KIST_ENDPOINT": sandbox.endpoint},
    )  # fmt: skip
    return done.stderr if done.returncode else ""


def ask(issuer: Issuer, card: str, **changes: object) -> Any:
    return issuer.issuer.http.post(f"/issuer/v1/cards/{card}/pass", json=issuer.phone(**changes))


def provision(issuer: Issuer, card: str) -> dict[str, Any]:
    response = ask(issuer, card)
    assert response.status_code == 200, response.text
    return issuer.opened(response.json())


def test_configuration_1_visa(issuer: Issuer) -> None:
    found = provision(issuer, "fpan")
    assert found["pass"] == issuer.expected("primaryAccountNumber", "expiration", "name")
    assert found["activation"]["value"].startswith("MBPAD-1-FK-sandbox.1--TDEA-")
    assert found["activation"]["text"].startswith(f"pan={NUMBER};expiry=1215;datetime=")


def test_configuration_1_mastercard(issuer: Issuer) -> None:
    found = provision(issuer, "tav")
    assert found["pass"] == issuer.expected("primaryAccountNumber", "expiration", "name")
    assert json.loads(found["activation"]["value"])["version"] == "2" and found["activation"]["text"] == f"{NUMBER}Y1215N"


def test_the_guides_activation_data(issuer: Issuer) -> None:
    """What section X prints: Visa's text, and the members of Mastercard's object."""
    visa, mastercard = (ask(issuer, card).json()["activationData"] for card in ("fpan", "tav"))
    form = re.sub("[0-9A-F]{10,}", "[0-9A-F]+", re.escape(sample("apple-activation-data.txt").decode().strip()))
    assert re.fullmatch(form.replace(r"123456\.1", r"sandbox\.1"), base64.b64decode(visa).decode())
    value, printed = json.loads(base64.b64decode(mastercard)), json.loads(sample("apple-activation-data.json"))
    assert set(value) == set(printed) and {type(member) for member in value.values()} == {str}


@pytest.mark.parametrize("change", [{"mastercard_versions": {"gold": "1"}}, {"mastercard_versions": {"": "two"}}, {"product_types": {"gold": ""}}])
def test_products_that_are_not_right(issuer: Issuer, change: dict[str, dict[str, str]]) -> None:
    settings = ProvisioningSettings(api_keys=("0" * 64,), cards=str(issuer.file), keys={})
    with pytest.raises(SettingsError, match=next(iter(change))):
        dataclasses.replace(settings, **change)  # type: ignore[arg-type]


def test_configuration_2(issuer: Issuer) -> None:
    found = provision(issuer, "id")
    assert found["pass"] == issuer.expected("primaryAccountIdentifier")
    assert found["activation"]["text"] == f"nonce={found['pass']['nonce']};authcode=abc123"


def test_configuration_3(issuer: Issuer) -> None:
    """The number is encrypted for Visa, and in base64 within the JSON."""
    found = provision(issuer, "efpan")
    data = found["pass"]
    assert base64.b64decode(data.pop("encryptedPrimaryAccountNumber"), validate=True).startswith(b"MBPAD-1-FK-sandbox.1--TDEA-")
    assert data == issuer.expected("name", "networkName") | {"primaryAccountNumberPrefix": NUMBER[:9]}
    assert found["encrypted_number"].startswith(f"pan={NUMBER};") and found["activation"]["text"].startswith(f"pan={NUMBER};")


def test_configuration_3_for_a_networks_key(issuer: Issuer) -> None:
    """The number is a JWE that the network alone opens, and nowhere else; of a product that the settings name."""
    response = ask(issuer, "jwe")
    assert response.status_code == 200, response.text
    found = issuer.issuer.sandbox.pass_open(response.json(), unchecked=True)
    data = found["pass"]
    header, *rest = data.pop("encryptedPrimaryAccountNumber").split(".")
    members, (wrapped, iv, ciphertext, tag) = json.loads(octets(header)), map(octets, rest)
    content = AESGCM(NETWORK).decrypt(octets(members["iv"]), wrapped + octets(members["tag"]), None)
    sealed = json.loads(AESGCM(content).decrypt(iv, ciphertext + tag, header.encode()))
    assert sealed == {"primaryAccountNumber": NUMBER, "expiration": CARD["expiration"]}
    assert data == issuer.expected("name", "productType") | {"networkName": "Mastercard", "primaryAccountNumberPrefix": NUMBER[:9]}
    assert json.loads(found["activation"]["value"])["version"] == "3"


def octets(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_a_network_without_a_key_of_its_own(issuer: Issuer) -> None:
    """Visa's numbers are encrypted without one; Mastercard has no cards of configuration 3 then."""
    settings = ProvisioningSettings(api_keys=("0" * 64,), cards=str(issuer.file), keys={"visa": "a", "mastercard": "b"})

    async def attempt() -> None:
        async with issuer.issuer.sandbox.async_client() as client:
            provisioning = Provisioning(client, settings)
            assert (await provisioning.card("efpan")).configuration == 3 and (await provisioning.card("tav")).network == "mastercard"
            with pytest.raises(Problem, match="no such card"):
                await provisioning.card("jwe")

    asyncio.run(attempt())


def test_every_pass_has_a_key_of_its_own(issuer: Issuer) -> None:
    first, second = ask(issuer, "fpan").json(), ask(issuer, "fpan").json()
    assert first["ephemeralPublicKey"] != second["ephemeralPublicKey"]


def test_certificates_that_are_not_apples(issuer: Issuer) -> None:
    for defect in ("other-root", "no-leaf-marker", "expired"):
        response = ask(issuer, "fpan", **issuer.issuer.sandbox.pass_request(defect=defect))
        assert refusal(response, 422) and response.json()["auditSequence"]
    assert refusal(ask(issuer, "fpan", certificates=[base64.b64encode(b"no certificate").decode()]), 422)


def test_another_cards_number_does_not_open(issuer: Issuer, tmp_path: pathlib.Path) -> None:
    """Rows are bound to their numbers: who can write the file cannot have one card's number sealed for another's phone."""
    with sqlite3.connect(issuer.file) as database:
        database.execute("INSERT INTO cards SELECT 'stolen', network, configuration, product, name, last_four, expiration, prefix, account_identifier, "
                         "authentication_code, sealed_number FROM cards WHERE id = 'fpan'")  # fmt: skip
    database.close()
    assert refusal(ask(issuer, "stolen"), 422)


def test_the_file_has_no_number(issuer: Issuer) -> None:
    octets = issuer.file.read_bytes()
    assert NUMBER.encode() not in octets and NUMBER[:9].encode() in octets  # the prefix of configuration 3
    found = asyncio.run(cards.find(str(issuer.file), "fpan"))
    assert found and NUMBER not in repr(found) and len(found.sealed_number) == 45 + len(NUMBER)


@pytest.mark.parametrize(
    "change",
    [
        {"number": "411111111"}, {"number": "4111 1111 1111 1111"}, {"number": 4111111111111111}, {"number": None}, {"number": "٤" * 16},
        {"configuration": 4}, {"configuration": "1"}, {"configuration": True}, {"configuration": None}, {"network": "amex"}, {"network": None},
        {"id": ""}, {"id": "a/b"}, {"id": "a;b"}, {"id": "a b"}, {"id": ".."}, {"id": "."}, {"id": "a" * 65}, {"id": 5}, {"id": None}, {"id": "fpan"},
        {"id": "a\n"}, {"expiration": "2030-01"}, {"expiration": "13/30"}, {"expiration": "00/30"}, {"expiration": "1/30"}, {"expiration": None},
        {"name": None}, {"name": ""}, {"name": "a" * 65}, {"name": "Bob\n"}, {"name": "\ud800"}, {"name": 1}, {"product": "a b"}, {"product": 1}, {"other": 1},
    ],
)  # fmt: skip
def test_cards_that_are_not_added(issuer: Issuer, change: dict[str, object]) -> None:
    async def attempt() -> None:
        async with issuer.issuer.sandbox.async_client() as client:
            card = {"id": "new", "network": "visa", "configuration": 1, **CARD} | change
            await cards.add(database, client, LabelledKey(client, "issuer/cards/sandbox"), card)

    (member,) = change
    with contextlib.closing(sqlite3.connect(issuer.file)) as database:
        with pytest.raises(cards.CardError, match=f"^{member}") as refused:
            asyncio.run(attempt())
    assert not any(isinstance(value, str) and len(value) > 4 and value in str(refused.value) for value in change.values())
    assert asyncio.run(cards.find(str(issuer.file), "new")) is None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"account_identifier": ""}, "account_identifier has"), ({"account_identifier": "a" * 129}, "account_identifier has"),
        ({"authentication_code": "a;b=c"}, "authentication_code has"), ({"authentication_code": "a" * 33}, "authentication_code has"),
        ({"authentication_code": None}, "authentication_code has"), ({"network": "mastercard"}, "configuration 2 is for network visa"),
    ],
)  # fmt: skip
def test_cards_of_configuration_2_that_are_not_added(change: dict[str, object], why: str) -> None:
    with pytest.raises(cards.CardError, match=why):
        cards.check(CARDS[2] | change)
    for card in CARDS:
        cards.check(card)


def test_what_the_core_is_told(issuer: Issuer) -> None:
    """The line and what is wrong in it, and no number."""
    good: dict[str, object] = {"id": "more", "network": "visa", "configuration": 1, **CARD}
    assert add(issuer.issuer.sandbox, issuer.file, [good, good]) == "line 2: id: there is such a card\n"
    assert add(issuer.issuer.sandbox, issuer.file, [good | {"expiration": "13/30"}]) == "line 1: expiration is MM/YY\n"


@pytest.mark.parametrize("card", ["none", "FPAN", "fpan ", "' OR 1=1 --", "a" * 5000, "%00"])
def test_cards_that_are_not_there(issuer: Issuer, card: str) -> None:
    assert refusal(ask(issuer, card), 404)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"nonce": ""}, "nonce has 1 to 64"), ({"nonce": "9c023092zz"}, "nonce is not base64"), ({"nonce": 5}, "nonce is of another type"),
        ({"nonce": SAMPLE["nonce"]}, "nonce is hexadecimal"), ({"nonceSignature": SAMPLE["nonceSignature"]}, "nonceSignature is hexadecimal"),
        ({"nonceSignature": SAMPLE["nonceSignature"].upper()[:152]}, "hexadecimal"), ({"certificates": ["30820222"]}, "certificates is hexadecimal"),
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
    found = issuer.opened(inside(adyen(issuer, "POST", json={"sdkOutput": output})))
    assert found["pass"] == issuer.expected("primaryAccountNumber", "expiration", "name") and found["activation"]["value"].startswith("MBPAD-1-")
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
    """65 bytes, uncompressed, as PKAddPaymentPassRequest wants it, and not those of the certificate."""
    point = base64.b64decode(ask(issuer, "fpan").json()["ephemeralPublicKey"])
    assert len(point) == 65 and point[0] == 4
    assert point not in base64.b64decode(issuer.request["certificates"][0])


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
