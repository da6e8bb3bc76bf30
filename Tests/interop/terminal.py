#!/usr/bin/env python3
"""kist on a terminal: long answers in a pager, words in colours; in a pipe, or where a person said so, neither.

usage: terminal.py [BUILD]   (default: the debug build of this checkout)
"""
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/debug").resolve()
sys.path.insert(0, str(ROOT / "clients/python/src"))

from kist.testing import Sandbox

#: Marks each line that went through it.
PAGER = "sed 's/^/paged: /'"


def shown(*words, keys="", **variables):
    """What a terminal shows of a command, and how that ends; `keys` are pressed once something is there."""
    master, other = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm"} | variables
    process = subprocess.Popen([BUILD / "kist", *words], stdin=other, stdout=other, stderr=other, env=environment, start_new_session=True)
    os.close(other)
    seen = b""
    while True:
        try:
            said = os.read(master, 4096)
        except OSError:
            break
        if not said:
            break
        seen += said
        if keys:
            os.write(master, keys.encode())
            keys = ""
    os.close(master)
    return seen.decode().replace("\r\n", "\n"), process.wait(60)


def piped(*words, **variables):
    return subprocess.run([BUILD / "kist", *words], env=variables, capture_output=True, text=True, timeout=60)


def pages(log):
    first = "Usage: kist NOUN VERB [OPTIONS]\n"
    for words in ["--help"], ["help"]:
        text, code = shown(*words, PAGER=PAGER)
        assert text.startswith("paged: " + first) and code == 0, text
    assert shown("help", "audit", "show", PAGER=PAGER) == shown("audit", "show", "--help", PAGER=PAGER)
    text, code = shown("audit", "show", log, PAGER=PAGER)
    assert code == 0 and text and all(line.startswith("paged: ") for line in text.splitlines()), text
    for pager in "", "cat":
        text, code = shown("--help", PAGER=pager)
        assert text.startswith(first) and code == 0, text
    # What is short enough to stand on the terminal ends by itself; less waits for a key otherwise.
    text, code = shown("help", keys="q")
    assert "Usage: kist NOUN VERB" in text and code == 0, (text, code)
    # Who may run kist as somebody else runs nothing else so.
    text, code = shown("help", keys="!id\nq", PAGER=PAGER, SUDO_UID="1000")
    assert "paged" not in text and "uid=" not in text and "Usage: kist NOUN VERB" in text, text
    # A pager that is not there is said, and nothing hangs.
    text, code = shown("audit", "show", log, PAGER="no-such-pager")
    assert "no-such-pager" in text, text
    # Help never carries out what it is asked about.
    said = piped("help", "audit", "show", "--", log)
    assert said.stdout.startswith("Usage: kist audit show ") and said.returncode == 0, said
    said = piped("help", "frobnicate")
    assert "unknown command 'frobnicate'" in said.stderr and said.returncode == 2, said
    # What is wrong is said, with its code, whatever the pager shows.
    text, code = shown("audit", "show", "/nonexistent", PAGER=PAGER)
    assert text.startswith("kist audit show: /nonexistent: No such file") and code == 66, (text, code)
    assert piped("--help", PAGER=PAGER).stdout.startswith(first)
    assert "paged" not in piped("audit", "show", log, PAGER=PAGER).stdout


def colours(directory):
    words = ["doctor", "--config", directory / "absent.toml"]
    text, code = shown(*words)
    assert "\x1b[31mPROBLEM\x1b[m configuration-missing" in text and code == 1, text
    for variables in {"NO_COLOR": "1"}, {"TERM": "dumb"}:
        text, code = shown(*words, **variables)
        assert "PROBLEM configuration-missing" in text and "\x1b" not in text and code == 1, text
    assert "\x1b[31m" in shown(*words, NO_COLOR="")[0]
    said = piped(*words, TERM="xterm")
    assert "PROBLEM configuration-missing" in said.stdout and "\x1b" not in said.stdout, said.stdout


def main():
    with Sandbox(program=BUILD / "kist") as sandbox, tempfile.TemporaryDirectory() as place:
        pages(sandbox.directory / "audit")
        colours(pathlib.Path(place))
    print("help and records in a pager, findings in colours; neither in a pipe, with PAGER=cat or with NO_COLOR")


main()
