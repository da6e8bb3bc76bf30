"""Files of one directory that a fleet's hosts write for one another, and anything may carry: each is signed by its host.

The first line is a JWS over the file's name, its host, the moment, and the SHA-256 of what follows, which is JSON. Nothing else is read of a file before
the signature is found right.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import pathlib
import re
import stat
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey

from .common import jws

#: A hundred thousand keys of a host; what is written is never more, or it could not be read.
MOST_BYTES = 16 * 1024 * 1024
#: By a file that is no file, is cut, is none of the fleet's, or is somebody's who means harm.
UNREADABLE = (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError)
_HOST = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
Sign = Callable[[dict[str, object]], Awaitable[str]]


class Unsigned(Exception):
    """kistd does not sign by this host's key; the text says why."""


@dataclass(frozen=True)
class Page:
    """What a host of the fleet has written, and when by its clock."""

    host: str
    at: datetime
    value: Any


class Carried:
    """
    Args:
        directory: the same on each host, or carried between them.
        host: this host's name.
        hosts: of each host of the fleet, this one as well, the public key.
        sign: makes a JWS of claims, by this host's key; raises `Unsigned`.
    """

    def __init__(self, directory: str, host: str, hosts: Mapping[str, EllipticCurvePublicKey], sign: Sign) -> None:
        self._directory, self.host, self._hosts, self._sign = pathlib.Path(directory), host, hosts, sign

    @property
    def others(self) -> tuple[str, ...]:
        return tuple(sorted(self._hosts.keys() - {self.host}))

    def names(self, ending: str) -> Iterator[str]:
        return (path.name for path in sorted(self._directory.glob(f"*{ending}")))

    def read(self, name: str) -> Page:
        """
        Raises:
            UNREADABLE
        """
        # Whoever else writes the directory may put a FIFO there.
        flags = os.O_NOFOLLOW | os.O_NONBLOCK
        with open(self._directory / name, "rb", opener=lambda path, mode: os.open(path, mode | flags)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ValueError("that is no file")
            head, _, content = file.read(MOST_BYTES + 1).partition(b"\n")
        if len(head) + 1 + len(content) > MOST_BYTES:
            raise ValueError("the file is too large")
        return self._page(name, head.decode("ascii"), content)

    def _page(self, name: str, signed: str, content: bytes) -> Page:
        """Of whichever host of the fleet the signature is."""
        for host, key in self._hosts.items():
            try:
                claims = jws.claims_of(signed, key)
            except ValueError:
                continue
            if (claims["host"], claims["name"], claims["sha256"]) != (host, name, hashlib.sha256(content).hexdigest()):
                raise ValueError("the signature is of another file")
            return Page(host, moment(claims["at"]), json.loads(content))
        raise ValueError("no host of the fleet has signed it")

    async def write(self, name: str, value: dict[str, Any], now: datetime) -> None:
        """Whole, for the directory's group to read.

        Raises:
            OSError
            Unsigned
        """
        content = json.dumps(value).encode()
        claims: dict[str, object] = {"name": name, "host": self.host, "at": now.isoformat(), "sha256": hashlib.sha256(content).hexdigest()}
        signed = await self._sign(claims)
        try:
            jws.claims_of(signed, self._hosts[self.host])
        except ValueError:
            raise Unsigned(f"this host's key in kistd is not the one that hosts has for {self.host}") from None
        whole = signed.encode() + b"\n" + content
        if len(whole) > MOST_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), name)
        made = self._directory / f".{name}.{self.host}.new"
        made.unlink(missing_ok=True)
        with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            os.fchmod(file.fileno(), 0o640)
            file.write(whole)
            file.flush()
            os.fsync(file.fileno())
        os.rename(made, self._directory / name)

    def remove(self, name: str) -> None:
        (self._directory / name).unlink(missing_ok=True)


def moment(text: str) -> datetime:
    """
    Raises:
        ValueError: it has no time zone, or is none.
    """
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError("a moment has a time zone")
    return found


def is_host(name: str) -> bool:
    return _HOST.fullmatch(name) is not None
