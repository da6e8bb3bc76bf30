#!/usr/bin/env python3
"""Surrogates between Kist and what proto/PROTOCOL.md says of them, written anew: FF1 (SP 800-38G r1) over the AES of `cryptography`.

  surrogates.py [-- SWIFT-TEST-ARGUMENTS]   all of it: write, swift test, check
  surrogates.py fixtures                    rewrites surrogates.json, which the tests always read
"""
import json
import pathlib
import random
import sys
import tempfile

try:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
except ImportError:
    sys.exit("surrogates.py: cryptography is missing: python3 -m venv VENV && VENV/bin/pip install cryptography==45.0.7")

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))

import swift_suite

LUHN = {"pass": 1, "fail": 2, "any": 3}
USUAL = {"prefix": "", "first": 0, "last": 4, "length": 0, "luhn": "fail"}
#: Beside the usual one.
FORMATS = [dict(USUAL, **changes) for changes in (
    {"luhn": "pass"}, {"luhn": "any"}, {"last": 0}, {"last": 3, "luhn": "pass"}, {"first": 6}, {"first": 6, "luhn": "any"},
    {"first": 5, "luhn": "pass"}, {"first": 6, "last": 0, "luhn": "pass"}, {"first": 8, "last": 2}, {"first": 2, "last": 0, "luhn": "any"},
    {"prefix": "9"}, {"prefix": "0", "last": 0}, {"prefix": "4"}, {"prefix": "9", "luhn": "any"}, {"prefix": "7", "last": 2, "luhn": "any"},
    {"length": 17}, {"length": 17, "luhn": "pass"}, {"length": 17, "luhn": "any"}, {"length": 19}, {"length": 19, "luhn": "pass"},
    {"length": 32, "luhn": "any"}, {"length": 20, "first": 6, "luhn": "pass"}, {"length": 19, "first": 8, "last": 2},
    {"length": 18, "prefix": "9", "first": 2, "luhn": "pass"}, {"length": 19, "prefix": "90"}, {"length": 19, "prefix": "90", "last": 0, "luhn": "any"},
    {"length": 22, "prefix": "99999"}, {"length": 32, "prefix": "012345678901234", "luhn": "pass"}, {"length": 24, "prefix": "1", "first": 6, "last": 4},
)]


def passes(digits):
    return sum(int(digit) if at % 2 == 0 else sum(divmod(2 * int(digit), 10)) for at, digit in enumerate(reversed(digits))) % 10 == 0


def completed(front, back):
    """The one digit between them with which all pass."""
    return next(digit for digit in "0123456789" if passes(front + digit + back))


def ff1(key, tweak, digits, backwards=False):
    """Algorithms 7 and 8 of SP 800-38G r1, radix 10, as they stand there."""
    def encrypt(blocks):
        cipher = Cipher(algorithms.AES(key), modes.CBC(bytes(16))).encryptor()
        return cipher.update(blocks) + cipher.finalize()
    n, t = len(digits), len(tweak)
    u, v = n // 2, n - n // 2
    b = ((10**v - 1).bit_length() + 7) // 8
    d = 4 * ((b + 3) // 4) + 4
    p = bytes([1, 2, 1, 0, 0, 10, 10, u % 256]) + n.to_bytes(4, "big") + t.to_bytes(4, "big")
    left, right = digits[:u], digits[u:]
    for i in reversed(range(10)) if backwards else range(10):
        half = left if backwards else right
        q = tweak + bytes((-t - b - 1) % 16) + bytes([i]) + int(half).to_bytes(b, "big")
        r = encrypt(p + q)[-16:]
        s = r + b"".join(encrypt((int.from_bytes(r, "big") ^ j).to_bytes(16, "big")) for j in range(1, (d + 15) // 16))
        y = int.from_bytes(s[:d], "big")
        m = u if i % 2 == 0 else v
        if backwards:
            left, right = f"{(int(right) - y) % 10**m:0{m}}", left
        else:
            left, right = right, f"{(int(left) + y) % 10**m:0{m}}"
    return left + right


def pan_lengths(form):
    """[OP-SURR-11]"""
    hidden = 6 + (not form["length"] and (form["prefix"] != "" or form["luhn"] == "pass"))
    least = max(10, form["first"] + form["last"] + hidden, 16 if form["first"] > 6 else 0)
    return range(least, min(19, form["length"] - len(form["prefix"]) - 1 if form["length"] else 19) + 1)


def start(form, pan):
    """[OP-SURR-12]"""
    front, rest = form["prefix"] + pan[:form["first"]], pan[form["first"] + 1:]
    if not form["length"] and form["prefix"]:
        return front + rest
    filling = (form["length"] or len(pan)) - len(form["prefix"]) - len(pan)
    back = ("1".rjust(filling, "0") if filling else "") + rest
    check = int(completed(front, back)) + (form["luhn"] == "fail")
    return f"{front}{check % 10}{back}"


def step(form, key, merchant, text, backwards):
    front, end = len(form["prefix"]) + form["first"], len(text) - form["last"]
    kept = text[len(form["prefix"]):front] + text[end:]
    tweak = (kept + merchant).encode()
    if form != USUAL:
        # [OP-SURR-13]
        numbers = [form["first"], form["last"], form["length"], LUHN[form["luhn"]]]
        tweak = b"kist surrogate 1\0" + bytes([len(form["prefix"])]) + form["prefix"].encode() + bytes(numbers) + tweak
    begin = front + (form["luhn"] == "pass")
    middle = ff1(key, tweak, text[begin:end], backwards)
    if form["luhn"] == "pass":
        return text[:front] + completed(text[:front], middle + text[end:]) + middle + text[end:]
    return text[:begin] + middle + text[end:]


def allowed(form, text):
    return form["luhn"] == "any" or passes(text) == (form["luhn"] == "pass")


def make(form, key, merchant, pan):
    """None for a PAN that the format leaves out."""
    if len(pan) not in pan_lengths(form):
        return None
    text = start(form, pan)
    if not allowed(form, text):
        return None
    while True:
        text = step(form, key, merchant, text, False)
        if allowed(form, text):
            return text


def undo(form, key, merchant, text):
    """None for what is no surrogate."""
    if len(text) != (form["length"] or len(text)) or not text.startswith(form["prefix"]) or not allowed(form, text):
        return None
    if not form["length"] and len(text) not in pan_lengths(form):
        return None
    while True:
        text = step(form, key, merchant, text, True)
        if allowed(form, text):
            break
    for count in pan_lengths(form) if form["length"] else [len(text)]:
        front = text[len(form["prefix"]):][:form["first"]]
        rest = text[len(text) - (count - form["first"] - 1):]
        pan = front + completed(front, rest) + rest
        if start(form, pan) == text:
            return pan
    return None


def number(drawing, count, beginning=""):
    digits = beginning + "".join(drawing.choice("0123456789") for _ in range(count - len(beginning) - 1))
    return digits + completed(digits, "")


def rows(seed):
    """For each format, PANs of each length with their surrogates, and numbers of the format's shape with their PANs; null for none."""
    drawing = random.Random(seed)
    for form in [USUAL, *FORMATS]:
        key, merchant = drawing.randbytes(32), drawing.choice(["merchant.com.acme", "m", "4merchant", "x" * 255])
        pans = [number(drawing, count) for count in range(10, 20)] + [number(drawing, 16, drawing.choice("3459")) for _ in range(4)]
        made = {pan: make(form, key, merchant, pan) for pan in pans}
        numbers = []
        for count in [form["length"]] * 12 if form["length"] else range(9, 21):
            digits = form["prefix"] + "".join(drawing.choice("0123456789") for _ in range(count - len(form["prefix"])))
            numbers.append(digits[:-1] + completed(digits[:-1], "") if form["luhn"] == "pass" else digits)
        undone = {digits: undo(form, key, merchant, digits) for digits in numbers}
        for pan, surrogate in made.items():
            assert surrogate is None or undo(form, key, merchant, surrogate) == pan, (form, pan)
        for digits, pan in undone.items():
            assert pan is None or make(form, key, merchant, pan) == digits, (form, digits)
        yield {"format": form, "key": key.hex(), "merchant": merchant, "made": made, "undone": undone}


def write(path, seed):
    written = list(rows(seed))
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in written) + "\n]\n")
    return len(written), sum(len(row["made"]) + len(row["undone"]) for row in written)


def check(path):
    """What Kist made of PANs of its own choice, and of numbers."""
    theirs, count = json.loads(path.read_text()), 0
    for row in theirs:
        form, key, merchant = row["format"], bytes.fromhex(row["key"]), row["merchant"]
        for pan, surrogate in row["made"].items():
            assert make(form, key, merchant, pan) == surrogate, (form, pan)
        for digits, pan in row["undone"].items():
            assert undo(form, key, merchant, digits) == pan, (form, digits)
        count += len(row["made"]) + len(row["undone"])
    assert len(theirs) == len(FORMATS) + 1
    print(f"surrogates.py: {count} numbers of Kist's choice are as they should be")


def main(arguments):
    # SP 800-38G's first and third sample of FF1.
    aes = bytes.fromhex("2B7E151628AED2A6ABF7158809CF4F3C")
    assert ff1(aes, b"", "0123456789") == "2433477484" and ff1(aes, b"9876543210", "6124200773", True) == "0123456789"
    match arguments:
        case [] | ["--", *_]:
            with tempfile.TemporaryDirectory(prefix="kist-interop-") as name:
                directory = pathlib.Path(name)
                formats, count = write(directory / "reference-surrogates.json", random.randrange(2**32))
                swift_suite.run("SurrogateInterop", directory, arguments[1:])
                print(f"surrogates.py: Kist has the same for {count} numbers in {formats} formats")
                check(directory / "kist-surrogates.json")
        case ["fixtures"]: write(HERE / "surrogates.json", 1)
        case _: sys.exit(__doc__)


main(sys.argv[1:])
