#!/usr/bin/env python3
"""kist top: who watches a restart on a terminal goes on watching; a pipe ends with the daemon.

usage: top.py [BUILD]   (default: the debug build of this checkout)
"""
import os
import pathlib
import pty
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/debug").resolve()
sys.path.insert(0, str(ROOT / "clients/python/src"))

from kist.testing import Sandbox

CLEARED = "\x1b[H\x1b[J"


def shown(terminal, text):
    """What the terminal has shown up to the end of a page with this text."""
    seen = ""
    while text not in seen.rpartition(CLEARED)[2]:
        seen += os.read(terminal, 4096).decode()
    return seen


def on_a_terminal(sandbox, command):
    terminal, other = pty.openpty()
    process = subprocess.Popen(command, stdin=other, stdout=other, stderr=other)
    os.close(other)
    assert "\r\nsecret memory" in shown(terminal, "secret memory"), "no page"
    sandbox.kill()
    gone = shown(terminal, "kistd")
    assert "secret memory" not in gone.rpartition(CLEARED)[2] and "admin.sock: " in gone, gone
    sandbox.start()
    shown(terminal, "secret memory")
    process.terminate()
    process.wait()
    os.close(terminal)


def in_a_pipe(sandbox, command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = process.stdout.readline()
    sandbox.kill()
    rest, complaint = process.communicate(timeout=60)
    assert first.startswith("kistd ") and "\x1b" not in first + rest, first
    assert process.returncode == 1 and complaint.startswith("kist top: "), (process.returncode, complaint)


def main():
    with Sandbox(program=BUILD / "kist") as sandbox:
        command = [BUILD / "kist", "top", "--timeout", "2", "--socket", sandbox.operators_endpoint.removeprefix("unix:")]
        on_a_terminal(sandbox, command)
        in_a_pipe(sandbox, command)
    print("a restart watched on a terminal; a pipe ended")


main()
