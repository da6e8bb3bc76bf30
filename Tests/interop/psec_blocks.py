#!/usr/bin/env python3
"""Key blocks between Kist and psec, an independent TR-31 implementation (PyPI, 1.3.0).

  psec_blocks.py [-- SWIFT-TEST-ARGUMENTS]   all of it: write, swift test, check
  psec_blocks.py write DIRECTORY             blocks by psec, for Kist to open
  psec_blocks.py check DIRECTORY             blocks and a key store by Kist, opened here
  psec_blocks.py fixtures                    rewrites psec_blocks.json, which the tests always read

Opening the store needs HKDF, HMAC and psec, and nothing of Kist: it is the recovery that proto/KEYSTORE.md promises.
"""
import hashlib
import hmac
import json
import pathlib
import sys
import tempfile

try:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from psec import tr31
except ImportError:
    sys.exit("psec_blocks.py: psec is missing: python3 -m venv VENV && VENV/bin/pip install psec==1.3.0 cryptography==45.0.7")

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))

import swift_suite


def pattern(count, start):
    return bytes((start + 7 * i) % 256 for i in range(count))


def psec_rows():
    """One block for each size of KBPK and sort of key, with and without optional blocks."""
    sorts = [
        ("D0", "A", "B", 16, {}), ("D0", "A", "B", 24, {"LB": "vault/pan"}), ("K0", "A", "B", 32, {"KC": "0108793E25AB"}),
        ("M7", "H", "G", 32, {"HM": "21", "TC": "20261120093000Z"}), ("B0", "T", "N", 16, {}), ("B0", "T", "N", 24, {"KS": "00604B120F9292800000"}),
        ("K3", "E", "X", 121, {"LB": "merchant/acme/processing-2026", "KP": "012331550BC9"}), ("D1", "R", "D", 1190, {"LB": "x" * 200}),
    ]
    for kbpk_count in (16, 24, 32):
        for number, (usage, algorithm, mode, count, blocks) in enumerate(sorts):
            header = tr31.Header("D", usage, algorithm, mode, "00", "N")
            for name, data in blocks.items():
                header.blocks[name] = data
            kbpk, key = pattern(kbpk_count, number), pattern(count, 100 + number)
            yield {"kbpk": kbpk.hex(), "key": key.hex(), "block": tr31.wrap(kbpk, header, key)}
    yield from old_rows()
    yield from exchange_rows()


def old_rows():
    """Versions A, B and C, which Kist only reads."""
    sorts = [("K0", "T", "B", 16, {}), ("D0", "T", "E", 24, {}), ("B0", "T", "X", 16, {"KS": "00604B120F9292800000"}), ("M7", "H", "G", 32, {})]
    for version in "ABC":
        for kbpk_count in (16, 24):
            for number, (usage, algorithm, mode, count, blocks) in enumerate(sorts):
                header = tr31.Header(version, usage, algorithm, mode, "00", "E")
                for name, data in blocks.items():
                    header.blocks[name] = data
                kbpk, key = pattern(kbpk_count, 40 + number), pattern(count, 200 + number)
                yield {"kbpk": kbpk.hex(), "key": key.hex(), "block": tr31.wrap(kbpk, header, key)}


def exchange_rows():
    """Keys as another HSM sends them to a key store, each with the role it is to have there."""
    scalar = int.from_bytes(pattern(32, 3), "big")
    der = serialization.Encoding.DER, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    curves = [ec.derive_private_key(scalar, curve).private_bytes(*der) for curve in (ec.SECP256R1(), ec.SECP384R1())]
    sorts = [
        ("sealing", "D", "D0", "A", "B", pattern(32, 1), {}), ("unsealing", "D", "D0", "A", "B", pattern(32, 2), {"LB": "theirs"}),
        ("mac-hmac-sha256", "D", "M7", "H", "C", pattern(40, 3), {"HM": "21"}), ("otp-totp", "D", "M7", "H", "N", pattern(20, 4), {"HM": "10"}),
        ("otp-visa", "D", "D0", "T", "E", pattern(16, 5), {}), ("key-exchange", "D", "K1", "A", "B", pattern(32, 6), {"TS": "20261120093000Z"}),
        ("agreement", "D", "K3", "E", "X", curves[0], {}), ("signing-ecdsa", "D", "S0", "E", "S", curves[1], {"LB": "x" * 200}),
    ] + [("otp-visa", version, "D0", "T", "E", pattern(16, number), {}) for number, version in enumerate("ABC", 7)]
    for role, version, usage, algorithm, mode, key, blocks in sorts:
        header = tr31.Header(version, usage, algorithm, mode, "00", "E")
        for name, data in blocks.items():
            header.blocks[name] = data
        kbpk = pattern(32 if version == "D" else 16, len(role))
        yield {"kbpk": kbpk.hex(), "key": key.hex(), "block": tr31.wrap(kbpk, header, key), "role": role}


def write(path):
    rows = list(psec_rows())
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
    return len(rows)


def hkdf(kek, info):
    """HKDF-SHA256 of RFC 5869 with no salt, 32 bytes."""
    prk = hmac.new(bytes(32), kek, hashlib.sha256).digest()
    return hmac.new(prk, info + b"\x01", hashlib.sha256).digest()


def check_blocks(path):
    rows = json.loads(path.read_text())
    for row in rows:
        header, key = tr31.unwrap(bytes.fromhex(row["kbpk"]), row["block"])
        assert key.hex() == row["key"], row["block"]
        assert header.version_id == "D" and row["block"][5:14] == str(header)[5:14], row["block"]
    return len(rows)


def check_exported(rows):
    for row in rows:
        header, key = tr31.unwrap(bytes.fromhex(row["kbpk"]), row["block"])
        use = f"{header.key_usage} {header.algorithm} {header.mode_of_use}"
        assert key.hex() == row["key"] and use == row["usage"] and header.exportability == "N" and header.version_id == "D", row["block"]
        assert "LB" not in header.blocks and "KP" in header.blocks and all(len(data) <= 251 for data in header.blocks.values()), row["block"]
    return len(rows)


def check_store(store, expected):
    kek = bytes.fromhex(expected["kek"])
    sealed = json.loads((store / "manifest.json").read_bytes())
    canonical = json.dumps(sealed["manifest"], sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    tag = hmac.new(hkdf(kek, b"kist/manifest/v1"), canonical, hashlib.sha256).hexdigest()
    assert tag == sealed["hmac"], "the manifest's HMAC"
    kbpk, opened = hkdf(kek, b"kist/kbpk/v1"), 0
    for record in sealed["manifest"]["keys"]:
        text = (store / record["block"]["file"]).read_bytes()
        assert hashlib.sha256(text).hexdigest() == record["block"]["sha256"], record["label"]
        header, key = tr31.unwrap(kbpk, text.decode("ascii"))
        use = f"{header.key_usage} {header.algorithm} {header.mode_of_use}"
        assert use == record["usage"] and header.blocks["LB"] == record["label"] and header.exportability == "NE"[record.get("exportable", False)], record["label"]
        if "spki_sha256" in record:
            assert record["spki_sha256"][:32] == record["id"], record["label"]
        assert key.hex() == expected["keys"].get(record["id"], key.hex()), record["label"]
        opened += 1
    for identifier in expected["keys"]:
        assert (store / f"{identifier}.kb").exists(), identifier
    return opened


def check(directory):
    blocks = check_blocks(directory / "kist-blocks.json")
    expected = json.loads((directory / "expected.json").read_text())
    keys, exported = check_store(directory / "keys", expected), check_exported(expected["exported"])
    print(f"psec_blocks.py: psec opened {blocks} blocks, {keys} stored keys and {exported} exported ones of Kist's")


def run(arguments):
    with tempfile.TemporaryDirectory(prefix="kist-interop-") as name:
        directory = pathlib.Path(name)
        count = write(directory / "psec-blocks.json")
        swift_suite.run("PsecInterop", directory, arguments)
        print(f"psec_blocks.py: Kist opened {count} blocks of psec's")
        check(directory)


def main(arguments):
    match arguments:
        case [] | ["--", *_]: run(arguments[1:])
        case ["write", directory]: write(pathlib.Path(directory) / "psec-blocks.json")
        case ["check", directory]: check(pathlib.Path(directory))
        case ["fixtures"]: write(HERE / "psec_blocks.json")
        case _: sys.exit(__doc__)


main(sys.argv[1:])
