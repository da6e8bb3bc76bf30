#!/usr/bin/env python3
"""Measures kistd against the physical limit in one run: one table, the targets, and JSON.

usage: bench.py PROGRAMS [quick] [--only OPERATION,...] [--rounds N] [--seconds S] [--json FILE]
PROGRAMS is where kistd and kist are.  Everything alternates within a round; figures are medians over the rounds, and ratios
are formed within each round.  The log is in TMPDIR: let that be a disk.
"""

import argparse
import json
import pathlib
import platform
import sys
import time

import programs
import table
from results import Results
from stage import Stage
from targets import targets

OPERATIONS = ("ping", "ecdh", "sign-p256", "sign-rsa", "seal-1k", "seal-16k", "unseal-1k", "unseal-16k", "open", "provision")
# Clients and how deep each of them pipelines.
LOADS = ((1, 1), (8, 1), (64, 1), (1, 16), (8, 16))


def record_sizes(stage):
    """Bytes that one operation adds to the log: alone in its commit, and 16 to one."""
    sizes = []
    for depth in (1, 16):
        records, size = stage.log_size()
        programs.measure("load", stage.directory, "ecdh", 0.1, 1, depth, stage.pid, environment=stage.environment)
        more_records, more_size = stage.log_size()
        sizes.append((more_size - size) // (more_records - records))
    return sizes


def limits(stage, operation, seconds):
    names = {"ping": (), "open": ("open", "open-naively")}.get(operation, (operation,))
    for name in names:
        for threads in (1,) if name == "open-naively" else (1, 2):
            yield ("limit", name, str(threads)), programs.measure("limit", stage.directory / "pki", name, seconds, threads)


def loads(stage, operation, seconds):
    for clients, depth in LOADS:
        words = (stage.directory, operation, seconds, clients, depth, stage.pid)
        yield ("kistd", operation, f"{clients}x{depth}"), programs.measure("load", *words, environment=stage.environment)


def surroundings(stage, raw, sizes, seconds):
    """The socket and the disk alone."""
    for clients, depth in ((1, 1), (8, 1), (1, 16), (8, 16)):
        yield ("transport", "frame", f"{clients}x{depth}"), raw.ask(seconds, clients, depth)
    file = stage.directory / "audit.probe"
    for way in ("append", "filled"):
        for size, batch in zip(sizes, (1, 16)):
            yield ("disk", way, str(batch)), programs.measure("disk", file, size, batch, seconds, way)


def run(stage, operations, rounds, seconds, progress):
    results = Results()
    sizes = record_sizes(stage)
    with programs.Raw(stage.directory) as raw:
        for number in range(rounds):
            progress(f"round {number + 1} of {rounds}")
            for row, measured in surroundings(stage, raw, sizes, seconds):
                results.add(row, measured)
            for operation in operations:
                for measurements in (limits, loads):
                    for row, measured in measurements(stage, operation, seconds):
                        results.add(row, measured)
    return results, sizes


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    return {"processor": model, "kernel": platform.release(), "when": time.strftime("%Y-%m-%d %H:%M:%S")}


def report(results):
    print(table.markdown(table.HEAD, table.rows(results)))
    print()
    lines = [(what, figure, target, "held" if held else "NOT HELD") for what, figure, target, held in targets(results)]
    print(table.markdown(("target", "figure", "asked", ""), lines))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("mode", nargs="?", choices=("full", "quick"), default="full")
    parser.add_argument("--only", type=lambda text: tuple(text.split(",")), default=OPERATIONS)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()
    quick = given.mode == "quick"
    programs.build()
    with Stage(given.programs) as stage:
        results, sizes = run(stage, given.only, given.rounds or (2 if quick else 5), given.seconds or (0.2 if quick else 1.0), lambda text: print(text, file=sys.stderr))
        resident, peak = stage.memory()
    report(results)
    print(f"\n{sizes[0]} bytes of log for an operation alone in its commit, {sizes[1]} for one of 16; kistd: {resident:.1f} MiB resident, at most {peak:.1f}")
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps({"machine": machine(), "rows": results.json()}, indent=1) + "\n")


if __name__ == "__main__":
    main()
