#!/usr/bin/env python3
"""Looks for secrets in everything that can be read of a process, from outside and as root.

  scan_memory.py PID < SECRETS     (lines: name, blank, hex)

Each secret of 16 bytes or more is looked for whole and in 16-byte halves, as bytes, with its bytes reversed (little-endian
limbs are a reversed run), in hex of either case and in base64 at each of its three alignments. Prints one JSON object:
bytes read, bytes refused, and the finds as [name, form, mapping].
"""
import base64, json, sys

pid = sys.argv[1]


def forms(secret):
    parts = [("whole", secret)] + ([("first half", secret[:16]), ("last half", secret[-16:])] if len(secret) >= 32 else [])
    for part, value in parts:
        yield part, value
        yield part + " reversed", value[::-1]
        yield part + " hex", value.hex().encode()
        yield part + " HEX", value.hex().upper().encode()
        for shift in range(3):
            text = base64.b64encode(bytes(shift) + value)
            # Without the characters that the neighbours decide.
            yield part + " base64", text[4 if shift else 0 : len(text) // 4 * 4 - 4]


wanted = []
for line in sys.stdin:
    name, digits = line.split()
    secret = bytes.fromhex(digits)
    wanted += [(name, form, pattern) for form, pattern in forms(secret) if len(pattern) >= 8]

read = refused = 0
finds = []
with open(f"/proc/{pid}/mem", "rb", 0) as memory:
    for line in open(f"/proc/{pid}/maps"):
        fields = line.split()
        start, end = (int(x, 16) for x in fields[0].split("-"))
        if "r" not in fields[1] or fields[-1] in ("[vvar]", "[vsyscall]"):
            continue
        try:
            memory.seek(start)
            content = memory.read(end - start)
        except (OSError, ValueError, OverflowError):
            refused += end - start
            continue
        read += len(content)
        finds += [[name, form, fields[-1] if len(fields) > 5 else "anonymous"] for name, form, pattern in wanted if pattern in content]
print(json.dumps(dict(read=read, refused=refused, finds=finds)))
