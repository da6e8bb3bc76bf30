#!/usr/bin/env python3
"""Where the daemon's CPU goes under load, by what it was doing: needs perf (linux-perf), and the right to use it.

usage: profile.py PROGRAMS OPERATION...
"""

import collections
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import programs
import table
from stage import Stage

CLIENTS, DEPTH = 8, 16
SECONDS = 4

# The first that matches any symbol of a sample's stack; what is neither is the service around the operation.
PARTS = {
    "append, sync, checkpoint": ("SegmentWriter10checkpoint", "LiveSegment", "syncData", "LinuxDisk"),
    "waiting and waking": ("futex", "pthread_cond", "6SignalC", "lll_lock", "MonitorC"),
    "socket": ("kist_receive", "ReplyLineC", "recvmsg", "sendto"),
    "audit record": ("7AttemptV", "SegmentWriter", "DraftV", "TreeHash", "AuditLogC", "KeyedDigest"),
    "policy": ("6PolicyV6decide", "UseLimits"),
    "JSON": ("PaymentData", "JSONReader", "JSONScanner"),
    "operation": ("PrivateKeyC", "PublicKeyC", "AES", "KDF", "HMAC", "kist_random", "EC_POINT", "ECDSA", "ossl"),
}


def record(stage, operation, file):
    clock = ~stage.pid << 3 | 2  # of the daemon's processor time, as clock_getcpuclockid(3) makes it
    before = time.clock_gettime(clock)
    words = [programs.BUILD / "load", stage.directory, operation, SECONDS + 2, CLIENTS, DEPTH, stage.pid]
    with subprocess.Popen(list(map(str, words)), env=stage.environment, stdout=subprocess.DEVNULL):
        while time.clock_gettime(clock) < before + 0.2:  # requests are made before the first is sent
            time.sleep(0.01)
        perf = ["perf", "record", "-q", "--call-graph", "dwarf,8192", "-e", "cpu-clock", "-F", "1500", "-p", str(stage.pid), "-o", str(file)]
        subprocess.run([*perf, "--", "sleep", str(SECONDS)], check=True)


def shares(file):
    stacks = subprocess.run(["perf", "script", "-i", file, "-F", "ip,sym"], check=True, capture_output=True, text=True).stdout.strip().split("\n\n")
    counts = collections.Counter(part_of(stack) for stack in stacks)
    return {part: counts[part] / len(stacks) for part in (*PARTS, "service")}


def part_of(stack):
    return next((part for part, names in PARTS.items() if any(name in stack for name in names)), "service")


def main(place, *operations):
    programs.build()
    columns = {}
    with Stage(pathlib.Path(place)) as stage, tempfile.TemporaryDirectory() as folder:
        for operation in operations:
            file = os.path.join(folder, operation)
            record(stage, operation, file)
            columns[operation] = shares(file)
    lines = ((part, *(f"{100 * columns[operation][part]:.0f} %" for operation in operations)) for part in (*PARTS, "service"))
    print(table.markdown(("", *operations), lines, 1))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
