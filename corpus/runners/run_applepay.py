"""Usage: run_applepay.py FILE…

What PyPI's `applepay` makes of corpus files: a line of JSON for each token. It knows EC_v1 only, and asks for Apple's two certificates without looking at them.
"""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

from applepay.payment import Payment
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding


def main(paths: list[str]) -> None:
    for path in paths:
        corpus = json.loads(pathlib.Path(path).read_text())
        root = x509.load_pem_x509_certificate(corpus["rootCertificate"].encode()).public_bytes(Encoding.DER)
        library = Payment(corpus["merchantCertificate"].encode(), corpus["merchantPrivateKey"].encode(), root, root)
        for test in corpus["tests"]:
            print(json.dumps({"version": corpus["version"], "tcId": test["tcId"], **opened(library, test["token"])}))


def opened(library: Payment, token: dict[str, Any]) -> dict[str, Any]:
    try:
        payment = json.loads(library.decrypt(token["header"]["ephemeralPublicKey"], token["data"]))
    except Exception:  # whatever it makes of a token that it does not open
        return {"opened": False}
    return {"opened": True, "number": payment.get("applicationPrimaryAccountNumber"), "amount": payment.get("transactionAmount")}


if __name__ == "__main__":
    main(sys.argv[1:])
