"""Merchants' keys over the hosts of a fleet: Apple is told when each has them, and nothing on the way between them can make one, change one or bring one back."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import errno
import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import kist
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from gateway import Authority
from kist_services.carried import Carried, Unsigned
from kist_services.common import jws
from kist_services.operator import Operator
from kist_services.renew import signer
from kist_services.rotation import Key
from paying import Payer
from renewing import ALL, EXCHANGE, HOST_KEY, MAKES, TAKES, Daemon, Scene, make, pay_once, spki, take, together, trusting
from running import PROGRAM

@pytest.fixture(scope="module")
def hosts() -> Iterator[list[Daemon]]:
    with trusting(2) as hosts:
        yield hosts


@pytest.fixture()
def fleet(hosts: list[Daemon], tmp_path: pathlib.Path) -> Iterator[list[Scene]]:
    with together(hosts, tmp_path) as fleet:
        yield fleet


def activated(maker: Scene) -> list[bool]:
    return [each["activated"] for each in maker.apple.of(maker.merchant)]


def bundles(maker: Scene) -> list[pathlib.Path]:
    return sorted((maker.place.parent / "bundles").glob("*.key"))


def test_a_key_reaches_each_host_before_apple_is_told(fleet: list[Scene]) -> None:
    maker, taker = fleet
    assert make(maker) == 0 and make(maker) == 0 and maker.states == ["active"] and taker.states == []
    assert activated(maker) == [False] and len(bundles(maker)) == 1
    assert take(taker) == 0 and take(taker) == 0 and taker.states == ["active"]
    assert taker.keys()[0].id == maker.keys()[0].id and activated(maker) == [False]
    assert make(maker) == 0 and activated(maker) == [True] and bundles(maker) == []
    assert [message["event"] for message in maker.told() + taker.told()] == []


def test_a_plan_leaves_the_bundles(fleet: list[Scene]) -> None:
    maker, taker = fleet
    assert make(maker) == 0 and taker.run(plans=True, does=TAKES) == 0 and taker.states == []
    assert take(taker) == 0 and maker.run(plans=True, does=[]) == 0
    assert len(bundles(maker)) == 1 and activated(maker) == [False]


def test_the_old_key_is_retired_on_each_host(fleet: list[Scene]) -> None:
    maker, taker = fleet
    for run in (make, take, make):
        assert run(maker if run is make else taker) == 0
    maker.apple.days = 1520
    assert make(maker, 716) == 0 and maker.states == ["active", "active"] and activated(maker) == [True, False]
    assert take(taker, 716) == 0 and taker.states == ["active", "active"]
    assert make(maker, 716) == 0 and activated(maker) == [False, True]
    # What a silent host has used is not known.
    assert make(maker, 730) == 0 and maker.states == ["active", "active"]
    assert take(taker, 730) == 0 and make(maker, 730) == 0 and maker.states == ["active", "retired"]


def test_each_of_several_old_keys_is_kept_while_any_host_uses_it(fleet: list[Scene]) -> None:
    """Also after another one was retired in the same run."""
    maker, taker = fleet
    maker.apple.days = 100
    alone = maker.fleet | {"exchange": "", "bundles": "", "host": "", "host_key": "", "hosts": {}}
    assert maker.run(**alone, does=["make", "certify", "activate", "switch"]) == 0
    maker.apple.days = 104
    assert maker.run(60, **alone, does=["make", "certify"]) == 0
    maker.apple.days = 1000
    assert maker.run(60, **alone, does=["make", "certify", "activate", "switch"]) == 0
    old, used, newest = sorted(maker.keys(), key=lambda key: (key.not_after or 0, key.activated or 0))
    assert maker.states == ["active"] * 3
    now = datetime.now(UTC) + timedelta(60)
    says(taker, [Key(key.id.hex(), key.label, "active", True, now, last_use=now if key is used else None) for key in (old, used, newest)], now)
    assert make(maker, 60) == 0 and {key.label: key.state for key in maker.keys()} == {old.label: "retired", used.label: "active", newest.label: "active"}


def test_a_host_that_is_silent_holds_the_switch_up(fleet: list[Scene]) -> None:
    maker, taker = fleet
    assert make(maker) == 0 and take(taker) == 0
    assert maker.told() == [] and make(maker, 3.1) == 0 and make(maker, 3.2) == 0 and activated(maker) == [False]
    (message,) = maker.told()
    assert (message["event"], message["hosts"], message["key"]) == ("hosts-lack-key", "b", maker.keys()[0].id.hex())
    assert take(taker, 3.1) == 0 and make(maker, 3.1) == 0 and activated(maker) == [True]


def write(scene: Scene, name: str, value: dict[str, Any], now: datetime | None = None) -> None:
    """As a host that is not as it should be: it signs whatever it likes."""

    async def signed() -> None:
        async with kist.AsyncClient(scene.sandbox.endpoint) as client:
            sign = signer(client, HOST_KEY, "", Unsigned)
            hosts = {host: jws.public_key(text) for host, text in scene.fleet["hosts"].items()}
            await Carried(scene.fleet["bundles"], scene.fleet["host"], hosts, sign).write(name, value, now or datetime.now(UTC))

    asyncio.run(signed())


def says(scene: Scene, keys: list[Key], now: datetime) -> None:
    words = {key.id: {"state": key.state, "used": key.last_use.isoformat() if key.last_use else None} for key in keys}
    write(scene, f"{scene.fleet['host']}.host", {"makes": False, "keys": words}, now)


def bundle_of(maker: Scene) -> dict[str, Any]:
    """What its only bundle has."""
    (path,) = bundles(maker)
    found = json.loads(path.read_bytes().partition(b"\n")[2])
    assert isinstance(found, dict)
    return found


def test_a_hostile_bundle_changes_nothing(fleet: list[Scene], capfd: pytest.CaptureFixture[str]) -> None:
    maker, taker = fleet
    assert make(maker) == 0
    whole = bundle_of(maker)
    name = f"{whole['id']}.key"
    own = x509.load_der_x509_certificate(base64.b64decode(whole["certificate"])).public_key()
    others = maker.apple.authority.certify("merchant.com.other", own, "Payment Processing"), Authority().certify(maker.merchant, own, "Payment Processing")
    for changes in (
        {"block": whole["block"][:-1] + ("0" if whole["block"][-1] != "0" else "1")}, {"block": whole["block"][:64]}, {"block": ""},
        {"kind": "identity"}, {"kind": "processing-rsa"}, {"kind": "none"}, {"label": "others/key"}, {"certificate": "MIIB"},
        *({"certificate": base64.b64encode(other.public_bytes(Encoding.DER)).decode()} for other in others[1:]),
    ):  # fmt: skip
        write(maker, name, whole | changes)
        assert take(taker) == 1 and taker.states == [], changes
    # Whole, but under another name, or by nobody of the fleet.
    write(maker, name, whole)
    (path,) = bundles(maker)
    signed = path.read_bytes()
    path.rename(path.with_name(f"{'f' * 32}.key"))
    assert take(taker) == 1 and taker.states == []
    path.with_name(f"{'f' * 32}.key").unlink()
    path.write_bytes(b"x" + signed)
    assert take(taker) == 1 and taker.states == []
    path.write_bytes(signed)
    assert take(taker) == 0 and taker.states == ["active"]


def test_a_destroyed_key_does_not_come_back(fleet: list[Scene]) -> None:
    maker, taker = fleet
    assert make(maker) == 0 and take(taker) == 0
    bundle = bundle_of(maker)
    stop(taker, "compromise", "destroy")
    for label in (bundle["label"], bundle["label"] + "-again"):
        write(maker, f"{bundle['id']}.key", bundle | {"label": label})
        assert take(taker) == 0 and taker.states == ["destroyed"]
    # Nor by hand.
    certificate = taker.place / "certificate"
    certificate.write_bytes(base64.b64decode(bundle["certificate"]))
    words = ["key", "import", "-", "--under", EXCHANGE, "--label", bundle["label"] + "-again", "--role", "merchant-processing-ec", "--certificate", certificate]
    endpoint = taker.sandbox.operators_endpoint.removeprefix("unix:")
    said = subprocess.run([PROGRAM, *words, "--socket", endpoint], input=bundle["block"], capture_output=True, text=True, timeout=60)
    assert said.returncode == 1 and taker.states == ["destroyed"], said


def test_what_stops_a_key_on_one_host_stops_it_on_all(fleet: list[Scene]) -> None:
    maker, taker = fleet
    for run, scene in ((make, maker), (take, taker), (make, maker)):
        assert run(scene) == 0
    # The emergency stop, which only a person ends, on each host.
    stop(maker, "suspend")
    assert make(maker) == 0 and take(taker) == 0 and take(taker) == 0 and taker.states == ["suspended"]
    (message,) = taker.told()
    assert (message["event"], message["step"], message["hosts"], message["key"]) == ("key-stopped", "suspend", "a", taker.keys()[0].id.hex())
    stop(maker, "resume")
    assert make(maker) == 0 and take(taker) == 0 and taker.states == ["suspended"]
    stop(taker, "resume")
    # Compromised on either, it is so on both, and merchants get another.
    stop(taker, "compromise")
    assert take(taker) == 0 and make(maker) == 0 and maker.states == ["active", "compromised"]
    assert [message["event"] for message in maker.told()] == ["key-stopped"]
    stop(taker, "destroy")
    assert take(taker) == 0 and make(maker) == 0 and maker.states == ["active", "destroyed"] == taker.states


def test_people_hear_of_a_stop_whatever_is_cut_off(fleet: list[Scene], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Once, by the next run: killed before the key was stopped, or after it, or nobody could be told."""
    maker, taker = fleet
    for run, scene in ((make, maker), (take, taker), (make, maker)):
        assert run(scene) == 0
    stop(maker, "suspend")
    assert make(maker) == 0
    for cut in (_cut_before, _cut_after(1)):
        with monkeypatch.context() as patch, contextlib.suppress(_Cut):
            patch.setattr("kist_services.operator.Operator.do", cut)
            take(taker)
        assert taker.told() == []
    assert taker.states == ["suspended"] and take(taker) == 0 and take(taker) == 0
    assert [(message["event"], message["step"], message["hosts"]) for message in taker.told()] == [("key-stopped", "suspend", "a")]
    stop(maker, "compromise")
    assert make(maker) == 0 and taker.run(does=TAKES, outbox=str(taker.place / "none")) == 1 and "compromised" in taker.states
    assert "No such file or directory" in capfd.readouterr().err
    assert take(taker) == 0 and take(taker) == 0
    assert [(message["event"], message["step"]) for message in taker.told()] == [("key-stopped", "compromise")]


def test_a_stop_that_did_not_come_about_is_not_told(fleet: list[Scene], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor one of which the file is none; and a key is stopped though no file can be written."""
    maker, taker = fleet
    for run, scene in ((make, maker), (take, taker), (make, maker)):
        assert run(scene) == 0
    stop(maker, "suspend")
    assert make(maker) == 0
    with monkeypatch.context() as patch, contextlib.suppress(_Cut):
        patch.setattr("kist_services.operator.Operator.do", _cut_before)
        take(taker)
    stop(maker, "resume")
    assert make(maker) == 0 and take(taker) == 0 and taker.states == ["active"] and taker.told() == []
    id = taker.keys()[0].id.hex()
    for left in ("[]", "{", *(json.dumps({id: noted}) for noted in (1, ["suspend"], ["suspend", 1], ["resume", "a"], [["suspend"], "a"]))):
        (taker.place / "stopping.json").write_text(left)
        assert take(taker) == 0 and taker.told() == []
    stop(maker, "suspend")
    assert make(maker) == 0
    with monkeypatch.context() as patch, contextlib.suppress(OSError):
        patch.setattr("os.fsync", _full)
        take(taker)
    assert taker.states == ["suspended"]


def test_a_stop_that_a_person_is_to_follow(fleet: list[Scene]) -> None:
    maker, taker = fleet
    for run, scene in ((make, maker), (take, taker), (make, maker)):
        assert run(scene) == 0
    stop(maker, "compromise")
    assert make(maker) == 0 and taker.run(plans=True, does=TAKES) == 0 and taker.told() == []
    assert counted(taker, ["take"])["steps_left"] == 1 and counted(taker, ["take"])["steps_left"] == 1 and "compromised" not in taker.states
    (message,) = taker.told()
    assert (message["event"], message["step"]) == ("step-due", "compromise")


def test_a_host_that_is_given_up_takes_no_key_along(fleet: list[Scene]) -> None:
    maker, taker = fleet
    for run, scene in ((make, maker), (take, taker), (make, maker)):
        assert run(scene) == 0
    says(taker, [Key(key.id.hex(), key.label, "destroyed", True, datetime.now(UTC)) for key in taker.keys()], datetime.now(UTC))
    assert make(maker) == 0 and maker.states == ["active"] and activated(maker) == [True]


def test_an_older_word_of_a_host_changes_nothing(fleet: list[Scene]) -> None:
    maker, taker = fleet
    word = maker.place.parent / "bundles/b.host"
    assert make(maker) == 0 and take(taker) == 0
    older = word.read_bytes()
    stop(taker, "suspend")
    assert take(taker) == 0 and make(maker) == 0 and activated(maker) == [False]
    word.write_bytes(older)
    assert make(maker) == 0 and activated(maker) == [False]


def test_a_host_key_that_does_not_sign(fleet: list[Scene], capfd: pytest.CaptureFixture[str]) -> None:
    maker, taker = fleet
    assert maker.run(does=MAKES, host_key="fleet/other") > 0 and "kistd does not sign with fleet/other" in capfd.readouterr().err
    assert maker.run(does=MAKES, host="b") > 0 and "is not the one that hosts has for b" in capfd.readouterr().err
    assert not list((maker.place.parent / "bundles").iterdir()) and "failed" in {message["event"] for message in maker.told()}
    assert make(maker) == 0 and take(taker) == 0


@pytest.mark.parametrize("seed", range(int(os.environ.get("KIST_RENEW_SEEDS", "2"))))
def test_whatever_fails_on_three_hosts(tmp_path: pathlib.Path, seed: int, monkeypatch: pytest.MonkeyPatch, trio: list[Daemon]) -> None:
    """Runs in any order, killed anywhere, on full disks, hosts that hear nothing of one another: each key that Apple encrypts to serves on each host."""
    chance = random.Random(seed)
    with together(trio, tmp_path) as scenes, monkeypatch.context() as patch:
        for scene in scenes:
            scene.fleet["bundles"] = str(scene.place / "bundles")
            (scene.place / "bundles").mkdir()
        phones, now = Phones(scenes), 0.0
        for days, last in ((0.0, 12.0), (716.0, 736.0)):
            maker, now = scenes[0], max(now, days)
            if days:
                maker.apple.days = 1520
            for _ in range(60):
                _happen(chance, scenes, now, patch)
                phones.pay()
                now += chance.random() / 10
            # Then nothing fails any more.
            for later in (now, now + 1.1, now + 2.2, last, last + 0.1):
                for scene in scenes:
                    assert (make if scene is maker else take)(scene, later) == 0
                    _carry(scenes)
                    phones.pay()
            now = last + 0.1
            assert activated(maker) == [False] * (days > 0) + [True]
        assert [scene.states for scene in scenes] == [["active", "retired"]] * 3
        print(f"{phones.payments} payments, none failed")


@pytest.fixture(scope="module")
def trio() -> Iterator[list[Daemon]]:
    with trusting(3) as hosts:
        yield hosts


def _happen(chance: random.Random, scenes: list[Scene], days: float, patch: pytest.MonkeyPatch) -> None:
    """Something of what may, to one or two hosts."""
    scene = chance.choice(scenes)
    run = make if scene is scenes[0] else take
    match chance.choice(["run", "run", "cut", "full", "carry", "carry", "carry"]):
        case "run":
            run(scene, days)
        case "cut":
            with patch.context() as cut, contextlib.suppress(_Cut):
                cut.setattr("kist_services.operator.Operator.do", _cut_after(chance.randrange(1, 8)))
                run(scene, days)
        case "full":
            with patch.context() as full, contextlib.suppress(OSError):
                full.setattr("os.fsync", _full)
                run(scene, days)
        case _:
            _carry(chance.sample(scenes, chance.choice([2, 2, 3])))


def _full(_: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _carry(scenes: list[Scene]) -> None:
    """Each host's directory has what is newest of each file, as by rsync --update."""
    places = [pathlib.Path(scene.fleet["bundles"]) for scene in scenes]
    for file in [file for place in places for file in place.glob("[!.]*")]:
        for place in places:
            there = place / file.name
            if not there.exists() or there.stat().st_mtime_ns < file.stat().st_mtime_ns:
                shutil.copy2(file, there)


class Phones:
    """Each token that a device can make opens on each host."""

    def __init__(self, scenes: list[Scene]) -> None:
        self._scenes, self._payer, self._count = scenes, Payer(scenes[0].sandbox), itertools.count(1)

    def pay(self) -> None:
        maker = self._scenes[0]
        for each in maker.apple.of(maker.merchant):
            if each["activated"]:
                for scene in self._scenes:
                    pay_once(self._payer, scene, each, next(self._count))

    @property
    def payments(self) -> int:
        return next(self._count) - 1


def test_a_host_that_was_lost_comes_back(tmp_path: pathlib.Path) -> None:
    """Amid a rotation, as a new machine with nothing but the exchange key: with all keys that serve."""
    with trusting(2) as hosts, together(hosts, tmp_path) as (maker, taker):
        for run, scene in ((make, maker), (take, taker), (make, maker)):
            assert run(scene) == 0
        maker.apple.days = 1520
        assert make(maker, 716) == 0 and take(taker, 716) == 0 and maker.states == taker.states == ["active", "active"]
        hosts[1].sandbox.kill()
        start = time.monotonic()
        with trusting(1, like=hosts[0]) as (new,):
            for scene in (maker, taker):
                scene.fleet["hosts"] = scene.fleet["hosts"] | {"b": spki(new.host_key)}
            again = Scene(new.sandbox, maker.apple, tmp_path / "new", maker.merchant, taker.fleet)
            again.place.mkdir()
            # What the lost one said counts no more: Apple is told when the new one has the keys.
            assert make(maker, 716.1) == 0 and activated(maker) == [True, False]
            assert take(again, 716.1) == 0 and again.states == ["active", "active"]
            assert make(maker, 716.1) == 0 and activated(maker) == [False, True]
            print(f"a new host serves after {time.monotonic() - start:.1f} s")
            for number, each in enumerate(maker.apple.of(maker.merchant), 1):
                pay_once(Payer(maker.sandbox), again, each, number)


def test_cut_off_anywhere(fleet: list[Scene], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever command of kist is the last one of a run, on either host."""
    maker, taker = fleet
    for last in range(1, 10):
        for scene, run in ((maker, make), (taker, take)):
            with monkeypatch.context() as patch, contextlib.suppress(_Cut):
                patch.setattr("kist_services.operator.Operator.do", _cut_after(last))
                run(scene)
    for scene, run in ((maker, make), (taker, take), (maker, make)):
        assert run(scene) == 0
    assert (maker.states, taker.states, activated(maker)) == (["active"], ["active"], [True])


def stop(scene: Scene, *verbs: str) -> None:
    """As an operator of this host does, with the key that it had first."""
    for verb in verbs:
        endpoint = scene.sandbox.operators_endpoint.removeprefix("unix:")
        subprocess.run([PROGRAM, "key", verb, scene.keys()[0].id.hex(), "--socket", endpoint], check=True, capture_output=True, timeout=60)


class _Cut(BaseException):
    """As if the run was killed."""


async def _cut_before(operator: Operator, *words: str, **more: Any) -> Any:
    raise _Cut


def _cut_after(last: int) -> Callable[..., Any]:
    """`Operator.do`, whose call of this number is done, and heard of by nobody."""
    done, count = Operator.do, 0

    async def do(operator: Operator, *words: str, **more: Any) -> Any:
        nonlocal count
        count += 1
        answer = await done(operator, *words, **more)
        if count == last:
            raise _Cut
        return answer

    return do


def counted(scene: Scene, does: list[str], **settings: Any) -> dict[str, int]:
    """What a run tells Prometheus."""
    file = scene.place / "renew.prom"
    file.unlink(missing_ok=True)
    scene.run(does=does, metrics=str(file), **settings)
    assert file.stat().st_mode & 0o777 == 0o644
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    return {name.removeprefix("kist_renew_"): int(value) for name, value in (line.split() for line in lines)}


def test_what_a_host_lacks_is_counted(fleet: list[Scene]) -> None:
    maker, taker = fleet
    before = counted(maker, MAKES)
    assert abs(before.pop("run_timestamp_seconds") - time.time()) < 60
    assert before == {"failures": 0, "steps_left": 0, 'host_heard{host="b"}': 0}
    make(maker)
    # Before it takes anything; then it takes.
    lacking = counted(taker, ["retire"])
    whole = counted(taker, TAKES)
    missing = 'keys_missing{host="a"}'
    # Others of this module's tests have lost some on the way.
    assert lacking[missing] == whole[missing] + 1 and lacking['host_heard{host="a"}'] == 1 and whole["failures"] == 0
    stop(taker, "suspend")
    # Suspended here alone it is missing; and who is silent for three days is heard no more.
    assert counted(taker, TAKES)[missing] == lacking[missing]
    late = counted(taker, TAKES, days=4)
    assert late['host_heard{host="a"}'] == 0 and missing not in late
    # What takes keys has none that its maker could miss.
    assert "keys_missing{host=\"b\"}" not in counted(maker, MAKES)


def test_steps_and_failures_are_counted_by_a_host_that_is_alone(fleet: list[Scene]) -> None:
    maker, _ = fleet
    maker.fleet = {}
    file = maker.place / "alone.prom"
    assert maker.run(does=[], metrics=str(file)) == 0
    assert "\nkist_renew_steps_left 1\n" in file.read_text() and "host" not in file.read_text()
    assert maker.run(does=[], metrics=str(file), plans=True) == 0
    with pytest.raises(OSError, match="nowhere"):
        maker.run(does=[], metrics=str(maker.place / "nowhere/renew.prom"))
