#!/usr/bin/env python3
"""Measures what it costs to open tokens with claims, beside the same without, and beside the bare statement in PostgreSQL, in one run.

usage: claims.py PROGRAMS [--rounds N] [--seconds S]    as root: primary and standby are in network namespaces, as in Tests/fleet
The servers, the daemons and the clients share this machine and its disk, to which the servers sync, as PostgreSQL does by default.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import programs
from stage import ROOT, Stage

sys.path.insert(0, str(ROOT / "Tests/fleet"))
import postgres  # noqa: E402
import run as fleet  # noqa: E402

LOADS = ((1, 1), (8, 1), (64, 1), (8, 16))
SETTINGS = 'fleet.host = "bench"\nfleet.key = "fleet/bench"\nfleet.user = "root"\nfleet.socket = "{}"\nfleet.timeout = "5s"\n'
STATEMENT = """INSERT INTO kist.claim (day, claim, host, retry, id)
VALUES (%d, sha256(convert_to(random()::text || :client_id, 'UTF8')), 'raw', sha256(''), substr(sha256(''), 1, 16)) ON CONFLICT (day, claim) DO NOTHING;
"""


def bare(servers, place, clients, seconds):
    """pgbench with the statement alone, by as many connections as there are clients."""
    script, prefix = place / "script", place / "pgbench"
    # Many connections take a while to be there.
    length = max(1, round(seconds)) + (4 if clients > 8 else 0)
    script.write_text(STATEMENT % fleet.TODAY)
    where = "host=%s dbname=kist user=kist_claimd sslmode=verify-full sslrootcert=%s" % (servers.primary.address, servers.certificates.folder / "ca.crt")
    (place / "kist_claimd.pgpass").chmod(0o600)
    subprocess.run([postgres.BINARIES / "pgbench", "-n", "-M", "prepared", "-f", script, "-c", str(clients), "-T", str(length), "-l",
                    "--log-prefix=%s" % prefix, where], check=True, capture_output=True, env={**os.environ, "PGPASSFILE": str(place / "kist_claimd.pgpass")})
    times = []
    for log in place.glob("pgbench.*"):
        times += [int(line.split()[2]) for line in log.read_text().splitlines()]
        log.unlink()
    return {"p50": statistics.median(times), "rate": clients / statistics.mean(times) * 1e6}


def table(rounds):
    print("| clients | p50 without | p50 with claims | p50 of the bare INSERT | rate without | rate with claims | rate of the bare INSERT | with / without |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for load in LOADS:
        def middle(what, figure):
            return statistics.median(one[load][what][figure] for one in rounds)
        raw = "%.0f µs" % middle("bare", "p50"), "%.0f /s" % middle("bare", "rate")
        ratio = statistics.median(one[load]["with"]["rate"] / one[load]["without"]["rate"] for one in rounds)
        print("| %dx%d | %.0f µs | %.0f µs | %s | %.0f /s | %.0f /s | %s | %.2f |" % (
            *load, middle("without", "p50"), middle("with", "p50"), raw[0], middle("without", "rate"), middle("with", "rate"), raw[1], ratio))


def measured(stage, load, seconds):
    return programs.measure("load", stage.directory, "open", seconds, *load, stage.pid, environment=stage.environment)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2)
    given = parser.parse_args()
    fleet.isolate()
    programs.build()
    postgres.SETTINGS = postgres.SETTINGS.replace("fsync = off", "fsync = on")
    place = pathlib.Path(tempfile.mkdtemp(prefix="kist-bench-claims-"))
    place.chmod(0o755)
    servers = fleet.Fleet(given.programs.resolve(), place)
    servers.one.sql("ALTER ROLE kist_claimd CONNECTION LIMIT 80")
    claimd = servers.claimd("bench", place / "claims.sock", servers.connection() + '\ntimeout = "4s"')
    try:
        with Stage(given.programs) as without, Stage(given.programs, SETTINGS.format(place / "claims.sock")) as claiming:
            claimd.start()
            with claiming.operator() as operator:
                operator.import_key("fleet/bench", "fleet", os.urandom(32))
            postgres.eventually("the store is there", lambda: "event=claims-up" in (claiming.directory / "kistd.log").read_text())
            rounds = []
            for _ in range(given.rounds):
                rounds.append({})
                for load in LOADS:
                    rounds[-1][load] = {
                        "without": measured(without, load, given.seconds), "with": measured(claiming, load, given.seconds),
                        "bare": bare(servers, place, load[0], given.seconds),
                    }
        table(rounds)
    finally:
        claimd.kill()
        servers.stop()
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
