#!/usr/bin/env python3
"""What Kist releases to a partner, opened by jwcrypto and by joserfc, which share no code; A256GCMKW by joserfc and by hand, since jwcrypto has none.

  partner_jwe.py [-- SWIFT-TEST-ARGUMENTS]
"""
import base64
import json
import os
import pathlib
import random
import sys
import tempfile

try:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from joserfc import jwe as joserfc_jwe
    from joserfc import jwk as joserfc_jwk
    from jwcrypto import jwe as jwcrypto_jwe
    from jwcrypto import jwk as jwcrypto_jwk
except ImportError as error:
    sys.exit(f"partner_jwe.py: {error.name} is missing: see requirements.txt beside this script")

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))

import swift_suite

ALGORITHMS = {"ec": "ECDH-ES", "rsa": "RSA-OAEP-256", "shared": "A256GCMKW"}
MEMBERS = ["", "kid=acquirer-1", "typ=JOSE iat=number kid=a.b_c", "iat=text channelSecurityContext=SHARED_SECRET typ=JOSE kid=K+/=~", "cty=application/json"]


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def private_keys():
    yield "ec", ec.generate_private_key(ec.SECP256R1())
    yield "ec", ec.generate_private_key(ec.SECP256R1())
    for bits in (2048, 3072, 4096):
        yield "rsa", rsa.generate_private_key(65537, bits)
    yield "shared", os.urandom(32)


def wanted():
    for kind, key in private_keys():
        public = key if kind == "shared" else key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        for members in MEMBERS:
            fields = {"dpan": "".join(random.choices("0123456789", k=16)), "amount": random.randrange(10**9), "cardholder-name": "Zoë \"Z\" \\ \n" * random.randrange(40)}
            row = {"kind": kind, "key": base64.b64encode(public).decode(), "payload": json.dumps(fields), "members": members, "now": random.randrange(2**32)}
            yield key, row


def expected_header(row):
    header = {"alg": ALGORITHMS[row["kind"]], "enc": "A256GCM"}
    for member in row["members"].split():
        name, value = member.split("=", 1)
        header[name] = {"number": row["now"], "text": str(row["now"])}[value] if name == "iat" else value
    return header


def pem(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def opened_by_jwcrypto(key, text):
    token = jwcrypto_jwe.JWE(algs=["ECDH-ES", "RSA-OAEP-256", "A256GCM"])
    token.deserialize(text, jwcrypto_jwk.JWK.from_pem(pem(key)))
    return token.payload.decode()


def opened_by_hand(key, text):
    protected, wrapped, iv, ciphertext, tag = text.split(".")
    header = json.loads(decoded(protected))
    content = AESGCM(key).decrypt(decoded(header["iv"]), decoded(wrapped) + decoded(header["tag"]), None)
    return AESGCM(content).decrypt(decoded(iv), decoded(ciphertext) + decoded(tag), protected.encode()).decode()


def opened_by_joserfc(kind, key, text):
    imported = {"ec": lambda: joserfc_jwk.ECKey.import_key(pem(key)), "rsa": lambda: joserfc_jwk.RSAKey.import_key(pem(key)), "shared": lambda: joserfc_jwk.OctKey.import_key(key)}[kind]()
    registry = joserfc_jwe.JWERegistry(algorithms=[ALGORITHMS[kind], "A256GCM"], strict_check_header=False)
    return joserfc_jwe.decrypt_compact(text, imported, registry=registry).plaintext.decode()


def main(arguments):
    if arguments and arguments[0] != "--":
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="kist-interop-") as name:
        directory = pathlib.Path(name)
        keys, rows = zip(*wanted())
        (directory / "wanted.json").write_text(json.dumps(rows))
        swift_suite.run("PartnerInterop", directory, arguments[1:])
        made = json.loads((directory / "made.json").read_text())
    assert len(made) == len(rows)
    for key, wish, row in zip(keys, rows, made):
        kind, text = row["kind"], row["jwe"]
        header = json.loads(decoded(text.split(".")[0]))
        needed = {"ec": {"epk"}, "rsa": set(), "shared": {"iv", "tag"}}[kind]
        assert {name: header.pop(name) for name in needed}.keys() == needed
        assert header == expected_header(wish), header
        assert opened_by_joserfc(kind, key, text) == wish["payload"]
        assert (opened_by_hand if kind == "shared" else opened_by_jwcrypto)(key, text) == wish["payload"]
    print(f"partner_jwe.py: {len(made)} JWEs of Kist's are opened by jwcrypto, joserfc and by hand")


main(sys.argv[1:])
