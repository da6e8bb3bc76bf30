"""A sandbox daemon with a key of every role, for the end-to-end tests of both clients.

Peers and wrapped keys are made with `cryptography`, which shares no code with Kist.
"""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from kist import OtpHash, OtpParameters
from kist.testing import Sandbox

SYMMETRIC = bytes(range(1, 33))
VISA = bytes.fromhex("0123456789abcdeffedcba9876543210")
HOTP = b"12345678901234567890"
EVERYTHING = [
    "describe", "random", "list-keys", "describe-key", "verify-payment-token", "open-payment-token", "provision-pass", "provision-trace",
    "sign-otp", "verify-otp", "enrol-authenticator", "ecdh", "kdf", "seal", "unseal", "sign", "verify", "mac", "verify-mac", "unwrap", "release-handle", "tokenise",
    "who", "audit-digest",
]  # fmt: skip
POLICY = f"""
[[grant]]
id = "everything"
users = [{os.getuid()}]
operations = {EVERYTHING}
keys = ["test/*"]
release = ["shared-secret", "derived-key"]
stages = true
quota = "1000000000/d"

[[grant]]
id = "reveal"
users = [{os.getuid()}]
operations = ["detokenise", "open-envelope"]
keys = ["test/*"]
release = ["dpan"]
stages = true
"""


def der(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> bytes:
    """RFC 5915 or PKCS#1."""
    return key.private_bytes(ser.Encoding.DER, ser.PrivateFormat.TraditionalOpenSSL, ser.NoEncryption())


@dataclass
class Stage:
    """The daemon, its keys by name, and the other side of what they do."""

    sandbox: Sandbox
    keys: dict[str, bytes]
    agreement: ec.EllipticCurvePrivateKey
    unwrapping: rsa.RSAPrivateKey
    certificates: list[bytes]
    leaf: ec.EllipticCurvePrivateKey

    def peer(self) -> tuple[ec.EllipticCurvePrivateKey, bytes]:
        """A fresh key and its uncompressed point."""
        key = ec.generate_private_key(ec.SECP256R1())
        return key, key.public_key().public_bytes(ser.Encoding.X962, ser.PublicFormat.UncompressedPoint)

    def wrap(self, secret: bytes) -> bytes:
        oaep = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
        return self.unwrapping.public_key().encrypt(secret, oaep)


def build(sandbox: Sandbox) -> Stage:
    """Imports a key of each role into a sandbox that runs with `POLICY`."""
    agreement, unwrapping = ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65537, 2048)
    signing = ec.generate_private_key(ec.SECP256R1())
    codes = OtpParameters(digits=6, hash=OtpHash.SHA1, window=3, failures=3, lockout=60)
    materials: dict[str, tuple[str, bytes, OtpParameters | None]] = {
        "agreement": ("agreement", der(agreement), None),
        "unwrapping": ("unwrapping-rsa", der(unwrapping), None),
        "signing": ("signing-ecdsa", der(signing), None),
        "sealing": ("sealing", SYMMETRIC, None),
        "unsealing": ("unsealing", SYMMETRIC[::-1], None),
        "mac": ("mac-hmac-sha256", SYMMETRIC[::2] + SYMMETRIC[1::2], None),
        "surrogate": ("surrogate", SYMMETRIC[16:] + SYMMETRIC[:16], None),
        "visa": ("otp-visa", VISA, OtpParameters(key_set="123456.1")),
        "mastercard": ("otp-mastercard", der(rsa.generate_private_key(65537, 2048)), OtpParameters(key_alias="issuer.1")),
        "hotp": ("otp-hotp", HOTP, codes),
    }
    keys = {name: sandbox.import_key(f"test/{name}", role, data, otp=otp).id for name, (role, data, otp) in materials.items()}
    certificates = [base64.b64decode(certificate) for certificate in sandbox.pass_request()["certificates"]]
    leaf = ser.load_der_private_key((sandbox.directory / "pki/provisioning-leaf.key").read_bytes(), None)
    assert isinstance(leaf, ec.EllipticCurvePrivateKey)
    return Stage(sandbox, keys, agreement, unwrapping, certificates, leaf)
