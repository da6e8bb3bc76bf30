"""Keys on their way to a fleet's other hosts, and what each host says of its keys: files of one directory that anything may carry to and fro.

A bundle has the private key in a block under an exchange key that the hosts' daemons have, so that nobody on the way can read or change it. What hosts say
of themselves is not signed: who can write the directory can hold a rotation up, or hasten it, and no more.
"""

from __future__ import annotations

import base64
import errno
import json
import os
import pathlib
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from .keys import KINDS, MERCHANT
from .rotation import Key

#: After so long without a word a host counts as not heard of.
UNHEARD = timedelta(days=3)
#: A hundred thousand keys of a host; what is written is never more, or it could not be read.
_MOST_BYTES = 8 * 1024 * 1024
_ID = re.compile(r"[0-9a-f]{32}")
_LABEL = re.compile(r"[a-z0-9][a-z0-9/._-]{0,127}")
_HOST = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
#: By a file that is no file, is cut, or is somebody's who means harm.
_UNREADABLE = (OSError, ValueError, RecursionError)
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
        if not all(isinstance(getattr(self, name), str) for name in _MEMBERS):
            raise TypeError
        if not (_ID.fullmatch(self.id) and _LABEL.fullmatch(self.label) and MERCHANT.fullmatch(self.merchant) and self.kind in KINDS):
            raise ValueError
        base64.b64decode(self.certificate, validate=True)


@dataclass(frozen=True)
class Heard:
    """What the other hosts said lately of their keys that serve: of each host the last use by key."""

    others: tuple[str, ...]
    last_uses: dict[str, dict[str, datetime | None]]

    def lacking(self, key: Key) -> tuple[str, ...]:
        """The hosts that have not said that this key serves there."""
        return tuple(host for host in self.others if key.id not in self.last_uses.get(host, ()))

    @property
    def unheard(self) -> tuple[str, ...]:
        return tuple(host for host in self.others if host not in self.last_uses)

    def last_use(self, key: Key) -> datetime | None:
        """On whichever host it was last."""
        uses = [key.last_use, *(uses.get(key.id) for uses in self.last_uses.values())]
        return max((use for use in uses if use), default=None)


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
        return self._bundle(f"{key.id}.key") is not None

    def remove(self, key: Key) -> None:
        """Once each host has it."""
        (self._directory / f"{key.id}.key").unlink(missing_ok=True)

    def all(self) -> Iterator[tuple[str, Bundle | None]]:
        """Each file's name with its bundle; None for one that is none."""
        for path in sorted(self._directory.glob("*.key")):
            if _ID.fullmatch(path.stem):
                yield path.name, self._bundle(path.name)

    def _bundle(self, name: str) -> Bundle | None:
        try:
            bundle = Bundle(**self._read(name))
        except (*_UNREADABLE, TypeError):
            return None
        return bundle if name == f"{bundle.id}.key" else None

    def say(self, keys: Iterable[Key], now: datetime) -> None:
        """Which keys serve on this host, and when each was last used."""
        uses = {key.id: key.last_use.isoformat() if key.last_use else None for key in keys if key.state == "active"}
        self._write(f"{self._host}.host", {"at": now.isoformat(), "keys": uses})

    def heard(self, now: datetime) -> Heard:
        """Read once for a run, in which it stays as it was."""
        found = {}
        for host in self._others:
            try:
                said = self._read(f"{host}.host")
                if abs(now - _moment(said["at"], now)) < UNHEARD:
                    found[host] = {id: _moment(at, now) if at else None for id, at in said["keys"].items()}
            except (*_UNREADABLE, TypeError, KeyError, AttributeError):
                continue
        return Heard(self._others, found)

    def _read(self, name: str) -> Any:
        # Whoever else writes the directory may put a FIFO there.
        flags = os.O_NOFOLLOW | os.O_NONBLOCK
        with open(self._directory / name, "rb", opener=lambda path, mode: os.open(path, mode | flags)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ValueError
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise ValueError
        return json.loads(content)

    def _write(self, name: str, value: dict[str, Any]) -> None:
        """Whole, for the directory's group to read.

        Raises:
            OSError
        """
        content = json.dumps(value).encode()
        if len(content) > _MOST_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), name)
        made = self._directory / f".{name}.{self._host}.new"
        made.unlink(missing_ok=True)
        with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            os.fchmod(file.fileno(), 0o640)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.rename(made, self._directory / name)


def _moment(text: str, now: datetime) -> datetime:
    """One with a time zone, and not far ahead.

    Raises:
        ValueError
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None or moment > now + UNHEARD:
        raise ValueError
    return moment


def is_host(name: str) -> bool:
    return _HOST.fullmatch(name) is not None
