"""All services in one command, each with a request that succeeds: ``make services-try``.

They are over one sandbox, with keys, cards and settings in place. What was sent and what came back is printed; then they serve until Ctrl-C.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hashlib
import json
import os
import pathlib
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from furnished import LINK, decrypt_blob_request, furnish, settings
from gateway import Authority, fake_gateway
from kist.testing import Sandbox, SandboxError
from kist_services import cardsecure, decryptblob, redeem, sessions, tokens
from kist_services.__main__ import SERVICES as TABLE
from sandboxed import MERCHANT, PROGRAM, orderly_end, policy, process
from shop import device_parts, devicedata

API_KEY = "example"
CARD = {"configuration": 1, "name": "Tester Bob", "expiration": "12/30", "number": "4111111111111111"}
#: All services run as one user here, whose first grant for a key decides what it releases: these two have another merchant's keys.
OTHER = "merchant/other/"
#: Of an answer, or of what was sent, as much as is printed.
SHOWN = 300


class Unexpected(Exception):
    """A service did not do what it was asked; the text says what it answered."""


@dataclass(frozen=True)
class Tryout:
    """The services, by the sockets in `place`."""

    sandbox: Sandbox
    place: pathlib.Path

    def ask_all(self) -> None:
        """
        Raises:
            Unexpected
        """
        self._ask("sessions", sessions.PATH, json={})
        self._decrypt()
        self._open()
        self._pay()
        self._provision()
        self._verify()
        self._make_key()

    def _decrypt(self) -> None:
        self._ask("decryptblob", decryptblob.PATH, content=decrypt_blob_request(self.sandbox.token(key=f"{OTHER}processing-ec")))

    def _open(self) -> None:
        self._ask("tokens", tokens.PATH, json=json.loads(self.sandbox.token_json(key=f"{OTHER}processing-ec")))

    def _pay(self) -> None:
        """The merchant's token is the acquirer's to turn back."""
        token = json.loads(self.sandbox.token_json(amount=14900))
        sent = {"encryptionhandler": "EC_APPLE_PAY", "devicedata": devicedata(device_parts(token))}
        given = self._ask("cardsecure", cardsecure.PATH, json=sent).json()
        if given["errorcode"] != 0:
            raise Unexpected(f"cardsecure: {given['message']}")
        self._ask("redeem", redeem.PATH, json={"token": given["token"]})

    def _provision(self) -> None:
        phone = self.sandbox.pass_request()
        answer = self._ask("issuer", "/issuer/v1/cards/visa/pass", json=phone).json()
        opened = self.sandbox.pass_open(answer, unchecked=True)["pass"]
        print(f"            Apple finds in it the card of {opened['name']}\n")
        output = base64.b64encode(json.dumps(phone).encode()).decode()
        self._ask("activation", "/bcl/v2/paymentInstruments/mastercard/networkTokenActivationData", json={"sdkOutput": output})

    def _verify(self) -> None:
        """A code goes to the cardholder, who enters it."""
        with contextlib.closing(sqlite3.connect(self.place / "idv/idv.sqlite", timeout=10)) as database, database:
            database.execute("INSERT INTO digital_cards VALUES ('card-1', 'holder-1', '1111', 'art.png', 'sms')")
        begin = {"deepLink": LINK, "digitalCardId": "card-1", "primaryAccountNumberSuffix": "1111"}
        begun = self._ask("idv", "/idv/v1/verifications", json=begin).json()["verification"]
        (message,) = (self.place / "outbox").glob(f"{begun}-*.json")
        self._ask("idv", f"/idv/v1/verifications/{begun}/code", json={"code": json.loads(message.read_text())["code"]})

    def _make_key(self) -> None:
        """A merchant's, with the request that goes to Apple."""
        self._ask("keys", "/v1/merchants/merchant.com.acme/keys", json={"kind": "processing-ec"}, headers={"idempotency-key": "one-for-each-key"})

    def _ask(self, name: str, path: str, **body: Any) -> httpx.Response:
        transport = httpx.HTTPTransport(uds=str(self.place / f"{name}.sock"))
        with httpx.Client(transport=transport, base_url="http://service", headers={"x-api-key": API_KEY}, timeout=30) as http:
            response = http.post(path, **body)
        print(f"{name:11} POST {path}")
        print(f"      sent  {_shown(response.request.content)}")
        print(f"       {response.status_code}  {_shown(response.content)}\n", flush=True)
        if response.status_code not in (200, 201):
            raise Unexpected(f"{name} answered {response.status_code}")
        return response


def _shown(body: bytes) -> str:
    text = " ".join(body.decode().split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} … ({len(text)} characters)"


@contextlib.contextmanager
def opened(place: pathlib.Path) -> Iterator[Tryout]:
    """All services, and what they need."""
    others = ("decryptblob", "tokens")
    grants = policy(*(name for name in TABLE if name not in others)) + policy(*others).replace("merchant/sandbox/", OTHER)
    with Sandbox(program=PROGRAM, config=MERCHANT, policy=grants) as sandbox, contextlib.ExitStack() as stack:
        authority = Authority()
        furnish(sandbox, authority)
        for name in ("vault", "cards", "idv", "outbox", "gateway"):
            (place / name).mkdir(mode=0o700)
        _add_cards(sandbox, place)
        gateway = stack.enter_context(fake_gateway(place / "gateway", authority))
        for name, text in settings(place, gateway, sandbox).items():
            stack.enter_context(_serving(name, sandbox, text, place))
        yield Tryout(sandbox, place)


def _add_cards(sandbox: Sandbox, place: pathlib.Path) -> None:
    lines = "".join(json.dumps({"id": network, "network": network, **CARD}) + "\n" for network in ("visa", "mastercard"))
    command = [sys.executable, "-m", "kist_services.cards", f"{place}/cards/cards.sqlite", "issuer/cards/2026"]
    subprocess.run(command, input=lines, text=True, check=True, env=os.environ | {"KIST_ENDPOINT": sandbox.endpoint})


@contextlib.contextmanager
def _serving(name: str, sandbox: Sandbox, text: str, place: pathlib.Path) -> Iterator[None]:
    file = place / f"{name}.toml"
    file.write_text(f'api_keys = ["{hashlib.sha256(API_KEY.encode()).hexdigest()}"]\nendpoint = "{sandbox.endpoint}"\n{text}')
    with socket.socket(socket.AF_UNIX) as listener, (place / f"{name}.log").open("w") as log:
        listener.bind(f"{place}/{name}.sock")
        listener.listen()
        with process(name, file, listener, log):
            transport = httpx.HTTPTransport(uds=f"{place}/{name}.sock")
            with httpx.Client(transport=transport, base_url="http://service", timeout=30) as http:
                http.get("/ready").raise_for_status()  # its files are there then
            yield


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--once", action="store_true", help="end after the requests")
    is_once = parser.parse_args().once
    try:
        with orderly_end(), tempfile.TemporaryDirectory(prefix="kist-try-") as place, opened(pathlib.Path(place)) as tryout:
            tryout.ask_all()
            if is_once:
                return 0
            print(f"All services serve, each with settings, log and socket in {place}; their API key is {API_KEY}. Ctrl-C ends them.")
            print(f"    curl --unix-socket {place}/redeem.sock http://service/ready", flush=True)
            while True:
                time.sleep(1)  # a pause would miss a signal that comes just before it
    except (SandboxError, Unexpected, httpx.HTTPError, subprocess.CalledProcessError) as error:
        print(f"tryout: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
