#!/usr/bin/env python3
"""Measures kistd against the physical limit and its peers in one run: one table, the targets, and JSON.

usage: bench.py PROGRAMS [quick|smoke] [--only OPERATION,...] [--rounds N] [--seconds S] [--without peers,growth] [--json FILE]
PROGRAMS is where kistd and kist are.  Everything alternates within a round; figures are medians over the rounds, and ratios
are formed within each round.  Everything is in TMPDIR: let that be on the disk that counts.
"""

import argparse
import json
import os
import pathlib
import platform
import sys
import time

import growth
import programs
import report
from peers import Peers
from results import Results
from stage import Stage

OPERATIONS = ("ping", "ecdh", "sign-p256", "sign-rsa", "seal-1k", "seal-16k", "unseal-1k", "unseal-16k", "open", "provision")
# Clients and how deep each of them pipelines.
LOADS = ((1, 1), (8, 1), (64, 1), (1, 16), (8, 16))
# Rounds, and seconds of each measurement.
MODES = {"full": (5, 1.0), "quick": (2, 0.15), "smoke": (1, 0.05)}


def progress(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def record_sizes(stage):
    """Bytes that one operation adds to the log: alone in its commit, and 16 to one."""
    sizes = []
    for depth in (1, 16):
        records, size = stage.log_size()
        programs.measure("load", stage.directory, "ecdh", 0.1, 1, depth, stage.pid, environment=stage.environment)
        more_records, more_size = stage.log_size()
        sizes.append((more_size - size) // (more_records - records))
    return sizes


def surroundings(stage, raw, sizes, seconds):
    """The socket and the disk alone."""
    for clients, depth in ((1, 1), (8, 1), (1, 16), (8, 16)):
        yield ("transport", "frame", f"{clients}x{depth}"), raw.ask(seconds, clients, depth)
    file = stage.directory / "audit.probe"
    for way in ("append", "filled"):
        for size, batch in zip(sizes, (1, 16)):
            yield ("disk", way, f"1x{batch}"), programs.measure("disk", file, size, batch, seconds, way)
    # What a request alone in its commit pays for its checkpoint.
    yield ("limit", "sign-ed25519", "1"), programs.measure("limit", stage.directory / "pki", "sign-ed25519", seconds, 1)


def limits(stage, operation, seconds):
    names = {"ping": (), "open": ("open", "open-naively")}.get(operation, (operation,))
    for name in names:
        for threads in (1,) if name == "open-naively" else (1, 2):
            yield ("limit", name, str(threads)), programs.measure("limit", stage.directory / "pki", name, seconds, threads)


def loads(stage, operation, seconds):
    for clients, depth in LOADS:
        words = (stage.directory, operation, seconds, clients, depth, stage.pid)
        before = stage.written()
        measured = programs.measure("load", *words, environment=stage.environment)
        written = (after - earlier for after, earlier in zip(stage.written(), before))
        measured |= {name: amount / measured["all"] for name, amount in zip(("log_bytes", "syncs"), written)}
        measured["futexes"] = programs.futexes(stage.directory, operation, 0.1, clients, depth, stage.pid, environment=stage.environment)
        yield ("kistd", operation, f"{clients}x{depth}"), measured


def run(stage, peers, operations, rounds, seconds):
    results, sizes = Results(), record_sizes(stage)
    with programs.Raw(stage.directory) as raw:
        for number in range(rounds):
            progress(f"round {number + 1} of {rounds}")
            results.extend(surroundings(stage, raw, sizes, seconds))
            for operation in operations:
                results.extend(limits(stage, operation, seconds))
                results.extend(loads(stage, operation, seconds))
                results.extend(peers.measure(operation, seconds) if peers else ())
    return results, sizes


def machine():
    """OpenSSL has other code for processors with AVX-512, so figures of the two kinds do not compare."""
    about = dict(line.split(":", 1) for line in open("/proc/cpuinfo") if ":" in line)
    about = {name.strip(): value.strip() for name, value in about.items()}
    has_it, mask = "avx512ifma" in about.get("flags", "").split(), os.environ.get("OPENSSL_ia32cap")
    return {
        "processor": about.get("model name", "unknown"),
        "avx512": has_it and not mask,
        "mask": mask,
        "kernel": platform.release(),
        "when": time.strftime("%Y-%m-%d %H:%M"),
    }


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("mode", nargs="?", choices=MODES, default="full")
    parser.add_argument("--only", type=lambda text: text.split(","), default=OPERATIONS)
    parser.add_argument("--without", type=lambda text: text.split(","), default=())
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()
    rounds, seconds = MODES[given.mode]
    given.rounds, given.seconds = given.rounds or rounds, given.seconds or seconds
    return given


def main():
    given = arguments()
    programs.build()
    document = {"machine": machine(), "mode": given.mode, "rounds": given.rounds, "seconds": given.seconds}
    with Stage(given.programs) as stage, Peers(stage.directory, "peers" in given.without) as peers:
        results, document["record_bytes"] = run(stage, peers, given.only, given.rounds, given.seconds)
        document |= {"rows": results.as_json(), "skipped": peers.skipped, "mebibytes": stage.memory()[1]}
    grown, facts = Results(), {}
    if "growth" not in given.without:
        grown, facts = growth.measure(given.programs, given.mode, given.rounds, given.seconds, progress)
    document |= {"growth": grown.as_json(), "facts": facts}
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(document, indent=1) + "\n")
    print(report.text(document))


if __name__ == "__main__":
    main()
