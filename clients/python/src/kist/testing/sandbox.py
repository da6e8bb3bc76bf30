"""Starts `kist sandbox` and stops it."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from .. import AsyncClient, Client, Key, ProvisionedPass, Token
from .._socket import checked_timeout


class SandboxError(Exception):
    """`kist` was not found, or the daemon did not start; the text is its output."""


class Sandbox:
    """A sandbox daemon, and a context manager that starts it and removes everything afterwards.

    Args:
        program: the `kist` command; None for the environment's `KIST_PROGRAM`, else the one in `PATH`.
        config: settings in the form of kist.toml, which go among those of every sandbox; TOML, or the path of a file.
        policy: grants before those of every sandbox; TOML, or the paths of files.
        at: the moment at which its clock stands, such as ``"2026-11-20T09:30:00Z"``; None for the real one.
        wrapper: words in front of the command that becomes the daemon, such as ``("prlimit", "--fsize=0")``.

    Attributes:
        directory: everything that the daemon has.
    """

    def __init__(
        self,
        *,
        program: str | os.PathLike[str] | None = None,
        config: str | pathlib.PurePath = "",
        policy: str | pathlib.PurePath | Sequence[pathlib.PurePath] = "",
        at: str | None = None,
        wrapper: tuple[str, ...] = (),
    ) -> None:
        self._program = os.fspath(program or os.environ.get("KIST_PROGRAM") or shutil.which("kist") or "kist")
        self._config = config
        self._policy = policy if isinstance(policy, Sequence) and not isinstance(policy, str) else (policy,)
        self._at = ("--at", at) if at else ()
        self._wrapper = wrapper
        self._parent: pathlib.Path | None = None
        self._daemon: _Daemon | None = None
        self.directory = pathlib.Path()

    @property
    def endpoint(self) -> str:
        """The endpoint for services."""
        return f"unix:{self.directory}/run/kist.sock"

    @property
    def operators_endpoint(self) -> str:
        """The endpoint for operators."""
        return f"unix:{self.directory}/run/admin.sock"

    def client(self, *, timeout: float | None = 10.0) -> Client:
        """A client of the services' socket."""
        return Client(self.endpoint, timeout=timeout)

    def async_client(self, *, timeout: float | None = 10.0) -> AsyncClient:
        """The same for asyncio."""
        return AsyncClient(self.endpoint, timeout=timeout)

    def operator(self) -> Client:
        """A client of the operators' socket."""
        return Client(self.operators_endpoint)

    def token_json(self, **options: object) -> str:
        """A fresh token as Apple would make it: the options of `kist sandbox token`, such as ``amount=1499, stale=True``; False and None leave one out."""
        return self._kist("sandbox", "token", "--dir", str(self.directory), *_flags(options))

    def token(self, **options: object) -> Token:
        """The same, unpacked."""
        return Token.from_apple(self.token_json(**options))

    def pass_request(self, **options: object) -> dict[str, Any]:
        """What a phone sends an issuer's host to add a card: `certificates`, `nonce` and `nonceSignature` in base64, which go into a request as JSON.

        Options are those of `kist sandbox pass-request`, such as ``defect="expired"``.
        """
        request: dict[str, Any] = json.loads(self._kist("sandbox", "pass-request", "--dir", str(self.directory), *_flags(options)))
        return request

    def pass_open(self, answer: Mapping[str, str] | ProvisionedPass, **options: object) -> dict[str, Any]:
        """What Apple and the payment network find in what an issuer's host answered, or `Client.provision_pass` made.

        Options are those of `kist sandbox pass-open`: ``unchecked=True``.

        Raises:
            SandboxError: they would refuse it.
        """
        if isinstance(answer, ProvisionedPass):
            members = {
                "encryptedPassData": answer.encrypted_pass_data, "ephemeralPublicKey": answer.ephemeral_public_key, "activationData": answer.activation_data,
            }  # fmt: skip
            answer = {name: base64.b64encode(octets).decode() for name, octets in members.items()}
        words = ("sandbox", "pass-open", "-", "--dir", str(self.directory), *_flags(options))
        found: dict[str, Any] = json.loads(self._kist(*words, said=json.dumps(dict(answer))))
        return found

    def import_key(self, label: str, role: str, private_key: bytes, **options: Any) -> Key:
        """Imports a key into the key store, with `Client.import_key`."""
        with self.operator() as operator:
            return operator.import_key(label, role, private_key, **options)

    def start(self, *, timeout: float = 60.0) -> None:
        """Makes the sandbox, the first time, and starts the daemon; returns when it serves, at once if it already does.

        The daemon ends with this process, even where that is killed.

        Raises:
            SandboxError: it does not serve within `timeout` seconds.
        """
        checked_timeout(timeout)
        if self._daemon is not None and self._daemon.is_running():
            return
        self._end("kill")
        if self._parent is None:
            try:
                self._make(timeout)
            except BaseException:
                self._remove()
                raise
        self._daemon = _Daemon([*self._wrapper, self._program, "sandbox", "run", "--dir", str(self.directory)])
        if not self._daemon.is_ready(timeout):
            said = self._daemon.said()
            self._end("kill")
            raise SandboxError(f"kistd did not start: {said}")

    def stop(self) -> int:
        """Stops the daemon orderly and returns its exit code; `start` starts it again on the same keys and log."""
        return self._end("terminate")

    def kill(self) -> int:
        """Kills the daemon as a crash would."""
        return self._end("kill")

    def __enter__(self) -> Sandbox:
        try:
            self.start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
        self._remove()

    def _make(self, timeout: float) -> None:
        self._parent = pathlib.Path(tempfile.mkdtemp(prefix="kist-"))
        self.directory = self._parent / "box"
        added = [*self._file("config", self._config)]
        for policy in self._policy:
            added += self._file("policy", policy)
        self._kist("sandbox", "init", *self._at, *added, str(self.directory), timeout=timeout)

    def _file(self, kind: str, content: str | pathlib.PurePath) -> Sequence[str]:
        """The option for a file; TOML becomes one beside the sandbox."""
        if isinstance(content, str):
            if not content:
                return ()
            assert self._parent is not None
            file = self._parent / f"{kind}.toml"
            file.touch(mode=0o600)
            file.write_text(content)
            content = file
        return (f"--{kind}", str(content))

    def _end(self, how: str) -> int:
        daemon, self._daemon = self._daemon, None
        return 0 if daemon is None else daemon.end(how)

    def _remove(self) -> None:
        if self._parent is not None:
            shutil.rmtree(self._parent, ignore_errors=True)
        self._parent = None

    def _kist(self, *words: str, said: str = "", timeout: float | None = None) -> str:
        try:
            done = subprocess.run([self._program, *words], input=said, capture_output=True, text=True, timeout=timeout)
        except OSError as error:
            raise SandboxError(f"{self._program}: {error.strerror}; give program=, or set KIST_PROGRAM") from None
        except subprocess.TimeoutExpired:
            raise SandboxError(f"kist {words[0]} {words[1]} took longer than {timeout} s") from None
        if done.returncode != 0:
            raise SandboxError(done.stderr.strip())
        return done.stdout


def _flags(options: Mapping[str, object]) -> list[str]:
    """The options of a command, named as in Python; one that is False or None is not given."""
    words: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        flag = "--" + name.replace("_", "-")
        words += [flag] if value is True else [flag, str(value)]
    return words


class _Daemon:
    """A daemon, and the thread that started it and reads its output, so that its pipe never fills.

    The kernel kills it when that thread ends (PR_SET_PDEATHSIG is about threads), which waits until the daemon has ended.
    """

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._lines: list[str] = []
        self._is_ready = False
        self._has_news = threading.Event()
        self._process: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def is_ready(self, timeout: float) -> bool:
        """Waits until it serves, has ended, or the time is over."""
        self._has_news.wait(timeout)
        return self._is_ready

    def said(self) -> str:
        return "".join(self._lines).strip() or "it said nothing in time"

    def end(self, how: str) -> int:
        """Its exit code, once it has ended by that method of `Popen`'s."""
        if self._process is None:
            return 0
        getattr(self._process, how)()
        code = self._process.wait()
        self._thread.join(timeout=1)  # a child of the daemon may still hold the pipe
        return code

    def _run(self) -> None:
        tether = [sys.executable, "-I", "-S", os.fspath(pathlib.Path(__file__).with_name("_tether.py")), str(os.getpid())]
        with subprocess.Popen([*tether, *self._command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as self._process:
            assert self._process.stderr is not None
            for line in self._process.stderr:
                if self._is_ready:
                    continue
                self._lines.append(line)
                self._is_ready = "event=ready" in line
                if self._is_ready:
                    self._has_news.set()
        self._has_news.set()
