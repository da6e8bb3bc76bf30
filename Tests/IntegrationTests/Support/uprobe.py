#!/usr/bin/env python3
"""Sets a uprobe on a function of a library, shows what it was first called with, and takes it away again.

  uprobe.py LIBRARY FUNCTION [WORD...]

WORD is an argument as the kernel describes it, such as `d=+0(%dx):x64[16]`.  Prints what the trace has of the first call;
`no tracefs` if there is none.  It has a mount namespace and an instance of its own, so that other traces go on as they are.
"""
import os, pathlib, re, subprocess, sys, time

library, function, words = sys.argv[1], sys.argv[2], sys.argv[3:]
if os.environ.get("UPROBE_ISOLATED") != "1":
    os.execvpe("unshare", ["unshare", "--mount", sys.executable, *sys.argv], dict(os.environ, UPROBE_ISOLATED="1"))
tracing = pathlib.Path("/sys/kernel/tracing")
if subprocess.run(["mount", "-t", "tracefs", "tracefs", tracing], capture_output=True).returncode != 0:
    sys.exit(print("no tracefs"))

names = subprocess.run(["nm", "--dynamic", "--defined-only", library], check=True, capture_output=True, text=True).stdout
address = int(re.search(rf"^(\w+) T {function}(@|$)", names, re.MULTILINE)[1], 16)
group = f"kist_{os.getpid()}"
instance = tracing / "instances" / group


def tell(line):
    # Added to those that are there; Python's own mode "a" seeks first, which the kernel refuses.
    events = os.open(tracing / "uprobe_events", os.O_WRONLY | os.O_APPEND)
    os.write(events, (line + "\n").encode())
    os.close(events)


tell(f"p:{group}/called {library}:{address:#x} {' '.join(words)}")
try:
    instance.mkdir()
    (instance / f"events/{group}/enable").write_text("1")
    end, calls = time.monotonic() + 60, []
    while not calls and time.monotonic() < end:
        time.sleep(0.01)
        calls = [line for line in (instance / "trace").read_text().splitlines() if "called:" in line]
    print(calls[0] if calls else "no call")
finally:
    if instance.exists():
        (instance / f"events/{group}/enable").write_text("0")
        instance.rmdir()
    tell(f"-:{group}/called")
