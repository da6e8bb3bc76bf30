"""Usage: run_kist.py FILE…

Opens the tokens of corpus files with Kist's sandbox and writes a line of JSON for each. It needs the `kist` command (or `KIST_PROGRAM`), Kist's Python client and `cryptography`.
"""

from __future__ import annotations

import json
import os
import pathlib
import sys
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import serialization as ser
from kist import Client, Token
from kist.errors import Denied, Rejected
from kist.testing import Sandbox
from kist.token import TokenError

POLICY = f"""
[[grant]]
id = "corpus"
users = [{os.getuid()}]
operations = ["open-payment-token"]
keys = ["merchant/corpus/*"]
release = ["dpan", "amount", "currency"]
stages = true
"""


def main(paths: list[str]) -> None:
    for path in paths:
        run(json.loads(pathlib.Path(path).read_text()))


def run(corpus: dict[str, Any]) -> None:
    with Sandbox(policy=POLICY, at=corpus["now"]) as sandbox:
        sandbox.stop()
        root = x509.load_pem_x509_certificate(corpus["rootCertificate"].encode())
        (sandbox.directory / "pki/root.cer").write_bytes(root.public_bytes(ser.Encoding.DER))
        sandbox.start()
        key = ser.load_pem_private_key(corpus["merchantPrivateKey"].encode(), None)
        sandbox.import_key(
            "merchant/corpus/key",
            "merchant-processing-" + ("ec" if corpus["version"] == "EC_v1" else "rsa"),
            key.private_bytes(ser.Encoding.DER, ser.PrivateFormat.TraditionalOpenSSL, ser.NoEncryption()),
            merchant_identifier=corpus["merchantIdentifier"],
        )
        with sandbox.client() as client:
            for test in corpus["tests"]:
                outcome = {"version": corpus["version"], "tcId": test["tcId"], **opened(client, test["token"])}
                print(json.dumps(outcome))


def opened(client: Client, token: dict[str, Any]) -> dict[str, Any]:
    try:
        payment = client.open_payment_token(Token.from_apple(json.dumps(token)))
    except TokenError:
        return {"opened": False, "stage": "format"}
    except Denied:
        return {"opened": False, "stage": "key"}
    except Rejected as error:
        return {"opened": False, "stage": error.stage}
    return {"opened": True, "number": payment.dpan and payment.dpan.text(), "amount": payment.amount}


if __name__ == "__main__":
    main(sys.argv[1:])
