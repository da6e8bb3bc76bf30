"""Starting and ending the sandbox daemon, in order and otherwise."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import pytest
from kist.testing import Sandbox, SandboxError

SLEEPS = ("sh", "-c", "sleep 1000")


def test_started_twice(program: pathlib.Path) -> None:
    with Sandbox(program=program) as sandbox, sandbox.client() as client:
        sandbox.start()
        client.ping()
        assert client.describe().rehearsal
        sandbox.kill()
        sandbox.start()
        client.ping()


def test_a_daemon_that_ended_by_itself_is_started_again(program: pathlib.Path) -> None:
    with Sandbox(program=program) as sandbox, sandbox.client() as client:
        assert sandbox._daemon is not None and sandbox._daemon._process is not None
        os.kill(sandbox._daemon._process.pid, signal.SIGKILL)
        sandbox._daemon._process.wait()
        sandbox.start()
        client.ping()


def test_one_that_does_not_start(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", os.fspath(tmp_path))
    with pytest.raises(SandboxError, match="KIST_PROGRAM"):
        Sandbox(program=tmp_path / "nothing").start()
    assert list(tmp_path.iterdir()) == []


def test_one_that_takes_too_long(program: pathlib.Path) -> None:
    with Sandbox(program=program) as sandbox:
        sandbox.kill()
        sandbox._wrapper = SLEEPS
        with pytest.raises(SandboxError, match="did not start: it said nothing in time"):
            sandbox.start(timeout=0.5)
        with pytest.raises(ValueError, match="time-out"):
            sandbox.start(timeout=0)


def test_a_killed_pytest_leaves_no_daemon(program: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import time\n"
        "from kist.testing import Sandbox\n"
        "def test_it():\n"
        "    with Sandbox() as sandbox:\n"
        "        print('pid', sandbox._daemon._process.pid, flush=True)\n"
        "        time.sleep(1000)\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", os.fspath(tmp_path)]
    environment = dict(os.environ) | {"KIST_PROGRAM": os.fspath(program), "TMPDIR": os.fspath(tmp_path)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as session:
        assert session.stdout is not None
        line = next(line for line in session.stdout if "pid " in line)
        daemon = int(line.split("pid ")[1])
        os.kill(daemon, 0)
        session.kill()
    for _ in range(500):
        if not is_running(daemon):
            return
        time.sleep(0.01)
    os.kill(daemon, signal.SIGKILL)
    pytest.fail("the daemon outlived the test run")


def is_running(process: int) -> bool:
    """A process that nobody has reaped yet has ended, too."""
    try:
        status = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
