"""A service as it runs in production: a process of its own on a Unix socket, a daemon behind it, and the shipped policy."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import pathlib
import re
import socket
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_private_key
from gateway import Authority
from kist.testing import Sandbox
from kist_services.common.http import HEAD_SECONDS
from sandboxed import PROGRAM as PROGRAM
from sandboxed import SERVICES as SERVICES
from sandboxed import policy as policy
from sandboxed import process

API_KEY = "a key of the tests"
API_KEY_DIGEST = hashlib.sha256(API_KEY.encode()).hexdigest()
#: A client leaves an idle connection before the service does, whose end would cross the next request.
SHORT_IDLE = httpx.Limits(keepalive_expiry=HEAD_SECONDS / 2)
#: All that a line of the log may have.
LOGGED = {"time", "service", "request", "endpoint", "status", "ms", "audit", "error", "server"}


def sample(name: str) -> bytes:
    """A document's own sample."""
    return (SERVICES / "tests/samples" / name).read_bytes()


def apple(sandbox: Sandbox) -> Authority:
    """What is Apple's CA to a sandbox."""
    root = x509.load_der_x509_certificate((sandbox.directory / "pki/root.cer").read_bytes())
    key = load_der_private_key((sandbox.directory / "pki/root.key").read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return Authority(of=(root, key))


def api_keys() -> str:
    return f'api_keys = ["{API_KEY_DIGEST}"]\n'


@dataclass
class Service:
    """A service that runs, its daemon, and a client with its API key."""

    sandbox: Sandbox
    http: httpx.Client
    socket: pathlib.Path
    log: pathlib.Path
    process: int

    def remembers(self, octets: bytes) -> bool:
        """Whether these stand anywhere in the service's memory."""
        return bool(in_memory(self.process, octets))

    def log_lines(self) -> list[dict[str, object]]:
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        assert all(set(line) <= LOGGED for line in lines), lines
        return lines

    def assert_unsaid(self, *secrets: str) -> None:
        """None of these stands in the log, whose lines have no fields but those that they may have; a random id may have any digits."""
        self.log_lines()
        text = re.sub(r'"request": "[0-9a-f]{32}"', "", self.log.read_text())
        assert not [secret for secret in secrets if secret in text]


def in_memory(process: int, *wanted: bytes) -> set[bytes]:
    """Which of these stand anywhere in the memory that a process can write."""
    found: set[bytes] = set()
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as memory:
        for line in maps:
            if " rw" in line:
                octets = _region(memory, *(int(address, 16) for address in line.split()[0].split("-")))
                found |= {each for each in wanted if each in octets}
    return found


def _region(memory: io.FileIO, first: int, last: int) -> bytes:
    memory.seek(first)
    try:
        return memory.read(last - first) or b""
    except OSError:  # pages that cannot be read, such as the kernel's
        return b""


@contextlib.contextmanager
def locked(file: pathlib.Path) -> Iterator[None]:
    """Nobody can write a SQLite file, as while somebody's terminal is in a transaction."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@contextlib.contextmanager
def serving(name: str, sandbox: Sandbox, settings: str, place: pathlib.Path) -> Iterator[Service]:
    """Starts a service with a socket that listens already, as systemd would."""
    file, path, log = place / f"{name}.toml", place / f"{name}.sock", place / f"{name}.log"
    file.write_text(f'endpoint = "{sandbox.endpoint}"\n{settings}')
    with socket.socket(socket.AF_UNIX) as listener, log.open("w") as output:
        listener.bind(str(path))
        listener.listen(128)
        with process(name, file, listener, output, (sys.executable, "-W", "error")) as running, client(path, {"x-api-key": API_KEY}) as http:
            yield Service(sandbox, http, path, log, running.pid)
    assert running.returncode in (0, -15), log.read_text()


async def ask(app: Any, method: str, path: str, **options: Any) -> httpx.Response:
    """One request to a service in this process."""
    transport, key = httpx.ASGITransport(app=app), {"x-api-key": API_KEY}
    async with httpx.AsyncClient(transport=transport, base_url="http://service", headers=key) as http:
        return await http.request(method, path, **options)


def client(socket: pathlib.Path, headers: dict[str, str] | None = None) -> httpx.Client:
    transport = httpx.HTTPTransport(uds=str(socket), limits=SHORT_IDLE)
    return httpx.Client(transport=transport, base_url="http://service", headers=headers, timeout=20)


def refusal(response: httpx.Response, status: int) -> str:
    """The sentence of a problem of this status."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == status and body["requestId"] == response.headers["x-request-id"]
    return str(body["detail"])
