"""A PostgreSQL server of the tests' own, on a Unix socket."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator

from kist_services import vault

_PAGE = pathlib.Path(__file__).parents[2] / "docs/SERVICES.md"
_PROMPT = "    # runuser -u postgres -- "
_PACKAGED = "/usr/lib/python3/dist-packages/kist_services"
_SETTINGS = """
listen_addresses = ''
max_connections = 60
shared_buffers = 16MB
# A killed process loses nothing that the kernel has.
fsync = off
"""


def _documented() -> list[list[str]]:
    """What the page tells an operator to type on the server, with the files of this checkout."""
    text = _PAGE.read_text().replace(_PACKAGED, str(pathlib.Path(vault.__file__).parent))
    lines = (line.removeprefix(_PROMPT) for line in text.splitlines() if line.startswith(_PROMPT))
    return [shlex.split(line) for line in lines]


class Postgres:
    def __init__(self, place: pathlib.Path) -> None:
        self.place, self._data = place, place / "data"
        found = subprocess.run(["pg_config", "--bindir"], capture_output=True, check=True, text=True)
        self._programs = found.stdout.strip()
        self._run("initdb", "--auth=trust", "--no-sync", "--username=postgres", self._data)
        with (self._data / "postgresql.conf").open("a") as settings:
            settings.write(f"{_SETTINGS}unix_socket_directories = '{place}'\n")
        self.start()
        for words in _documented():
            subprocess.run([*words, "--host", str(self.place), "--username=postgres"], check=True, stdout=subprocess.DEVNULL)

    def address(self, user: str) -> str:
        return f"postgresql://{user}@/vault?host={self.place}"

    def start(self) -> None:
        self._run("pg_ctl", "-D", self._data, "-w", "-l", self.place / "log", "start")

    def kill(self) -> None:
        """With kill -9, all of its processes."""
        for process in self._processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        while self._processes():
            time.sleep(0.01)
        # Which a process that nobody waited for yet would make it take for a running server's.
        for file in (self._data / "postmaster.pid", self.place / ".s.PGSQL.5432.lock"):
            file.unlink(missing_ok=True)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """It takes connections, and never answers."""
        processes = self._processes()
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGCONT)

    def sql(self, text: str) -> str:
        words = ["psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--tuples-only", "--no-align"]
        words += ["--host", str(self.place), "--username=postgres", "--dbname=vault", "--command", text]
        return subprocess.run(words, capture_output=True, check=True, text=True).stdout.strip()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody can read or write the payments, as while an operator alters their table."""
        words = ["psql", "--no-psqlrc", "--host", str(self.place), "--username=postgres", "--dbname=vault"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdin and holder.stdout
            holder.stdin.write("BEGIN; LOCK TABLE payments; SELECT 'it is locked';\n")
            holder.stdin.flush()
            while "it is locked" not in holder.stdout.readline():
                pass
            try:
                yield
            finally:
                holder.kill()

    def _processes(self) -> list[int]:
        """Those that work in the data directory."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and os.readlink(entry / "cwd") == str(self._data):
                    found.append(int(entry.name))
        return found

    def _run(self, program: str, *words: object) -> None:
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        command = [*(user if os.geteuid() == 0 else []), f"{self._programs}/{program}", *map(str, words)]
        if subprocess.run(command, check=False, stdout=subprocess.DEVNULL, cwd=self.place).returncode:
            log = self.place / "log"
            raise AssertionError(f"{program} failed: {log.read_text() if log.exists() else None}")


@contextlib.contextmanager
def postgres() -> Iterator[Postgres]:
    """Where its user can go, which a test's own directory is not."""
    with tempfile.TemporaryDirectory(prefix="kist-vault-") as name:
        place = pathlib.Path(name)
        if os.geteuid() == 0:
            shutil.chown(place, "postgres", "postgres")
        server = Postgres(place)
        try:
            yield server
        finally:
            server.kill()
