"""Merchant sessions from a stand-in for Apple's gateway, by a key that the service does not have."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from furnished import add_identity, sessions_settings
from gateway import Authority, FakeGateway, fake_gateway, session
from kist.testing import Sandbox
from kist_services import gateway as apple
from kist_services.common.problems import Problem
from kist_services.common.settings import SettingsError
from kist_services.gateway import HOSTS, Gateway, target
from kist_services.sessions import ASSOCIATION_PATH, DEFAULT_URL, LOOK_SECONDS, PATH, SessionsSettings
from running import API_KEY_DIGEST, PROGRAM, SERVICES, Service, api_keys, in_memory, policy, refusal, serving

SECONDS = float(os.environ.get("KIST_SESSIONS_SECONDS", "3"))
def identity(sandbox: Sandbox) -> bytes:
    """The certificate of the only one."""
    with sandbox.operator() as operator:
        return operator.describe_key(operator.find_key("merchant/sandbox/identity/*").id).certificate


@contextlib.contextmanager
def made(place: pathlib.Path, version: ssl.TLSVersion | None = None, names: Iterable[str] = HOSTS, *, trusted: bool = True, **options: Any) -> Iterator[tuple[Service, FakeGateway]]:
    """A daemon with one identity, a gateway and the service; `trusted` is whether the gateway knows who issued the identity."""
    authority = Authority()
    with Sandbox(program=PROGRAM, policy=policy("sessions")) as sandbox, fake_gateway(place, authority, names, version) as gateway:
        add_identity(sandbox, authority if trusted else Authority("Another"), "merchant/sandbox/identity/2026", **options)
        with serving("sessions", sandbox, api_keys() + sessions_settings(gateway), place) as service:
            yield service, gateway


def post(service: Service, **members: object) -> httpx.Response:
    return service.http.post(PATH, json=members)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_sessions(tmp_path: pathlib.Path, version: ssl.TLSVersion) -> None:
    with made(tmp_path, version) as (service, gateway):
        for url in (None, *(f"https://{host}/paymentservices/startSession" for host in HOSTS)):
            response = post(service, **({} if url is None else {"validationURL": url}))
            assert response.status_code == 200, response.text
            assert response.json()["domainName"] == "shop.example.com"
        path, body, certificate = gateway.asked[0]
        assert path == "/paymentservices/paymentSession" and {path for path, *_ in gateway.asked[1:]} == {"/paymentservices/startSession"}
        assert body == {"merchantIdentifier": "merchant.com.example.sandbox", "displayName": "Acme", "initiative": "web", "initiativeContext": "shop.example.com"}
        assert certificate == identity(service.sandbox)
        assert gateway.handshakes == len(HOSTS), "connections are not kept"
        assert len(_signatures(service.sandbox)) == len(HOSTS)
        service.assert_unsaid("merchantSessionIdentifier", "shop.example.com")


def _signatures(sandbox: Sandbox) -> list[dict[str, Any]]:
    shown = subprocess.run([PROGRAM, "audit", "show", sandbox.directory / "audit", "--op", "sign", "--json"], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in shown.stdout.splitlines()]


def test_the_answer_is_unchanged(tmp_path: pathlib.Path) -> None:
    answer = b'{ "nonce":"\\u00e9",  "epochTimestamp" : 1.0, "a": 1, "a": 2 }\n'
    with made(tmp_path) as (service, gateway):
        gateway.answer = lambda handler, _: handler.send(200, answer)
        assert post(service).content == answer


def test_the_key_is_in_no_memory_of_the_service(tmp_path: pathlib.Path) -> None:
    authority = Authority()
    with Sandbox(program=PROGRAM, policy=policy("sessions")) as sandbox, fake_gateway(tmp_path, authority) as gateway:
        key, certificate = add_identity(sandbox, authority, "merchant/sandbox/identity/2026")
        numbers = key.private_numbers()
        secrets = [number.to_bytes(size, order) for number, size in ((numbers.d, 256), (numbers.p, 128), (numbers.q, 128)) for order in _ORDERS]
        with serving("sessions", sandbox, api_keys() + sessions_settings(gateway), tmp_path) as service:
            assert post(service).status_code == 200
            modulus = numbers.public_numbers.n.to_bytes(256, "big")
            # That the search finds what is there shows the certificate's number.
            assert in_memory(service.process, *(secret[:64] for secret in secrets), modulus[:64]) == {modulus[:64]}


HOST = "apple-pay-gateway.apple.com"
_ORDERS: tuple[Literal["big", "little"], ...] = ("big", "little")
WRONG_URLS = [
    "http://apple-pay-gateway.apple.com/paymentservices/paymentSession", "https://apple-pay-gateway.apple.com/", "https://apple-pay-gateway.apple.com",
    "https://apple-pay-gateway.apple.com:8443/paymentservices/paymentSession", "https://apple-pay-gateway.apple.com:443/paymentservices/paymentSession",
    "https://user@apple-pay-gateway.apple.com/paymentservices/paymentSession", "https://apple-pay-gateway.apple.com@127.0.0.1/paymentservices/paymentSession",
    "https://apple-pay-gateway.apple.com./paymentservices/paymentSession", "https://apple-pay-gateway.apple.com.example.com/paymentservices/paymentSession",
    "https://example.com/paymentservices/paymentSession", "https://evil-apple-pay-gateway.apple.com/paymentservices/paymentSession",
    "https://apple-pay-gateway-nc-pod6.apple.com/paymentservices/paymentSession", "https://apple-pay-gateway.apple.com/paymentservices/paymentSession?x=1",
    "https://apple-pay-gateway.apple.com/paymentservices/paymentSession#x", "https://apple-pay-gateway.apple.com/paymentservices/../admin",
    "https://apple-pay-gateway.apple.com/paymentservices/paymentSession/", "https://127.0.0.1/paymentservices/paymentSession", "https://[::1]/paymentservices/paymentSession",
    "https://2130706433/paymentservices/paymentSession", "https://169.254.169.254/paymentservices/paymentSession", "https://localhost/paymentservices/paymentSession",
    "https://\uff41pple-pay-gateway.apple.com/paymentservices/paymentSession", "https://xn--pple-pay-gateway-31a.apple.com/paymentservices/paymentSession",
    "https://apple-pay-gateway%2eapple.com/paymentservices/paymentSession", "https://APPLE-PAY-GATEWAY.apple.com/paymentservices/paymentSession",
    "file:///etc/passwd", "//apple-pay-gateway.apple.com/paymentservices/paymentSession", "https:\\\\apple-pay-gateway.apple.com\\paymentservices\\paymentSession",
    "https://apple-pay-gateway.apple.com/paymentservices/paymentSession\r\nhost: example.com", "https://apple-pay-gateway.apple.com/paymentservices/paymentSession\n", " " + DEFAULT_URL,
]  # fmt: skip


@pytest.mark.parametrize("url", WRONG_URLS)
def test_another_url_is_refused(url: str) -> None:
    with pytest.raises(Problem) as refused:
        target(url)
    assert refused.value.status == 400


def test_a_refused_request_connects_to_nobody(tmp_path: pathlib.Path) -> None:
    with made(tmp_path) as (service, gateway):
        for url in WRONG_URLS:
            refusal(post(service, validationURL=url), 400)
        for members in ({"validationURL": 1}, {"validationURL": ""}, {"url": DEFAULT_URL}, {"validationURL": DEFAULT_URL, "domain": "x"}):
            refusal(service.http.post(PATH, json=members), 400)
        refusal(service.http.post(PATH, content=b"{}"), 415)
        refusal(service.http.post(PATH, json={}, headers={"x-api-key": "another"}), 401)
        assert gateway.handshakes == 0


def test_every_host_of_apples_is_taken() -> None:
    assert len(HOSTS) == 20 and all(target(f"https://{host}/paymentservices/{path}")[0] == host for host in HOSTS for path in ("paymentSession", "startSession"))


def test_the_description_takes_the_same_urls() -> None:
    (pattern,) = re.findall(r'"pattern": "(.*)"', (SERVICES / "openapi/sessions.json").read_text())
    assert all(re.search(pattern, f"https://{host}/paymentservices/{path}") for host in HOSTS for path in ("paymentSession", "startSession"))
    assert [url for url in WRONG_URLS if re.fullmatch(pattern, url)] == []


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "192.168.0.9", "169.254.169.254", "::1", "fd00::1", "::ffff:127.0.0.1", "0.0.0.0", "100.64.0.1"])
def test_a_name_that_leads_inside_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    public = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("17.171.78.7", 443))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [public, (family, socket.SOCK_STREAM, 6, "", (address, 443))])
    monkeypatch.setattr(apple.Connection, "ask", lambda *_: pytest.fail("connected"))
    with pytest.raises(Problem) as refused:
        asyncio.run(Gateway(ssl.create_default_context()).ask(HOST, "/", b"", 5))
    assert refused.value.status == 502


def _greet(handler: Any, _: object) -> None:
    """As a server of another protocol would."""
    handler.wfile.write(b"220 mail\r\n\r\n")
    handler.close_connection = True


def _stall(handler: Any, _: object) -> None:
    time.sleep(30)


def _trickle(handler: Any, _: object) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
    with contextlib.suppress(OSError):
        for _ in range(100):
            handler.wfile.write(b" ")
            time.sleep(0.3)


def _end(handler: Any, _: object) -> None:
    handler.close_connection = True


ANSWERS: dict[str, tuple[Callable[[Any, Any], object], int, str]] = {
    "redirect": (lambda handler, _: handler.send(302, b"", location="https://example.com/"), 502, "the gateway answered 302"),
    "refused": (lambda handler, _: handler.send(417, b'{"statusCode":"417"}'), 502, "the gateway answered 417"),
    "failed": (lambda handler, _: handler.send(500, b"{}"), 502, "the gateway answered 500"),
    "huge": (lambda handler, _: handler.send(200, b'"' + b"a" * 70_000 + b'"'), 502, "too large"),
    "no JSON": (lambda handler, _: handler.send(200, b"<html>"), 502, "no JSON object"),
    "no object": (lambda handler, _: handler.send(200, b"[1]"), 502, "no JSON object"),
    "empty": (lambda handler, _: handler.send(200, b""), 502, "no JSON object"),
    "deep": (lambda handler, _: handler.send(200, b"[" * 60_000), 502, "no JSON object"),
    "no HTTP": (_greet, 503, "does not answer"),
    "ends": (_end, 503, "does not answer"),
    "stalls": (_stall, 504, "in time"),
    "trickles": (_trickle, 504, "in time"),
}


def test_other_answers(tmp_path: pathlib.Path) -> None:
    """Each is told as what it is, within the time of a request, and a session follows."""
    with made(tmp_path) as (service, gateway):
        for name, (answer, status, words) in ANSWERS.items():
            gateway.answer = answer
            began = time.monotonic()
            response = post(service)
            assert response.status_code == status, (name, response.text, service.log.read_text()[-500:])
            assert words in refusal(response, status), name
            assert time.monotonic() - began < 12
            gateway.answer = session
            assert post(service).status_code == 200, name


def test_a_gateway_of_another_name(tmp_path: pathlib.Path) -> None:
    with made(tmp_path, names=["example.com"]) as (service, gateway):
        assert "certificate is not valid" in refusal(post(service), 502)
        assert gateway.asked == []


def test_an_identity_that_the_gateway_does_not_take(tmp_path: pathlib.Path) -> None:
    """Of another issuer, and one that is revoked."""
    with made(tmp_path, trusted=False) as (service, gateway):
        assert "refused the merchant identity" in refusal(post(service), 502)
        assert gateway.asked == []


def test_an_identity_that_is_revoked(tmp_path: pathlib.Path) -> None:
    authority = Authority()
    with Sandbox(program=PROGRAM, policy=policy("sessions")) as sandbox:
        add_identity(sandbox, authority, "merchant/sandbox/identity/2026")
        authority.revoked.append(x509.load_der_x509_certificate(identity(sandbox)))
        with fake_gateway(tmp_path, authority) as gateway, serving("sessions", sandbox, api_keys() + sessions_settings(gateway), tmp_path) as service:
            assert "refused the merchant identity" in refusal(post(service), 502)


def test_an_identity_that_has_ended_or_is_none(tmp_path: pathlib.Path) -> None:
    """It is not used at all: `/ready` says so, too."""
    authority = Authority()
    with Sandbox(program=PROGRAM, policy=policy("sessions")) as sandbox, fake_gateway(tmp_path, authority) as gateway:
        with serving("sessions", sandbox, api_keys() + sessions_settings(gateway), tmp_path) as service:
            for response in (post(service), service.http.get("/ready")):
                assert "no merchant identity key" in refusal(response, 503) and response.headers["retry-after"] == "30"
            add_identity(sandbox, authority, "merchant/sandbox/identity/2024", days=-1)
            assert "no merchant identity key" in refusal(post(service), 503)
            add_identity(sandbox, authority, "merchant/sandbox/identity/2026")
            assert post(service).status_code == 200 and service.http.get("/ready").status_code == 200
            assert gateway.handshakes == 1


def test_a_new_identity_is_used_without_a_failed_request(tmp_path: pathlib.Path) -> None:
    authority = Authority()
    with Sandbox(program=PROGRAM, policy=policy("sessions")) as sandbox, fake_gateway(tmp_path, authority) as gateway:
        add_identity(sandbox, authority, "merchant/sandbox/identity/2024")
        with serving("sessions", sandbox, api_keys() + sessions_settings(gateway), tmp_path) as service:
            assert post(service).status_code == 200
            time.sleep(1.1)  # times of activation are in seconds
            _, second = add_identity(sandbox, authority, "merchant/sandbox/identity/2026")
            end = time.monotonic() + LOOK_SECONDS + 10
            while gateway.asked[-1][2] != second and time.monotonic() < end:
                assert post(service).status_code == 200
                time.sleep(0.05)
            assert gateway.asked[-1][2] == second


def test_a_daemon_that_is_away_or_locked(tmp_path: pathlib.Path) -> None:
    """Connections that are there serve on while it is away; what it refuses is obeyed within ten seconds."""
    with made(tmp_path) as (service, gateway):
        assert post(service).status_code == 200
        for away in (service.sandbox.kill, service.sandbox.start):
            away()
            end = time.monotonic() + LOOK_SECONDS + 2
            while time.monotonic() < end:
                began = time.monotonic()
                assert post(service).status_code == 200 and time.monotonic() - began < 2.5
                time.sleep(0.5)
        assert gateway.handshakes == 1
        with service.sandbox.operator() as operator:
            operator.lock()
        assert _refused_in_time(service) == "the key store is locked"
        service.sandbox.kill()
        assert refusal(post(service), 503) == "kistd does not answer; nothing was done", "what was refused serves again"


def _refused_in_time(service: Service) -> str:
    end = time.monotonic() + LOOK_SECONDS + 2
    while (response := post(service)).status_code == 200 and time.monotonic() < end:
        time.sleep(0.2)
    return refusal(response, 503)


def test_an_identity_changes_while_requests_are_on_their_way(tmp_path: pathlib.Path) -> None:
    """A gateway that is given up answers those who have it already."""
    authority = Authority()
    with fake_gateway(tmp_path, authority) as gateway:
        made = ssl.create_default_context(cafile=str(gateway.authorities))
        key = rsa.generate_private_key(65537, 2048)
        octets = authority.merchant("merchant.com.example.sandbox", key).public_bytes(Encoding.PEM)
        (tmp_path / "identity.pem").write_bytes(octets + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        made.load_cert_chain(tmp_path / "identity.pem")
        old = Gateway(made, ("127.0.0.1", gateway.server_port))
        old.close()

        async def ask() -> bytes:
            answer = await old.ask(HOST, "/paymentservices/paymentSession", b'{"initiativeContext": "", "displayName": "", "merchantIdentifier": ""}', 5)
            old.close()
            return answer

        assert asyncio.run(ask()).startswith(b"{")


def _session_and_end(handler: Any, body: dict[str, str]) -> None:
    handler.close_connection = True
    session(handler, body)


@pytest.mark.parametrize("answer", [session, _session_and_end], ids=["kept", "ended"])
def test_many_at_once_while_the_daemon_is_killed(tmp_path: pathlib.Path, answer: Callable[[Any, Any], None]) -> None:
    """Sessions at a rate, by connections that are kept, or one for each; kills of kistd cost nothing but 503 with Retry-After."""
    with made(tmp_path) as (service, gateway):
        gateway.answer = answer
        statuses: list[int] = []
        stop = threading.Event()

        def ask() -> None:
            with httpx.Client(transport=httpx.HTTPTransport(uds=str(service.socket)), base_url="http://service", headers=dict(service.http.headers), timeout=20) as http:
                while not stop.is_set():
                    response = http.post(PATH, json={})
                    assert response.status_code == 200 or (response.status_code == 503 and response.headers["retry-after"]), response.text
                    statuses.append(response.status_code)

        def as_many_again() -> bool:
            """Whatever the machine's rate is."""
            enough, until = statuses.count(200) + 16, time.monotonic() + 60
            while statuses.count(200) < enough and time.monotonic() < until:
                time.sleep(0.01)
            return statuses.count(200) >= enough

        kills = max(1, int(SECONDS / 3))
        with ThreadPoolExecutor(16) as pool:
            jobs = [pool.submit(ask) for _ in range(16)]
            try:
                for _ in range(kills):
                    time.sleep(SECONDS / kills - 1)
                    assert as_many_again()
                    service.sandbox.kill()
                    service.sandbox.start()
                assert as_many_again()
            finally:
                stop.set()
            for job in jobs:
                job.result()
        print(f"sessions: {statuses.count(200) / SECONDS:.0f} a second, {statuses.count(503)} times 503, {gateway.handshakes} handshakes")


def test_the_domain_association_file(tmp_path: pathlib.Path) -> None:
    """Served to whoever asks, and as it is now; who asks for anything else needs a key, and a file that is not there is said."""
    file = tmp_path / "association"
    file.write_bytes(b"7B7D")
    with Sandbox(program=PROGRAM, policy=policy("sessions")) as sandbox, fake_gateway(tmp_path, Authority()) as gateway:
        more = f'domain_association = "{file}"\n'
        with serving("sessions", sandbox, api_keys() + sessions_settings(gateway) + more, tmp_path) as service:
            with httpx.Client(transport=httpx.HTTPTransport(uds=str(service.socket)), base_url="http://service") as stranger:
                assert stranger.get(ASSOCIATION_PATH).content == b"7B7D"
                file.with_suffix(".new").write_bytes(b"7B207D")
                file.with_suffix(".new").rename(file)
                assert stranger.get(ASSOCIATION_PATH).content == b"7B207D"
                assert stranger.post(ASSOCIATION_PATH).status_code == 405
                refused = [stranger.get(path) for path in (PATH, ASSOCIATION_PATH + "/", "/.well-known/", ASSOCIATION_PATH.upper(), "//ready")]
                assert {response.status_code for response in refused} == {401}
                for bad in (b"", b"7" * 65537):
                    file.write_bytes(bad)
                    assert stranger.get(ASSOCIATION_PATH).status_code == 503
                file.unlink()
                assert stranger.get(ASSOCIATION_PATH).headers["retry-after"] == "30"


@pytest.mark.parametrize("name, value", [("domain_association", "/nowhere"), ("domain_association", "/dev/null"), ("display_name", ""), ("display_name", "a" * 65), ("gateway", "localhost"), ("gateway", "localhost:port"), ("gateway", ":443")])
def test_wrong_settings(name: str, value: str) -> None:
    right = {"api_keys": (API_KEY_DIGEST,), "merchant": "m", "display_name": "Acme", "domain": "shop.example.com", "identities": "a"}
    SessionsSettings(**right)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=name):
        SessionsSettings(**right | {name: value})  # type: ignore[arg-type]
