"""Three hosts in network namespaces of their own, payments at each: merchants' keys are rotated, a host is cut off, another is lost for good and built anew.

Needs root. KIST_RENEW_MERCHANTS makes the merchants so many.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import kist
import pytest
from kist.testing import Sandbox
from parted import Hosts, parted
from paying import Payer
from renewing import EXCHANGE, HOST_KEY, MAKES, NO_APPROVAL, RULES, SHOP, TAKES, Scene, make, pay, take, together, trust, trusting
from running import PROGRAM

MERCHANTS = int(os.environ.get("KIST_RENEW_MERCHANTS", "3"))
#: A sandbox's memory is for few keys. After a lost log a host opens no token for as long as one is fresh, usually for five minutes.
CONFIG = NO_APPROVAL + '[memory]\narena_size = "64MiB"\n[apple_pay]\nfreshness_window = "{window}s"\n'
USUAL_WINDOW, SHORT_WINDOW = 300, 5


@dataclass
class Fleet:
    """
    Attributes:
        scenes: of each host; the first one makes keys.
        merchants: all of them.
    """

    hosts: Hosts
    scenes: list[Scene]
    merchants: tuple[str, ...]

    @property
    def maker(self) -> Scene:
        return self.scenes[0]

    def round(self, days: float) -> None:
        """A run of each host, with what the others wrote before; and one more of the maker."""
        for scene in (*self.scenes, self.maker):
            self.hosts.carry()
            assert (make if scene is self.maker else take)(scene, days, self.merchants) == 0
        self.hosts.carry()

    def at_apple(self, merchant: str) -> bytes:
        """The certificate to whose key Apple encrypts."""
        with self.maker.apple.lock:
            (content,) = [each["certificateContent"] for each in self.maker.apple.of(merchant) if each["activated"]]
        return base64.b64decode(content)

    def all_at_apple(self) -> set[bytes]:
        return {self.at_apple(merchant) for merchant in self.merchants}

    def keys(self, scene: Scene) -> dict[bytes, str]:
        """The merchants' there, and their states."""
        with scene.sandbox.operator() as operator:
            return {key.id: key.state for key in operator.keys() if key.merchant_identifier in self.merchants}

    def states(self, scene: Scene) -> list[str]:
        return sorted(self.keys(scene).values())

    @contextlib.contextmanager
    def paying(self) -> Iterator[list[int]]:
        """Meanwhile a payment of one merchant after another comes to one host after another; none fails. How many there were, at the end."""
        stop, counted = threading.Event(), [0]
        with ThreadPoolExecutor(1) as pool:
            payments = pool.submit(self._pay, stop)
            try:
                yield counted
            finally:
                stop.set()
            counted[0] = payments.result()

    def _pay(self, stop: threading.Event) -> int:
        payer = Payer(self.maker.sandbox)
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(kist.Client(scene.sandbox.endpoint)) for scene in self.scenes]
            for number, (merchant, client) in enumerate(itertools.cycle(itertools.product(self.merchants, clients)), 1):
                if stop.is_set():
                    return number - 1
                pay(client, payer, merchant, self.at_apple(merchant), number)
        raise AssertionError


@contextlib.contextmanager
def fleet(place: pathlib.Path, count: int, window: int = USUAL_WINDOW) -> Iterator[Fleet]:
    with contextlib.ExitStack() as stack:
        hosts = stack.enter_context(parted(place / "network", "abc"))
        config = CONFIG.format(window=window)
        daemons = stack.enter_context(trusting(3, config=config, words=[hosts.words(name) for name in "abc"]))
        with hosts.at_the_hub():
            scenes = stack.enter_context(together(daemons, place, count, hosts.address))
        for scene in scenes:
            join(scene, hosts)
        scenes[0].apple.page = 200
        yield Fleet(hosts, scenes, tuple(scenes[0].apple.merchants.values()))


def join(scene: Scene, hosts: Hosts) -> None:
    name = scene.fleet["host"]
    scene.words, scene.fleet["bundles"] = hosts.words(name), str(hosts.bundles(name))


def killed(scene: Scene, does: list[str], days: float, merchants: tuple[str, ...]) -> None:
    """A run, amid its merchants."""
    command = scene.command(days, does=does, merchants=merchants)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout
        for _ in itertools.islice(run.stdout, len(merchants) // 2):
            pass
        run.send_signal(signal.SIGKILL)
    assert run.returncode == -signal.SIGKILL


def test_payments_go_on_while_keys_are_renewed(tmp_path: pathlib.Path) -> None:
    """Of each merchant on each host: none fails, though runs are killed, and one host is cut off amid it all."""
    start = time.monotonic()
    with fleet(tmp_path, MERCHANTS) as whole:
        maker, second, third = whole.scenes
        whole.round(0)
        first = whole.all_at_apple()
        with whole.paying() as payments:
            maker.apple.days = 1520
            whole.hosts.cut_off("c", True)
            killed(maker, MAKES, 716, whole.merchants)
            assert make(maker, 716, whole.merchants) == 0
            assert whole.hosts.fetch("b", "a") and not whole.hosts.fetch("c", "a") and not whole.hosts.fetch("a", "c")
            killed(second, TAKES, 716, whole.merchants)
            whole.round(716)
            # Apple is told of no key that one of them lacks.
            assert whole.all_at_apple() == first
            assert [len(whole.states(scene)) for scene in whole.scenes] == [2 * MERCHANTS, 2 * MERCHANTS, MERCHANTS]
            whole.hosts.cut_off("c", False)
            whole.round(716.1)
            assert not whole.all_at_apple() & first
            time.sleep(1)
        for days in (730, 731):
            whole.round(days)
        for scene in whole.scenes:
            assert whole.states(scene) == ["active"] * MERCHANTS + ["retired"] * MERCHANTS
        assert payments[0] > 20
    print(f"{MERCHANTS} merchants' keys made and rotated on three hosts in {time.monotonic() - start:.0f} s, {payments[0]} payments, none failed")
    print(f"\nsoak: merchants' keys rotated on three hosts = {MERCHANTS}\nsoak: payments meanwhile, of which none failed = {payments[0]}")


class Steps:
    """What was done from a moment on, and how long each took."""

    def __init__(self) -> None:
        self._start = self._last = time.monotonic()
        self._done: list[str] = []

    def done(self, step: str) -> None:
        now = time.monotonic()
        self._done.append(f"{step} {now - self._last:.1f} s")
        self._last = now

    @property
    def seconds(self) -> float:
        return self._last - self._start

    def __str__(self) -> str:
        return ", ".join(self._done)


def run_kist(sandbox: Sandbox, *words: object) -> str:
    environment = os.environ | {"KIST_SANDBOX": str(sandbox.directory)}
    return subprocess.run([PROGRAM, *map(str, words)], env=environment, check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout


def restore(empty: Sandbox, backup: pathlib.Path, digest: str, like: Sandbox) -> None:
    """What people have of the fleet is Apple's CA, and the key under which the backup is; the lost host's log is gone."""
    empty.kill()
    for name in ("state", "audit"):
        shutil.rmtree(empty.directory / name)
        (empty.directory / name).mkdir(mode=0o700)
    shutil.copy(like.directory / "kek", empty.directory / "kek")
    run_kist(empty, "restore", backup, empty.directory / "state", "--digest", digest)
    settings = empty.directory / "kist.toml"
    settings.write_text(settings.read_text().replace("[audit]\n", f'[audit]\nlost_with = "{digest}"\n'))
    trust(empty, like)


def test_a_lost_host_serves_again_in_ten_minutes(tmp_path: pathlib.Path) -> None:
    """docs/FLEET.md: from an empty machine, by the backup of another host and bundles, also with what became of keys since; and the others go on meanwhile."""
    # Here one user is everybody, so the grant of the service is that of the person, too.
    rules = RULES.replace(f'"{EXCHANGE}"', '"fleet/*"').replace(f'"{HOST_KEY}"', f'"{HOST_KEY}-d"') + SHOP
    with fleet(tmp_path, 3, SHORT_WINDOW) as whole, contextlib.ExitStack() as stack:
        maker, second, third = whole.scenes
        whole.round(0)
        made = json.loads(run_kist(second.sandbox, "backup", "--json"))
        maker.apple.days = 1520
        whole.round(716)
        run_kist(second.sandbox, "key", "compromise", min(second.keys(), key=lambda key: key.not_after).id.hex())
        whole.round(716)
        third.sandbox.kill()
        whole.hosts.lose("c")
        whole.scenes.remove(third)
        with whole.paying() as payments:
            steps = Steps()
            words = whole.hosts.add("d")
            new = stack.enter_context(Sandbox(program=PROGRAM, config=CONFIG.format(window=SHORT_WINDOW), policy=rules, wrapper=tuple(words)))
            steps.done("set up in")
            restore(new, second.sandbox.directory / "backups" / made["name"], made["digest"], second.sandbox)
            steps.done("restored in")
            own = json.loads(run_kist(new, "key", "generate", "--label", f"{HOST_KEY}-d", "--role", "signing-ecdsa", "--algorithm", "P-256", "--json"))
            run_kist(new, "key", "retire", HOST_KEY)
            hosts = {name: key for name, key in maker.fleet["hosts"].items() if name != "c"} | {"d": own["spki"]}
            for scene in whole.scenes:
                scene.fleet["hosts"] = hosts
            fourth = Scene(new, maker.apple, tmp_path / "d", maker.merchant, maker.fleet | {"host": "d", "host_key": f"{HOST_KEY}-d"})
            fourth.place.mkdir()
            join(fourth, whole.hosts)
            steps.done("made known in")
            assert make(maker, 716.1, whole.merchants) == 0
            whole.hosts.carry()
            assert take(fourth, 716.1, whole.merchants) == 0
            steps.done("its keys in")
            serves(fourth, whole)
            steps.done("a payment after")
        assert payments[0] > 20 and steps.seconds + USUAL_WINDOW - SHORT_WINDOW < 450
        whole.scenes.append(fourth)
        whole.round(716.1)
        assert whole.keys(fourth) == whole.keys(second) == whole.keys(maker) and "compromised" in whole.keys(fourth).values()
        with whole.paying() as payments:
            time.sleep(1)
        assert payments[0] > 5
    print(f"a lost host is replaced: {steps}, of which {SHORT_WINDOW} s of {USUAL_WINDOW} would no token be opened")


def serves(scene: Scene, whole: Fleet) -> None:
    """Waits for the first payment that the host opens."""
    payer, end = Payer(whole.maker.sandbox), time.monotonic() + 60
    with kist.Client(scene.sandbox.endpoint) as client:
        while True:
            try:
                return pay(client, payer, scene.merchant, whole.at_apple(scene.merchant), 1)
            except kist.Rejected:
                assert time.monotonic() < end
                time.sleep(0.1)
