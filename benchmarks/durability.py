#!/usr/bin/env python3
"""What it costs that no answer leaves before its record is durable: the same load on disks whose syncs take longer and longer.

usage: durability.py PROGRAMS [SECONDS] [--json FILE]      (default 2 seconds for each figure)
Needs root.  Everything is on a tmpfs, where a sync costs nothing, and a shim before fdatasync(2) has it take so long; kistd gets it by
/etc/ld.so.preload of a mount namespace of its own, since it leaves LD_PRELOAD behind.
"""

import argparse
import contextlib
import json
import pathlib
import subprocess
import tempfile

import bench
import programs
import table
from stage import Stage

MEMORY = "/dev/shm"
SYNCS = (0, 100, 1_000, 5_000, 20_000)
OPERATIONS = ("open", "sign-p256")
LOADS = ((1, 1), (8, 1), (64, 1), (8, 16))
HEAD = ("operation", "clients", "sync ms", "each second", "p50 ms", "p99 ms", "p50 in syncs", "p99 in syncs")
ENTER = 'mount -t overlay overlay -o "lowerdir=$1:/etc" /etc; shift; exec "$@"'


class SlowDisk(Stage):
    """A daemon whose disk takes `microseconds` for each sync."""

    def __init__(self, directory, microseconds):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kist-slowsync-"))
        shim = self.folder / "slowsync.so"
        words = ["cc", "-shared", "-fPIC", "-O2", "-D_GNU_SOURCE", f"-DMICROSECONDS={microseconds}", "-o", shim, programs.FOLDER / "src/slowsync.c"]
        subprocess.run(words, check=True)
        (self.folder / "ld.so.preload").write_text(f"{shim}\n")
        super().__init__(directory)

    def command(self):
        return ["unshare", "--mount", "sh", "-ec", ENTER, "sh", self.folder, *super().command()]

    def remove(self):
        super().remove()
        for file in self.folder.iterdir():
            file.unlink()
        self.folder.rmdir()


def measure(directory, seconds):
    """One row for each sync, operation and load; the disks alternate."""
    with contextlib.ExitStack() as stack:
        stages = {sync: stack.enter_context(SlowDisk(directory, sync)) for sync in SYNCS}
        for operation in OPERATIONS:
            for clients, depth in LOADS:
                for sync, stage in stages.items():
                    words = (stage.directory, operation, seconds, clients, depth, stage.pid)
                    figures = programs.measure("load", *words, environment=stage.environment)
                    yield {"operation": operation, "clients": clients, "depth": depth, "sync_us": sync} | figures


def rows(measured):
    for row in measured:
        sync = row["sync_us"]
        times = [f"{row[name] / 1000:.2f}" for name in ("p50", "p99")]
        syncs = [f"{row[name] / sync:.1f}" if sync else "" for name in ("p50", "p99")]
        yield (row["operation"], f"{row['clients']}x{row['depth']}", f"{sync / 1000:g}", f"{row['rate']:,.0f}", *times, *syncs)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("seconds", type=float, nargs="?", default=2)
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()
    programs.build()
    tempfile.tempdir = MEMORY
    measured = list(measure(given.programs, given.seconds))
    if given.json:
        given.json.write_text(json.dumps({"machine": bench.machine(), "rows": measured}, indent=1) + "\n")
    print(table.markdown(HEAD, rows(measured), 2))


if __name__ == "__main__":
    main()
