"""Merchants' keys over the hosts of a fleet: Apple is told when each has them, and nothing on the way between them can make one, change one or bring one back."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import kist
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from gateway import Authority
from kist.testing import Sandbox
from kist_services.bundles import Bundles
from kist_services.operator import Operator
from kist_services.rotation import Key
from paying import Payer
from renewing import ALL, Daemon, Scene, daemon
from running import PROGRAM, policy

EXCHANGE = "fleet/exchange"
RULES = policy("renew").replace('"list-keys", "describe-key"]', '"list-keys", "describe-key", "export-key", "import-block"]').replace('keys = ["merchant/*"]', 'keys = ["merchant/*", "fleet/exchange"]')
SHOP = f'''
[[grant]]
id = "payments"
users = [{os.getuid()}]
operations = ["open-payment-token"]
keys = ["merchant/*"]
release = ["amount"]
rate = "10000/s"
'''
#: Who are rotated while payments run.
MERCHANTS = int(os.environ.get("KIST_RENEW_MERCHANTS", "3"))
NO_APPROVAL = "[operators]\napproval = []\n"


@pytest.fixture(scope="module")
def hosts() -> Iterator[tuple[Daemon, Daemon]]:
    """Two daemons that trust one CA and have one exchange key."""
    secret = os.urandom(32)
    with daemon(NO_APPROVAL, RULES + SHOP) as a, daemon(NO_APPROVAL, RULES + SHOP) as b:
        b.sandbox.kill()
        shutil.copytree(a.sandbox.directory / "pki", b.sandbox.directory / "pki", dirs_exist_ok=True)
        b.sandbox.start()
        for host in (a, b):
            host.sandbox.import_key(EXCHANGE, "key-exchange", secret, activate=True)
        yield a, b


@pytest.fixture()
def fleet(hosts: tuple[Daemon, Daemon], tmp_path: pathlib.Path) -> Iterator[tuple[Scene, Scene]]:
    a, b = hosts
    for name in ("a", "b", "bundles"):
        (tmp_path / name).mkdir()
    with a.scene(tmp_path / "a") as maker:
        yield maker, Scene(b.sandbox, maker.apple, tmp_path / "b", maker.merchant)


def make(maker: Scene, days: float = 0, merchants: tuple[str, ...] = ()) -> int:
    return maker.run(days, merchants=merchants, does=[*ALL, "spread"], host="a", hosts=["b"], exchange=EXCHANGE, bundles=str(maker.place.parent / "bundles"))


def take(taker: Scene, days: float = 0, merchants: tuple[str, ...] = ()) -> int:
    return taker.run(days, merchants=merchants, does=["take", "retire"], host="b", hosts=["a"], exchange=EXCHANGE, bundles=str(taker.place.parent / "bundles"))


def activated(maker: Scene) -> list[bool]:
    return [each["activated"] for each in maker.apple.of(maker.merchant)]


def bundles(maker: Scene) -> list[pathlib.Path]:
    return sorted((maker.place.parent / "bundles").glob("*.key"))


def test_a_key_reaches_each_host_before_apple_is_told(fleet: tuple[Scene, Scene]) -> None:
    maker, taker = fleet
    assert make(maker) == 0 and make(maker) == 0 and maker.states == ["active"] and taker.states == []
    assert activated(maker) == [False] and len(bundles(maker)) == 1
    assert take(taker) == 0 and take(taker) == 0 and taker.states == ["active"]
    assert taker.keys()[0].id == maker.keys()[0].id and activated(maker) == [False]
    assert make(maker) == 0 and activated(maker) == [True] and bundles(maker) == []
    assert [message["event"] for message in maker.told() + taker.told()] == []


def test_a_plan_leaves_the_bundles(fleet: tuple[Scene, Scene]) -> None:
    maker, taker = fleet
    options: dict[str, Any] = {"exchange": EXCHANGE, "bundles": str(maker.place.parent / "bundles")}
    assert make(maker) == 0 and taker.run(plans=True, does=["take", "retire"], host="b", hosts=["a"], **options) == 0 and taker.states == []
    assert take(taker) == 0 and maker.run(plans=True, does=[], host="a", hosts=["b"], **options) == 0
    assert len(bundles(maker)) == 1 and activated(maker) == [False]


def test_the_old_key_is_retired_on_each_host(fleet: tuple[Scene, Scene]) -> None:
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


def test_each_of_several_old_keys_is_kept_while_any_host_uses_it(fleet: tuple[Scene, Scene]) -> None:
    """Also after another one was retired in the same run."""
    maker, _ = fleet
    maker.apple.days = 100
    assert maker.run(does=["make", "certify", "activate", "switch"]) == 0
    maker.apple.days = 104
    assert maker.run(60, does=["make", "certify"]) == 0
    maker.apple.days = 1000
    assert maker.run(60, does=["make", "certify", "activate", "switch"]) == 0
    old, used, newest = sorted(maker.keys(), key=lambda key: (key.not_after or 0, key.activated or 0))
    assert maker.states == ["active"] * 3
    now = datetime.now(UTC) + timedelta(60)
    others = Bundles(str(maker.place.parent / "bundles"), "b", ["a"])
    others.say([Key(key.id.hex(), key.label, "active", True, now, last_use=now if key is used else None) for key in (old, used, newest)], now)
    assert make(maker, 60) == 0 and {key.label: key.state for key in maker.keys()} == {old.label: "retired", used.label: "active", newest.label: "active"}


def test_a_host_that_is_silent_holds_the_switch_up(fleet: tuple[Scene, Scene]) -> None:
    maker, taker = fleet
    assert make(maker) == 0 and take(taker) == 0
    assert maker.told() == [] and make(maker, 3.1) == 0 and make(maker, 3.2) == 0 and activated(maker) == [False]
    (message,) = maker.told()
    assert (message["event"], message["hosts"], message["key"]) == ("hosts-lack-key", "b", maker.keys()[0].id.hex())
    assert take(taker, 3.1) == 0 and make(maker, 3.1) == 0 and activated(maker) == [True]


def test_a_hostile_bundle_changes_nothing(fleet: tuple[Scene, Scene], capfd: pytest.CaptureFixture[str]) -> None:
    maker, taker = fleet
    assert make(maker) == 0
    (path,) = bundles(maker)
    whole = json.loads(path.read_text())
    own = x509.load_der_x509_certificate(base64.b64decode(whole["certificate"])).public_key()
    others = maker.apple.authority.certify("merchant.com.other", own, "Payment Processing"), Authority().certify(maker.merchant, own, "Payment Processing")
    for changes in (
        {"block": whole["block"][:-1] + ("0" if whole["block"][-1] != "0" else "1")}, {"block": whole["block"][:64]}, {"block": ""},
        {"kind": "identity"}, {"kind": "processing-rsa"}, {"kind": "none"}, {"label": "others/key"}, {"certificate": "MIIB"},
        *({"certificate": base64.b64encode(other.public_bytes(Encoding.DER)).decode()} for other in others[1:]),
    ):  # fmt: skip
        path.write_text(json.dumps(whole | changes))
        assert take(taker) == 1 and taker.states == [], changes
    path.write_text(json.dumps(whole))
    path.rename(path.with_name(f"{'f' * 32}.key"))
    assert take(taker) == 1 and taker.states == []


def test_a_destroyed_key_does_not_come_back(fleet: tuple[Scene, Scene]) -> None:
    maker, taker = fleet
    assert make(maker) == 0 and take(taker) == 0
    (key,) = taker.keys()
    (path,) = bundles(maker)
    bundle = json.loads(path.read_text())
    endpoint = taker.sandbox.operators_endpoint.removeprefix("unix:")
    for verb in ("compromise", "destroy"):
        subprocess.run([PROGRAM, "key", verb, key.id.hex(), "--socket", endpoint], check=True, capture_output=True, timeout=60)
    for label in (bundle["label"], bundle["label"] + "-again"):
        path.write_text(json.dumps(bundle | {"label": label}))
        assert take(taker) == 0 and taker.states == ["destroyed"]
    # Nor by hand.
    certificate = taker.place / "certificate"
    certificate.write_bytes(base64.b64decode(bundle["certificate"]))
    words = ["key", "import", "-", "--under", EXCHANGE, "--label", bundle["label"] + "-again", "--role", "merchant-processing-ec", "--certificate", certificate]
    said = subprocess.run([PROGRAM, *words, "--socket", endpoint], input=bundle["block"], capture_output=True, text=True, timeout=60)
    assert said.returncode == 1 and taker.states == ["destroyed"], said


def test_cut_off_anywhere(fleet: tuple[Scene, Scene], monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_payments_go_on_while_keys_are_renewed(hosts: tuple[Daemon, Daemon], tmp_path: pathlib.Path) -> None:
    """On either host, for whichever key Apple encrypts to: none fails; KIST_RENEW_MERCHANTS is how many merchants there are."""
    for name in ("a", "b", "bundles"):
        (tmp_path / name).mkdir()
    with hosts[0].scene(tmp_path / "a", MERCHANTS) as maker:
        taker = Scene(hosts[1].sandbox, maker.apple, tmp_path / "b", maker.merchant)
        everybody = tuple(maker.apple.merchants.values())
        for run, scene in ((make, maker), (take, taker), (make, maker)):
            assert run(scene, 0, everybody) == 0
        first, stop = _at_apple(maker, everybody), threading.Event()
        with ThreadPoolExecutor(1) as pool:
            payments = pool.submit(_pay, maker, taker, everybody, stop)
            maker.apple.days = 1520
            for run, scene, days in ((make, maker, 716), (take, taker, 716), (make, maker, 716), (take, taker, 716), (make, maker, 717)):
                assert run(scene, days, everybody) == 0
            time.sleep(1)
            stop.set()
            count = payments.result()
        assert count > 20 and not set(first.values()) & set(_at_apple(maker, everybody).values())
        states = [key.state for host in hosts for key in _keys(host.sandbox) if key.merchant_identifier in everybody]
        assert sorted(states) == ["active"] * 2 * MERCHANTS + ["retired"] * 2 * MERCHANTS
        print(f"{MERCHANTS} merchants renewed on two hosts, {count} payments, none failed")


def _keys(sandbox: Sandbox) -> list[kist.Key]:
    with sandbox.operator() as operator:
        return list(operator.keys())


def _at_apple(maker: Scene, merchants: tuple[str, ...]) -> dict[str, bytes]:
    """Of each merchant the certificate whose key Apple encrypts to."""
    found = {}
    for merchant in merchants:
        (content,) = [each["certificateContent"] for each in maker.apple.of(merchant) if each["activated"]]
        found[merchant] = base64.b64decode(content)
    return found


def _pay(maker: Scene, taker: Scene, merchants: tuple[str, ...], stop: threading.Event) -> int:
    """A payment of one merchant after another, on one host and the other, until it is to stop: how many there were."""
    payer = Payer(maker.sandbox)
    with kist.Client(maker.sandbox.endpoint) as a, kist.Client(taker.sandbox.endpoint) as b:
        for number, merchant in enumerate(itertools.cycle(merchants)):
            if stop.is_set():
                return number
            with maker.apple.lock:
                key = x509.load_der_x509_certificate(_at_apple(maker, (merchant,))[merchant]).public_key()
            assert isinstance(key, ec.EllipticCurvePublicKey)
            assert (a, b)[number % 2].open_payment_token(payer.token(merchant, key, number)).amount == number
    raise AssertionError


class _Cut(BaseException):
    """As if the run was killed."""


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


def counted(scene: Scene, run: Callable[..., int], **settings: Any) -> dict[str, int]:
    """What a run tells Prometheus."""
    file = scene.place / "renew.prom"
    file.unlink(missing_ok=True)
    options: dict[str, Any] = {"exchange": EXCHANGE, "bundles": str(scene.place.parent / "bundles"), "metrics": str(file), **settings}
    run(**options)
    assert file.stat().st_mode & 0o777 == 0o644
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    return {name.removeprefix("kist_renew_"): int(value) for name, value in (line.split() for line in lines)}


def test_what_a_host_lacks_is_counted(fleet: tuple[Scene, Scene]) -> None:
    maker, taker = fleet
    makes: dict[str, Any] = {"does": [*ALL, "spread"], "host": "a", "hosts": ["b"]}
    takes: dict[str, Any] = {"does": ["take", "retire"], "host": "b", "hosts": ["a"]}
    before = counted(maker, maker.run, **makes)
    assert abs(before.pop("run_timestamp_seconds") - time.time()) < 60
    assert before == {"failures": 0, "steps_left": 0, 'host_heard{host="b"}': 0}
    make(maker)
    # Before it takes anything; then it takes.
    lacking = counted(taker, taker.run, **{**takes, "does": ["retire"]})
    whole = counted(taker, taker.run, **takes)
    missing = 'keys_missing{host="a"}'
    # Others of this module's tests have lost some on the way.
    assert lacking[missing] == whole[missing] + 1 and lacking['host_heard{host="a"}'] == 1 and whole["failures"] == 0
    subprocess.run([PROGRAM, "key", "suspend", taker.keys()[0].id.hex(), "--socket", taker.sandbox.operators_endpoint.removeprefix("unix:")], check=True)
    # Suspended here alone it is missing; and who is silent for three days is heard no more.
    assert counted(taker, taker.run, **takes)[missing] == lacking[missing]
    late = counted(taker, taker.run, **takes, days=4)
    assert late['host_heard{host="a"}'] == 0 and missing not in late


def test_steps_and_failures_are_counted_by_a_host_that_is_alone(fleet: tuple[Scene, Scene]) -> None:
    maker, _ = fleet
    file = maker.place / "alone.prom"
    assert maker.run(does=[], metrics=str(file)) == 0
    assert "\nkist_renew_steps_left 1\n" in file.read_text() and "host" not in file.read_text()
    assert maker.run(does=[], metrics=str(file), plans=True) == 0
    with pytest.raises(OSError, match="nowhere"):
        maker.run(does=[], metrics=str(maker.place / "nowhere/renew.prom"))
