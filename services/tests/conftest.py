"""One set of all services for those tests that need them all."""

from __future__ import annotations

from collections.abc import Iterator

import everyone
import pytest


@pytest.fixture(scope="session")
def all_services() -> Iterator[everyone.Everyone]:
    with everyone.everyone(workers=2) as services:
        yield services
