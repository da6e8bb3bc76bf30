"""`make bench` in its shortest form measures every row that its tables promise."""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
OPERATIONS = ("ping", "ecdh", "sign-p256", "sign-rsa", "seal-1k", "seal-16k", "unseal-1k", "unseal-16k", "open", "provision")
LOADS = ("1x1", "8x1", "64x1", "1x16", "8x16")
GROWTH = {("keys", 10), ("keys", 20), ("grants", 1), ("grants", 100), ("records", 0), ("records", 1_000), ("connections", 1), ("connections", 8)}


def bench(*words):
    return subprocess.run([sys.executable, ROOT / "benchmarks/bench.py", ROOT / ".build/debug", *words], capture_output=True, text=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "bench.json"
        run = bench("smoke", "--without", "peers", "--json", str(file))
        assert run.returncode == 0, run.stderr
        document = json.loads(file.read_text())
    rows = {tuple(one["row"]): one["rounds"] for one in document["rows"]}
    wanted = {("kistd", operation, load) for operation in OPERATIONS for load in LOADS}
    wanted |= {("limit", operation, threads) for operation in OPERATIONS[1:] for threads in "12"} | {("limit", "open-naively", "1")}
    assert wanted <= rows.keys(), wanted - rows.keys()
    grown = {tuple(one["row"]): one["rounds"] for one in document["growth"]}
    assert grown.keys() == GROWTH, grown.keys()
    for row, rounds in (rows | grown).items():
        for one in rounds:
            assert one["count"] > 0 and 0 < one["p50"] <= one["p99"] <= one["p999"], (row, one)
            assert row[0] != "kistd" or one["server_us"] > 0, (row, one)
            # A ping leaves no record.
            assert row[0] != "kistd" or row[1] == "ping" or one["log_bytes"] > 100 and 0 < one["syncs"] < 2, (row, one)
    for line in ("open: server CPU, 8 clients 16 deep / limit on two threads", "Skipped: all peers: not wanted", "start-up ms", "own µs"):
        assert line in run.stdout, run.stdout
    refused = bench("slow")
    assert refused.returncode == 2 and "invalid choice: 'slow'" in refused.stderr, refused.stderr


if __name__ == "__main__":
    main()
