#!/usr/bin/env python3
"""What a log costs as it grows: bytes, and how long starting, verifying, searching and restoring take beside it.

usage: capacity.py PROGRAMS [RECORDS...]      (default 1,000,000 and 10,000,000; the log is made in $TMPDIR and removed)
For each record there is to be 1 kB of room.  Seconds are of the clock; the machine is to have nothing else to do.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import growth
import programs
import start
import table
from stage import Stage

OPERATIONS = ("open", "sign-p256", "unseal-1k", "provision", "random")
SETTINGS = 'apple_pay.freshness_window = "1s"\nbackup.directory = "{0}/backups"'
HEAD = ("records", "GB", "stopped", "killed", "no notes", "verify", "show", "restore")


class Grown(Stage):
    """A daemon whose log grows; it takes backups."""

    def __init__(self, directory):
        super().__init__(directory, "")
        with (self.directory / "kist.toml").open("a") as file:
            file.write(SETTINGS.format(self.directory) + "\n")
        (self.directory / "backups").mkdir(mode=0o700, exist_ok=True)
        with (self.directory / "policy.d/10-sandbox.toml").open("a") as file:
            file.write('\n[[grant]]\nid = "backup"\nusers = [%d]\noperations = ["back-up"]\n' % os.getuid())

    def kist(self, *words):
        """(seconds, what it printed)."""
        began = time.monotonic()
        output = subprocess.run([self.programs / "kist", *words], stdout=subprocess.PIPE, check=True, text=True).stdout
        return time.monotonic() - began, output


def bytes_of_records(stage):
    """What a request of each operation adds to the log: alone in its commit, and 16 to one."""
    for operation in OPERATIONS:
        sizes = []
        for depth in (1, 16):
            records, size = stage.log_size()
            programs.measure("load", stage.directory, operation, 0.3, 1, depth, stage.pid, environment=stage.environment)
            more_records, more_size = stage.log_size()
            sizes.append((more_size - size) / (more_records - records))
        yield (operation, *(f"{size:,.0f}" for size in sizes), *(f"{size * 100 * 86_400 / 1e9:.1f}" for size in sizes))


def with_log(stage, records):
    """One row: all that somebody waits for beside a log of so many records."""
    growth.grow(stage, records)
    time.sleep(2)
    stopped = min(growth.restart(stage) for _ in range(3))
    start.kill_under_load(stage)
    killed = stage.start()
    start.kill_under_load(stage)
    (stage.directory / "state/audit.recollection").unlink()
    forgetful = stage.start()
    records, size = stage.log_size()
    log, key = stage.directory / "audit", stage.directory / "audit.vkey"
    verified, _ = stage.kist("audit", "verify", log, "--key", key)
    shown, _ = stage.kist("audit", "show", log, "--op", "back-up", "--json")
    restored = restore(stage)
    times = (f"{seconds:.2f}" for seconds in (stopped, killed, forgetful))
    return (f"{records:,}", f"{size / 1e9:.2f}", *times, f"{verified:.1f}", f"{shown:.1f}", f"{restored:.2f}")


def restore(stage):
    """Seconds from a copy, with its digest, to the first reply from it."""
    _, answer = stage.kist("backup", "--json", "--socket", stage.directory / "run/admin.sock")
    copy = json.loads(answer)
    stage.stop()
    state = stage.directory / "state"
    state.rename(stage.directory / "lost")
    state.mkdir(mode=0o700)
    seconds, _ = stage.kist("restore", stage.directory / "backups" / copy["name"], state, "--digest", copy["digest"], "--log", stage.directory / "audit")
    seconds += stage.start()
    shutil.rmtree(stage.directory / "lost")
    return seconds


def main(directory, sizes):
    programs.build()
    with Stage(directory) as stage:
        print(table.markdown(("operation", "alone", "16 together", "GB a day at 100/s, alone", "16 together"), bytes_of_records(stage), 1), end="\n\n", flush=True)
    with Grown(directory) as stage:
        print(table.markdown(HEAD, [with_log(stage, size) for size in sizes], 0))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], [int(size) for size in sys.argv[2:]] or [1_000_000, 10_000_000])
