#!/usr/bin/env python3
"""kist-cbom: what it makes of a daemon's inventory is what CycloneDX's schema says, has every key, and is refused for anything else.

usage: cbom.py [BUILD]   (default: the debug build of this checkout)
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/debug").resolve()
sys.path[:0] = [str(ROOT / "clients/python/src"), str(ROOT / "Tests/interop/lib")]

from cyclonedx_schema import errors
from kist.testing import Sandbox

POLICY = f"""
[[grant]]
id = "keys"
users = [{os.getuid()}]
operations = ["list-keys", "generate-key", "status"]
keys = ["*"]
rate = "1000/s"
"""
# Of a key: its role and algorithm, what it must be in the bill, and its bits against today's computers and against a quantum computer.
KEYS = [
    ("signing-ecdsa", "P-256", "private-key", 128, 0),
    ("signing-ecdsa", "P-384", "private-key", 192, 0),
    ("signing-rsa", "RSA-3072", "private-key", 128, 0),
    ("signing-ed25519", "Ed25519", "private-key", 128, 0),
    ("sealing", "AES-256", "secret-key", 256, 5),
    ("mac-hmac-sha256", "HMAC-SHA-256", "secret-key", 256, 5),
    ("otp-totp", "HMAC-OTP", "secret-key", 128, 1),
]


def run(*words, said="", code=0):
    done = subprocess.run([*map(str, words)], input=said, capture_output=True, text=True)
    assert done.returncode == code, f"{words[:4]}: {done.returncode} {done.stderr}"
    return done


def cbom(said, code=0):
    return run(ROOT / "packaging/pack/kist-cbom", said=said, code=code)


def inventory(folder):
    with Sandbox(program=BUILD / "kist", policy=POLICY) as sandbox:
        place = ("--socket", sandbox.operators_endpoint.removeprefix("unix:"))
        for role, algorithm, *_ in KEYS:
            several = ("--algorithm", algorithm) if role in ("signing-ecdsa", "signing-rsa") else ()
            run(BUILD / "kist", "key", "generate", "--label", f"bill/{role}-{algorithm.lower()}", "--role", role, *several, *place)
        owners = folder / "owners.txt"
        owners.write_text("bill/*  Platform security\n")
        return run(BUILD / "kist", "inventory", "--owners", owners, "--json", *place).stdout


def check(listed, document):
    assert not errors(document), errors(document)
    assert document["specVersion"] == "1.6", document["specVersion"]
    material, algorithms = {}, {}
    for component in document["components"]:
        properties = component["cryptoProperties"]
        if properties["assetType"] == "algorithm":
            algorithms[component["bom-ref"]] = properties["algorithmProperties"]
        else:
            material[component["name"]] = (component, properties["relatedCryptoMaterialProperties"])
    assert sorted(material) == sorted(key["label"] for key in listed["keys"]), sorted(material)
    for role, algorithm, kind, bits, quantum in KEYS:
        component, found = material[f"bill/{role}-{algorithm.lower()}"]
        about = algorithms[found["algorithmRef"]]
        assert (found["type"], found["state"], found["algorithmRef"]) == (kind, "active", f"algorithm/{algorithm}"), found
        assert (about["classicalSecurityLevel"], about["nistQuantumSecurityLevel"]) == (bits, quantum), (algorithm, about)
        owner = [one["value"] for one in component["properties"] if one["name"] == "kist:owner"]
        assert owner == ["Platform security"] and found["creationDate"], component


def main():
    with tempfile.TemporaryDirectory(prefix="kist-") as name:
        text = inventory(pathlib.Path(name))
    check(json.loads(text), json.loads(cbom(text).stdout))
    # An algorithm that a later kist has; a state of each kind.
    listed = json.loads(text)
    states = {"pre-active": "pre-activation", "active": "active", "suspended": "suspended", "retired": "deactivated", "compromised": "compromised", "destroyed": "destroyed"}
    for (ours, theirs), key in zip(states.items(), listed["keys"]):
        key["state"] = ours
    listed["keys"][0]["algorithm"] = "ML-DSA-65"
    del listed["keys"][0]["strength"]
    listed["keys"][1] |= {"algorithm": "TDEA-2", "strength": 80}
    document = json.loads(cbom(json.dumps(listed)).stdout)
    assert not errors(document), errors(document)
    found = {one["bom-ref"]: one["cryptoProperties"].get("relatedCryptoMaterialProperties", {}).get("state") for one in document["components"]}
    assert [found[f"key/{key['id']}"] for key in listed["keys"][:len(states)]] == [*states.values()], found
    for wrong in ("", "x", "[]", "null", "{}", '{"keys": [{}]}', '{"keys": 5}', text[:-3]):
        refused = cbom(wrong, code=1)
        assert not refused.stdout and "not what kist inventory --json prints" in refused.stderr, (wrong, refused)
    assert run(ROOT / "packaging/pack/kist-cbom", "--help", code=1).stderr.count("usage: ") == 1
    print(f"cbom: {len(listed['keys'])} keys of {len(KEYS)} algorithms, valid by the schema of CycloneDX 1.6")


main()
