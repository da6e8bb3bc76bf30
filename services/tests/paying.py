"""Tokens as Apple would make them for any merchant's key, signed below a sandbox's root."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import pathlib
import sys
from datetime import UTC, datetime

import kist
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_private_key
from kist.testing import Sandbox

sys.path.append(str(pathlib.Path(__file__).parents[2] / "corpus"))
from der import INTERMEDIATE, LEAF, Certificate, SignedData, spki  # type: ignore[import-not-found]  # noqa: E402


class Payer:
    """Apple's signers of a sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        pki = sandbox.directory / "pki"
        root, key = x509.load_der_x509_certificate((pki / "root.cer").read_bytes()), load_der_private_key((pki / "root.key").read_bytes(), None)
        subject = root.subject.public_bytes()
        issuer = Certificate(subject, key, root.serial_number, b"", subject)
        self._intermediate = Certificate.make("Stand-in Application Integration CA", _new(), 2, issuer, markers=[INTERMEDIATE], is_authority=True)
        self._leaf = Certificate.make("stand-in-smp-broker-sign", _new(), 3, self._intermediate, markers=[LEAF])

    def token(self, merchant: str, key: ec.EllipticCurvePublicKey, amount: int) -> kist.Token:
        """EC_v1, of this moment."""
        ephemeral, transaction = _new(), os.urandom(32)
        shared = ephemeral.exchange(ec.ECDH(), key)
        party = hashlib.sha256(merchant.encode()).digest()
        content_key = hashlib.sha256(b"\0\0\0\1" + shared + b"\x0did-aes256-GCM" + b"Apple" + party).digest()
        payment = {
            "applicationPrimaryAccountNumber": "4109370251004320", "applicationExpirationDate": "301231", "currencyCode": "840", "transactionAmount": amount,
            "deviceManufacturerIdentifier": "040010030273", "paymentDataType": "3DSecure",
            "paymentData": {"onlinePaymentCryptogram": base64.b64encode(os.urandom(20)).decode(), "eciIndicator": "7"},
        }  # fmt: skip
        data = AESGCM(content_key).encrypt(bytes(16), json.dumps(payment).encode(), None)
        moment = datetime.now(UTC).strftime("%y%m%d%H%M%SZ")
        signature = SignedData(self._leaf, [self._leaf, self._intermediate], spki(ephemeral) + data + transaction, moment).encoded()
        text = {name: base64.b64encode(octets).decode() for name, octets in (("data", data), ("signature", signature))}
        header = {
            "ephemeralPublicKey": base64.b64encode(spki(ephemeral)).decode(), "transactionId": transaction.hex(),
            "publicKeyHash": base64.b64encode(hashlib.sha256(spki_of(key)).digest()).decode(),
        }  # fmt: skip
        return kist.Token.from_apple(json.dumps({"version": "EC_v1", **text, "header": header}))


def spki_of(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _new() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())
