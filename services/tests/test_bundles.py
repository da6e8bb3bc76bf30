"""Keys on their way between the hosts of a fleet."""

from __future__ import annotations

import asyncio
import pathlib
from datetime import UTC, datetime
from typing import Any

import pytest
from hosting import fleet
from kist_services.bundles import Bundle, Bundles
from kist_services.carried import Carried
from kist_services.rotation import Key

NOW = datetime(2026, 11, 28, tzinfo=UTC)
ID = "0123456789abcdef" * 2
MEMBERS = {"id": ID, "merchant": "merchant.com.acme", "kind": "processing-ec", "label": "merchant/acme/one", "block": "D0112", "certificate": "MIIB"}
BUNDLE = Bundle(**MEMBERS)
KEY = Key(ID, "merchant/acme/one", "active", True, NOW)


@pytest.fixture()
def pair(tmp_path: pathlib.Path) -> tuple[Carried, Bundles]:
    """Who makes keys, and what another host finds."""
    maker, taker, _ = fleet(tmp_path)
    return maker, Bundles(taker)


def test_a_bundle_goes_and_comes(pair: tuple[Carried, Bundles]) -> None:
    maker, taker = Bundles(pair[0]), pair[1]
    assert not maker.has(KEY)
    for _ in range(2):
        asyncio.run(maker.put(BUNDLE, NOW))
    assert maker.has(KEY) and list(taker.besides(())) == [(f"{ID}.key", BUNDLE)]
    for _ in range(2):
        maker.remove(KEY)
    assert list(taker.besides(())) == []


@pytest.mark.parametrize(
    "values",
    [
        {"id": ID[1:]}, {"id": "f" * 32}, {"id": "../x"}, {"id": 1}, {"merchant": None}, {"block": 7}, {"label": "--role"}, {"label": "A"}, {"certificate": "*"},
        {"more": "x"}, {"kind": ["x"]}, {"kind": "none"}, {"merchant": "a\x1b[0m"}, {"merchant": "a b"},
    ],
)  # fmt: skip
def test_what_is_no_bundle(pair: tuple[Carried, Bundles], values: dict[str, Any]) -> None:
    """Though a host of the fleet has signed it."""
    asyncio.run(pair[0].write(f"{ID}.key", MEMBERS | values, NOW))
    assert list(pair[1].besides(())) == [(f"{ID}.key", None)]


def test_a_name_that_is_no_keys_is_passed_over(pair: tuple[Carried, Bundles], tmp_path: pathlib.Path) -> None:
    for name in ("x.key", "\x1b[0m.key", f"{ID.upper()}.key", f"{ID}.key.new"):
        (tmp_path / name).write_text("{}")
    assert list(pair[1].besides(())) == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]"])
def test_a_file_of_the_name_is_not_yet_the_bundle(pair: tuple[Carried, Bundles], tmp_path: pathlib.Path, content: bytes) -> None:
    (tmp_path / f"{ID}.key").write_bytes(content)
    assert list(pair[1].besides(())) == [(f"{ID}.key", None)] and not Bundles(pair[0]).has(KEY)
