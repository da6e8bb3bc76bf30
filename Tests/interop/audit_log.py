#!/usr/bin/env python3
"""A sandbox daemon's log, live and after its stop, against programs that are not Kist's.

Python and OpenSSL check chain, tree and signatures (verify_audit.py); pymerkle computes the root from the lines that
`grep '^{'` finds.

usage: audit_log.py [BUILD]   (default: the debug build of this checkout)
"""
import json, os, pathlib, signal, subprocess, sys, tempfile

from pymerkle import InmemoryTree

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / ".build/debug")
TOKENS = 21


def kist(*words, **options):
    return subprocess.run([BUILD / "kist", *map(str, words)], check=True, capture_output=True, text=True, **options).stdout


def check(condition, what):
    if not condition:
        sys.exit("audit_log: " + what)


def verify(directory, vkey):
    """Both verifiers, and that they see the same log."""
    good = subprocess.run([sys.executable, HERE / "lib/verify_audit.py", directory, vkey], capture_output=True, text=True)
    check(good.returncode == 0, good.stdout + good.stderr)
    (segment,) = pathlib.Path(directory).glob("*.log")
    lines = [line for line in segment.read_bytes().rstrip(b"\0").split(b"\n") if line.startswith(b"{")]
    tree = InmemoryTree(algorithm="sha256")
    for line in lines:
        tree.append_entry(line)
    check(good.stdout.split()[-1] == tree.get_state().hex(), "pymerkle has another root")
    return [json.loads(line)["op"] for line in lines]


def main():
    with tempfile.TemporaryDirectory(prefix="kist-") as folder:
        box = pathlib.Path(folder) / "box"
        kist("sandbox", "init", box)
        vkey = (box / "audit.vkey").read_text().strip()
        daemon = subprocess.Popen([BUILD / "kistd", "--config", box / "kist.toml"], stderr=subprocess.PIPE, text=True)
        for line in daemon.stderr:
            if "event=ready" in line:
                break
        environment = dict(os.environ, KIST_ENDPOINT=f"unix:{box}/run/kist.sock")
        for _ in range(TOKENS):
            token = kist("sandbox", "token", "--dir", box)
            kist("token", "open", "-", input=token, env=environment)
        live = verify(box / "audit", vkey)
        check(live.count("open-payment-token") == TOKENS, "not every opening is on the record")
        daemon.send_signal(signal.SIGTERM)
        check(daemon.wait() == 0, "kistd did not stop in order")
        check(verify(box / "audit", vkey) == live + ["stop"], "the stop is not the one new record")
        print(f"good: {len(live) + 1} records, the same root by Kist, Python and pymerkle, live and stopped")


main()
