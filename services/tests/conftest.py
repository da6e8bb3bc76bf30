"""One set of all services for those tests that need them all, and room for programs that make sockets."""

from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Iterator

import everyone
import pytest


@pytest.fixture(scope="session")
def all_services() -> Iterator[everyone.Everyone]:
    with everyone.everyone(workers=2) as services:
        yield services


@pytest.fixture
def short_path() -> Iterator[pathlib.Path]:
    """A directory in which a program makes directories of its own with sockets, whose paths have at most 107 bytes: pytest's are too long for that."""
    with tempfile.TemporaryDirectory(prefix="kist-") as place:
        yield pathlib.Path(place)
