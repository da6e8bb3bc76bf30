#!/usr/bin/env python3
"""An export and two proofs by kist, against programs that are not Kist's.

The log is written by make_audit_log.py.  OpenSSL checks the checkpoint, pymerkle the root of the entries, and Go's
x/mod/sumdb packages (read_export.go) the checkpoint, every tile, and both proofs.

usage: audit_export.py [BUILD]   (default: the debug build of this checkout)
"""
import base64, os, pathlib, subprocess, sys, tempfile

from pymerkle import InmemoryTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))
from verify_audit import verify_signature

BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / ".build/debug")
# Debian's packages, without modules and without the network.
GO = dict(os.environ, GO111MODULE="off", GOPATH="/usr/share/gocode", GOFLAGS="", GOPROXY="off")


def kist(*words):
    return subprocess.run([BUILD / "kist", "audit", *map(str, words)], check=True, capture_output=True).stdout


def check(condition, what):
    if not condition:
        sys.exit("audit_export: " + what)


def entries(export, size):
    for index in range((size + 255) // 256):
        width = min(256, size - index * 256)
        bundle = (export / ("tile/entries/%03d%s" % (index, "" if width == 256 else ".p/%d" % width))).read_bytes()
        while bundle:
            end = 2 + int.from_bytes(bundle[:2], "big")
            yield bundle[2:end]
            bundle = bundle[end:]


def main():
    with tempfile.TemporaryDirectory(prefix="kist-") as folder:
        folder = pathlib.Path(folder)
        log, export = folder / "log", folder / "export"
        vkey = subprocess.run([sys.executable, HERE / "lib/make_audit_log.py", log, "1"], check=True, capture_output=True, text=True).stdout.strip()
        kist("export", log, export, "--key", vkey)
        kist("verify", export, "--key", vkey, "--every-signature")

        origin, size, root = (export / "checkpoint").read_text().split("\n")[:3]
        size, root = int(size), base64.b64decode(root)
        text = (export / "checkpoint").read_bytes().split(b"\n\n")[0] + b"\n"
        stamp = base64.b64decode((export / "checkpoint").read_text().split()[-1])
        check(verify_signature(base64.b64decode(vkey.split("+", 2)[2])[1:], text, stamp[4:]), "OpenSSL refuses the checkpoint")
        tree = InmemoryTree(algorithm="sha256")
        for entry in entries(export, size):
            tree.append_entry(entry)
        check(tree.get_state() == root, "pymerkle has another root")

        # An older checkpoint is that of the same records, fewer of them.
        (segment,) = log.glob("*.log")
        lines = segment.read_bytes().split(b"\n")
        notes = [place for place, line in enumerate(lines) if line == origin.encode()]
        old = folder / "old"
        old.write_bytes(b"\n".join(lines[notes[40]:notes[40] + 5]) + b"\n")
        record, growth = folder / "17.tlog-proof", folder / "growth"
        record.write_bytes(kist("prove", log, 17, "--key", vkey))
        growth.write_bytes(kist("prove", log, "--from", old, "--key", vkey))
        kist("verify", record, "--key", vkey)
        kist("verify", growth, "--key", vkey, "--checkpoint", old)

        program = folder / "read_export"
        subprocess.run(["go", "build", "-o", program, HERE / "lib/read_export.go"], check=True, env=dict(GO, GOCACHE=str(folder / "cache")))
        words = [export, vkey, record, growth, old]
        good = subprocess.run([program, *words], capture_output=True, text=True)
        check(good.returncode == 0, good.stderr)
        check(good.stdout.split()[-1] == root.hex(), "Go has another root")
        tile = export / "tile/0/000"
        tile.write_bytes(bytes([tile.read_bytes()[0] ^ 1]) + tile.read_bytes()[1:])
        check(subprocess.run([program, *words], capture_output=True).returncode != 0, "Go takes a changed tile")
        check(subprocess.run([BUILD / "kist", "audit", "verify", export, "--key", vkey], capture_output=True).returncode == 1, "Kist takes a changed tile")
        print(f"good: {size} entries, the same root by Kist, OpenSSL, pymerkle and Go, and both proofs")


main()
