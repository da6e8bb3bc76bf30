#!/usr/bin/env python3
"""QR codes of shares, against two programs of others (PyPI): zxing-cpp 3.1.1 reads what a terminal shows, segno 1.6.6 makes the same symbols.

  qr_codes.py [-- SWIFT-TEST-ARGUMENTS]   all of it: swift test, read
  qr_codes.py fixtures                    rewrites qr_codes.json, which the tests always read
"""
import hashlib
import json
import pathlib
import random
import re
import sys
import tempfile

try:
    import segno
    import shamir_mnemonic.wordlist as slip39
    import zxingcpp
except ImportError as error:
    sys.exit(f"qr_codes.py: {error.name} is missing; Tests/interop/requirements.txt has them")

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))

import swift_suite

BLOCKS = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}
SCALE = 4


def texts():
    """The shortest and the longest share there can be, some between, and what just fits."""
    generator = random.Random(18004)
    lengths = {n: [word for word in slip39.WORDLIST if len(word) == n] for n in range(4, 9)}
    yield "academic"
    for n in lengths:
        yield " ".join(generator.choices(lengths[n], k=33))
    yield " ".join(generator.choices(slip39.WORDLIST, k=33))
    yield ("abcdefghij" * 32)[:311]


def fixtures():
    """The SHA-256 of each symbol as lines of 0 and 1, by text and mask."""
    for text in texts():
        for mask in range(8):
            symbol = segno.make(text.upper(), error="m", version=10, mode="alphanumeric", mask=mask, boost_error=False)
            lines = "".join("".join(str(module) for module in row) + "\n" for row in symbol.matrix)
            yield {"text": text, "mask": mask, "sha256": hashlib.sha256(lines.encode()).hexdigest()}


def read(page):
    """What a scanner makes of the symbol on a page of the terminal."""
    lines = re.findall("\x1b\\[30;47m([^\x1b\n]*)\x1b\\[0m\r?\n", page)
    assert len(lines) == 33 and {len(line) for line in lines} == {65}, "not the size that it says it has"
    rows = [[BLOCKS[character][half] for character in line] for line in lines for half in (0, 1)]
    pixels = b"".join(bytes(0 if module else 255 for module in row for _ in range(SCALE)) * SCALE for row in rows)
    picture = memoryview(pixels).cast("B", (SCALE * len(rows), SCALE * len(rows[0])))
    # Some line of a random symbol looks like a bar code of another kind now and then.
    found = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)
    assert len(found) == 1, f"{len(found)} codes"
    return found[0].text


def write(path):
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in fixtures()) + "\n]\n")


def run(arguments):
    with tempfile.TemporaryDirectory(prefix="kist-interop-") as directory:
        swift_suite.run("QRInteropTests|CLITests.CeremonyTests/aCodeOnRequest", directory, arguments)
        symbols, sheets = (json.loads((pathlib.Path(directory) / name).read_text()) for name in ("symbols.json", "sheets.json"))
    assert len(symbols) == 64 and len(sheets) == 3
    for row in symbols + sheets:
        assert read(row["page"]) == row["text"].upper(), row["text"]
    print(f"qr_codes.py: zxing-cpp read {len(symbols)} symbols, and {len(sheets)} shares off a terminal")


def main(arguments):
    match arguments:
        case [] | ["--", *_]: run(arguments[1:])
        case ["fixtures"]: write(HERE / "qr_codes.json")
        case _: sys.exit(__doc__)


main(sys.argv[1:])
