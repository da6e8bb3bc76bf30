"""libkist against a real daemon: the C program does the calls, this side makes what it needs and kills and restarts the daemon."""

from __future__ import annotations

import os
import pathlib
import subprocess
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from kist.testing import Sandbox
from stage import POLICY, SYMMETRIC, Stage, build

VALGRIND = ("valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full")


def environment(stage: Stage) -> dict[str, str]:
    """Keys, and the other side of what they do, as tests/live_test.c reads them."""
    token = stage.sandbox.token(amount=1499)
    peer, point = stage.peer()
    values = {name.upper(): key for name, key in stage.keys.items()} | {
        "TOKEN_DATA": token.data,
        "TOKEN_SIGNATURE": token.signature,
        "TOKEN_EPHEMERAL": token.ephemeral_public_key,
        "TOKEN_HASH": token.public_key_hash,
        "TOKEN_TRANSACTION": token.transaction_id,
        "PEER": point,
        "SHARED": peer.exchange(ec.ECDH(), stage.agreement.public_key()),
        "WRAPPED": stage.wrap(SYMMETRIC),
        "LEAF": stage.certificates[0],
        "INTERMEDIATE": stage.certificates[1],
    }
    endpoints = {"KIST_ENDPOINT": stage.sandbox.endpoint, "KIST_ADMIN_ENDPOINT": stage.sandbox.operators_endpoint}
    return dict(os.environ) | endpoints | {f"KIST_TEST_{name}": value.hex() for name, value in values.items()}


@pytest.mark.parametrize("wrapper, binary", [((), "live_test"), (VALGRIND, "live_test.plain")], ids=["sanitizers", "valgrind"])
def test_operations(c_build: pathlib.Path, program: pathlib.Path, wrapper: tuple[str, ...], binary: str) -> None:
    with Sandbox(program=program, policy=POLICY) as sandbox:
        stage = build(sandbox)
        for mode in ("operations", "refused"):
            done = subprocess.run([*wrapper, c_build / binary, mode], env=environment(stage), capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr


def test_killed_and_restarted(c_build: pathlib.Path, program: pathlib.Path) -> None:
    with Sandbox(program=program, policy=POLICY) as sandbox:
        values = environment(build(sandbox))
        steps: dict[str, Callable[[], object]] = {"kill": sandbox.kill, "restart": sandbox.start, "displace": lambda: displace(sandbox)}
        with subprocess.Popen([c_build / "live_test", "killed"], env=values, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
            assert client.stdin and client.stdout
            for word, step in steps.items():
                assert client.stdout.readline().strip() == word
                step()
                print("done", file=client.stdin, flush=True)
            assert client.wait() == 0, client.stdout.read()


def displace(sandbox: Sandbox) -> None:
    """Takes the audit log's file away, which the daemon notices at its next commit."""
    for segment in (sandbox.directory / "audit").glob("*.log"):
        segment.unlink()
