"""The C programs of benchmarks/src, each giving its one line of JSON."""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
BUILD = FOLDER / "build"


def build(*names):
    """The programs of these names, or all."""
    done = subprocess.run(["make", "--silent", "--directory", FOLDER, *(f"build/{name}" for name in names)], capture_output=True, text=True)
    if done.returncode:
        sys.exit("bench: the C programs do not build:\n" + done.stderr)


def measure(program, *words, environment=None):
    """Runs one measurement; a wrong result ends everything."""
    done = subprocess.run([BUILD / program, *map(str, words)], env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench: {program} {' '.join(map(str, words))}: {done.stderr.strip()}")
    return parsed(done.stdout)


def futexes(*words, environment):
    """How often the server calls futex for a request under this load; None without perf, or the right to count system calls."""
    with tempfile.NamedTemporaryFile("r") as counted:
        perf = ["perf", "stat", "-x", ",", "-e", "syscalls:sys_enter_futex", "-o", counted.name, "-p", str(words[-1]), "--"]
        try:
            done = subprocess.run([*perf, BUILD / "load", *map(str, words)], env=environment, capture_output=True, text=True)
        except FileNotFoundError:
            return None
        calls = next((line.split(",")[0] for line in counted if "futex" in line), "")
        return int(calls) / parsed(done.stdout)["all"] if done.returncode == 0 and calls.isdecimal() else None


def parsed(line):
    return json.loads(line)


def together(measured, server_seconds):
    """Several processes that did the same at the same time, as one; the time is their server's for all that they did."""
    sums = {name: sum(one[name] for one in measured) for name in ("count", "rate", "all")}
    middles = {name: statistics.median(one[name] for one in measured) for name in ("seconds", "p50", "p99", "p999", "client_us")}
    return sums | middles | {"server_us": 1e6 * server_seconds / sums["all"]}


class Raw:
    """The echo that stands for a daemon without any work."""

    # Bodies of an ecdh request and of its reply.
    REQUEST, REPLY = 97, 54

    def __init__(self, folder):
        self.socket = folder / "raw.sock"
        self.request = folder / "raw.frame"
        self.request.write_bytes(self.REQUEST.to_bytes(4, "big") + bytes(self.REQUEST))
        self.server = subprocess.Popen([BUILD / "raw", "serve", self.socket, str(self.REPLY)], stdout=subprocess.PIPE)
        assert self.server.stdout and self.server.stdout.readline() == b"ready\n"

    def ask(self, seconds, clients, depth):
        return measure("raw", "ask", self.socket, self.request, 0, seconds, clients, depth, self.server.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.kill()
        self.server.communicate()
