"""A token as Apple's with EMV data in place of a cryptogram, by a sandbox's test PKI."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from kist.testing import Sandbox

#: OpenSSL's words for a detached signature with signed attributes.
_SIGN = "openssl cms -sign -binary -md sha256 -nosmimecap -outform DER -keyform DER"
_MERCHANT = x509.ObjectIdentifier("1.2.840.113635.100.6.32")


def emv_token(sandbox: Sandbox, pan: str) -> dict[str, Any]:
    pki = sandbox.directory / "pki"
    merchant = x509.load_der_x509_certificate((pki / "sandbox-processing-ec.cer").read_bytes())
    extension = merchant.extensions.get_extension_for_oid(_MERCHANT).value
    assert isinstance(extension, x509.UnrecognizedExtension)
    identifier = bytes.fromhex(extension.value[-64:].decode())
    key = merchant.public_key()
    ephemeral = ec.generate_private_key(ec.SECP256R1())
    assert isinstance(key, ec.EllipticCurvePublicKey)
    z = ephemeral.exchange(ec.ECDH(), key)
    info = b"\x0did-aes256-GCM" + b"Apple" + identifier
    content_key = hashlib.sha256(b"\0\0\0\1" + z + info).digest()
    payment = {
        "applicationPrimaryAccountNumber": pan,
        "applicationExpirationDate": "491231",
        "currencyCode": "840",
        "transactionAmount": 1499,
        "deviceManufacturerIdentifier": "040010030273",
        "paymentDataType": "EMV",
        "paymentData": {"emvData": base64.b64encode(bytes(40)).decode()},
    }
    data = AESGCM(content_key).encrypt(bytes(16), json.dumps(payment).encode(), None)
    public, transaction = _spki(ephemeral.public_key()), os.urandom(32)
    return {
        "version": "EC_v1",
        "data": base64.b64encode(data).decode(),
        "signature": base64.b64encode(_signature(pki, public + data + transaction)).decode(),
        "header": {
            "ephemeralPublicKey": base64.b64encode(public).decode(),
            "publicKeyHash": base64.b64encode(hashlib.sha256(_spki(key)).digest()).decode(),
            "transactionId": transaction.hex(),
        },
    }


def _spki(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _signature(pki: pathlib.Path, signed: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("leaf-ec", "intermediate"):
            certificate = x509.load_der_x509_certificate((pki / f"{name}.cer").read_bytes())
            pathlib.Path(folder, name).write_bytes(certificate.public_bytes(Encoding.PEM))
        words = ["-signer", f"{folder}/leaf-ec", "-certfile", f"{folder}/intermediate"]
        command = [*_SIGN.split(), *words, "-inkey", str(pki / "leaf-ec.key")]
        return subprocess.run(command, input=signed, check=True, capture_output=True).stdout
