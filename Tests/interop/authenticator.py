#!/usr/bin/env python3
"""A stranger's authenticators: pyotp (PyPI) and oathtool (Debian) show the codes of what `kist otp enrol` prints, and zxing-cpp reads its QR code.

usage: authenticator.py [BUILD]   (default: the debug build of this checkout)
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/debug").resolve()
sys.path.insert(0, str(ROOT / "clients/python/src"))

import pyotp
import zxingcpp
from kist.testing import Sandbox

SCALE = 4
POLICY = f"""
[[grant]]
id = "codes"
users = [{os.getuid()}]
operations = ["enrol-authenticator", "verify-otp", "list-keys", "generate-key"]
keys = ["codes/*"]
stages = true
rate = "1000/s"
"""
# Of a key: its role, its options, and oathtool's for the same codes.
KEYS = [
    ("otp-totp", [], ["--totp"]),
    ("otp-totp", ["--hash", "sha256", "--digits", "8", "--step", "60"], ["--totp=SHA256", "--digits=8", "--time-step-size=60s"]),
    ("otp-totp", ["--hash", "sha512"], ["--totp=SHA512"]),
    ("otp-hotp", [], ["--hotp"]),
]


def run(*words, said="", code=0):
    done = subprocess.run([*map(str, words)], input=said, capture_output=True, text=True)
    assert done.returncode == code, f"{words[:4]}: {done.returncode} {done.stderr}"
    return done.stdout.removesuffix("\n")


def read(uri):
    """What a phone's camera sees of the code that qrencode draws."""
    rows = run("qrencode", "-t", "ASCII", "-m", "4", said=uri).splitlines()
    modules = [[pair == "##" for pair in (row[at:at + 2] for at in range(0, len(rows[0]), 2))] for row in rows if row]
    pixels = b"".join(bytes(0 if module else 255 for module in row for _ in range(SCALE)) * SCALE for row in modules)
    picture = memoryview(pixels).cast("B", (SCALE * len(modules), SCALE * len(modules[0])))
    (found,) = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)
    return found.text


def right(kist, label, code):
    """Whether the daemon takes the code, and takes it once."""
    run(*kist("verify", label), "--code-fd", "0", said=code + "\n")
    run(*kist("verify", label), "--code-fd", "0", said=code + "\n", code=1)


def check(sandbox, number, role, options, oathtool):
    label = f"codes/{number}"
    run(BUILD / "kist", "key", "generate", "--label", label, "--role", role, *options, "--socket", sandbox.operators_endpoint.removeprefix("unix:"))

    def kist(verb, name):
        return [BUILD / "kist", "otp", verb, "--key", name, "--subject", "anna@acme.example", "--socket", sandbox.endpoint.removeprefix("unix:")]

    def enrolled():
        uri = run(*kist("enrol", label), "--issuer", "Acme Bank Söhne")
        found = pyotp.parse_uri(read(uri))
        assert read(uri) == uri and (found.name, found.issuer) == ("anna@acme.example", "Acme Bank Söhne"), uri
        return found

    def shown(found):
        return found.at(0) if role == "otp-hotp" else found.now()

    right(kist, label, shown(enrolled()))
    found = enrolled()
    code = run("oathtool", "--base32", *oathtool, found.secret)
    assert code == shown(found), "oathtool and pyotp show other codes"
    lost, found = found, enrolled()
    run(*kist("verify", label), "--code-fd", "0", said=shown(lost) + "\n", code=1)
    right(kist, label, shown(found))


def main():
    with Sandbox(program=BUILD / "kist", policy=POLICY) as sandbox:
        for number, (role, options, oathtool) in enumerate(KEYS):
            check(sandbox, number, role, options, oathtool)
    print(f"authenticator: pyotp and oathtool show the codes of {len(KEYS)} kinds of key, and their QR codes are read")


main()
