#!/usr/bin/env python3
"""kist top: who watches a restart on a terminal goes on watching, until that is denied; a pipe ends with the daemon.

usage: top.py [BUILD]   (default: the debug build of this checkout)
"""
import os
import pathlib
import pty
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/debug").resolve()
sys.path.insert(0, str(ROOT / "clients/python/src"))

from kist.testing import Sandbox

CLEARED = "\x1b[H\x1b[J"


class Terminal:
    """Shows what a command writes, page after page, each in place of the one before."""

    def __init__(self, command):
        self.master, other = pty.openpty()
        self.process = subprocess.Popen(command, stdin=other, stdout=other, stderr=other)
        self.seen = ""
        os.close(other)

    def page(self, text):
        """The next one that has this text, once the page after it has begun."""
        while True:
            first, cleared, rest = self.seen.partition(CLEARED)
            if not cleared:
                self.seen += os.read(self.master, 4096).decode()
                continue
            self.seen = rest
            if text in first:
                return first

    def end(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.master)


def on_a_terminal(sandbox, command):
    terminal = Terminal(command)
    page = terminal.page("secret memory")
    assert page.startswith("kistd ") and "\\u" not in page and "␛" not in page, page
    sandbox.kill()
    gone = terminal.page("admin.sock: ")
    assert "is kistd running" in gone or "kistd has ended" in gone, gone
    sandbox.start()
    terminal.page("secret memory")
    terminal.end()


def refused(sandbox, command):
    """Each denial is on the record, so that one ends it, on a terminal too."""
    terminal = Terminal(command)
    terminal.page("secret memory")
    policy = sandbox.directory / "policy.d"
    for file in policy.iterdir():
        file.write_text(re.sub(r'"(status|metrics)",?\s*', "", file.read_text()))
    sandbox.kill()
    sandbox.start()
    assert terminal.process.wait(60) == 1
    os.close(terminal.master)


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
        sandbox.start()
        refused(sandbox, command)
    print("a restart watched on a terminal; a denial and a pipe ended")


main()
