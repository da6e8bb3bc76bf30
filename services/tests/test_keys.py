"""Merchants' keys over HTTP, by an operator who may do nothing else; four eyes where the configuration wants them."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from furnished import keys_settings
from gateway import Authority
from kist.testing import Sandbox
from kist_services.common.problems import Problem
from kist_services.common.settings import SettingsError
from kist_services.keys import KINDS, KeysSettings
from kist_services.operator import Operator
from running import API_KEY_DIGEST, PROGRAM, Service, api_keys, apple, policy, refusal, serving

MERCHANT = "merchant.com.acme"
KEYS = f"/v1/merchants/{MERCHANT}/keys"
ONCE = {"idempotency-key": "0123456789abcdef"}


@contextlib.contextmanager
def made(place: pathlib.Path, *, config: str = "", rules: str | None = None) -> Iterator[Service]:
    options: dict[str, Any] = {"config": config} if config else {}
    with Sandbox(program=PROGRAM, policy=rules or policy("keys"), **options) as sandbox:
        with serving("keys", sandbox, api_keys() + keys_settings(sandbox) + 'organization = "Acme"\n', place) as service:
            yield service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with made(tmp_path_factory.mktemp("keys")) as service:
        yield service


def make(service: Service, kind: str = "processing-ec", keys: str = KEYS, once: str = "0123456789abcdef") -> httpx.Response:
    return service.http.post(keys, json={"kind": kind}, headers={"idempotency-key": once})


def certificate(service: Service, key: dict[str, Any], merchant: str = MERCHANT) -> bytes:
    """As Apple's, of the request's key."""
    request = x509.load_pem_x509_csr(key["certificateRequest"].encode())
    assert request.is_signature_valid
    title = "Merchant Identity" if key["kind"] == "identity" else "Payment Processing"
    return apple(service.sandbox).certify(merchant, request.public_key(), title).public_bytes(Encoding.DER)


def attach(service: Service, key: dict[str, Any], content: bytes, keys: str = KEYS) -> httpx.Response:
    return service.http.put(f"{keys}/{key['id']}/certificate", content=content)


@pytest.mark.parametrize("kind", KINDS)
def test_a_keys_life(service: Service, kind: str) -> None:
    response = make(service, kind, once="life" * 4)
    assert response.status_code == 201, response.text
    key = response.json()
    assert key["state"] == "pre-active" and key["kind"] == kind and key["label"].startswith(f"merchant/{MERCHANT}/{kind}-")
    subject = x509.load_pem_x509_csr(key["certificateRequest"].encode()).subject
    assert [one.value for one in subject.get_attributes_for_oid(x509.NameOID.ORGANIZATION_NAME)] == ["Acme"]
    one = f"{KEYS}/{key['id']}"
    assert refusal(service.http.post(f"{one}/activate"), 409) == "the key has no certificate yet"
    der = certificate(service, key)
    for content in (der, der, b"-----BEGIN CERTIFICATE-----\n" + base64.encodebytes(der) + b"-----END CERTIFICATE-----\n"):
        attached = attach(service, key, content)
        assert attached.status_code == 200 and attached.json()["ends"], attached.text
    for verb, state in (("activate", "active"), ("activate", "active"), ("retire", "retired"), ("retire", "retired")):
        moved = service.http.post(f"{one}/{verb}")
        assert moved.status_code == 200 and moved.json()["state"] == state, moved.text
    assert service.http.get(one).json() == service.http.post(f"{one}/retire").json()
    assert refusal(service.http.post(f"{one}/activate"), 409) == "the key's state or period does not allow it"
    assert key["id"] in [each["id"] for each in service.http.get(KEYS).json()["keys"]]


def test_the_same_request_makes_one_key(service: Service) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: make(service, once="once" * 4), range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 201]
    assert len({answer.json()["id"] for answer in answers}) == 1
    others = [make(service, kind, keys, once).json()["id"] for kind, keys, once in (
        ("processing-rsa", KEYS, "once" * 4), ("processing-ec", KEYS.replace("acme", "Acme"), "other" * 4), ("processing-ec", "/v1/merchants/merchant.com.other/keys", "once" * 4), ("processing-ec", KEYS, "twice" * 4),
    )]  # fmt: skip
    assert len({answers[0].json()["id"], *others}) == 5
    # Capitals tell merchants apart, and labels have none: two keys cannot have one label.
    refusal(make(service, keys=KEYS.replace("acme", "ACME"), once="once" * 4), 422)


def test_a_key_without_an_idempotency_key_is_not_made(service: Service) -> None:
    before = len(service.http.get(KEYS).json()["keys"])
    assert "Idempotency-Key is needed" in refusal(service.http.post(KEYS, json={"kind": "identity"}), 400)
    for body in ({}, {"kind": "x"}, {"kind": 1}, {"kind": "identity", "more": 1}, {"kind": ""}):
        refusal(service.http.post(KEYS, json=body, headers=ONCE), 400)
    refusal(service.http.post(KEYS, content=b"{}", headers=ONCE), 415)
    assert len(service.http.get(KEYS).json()["keys"]) == before


@pytest.mark.parametrize("merchant", ["-x", "--help", ".x", "a%20b", "a%2Fb", "a%00", "a*", "x" * 65, "ä"])
def test_merchants_that_are_none(service: Service, merchant: str) -> None:
    for response in (make(service, keys=f"/v1/merchants/{merchant}/keys"), service.http.get(f"/v1/merchants/{merchant}/keys")):
        refusal(response, 404)


def test_keys_of_others(service: Service) -> None:
    """Neither another merchant's, nor one that is no merchant's."""
    key, other = make(service, once="mine" * 4).json(), "/v1/merchants/merchant.com.other/keys"
    der = certificate(service, key)
    with service.sandbox.operator() as operator:
        others = [one.id.hex() for one in operator.keys() if one.role not in ("merchant-processing-ec", "merchant-processing-rsa", "merchant-identity-rsa")]
    assert others
    for name in (*others, "0" * 32, "--help", key["id"].upper(), key["label"].replace("/", "%2F")):
        refusal(service.http.get(f"{KEYS}/{name}"), 404)
    for response in (service.http.get(f"{other}/{key['id']}"), attach(service, key, der, other), service.http.post(f"{other}/{key['id']}/retire")):
        refusal(response, 404)
    assert service.http.get(f"{KEYS}/{key['id']}").json()["state"] == "pre-active"


def test_certificates_that_do_not_fit(service: Service) -> None:
    key, another = make(service, once="cert" * 4).json(), make(service, once="else" * 4).json()
    stranger = Authority().certify(MERCHANT, x509.load_pem_x509_csr(key["certificateRequest"].encode()).public_key(), "Payment Processing")
    for content in (stranger.public_bytes(Encoding.DER), b"x", certificate(service, key)[:-1], certificate(service, key) * 2, certificate(service, another), certificate(service, key, "merchant.com.other"), b"-----BEGIN CERTIFICATE-----\nx"):
        response = attach(service, key, content)
        assert response.status_code in (400, 422), response.text
    for content in (b"", bytes(16 * 1024 + 1)):
        refusal(attach(service, key, content), 400)
    assert "ends" not in service.http.get(f"{KEYS}/{key['id']}").json()


def test_who_calls_needs_a_key(service: Service) -> None:
    for method, path in (("GET", KEYS), ("POST", KEYS), ("PUT", f"{KEYS}/{'0' * 32}/certificate")):
        refusal(service.http.request(method, path, headers={"x-api-key": "another"}), 401)


def test_what_needs_a_second_person_waits_for_one(tmp_path: pathlib.Path) -> None:
    uid = os.getuid()
    rules = policy("keys") + f'\n[[grant]]\nid = "second"\nusers = [{uid + 1}]\noperations = ["approve"]\n'
    with made(tmp_path, config='[operators]\napproval = ["activate-key"]\n', rules=rules) as service:
        key = make(service).json()
        assert attach(service, key, certificate(service, key)).status_code == 200
        answers = [service.http.post(f"{KEYS}/{key['id']}/activate") for _ in range(2)]
        assert [answer.status_code for answer in answers] == [202, 202]
        assert answers[0].json()["approval"] == answers[1].json()["approval"] and answers[0].json()["until"] > "2026"
        assert service.http.get(f"{KEYS}/{key['id']}").json()["state"] == "pre-active"


def test_a_daemon_that_is_away_or_locked(tmp_path: pathlib.Path) -> None:
    with made(tmp_path) as service:
        key = make(service).json()
        with service.sandbox.operator() as operator:
            operator.lock()
        assert service.http.get(f"{KEYS}/{key['id']}").headers["retry-after"] == "30"
        service.sandbox.kill()
        for response in (make(service), service.http.get(KEYS), service.http.post(f"{KEYS}/{key['id']}/retire")):
            assert refusal(response, 503) == "kistd does not answer; nothing was done" and response.headers["retry-after"] == "5"
        service.sandbox.start()
        assert make(service).json()["id"] == key["id"]


@pytest.mark.parametrize("how", ["absent", "closes", "hangs"])
def test_a_daemon_that_does_not_answer_is_no_fault_of_the_requests(tmp_path: pathlib.Path, how: str) -> None:
    """It is never told as a certificate or a key that kistd does not take."""
    path = tmp_path / "admin.sock"
    requests = (("key", "retire", "0" * 32), ("key", "attach", "0" * 32, "-"))
    with socket.socket(socket.AF_UNIX) as listener:
        if how != "absent":
            listener.bind(str(path))
            listener.listen()
        if how == "closes":
            threading.Thread(target=hang_up, args=(listener, len(requests))).start()
        for words in requests:
            with pytest.raises(Problem) as refused:
                asyncio.run(Operator(str(path), str(PROGRAM)).do(*words, seconds=1))
            assert (refused.value.status, refused.value.detail) == (503, "kistd does not answer; nothing was done")
            assert refused.value.retry_after == 5


def test_an_answer_that_is_lost(service: Service) -> None:
    """By a kist that says nothing: kistd was there, and so may have done it."""
    operators = service.sandbox.operators_endpoint.removeprefix("unix:")
    for program in ("/bin/false", "/bin/true"):
        with pytest.raises(Problem) as refused:
            asyncio.run(Operator(operators, program).do("key", "list", seconds=1))
        assert (refused.value.status, refused.value.detail) == (504, "kistd did not answer; the request may have been carried out")


def hang_up(listener: socket.socket, times: int) -> None:
    for _ in range(times):
        listener.accept()[0].close()


def test_each_use_is_on_the_record(service: Service) -> None:
    key = make(service, once="record" * 3).json()
    shown = subprocess.run([PROGRAM, "audit", "show", service.sandbox.directory / "audit", "--op", "generate-key", "--json"], check=True, capture_output=True, text=True)
    last = json.loads(shown.stdout.splitlines()[-1])
    assert (last["result"], last["policy"]["grant"]) == ("ok", "keys") and key["state"] == "pre-active"


@pytest.mark.parametrize("labels", ["", "/", "merchant/", "Merchant", "a" * 25, "m/*"])
def test_wrong_settings(labels: str) -> None:
    with pytest.raises(SettingsError, match="labels"):
        KeysSettings(api_keys=(API_KEY_DIGEST,), labels=labels)
