"""Keys on their way to a fleet's other hosts.

A bundle has the private key in a block under an exchange key that the hosts' daemons have, so that nobody on the way can read or change it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from .carried import UNREADABLE, Carried
from .keys import KINDS, MERCHANT
from .rotation import Key

_ID = re.compile(r"[0-9a-f]{32}")
_LABEL = re.compile(r"[a-z0-9][a-z0-9/._-]{0,127}")
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


class Bundles:
    def __init__(self, carried: Carried) -> None:
        self._carried = carried

    async def put(self, bundle: Bundle, now: datetime) -> None:
        await self._carried.write(f"{bundle.id}.key", {name: getattr(bundle, name) for name in _MEMBERS}, now)

    def has(self, key: Key) -> bool:
        return self._bundle(f"{key.id}.key") is not None

    def remove(self, key: Key) -> None:
        """Once each host has it."""
        self._carried.remove(f"{key.id}.key")

    def besides(self, known: Collection[str]) -> Iterator[tuple[str, Bundle | None]]:
        """Each file's name with its bundle, and None for one that is none; those of known keys, by id, are not read."""
        names = {id: name for name in self._carried.names(".key") if _ID.fullmatch(id := name.removesuffix(".key"))}
        return ((name, self._bundle(name)) for id, name in names.items() if id not in known)

    def _bundle(self, name: str) -> Bundle | None:
        try:
            bundle = Bundle(**self._carried.read(name).value)
        except UNREADABLE:
            return None
        return bundle if name == f"{bundle.id}.key" else None
