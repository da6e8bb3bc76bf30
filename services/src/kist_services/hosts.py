"""What the hosts of a fleet say of their keys: which states they are in, and when each was last used."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from .carried import UNREADABLE, Carried, moment
from .common.files import replace
from .rotation import Key, Stop

#: After so long without a word a host counts as not heard of.
UNHEARD = timedelta(days=3)
#: So far a host's clock may be ahead of this one's.
_AHEAD = timedelta(hours=1)


@dataclass(frozen=True)
class Word:
    """On one key."""

    state: str
    last_use: datetime | None


@dataclass(frozen=True)
class Said:
    """
    Attributes:
        makes: whether this is the host that makes the others' keys.
        keys: by id.
    """

    at: datetime
    makes: bool
    keys: Mapping[str, Word]


@dataclass(frozen=True)
class Heard:
    """What the other hosts said lately."""

    others: tuple[str, ...]
    said: Mapping[str, Said]

    def lacking(self, key: Key) -> tuple[str, ...]:
        """The hosts that have not said that this key serves there."""
        return tuple(host for host in self.others if self._state(host, key) != "active")

    def without(self, key: Key) -> tuple[str, ...]:
        """The hosts that have not said that they ever had it."""
        return tuple(host for host in self.others if self._state(host, key) is None)

    @property
    def unheard(self) -> tuple[str, ...]:
        return tuple(host for host in self.others if host not in self.said)

    def last_use(self, key: Key) -> datetime | None:
        """On whichever host it was last."""
        words = (said.keys.get(key.id) for said in self.said.values())
        return max((use for use in (key.last_use, *(word.last_use for word in words if word)) if use), default=None)

    def stop(self, key: Key) -> tuple[Stop, tuple[str, ...]] | None:
        """What is to be done with the key here, since so it was done on these hosts.

        Nobody but the host that makes keys suspends for all. A key that serves is not destroyed because another host has destroyed it: that host may have
        been given up. Nothing lets a key serve again.
        """
        match key.state:
            case "destroyed":
                return None
            case "compromised" | "retired" if hosts := self._saying("destroyed", key):
                return Stop.DESTROY, hosts
            case state if state != "compromised" and (hosts := self._saying("compromised", key)):
                return Stop.COMPROMISE, hosts
            case "active" if hosts := tuple(host for host in self._saying("suspended", key) if self.said[host].makes):
                return Stop.SUSPEND, hosts
            case _:
                return None

    def _saying(self, state: str, key: Key) -> tuple[str, ...]:
        return tuple(host for host in self.said if self._state(host, key) == state)

    def _state(self, host: str, key: Key) -> str | None:
        word = self.said[host].keys.get(key.id) if host in self.said else None
        return word.state if word else None


class Hosts:
    """
    Args:
        memory: a file of this host's, so that nothing older counts after what was heard.
        makes: whether this host makes the others' keys.
    """

    def __init__(self, carried: Carried, memory: str, *, makes: bool) -> None:
        self._carried, self._memory, self._makes = carried, memory, makes

    async def say(self, keys: Iterable[Key], now: datetime) -> None:
        """
        Raises:
            OSError
        """
        words = {key.id: {"state": key.state, "used": key.last_use.isoformat() if key.last_use else None} for key in keys}
        await self._carried.write(f"{self._carried.host}.host", {"makes": self._makes, "keys": words}, now)

    def heard(self, now: datetime) -> Heard:
        """Read once for a run, in which it stays as it was."""
        before, found = self._remembered(), {}
        for host in self._carried.others:
            try:
                page = self._carried.read(f"{host}.host")
                if page.host == host and now - UNHEARD < page.at <= now + _AHEAD and page.at >= before.get(host, page.at):
                    found[host] = _said(page.at, page.value, now)
            except UNREADABLE:
                continue
        return Heard(self._carried.others, found)

    def remember(self, heard: Heard) -> None:
        """
        Raises:
            OSError
        """
        known = self._remembered() | {host: said.at for host, said in heard.said.items()}
        replace(self._memory, json.dumps({host: at.isoformat() for host, at in known.items()}), 0o600)

    def _remembered(self) -> dict[str, datetime]:
        try:
            with open(self._memory) as file:
                return {host: moment(at) for host, at in json.load(file).items()}
        except UNREADABLE:
            return {}


def _said(at: datetime, value: Any, now: datetime) -> Said:
    """
    Raises:
        UNREADABLE
    """

    def word(given: Any) -> Word:
        state, used = given["state"], given["used"]
        last_use = moment(used) if used is not None else None
        if not isinstance(state, str) or (last_use and last_use > now + _AHEAD):
            raise ValueError("that is no word on a key")
        return Word(state, last_use)

    return Said(at, value["makes"] is True, {id: word(given) for id, given in value["keys"].items()})
