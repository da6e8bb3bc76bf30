#!/usr/bin/env python3
"""Installs the packages on a machine with systemd and does what people do there; prints each step, how it went, and how long it took.

usage: run.py ARCHIVE PACKAGES FOLDER [AREA...]
ARCHIVE is a root file system of Debian 12, PACKAGES the folder of the packages, FOLDER where the machine may be. A step that fails ends the test.
AREAs are the modules whose steps are taken, by default all; each needs what `install` and `shares` have left behind.
"""

import inspect
import pathlib
import sys
import time

import doctor
import install
import mistakes
import restarts
import roles
import shares
import tutorials
import units
import upgrade
from machine import Failure, Machine

AREAS = [install, units, doctor, mistakes, tutorials, shares, roles, restarts, upgrade]


def steps(wanted):
    """The functions of each area that is wanted, in the order of the file; a function's summary is the step's name."""
    for area in AREAS:
        if wanted and area.__name__ not in wanted:
            continue
        for function in vars(area).values():
            if inspect.isfunction(function) and function.__module__ == area.__name__ and not function.__name__.startswith("_"):
                yield f"{area.__name__}: {function.__doc__.splitlines()[0].rstrip('.')}", function


def main():
    archive, packages, folder = map(pathlib.Path, sys.argv[1:4])
    machine = Machine(folder, archive)
    machine.packages = packages
    began, count = time.monotonic(), 0
    try:
        machine.boot()
        for name, step in steps(sys.argv[4:]):
            start = time.monotonic()
            try:
                said = step(machine)
            except Failure as failure:
                print(f"{name:100} FAILED {time.monotonic() - start:6.1f} s\n{failure}", flush=True)
                print(machine.run("journalctl --no-pager --lines=60", code=None).text)
                sys.exit(1)
            count += 1
            print(f"{name:100} ok {time.monotonic() - start:6.1f} s{'  ' + said if said else ''}", flush=True)
    finally:
        machine.close()
    print(f"system test: {count} steps ok in {time.monotonic() - began:.0f} s")


main()
