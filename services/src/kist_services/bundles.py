"""Keys on their way to a fleet's other hosts, and what each host says of its keys: files of one directory that anything may carry to and fro.

A bundle has the private key in a block under an exchange key that the hosts' daemons have, so that nobody on the way can read or change it. What hosts say
of themselves is not signed: who can write the directory can hold a rotation up, or hasten it, and no more.
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from .rotation import Key

#: After so long without a word a host counts as not heard of.
UNHEARD = timedelta(days=3)
_MOST_BYTES = 64 * 1024
_ID = re.compile(r"[0-9a-f]{32}")
_LABEL = re.compile(r"[a-z0-9][a-z0-9/._-]{0,127}")
_HOST = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_MEMBERS = ("id", "merchant", "kind", "label", "block", "certificate")


@dataclass(frozen=True)
class Bundle:
    """One key: an X9.143 block, and the certificate in base64 of DER."""

    id: str
    merchant: str
    kind: str
    label: str
    block: str
    certificate: str

    def __post_init__(self) -> None:
        if not all(isinstance(getattr(self, name), str) for name in _MEMBERS) or not _ID.fullmatch(self.id) or not _LABEL.fullmatch(self.label):
            raise ValueError
        base64.b64decode(self.certificate, validate=True)


@dataclass(frozen=True)
class HostKeys:
    """What a host said of its keys that serve."""

    at: datetime
    last_uses: dict[str, datetime | None]


class Bundles:
    """
    Args:
        directory: the same on each host, or carried between them.
        host: this host's name.
        others: the names of the fleet's other hosts.
    """

    def __init__(self, directory: str, host: str, others: Iterable[str]) -> None:
        self._directory, self._host, self._others = pathlib.Path(directory), host, tuple(others)

    def put(self, bundle: Bundle) -> None:
        self._write(f"{bundle.id}.key", {name: getattr(bundle, name) for name in _MEMBERS})

    def has(self, key: Key) -> bool:
        return (self._directory / f"{key.id}.key").exists()

    def remove(self, key: Key) -> None:
        """Once each host has it."""
        (self._directory / f"{key.id}.key").unlink(missing_ok=True)

    def all(self) -> Iterator[tuple[str, Bundle | None]]:
        """Each file's name with its bundle; None for one that is none."""
        for path in sorted(self._directory.glob("*.key")):
            try:
                values = self._read(path)
                bundle = Bundle(**values)
                yield path.name, bundle if path.name == f"{bundle.id}.key" else None
            except (OSError, ValueError, TypeError):
                yield path.name, None

    def say(self, keys: Iterable[Key], now: datetime) -> None:
        """Which keys serve on this host, and when each was last used."""
        uses = {key.id: key.last_use.isoformat() if key.last_use else None for key in keys if key.state == "active"}
        self._write(f"{self._host}.host", {"at": now.isoformat(), "keys": uses})

    def heard(self, now: datetime) -> dict[str, HostKeys]:
        """What the other hosts said lately."""
        found = {}
        for host in self._others:
            try:
                said = self._read(self._directory / f"{host}.host")
                uses = {id: datetime.fromisoformat(at) if at else None for id, at in said["keys"].items()}
                one = HostKeys(datetime.fromisoformat(said["at"]), uses)
                if abs(now - one.at) < UNHEARD:
                    found[host] = one
            except (OSError, ValueError, TypeError, KeyError, AttributeError):
                continue
        return found

    def lacking(self, key: Key, now: datetime) -> list[str]:
        """The other hosts that have not said lately that this key serves there."""
        heard = self.heard(now)
        return [host for host in self._others if host not in heard or key.id not in heard[host].last_uses]

    def unheard(self, now: datetime) -> list[str]:
        heard = self.heard(now)
        return [host for host in self._others if host not in heard]

    def last_use(self, key: Key, now: datetime) -> datetime | None:
        """On whichever host it was last."""
        uses = [key.last_use, *(host.last_uses.get(key.id) for host in self.heard(now).values())]
        return max((use for use in uses if use), default=None)

    def _read(self, path: pathlib.Path) -> Any:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW)) as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise ValueError
        return json.loads(content)

    def _write(self, name: str, value: dict[str, Any]) -> None:
        """Whole, for the directory's group to read."""
        made = self._directory / f".{name}.{self._host}.new"
        with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "w") as file:
            os.fchmod(file.fileno(), 0o640)
            json.dump(value, file)
            file.flush()
            os.fsync(file.fileno())
        os.rename(made, self._directory / name)


def is_host(name: str) -> bool:
    return _HOST.fullmatch(name) is not None
