"""Daemons with merchants whose keys are renewed, and Apple."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import kist
import pytest
from appstore import FakeApple, fake_apple
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from furnished import keys_settings
from kist.testing import Sandbox
from kist_services.common.settings import load
from kist_services.renew import renew
from kist_services.renewal_settings import RenewSettings
from running import PROGRAM, apple, policy

HOST_KEY = "fleet/host"
ALL = ["make", "certify", "activate", "switch", "retire"]


@dataclass
class Scene:
    """A platform with one merchant, its daemon, and Apple."""

    sandbox: Sandbox
    apple: FakeApple
    place: pathlib.Path
    merchant: str
    fleet: dict[str, Any] = field(default_factory=dict)

    def settings(self, does: list[str] = ALL, merchants: tuple[str, ...] = (), **more: object) -> pathlib.Path:
        (self.place / "outbox").mkdir(exist_ok=True)
        values = {"does": does, "merchants": list(merchants or (self.merchant,)), "outbox": str(self.place / "outbox"), "state": str(self.place), "endpoint": self.sandbox.endpoint} | self.fleet | more
        file = self.place / "renew.toml"
        file.write_text("".join(f"{name} = {toml(value)}\n" for name, value in values.items()) + keys_settings(self.sandbox) + ("" if "take" in does else self.apple.settings))
        return file

    def run(self, days: float = 0, plans: bool = False, **settings: Any) -> int:
        """A run so many days from now."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("kist_services.renew.datetime", _later(days))
            return asyncio.run(renew(load(RenewSettings, str(self.settings(**settings))), plans=plans))

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


def _later(days: float) -> type[datetime]:
    """A clock that is ahead; kistd's is not."""

    class Clock(datetime):
        @classmethod
        def now(cls, zone: Any = None) -> Any:
            return datetime.now(zone) + timedelta(days)

    return Clock


@contextlib.contextmanager
def daemon(config: str = "", rules: str = "") -> Iterator[Daemon]:
    options: dict[str, Any] = {"config": config} if config else {}
    with Sandbox(program=PROGRAM, policy=rules or policy("renew"), **options) as sandbox:
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
    def scene(self, place: pathlib.Path, count: int = 3) -> Iterator[Scene]:
        """So many merchants, whom nobody else has had."""
        names = [f"merchant.com.acme{next(self.merchants)}" for _ in range(count)]
        with fake_apple(place, apple(self.sandbox), self.api_key, *names) as api:
            yield Scene(self.sandbox, api, place, names[0])
