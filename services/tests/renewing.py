"""Daemons with merchants whose keys are renewed, and Apple."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import kist
import later
import pytest
from appstore import FakeApple, fake_apple
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from furnished import keys_settings
from kist.testing import Sandbox
from kist_services.common.settings import load
from kist_services.renew import renew
from kist_services.renewal_settings import RenewSettings
from paying import Payer
from running import PROGRAM, apple, policy

HOST_KEY = "fleet/host"
ALL = ["make", "certify", "activate", "switch", "retire"]
MAKES = [*ALL, "spread", "follow"]
TAKES = ["take", "retire", "follow"]
EXCHANGE = "fleet/exchange"
SECRET = os.urandom(32)
#: The shipped policy with what its comments say of several hosts.
RULES = policy("renew").replace('"describe-key"]', '"describe-key", "export-key", "import-block", "suspend-key", "compromise-key", "destroy-key"]')
#: And with a rate and a quota that many merchants do not wait for.
RULES = RULES.replace('keys = ["merchant/*"]', f'keys = ["merchant/*", "{EXCHANGE}"]').replace('"600/m"', '"60000/m"').replace('"50000/d"', '"5000000/d"')
SHOP = f'''
[[grant]]
id = "payments"
users = [{os.getuid()}]
operations = ["open-payment-token"]
keys = ["merchant/*"]
release = ["amount"]
rate = "10000/s"
'''
NO_APPROVAL = "[operators]\napproval = []\n"


@dataclass
class Scene:
    """A platform with one merchant, its daemon, and Apple."""

    sandbox: Sandbox
    apple: FakeApple
    place: pathlib.Path
    merchant: str
    fleet: dict[str, Any] = field(default_factory=dict)
    #: In front of a run's command, where it is to be a process of its own.
    words: list[str] = field(default_factory=list)

    def settings(self, does: list[str] = ALL, merchants: tuple[str, ...] = (), **more: object) -> pathlib.Path:
        (self.place / "outbox").mkdir(exist_ok=True)
        values = {"does": does, "merchants": list(merchants or (self.merchant,)), "outbox": str(self.place / "outbox"), "state": str(self.place), "endpoint": self.sandbox.endpoint} | self.fleet | more
        file = self.place / "renew.toml"
        file.write_text("".join(f"{name} = {toml(value)}\n" for name, value in values.items()) + keys_settings(self.sandbox) + ("" if "take" in does else self.apple.settings))
        return file

    def run(self, days: float = 0, plans: bool = False, **settings: Any) -> int:
        """A run so many days from now."""
        if self.words:
            return subprocess.run(self.command(days, **settings), stdout=subprocess.DEVNULL).returncode
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("kist_services.renew.datetime", later.clock(days))
            return asyncio.run(renew(load(RenewSettings, str(self.settings(**settings))), plans=plans))

    def command(self, days: float = 0, **settings: Any) -> list[str]:
        return [*self.words, sys.executable, later.__file__, str(days), "--settings", str(self.settings(**settings))]

    def keys(self, kind: str = "merchant-processing-ec") -> list[kist.Key]:
        with self.sandbox.operator() as operator:
            return [key for key in operator.keys() if key.merchant_identifier == self.merchant and key.role == kind]

    @property
    def states(self) -> list[str]:
        return sorted(key.state for key in self.keys())

    def told(self) -> list[dict[str, str]]:
        """What has come to the outbox since it was last asked."""
        files = sorted((self.place / "outbox").glob("*.json"))
        messages = [json.loads(file.read_text()) for file in files]
        for file in files:
            file.unlink()
        return sorted(messages, key=lambda message: (message["event"], message.get("step", "")))


def spki(key: ec.EllipticCurvePublicKey) -> str:
    """As `hosts` of the settings has it."""
    return base64.b64encode(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode()


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {toml(each)}" for name, each in value.items()) + "}"
    return json.dumps(value)


@contextlib.contextmanager
def daemon(config: str = "", rules: str = "", words: Sequence[str] = ()) -> Iterator[Daemon]:
    """
    Args:
        words: in front of its command.
    """
    with Sandbox(program=PROGRAM, policy=rules or policy("renew"), config=config, wrapper=tuple(words)) as sandbox:
        yield Daemon(sandbox, _imported(sandbox, "apple/app-store-connect"), _imported(sandbox, HOST_KEY))


def _imported(sandbox: Sandbox, label: str) -> ec.EllipticCurvePublicKey:
    """The public part of a new key that signs."""
    secret = ec.generate_private_key(ec.SECP256R1())
    der = secret.private_bytes(Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    sandbox.import_key(label, "signing-ecdsa", der, activate=True)
    return secret.public_key()


@dataclass
class Daemon:
    """And the keys of Apple's API and of its host in it."""

    sandbox: Sandbox
    api_key: ec.EllipticCurvePublicKey
    host_key: ec.EllipticCurvePublicKey
    merchants: Iterator[int] = field(default_factory=itertools.count)

    @contextlib.contextmanager
    def scene(self, place: pathlib.Path, count: int = 3, address: str = "127.0.0.1") -> Iterator[Scene]:
        """So many merchants, whom nobody else has had; and Apple at this address."""
        names = [f"merchant.com.acme{next(self.merchants)}" for _ in range(count)]
        with fake_apple(place, apple(self.sandbox), self.api_key, *names, address=address) as api:
            yield Scene(self.sandbox, api, place, names[0])


@contextlib.contextmanager
def trusting(count: int, like: Daemon | None = None, config: str = NO_APPROVAL, words: Sequence[Sequence[str]] = ((),) * 3) -> Iterator[list[Daemon]]:
    """Daemons that trust one CA, the first one's or that of another, and have one exchange key.

    Args:
        words: in front of the command of each.
    """
    with contextlib.ExitStack() as stack:
        hosts = [stack.enter_context(daemon(config, RULES + SHOP, each)) for each in words[:count]]
        for host in hosts:
            trust(host.sandbox, (like or hosts[0]).sandbox)
            host.sandbox.import_key(EXCHANGE, "key-exchange", SECRET, activate=True)
        yield hosts


def trust(sandbox: Sandbox, other: Sandbox) -> None:
    """The CA of the other, from now on."""
    if sandbox is not other:
        sandbox.kill()
        shutil.copytree(other.directory / "pki", sandbox.directory / "pki", dirs_exist_ok=True)
        sandbox.start()


@contextlib.contextmanager
def together(hosts: list[Daemon], place: pathlib.Path, count: int = 3, address: str = "127.0.0.1") -> Iterator[list[Scene]]:
    """The hosts a, b and so on of a fleet with so many merchants, of which a makes the keys; all write one directory."""
    names = "abcdefgh"[: len(hosts)]
    for name in (*names, "bundles"):
        (place / name).mkdir()
    fleet = {"exchange": EXCHANGE, "bundles": str(place / "bundles"), "host_key": HOST_KEY, "hosts": {name: spki(host.host_key) for name, host in zip(names, hosts)}}
    with hosts[0].scene(place / "a", count, address) as maker:
        maker.fleet = fleet | {"host": "a"}
        yield [maker, *(Scene(host.sandbox, maker.apple, place / name, maker.merchant, fleet | {"host": name}) for name, host in zip(names[1:], hosts[1:]))]


def make(maker: Scene, days: float = 0, merchants: tuple[str, ...] = ()) -> int:
    return maker.run(days, merchants=merchants, does=MAKES)


def take(taker: Scene, days: float = 0, merchants: tuple[str, ...] = ()) -> int:
    return taker.run(days, merchants=merchants, does=TAKES)


def pay_once(payer: Payer, scene: Scene, certificate: dict[str, Any], amount: int) -> None:
    with kist.Client(scene.sandbox.endpoint) as client:
        pay(client, payer, scene.merchant, base64.b64decode(certificate["certificateContent"]), amount)


def pay(client: kist.Client, payer: Payer, merchant: str, certificate: bytes, amount: int) -> None:
    """By a token that is encrypted to the certificate's key."""
    key = x509.load_der_x509_certificate(certificate).public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert client.open_payment_token(payer.token(merchant, key, amount)).amount == amount
