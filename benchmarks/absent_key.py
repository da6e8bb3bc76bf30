#!/usr/bin/env python3
"""Whether a caller can tell an absent key from a forbidden one by the time that the refusal takes (docs/THREATS.md).

usage: absent_key.py PROGRAMS [TRIES]      (default 30000 of each, in $TMPDIR: take a tmpfs, where nothing waits for a disk)

Two absent keys are compared likewise: what they differ by is noise.
"""

import os
import random
import socket
import statistics
import struct
import sys
import time

from stage import GRANT, Stage, kist

DENIED = 3
SIGN = 0x0044
UNLIMITED = "1000000/s"


class Strangers(Stage):
    """Nobody may sign here; the caller may list the keys, to know the forbidden one's id."""

    def write_policy(self):
        grant = GRANT.format(id="lister", user=os.getuid(), operations=["list-keys", "random"]) + 'keys = ["*"]\n'
        (self.directory / "policy.d/10-sandbox.toml").write_text(grant)

    def furnish(self):
        """The sandbox's keys will do."""


def frame(key):
    return struct.pack(">IBBHQ16s", 28, 1, 0, SIGN, 1, key)


def seconds(connection, request):
    start = time.perf_counter_ns()
    connection.sendall(request)
    reply = connection.recv(64)
    end = time.perf_counter_ns()
    assert len(reply) == 24 and reply[5] == DENIED, reply.hex()
    return (end - start) / 1000


def middle(times):
    """The mean of the middle half, and its standard error, in microseconds."""
    times = sorted(times)
    half = times[len(times) // 4 : len(times) * 3 // 4]
    return statistics.fmean(half), statistics.stdev(half) / len(half) ** 0.5


def main(programs, tries):
    with Strangers(programs, f'limits.refusals = "{UNLIMITED}"') as stage:
        with kist.Client(stage.environment["KIST_ENDPOINT"]) as client:
            forbidden = next(iter(client.keys())).id
        keys = {"forbidden": forbidden, "absent": os.urandom(16), "also absent": os.urandom(16)}
        times = {name: [] for name in keys}
        order = list(keys) * tries
        random.shuffle(order)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(stage.directory / "run/kist.sock"))
            for name in list(keys) * 500:
                seconds(connection, frame(keys[name]))
            for name in order:
                times[name].append(seconds(connection, frame(keys[name])))
    for name in keys:
        mean, error = middle(times[name])
        print(f"{name:<12} median {statistics.median(times[name]):8.2f} us   middle half {mean:8.2f} ± {error:.2f} us")
    for first, second in (("forbidden", "absent"), ("also absent", "absent")):
        (a, one), (b, two) = middle(times[first]), middle(times[second])
        print(f"{first} - {second}: {a - b:+.2f} ± {2 * (one**2 + two**2) ** 0.5:.2f} us (two standard errors)")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 30_000)
