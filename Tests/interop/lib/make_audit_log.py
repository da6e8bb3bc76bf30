#!/usr/bin/env python3
"""Writes a large audit log, by proto/AUDIT.md alone, to measure readers with.

usage: make_audit_log.py DIRECTORY MEGABYTES [BATCH]     (BATCH records share a checkpoint; default 8)
Prints the verifier key.  Records are of the kinds and sizes of real ones: openings, refusals, one-time values.
"""
import base64, hashlib, json, os, sys

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from verify_audit import append, leaf, root

ORIGIN = "kist.test/audit"
SEGMENT = 64 << 20
START = 1_800_000_000


def digits(*seed):
    return hashlib.sha256(repr(seed).encode()).hexdigest()


def moment(number):
    second, micro = divmod(number * 1000, 1_000_000)
    day, second = divmod(second, 86_400)
    return "2027-%02d-%02dT%02d:%02d:%02d.%06dZ" % (1 + day // 28 % 12, 1 + day % 28, second // 3600, second // 60 % 60, second % 60, micro)


def templates():
    """Lines without what their place decides, as (before prev, before seq, before ts, end)."""
    kinds = []
    for kind in range(64):
        actor = {"exe": "/usr/bin/shop", "gid": 100 + kind % 3, "pid": 4000 + kind, "uid": 1000 + kind % 5, "unit": "shop@%d.service" % (kind % 4)}
        key, label = digits("key", kind % 7)[:32], "merchant/acme-%d/processing-2026" % (kind % 7)
        record = {"actor": actor, "boot": digits("boot")[:32], "key": key, "label": label, "op": "open-payment-token", "prev": "PREV",
                  "policy": {"decision": "allow", "grant": "shop-%d" % (kind % 5), "sha256": digits("policy")},
                  "req": digits(kind)[:16], "result": "ok", "seq": 0, "ts": "TIME", "v": 1}
        if kind % 8 == 7:
            record["policy"] = {"decision": "deny", "denial": "no-grant", "sha256": digits("policy")}
            record["result"] = "denied"
        elif kind % 16 == 3:
            record.update(result="rejected", stage="signature")
        else:
            record["in"] = {"amount": 1499 + kind, "currency": 978, "pan": "hmac-sha256:" + digits("pan", kind), "transaction": "hmac-sha256:" + digits("t", kind)}
            record["released"] = ["last4", "network", "amount", "cryptogram"]
        line = json.dumps(record, sort_keys=True, separators=(",", ":"))
        before_prev, rest = line.split("PREV")
        before_seq, rest = rest.split('"seq":0')
        before_time, end = rest.split("TIME")
        kinds.append((before_prev, before_seq + '"seq":', before_time, end))
    return kinds


def main(directory, megabytes, batch=8):
    key = Ed25519PrivateKey.from_private_bytes(bytes([7] * 32))
    typed = b"\1" + key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    key_id = hashlib.sha256(ORIGIN.encode() + b"\n" + typed).digest()[:4]
    kinds, frontier, previous, size, written = templates(), [], bytes(32), 0, 0
    os.mkdir(directory)
    while written < megabytes << 20:
        with open(os.path.join(directory, "%020d.log" % size), "wb") as segment:
            record = {"boot": digits("boot")[:32], "event": {"frontier": [h.hex() for _, h in frontier]}, "op": "segment",
                      "prev": previous.hex(), "seq": size, "ts": moment(size), "v": 1}
            pending = [json.dumps(record, sort_keys=True, separators=(",", ":")).encode()]
            while segment.tell() < SEGMENT and written + segment.tell() < megabytes << 20:
                for line in pending:
                    previous = leaf(line)
                    append(frontier, previous)
                    size += 1
                    segment.write(line + b"\n")
                pending = []
                for _ in range(batch):
                    parts = kinds[hash((size, 7)) % 64]
                    line = (parts[0] + previous.hex() + parts[1] + str(size) + parts[2] + moment(size) + parts[3]).encode()
                    previous = leaf(line)
                    append(frontier, previous)
                    size += 1
                    segment.write(line + b"\n")
                text = ("%s\n%d\n%s\n" % (ORIGIN, size, base64.b64encode(root(frontier)).decode())).encode()
                stamp = base64.b64encode(key_id + key.sign(text)).decode()
                segment.write(text + ("\n\u2014 %s %s\n" % (ORIGIN, stamp)).encode())
            written += segment.tell()
    print("%s+%s+%s" % (ORIGIN, key_id.hex(), base64.b64encode(typed).decode()))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
