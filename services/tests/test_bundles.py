"""What goes between the hosts of a fleet: whole, or nothing."""

from __future__ import annotations

import json
import os
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
        {"more": "x"}, {"kind": ["x"]}, {"kind": "none"}, {"merchant": "a\x1b[0m"}, {"merchant": "a b"},
    ],
)  # fmt: skip
def test_what_is_no_bundle(pair: tuple[Bundles, Bundles], tmp_path: pathlib.Path, values: dict[str, Any]) -> None:
    maker, taker = pair
    maker.put(BUNDLE)
    path = tmp_path / f"{ID}.key"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))
    assert list(taker.all()) == [(f"{ID}.key", None)]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 60_000, b"{}" + b" " * (8 << 20), b'{"id": "x"}'])
def test_files_that_are_none(pair: tuple[Bundles, Bundles], tmp_path: pathlib.Path, content: bytes) -> None:
    for name in (f"{ID}.key", "b.host"):
        (tmp_path / name).write_bytes(content)
    assert list(pair[0].all()) == [(f"{ID}.key", None)] and pair[0].heard(NOW).unheard == ("b", "c")


def test_a_link_is_not_followed(pair: tuple[Bundles, Bundles], tmp_path: pathlib.Path) -> None:
    pair[0].put(BUNDLE)
    (tmp_path / f"{ID}.key").rename(tmp_path / "elsewhere")
    (tmp_path / f"{ID}.key").symlink_to("elsewhere")
    assert list(pair[1].all()) == [(f"{ID}.key", None)]


def test_a_fifo_is_not_waited_at(pair: tuple[Bundles, Bundles], tmp_path: pathlib.Path) -> None:
    for name in (f"{ID}.key", "b.host", f".{ID}.key.a.new"):
        os.mkfifo(tmp_path / name)
    assert list(pair[0].all()) == [(f"{ID}.key", None)] and pair[0].heard(NOW).unheard == ("b", "c") and not pair[0].has(key())
    pair[0].put(BUNDLE)
    assert pair[0].has(key())


def test_a_name_that_is_no_keys_is_passed_over(pair: tuple[Bundles, Bundles], tmp_path: pathlib.Path) -> None:
    for name in ("x.key", "\x1b[0m.key", f"{ID.upper()}.key", f"{ID}.key.new"):
        (tmp_path / name).write_text("{}")
    assert list(pair[0].all()) == []


def test_a_file_of_the_name_is_not_yet_the_bundle(pair: tuple[Bundles, Bundles], tmp_path: pathlib.Path) -> None:
    (tmp_path / f"{ID}.key").write_text("{")
    assert not pair[0].has(key())


def test_what_hosts_say(pair: tuple[Bundles, Bundles], tmp_path: pathlib.Path) -> None:
    a, b = pair
    assert a.heard(NOW).lacking(key()) == ("b", "c") == a.heard(NOW).unheard
    b.say([key(last_use=NOW - timedelta(1)), key("f" * 32, "retired")], NOW)
    heard = a.heard(NOW)
    assert heard.lacking(key()) == ("c",) and heard.lacking(key("f" * 32)) == ("b", "c") and heard.unheard == ("c",)
    assert heard.last_use(key()) == NOW - timedelta(1) == heard.last_use(key(last_use=NOW - timedelta(2)))
    assert heard.last_use(key(last_use=NOW)) == NOW and heard.last_use(key("e" * 32)) is None
    # An old word counts for nothing, nor does one from a clock that is ahead.
    for moment in (NOW + UNHEARD, NOW - UNHEARD):
        late = a.heard(moment)
        assert late.unheard == ("b", "c") and late.lacking(key()) == ("b", "c") and late.last_use(key()) is None
    # A host that nobody names is nobody.
    Bundles(str(tmp_path), "d", ["a"]).say([key(last_use=NOW)], NOW)
    assert a.heard(NOW).last_use(key()) == NOW - timedelta(1)


def test_what_a_host_with_many_keys_says_is_heard(pair: tuple[Bundles, Bundles]) -> None:
    every = [key(f"{number:032x}", last_use=NOW) for number in range(20_000)]
    pair[1].say(every, NOW)
    assert pair[0].heard(NOW).unheard == ("c",) and pair[0].heard(NOW).lacking(every[-1]) == ("c",)
    # Never written larger than it is read.
    with pytest.raises(OSError, match="File too large"):
        pair[1].say([key(f"{number:032x}", last_use=NOW) for number in range(150_000)], NOW)
    assert pair[0].heard(NOW).lacking(every[-1]) == ("c",)


@pytest.mark.parametrize("moment", ["2026-11-28T00:00:00", "9999-12-31T00:00:00+00:00", "2026-12-02T00:00:00+00:00", "x", 7])
def test_a_moment_that_is_none(pair: tuple[Bundles, Bundles], tmp_path: pathlib.Path, moment: object) -> None:
    for values in ({"at": moment, "keys": {}}, {"at": NOW.isoformat(), "keys": {ID: moment}}):
        (tmp_path / "b.host").write_text(json.dumps(values))
        assert pair[0].heard(NOW).unheard == ("b", "c")
