#!/usr/bin/env python3
"""A fleet: its store, kist-claimd and two hosts, and what becomes of claims, tokens and codes when each of them is killed, cut off or set.

usage: run.py [BUILD [TEST...]]   (default: the debug build of this checkout, and all tests); as root, since it makes network namespaces
KIST_SOAK_TOKENS makes the openings under fire so many, and KIST_SOAK_SEED plays them again.
"""

import faulthandler
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import host_tests
import page
import store_tests
from claims import TODAY  # noqa: F401  pylint: disable=unused-import
from fleet import Fleet, isolate
from process import expect

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def every_command(_):
    """Every command of docs/FLEET.md was run as it stands."""
    expect(not page.left(), "not run: %s" % page.left())
    return "%d commands" % len(page.shown())


# In this order.
TESTS = [
    store_tests.rights, store_tests.row, store_tests.race, store_tests.batches, store_tests.repetition, store_tests.missing_partition, store_tests.partitions,
    store_tests.same_name, store_tests.refused_configurations, store_tests.no_standby, store_tests.killed_claimd, store_tests.killed_primary,
    store_tests.parted_servers, store_tests.cancelled_wait, store_tests.slow_standby, store_tests.failover, store_tests.status,
    host_tests.parted_host, host_tests.clock_step, host_tests.codes, host_tests.envelopes, host_tests.local, host_tests.changed_key,
    host_tests.put_back, host_tests.lost_host, host_tests.openings, every_command, store_tests.planted,
]


def stopped(*_):
    faulthandler.dump_traceback()
    sys.exit("fleet: stopped")


def main():
    words = sys.argv[1:]
    build = pathlib.Path(words[0] if words else ROOT / ".build/debug").resolve()
    isolate()
    # So that nothing is left running by a test that is stopped, and it says what it waited for.
    faulthandler.enable()
    signal.signal(signal.SIGTERM, stopped)
    place = pathlib.Path(tempfile.mkdtemp(prefix="kist-fleet-"))
    place.chmod(0o755)
    fleet = None
    begin = time.monotonic()
    try:
        fleet = Fleet(build, place)
        print("fleet: two hosts, two servers (%.1f s)" % (time.monotonic() - begin), flush=True)
        tests = [test for test in TESTS if not words[1:] or test.__name__ in words[1:]]
        for test in tests:
            fleet.rest()
            start = time.monotonic()
            said = test(fleet)
            print("fleet: %s%s (%.1f s)" % (test.__name__, ": " + said if said else "", time.monotonic() - start), flush=True)
    except BaseException:
        for log in place.rglob("log"):
            print("== %s\n%s" % (log, log.read_text()[-3000:]), file=sys.stderr)
        raise
    finally:
        if fleet:
            fleet.stop()
        shutil.rmtree(place, ignore_errors=True)
    print("fleet: %d tests in %.0f s" % (len(tests), time.monotonic() - begin))


if __name__ == "__main__":
    main()
