"""Starts `kist sandbox` and stops it."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
from types import TracebackType
from typing import Any

from .. import AsyncClient, Client, Key, Token


class SandboxError(Exception):
    """`kist` is not there, or the daemon did not start; the text is what it wrote."""


class Sandbox:
    """A sandbox daemon, and a context manager that starts it and takes everything away.

    Args:
        program: the `kist` command; None for the environment's `KIST_PROGRAM`, else the one in `PATH`.
        policy: grants, TOML, before those of every sandbox.
        at: the moment at which its clock stands, such as ``"2026-11-20T09:30:00Z"``; None for the real one.
        wrapper: words in front of the command that becomes the daemon, such as ``("prlimit", "--fsize=0")``.

    Attributes:
        directory: everything that the daemon has.
    """

    def __init__(
        self, *, program: str | os.PathLike[str] | None = None, policy: str = "", at: str | None = None, wrapper: tuple[str, ...] = ()
    ) -> None:
        self._program = os.fspath(program or os.environ.get("KIST_PROGRAM") or shutil.which("kist") or "kist")
        self._policy = policy
        self._at = ("--at", at) if at else ()
        self._wrapper = wrapper
        self._parent: pathlib.Path | None = None
        self._daemon: subprocess.Popen[str] | None = None
        self._drain: threading.Thread | None = None
        self.directory = pathlib.Path()

    @property
    def endpoint(self) -> str:
        """Of services."""
        return f"unix:{self.directory}/run/kist.sock"

    @property
    def operators_endpoint(self) -> str:
        """Of operators."""
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
        """A fresh token as Apple would make it: the options of `kist sandbox token`, such as ``amount=1499, stale=True``."""
        words: list[str] = []
        for name, value in options.items():
            flag = "--" + name.replace("_", "-")
            words += [flag] if value is True else [flag, str(value)]
        return self._kist("sandbox", "token", "--dir", str(self.directory), *words)

    def token(self, **options: object) -> Token:
        """The same, unpacked."""
        return Token.from_apple(self.token_json(**options))

    def import_key(self, label: str, role: str, private_key: bytes, **options: Any) -> Key:
        """Takes a key into the key store, by `Client.import_key`."""
        with self.operator() as operator:
            return operator.import_key(label, role, private_key, **options)

    def start(self) -> None:
        """Makes the sandbox, the first time, and starts the daemon; returns when it serves.

        Raises:
            SandboxError: it does not.
        """
        if self._parent is None:
            self._parent = pathlib.Path(tempfile.mkdtemp(prefix="kist-"))
            self.directory = self._parent / "box"
            self._kist("sandbox", "init", *self._at, str(self.directory))
            if self._policy:
                file = self.directory / "policy.d/05-test.toml"
                file.touch(mode=0o600)
                file.write_text(self._policy)
        command = [*self._wrapper, self._program, "sandbox", "run", "--dir", str(self.directory)]
        try:
            self._daemon = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        except OSError as error:
            raise SandboxError(f"{self._program}: {error.strerror}; give program=, or set KIST_PROGRAM") from None
        self._await_ready(self._daemon)

    def stop(self) -> int:
        """Ends the daemon in order and gives its exit code; `start` starts it again on the same keys and log."""
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

    def _await_ready(self, daemon: subprocess.Popen[str]) -> None:
        assert daemon.stderr is not None
        lines: list[str] = []
        for line in daemon.stderr:
            lines.append(line)
            if "event=ready" in line:
                # What it writes from now on must not fill the pipe.
                self._drain = threading.Thread(target=daemon.stderr.read, daemon=True)
                self._drain.start()
                return
        self._end("kill")
        raise SandboxError(f"kistd did not start: {''.join(lines).strip()}")

    def _end(self, how: str) -> int:
        daemon, self._daemon = self._daemon, None
        if daemon is None:
            return 0
        getattr(daemon, how)()
        code = daemon.wait()
        if self._drain is not None:
            self._drain.join()
        if daemon.stderr is not None:
            daemon.stderr.close()
        self._drain = None
        return code

    def _remove(self) -> None:
        if self._parent is not None:
            shutil.rmtree(self._parent, ignore_errors=True)
        self._parent = None

    def _kist(self, *words: str) -> str:
        try:
            done = subprocess.run([self._program, *words], capture_output=True, text=True)
        except OSError as error:
            raise SandboxError(f"{self._program}: {error.strerror}; give program=, or set KIST_PROGRAM") from None
        if done.returncode != 0:
            raise SandboxError(done.stderr.strip())
        return done.stdout
