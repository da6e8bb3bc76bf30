#!/usr/bin/env python3
"""Makes payment tokens with the independent oracle, for the daemon to open.

  oracle_tokens.py ORACLE.py COUNT CLOCK   (CLOCK such as 2025-06-01T12:00:00Z)

Prints one JSON object: the test root (base64 DER), the merchant keys (PEM) and identifiers, and COUNT tokens with their
plaintext. Three in four are EC_v1, the rest RSA_v1; one in five carries application data; the first EC_v1 token's Z
begins with a zero byte.
"""
import base64, datetime, hashlib, importlib.util, json, sys

spec = importlib.util.spec_from_file_location("oracle", sys.argv[1])
oracle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(oracle)
count, clock = int(sys.argv[2]), datetime.datetime.fromisoformat(sys.argv[3].replace("Z", "+00:00"))

from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec

ECPKI = oracle.test_pki()
# One root for both: the RSA leaf hangs under the EC chain's intermediate, as Apple's does.
leaf_key = oracle.rsa.generate_private_key(65537, 2048)
RSAPKI = dict(ECPKI, leaf_key=leaf_key, leaf=oracle.make_cert(
    "TEST rsa-smp-broker-sign_UC4", leaf_key, ECPKI["inter"], ECPKI["inter_key"], [(oracle.OID_PAY_LEAF, b"\x05\0", False)]))
IDENTIFIER = "merchant.com.example.oracle"


def pem(key):
    return key.private_bytes(ser.Encoding.PEM, ser.PrivateFormat.PKCS8, ser.NoEncryption()).decode()


def with_leading_zero(merchant_key):
    """An ephemeral key whose agreement with the merchant's key begins with a zero byte: one in 256 does."""
    while True:
        key = ec.generate_private_key(ec.SECP256R1())
        if key.exchange(ec.ECDH(), merchant_key.public_key())[0] == 0:
            return key


def token(version, key, pki, index):
    payload = dict(oracle.SAMPLE, transactionAmount=index, applicationPrimaryAccountNumber=str(4000000000000000 + index))
    body = json.dumps(payload, separators=(",", ":")).encode()
    appdata = b"order-%d" % index if index % 5 == 0 else None
    made = oracle.make_token(version, body, key, hashlib.sha256(IDENTIFIER.encode()).digest(), pki, clock, appdata)
    return dict(token=made, plaintext=body.decode(), applicationData=made["header"].get("applicationData"))


ec_key, _ = oracle.make_merchant("EC_v1", IDENTIFIER)
rsa_key, _ = oracle.make_merchant("RSA_v1", IDENTIFIER)
tokens = []
for i in range(count):
    if i == 0:
        chosen, generate = with_leading_zero(ec_key), ec.generate_private_key
        ec.generate_private_key = lambda curve: chosen
        tokens.append(token("EC_v1", ec_key, ECPKI, i))
        ec.generate_private_key = generate
        continue
    tokens.append(token("RSA_v1", rsa_key, RSAPKI, i) if i % 4 == 3 else token("EC_v1", ec_key, ECPKI, i))

print(json.dumps(dict(
    root=base64.b64encode(ECPKI["root"].public_bytes(ser.Encoding.DER)).decode(), identifier=IDENTIFIER,
    ecKey=pem(ec_key), rsaKey=pem(rsa_key), tokens=tokens)))
