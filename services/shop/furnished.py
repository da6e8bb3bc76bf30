"""What every service needs behind it: keys of each label, settings that name them, and one payment in Radial's words. For trying and for the tests."""

from __future__ import annotations

import base64
import os
import pathlib

import kist
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from gateway import Authority, FakeGateway
from kist import OtpHash, OtpParameters
from kist.testing import Sandbox
from kist_services.decryptblob import SERVICES, TYPES
from sandboxed import PROGRAM, merchant_settings

MERCHANT_IDENTIFIER = "merchant.com.example.sandbox"
#: As the issuer's app is started, in D1's guide.
LINK = "myscheme://mypath?passTypeIdentifier=paymentpass.com.apple&serialNumber=123&action=verify"
#: Two halves with the parity of DES.
_VISA = bytes.fromhex("0123456789abcdeffedcba9876543210")


def furnish(sandbox: Sandbox, authority: Authority) -> None:
    """A key of each label that the settings name, the merchant's identity certified by this authority."""
    add_identity(sandbox, authority, "merchant/sandbox/identity/2026")
    sandbox.import_key("merchant/sandbox/envelope-2026", "sealing", os.urandom(32))
    sandbox.import_key("issuer/visa/2026", "otp-visa", _VISA, otp=OtpParameters(key_set="123456.1"))
    sandbox.import_key("issuer/mastercard/2026", "otp-mastercard", _der(rsa.generate_private_key(65537, 2048)), otp=OtpParameters(key_alias="a"))
    sandbox.import_key("issuer/cards/2026", "sealing", os.urandom(32))
    codes = OtpParameters(digits=6, hash=OtpHash.SHA1, window=3, failures=3, lockout=60)
    sandbox.import_key("idv/codes/2026", "otp-hotp", os.urandom(20), otp=codes)
    sandbox.import_key("idv/authenticators/2026", "otp-totp", os.urandom(20), otp=OtpParameters(digits=6, hash=OtpHash.SHA1, step=30, window=1))
    sandbox.import_key("idv/signing/2026", "signing-ecdsa", _der(ec.generate_private_key(ec.SECP256R1())))


def _der(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> bytes:
    """RFC 5915 or PKCS#1."""
    return key.private_bytes(serialization.Encoding.DER, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())


def add_identity(sandbox: Sandbox, authority: Authority, label: str, days: float = 9) -> tuple[rsa.RSAPrivateKey, bytes]:
    """A merchant identity key with its certificate, which is DER and ends after so many days."""
    key = rsa.generate_private_key(65537, 2048)
    certificate = authority.merchant(MERCHANT_IDENTIFIER, key, days=days).public_bytes(serialization.Encoding.DER)
    sandbox.import_key(label, "merchant-identity-rsa", _der(key), certificate=certificate)
    return key, certificate


def keys_settings(sandbox: Sandbox) -> str:
    """Of the service keys, an operator of this sandbox."""
    return f'program = "{PROGRAM}"\noperators = "{sandbox.operators_endpoint.removeprefix("unix:")}"\n'


def sessions_settings(gateway: FakeGateway) -> str:
    """Of the service sessions, with a stand-in for Apple's gateway."""
    names = {"merchant": MERCHANT_IDENTIFIER, "display_name": "Acme", "domain": "shop.example.com", "identities": "merchant/sandbox/identity/*"}
    return "".join(f'{name} = "{text}"\n' for name, text in names.items()) + gateway.settings


def settings(place: pathlib.Path, gateway: FakeGateway, sandbox: Sandbox) -> dict[str, str]:
    """Of each service, without their API keys; the directories `vault`, `cards`, `idv` and `outbox` have to be in the place."""
    provisioning = f'cards = "{place}/cards/cards.sqlite"\nkeys = {{ visa = "issuer/visa/2026", mastercard = "issuer/mastercard/2026" }}\n'
    idv = {
        "file": place / "idv/idv.sqlite", "outbox": place / "outbox", "deep_link": LINK.partition("?")[0], "codes": "idv/codes/2026",
        "authenticators": "idv/authenticators/2026", "signing": "idv/signing/2026", "issuer": "https://issuer.example", "audience": "d1",
    }  # fmt: skip
    return merchant_settings(place / "vault") | {
        "decryptblob": "", "keys": keys_settings(sandbox), "sessions": sessions_settings(gateway), "tokens": "", "issuer": provisioning, "activation": provisioning, "idv": "".join(f'{name} = "{text}"\n' for name, text in idv.items()),
    }  # fmt: skip


def decrypt_blob_request(token: kist.Token) -> str:
    """Radial's DecryptBlobRequest of a payment."""
    parts = {"key": token.ephemeral_public_key, "hash": token.public_key_hash, "data": token.data, "signature": token.signature}
    text = {name: base64.b64encode(octets).decode() for name, octets in parts.items()}
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<DecryptBlobRequest xmlns="{SERVICES}" xmlns:payment="{TYPES}">
  <MessageHeader>
    <payment:RequestId>1</payment:RequestId>
    <payment:CreateTimestamp>2026-11-24T15:42:03.25Z</payment:CreateTimestamp>
    <payment:MockPayment>false</payment:MockPayment>
    <payment:extension/>
    <payment:ClientTimeoutInMilliseconds>3000</payment:ClientTimeoutInMilliseconds>
  </MessageHeader>
  <SourceId type="STORE">TMSUS</SourceId>
  <AlgorithmVersion>apd</AlgorithmVersion>
  <EncryptionHeader>
    <payment:EphemeralPublicKey>{text["key"]}</payment:EphemeralPublicKey>
    <payment:TransactionId>{token.transaction_id.hex()}</payment:TransactionId>
    <payment:PublicKeyHash>{text["hash"]}</payment:PublicKeyHash>
  </EncryptionHeader>
  <Version>EC_v1</Version>
  <Data>{text["data"]}</Data>
  <Signature>{text["signature"]}</Signature>
</DecryptBlobRequest>
"""
