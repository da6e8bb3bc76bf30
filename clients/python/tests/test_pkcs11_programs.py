"""Programs that speak PKCS#11, as docs/PKCS11.md shows them: each section's commands are run as they stand, but for where the module is."""

from __future__ import annotations

import datetime
import hashlib
import os
import pathlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding
from kist.testing import Sandbox
from stage import der
from test_pkcs11 import BUILT, MODULE

PAGE = (pathlib.Path(__file__).parents[3] / "docs/PKCS11.md").read_text()
POLICY = f"""
[[grant]]
id = "tls"
users = [{os.getuid()}]
operations = ["who", "list-keys", "describe-key", "sign", "verify"]
keys = ["tls/*"]
"""
USUAL = "MODULE=/usr/lib/$(uname -m)-linux-gnu/pkcs11/kist-pkcs11.so"
FILES = {"nginx": "nginx.conf", "ini": "openssl.cnf", "java": "Connect.java", "python": "connect.py"}


@dataclass(frozen=True)
class Place:
    sandbox: Sandbox
    folder: pathlib.Path

    def run(self, section: str) -> str:
        """All of the section's blocks in their order; what they say."""
        return "".join(self._block(kind, text) for kind, text in blocks(section))

    def _block(self, kind: str, text: str) -> str:
        if kind in FILES:
            # The sandbox is for one user, and so are nginx's workers here.
            text = f"user root;\n{text}" if kind == "nginx" else text.replace("MODULE", str(BUILT))
            (self.folder / FILES[kind]).write_text(text)
            return "" if kind != "python" else self.shell(f"{sys.executable} connect.py")
        assert kind == "sh"
        return self.shell(text)

    def shell(self, text: str) -> str:
        environment = {**os.environ, "KIST_ENDPOINT": self.sandbox.endpoint, "KIST_PKCS11_KEYS": "tls/*", "PKCS11_MODULE_PATH": str(BUILT), "MODULE": str(BUILT)}
        words = ["bash", "-euo", "pipefail", "-c", text]
        # A file, since what goes on in the background would keep a pipe open.
        with open(self.folder / "said", "w+") as file:
            done = subprocess.run(words, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, timeout=120)
            file.seek(0)
            said = file.read()
        assert done.returncode == 0, f"{text}\n{said}"
        return said


def blocks(section: str) -> list[tuple[str, str]]:
    found = re.search(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, section
    return re.findall(r"^```(\w+)\n(.*?)^```$", found[1], re.MULTILINE | re.DOTALL)


MERCHANT = "merchant.com.example.sandbox"
#: Of the hash of a merchant's identifier, in Apple's certificates.
IDENTIFIER_HASH = x509.ObjectIdentifier("1.2.840.113635.100.6.32")


def identity_certificate(key: rsa.RSAPrivateKey) -> bytes:
    """As Apple's, but for who signed it."""
    names = {x509.NameOID.USER_ID: MERCHANT, x509.NameOID.COMMON_NAME: f"Apple Pay Merchant Identity:{MERCHANT}"}
    name, now, day = x509.Name([x509.NameAttribute(*each) for each in names.items()]), datetime.datetime.now(datetime.timezone.utc), datetime.timedelta(1)
    digits = hashlib.sha256(MERCHANT.encode()).hexdigest().upper().encode()
    builder = x509.CertificateBuilder(name, name, key.public_key(), 7, now - day, now + 9 * day)
    extended = builder.add_extension(x509.UnrecognizedExtension(IDENTIFIER_HASH, b"\x0c\x40" + digits), False)
    return extended.sign(key, hashes.SHA256()).public_bytes(Encoding.DER)


@pytest.fixture(scope="module")
def place(program: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    subprocess.run(["make", "--silent"], cwd=MODULE, check=True)
    assert f"```sh\n{USUAL}\n```" in PAGE
    with Sandbox(program=program, policy=POLICY) as sandbox:
        sandbox.import_key("tls/shop", "signing-ecdsa", der(ec.generate_private_key(ec.SECP256R1())))
        identity = rsa.generate_private_key(65537, 2048)
        sandbox.import_key("tls/identity", "merchant-identity-rsa", der(identity), certificate=identity_certificate(identity))
        place = Place(sandbox, tmp_path_factory.mktemp("programs"))
        yield place
        pid = place.folder / "nginx.pid"
        if pid.exists():
            os.kill(int(pid.read_text()), signal.SIGTERM)


def test_pkcs11_tool(place: Place) -> None:
    said = place.run("pkcs11-tool")
    assert "Verified OK" in said and "token model        : kistd" in said


def test_the_engine_nginx_curl_and_java(place: Place) -> None:
    assert "verify OK" in place.run("OpenSSL's engine")
    place.run("nginx")
    place.run("curl")
    assert "tls/identity, PrivateKeyEntry" in place.run("Java")


def test_python(place: Place) -> None:
    assert place.run("Python").startswith("64 ")


def test_pykcs11(place: Place) -> None:
    assert place.run("PyKCS11") == "64 True False\n"


def test_gnutls(place: Place) -> None:
    said = place.run("GnuTLS")
    assert "object=tls%2Fshop" in said and said.count("... ok") == 3
