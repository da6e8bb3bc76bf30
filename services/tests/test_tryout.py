"""``make services-try``: every service does something, and nothing of it stays."""

from __future__ import annotations

import os
import pathlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest
import tryout
from kist_services.__main__ import SERVICES as TABLE
from running import SERVICES
from test_shop import descendants

COMMAND = [sys.executable, str(SERVICES / "shop/tryout.py")]


def started(place: pathlib.Path) -> subprocess.Popen[str]:
    return subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": str(place)})


@pytest.fixture
def running(short_path: pathlib.Path) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The program once it has asked everything, and what it printed."""
    with started(short_path) as process:
        assert process.stdout is not None
        lines = list[str]()
        for line in process.stdout:
            lines.append(line)
            if "curl " in line:
                break
        yield process, lines
        process.terminate()


def test_each_service_is_asked_something_that_succeeds(running: tuple[subprocess.Popen[str], list[str]]) -> None:
    process, lines = running
    text = "".join(lines)
    asked = re.findall(r"^(\w+) +POST (\S+)$", text, re.MULTILINE)
    assert {name for name, _ in asked} == set(TABLE) and len(asked) == 10
    assert re.findall(r"^ {7}(\d{3})  ", text, re.MULTILINE) == ["200"] * 7 + ["201", "200", "201"], text
    for sign in ("DecryptBlobReply", '"dpan"', '"errorcode":0', '"account"', "encryptedPassData", "the card of Tester Bob", "sdkInput", "activationToken"):
        assert sign in text, sign
    (socket, address) = re.findall(r"curl --unix-socket (\S+) (\S+)", text)[0]
    with httpx.Client(transport=httpx.HTTPTransport(uds=socket)) as http:
        assert http.get(address).json() == {"ready": True}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_nothing(running: tuple[subprocess.Popen[str], list[str]], short_path: pathlib.Path, number: signal.Signals) -> None:
    process, _ = running
    family = descendants(process.pid)
    assert len(family) >= 8 and list(short_path.iterdir())
    process.send_signal(number)
    process.send_signal(signal.SIGTERM)  # as make does
    assert process.wait(60) == 0
    assert not [pid for pid in family if pathlib.Path(f"/proc/{pid}").exists()] and not list(short_path.iterdir())


def test_a_service_that_refuses_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even once does it end as if all had succeeded."""
    monkeypatch.setattr(tryout, "decrypt_blob_request", lambda token: "<DecryptBlobRequest/>")
    monkeypatch.setattr(sys, "argv", ["tryout.py", "--once"])
    assert tryout.main() == 1
    assert capsys.readouterr().err == "tryout: decryptblob answered 400\n"
