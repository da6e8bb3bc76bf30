"""Hosts in network namespaces of their own. What they write for one another goes by rsync, as docs/SERVICES.md has it; a host can be cut off."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).parents[2]
sys.path.append(str(ROOT / "Tests/fleet"))
from network import Cables  # type: ignore[import-not-found]  # noqa: E402

PAGE = ROOT / "docs/SERVICES.md"
BUNDLES = "/var/lib/kist-bundles"
_CLONE_NEWNET = 0x40000000


def example(beginning: str) -> str:
    """The indented block of the page that begins so, which may have empty lines."""
    found = re.search(rf"^ {{4}}{re.escape(beginning)}.*\n(?: {{4}}.*\n)*", PAGE.read_text(), re.M)
    assert found, beginning
    return re.sub(r"^ {4}", "", found.group(), flags=re.M)


class Hosts:
    """Each has a directory for what goes between them, which it serves to the others.

    Attributes:
        address: of the hub, where whoever is none of the hosts can be reached.
    """

    def __init__(self, place: pathlib.Path, cables: Cables) -> None:
        self._place, self._cables = place, cables
        self._served: dict[str, subprocess.Popen[bytes]] = {}
        self.address = "10.232.0.1"

    def add(self, name: str) -> list[str]:
        """A new one's network and empty directory: the words in front of a command that is to run there."""
        number = ord(name) - ord("a")
        self._cables.lay(name, f"10.232.{number}.1", self._address(name))
        self.bundles(name).mkdir(parents=True)
        (self._place / name / "rsyncd.conf").write_text(self._configured(example("reverse lookup"), name))
        served = [*self.words(name), "rsync", "--daemon", "--no-detach", f"--config={self._place / name / 'rsyncd.conf'}"]
        self._served[name] = subprocess.Popen(served)
        return self.words(name)

    def words(self, name: str) -> list[str]:
        return list(self._cables.words_inside(name))

    def bundles(self, name: str) -> pathlib.Path:
        return self._place / name / "bundles"

    def cut_off(self, name: str, cut: bool) -> None:
        self._cables.cut_off(name, cut)

    def lose(self, name: str) -> None:
        """With all that it had."""
        served = self._served.pop(name)
        served.kill()
        served.wait()
        self._cables.remove(name)

    def carry(self) -> None:
        """Each fetches what is new on the others, as far as it reaches them."""
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda pair: self.fetch(*pair), itertools.permutations(self._served, 2)))

    def fetch(self, name: str, other: str) -> bool:
        """Whether it reached the other."""
        command = example("# runuser -u kist-renew -- rsync").removeprefix("# runuser -u kist-renew -- ").replace("b.example.com", self._address(other))
        words = self._configured(command, name).replace("--contimeout=10", "--contimeout=1").split()
        return subprocess.run([*self.words(name), *words], stderr=subprocess.DEVNULL, timeout=60).returncode == 0

    @contextlib.contextmanager
    def at_the_hub(self) -> Iterator[None]:
        """Sockets that this thread makes are there; those that it has stay where they are."""
        with open("/proc/thread-self/ns/net") as own, open(f"/run/netns/{self._cables.prefix}hub") as hub:
            _enter(hub.fileno())
            try:
                yield
            finally:
                _enter(own.fileno())

    def close(self) -> None:
        for served in self._served.values():
            served.kill()
            served.wait()
        for name in (*self._served, "hub"):
            self._cables.remove(name)

    def _configured(self, text: str, name: str) -> str:
        return text.replace(BUNDLES, str(self.bundles(name))).replace("= kist-renew", "= root").replace("192.0.2.0/24", "10.232.0.0/16")

    @staticmethod
    def _address(name: str) -> str:
        return f"10.232.{ord(name) - ord('a')}.2"


def _enter(namespace: int) -> None:
    if ctypes.CDLL(None, use_errno=True).setns(namespace, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


@contextlib.contextmanager
def parted(place: pathlib.Path, names: Sequence[str]) -> Iterator[Hosts]:
    """Needs root."""
    assert os.geteuid() == 0, "run as root: it makes network namespaces"
    hosts = Hosts(place, Cables(f"kist-{os.getpid()}-", "hub"))
    try:
        for name in names:
            hosts.add(name)
        yield hosts
    finally:
        hosts.close()
