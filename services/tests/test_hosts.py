"""What the hosts of a fleet say of their keys, and what follows from it."""

from __future__ import annotations

import asyncio
import json
import pathlib
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hosting import fleet
from kist_services.carried import Carried
from kist_services.hosts import UNHEARD, Hosts
from kist_services.rotation import Key, Stop

NOW = datetime(2026, 11, 28, tzinfo=UTC)
ID = "0123456789abcdef" * 2
OTHER = "f" * 32


def key(id: str = ID, state: str = "active", last_use: datetime | None = None) -> Key:
    return Key(id, "merchant/acme/one", state, True, NOW, last_use=last_use)


class Fleet:
    """Host a, which makes the keys, and b and c."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.carried: list[Carried] = fleet(directory)
        self.a, self.b, self.c = (Hosts(each, str(directory / f"heard-{each.host}"), makes=each.host == "a") for each in self.carried)

    def say(self, host: Hosts, keys: Iterable[Key], now: datetime = NOW) -> None:
        asyncio.run(host.say(keys, now))

    def write(self, number: int, value: dict[str, Any], now: datetime = NOW) -> None:
        """Whatever this host says."""
        asyncio.run(self.carried[number].write(f"{self.carried[number].host}.host", value, now))


@pytest.fixture()
def hosts(tmp_path: pathlib.Path) -> Fleet:
    return Fleet(tmp_path)


def test_what_hosts_say(hosts: Fleet) -> None:
    a, b = hosts.a, hosts.b
    assert a.heard(NOW).lacking(key()) == ("b", "c") == a.heard(NOW).unheard
    hosts.say(b, [key(last_use=NOW - timedelta(1)), key(OTHER, "retired")])
    heard = a.heard(NOW)
    assert heard.lacking(key()) == ("c",) == heard.without(key()) and heard.unheard == ("c",)
    # It had that one, which serves there no more.
    assert heard.lacking(key(OTHER)) == ("b", "c") and heard.without(key(OTHER)) == ("c",)
    assert heard.last_use(key()) == NOW - timedelta(1) == heard.last_use(key(last_use=NOW - timedelta(2)))
    assert heard.last_use(key(last_use=NOW)) == NOW and heard.last_use(key("e" * 32)) is None


@pytest.mark.parametrize("late, is_heard", [(timedelta(), True), (UNHEARD - timedelta(seconds=1), True), (UNHEARD, False), (-timedelta(hours=1), True), (-timedelta(hours=1, seconds=1), False)])
def test_how_long_a_word_counts(hosts: Fleet, late: timedelta, is_heard: bool) -> None:
    hosts.say(hosts.b, [key(last_use=NOW - timedelta(1))])
    heard = hosts.a.heard(NOW + late)
    assert heard.unheard == (("c",) if is_heard else ("b", "c")) and (heard.last_use(key()) is not None) == is_heard


def test_an_older_word_does_not_come_again(hosts: Fleet, tmp_path: pathlib.Path) -> None:
    hosts.say(hosts.b, [key(last_use=NOW)], NOW)
    shutil.copy(tmp_path / "b.host", tmp_path / "older")
    hosts.say(hosts.b, [key(last_use=NOW + timedelta(minutes=1))], NOW + timedelta(minutes=1))
    heard = hosts.a.heard(NOW + timedelta(minutes=2))
    hosts.a.remember(heard)
    hosts.a.remember(heard)
    assert heard.unheard == ("c",) == hosts.a.heard(NOW + timedelta(minutes=2)).unheard
    shutil.copy(tmp_path / "older", tmp_path / "b.host")
    assert hosts.a.heard(NOW + timedelta(minutes=2)).unheard == ("b", "c") and hosts.c.heard(NOW).unheard == ("a",)
    # What was not heard in this run is remembered all the same.
    hosts.a.remember(hosts.a.heard(NOW))
    assert hosts.a.heard(NOW).unheard == ("b", "c")


@pytest.mark.parametrize("memory", ["", "{", "[]", '{"b": 7}', '{"b": "2026-11-28T00:00:00"}'])
def test_a_memory_that_is_none(hosts: Fleet, tmp_path: pathlib.Path, memory: str) -> None:
    hosts.say(hosts.b, [key()])
    (tmp_path / "heard-a").write_text(memory)
    heard = hosts.a.heard(NOW)
    hosts.a.remember(heard)
    assert heard.unheard == ("c",) and json.loads((tmp_path / "heard-a").read_text()) == {"b": NOW.isoformat()}


def test_a_host_speaks_for_itself_alone(hosts: Fleet, tmp_path: pathlib.Path) -> None:
    hosts.say(hosts.b, [key(last_use=NOW)])
    shutil.copy(tmp_path / "b.host", tmp_path / "c.host")
    asyncio.run(hosts.carried[1].write("c.host", {"makes": True, "keys": {}}, NOW))
    assert hosts.a.heard(NOW).unheard == ("c",)
    # A host of another fleet is nobody, whatever it is called.
    Fleet(tmp_path).say(Fleet(tmp_path).b, [key()])
    assert hosts.a.heard(NOW).unheard == ("b", "c")


WORD: dict[str, object] = {"state": "active", "used": None}


@pytest.mark.parametrize(
    "value",
    [
        {}, [], {"makes": True}, {"makes": True, "keys": []}, {"makes": True, "keys": {ID: None}}, {"makes": True, "keys": {ID: {"state": "active"}}},
        *({"makes": True, "keys": {ID: WORD | {"used": used}}} for used in ("2026-11-28T00:00:00", "9999-12-31T00:00:00+00:00", "2026-11-28T02:00:00+00:00", "x", 7, "")),
        {"makes": True, "keys": {ID: WORD | {"state": 7}}},
    ],
)  # fmt: skip
def test_what_is_no_word(hosts: Fleet, value: Any) -> None:
    """Though the host has signed it."""
    hosts.write(1, value)
    assert hosts.a.heard(NOW).unheard == ("b", "c")
    hosts.write(1, {"makes": True, "keys": {ID: WORD}})
    assert hosts.a.heard(NOW).unheard == ("c",)


def test_what_a_host_with_many_keys_says_is_heard(hosts: Fleet) -> None:
    every = [key(f"{number:032x}", last_use=NOW) for number in range(100_000)]
    hosts.say(hosts.b, every)
    assert hosts.a.heard(NOW).unheard == ("c",) and hosts.a.heard(NOW).lacking(every[-1]) == ("c",)


@pytest.mark.parametrize(
    "maker, other, here, stop",
    [
        ("active", "active", "active", None),
        ("compromised", "active", "active", Stop.COMPROMISE),
        ("active", "compromised", "active", Stop.COMPROMISE),
        ("active", "compromised", "pre-active", Stop.COMPROMISE),
        ("active", "compromised", "suspended", Stop.COMPROMISE),
        ("active", "compromised", "retired", Stop.COMPROMISE),
        ("active", "compromised", "compromised", None),
        ("active", "compromised", "destroyed", None),
        ("compromised", "destroyed", "active", Stop.COMPROMISE),
        ("compromised", "destroyed", "compromised", Stop.DESTROY),
        ("retired", "destroyed", "retired", Stop.DESTROY),
        ("compromised", "destroyed", "retired", Stop.DESTROY),
        # A host that is given up destroys its keys.
        ("active", "destroyed", "active", None),
        ("destroyed", "destroyed", "active", None),
        ("destroyed", "active", "suspended", None),
        ("destroyed", "active", "destroyed", None),
        # The emergency stop of all is the maker's; what serves again, does so by a person on each host.
        ("suspended", "active", "active", Stop.SUSPEND),
        ("active", "suspended", "active", None),
        ("suspended", "active", "retired", None),
        ("suspended", "suspended", "suspended", None),
        ("active", "active", "suspended", None),
        ("retired", "retired", "active", None),
        ("suspended", "compromised", "active", Stop.COMPROMISE),
    ],
)
def test_what_stops_a_key_on_each_host(hosts: Fleet, maker: str, other: str, here: str, stop: Stop | None) -> None:
    hosts.say(hosts.a, [key(state=maker), key(OTHER, "destroyed")])
    hosts.say(hosts.b, [key(state=other)])
    found = hosts.c.heard(NOW).stop(key(state=here))
    assert (found[0] if found else None) == stop
    if found:
        says = {Stop.COMPROMISE: "compromised", Stop.DESTROY: "destroyed", Stop.SUSPEND: "suspended"}[found[0]]
        assert found[1] == tuple(host for host, state in (("a", maker), ("b", other)) if state == says)


def test_who_is_silent_stops_nothing(hosts: Fleet) -> None:
    hosts.say(hosts.a, [key(state="compromised")])
    assert hosts.c.heard(NOW + UNHEARD).stop(key()) is None and hosts.c.heard(NOW).stop(key(OTHER)) is None
