#!/usr/bin/env python3
"""Installs the packages on a machine with systemd and does what people do there; prints each step, how it went, and how long it took.

ARCHIVE is a root file system of Debian 12 or 13, PACKAGES the folder of the packages, FOLDER where the machine may be. A step that fails ends the test.
AREAs are the modules whose steps are taken, by default all; each needs what `install` and `shares` have left behind. With --previous, which names the
folder of older packages, only those of `previous` are taken.
"""

import argparse
import inspect
import pathlib
import sys
import time

import cures
import doctor
import evidence
import install
import mistakes
import monitoring
import oncall
import pages
import previous
import restarts
import roles
import services
import shares
import tls
import tutorials
import units
import upgrade
from machine import Failure, Machine

#: The exit code where no container boots, as automake has it.
SKIPPED = 77
AREAS = [install, units, doctor, monitoring, cures, mistakes, tutorials, shares, roles, evidence, oncall, restarts, upgrade, services, tls, pages]


def steps(areas):
    """The functions of each area that is wanted, in the order of the file; a function's summary is the step's name."""
    for area in areas:
        for function in vars(area).values():
            if inspect.isfunction(function) and function.__module__ == area.__name__ and not function.__name__.startswith("_"):
                yield f"{area.__name__}: {function.__doc__.splitlines()[0].rstrip('.')}", function


def wanted(arguments):
    if arguments.previous:
        return [previous]
    return [area for area in AREAS if not arguments.areas or area.__name__ in arguments.areas]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--previous", type=pathlib.Path, metavar="PACKAGES")
    for name in ("archive", "packages", "folder"):
        parser.add_argument(name, type=pathlib.Path, metavar=name.upper())
    parser.add_argument("areas", nargs="*", metavar="AREA", choices=[[], *(area.__name__ for area in AREAS)])
    arguments = parser.parse_args()
    machine = Machine(arguments.folder, arguments.archive)
    machine.packages, machine.previous = arguments.packages, arguments.previous
    began = time.monotonic()
    try:
        boot(machine)
        count = sum(play(machine, name, step) for name, step in steps(wanted(arguments)))
    finally:
        machine.close()
    print(f"system test: {count} steps ok in {time.monotonic() - began:.0f} s")


def boot(machine):
    try:
        machine.boot()
    except Failure as failure:
        print(failure)
        sys.exit(SKIPPED)


def play(machine, name, step):
    start = time.monotonic()
    try:
        said = step(machine)
    except Failure as failure:
        print(f"{name:100} FAILED {time.monotonic() - start:6.1f} s\n{failure}", flush=True)
        print(machine.run("journalctl --no-pager --lines=60", code=None).text)
        sys.exit(1)
    print(f"{name:100} ok {time.monotonic() - start:6.1f} s{'  ' + said if said else ''}", flush=True)
    return 1


main()
