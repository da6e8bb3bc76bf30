"""The services on one machine without root: a sandbox with their policies, and processes for them. For the shop and for the tests."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import IO

from kist.testing import Sandbox

SERVICES = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = pathlib.Path(os.environ.get("KIST_PROGRAM", SERVICES.parent / ".build/debug/kist"))
#: By which sessions uses keys that stay in kistd: what the package installs, as it was built here.
PROVIDER = {"OPENSSL_CONF": f"{SERVICES}/openssl.cnf", "OPENSSL_MODULES": f"{SERVICES.parent}/clients/openssl/build"}
#: CardPointe's rules: tokens are tokenized within two minutes, and authorized once.
MERCHANT = """
[[merchant]]
identifier = "merchant.com.example.sandbox"
freshness_window = "2m"
envelope_key = "merchant/sandbox/envelope-2026"
envelope_one_use = true
"""

_ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def orderly_end() -> Iterator[None]:
    """A signal, such as the one when a terminal is closed, ends the program as SystemExit, so that nothing stays.

    By KeyboardInterrupt `Popen` would leave a process after a quarter of a second. Signals that follow, as make sends them,
    do not disturb the cleaning up. What was ignored stays so, as nohup wants it.
    """
    before = {number: signal.getsignal(number) for number in _ENDING}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> None:
    end_undisturbed()
    raise SystemExit(0)


def end_undisturbed() -> None:
    """From here on this process only cleans up, and no signal keeps it from that."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)


def policy(*names: str) -> str:
    """The shipped policies, for the user that runs this and the sandbox's merchant, and with rates that no test exceeds."""
    text = "".join((SERVICES / f"policy/{name}.toml").read_text() for name in names)
    text = re.sub(r"^rate = .*$", 'rate = "10000/s"', text, flags=re.MULTILINE)
    return re.sub(r'"kist-[a-z]+"', str(os.getuid()), text).replace("merchant/acme/", "merchant/sandbox/")


@contextlib.contextmanager
def merchant_sandbox() -> Iterator[Sandbox]:
    """A sandbox whose merchant's payments go through `cardsecure` and `redeem`."""
    with Sandbox(program=PROGRAM, config=MERCHANT, policy=policy("cardsecure", "redeem", "sessions")) as sandbox:
        sandbox.import_key("merchant/sandbox/envelope-2026", "sealing", os.urandom(32))
        yield sandbox


def merchant_settings(place: pathlib.Path, vaults: Mapping[str, str] = {}) -> dict[str, str]:
    """Of both services, without their API keys; the vault is a file of the place's, or each service's address of a server."""
    vault = {name: f'vault = "{vaults.get(name, f"{place}/vault.sqlite")}"\n' for name in ("cardsecure", "redeem")}
    return {
        "cardsecure": vault["cardsecure"] + 'processing = "merchant/sandbox/processing-ec"\n',
        "redeem": vault["redeem"] + 'merchant = "merchant.com.example.sandbox"\nenvelopes = "merchant/sandbox/envelope-2026"\n',
    }


@contextlib.contextmanager
def process(
    name: str, settings: pathlib.Path, listener: socket.socket, log: IO[str], python: Sequence[str] = (sys.executable,)
) -> Iterator[subprocess.Popen[bytes]]:
    """Starts a service with a socket that listens already, as systemd would.

    Args:
        python: the words that run it.
    """
    command = [*python, "-m", "kist_services", name, "--settings", str(settings)]
    activate = ["sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3<&0 0</dev/null', "sh", *command]
    with subprocess.Popen(activate, stdin=listener.fileno(), stderr=log, umask=0o077, env=os.environ | PROVIDER) as process:
        try:
            yield process
        finally:
            process.terminate()
