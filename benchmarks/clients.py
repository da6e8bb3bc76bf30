#!/usr/bin/env python3
"""Measures the processor time that each language's client takes for a call, in one run, beside C's.

usage: clients.py PROGRAMS [--rounds N] [--smoke]    PROGRAMS is where kistd and kist are; --smoke only finds out whether all of it still runs
A call asks for 16 random bytes. "8 x 1" is eight processes of one connection and one call at a time, "1 x 16" one connection with 16 calls in flight;
figures are medians over the rounds. Twice as many calls go before those that are measured, in Java ten times as many, until its compiler has done. A language that is not installed is left out, and the table says so.
"""

import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import programs
import table
from stage import ROOT, Stage

HERE = pathlib.Path(__file__).resolve().parent
ASKING = HERE / "clients"
LOADS = ((1, 1), (8, 1), (1, 16))
#: Calls that are measured, by how many are in flight.
COUNTS = {1: 8_000, 16: 48_000}
#: For a run that only finds out whether all of it still runs.
SMOKE = {1: 64, 16: 64}
#: How many times C's processor time a client may take, at most.
ASKED = {"Go": 1.5, "Java": 1.5, "Node": 5, "Python": 5, "PHP": 5}


def commands(place):
    """Of each language that is here the command that asks; compiled into `place`."""
    found = {"Python": [sys.executable, ASKING / "ask.py"]}
    if shutil.which("node"):
        found["Node"] = ["node", ASKING / "ask.mjs"]
    if shutil.which("php"):
        found["PHP"] = ["php", ASKING / "ask.php"]
    if shutil.which("go"):
        shutil.copy(ASKING / "ask.go", place / "main.go")
        (place / "go.mod").write_text(f"module ask\n\ngo 1.19\n\nrequire kist v0.0.0\n\nreplace kist => {ROOT}/clients/go\n")
        subprocess.run(["go", "build", "-o", "ask", "."], cwd=place, check=True)
        found["Go"] = [place / "ask"]
    if shutil.which("javac"):
        sources = [*(ROOT / "clients/java/src/main/java").rglob("*.java"), ASKING / "Ask.java"]
        subprocess.run(["javac", "-d", place / "classes", *sources], check=True)
        found["Java"] = ["java", "-cp", place / "classes", "Ask"]
    return found


def asked(command, stage, load, counts):
    """The µs of a call: the mean over the processes."""
    environment = stage.environment | {"PYTHONPATH": str(ROOT / "clients/python/src")}
    words = [*map(str, command), str(counts[load[1]]), str(load[1])]
    running = [subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(load[0])]
    said = [one.communicate()[0] for one in running]
    if any(one.returncode for one in running):
        sys.exit(f"bench: {' '.join(words)} failed")
    return statistics.mean(map(float, said))


def measured(stage, found, rounds, counts):
    figures = {}
    for _ in range(rounds):
        for load in LOADS if counts is COUNTS else (LOADS[0], LOADS[-1]):
            c = programs.measure("load", stage.directory, "random", 0.5, *load, stage.pid, environment=stage.environment)
            figures.setdefault(("C", load), []).append(c["client_us"])
            for language, command in found.items():
                if (language, load[1]) != ("PHP", 16):
                    figures.setdefault((language, load), []).append(asked(command, stage, load, counts))
    return {row: statistics.median(values) for row, values in figures.items()}


def rows(figures):
    for language in ("C", *ASKED):
        cells = []
        for load in LOADS:
            if (language, load) not in figures:
                cells += ["", ""]
                continue
            figure = figures[language, load]
            cells += [table.number(figure), "" if language == "C" else f"{figure / figures['C', load]:.1f}"]
        if any(cells):
            yield (language, *cells, ASKED.get(language, ""))
        else:
            yield (language, *["not here", ""] * len(LOADS), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    rounds, counts = (1, SMOKE) if options.smoke else (options.rounds, COUNTS)
    programs.build("load")
    with tempfile.TemporaryDirectory() as folder, Stage(options.programs) as stage:
        figures = measured(stage, commands(pathlib.Path(folder)), rounds, counts)
    heads = [head for load in LOADS for head in (f"{load[0]} x {load[1]}, µs", "× C")]
    print(table.markdown(("client", *heads, "asked, × C"), rows(figures), 1))


if __name__ == "__main__":
    main()
