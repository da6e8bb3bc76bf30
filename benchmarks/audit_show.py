#!/usr/bin/env python3
"""How long `kist audit show` takes on a million records, and how much memory.

usage: audit_show.py KIST [RECORDS]      (default 1,000,000; the log is made in $TMPDIR and removed)
The log has the records' form and size, and a checkpoint for every eight, but neither chain nor signatures: show reads none.
"""
import hashlib, json, os, pathlib, shutil, subprocess, sys, tempfile, time

SEGMENT = 64 << 20


def hexes(*seed):
    return hashlib.sha256(repr(seed).encode()).hexdigest()


def line(number):
    kind = number % 64
    record = {
        "actor": {"exe": "/usr/bin/shop", "gid": 100, "pid": 4000 + kind, "uid": 1000 + kind % 5, "unit": "shop@%d.service" % (kind % 4)},
        "boot": hexes("boot")[:32], "key": hexes("key", kind % 7)[:32], "label": "merchant/acme-%d/processing-2026" % (kind % 7),
        "op": "open-payment-token", "policy": {"decision": "allow", "grant": "shop-%d" % (kind % 5), "sha256": hexes("policy")},
        "prev": hexes("prev", number), "req": "%016x" % number, "result": "ok", "seq": number,
        "ts": time.strftime("2027-01-%dT%%H:%%M:%%S.000000Z" % (10 + number // 50_000), time.gmtime(number % 50_000)), "v": 1,
    }
    if number % 1000 == 7:
        record["policy"] = {"decision": "deny", "denial": "no-grant", "sha256": hexes("policy")}
        record["result"] = "denied"
    elif number % 1000 == 8:
        record.update(result="rejected", stage="signature")
    else:
        record["in"] = {"amount": 1499, "currency": 978, "pan": "hmac-sha256:" + hexes("pan", kind), "transaction": "hmac-sha256:" + hexes("t", number)}
        record["released"] = ["last4", "network", "amount", "cryptogram"]
    return json.dumps(record, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def write(directory, records):
    number = 0
    while number < records:
        with open(os.path.join(directory, "%020d.log" % number), "wb") as segment:
            while segment.tell() < SEGMENT and number < records:
                segment.write(b"".join(line(n) for n in range(number, number + 8)))
                number += 8
                segment.write(b"kist.test/audit\n%d\n%s\n\n\xe2\x80\x94 kist.test/audit %s\n" % (number, b"A" * 44, b"A" * 92))


def measure(kist, directory, *words):
    began = time.monotonic()
    process = subprocess.Popen([kist, "audit", "show", directory, *words], stdout=subprocess.PIPE)
    lines = sum(1 for _ in process.stdout)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit("audit_show: %s failed" % " ".join(words))
    print("%-44s %8d %8.2f %8.2f %8.1f" % (" ".join(words)[:44], lines, time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))


def main(kist, records):
    folder = tempfile.mkdtemp(prefix="kist-bench-")
    try:
        write(folder, records)
        print("%d records, %d MB" % (records, sum(path.stat().st_size for path in pathlib.Path(folder).iterdir()) // 1_000_000))
        print("%-44s %8s %8s %8s %8s" % ("show", "lines", "s", "CPU s", "RSS MiB"))
        searches = (
            ["--result", "denied"], ["--stage", "signature", "--unit", "shop@0.service"], ["--digest", "hmac-sha256:" + hexes("t", records // 2)],
            ["--since", "2027-01-12T00:00:00Z", "--until", "2027-01-12T00:01:00Z"], ["--user", "1003", "--grant", "shop-4"], [str(records - 5)],
            ["--op", "open-payment-token", "--json"],
        )
        for words in searches:
            measure(kist, folder, *words)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 1_000_000)
