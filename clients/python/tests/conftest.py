"""Where the tests find what they drive; the daemon's build and the C client's are made before (scripts/clients.sh)."""

import os
import pathlib
from collections.abc import Iterator

import pytest
from kist.testing import Sandbox
from stage import POLICY, Stage, build

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def c_build() -> pathlib.Path:
    return pathlib.Path(os.environ.get("KIST_C_BUILD", CHECKOUT / "clients/c/build"))


@pytest.fixture(scope="session")
def program() -> pathlib.Path:
    return pathlib.Path(os.environ.get("KIST_PROGRAM", CHECKOUT / ".build/debug/kist"))


@pytest.fixture(scope="session")
def staged(program: pathlib.Path) -> Iterator[Stage]:
    """A daemon with a key of every role."""
    with Sandbox(program=program, policy=POLICY) as sandbox:
        yield build(sandbox)
