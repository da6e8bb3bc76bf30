"""All services at once over one daemon, each with its keys and data, as they are deployed: a user for each, where root runs the tests."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from furnished import LINK as LINK
from furnished import furnish, settings
from gateway import Authority, FakeGateway, fake_gateway
from kist.testing import Sandbox
from kist_services.__main__ import SERVICES as TABLE
from running import API_KEY, PROGRAM, SERVICES, SHORT_IDLE, api_keys, sample
from sandboxed import MERCHANT, process

#: Of the sample's payment data, which the issuer's cards have.
CARD = json.loads(sample("apple-payment-data.json"))
#: Users and groups that no machine has; the two groups share files, as docs/SERVICES.md says.
_FIRST_USER, _CARDS, _VAULT = 61_800, 61_890, 61_891
_USERS = {name: _FIRST_USER + at for at, name in enumerate((*TABLE, "cards", "enrolment"))}
_GROUPS = {"issuer": _CARDS, "activation": _CARDS, "cards": _CARDS, "cardsecure": _VAULT, "redeem": _VAULT}


@dataclass(frozen=True)
class Member:
    """One service: its processes, which share a socket, and the log of all of them."""

    name: str
    address: tuple[str, int]
    log: pathlib.Path
    processes: list[subprocess.Popen[bytes]]

    @property
    def url(self) -> str:
        return "http://{}:{}".format(*self.address)

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers={"x-api-key": API_KEY}, timeout=60, limits=SHORT_IDLE)

    def lines(self) -> list[dict[str, Any]]:
        """What it logged of requests."""
        found: list[dict[str, Any]] = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line for line in found if "request" in line]


@dataclass(frozen=True)
class Everyone:
    sandbox: Sandbox
    place: pathlib.Path
    phone: dict[str, object]
    members: dict[str, Member]

    def add_digital_cards(self, names: Iterable[str]) -> None:
        """As the issuer's core does, each for a cardholder of its own."""
        with contextlib.closing(sqlite3.connect(self.place / "idv/idv.sqlite", timeout=60)) as database, database:
            database.executemany("INSERT INTO digital_cards VALUES (?1, ?1, '4320', 'art.png', 'sms')", ((name,) for name in names))

    def sdk_output(self) -> str:
        """The phone's part in Adyen's shape."""
        return base64.b64encode(json.dumps(self.phone).encode()).decode()

    def code(self, verification: str) -> str:
        """What the messenger finds for a verification."""
        (file,) = (self.place / "outbox").glob(f"{verification}-*.json")
        return str(json.loads(file.read_text())["code"])

    def records(self) -> dict[int, dict[str, Any]]:
        """The whole audit log by sequence, once it has verified."""
        log = str(self.sandbox.directory / "audit")
        subprocess.run([PROGRAM, "audit", "verify", log, "--key", f"{log}.vkey"], check=True, capture_output=True)
        shown = subprocess.run([PROGRAM, "audit", "show", log, "--json"], check=True, capture_output=True).stdout
        return {record["seq"]: record for record in map(json.loads, shown.splitlines())}


def user(name: str) -> int:
    """The user of a service."""
    return _USERS[name] if os.geteuid() == 0 else os.geteuid()


def _as(name: str) -> list[str]:
    """The words in front of a command that make it this service's."""
    if os.geteuid() != 0:
        return []
    groups = f"--groups={_GROUPS[name]}" if name in _GROUPS else "--clear-groups"
    return ["setpriv", f"--reuid={user(name)}", f"--regid={user(name)}", groups, "--no-new-privs"]


def policy() -> str:
    """The shipped policies, each for its own service's user, and with rates that no test exceeds."""
    text = "".join((SERVICES / f"policy/{name}.toml").read_text() for name in TABLE)
    text = re.sub(r"^rate = .*$", 'rate = "10000/s"', text, flags=re.MULTILINE)
    return re.sub(r'"kist-([a-z]+)"', lambda match: str(user(match[1])), text).replace("merchant/acme/", "merchant/sandbox/")


@contextlib.contextmanager
def everyone(workers: int = 1) -> Iterator[Everyone]:
    """
    Args:
        workers: how many processes each service has.
    """
    with contextlib.ExitStack() as stack:
        place = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kist-services-")))
        logged = ("bash", "-c", 'exec "$@" 2> >(exec tee --append "$0" >&2)', str(place / "kistd.log"))
        sandbox = stack.enter_context(Sandbox(program=PROGRAM, config=MERCHANT, policy=policy(), wrapper=logged))
        for directory in (place, sandbox.directory.parent):
            directory.chmod(0o711)
        authority = Authority()
        _directory(place / "gateway", os.geteuid(), os.getegid(), 0o755)
        gateway = stack.enter_context(fake_gateway(place / "gateway", authority))
        furnish(sandbox, authority)
        texts = _settings(place, gateway, sandbox)
        # The service keys is an operator here, as the group of the socket makes it elsewhere.
        os.chmod(sandbox.operators_endpoint.removeprefix("unix:"), 0o666)
        _add_cards(sandbox, place)
        members = {name: stack.enter_context(_running(name, sandbox, texts[name], place, workers)) for name in TABLE}
        yield Everyone(sandbox, place, sandbox.pass_request(), members)


def _settings(place: pathlib.Path, gateway: FakeGateway, sandbox: Sandbox) -> dict[str, str]:
    """Of each service, with the directories that they name."""
    _directory(place / "vault", user("cardsecure"), _VAULT, 0o2770)
    _directory(place / "cards", user("cards"), _CARDS, 0o2750)
    for name in ("idv", "outbox"):
        _directory(place / name, user("idv"), user("idv"), 0o700)
    return {name: api_keys() + text for name, text in settings(place, gateway, sandbox).items()}


def _directory(path: pathlib.Path, owner: int, group: int, mode: int) -> None:
    path.mkdir()
    if os.geteuid() == 0:
        shutil.chown(path, owner, group)
    path.chmod(mode)


def _add_cards(sandbox: Sandbox, place: pathlib.Path) -> None:
    """As who adds cards."""
    common = {"configuration": 1, "name": CARD["name"], "expiration": CARD["expiration"], "number": CARD["primaryAccountNumber"]}
    rows = [json.dumps({"id": network, "network": network, **common}) for network in ("visa", "mastercard")]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path), "KIST_ENDPOINT": sandbox.endpoint}
    command = [*_as("cards"), sys.executable, "-m", "kist_services.cards", str(place / "cards/cards.sqlite"), "issuer/cards/2026"]
    subprocess.run(command, input="\n".join(rows), text=True, check=True, env=environment)


@contextlib.contextmanager
def _running(name: str, sandbox: Sandbox, settings: str, place: pathlib.Path, workers: int) -> Iterator[Member]:
    file, log = place / f"{name}.toml", place / f"{name}.log"
    file.write_text(f'endpoint = "{sandbox.endpoint}"\n{settings}')
    file.chmod(0o644)
    with socket.socket() as listener, log.open("w") as output, contextlib.ExitStack() as stack:
        listener.bind(("127.0.0.1", 0))
        listener.listen(512)
        python = [*_as(name), sys.executable, "-W", "error"]
        processes = [stack.enter_context(process(name, file, listener, output, python)) for _ in range(workers)]
        member = Member(name, listener.getsockname(), log, processes)
        with member.client() as http:
            assert http.get("/ready").status_code == 200, log.read_text()
        yield member
    assert all(process.returncode in (0, -15) for process in processes), log.read_text()[-2000:]


