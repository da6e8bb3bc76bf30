"""Merchants' keys, renewed by kistd and a stand-in for Apple's API: step by step, cut off anywhere, and by nobody who may not."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import errno
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import kist
import pytest
from appstore import cut
from cryptography.hazmat.primitives.asymmetric import ec
from kist_services.common.settings import SettingsError, load
from kist_services.operator import Busy, Register
from kist_services.renew import renew
from kist_services.renewal_settings import RenewSettings
from renewing import Daemon, Scene, daemon, spki, toml
from running import PROGRAM, policy

KEYS = [spki(ec.generate_private_key(ec.SECP256R1()).public_key()) for _ in range(2)]
FLEET = {"exchange": "x", "bundles": "/x", "host": "a", "host_key": "y", "hosts": {"a": KEYS[0], "b": KEYS[1]}}


@pytest.fixture(scope="module")
def shared() -> Iterator[Daemon]:
    with daemon() as shared:
        yield shared


@pytest.fixture()
def scene(shared: Daemon, tmp_path: pathlib.Path) -> Iterator[Scene]:
    with shared.scene(tmp_path) as scene:
        yield scene


@contextlib.contextmanager
def made(place: pathlib.Path, config: str = "", rules: str = "") -> Iterator[Scene]:
    """With a daemon of its own."""
    with daemon(config, rules) as own, own.scene(place) as scene:
        yield scene


def test_a_first_key_and_its_renewal(scene: Scene) -> None:
    """Apple's whole sequence, over 26 months."""
    assert scene.run() == 0 and scene.states == ["active"]
    assert [each["activated"] for each in scene.apple.of(scene.merchant)] == [True]
    assert scene.run() == 0 and scene.run(days=700) == 0 and scene.states == ["active"]
    # 45 days before its end the next key is made, and serves beside it. kistd's clock stands still, so Apple is told at once, and the old one soon quiet.
    scene.apple.days = 2 * 760
    assert scene.run(days=716) == 0 and scene.states == ["active", "active"]
    assert [each["activated"] for each in scene.apple.of(scene.merchant)] == [False, True]
    first, second = sorted(scene.keys(), key=lambda key: key.not_after or 0)
    assert scene.run(days=716) == 0 and {key.label: key.state for key in scene.keys()} == {first.label: "retired", second.label: "active"}
    assert scene.run(days=716) == 0 and scene.states == ["active", "retired"]
    asked = [line for line in scene.apple.asked if not line.startswith("GET")]
    assert [line.split()[0] for line in asked] == ["POST", "PATCH", "POST", "PATCH"]
    assert [message["event"] for message in scene.told()] == ["key-ends"]


@pytest.mark.parametrize("kind, role", [("identity", "merchant-identity-rsa"), ("processing-rsa", "merchant-processing-rsa")])
def test_other_kinds(scene: Scene, kind: str, role: str) -> None:
    assert scene.run(kinds=[kind]) == 0
    assert [key.state for key in scene.keys(role)] == ["active"]
    assert [each["activated"] for each in scene.apple.of(scene.merchant, kind)] == [kind != "identity"]


def test_a_step_that_is_left_to_people_is_told_once(scene: Scene) -> None:
    for does, step in (([], "make"), (["make"], "certify"), (["make", "certify"], "activate"), (["make", "certify", "activate"], "switch")):
        assert scene.run(does=does) == 0 and scene.run(does=does) == 0
        (message,) = scene.told()
        assert (message["event"], message["step"], message["merchant"], message["kind"]) == ("step-due", step, scene.merchant, "processing-ec")
        assert ("key" in message) == (step != "make")
    assert scene.run() == 0 and scene.told() == []


def test_a_plan_changes_and_tells_nothing(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    assert scene.run(plans=True) == 0 and scene.keys() == [] and scene.told() == []
    assert capsys.readouterr().out == f"{scene.merchant} processing-ec: make: due\n"
    assert scene.apple.asked == []
    assert scene.run() == 0 and scene.run(plans=True) == 0
    assert capsys.readouterr().out.endswith(f"\n{scene.merchant} processing-ec: nothing is due\n")


def test_a_rate_is_waited_for_and_a_quota_ends_the_run(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    with made(tmp_path, "", policy("renew").replace('"600/m"', '"5/s"')) as scene:
        assert scene.run() == 0 and scene.states == ["active"]
    (tmp_path / "again").mkdir()
    with made(tmp_path / "again", "", policy("renew").replace('"50000/d"', '"3/d"')) as scene:
        assert scene.run() == 1 and "a rate or quota is used up" in capfd.readouterr().err
        assert [message["event"] for message in scene.told()] == ["failed"]


@pytest.mark.parametrize("at", range(1, 9))
def test_an_answer_of_apples_that_is_lost(scene: Scene, at: int) -> None:
    """What Apple did meanwhile is found, not done again."""
    scene.apple.fault = lambda number, status, answer: cut(number, status, answer) if number == at else (status, answer)
    assert sorted(scene.run() for _ in range(3)) == [0, 0, 1]
    assert scene.states == ["active"]
    assert [each["activated"] for each in scene.apple.of(scene.merchant)] == [True]


def test_killed_anywhere(scene: Scene) -> None:
    """One key and one certificate, whenever it was killed."""
    command = [sys.executable, "-m", "kist_services.renew", "--settings", str(scene.settings())]
    for milliseconds in range(150, 1350, 100):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as running:
            time.sleep(milliseconds / 1000)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
    subprocess.run(command, check=True, timeout=60)
    assert scene.states == ["active"] and [each["activated"] for each in scene.apple.of(scene.merchant)] == [True]


def test_two_runs_at_once_make_one_key(scene: Scene) -> None:
    settings = load(RenewSettings, str(scene.settings(does=["make"])))

    async def both() -> list[int]:
        return list(await asyncio.gather(renew(settings), renew(settings)))

    assert sorted(asyncio.run(both())) in ([0, 0], [0, 1]) and scene.states == ["pre-active"]


def _instead(status: int, answer: Any) -> Callable[[int, int, Any], tuple[int, Any]]:
    return lambda number, *_: (status, answer)


def _elsewhere(number: int, status: int, answer: Any) -> tuple[int, Any]:
    return status, answer | {"links": {"next": "https://example.com/v1/merchantIds?cursor=2"}}


def _of_another_key(number: int, status: int, answer: Any) -> tuple[int, Any]:
    if status == 201:
        answer["data"]["attributes"]["certificateContent"] = base64.b64encode(b"0\x82\x00\x01x").decode()
    return status, answer


@pytest.mark.parametrize(
    "fault, why",
    [
        (_instead(500, b"<html>"), "makes no sense"),
        (_instead(200, b"[]"), "makes no sense"),
        (_instead(200, {"data": [{"id": "../../x", "attributes": {"identifier": "merchant.com.acme"}}]}), "makes no sense"),
        (_instead(200, {"data": 1}), "makes no sense"),
        (_instead(200, b"x" * (9 << 20)), "makes no sense"),
        (_instead(302, {}), "Apple answered 302: no code"),
        (_instead(401, {"errors": [{"code": "NOT_AUTHORIZED", "detail": "no"}]}), "Apple answered 401"),
        (_instead(403, {"errors": [{"code": "a b\x1b[0m"}]}), "Apple answered 403: no code"),
        (_elsewhere, "Apple's list goes on elsewhere"),
        (_of_another_key, "that is no certificate"),
        (cut, "Apple did not answer"),
    ],
)
def test_answers_that_are_none(scene: Scene, fault: Callable[[int, int, Any], tuple[int, Any]], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    scene.apple.fault = fault
    assert scene.run() == 1 and scene.states == ["pre-active"]
    assert why in capsys.readouterr().err
    (message,) = scene.told()
    assert message["event"] == "failed" and why in message["why"]
    assert scene.run() == 1 and scene.told() == []


def test_where_apple_asks_to_wait_nobody_else_is_asked_for(scene: Scene) -> None:
    merchants = tuple(scene.apple.merchants.values())
    scene.apple.fault = _instead(429, {"errors": [{"code": "RATE_LIMIT_EXCEEDED"}]})
    assert scene.run(merchants=merchants) == 1 and len(scene.apple.asked) == 1
    # One merchant's fault is not the others'.
    scene.apple.fault = lambda number, status, answer: (404, {"errors": []}) if "M000000000" in scene.apple.asked[-1] else (status, answer)
    assert scene.run(merchants=merchants) == 1
    assert [len(scene.apple.of(merchant)) for merchant in merchants] == [0, 1, 1]


@pytest.mark.parametrize("status", [401, 429])
def test_what_holds_for_every_merchant_is_told_once(scene: Scene, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    merchants = tuple(scene.apple.merchants.values())
    scene.apple.fault = _instead(status, {"errors": []})
    assert scene.run(merchants=merchants) == 1 and len(scene.apple.asked) == 1
    assert [message["event"] for message in scene.told()] == ["failed"] and len(capsys.readouterr().err.splitlines()) == 1
    # What needs no Apple was done with each.
    with scene.sandbox.operator() as operator:
        assert set(merchants) <= {key.merchant_identifier for key in operator.keys()}


def test_a_daemon_that_goes_ends_the_run(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not a failure for each merchant."""
    with made(tmp_path) as scene:
        merchants = tuple(scene.apple.merchants.values())

        def kill(number: int, status: int, answer: Any) -> tuple[int, Any]:
            scene.sandbox.kill()
            return status, answer

        scene.apple.fault = kill
        assert scene.run(merchants=merchants) == 1
        assert [line.split(":")[0] for line in capsys.readouterr().err.splitlines()] == [f"{scene.merchant} processing-ec"]
        scene.sandbox.start()
        scene.apple.fault = lambda number, status, answer: (status, answer)
        assert scene.run(merchants=merchants) == 0


@pytest.mark.parametrize("left", ["[]", "{", '{"x": 1}', "null", "[" * 60_000])
def test_a_file_of_what_was_told_that_is_none(scene: Scene, left: str) -> None:
    (scene.place / "told.json").write_text(left)
    assert scene.run(does=[]) == 0 and [message["step"] for message in scene.told()] == ["make"]
    assert scene.run(does=[]) == 0 and scene.told() == []


def test_keys_are_renewed_though_nobody_can_be_told(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    outbox = str(scene.place / "none")
    assert scene.run(does=["make"], outbox=outbox) == 1 and scene.states == ["pre-active"]
    assert f"{outbox}: No such file or directory" in capsys.readouterr().err
    # And they hear of it as soon as they can.
    assert scene.run(does=["make"]) == 0 and [message["step"] for message in scene.told()] == ["certify"]


def test_a_merchant_of_another_team(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    assert scene.run(merchants=("merchant.com.unknown",)) == 1
    assert "Apple knows no such merchant identifier" in capsys.readouterr().err


def test_what_needs_a_second_person_is_told_and_goes_on(tmp_path: pathlib.Path) -> None:
    uid = os.getuid()
    rules = policy("renew") + f'\n[[grant]]\nid = "second"\nusers = [{uid + 1}]\noperations = ["approve"]\n'
    with made(tmp_path, '[operators]\napproval = ["activate-key"]\n', rules) as scene:
        assert scene.run() == 0 and scene.run() == 0 and scene.states == ["pre-active"]
        (message,) = scene.told()
        assert message["event"] == "approval-needed" and len(message["request"]) == 8 and message["until"] > "2026"


def test_without_a_right_nothing_is_done(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No key of a label that the grant does not cover, and no token of Apple's by another key."""
    with made(tmp_path) as scene:
        assert scene.run(labels="others") == 1 and scene.keys() == []
        assert "no right to that" in capsys.readouterr().err
    (tmp_path / "again").mkdir()
    with made(tmp_path / "again", "", policy("renew").replace('operations = ["sign"]', 'operations = ["verify"]')) as scene:
        assert scene.run() == 1 and scene.apple.asked == []
        assert "kistd does not sign with apple/app-store-connect" in capsys.readouterr().err


def test_a_daemon_that_is_away(tmp_path: pathlib.Path) -> None:
    with made(tmp_path) as scene:
        command = [sys.executable, "-m", "kist_services.renew", "--settings", str(scene.settings())]
        scene.sandbox.kill()
        said = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (said.returncode, said.stderr) == (1, "kist_services.renew: kistd does not answer; nothing was done\n")


def test_a_run_that_kistd_ends_is_counted(tmp_path: pathlib.Path) -> None:
    """At its beginning, or amid it; and Prometheus hears why."""
    metrics = tmp_path / "renew.prom"

    def counted() -> list[str]:
        return [line for line in metrics.read_text().splitlines() if line.startswith(("kist_renew_failures", "kist_renew_ended_early", "kist_renew_run_timestamp"))]

    with made(tmp_path) as scene:

        def lock(number: int, status: int, answer: Any) -> tuple[int, Any]:
            with scene.sandbox.operator() as operator, contextlib.suppress(kist.Locked):
                operator.lock()
            return status, answer

        assert scene.run(does=["make"], metrics=str(metrics)) == 0 and len(counted()) == 2
        scene.apple.fault = lock
        for _ in range(2):
            assert scene.run(merchants=tuple(scene.apple.merchants.values()), metrics=str(metrics)) == 1
            assert counted()[1:] == ["kist_renew_failures 1", 'kist_renew_ended_early{why="the key store is locked"} 1']
        scene.sandbox.kill()
        assert scene.run(plans=True, metrics=str(metrics)) == 1 and "locked" in metrics.read_text()
        assert scene.run(metrics=str(metrics)) == 1
        assert counted()[1:] == ["kist_renew_failures 1", 'kist_renew_ended_early{why="kistd does not answer; nothing was done"} 1']


def test_what_was_told_cannot_be_kept(scene: Scene, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """The state's disk is full: the run is counted as one with which something failed, and its metrics are written."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    metrics = scene.place / "renew.prom"
    with monkeypatch.context() as patched:
        patched.setattr("kist_services.told.replace", full)
        assert scene.run(does=["make"], metrics=str(metrics)) == 1
    assert "kist_renew_failures 1\n" in metrics.read_text() and "No space left" in capfd.readouterr().err
    assert scene.run(does=["make"], metrics=str(metrics)) == 0


def test_a_kistd_that_stays_short_of_something_ends_the_run(scene: Scene, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    asked: list[str] = []

    async def keys(_: Register, pattern: str = "") -> list[kist.Key]:
        asked.append(pattern)
        raise Busy(1, None)

    monkeypatch.setattr("kist_services.operator.Register.keys", keys)
    assert scene.run() == 1 and 2 < len(asked) < 100 and scene.states == []
    assert "kistd is short of memory or connections" in capfd.readouterr().err


def test_each_step_is_on_the_record(scene: Scene) -> None:
    assert scene.run() == 0
    shown = subprocess.run([PROGRAM, "audit", "show", scene.sandbox.directory / "audit", "--json"], check=True, capture_output=True, text=True)
    records = [json.loads(line) for line in shown.stdout.splitlines()]
    steps = [record["op"] for record in records if record.get("policy", {}).get("grant") in ("renew", "renew-apple") and record["op"] not in ("list-keys", "describe-key")]
    assert steps[-5:] == ["generate-key", "sign", "certificate-request", "attach-certificate", "activate-key"]


@pytest.mark.parametrize(
    "values, why",
    [
        ({"does": ["makes"]}, "makes is none of make, certify"),
        ({"kinds": ["ec"]}, "ec is none of"),
        ({"merchants": ["--help"]}, "is no merchant identifier"),
        ({"labels": "A"}, "labels"),
        ({"lead_days": 0}, "lead_days"),
        ({"quiet_days": True}, "another type"),
        ({"settle_hours": 1000}, "settle_hours"),
        ({"does": ["switch"]}, "switch needs api_key"),
        ({"api_key": "apple/x"}, "all, or none"),
        ({"apple": "example.com"}, "HOST:PORT"),
        ({"apple": ":8443"}, "HOST:PORT"),
        ({"apple": "a:\u0661"}, "HOST:PORT"),
        ({"host": "a"}, "all, or none"),
        (FLEET | {"host_key": ""}, "all, or none"),
        (FLEET | {"host": "c"}, "c is not among them"),
        (FLEET | {"hosts": {"a": KEYS[0], "B": KEYS[1]}}, "no name of a host"),
        (FLEET | {"hosts": {"a": KEYS[0], "b": KEYS[0]}}, "two have one key"),
        (FLEET | {"hosts": {"a": KEYS[0], "b": "AAAA"}}, "base64 of a public key"),
        (FLEET | {"hosts": ["a", "b"]}, "another type"),
        ({"does": ["take"]}, "take needs exchange"),
        ({"does": ["follow"]}, "follow needs exchange"),
        ({"does": ["spread"]}, "spread needs exchange"),
        ({"does": ["take", "make"]}, "who takes keys does not make"),
        ({"api_keys": []}, "no setting"),
    ],
)
def test_wrong_settings(tmp_path: pathlib.Path, values: dict[str, Any], why: str) -> None:
    file = tmp_path / "renew.toml"
    file.write_text("".join(f"{name} = {toml(value)}\n" for name, value in values.items()))
    with pytest.raises(SettingsError, match=why):
        load(RenewSettings, str(file))
    said = subprocess.run([sys.executable, "-m", "kist_services.renew", "--settings", file], capture_output=True, text=True, timeout=60)
    assert said.returncode == 78 and why in said.stderr
