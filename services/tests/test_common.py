"""What every service shares."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import pathlib
import re
import socket
import subprocess
import sys
import time
from typing import Any

import kist
import pytest
from kist_services.__main__ import SERVICES as TABLE
from kist_services.common.application import application
from kist_services.common.currencies import CURRENCIES
from kist_services.common.gate import Exchange, Limits
from kist_services.common.members import Members
from kist_services.common.problems import ANSWERS, Problem, problem
from kist_services.common.settings import Settings, SettingsError, load
from kist_services.decryptblob import PATH, DecryptBlobSettings
from kist_services.decryptblob import service as decryptblob
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from running import API_KEY_DIGEST, PROGRAM, SERVICES, ask, refusal
from test_decryptblob import GOOD

DIGEST = "ab" * 32


def test_every_error_has_a_row() -> None:
    kinds = {kind for kind in vars(kist.errors).values() if isinstance(kind, type) and issubclass(kind, kist.KistError)}
    assert kinds - set(ANSWERS) == {kist.KistError, kist.Refused, kist.EndpointError}
    refused = {kind.status for kind in ANSWERS if issubclass(kind, kist.Refused)}
    assert refused == set(kist.Status) - {kist.Status.OK}


def test_what_can_succeed_later_says_when() -> None:
    assert {status for status, _, retry_after in ANSWERS.values() if retry_after} == {503}
    assert all(retry_after for status, _, retry_after in ANSWERS.values() if status == 503)


@pytest.mark.parametrize(
    ("error", "status", "retry_after", "audit"),
    [
        (kist.Denied(7), 403, None, 7), (kist.Rejected(8, "replay"), 422, None, 8), (kist.Busy(None, True), 503, 1, None),
        (kist.Busy(6, retry_after=0.005), 503, 1, 6), (kist.Busy(6, retry_after=43200.5), 503, 43201, 6),
        (kist.Rejected(8, "not-released"), 422, None, 8), (kist.Locked(None), 503, 30, None), (kist.Timeout(), 504, None, None), (TimeoutError(), 504, None, None),
        (kist.ApprovalNeeded(9, "ABCD", 1), 503, 60, 9), (ValueError("4111111111111111"), 500, None, None),
    ],
)  # fmt: skip
def test_answers(error: Exception, status: int, retry_after: int | None, audit: int | None) -> None:
    answer = problem(error)
    assert (answer.status, answer.retry_after, answer.audit_sequence) == (status, retry_after, audit)
    assert "4111" not in answer.detail and "replay" not in answer.detail


def made(endpoint: Any, limits: Limits = Limits()) -> Any:
    return application("test", kist.AsyncClient("unix:/nowhere"), [Route("/", endpoint, methods=["POST"])], api_keys=(API_KEY_DIGEST,), limits=limits)


async def faulty(request: Request) -> Response:
    raise ValueError((await request.body()).decode())


async def sleepy(request: Request) -> Response:
    await asyncio.sleep(60)
    raise AssertionError


async def noting(request: Request) -> Response:
    Exchange.of(request).audit_sequence = 41
    return PlainTextResponse("ok")


def test_a_fault_tells_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    answer = asyncio.run(ask(made(faulty), "POST", "/", content="4111111111111111"))
    line = json.loads(capsys.readouterr().err)
    assert answer.status_code == 500 and answer.json()["detail"] == "this service failed" and "4111" not in answer.text
    assert line["error"].startswith("ValueError at faulty:") and "4111" not in json.dumps(line)


def test_the_time_limit() -> None:
    assert asyncio.run(ask(made(sleepy, Limits(seconds=0.05)), "POST", "/")).status_code == 504


def test_a_slow_body() -> None:
    messages = [{"type": "http.request", "body": b"a", "more_body": True}]

    async def receive() -> Any:
        if not messages:
            await asyncio.sleep(60)
        return messages.pop()

    answers: list[Any] = []

    async def send(message: Any) -> None:
        answers.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "raw_path": b"/", "query_string": b"", "headers": [], "root_path": ""}
    asyncio.run(made(noting, Limits(body_seconds=0.05))(scope, receive, send))
    assert answers[0]["status"] == 408 and (b"connection", b"close") in answers[0]["headers"]


@pytest.mark.parametrize(("given", "kept"), [("order-17.a_b", True), ("x" * 64, True), ("x" * 65, False), ("a b", False), ('"', False), ("", False)])
def test_request_ids(given: str, kept: bool, capsys: pytest.CaptureFixture[str]) -> None:
    answer = asyncio.run(ask(made(noting), "POST", "/", headers={"x-request-id": given}))
    line = json.loads(capsys.readouterr().err)
    assert (answer.headers["x-request-id"] == given) == kept and line["request"] == answer.headers["x-request-id"]
    assert (line["endpoint"], line["audit"], line["status"]) == ("noting", 41, 200)


def test_a_daemon_that_does_not_answer(tmp_path: pathlib.Path) -> None:
    """The client's own time limit ends the request."""
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "kist.sock"))
        silent.listen()
        app = decryptblob(kist.AsyncClient(f"unix:{tmp_path}/kist.sock"), DecryptBlobSettings(api_keys=(API_KEY_DIGEST,)))
        answer = asyncio.run(ask(app, "POST", PATH, content=GOOD.replace(">3000<", ">50<")))
    assert answer.status_code == 504 and "may have been carried out" in answer.text


def test_ready_does_not_wait_for_long(tmp_path: pathlib.Path) -> None:
    """Whatever a request may take, a kistd that does not answer within a second does not serve."""
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "kist.sock"))
        silent.listen()
        app = application("test", kist.AsyncClient(f"unix:{tmp_path}/kist.sock", timeout=8), [], api_keys=())
        began = time.monotonic()
        answer = asyncio.run(ask(app, "GET", "/ready"))
    assert refusal(answer, 503) == "kistd does not answer" and answer.headers["retry-after"]
    assert 0.7 < time.monotonic() - began < 3


@pytest.mark.parametrize(
    "body", ["", "[]", '{"a":', '{"a": 1, "a": 2}', '{"a": NaN}', "[" * 50_000, '{"a": ' * 5_000, "\ud800", "4111" * 2000, '"a"', "null"]
)
def test_bodies_that_are_no_object(body: str) -> None:
    with pytest.raises(Problem) as refused:
        Members(body.encode("utf-8", "surrogatepass"))
    assert refused.value.status == 400


def test_members() -> None:
    members = Members(b'{"a": "x", "b": "AQI=", "c": ["AQ=="], "d": 5, "e": "AQ", "f": "AR==", "g": "", "h": "\\u0007", "4111111111111111 ": 1}')
    assert (members.text("a", 1), members.octets("b", 2), members.list_of_octets("c", 1, 1)) == ("x", b"\1\2", [b"\1"])
    for name, why in [("d", "of another type"), ("e", "not base64"), ("f", "one form"), ("g", "1 to"), ("z", "missing")]:
        with pytest.raises(Problem, match=why):
            members.octets(name, 9)
    with pytest.raises(Problem, match="printed"):
        members.text("h", 9)
    with pytest.raises(Problem, match="a member is not expected") as refused:
        members.end()
    assert "4111" not in refused.value.detail


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "api_keys is missing"), ("api_keys = []", "one or more"), ('api_keys = ["a key"]', "64 hexadecimal"),
        (f'api_keys = "{DIGEST}"', "another type"), (f'api_keys = ["{DIGEST}"]\nother = 1', "no setting"), ("api_keys =", "Invalid value"),
        (f'api_keys = ["{DIGEST}"]\nmock_payments = 1', "another type"), (f'api_keys = ["{DIGEST}"]\ntender_types = {{ visa = 1 }}', "another type"),
    ],
)  # fmt: skip
def test_wrong_settings(text: str, why: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "settings.toml").write_text(text)
    with pytest.raises(SettingsError, match=why):
        load(DecryptBlobSettings, str(tmp_path / "settings.toml"))


@pytest.mark.parametrize("name", ["activation", "cardsecure", "idv", "issuer", "redeem"])
def test_files_that_are_not_there(name: str, tmp_path: pathlib.Path) -> None:
    """A service that cannot work says why in one line, and does not start."""
    text = re.sub(r'"/var/[^"]*"', f'"{tmp_path}/none/file"', (SERVICES / f"example/{name}.toml").read_text())
    (tmp_path / "settings.toml").write_text(text)
    command = [sys.executable, "-m", "kist_services", name, "--settings", str(tmp_path / "settings.toml"), "--port", "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 78 and re.fullmatch(r"kist_services: .*\n", done.stderr), done.stderr


def test_settings_that_are_not_there() -> None:
    with pytest.raises(SettingsError, match="No such file"):
        load(Settings, "/nowhere")


def test_currencies() -> None:
    assert len(CURRENCIES) == 165 and all(len(number) == 3 and len(code) == 3 for number, (code, _) in CURRENCIES.items())
    assert (CURRENCIES["840"], CURRENCIES["392"], CURRENCIES["788"]) == (("USD", 2), ("JPY", 0), ("TND", 3))


@pytest.mark.parametrize("name", TABLE)
def test_what_is_shipped_with_a_service(name: str, tmp_path: pathlib.Path) -> None:
    """Settings that load, a policy that the daemon takes, a user, and a way from the proxy."""
    assert load(TABLE[name][0], str(SERVICES / f"example/{name}.toml")).api_keys
    (tmp_path / "30-service.toml").write_bytes((SERVICES / f"policy/{name}.toml").read_bytes())
    subprocess.run([PROGRAM, "policy", "check", "--no-accounts", str(tmp_path)], check=True, capture_output=True)
    described = json.loads((SERVICES / f"openapi/{name}.json").read_text())
    assert described["openapi"] == "3.1.0" and described["info"]["title"] == name
    assert f"u kist-{name} " in (SERVICES / "systemd/sysusers.d/kist-services.conf").read_text()
    assert f"unix:/run/kist-services/{name}.sock;" in (SERVICES / "nginx/kist-services.conf").read_text()


def test_the_policies_together(tmp_path: pathlib.Path) -> None:
    """Each service may do its own work and nobody else's, by the users that the units run as."""
    names = re.findall(r"^u (\S+)", (SERVICES / "systemd/sysusers.d/kist-services.conf").read_text(), re.MULTILINE)
    (tmp_path / "passwd").write_text("".join(f"{name}:x:{900 + at}:{900 + at}::/:/bin/false\n" for at, name in enumerate(names)))
    (tmp_path / "group").write_text("".join(f"{name}:x:{900 + at}:\n" for at, name in enumerate([*names, "kist-clients"])))
    accounts = ["--users", str(tmp_path / "passwd"), "--groups", str(tmp_path / "group")]
    tested = subprocess.run(
        [str(PROGRAM), "policy", "test", str(SERVICES / "policy-cases.toml"), "--dir", str(SERVICES / "policy"), *accounts],
        capture_output=True, text=True
    )
    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_the_units_are_right() -> None:
    """And expose next to nothing, by systemd's own count of 0 to 10."""
    units = [str(SERVICES / f"systemd/kist-service@.{kind}") for kind in ("service", "socket")]
    verified = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)
    assert verified.returncode == 0 and "kist-service" not in verified.stderr, verified.stderr
    security = ["systemd-analyze", "security", "--offline=yes", "--threshold=10", units[0]]
    subprocess.run(security, check=True, capture_output=True)


@pytest.mark.parametrize("name", TABLE)
def test_the_openapi_description_has_every_route(name: str, tmp_path: pathlib.Path) -> None:
    kind, service = TABLE[name]
    settings = load(kind, str(SERVICES / f"example/{name}.toml"))
    places = {"cards": str(tmp_path / "cards"), "file": str(tmp_path / "file"), "vault": str(tmp_path / "vault"), "outbox": str(tmp_path)}
    (tmp_path / "cards").touch()
    here: dict[str, Any] = {place: path for place, path in places.items() if hasattr(settings, place)}
    settings = dataclasses.replace(settings, **here)
    routes = [route for route in service(kist.AsyncClient("unix:/nowhere"), settings).routes if isinstance(route, Route)]
    served = {(route.path, method.lower()) for route in routes for method in route.methods or () if method != "HEAD"}
    paths = json.loads((SERVICES / f"openapi/{name}.json").read_text())["paths"]
    assert served == {(path, method) for path, methods in paths.items() for method in methods}
