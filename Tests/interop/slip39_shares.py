#!/usr/bin/env python3
"""Shares between Kist and shamir-mnemonic, the SLIP-0039 reference (PyPI, 0.3.0).

  slip39_shares.py [-- SWIFT-TEST-ARGUMENTS]   all of it: write, swift test, check
  slip39_shares.py fixtures                    rewrites slip39_shares.json, which the tests always read
"""
import itertools
import json
import pathlib
import sys
import tempfile

try:
    import shamir_mnemonic as slip39
except ImportError:
    sys.exit("slip39_shares.py: shamir-mnemonic is missing: python3 -m venv VENV && VENV/bin/pip install shamir-mnemonic==0.3.0")

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))

import swift_suite


def splits():
    """Sizes, thresholds, groups, both kinds of identifier, passphrases and iterations."""
    rows = [
        (32, 1, [(2, 3)], "", True, 0), (32, 1, [(3, 5)], "", True, 1), (16, 1, [(2, 2)], "", True, 0), (24, 1, [(4, 4)], "", True, 0),
        (32, 1, [(16, 16)], "", True, 0), (32, 2, [(2, 3), (2, 2), (3, 5)], "", True, 0), (32, 3, [(2, 2), (1, 1), (2, 4)], "", False, 0),
        (32, 1, [(2, 3)], "correct horse", False, 2), (16, 1, [(1, 1)], "", False, 1), (32, 2, [(1, 1), (1, 1)], "TREZOR", True, 3),
    ]
    for number, (size, threshold, groups, passphrase, extendable, exponent) in enumerate(rows):
        secret = bytes((31 * number + 7 * i) % 256 for i in range(size))
        shares = slip39.generate_mnemonics(threshold, groups, secret, passphrase.encode(), extendable, exponent)
        chosen = [share for group, (needed, _) in list(zip(shares, groups))[:threshold] for share in group[-needed:]]
        yield {"secret": secret.hex(), "passphrase": passphrase, "shares": chosen}


def write(path):
    rows = list(splits())
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
    return len(rows)


def refused(shares):
    try:
        slip39.combine_mnemonics(shares)
    except slip39.MnemonicError:
        return True
    return False


def check(path):
    """Every set of shares that suffices gives the secret, and what Kist must not accept the reference does not either."""
    rows, subsets = json.loads(path.read_text()), 0
    for row in rows:
        shares, threshold = row["shares"], row["threshold"]
        for subset in itertools.islice(itertools.combinations(shares, threshold), 40):
            assert slip39.combine_mnemonics(list(subset)).hex() == row["secret"], row
            subsets += 1
        assert refused(shares[: threshold - 1]), row
        words = shares[0].split()
        words[9] = "zero" if words[9] == "academic" else "academic"
        assert refused([" ".join(words), *shares[1:threshold]]), row
    print(f"slip39_shares.py: shamir-mnemonic combined {subsets} sets of {len(rows)} splits of Kist's")


def run(arguments):
    with tempfile.TemporaryDirectory(prefix="kist-interop-") as name:
        directory = pathlib.Path(name)
        count = write(directory / "reference-shares.json")
        swift_suite.run("ShareInterop", directory, arguments)
        print(f"slip39_shares.py: Kist combined {count} splits of shamir-mnemonic's")
        check(directory / "kist-shares.json")


def main(arguments):
    match arguments:
        case [] | ["--", *_]: run(arguments[1:])
        case ["fixtures"]: write(HERE / "slip39_shares.json")
        case _: sys.exit(__doc__)


main(sys.argv[1:])
