"""What goes between the hosts of a fleet: whole, or nothing."""

from __future__ import annotations

import json
import pathlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kist_services.bundles import UNHEARD, Bundle, Bundles
from kist_services.rotation import Key

NOW = datetime(2026, 11, 28, tzinfo=UTC)
ID = "0123456789abcdef" * 2
BUNDLE = Bundle(ID, "merchant.com.acme", "processing-ec", "merchant/acme/one", "D0112", "MIIB")


def key(id: str = ID, state: str = "active", last_use: datetime | None = None) -> Key:
    return Key(id, "merchant/acme/one", state, True, NOW, last_use=last_use)


@pytest.fixture()
def pair(tmp_path: pathlib.Path) -> tuple[Bundles, Bundles]:
    return Bundles(str(tmp_path), "a", ["b", "c"]), Bundles(str(tmp_path), "b", ["a", "c"])


def test_a_bundle_goes_and_comes(pair: tuple[Bundles, Bundles], tmp_path: pathlib.Path) -> None:
    maker, taker = pair
    assert not maker.has(key())
    maker.put(BUNDLE)
    maker.put(BUNDLE)
    assert maker.has(key()) and list(taker.all()) == [(f"{ID}.key", BUNDLE)]
    assert [path.stat().st_mode & 0o777 for path in tmp_path.iterdir()] == [0o640]
    maker.remove(key())
    maker.remove(key())
    assert list(taker.all()) == []


@pytest.mark.parametrize(
    "values",
    [
        {"id": ID[1:]}, {"id": "f" * 32}, {"id": "../x"}, {"id": 1}, {"merchant": None}, {"block": 7}, {"label": "--role"}, {"label": "A"}, {"certificate": "*"},
        {"more": "x"}, {"kind": ["x"]},
    ],
)  # fmt: skip
def test_what_is_no_bundle(pair: tuple[Bundles, Bundles], tmp_path: pathlib.Path, values: dict[str, Any]) -> None:
    maker, taker = pair
    maker.put(BUNDLE)
    path = tmp_path / f"{ID}.key"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))
    assert list(taker.all()) == [(f"{ID}.key", None)]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff", b"{}" + b" " * (64 << 10), b'{"id": "x"}'])
def test_files_that_are_none(pair: tuple[Bundles, Bundles], tmp_path: pathlib.Path, content: bytes) -> None:
    for name in (f"{ID}.key", "b.host"):
        (tmp_path / name).write_bytes(content)
    assert list(pair[0].all()) == [(f"{ID}.key", None)] and pair[0].unheard(NOW) == ["b", "c"]


def test_a_link_is_not_followed(pair: tuple[Bundles, Bundles], tmp_path: pathlib.Path) -> None:
    pair[0].put(BUNDLE)
    (tmp_path / f"{ID}.key").rename(tmp_path / "elsewhere")
    (tmp_path / f"{ID}.key").symlink_to("elsewhere")
    assert list(pair[1].all()) == [(f"{ID}.key", None)]


def test_what_hosts_say(pair: tuple[Bundles, Bundles]) -> None:
    a, b = pair
    assert a.lacking(key(), NOW) == ["b", "c"] == a.unheard(NOW)
    b.say([key(last_use=NOW - timedelta(1)), key("f" * 32, "retired")], NOW)
    assert a.lacking(key(), NOW) == ["c"] and a.lacking(key("f" * 32), NOW) == ["b", "c"] and a.unheard(NOW) == ["c"]
    assert a.last_use(key(), NOW) == NOW - timedelta(1) == a.last_use(key(last_use=NOW - timedelta(2)), NOW)
    assert a.last_use(key(last_use=NOW), NOW) == NOW and a.last_use(key("e" * 32), NOW) is None
    # An old word counts for nothing, nor does one from a clock that is ahead.
    for moment in (NOW + UNHEARD, NOW - UNHEARD):
        assert a.unheard(moment) == ["b", "c"] and a.lacking(key(), moment) == ["b", "c"] and a.last_use(key(), moment) is None
    # A host that nobody names is nobody.
    Bundles(b._directory.as_posix(), "d", ["a"]).say([key(last_use=NOW)], NOW)
    assert a.last_use(key(), NOW) == NOW - timedelta(1)
