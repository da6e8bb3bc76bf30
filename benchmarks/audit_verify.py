#!/usr/bin/env python3
"""How fast `kist audit verify` is, and how much memory it takes, on a log that Python wrote.

usage: audit_verify.py KIST [MEGABYTES]      (default 1024; the log is made in $TMPDIR and removed)
Megabytes are of 10^6 bytes for each second of user and system time, so that another process' load does not count.
"""
import os, pathlib, shutil, subprocess, sys, tempfile

LIBRARY = pathlib.Path(__file__).resolve().parent.parent / "Tests/interop/lib"


def measure(kist, directory, vkey, *options):
    process = subprocess.Popen([kist, "audit", "verify", directory, "--key", vkey, *options], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit("audit_verify: the log did not verify")
    size = sum(path.stat().st_size for path in pathlib.Path(directory).glob("*.log"))
    seconds = usage.ru_utime + usage.ru_stime
    return size / 1e6 / seconds, usage.ru_maxrss / 1024


def main(kist, megabytes):
    print("%-28s %8s %9s" % ("log", "MB/s", "RSS MiB"))
    for batch, part in ((8, megabytes), (8, megabytes // 8), (1, megabytes // 8)):
        folder = tempfile.mkdtemp(prefix="kist-bench-")
        try:
            log = folder + "/log"
            vkey = subprocess.run([sys.executable, LIBRARY / "make_audit_log.py", log, str(part), str(batch)], check=True, capture_output=True, text=True)
            rate, memory = measure(kist, log, vkey.stdout.strip())
            print("%-28s %8.0f %9.1f" % ("%d MiB, batches of %d" % (part, batch), rate, memory))
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 1024)
