#!/usr/bin/env python3
"""How long importing one more key takes, and how much processor time of the daemon, in a store that has many.

usage: imports.py KEYS PROGRAMS...      (imports KEYS symmetric keys, then 50 with the programs of each folder in turn, five times)
"""

import os
import pathlib
import statistics
import sys
import time

from stage import Stage

EACH, ROUNDS = 50, 5


def fill(operator, count):
    for number in range(count):
        operator.import_key(f"more/{number:05}", "sealing", os.urandom(32))
        if number % 500 == 499:
            print(f"  {number + 1:,} keys", file=sys.stderr)


def measure(stage, count=EACH):
    """Milliseconds: (the median import, its processor time on the average)."""
    times = []
    with stage.operator() as operator:
        before = processor_time(stage)
        for _ in range(count):
            began = time.perf_counter()
            operator.import_key(f"measured/{os.urandom(8).hex()}", "sealing", os.urandom(32))
            times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times), 1000 * (processor_time(stage) - before) / count


def processor_time(stage):
    return time.clock_gettime(~stage.pid << 3 | 2)  # of the daemon, as clock_getcpuclockid(3) makes it


def main(keys, places):
    with Stage(places[0]) as stage:
        with stage.operator() as operator:
            fill(operator, keys - 7)
        figures = {place: [] for place in places}
        for _ in range(ROUNDS):
            for place in places:
                stage.programs = place
                stage.stop()
                stage.start()
                measure(stage, 5)
                figures[place].append(measure(stage))
        for place in places:
            p50, processor = (statistics.median(column) for column in zip(*figures[place]))
            print(f"{place}: {p50:.2f} ms, {processor:.2f} ms of processor time")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(int(sys.argv[1]), [pathlib.Path(place) for place in sys.argv[2:]])
