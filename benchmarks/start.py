#!/usr/bin/env python3
"""How long kistd takes from exec to its first reply beside a large log: stopped, killed under load, and without its notes of the log.

usage: start.py PROGRAMS [GIGABYTES]      (default 10; the log is made in $TMPDIR and removed)
"""

import subprocess
import sys

import growth
import programs
from stage import Stage

SECONDS_OF_LOAD = 20


def size(stage):
    return sum(path.stat().st_size for path in (stage.directory / "audit").glob("*.log"))


def fill(stage, wanted):
    while size(stage) < wanted:
        programs.measure("load", stage.directory, "random", SECONDS_OF_LOAD, 8, 16, stage.pid, environment=stage.environment)
        print(f"  {size(stage) / 1e9:.1f} GB", file=sys.stderr, flush=True)


def kill_under_load(stage):
    words = [programs.BUILD / "load", stage.directory, "random", 20, 8, 16, stage.pid]
    with subprocess.Popen(list(map(str, words)), env=stage.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as load:
        try:
            load.wait(5)
        except subprocess.TimeoutExpired:
            pass
        stage.daemon.kill()
        stage.daemon.wait()


def main(directory, gigabytes):
    programs.build()
    with Stage(directory) as stage:
        fill(stage, gigabytes * 1e9)
        growth.restart(stage)
        rows = [("stopped", min(growth.restart(stage) for _ in range(3)))]
        kill_under_load(stage)
        rows.append(("killed under load", stage.start()))
        kill_under_load(stage)
        (stage.directory / "state/audit.recollection").unlink()
        rows.append(("killed, without its notes", stage.start()))
        print(f"{size(stage) / 1e9:.1f} GB, {stage.operator().status().audit_size:,} records")
        for name, seconds in rows:
            print(f"{name:<28} {seconds:8.2f} s")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) == 3 else 10)
