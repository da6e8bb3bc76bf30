"""A stand-in for Apple's payment gateway: it demands a merchant identity certificate, and answers with a session. For the shop and for the tests."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import http.server
import json
import pathlib
import secrets
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from kist_services.gateway import HOSTS

_MERCHANT = x509.ObjectIdentifier("1.2.840.113635.100.6.32")
_Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


class Authority:
    """Signs the gateway's certificate and merchants'."""

    def __init__(self, name: str = "Stand-in for Apple's CA", of: tuple[x509.Certificate, ec.EllipticCurvePrivateKey] | None = None) -> None:
        """`of` is a CA that is there already, and its key."""
        self._key = of[1] if of else ec.generate_private_key(ec.SECP256R1())
        self._name = of[0].subject if of else x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        self.certificate = of[0] if of else self._sign(self._name, self._key.public_key(), x509.BasicConstraints(True, None))
        self.revoked: list[x509.Certificate] = []

    def host(self, names: Iterable[str], key: _Key) -> x509.Certificate:
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "gateway")])
        return self._sign(subject, key.public_key(), x509.SubjectAlternativeName([x509.DNSName(name) for name in names]))

    def merchant(self, identifier: str, key: rsa.RSAPrivateKey, *, days: float = 9) -> x509.Certificate:
        """As Apple certifies a merchant identity."""
        return self.certify(identifier, key.public_key(), "Merchant Identity", days=days)

    def certify(self, identifier: str, key: Any, title: str, *, days: float = 9) -> x509.Certificate:
        """As Apple certifies a merchant's key: the identifier in the subject, and its hash in an extension."""
        names = {x509.NameOID.USER_ID: identifier, x509.NameOID.COMMON_NAME: f"Apple Pay {title}:{identifier}"}
        digits = hashlib.sha256(identifier.encode()).hexdigest().upper().encode()
        extension = x509.UnrecognizedExtension(_MERCHANT, b"\x0c\x40" + digits)
        return self._sign(x509.Name([x509.NameAttribute(*each) for each in names.items()]), key, extension, days)

    def _sign(self, subject: x509.Name, key: Any, extension: x509.ExtensionType, days: float = 9) -> x509.Certificate:
        now, day = datetime.datetime.now(datetime.timezone.utc), datetime.timedelta(1)
        builder = x509.CertificateBuilder(self._name, subject, key, x509.random_serial_number(), now - 30 * day, now + days * day)
        return builder.add_extension(extension, critical=False).sign(self._key, hashes.SHA256())

    def revocations(self) -> x509.CertificateRevocationList:
        now, day = datetime.datetime.now(datetime.timezone.utc), datetime.timedelta(1)
        builder = x509.CertificateRevocationListBuilder(self._name, now - day, now + day)
        for certificate in self.revoked:
            builder = builder.add_revoked_certificate(x509.RevokedCertificateBuilder(certificate.serial_number, now - day).build())
        return builder.sign(self._key, hashes.SHA256())


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FakeGateway

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            self.server.asked.append((self.path, body, self.server.certificate_of(self.connection)))
        self.server.answer(self, body)

    def send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""


class FakeGateway(http.server.ThreadingHTTPServer):
    """
    Attributes:
        asked: path, body and client certificate (DER) of each request.
        answer: what is done with a request; a session by default.
        handshakes: how many there were.
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, place: pathlib.Path, authority: Authority, names: Iterable[str] = HOSTS, version: ssl.TLSVersion | None = None) -> None:
        self.authorities = place / "gateway-ca.pem"
        self.authorities.write_bytes(authority.certificate.public_bytes(Encoding.PEM))
        key = ec.generate_private_key(ec.SECP256R1())
        (place / "gateway.pem").write_bytes(
            authority.host(names, key).public_bytes(Encoding.PEM) + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        )
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(place / "gateway.pem")
        if version:
            self.tls.minimum_version = self.tls.maximum_version = version
        self.tls.verify_mode = ssl.CERT_REQUIRED
        (place / "crl.pem").write_bytes(authority.revocations().public_bytes(Encoding.PEM))
        self.tls.load_verify_locations(self.authorities)
        self.tls.load_verify_locations(place / "crl.pem")
        self.tls.verify_flags |= ssl.VerifyFlags.VERIFY_CRL_CHECK_LEAF
        self.lock, self.handshakes = threading.Lock(), 0
        self.asked: list[tuple[str, dict[str, str], bytes]] = []
        self.answer: Any = session
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def settings(self) -> str:
        return f'gateway = "127.0.0.1:{self.server_port}"\ngateway_authorities = "{self.authorities}"\n'

    def finish_request(self, request: Any, client_address: Any) -> None:
        with contextlib.suppress(OSError):
            request.settimeout(20)
            with self.tls.wrap_socket(request, server_side=True, do_handshake_on_connect=False) as connection:
                self._shake_hands(connection)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self.lock:
                    self.handshakes += 1
                super().finish_request(connection, client_address)

    @staticmethod
    def _shake_hands(connection: ssl.SSLSocket) -> None:
        """Where it fails the client hears why: closing a connection that has something to read would take the alert back."""
        try:
            connection.do_handshake()
        except ssl.SSLError:
            socket.socket.shutdown(connection, socket.SHUT_WR)
            while socket.socket.recv(connection, 4096):
                pass
            raise

    @staticmethod
    def certificate_of(connection: ssl.SSLSocket) -> bytes:
        return connection.getpeercert(binary_form=True) or b""


def session(handler: _Handler, body: dict[str, str]) -> None:
    """With the members that Apple's has."""
    now = int(time.time() * 1000)
    made = {
        "epochTimestamp": now, "expiresAt": now + 300_000, "merchantSessionIdentifier": f"SSH{secrets.token_hex(32).upper()}", "nonce": secrets.token_hex(4),
        "merchantIdentifier": secrets.token_hex(32).upper(), "domainName": body["initiativeContext"], "displayName": body["displayName"],
        "signature": "308006092a864886f70d010702", "operationalAnalyticsIdentifier": body["merchantIdentifier"], "retries": 0,
    }  # fmt: skip
    handler.send(200, json.dumps(made).encode())


@contextlib.contextmanager
def fake_gateway(place: pathlib.Path, authority: Authority, names: Iterable[str] = HOSTS, version: ssl.TLSVersion | None = None) -> Iterator[FakeGateway]:
    with FakeGateway(place, authority, names, version) as gateway:
        thread = threading.Thread(target=gateway.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield gateway
        finally:
            gateway.shutdown()
