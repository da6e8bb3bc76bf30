#!/usr/bin/env python3
"""Plays Apple and the payment networks with the independent oracle.

  oracle_issuer.py ORACLE.py pki               prints a test PKI of Apple's for issuers, and an issuer's RSA key
  oracle_issuer.py ORACLE.py open < JSON       opens what the daemon made; prints what was in it, line by line

The JSON of `open` is a list of {"kind": "pass", "key", "ephemeral", "data"}, {"kind": "visa", "key", "otp"} or
{"kind": "tav", "key", "json", "pan", "expiry", "reference"}.
"""
import base64, datetime, importlib.util, json, sys

spec = importlib.util.spec_from_file_location("oracle", sys.argv[1])
oracle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(oracle)

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

NULL = b"\5\0"


def b64(data):
    return base64.b64encode(data).decode()


def der(certificate):
    return b64(certificate.public_bytes(ser.Encoding.DER))


def pem(key):
    return key.private_bytes(ser.Encoding.PEM, ser.PrivateFormat.PKCS8, ser.NoEncryption()).decode()


def pki():
    root_key, inter_key, leaf_key = (ec.generate_private_key(c) for c in (ec.SECP384R1(), ec.SECP256R1(), ec.SECP256R1()))
    root = oracle.make_cert("TEST Root", root_key, ca=2)
    inter = oracle.make_cert(oracle.PROV_INTERMEDIATE_CN, inter_key, root, root_key, [(oracle.OID_PROV_INTERMEDIATE, NULL, False)], ca=0)
    usage = x509.KeyUsage(False, False, True, False, True, False, False, False, False)
    leaf = oracle.make_cert("TEST UC6", leaf_key, inter, inter_key, [(oracle.OID_PROV_LEAF, NULL, True)], ku=usage)
    issuer = rsa.generate_private_key(65537, 2048)
    pkcs1 = issuer.private_bytes(ser.Encoding.DER, ser.PrivateFormat.TraditionalOpenSSL, ser.NoEncryption())
    print(json.dumps(dict(root=der(root), intermediate=der(inter), leaf=der(leaf), leafKey=pem(leaf_key), rsaKey=pem(issuer), rsaDER=b64(pkcs1))))


def opened(item):
    if item["kind"] == "pass":
        key = oracle.load_key(item["key"].encode())
        return oracle.provision_decrypt(key, bytes.fromhex(item["ephemeral"]), bytes.fromhex(item["data"])).decode()
    if item["kind"] == "visa":
        # The oracle knows the older names only.
        otp = item["otp"].replace("MPAC-", "MBPAC-", 1) if item["otp"].startswith("MPAC-") else item["otp"]
        otp = otp.replace("MPAD-", "MBPAD-", 1) if otp.startswith("MPAD-") else otp
        return "|".join(oracle.visa_parse(otp, bytes.fromhex(item["key"])))
    tav = json.loads(item["json"])
    text = oracle.tav_input(tav["version"], item["pan"], item["expiry"], item.get("reference") or None, tav.get("dataValidUntilTimestamp"))
    public = oracle.load_key(item["key"].encode()).public_key()
    public.verify(oracle.b64d(tav["signature"]), text.encode(), padding.PKCS1v15(), hashes.SHA256())
    assert tav["signatureAlgorithm"] == "RSA-SHA256"
    return text


if sys.argv[2] == "pki":
    pki()
else:
    print(json.dumps([opened(item) for item in json.load(sys.stdin)]))
