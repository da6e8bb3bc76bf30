"""Radial's page "Apple Pay Processing", 2016."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import dataclasses
import hashlib
import json
import pathlib
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree as ET

import httpx
import kist
import pytest
from kist.testing import Sandbox
from kist_services.decryptblob import PATH, SERVICES, TYPES, Blob, DecryptBlobSettings, answer, payment
from kist_services.decryptblob import service as decryptblob
from running import API_KEY, API_KEY_DIGEST, PROGRAM, Service, api_keys, ask, client, policy, refusal, sample, serving

PAN = "4054132100566965"
REPLY = f"{{{SERVICES}}}"
#: As the page has it, save for the bracket that is missing there.
REPAIRED = sample("radial-request.xml").replace(b"<EncryptionHeader\n", b"<EncryptionHeader>\n")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Sandbox(program=PROGRAM, policy=policy("decryptblob")) as sandbox:
        with serving("decryptblob", sandbox, api_keys(), tmp_path_factory.mktemp("service")) as service:
            yield service
            service.assert_unsaid(PAN, PAN[-4:] + "<", "Af9x/QwAA", "a key of the tests")


def blob(token: kist.Token, **changes: str) -> str:
    """A request of the page's shape with a token's parts."""
    parts = {
        "mock": "false", "timeout": "3000", "key": base64.b64encode(token.ephemeral_public_key).decode(), "id": token.transaction_id.hex(),
        "hash": base64.b64encode(token.public_key_hash).decode(), "data": base64.b64encode(token.data).decode(),
        "signature": base64.b64encode(token.signature).decode(), "version": "EC_v1", "algorithm": "apd", "more": "",
    } | changes  # fmt: skip
    return f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <DecryptBlobRequest xmlns="{SERVICES}" xmlns:payment="{TYPES}">
      <MessageHeader>
        <payment:RequestId>1</payment:RequestId>
        <payment:CreateTimestamp>2016-07-29T15:42:03.25Z</payment:CreateTimestamp>
        <payment:MockPayment>{parts["mock"]}</payment:MockPayment>
        <payment:extension/>
        <payment:ClientTimeoutInMilliseconds>{parts["timeout"]}</payment:ClientTimeoutInMilliseconds>
      </MessageHeader>
      <SourceId type="STORE">TMSUS</SourceId>
      <AlgorithmVersion>{parts["algorithm"]}</AlgorithmVersion>
      <EncryptionHeader>
        <payment:EphemeralPublicKey>{parts["key"]}</payment:EphemeralPublicKey>
        <payment:TransactionId> {parts["id"]} </payment:TransactionId>
        <payment:PublicKeyHash>{parts["hash"]}</payment:PublicKeyHash>{parts["more"]}
      </EncryptionHeader>
      <Version>{parts["version"]}</Version>
      <Data>{parts["data"]}</Data>
      <Signature>{parts["signature"]}</Signature>
    </DecryptBlobRequest>"""


def post(service: Service, body: str | bytes) -> httpx.Response:
    return service.http.post(PATH, content=body, headers={"content-type": "application/xml"})


def values(response: httpx.Response) -> dict[str, str]:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("application/xml") and response.headers["cache-control"] == "no-store"
    return {element.tag.removeprefix(REPLY): element.text or "" for element in ET.fromstring(response.content)}


def test_the_documents_broken_sample(service: Service) -> None:
    detail = refusal(post(service, sample("radial-request.xml")), 400)
    assert detail.startswith("not well-formed XML at line 14")


def test_the_documents_sample_repaired(service: Service) -> None:
    """It is read whole: its parts have the digest that Apple signed. No daemon but Radial's has its key."""
    token = Blob.read(REPAIRED).token
    digest = hashlib.sha256(token.ephemeral_public_key + token.data + token.transaction_id).hexdigest()
    assert digest == "5224594afbb68becc82b7a511d9b2e851215b67ef51d66947dec133eba929bc3"
    assert Blob.read(REPAIRED).seconds == 3 and not Blob.read(REPAIRED).is_mock
    assert "no such key" in refusal(post(service, REPAIRED), 403)


def test_the_documents_reply(service: Service) -> None:
    """A mock payment is answered with it, and by default not at all."""
    expected = sample("radial-reply.xml").replace(b'<DecryptBlobReply xmlns="http://api.gsicommerce.com/schema/checkout/1.0">', b"")
    mock = REPAIRED.replace(b"false<", b"true<")
    assert "no mock payments" in refusal(post(service, mock), 400)
    mocking = decryptblob(kist.AsyncClient("unix:/nowhere"), DecryptBlobSettings(api_keys=(API_KEY_DIGEST,), mock_payments=True))
    reply = asyncio.run(ask(mocking, "POST", PATH, content=mock))
    assert ET.canonicalize(reply.text, strip_text=True) == ET.canonicalize(expected.decode(), strip_text=True)


def test_codes_of_ones_own(service: Service) -> None:
    opened = kist.OpenedToken(
        0, 1, kist.Secret(b"3530111333300000"), network="jcb", expiry=kist.Secret(b"300131"), currency="392", amount=0, device_manufacturer="04",
        cryptogram=kist.Secret(b"AA=="),
    )  # fmt: skip
    made = payment(opened, {"jcb": "XX"})
    assert (made.tender_type, made.expiration, made.amount, made.eci) == ("XX", "2030-01", "0", None)
    assert b"EciIndicator" not in answer(made).body
    with pytest.raises(kist.ReplyError):
        payment(dataclasses.replace(opened, dpan=None), {"jcb": "XX"})


def test_a_token_is_opened(service: Service) -> None:
    reply = post(service, blob(service.sandbox.token(pan=PAN, amount=1499)))
    assert values(reply) == {
        "DeviceAccountNumber": PAN, "TenderType": "VC", "ExpirationDate": "2049-12", "TransactionAmount": "14.99",
        "DeviceManufacturerIdentifier": "040010030273", "OnlinePaymentCryptogram": "Af9x/QwAA/DjmU65oyc1MAABAAA=", "EciIndicator": "5",
    }  # fmt: skip
    assert 'isToken="false"' in reply.text and 'currencyCode="USD"' in reply.text
    line = service.log_lines()[-1]
    assert (line["endpoint"], line["status"], line["request"]) == ("decrypt", 200, reply.headers["x-request-id"]) and line["audit"]


@pytest.mark.parametrize("name", ["order-17", "feed000000000001", None])
def test_the_audit_record_has_the_request_id(service: Service, name: str | None) -> None:
    """The caller's own, or the one that the service made, found as the answer names it."""
    headers = {"content-type": "application/xml"} | ({} if name is None else {"x-request-id": name})
    reply = service.http.post(PATH, content=blob(service.sandbox.token(pan=PAN)), headers=headers)
    given = reply.headers["x-request-id"]
    assert reply.status_code == 200 and name in (None, given)
    shown = subprocess.run(
        [PROGRAM, "audit", "show", service.sandbox.directory / "audit", "--request", given, "--json"], check=True, capture_output=True
    ).stdout
    assert [json.loads(line)["seq"] for line in shown.splitlines()] == [service.log_lines()[-1]["audit"]]


def test_an_idempotency_key_opens_again_after_a_lost_answer(service: Service) -> None:
    token = service.sandbox.token(pan=PAN)

    def sent(key: str | None, body: str = blob(token)) -> httpx.Response:
        headers = {"content-type": "application/xml"} | ({} if key is None else {"idempotency-key": key})
        return service.http.post(PATH, content=body, headers=headers)

    first = sent("payment-0001-a7f3c1")
    assert values(first)["DeviceAccountNumber"] == PAN
    service.sandbox.kill()
    service.sandbox.start()
    assert sent("payment-0001-a7f3c1").content == first.content
    for other in ("payment-0002-a7f3c1", None):
        assert refusal(sent(other), 422)
    for wrong in ("short", "x" * 256, "sixteen characters with spaces"):
        assert "Idempotency-Key" in refusal(sent(wrong), 400)
    assert refusal(sent(None, blob(token)), 422)


def test_white_space_and_prefixes(service: Service) -> None:
    token = service.sandbox.token(pan=PAN)
    data = base64.b64encode(token.data).decode()
    wrapped = "\r\n\t ".join(data[at : at + 76] for at in range(0, len(data), 76))
    body = blob(token, data=f"\n{wrapped}\n").replace("payment:", "p:").replace("xmlns:payment", "xmlns:p")
    assert values(post(service, body))["DeviceAccountNumber"] == PAN


def test_application_data(service: Service) -> None:
    digest = "ab" * 32
    token = service.sandbox.token(pan=PAN, application_data=digest)
    element = f"<payment:ApplicationData>{digest}</payment:ApplicationData>"
    assert values(post(service, blob(token, more=element)))["DeviceAccountNumber"] == PAN


@pytest.mark.parametrize(
    ("number", "code", "amount", "text"),
    [("840", "USD", 0, "0.00"), ("840", "USD", 5, "0.05"), ("392", "JPY", 1499, "1499"), ("048", "BHD", 1499, "1.499"), ("990", "CLF", 7, "0.0007")],
)
def test_amounts(service: Service, number: str, code: str, amount: int, text: str) -> None:
    reply = post(service, blob(service.sandbox.token(currency=number, amount=amount)))
    assert values(reply)["TransactionAmount"] == text and f'currencyCode="{code}"' in reply.text


@pytest.mark.parametrize(
    ("pan", "tender"),
    [("370000000000002", "AM"), ("6011000000000004", "DC"), ("5204240250197841", "MC"), ("2223000000000007", "MC"), ("4054132100566965", "VC")],
)
def test_tender_types(service: Service, pan: str, tender: str) -> None:
    assert values(post(service, blob(service.sandbox.token(pan=pan))))["TenderType"] == tender


def test_a_network_or_currency_without_a_code(service: Service) -> None:
    for token in (service.sandbox.token(pan="3530111333300000"), service.sandbox.token(currency="999")):
        response = post(service, blob(token))
        assert "no code" in refusal(response, 422) and response.json()["auditSequence"]


def test_a_token_opens_once(service: Service) -> None:
    body = blob(service.sandbox.token(pan=PAN))
    assert values(post(service, body))
    again = post(service, body)
    assert refusal(again, 422) and again.json()["auditSequence"] and "replay" not in again.text


def test_a_token_opens_once_among_many(service: Service) -> None:
    body = blob(service.sandbox.token(pan=PAN))
    with ThreadPoolExecutor(20) as threads:
        answers = sorted(response.status_code for response in threads.map(lambda _: post(service, body), range(20)))
    assert answers == [200] + [422] * 19


def test_a_policy_that_releases_too_little(tmp_path: pathlib.Path) -> None:
    """The request fails, and the token can be opened once policy is right."""
    with Sandbox(program=PROGRAM, policy=policy("decryptblob").replace('"cryptogram", ', "")) as sandbox:
        with serving("decryptblob", sandbox, api_keys(), tmp_path) as service:
            token = sandbox.token(pan=PAN)
            response = post(service, blob(token))
            assert "not used up" in refusal(response, 422) and response.json()["auditSequence"]
        with sandbox.client() as client:
            assert client.open_payment_token(token).audit_sequence


@pytest.mark.parametrize("defect", ["wrong-key", "bad-signature", "no-leaf-marker", "bad-tag"])
def test_wrong_tokens_look_alike(service: Service, defect: str) -> None:
    body = post(service, blob(service.sandbox.token(defect=defect))).json()
    assert body["status"] == 422 and body["detail"] == "a check failed; the same request would be refused again"


def test_a_stale_token(service: Service) -> None:
    assert refusal(post(service, blob(service.sandbox.token(stale=True))), 422)


GOOD = blob(kist.Token(kist.TokenVersion.EC_V1, b"d" * 99, b"s" * 99, bytes(32), bytes(32), b"k" * 91))
HOSTILE = {
    "nothing": "",
    "no XML": "{}",
    "a document type": GOOD.replace("?>", '?><!DOCTYPE a SYSTEM "http://example.com/a.dtd">', 1),
    "an entity": GOOD.replace("?>", '?><!DOCTYPE a [<!ENTITY b "c">]>', 1).replace("TMSUS", "&b;"),
    "a file": GOOD.replace("?>", '?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>', 1).replace("TMSUS", "&b;"),
    "a billion laughs": GOOD.replace("?>", '?><!DOCTYPE a [<!ENTITY b "cc"><!ENTITY d "&b;&b;">]>', 1),
    "deep": "<a>" * 20_000 + "</a>" * 10_000,
    "deep and closed": "<a>" * 15_000 + "</a>" * 15_000,
    "another root": GOOD.replace("DecryptBlobRequest", "Other"),
    "another namespace": GOOD.replace("services/1.0/", "services/2.0/"),
    "types of another namespace": GOOD.replace("types/1.0/", "types/2.0/"),
    "no header": GOOD.replace("<Version>EC_v1</Version>", ""),
    "twice": GOOD.replace("<Version>EC_v1</Version>", "<Version>EC_v1</Version>" * 2),
    "unexpected": GOOD.replace("<Version>", "<Other/><Version>"),
    "RSA": GOOD.replace("EC_v1", "RSA_v1"),
    "another algorithm": GOOD.replace("apd", "apx"),
    "elements in text": GOOD.replace("apd", "<a/>apd"),
    "mock of neither": GOOD.replace(">false<", ">maybe<"),
    "a mock in words": GOOD.replace(">false<", "><"),
    "no base64": GOOD.replace("<Data>", "<Data>*"),
    "base64 of other letters": GOOD.replace("<Data>", "<Data>_"),
    "empty data": GOOD.replace(base64.b64encode(b"d" * 99).decode(), ""),
    "base64 that ends otherwise": GOOD.replace(base64.b64encode(bytes(32)).decode(), "A" * 42 + "B="),
    "no hex": GOOD.replace("0" * 64, "0" * 63 + "x"),
    "a short transaction id": GOOD.replace("0" * 64, "00"),
    "a time limit of nothing": GOOD.replace(">3000<", ">0<"),
    "a negative time limit": GOOD.replace(">3000<", ">-1<"),
    "a time limit in Arabic digits": GOOD.replace(">3000<", ">٣<"),
    "an endless time limit": GOOD.replace(">3000<", f">{'9' * 5000}<"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bodies(service: Service, name: str) -> None:
    detail = refusal(post(service, HOSTILE[name]), 400)
    assert len(detail) < 200 and "passwd" not in detail


@pytest.mark.parametrize("body", [b"\xff\xfe<\x00a\x00", GOOD.encode("utf-16"), b"\x00" * 100, GOOD.encode() + b"\x00", bytes(range(256))])
def test_hostile_octets(service: Service, body: bytes) -> None:
    assert post(service, body).status_code in (400, 403)


def test_what_is_well_formed_comes_to_the_daemon(service: Service) -> None:
    """`GOOD` is refused for its key alone, so that each hostile body is refused for what was changed in it."""
    assert refusal(post(service, GOOD), 403)


def test_too_large(service: Service) -> None:
    assert refusal(post(service, GOOD + " " * 200_000), 413)
    assert refusal(service.http.post(PATH, content=iter([b"<a>" * 1000] * 70)), 413)


def test_api_keys(service: Service) -> None:
    with client(service.socket) as stranger:
        for key in ("", "another", API_KEY.upper(), API_KEY[:-1]):
            assert refusal(stranger.post(PATH, content=GOOD, headers={"x-api-key": key} if key else {}), 401)
        assert stranger.get("/ready").json() == {"ready": True}


def test_slow_clients(service: Service) -> None:
    """Half a request, many times over, keeps nobody else waiting."""
    with contextlib.ExitStack() as stack:
        for number in range(60):
            slow = stack.enter_context(socket.socket(socket.AF_UNIX))
            slow.connect(str(service.socket))
            slow.send(b"POST / HTTP/1.1\r\nhost: a\r\n" + (b"content-length: 9\r\n\r\na" if number % 2 else b""))
        assert values(post(service, blob(service.sandbox.token(pan=PAN))))


def test_other_paths_and_methods(service: Service) -> None:
    assert refusal(service.http.get("/other"), 404)
    response = service.http.get(PATH)
    assert refusal(response, 405) and response.headers["allow"] == "POST"


def test_while_the_daemon_is_away(service: Service) -> None:
    """Requests fail and say when to come back; afterwards the service goes on by itself."""
    token = service.sandbox.token(pan=PAN)
    service.sandbox.kill()
    away = post(service, blob(token))
    assert refusal(away, 503) and away.headers["retry-after"] == "5"
    assert service.http.get("/ready").status_code == 503
    service.sandbox.start()
    assert values(post(service, blob(token)))["DeviceAccountNumber"] == PAN
    with service.sandbox.operator() as operator:
        operator.lock()
    locked = post(service, blob(token))
    assert refusal(locked, 503) and locked.headers["retry-after"] == service.http.get("/ready").headers["retry-after"] == "30"
    service.sandbox.stop()
    service.sandbox.start()
    assert service.http.get("/ready").status_code == 200
