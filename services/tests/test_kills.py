"""Payments while the daemon, the services and whoever holds the vault are killed at random.

`KIST_SERVICES_KILLS` says how often (12); `KIST_SERVICES_SEED` plays the same ones again.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import pathlib
import random
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import httpx
import kist
import pytest
from kist.testing import Sandbox
from kist_services import cardsecure, redeem
from postgres import Postgres, postgres
from running import API_KEY, SHORT_IDLE, api_keys
from sandboxed import merchant_sandbox, merchant_settings, process
from shop import device_parts, devicedata

KILLS = int(os.environ.get("KIST_SERVICES_KILLS", "12"))
SEED = int(os.environ.get("KIST_SERVICES_SEED", "0")) or random.randrange(1, 10**9)
_SHOPPERS = 4
#: As long as a request may take here at most; where it takes longer, its answer is lost.
_PATIENCE = 30.0
_HOLD = """
import sqlite3, sys
sqlite3.connect(sys.argv[1], isolation_level=None).execute("BEGIN IMMEDIATE")
print()
sys.stdin.read()
"""


@dataclass
class Process:
    """One process of a service, which somebody starts again when it was killed, as systemd does."""

    name: str
    settings: pathlib.Path
    listener: socket.socket
    log: pathlib.Path
    stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def start(self) -> None:
        output = self.stack.enter_context(self.log.open("a"))
        self._process = self.stack.enter_context(
            process(self.name, self.settings, self.listener, output)
        )

    def kill(self) -> None:
        self._process.kill()
        self.stack.close()


@dataclass
class World:
    sandbox: Sandbox
    #: Takes the vault away for some time, and says when that begins and ends.
    vault: Callable[[Callable[[], contextlib.AbstractContextManager[None]], float], None]
    clients: dict[str, httpx.Client]
    processes: list[Process]
    #: What cannot be used at the moment, and a number that is another one after each change.
    away: frozenset[str] = frozenset()
    change: int = 0

    @contextlib.contextmanager
    def without(self, what: str) -> Iterator[None]:
        self.away, self.change = frozenset({what}), self.change + 1
        yield
        self.away, self.change = frozenset(), self.change + 1

    def post(
        self, name: str, path: str, body: object, key: str | None = None
    ) -> httpx.Response | None:
        """The answer, unless it was lost."""
        headers = {} if key is None else {"idempotency-key": key}
        try:
            return self.clients[name].post(path, json=body, headers=headers)
        except httpx.TransportError:
            return None


@dataclass
class Payment:
    """A payment, and what became of it."""

    token: str
    answers: list[int] = field(default_factory=list)
    #: Whether an answer was lost that could have had the number.
    was_lost: bool = False


def _hold(file: pathlib.Path, away: Callable[[], contextlib.AbstractContextManager[None]], pause: float) -> None:
    """Somebody locks the vault's file, and is killed."""
    command = [sys.executable, "-c", _HOLD, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        if holder.stdout.readline():  # else others held it for too long
            with away():
                time.sleep(3 * pause)
        holder.kill()


def _fell(server: Postgres, away: Callable[[], contextlib.AbstractContextManager[None]], pause: float) -> None:
    server.kill()
    with away():
        time.sleep(pause)
    server.start()


@contextlib.contextmanager
def world(place: pathlib.Path, server: Postgres | None = None) -> Iterator[World]:
    """Two processes of each service, with the vault in a file or on a server."""
    vaults = {name: server.address(f"kist_{name}") for name in ("cardsecure", "redeem")} if server else {}
    with merchant_sandbox() as sandbox, contextlib.ExitStack() as stack:
        clients, processes = {}, []
        for name, text in merchant_settings(place, vaults).items():
            settings = place / f"{name}.toml"
            settings.write_text(f'{api_keys()}endpoint = "{sandbox.endpoint}"\n{text}')
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=128))
            address = "http://{}:{}".format(*listener.getsockname())
            client = httpx.Client(
                base_url=address,
                headers={"x-api-key": API_KEY},
                timeout=_PATIENCE,
                limits=SHORT_IDLE,
            )
            clients[name] = stack.enter_context(client)
            processes += [
                Process(name, settings, listener, place / f"{name}.log") for _ in range(2)
            ]
        for each in processes:
            stack.enter_context(each.stack)
            each.start()
        for client in clients.values():
            _wait_until_ready(client)
        vault = partial(_fell, server) if server else partial(_hold, place / "vault.sqlite")
        yield World(sandbox, vault, clients, processes)


def _wait_until_ready(client: httpx.Client) -> None:
    until = time.monotonic() + 60
    while True:
        with contextlib.suppress(httpx.TransportError):
            if client.get("/ready").status_code == 200:
                return
        assert time.monotonic() < until, "it does not serve"


def _kill(world: World, dice: random.Random) -> str:
    """Kills one of those that there are, and puts it right again; its name."""
    pause = dice.uniform(0.05, 1)
    match dice.choice(["daemon", "vault", *world.clients]):
        case "daemon":
            world.sandbox.kill()
            with world.without("daemon"):
                time.sleep(pause)
            world.sandbox.start()
            return "daemon"
        case "vault":
            world.vault(lambda: world.without("vault"), pause)
            return "vault"
        case name:
            killed = dice.choice([each for each in world.processes if each.name == name])
            killed.kill()
            time.sleep(pause)
            killed.start()
            return name


def _pay(world: World, number: str) -> Payment:
    """One payment to its end, with the patience of a program that reads the documentation."""
    token = json.loads(world.sandbox.token_json())
    body = {"encryptionhandler": "EC_APPLE_PAY", "devicedata": devicedata(device_parts(token))}
    while True:
        answer = world.post("cardsecure", cardsecure.PATH, body, f"payment-{number}-{SEED:09}")
        if answer is None or answer.status_code in (503, 504):
            time.sleep(0.05)
            continue
        assert answer.json().get("errorcode") == 0, answer.text
        break
    payment = Payment(answer.json()["token"])
    while True:
        body = {"token": payment.token}
        answer = world.post("redeem", redeem.PATH, body, f"redeem-{number}-{SEED:09}")
        if answer is None or answer.status_code == 504 or "may have been" in answer.text:
            payment.was_lost = True
        if answer is None or answer.status_code in (503, 504):
            time.sleep(0.05)
            continue
        payment.answers.append(answer.status_code)
        return payment


def _watch(world: World, is_over: Callable[[], bool]) -> dict[str, int]:
    """How often `/ready` told the truth about what was away, by what that was."""
    told: dict[str, int] = {}
    for name in itertools.cycle(world.clients):
        if is_over():
            return told
        before, away = world.change, world.away
        began = time.monotonic()
        try:
            status = world.clients[name].get("/ready").status_code
        except httpx.TransportError:
            continue  # it was killed meanwhile
        assert status in (200, 503) and time.monotonic() - began < 3, (name, status)
        if away and world.change == before:
            assert status == 503, (name, away)
            (what,) = away
            told[what] = told.get(what, 0) + 1
        time.sleep(0.01)
    raise AssertionError


@pytest.mark.parametrize("kind", ["file", "server"])
def test_no_acknowledged_payment_is_lost_to_kills(tmp_path: pathlib.Path, kind: str) -> None:
    """Each token redeems, for one request alone, whatever answer was lost meanwhile."""
    dice, is_over = random.Random(SEED), threading.Event()
    payments: list[Payment] = []
    numbers = itertools.count()

    def shop_on(world: World) -> None:
        while not is_over.is_set():
            payments.append(_pay(world, f"{next(numbers):08}"))

    with (
        postgres() if kind == "server" else contextlib.nullcontext() as server,
        world(tmp_path, server) as here,
        ThreadPoolExecutor(_SHOPPERS + 1) as threads,
    ):
        running = [threads.submit(shop_on, here) for _ in range(_SHOPPERS)]
        watch = threads.submit(_watch, here, is_over.is_set)
        try:
            killed = [_kill(here, dice) for _ in range(KILLS)]
        finally:
            is_over.set()
        for future in running:
            future.result()
        told = watch.result()
        for client in here.clients.values():
            _wait_until_ready(client)
        assert not [payment for payment in payments if payment.answers != [200]], SEED
        again = [here.post("redeem", redeem.PATH, {"token": payment.token}) for payment in payments]
        assert {answer.status_code for answer in again if answer} <= {404, 422}, SEED
        tokens = {payment.token for payment in payments}
        assert len(tokens) == len(payments)
    counts = {name: killed.count(name) for name in sorted(set(killed))}
    lost = sum(payment.was_lost for payment in payments)
    print(f"kills: {counts}, /ready told of them: {told}, seed {SEED}")
    print(f"soak: payments under kills of the services = {len(payments)}")
    print(f"soak: of these, an answer of redeem was lost, and given again = {lost}")


@dataclass
class Relay:
    """Passes on what service and daemon say, until the daemon has opened an envelope: then it tells, and nothing of the answer."""

    listener: socket.socket
    daemon: str
    tell: Callable[[], None]

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                service, _ = self.listener.accept()
                daemon = socket.socket(socket.AF_UNIX)
                daemon.connect(self.daemon)
                for work in ((self._ask, service, daemon), (self._answer, daemon, service)):
                    threading.Thread(target=work[0], args=work[1:], daemon=True).start()

    def _ask(self, service: socket.socket, daemon: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while octets := service.recv(65536):
                daemon.sendall(octets)

    def _answer(self, daemon: socket.socket, service: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while head := daemon.recv(24, socket.MSG_WAITALL):
                length, _, _, operation = struct.unpack(">IBBH", head[:8])
                rest = daemon.recv(length - 20, socket.MSG_WAITALL) if length > 20 else b""
                if operation == kist.Opcode.OPEN_ENVELOPE:
                    return self.tell()
                service.sendall(head + rest)


def test_a_kill_between_the_daemons_answer_and_the_services(tmp_path: pathlib.Path) -> None:
    """The number is the request's that opened it, after the service was started again; and nobody else's."""
    with world(tmp_path) as here, socket.socket(socket.AF_UNIX) as listener:
        token = json.loads(here.sandbox.token_json())
        data = {"encryptionhandler": "EC_APPLE_PAY", "devicedata": devicedata(device_parts(token))}
        given = here.post("cardsecure", cardsecure.PATH, data)
        assert given and given.json()["errorcode"] == 0
        body, key = {"token": given.json()["token"]}, "redeem-0001-a7f3c1"
        acquirers = [each for each in here.processes if each.name == "redeem"]
        told = threading.Event()
        settings = acquirers[0].settings.read_text()
        for each in acquirers:
            each.kill()
        listener.bind(str(tmp_path / "relay.sock"))
        listener.listen()
        daemon = here.sandbox.endpoint.removeprefix("unix:")
        threading.Thread(target=Relay(listener, daemon, told.set).serve, daemon=True).start()
        relayed = settings.replace(here.sandbox.endpoint, f"unix:{tmp_path}/relay.sock")
        acquirers[0].settings.write_text(relayed)
        acquirers[0].start()
        with ThreadPoolExecutor(1) as threads:
            asked = threads.submit(here.post, "redeem", redeem.PATH, body, key)
            assert told.wait(_PATIENCE)
            acquirers[0].kill()
            acquirers[0].settings.write_text(settings)
            assert asked.result() is None, "the answer is lost"
        here.sandbox.kill()
        here.sandbox.start()
        for each in acquirers:
            each.start()
        _wait_until_ready(here.clients["redeem"])
        outcomes = [here.post("redeem", redeem.PATH, body, which) for which in (key, None, "redeem-0002-a7f3c1", key)]
        assert [each and each.status_code for each in outcomes] == [200, 404, 422, 200]
        answers = [each.json() for each in (outcomes[0], outcomes[-1]) if each]
        assert answers[0] == answers[1] and answers[0]["account"]
