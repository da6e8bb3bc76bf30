#!/usr/bin/env python3
"""Verifies and opens tokens of `kist sandbox token` with a program that shares no code with it.

Usage: mint_oracle.py [KIST]   (default: the debug build of this checkout)
The oracle is oracle/oracle.py in KIST_SHARED, or in ../shared.
"""
import datetime, hashlib, importlib.util, json, os, pathlib, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
KIST = sys.argv[1] if len(sys.argv) > 1 else CHECKOUT / ".build/debug/kist"
ORACLE = pathlib.Path(os.environ.get("KIST_SHARED") or CHECKOUT.parent / "shared") / "oracle/oracle.py"
MOMENT = "2026-11-20T09:30:00Z"
NOW = datetime.datetime(2026, 11, 20, 9, 30, tzinfo=datetime.timezone.utc)
APPLICATION_DATA = hashlib.sha256(b"basket 7").hexdigest()

# What the oracle calls the check at which each defect fails.
DEFECTS = {
    ("EC_v1", "--stale"): "signing-time", ("RSA_v1", "--stale"): "signing-time",
    ("EC_v1", "wrong-key"): "gcm-tag", ("RSA_v1", "wrong-key"): "unwrap",
    ("EC_v1", "bad-signature"): "signature", ("RSA_v1", "bad-signature"): "signature",
    ("EC_v1", "no-leaf-marker"): "leaf-oid", ("RSA_v1", "no-leaf-marker"): "leaf-oid",
    ("EC_v1", "bad-tag"): "gcm-tag", ("RSA_v1", "bad-tag"): "gcm-tag",
}


def load_oracle():
    spec = importlib.util.spec_from_file_location("oracle", ORACLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kist(*words):
    return subprocess.run([KIST, *map(str, words)], check=True, capture_output=True, text=True).stdout


def check(condition, what):
    if not condition:
        sys.exit(f"{pathlib.Path(sys.argv[0]).stem}: {what}")


class Sandbox:
    def __init__(self, oracle, directory):
        self.oracle, self.directory = oracle, directory
        kist("sandbox", "init", "--at", MOMENT, directory)
        self.root = oracle.load_cert(self.file("root.cer"))

    def file(self, name):
        return (self.directory / "pki" / name).read_bytes()

    def mint(self, version, *words):
        return json.loads(kist("sandbox", "token", "--dir", self.directory, "--version", version, *words))

    def open(self, token, root=None):
        """The plaintext, or the oracle's word for the check that failed."""
        name = "sandbox-processing-" + token["version"].split("_")[0].lower()
        key = self.oracle.load_key(self.file(name + ".key"))
        merchant = self.oracle.merchant_id_hash(self.oracle.load_cert(self.file(name + ".cer")))
        try:
            self.oracle.verify_token(token, root or self.root, NOW)
            return json.loads(self.oracle.decrypt_token(token, key, merchant)[0])
        except self.oracle.Reject as refused:
            return refused.code


def main():
    if not ORACLE.exists():
        check(os.environ.get("CI") != "true", f"there is no {ORACLE}")
        print(f"skipped: there is no {ORACLE}")
        return
    oracle = load_oracle()
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(oracle, pathlib.Path(folder) / "sandbox")
        for version in ("EC_v1", "RSA_v1"):
            token = sandbox.mint(version, "--amount", 7, "--currency", "978", "--pan", "5204240250003930",
                                 "--application-data", APPLICATION_DATA)
            check(token["version"] == version, f"{version}: asked for, not minted")
            check(token["header"]["applicationData"] == APPLICATION_DATA, f"{version}: application data")
            plaintext = sandbox.open(token)
            check(isinstance(plaintext, dict), f"{version}: refused: {plaintext}")
            fields = [plaintext[name] for name in ("transactionAmount", "currencyCode", "applicationPrimaryAccountNumber")]
            check(fields == [7, "978", "5204240250003930"], f"{version}: opens to {fields}")
            check(sandbox.open(token, oracle.apple_root()) == "chain-intermediate", f"{version}: Apple's root vouches for it")
        for (version, defect), expected in DEFECTS.items():
            words = [defect] if defect.startswith("--") else ["--defect", defect]
            found = sandbox.open(sandbox.mint(version, *words))
            check(found == expected, f"{version} with {defect}: {found}, not {expected}")
    print(f"good: 2 tokens open, {len(DEFECTS)} defects are refused where they should be")


if __name__ == "__main__":
    main()
