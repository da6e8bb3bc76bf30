"""Fixtures for pytest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .. import Client
from .sandbox import Sandbox


@pytest.fixture(scope="session")
def kist_sandbox() -> Iterator[Sandbox]:
    """A sandbox daemon that runs until the session ends."""
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def kist_client(kist_sandbox: Sandbox) -> Iterator[Client]:
    """A client of that daemon."""
    with kist_sandbox.client() as client:
        yield client
