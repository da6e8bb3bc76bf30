#!/usr/bin/env python3
"""Verifies an audit log with nothing of Kist's: Python for the hashes, OpenSSL for the signatures.

usage: verify_audit.py DIRECTORY VKEY      (exit 0: good; 1: not)
Format: proto/AUDIT.md.
"""
import base64, glob, hashlib, json, os, subprocess, sys, tempfile

SPKI_PREFIX = bytes.fromhex("302a300506032b6570032100")


def leaf(data):
    return hashlib.sha256(b"\0" + data).digest()


def root(frontier):
    """Root of a tree from its complete subtrees, largest first."""
    if not frontier:
        return hashlib.sha256(b"").digest()
    value = frontier[-1][1]
    for _, left in reversed(frontier[:-1]):
        value = hashlib.sha256(b"\1" + left + value).digest()
    return value


def append(frontier, value):
    width = 1
    while frontier and frontier[-1][0] == width:
        value = hashlib.sha256(b"\1" + frontier.pop()[1] + value).digest()
        width *= 2
    frontier.append((width, value))


def check(condition, what):
    if not condition:
        sys.exit("not good: " + what)


def verify_signature(public, text, signature):
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: os.path.join(folder, name) for name in ("key", "text", "signature")}
        for name, data in (("key", SPKI_PREFIX + public), ("text", text), ("signature", signature)):
            with open(paths[name], "wb") as file:
                file.write(data)
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", paths["key"], "-rawin",
                   "-in", paths["text"], "-sigfile", paths["signature"]]
        return subprocess.run(command, capture_output=True).returncode == 0


def main(directory, vkey):
    name, key_id, key = vkey.split("+", 2)
    typed = base64.b64decode(key, validate=True)
    check(len(typed) == 33 and typed[0] == 1, "vkey is not Ed25519")
    check(hashlib.sha256(name.encode() + b"\n" + typed).digest()[:4].hex() == key_id, "vkey has another key id")
    frontier, previous, size, checkpoints, covered = [], None, 0, 0, 0
    segments = sorted(glob.glob(os.path.join(directory, "?" * 20 + ".log")))
    check(segments, "no segments")
    for path in segments:
        check(int(os.path.basename(path)[:20]) == size, "segment missing before " + path)
        with open(path, "rb") as file:
            lines = iter(file.read().rstrip(b"\0").split(b"\n")[:-1])
        for line in lines:
            if line.startswith(b"{"):
                record = json.loads(line)
                canonical = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
                check(canonical == line, "record %d is not canonical" % size)
                check(record["seq"] == size, "sequence at %d" % size)
                check(previous is None or record["prev"] == previous.hex(), "chain at %d" % size)
                previous = leaf(line)
                append(frontier, previous)
                size += 1
                continue
            note = [line] + [next(lines) for _ in range(4)]
            text = b"".join(part + b"\n" for part in note[:3])
            dash, signer, stamp = note[4].decode().split(" ")
            stamp = base64.b64decode(stamp, validate=True)
            check(note[3] == b"" and dash == "\u2014" and signer == name == note[0].decode(), "form of checkpoint %d" % size)
            check(stamp[:4].hex() == key_id, "checkpoint %d is signed by another key" % size)
            check(int(note[1]) == size and size > covered, "size of checkpoint %d" % size)
            check(base64.b64decode(note[2], validate=True) == root(frontier), "root of checkpoint %d" % size)
            check(verify_signature(typed[1:], text, stamp[4:]), "signature of checkpoint %d" % size)
            checkpoints, covered = checkpoints + 1, size
    check(covered == size, "%d records not covered by a checkpoint" % (size - covered))
    print("good: %d records, %d checkpoints, root %s" % (size, checkpoints, root(frontier).hex()))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
