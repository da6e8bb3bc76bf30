"""A stand-in for Apple's App Store Connect API, as Apple's public pages have it: merchants, their certificates, and tokens that it checks."""

from __future__ import annotations

import base64
import contextlib
import http.server
import json
import pathlib
import ssl
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from gateway import Authority
from kist_services.appstoreconnect import HOST, SWITCHED, TYPES

KEY_ID, ISSUER = "2X9R4HXF34", "57246542-96fe-1a63-e053-0824d011072a"
_TITLES = {"identity": "Merchant Identity"}
_KIND_OF = {name: kind for kind, name in TYPES.items()}


class _Cut(Exception):
    """The connection ends without an answer, after what was asked has been done."""


class _Handler(http.server.BaseHTTPRequestHandler):
    server: FakeApple

    def do_GET(self) -> None:
        self._serve(None)

    def do_POST(self) -> None:
        self._serve(self._body())

    do_PATCH = do_POST

    def _body(self) -> Any:
        return json.loads(self.rfile.read(int(self.headers["content-length"])))

    def _serve(self, body: Any) -> None:
        apple = self.server
        with apple.lock:
            apple.asked.append(f"{self.command} {self.path}")
            status, answer = apple.answer(self.command, self.path, body, self.headers["authorization"])
            with contextlib.suppress(_Cut):
                status, answer = apple.fault(len(apple.asked), status, answer)
                content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {"content-length": str(len(content)), "connection": "close", "location": "https://example.com/"}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""


class FakeApple(http.server.ThreadingHTTPServer):
    """
    Attributes:
        merchants: identifiers by Apple's id.
        certificates: of each merchant's id.
        days: for which certificates are good.
        page: how many there are to a page.
        asked: method and path of each request.
        fault: what becomes of the answer to the request of this number, counted from 1.
    """

    daemon_threads = True

    def __init__(self, place: pathlib.Path, authority: Authority, api_key: ec.EllipticCurvePublicKey, *merchants: str, address: str = "127.0.0.1") -> None:
        self.authority, self.api_key = authority, api_key
        self.merchants = {f"M{number:09}": name for number, name in enumerate(merchants)}
        self.certificates: dict[str, list[dict[str, Any]]] = {each: [] for each in self.merchants}
        self.days, self.page = 760.0, 2
        self.asked: list[str] = []
        self.fault: Callable[[int, int, Any], tuple[int, Any]] = lambda number, status, answer: (status, answer)
        self.lock = threading.Lock()
        self.authorities = place / "apple-ca.pem"
        self.authorities.write_bytes(authority.certificate.public_bytes(Encoding.PEM))
        key = ec.generate_private_key(ec.SECP256R1())
        (place / "apple.pem").write_bytes(
            authority.host([HOST], key).public_bytes(Encoding.PEM) + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        )
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(place / "apple.pem")
        super().__init__((address, 0), _Handler)

    @property
    def settings(self) -> str:
        return (
            f'apple = "{self.server_address[0]!s}:{self.server_port}"\napple_authorities = "{self.authorities}"\n'
            f'api_key = "apple/app-store-connect"\napi_key_id = "{KEY_ID}"\napi_issuer = "{ISSUER}"\n'
        )

    def finish_request(self, request: Any, client_address: Any) -> None:
        with contextlib.suppress(OSError):
            request.settimeout(20)
            with self.tls.wrap_socket(request, server_side=True) as connection:
                super().finish_request(connection, client_address)

    def of(self, merchant: str, kind: str = "processing-ec") -> list[dict[str, Any]]:
        """The attributes of a merchant's certificates of one kind."""
        (id,) = [id for id, name in self.merchants.items() if name == merchant]
        return [each["attributes"] for each in self.certificates[id] if each["attributes"]["certificateType"] == TYPES[kind]]

    def answer(self, method: str, path: str, body: Any, authorization: str) -> tuple[int, Any]:
        if not self._is_token(authorization):
            return _error(401, "NOT_AUTHORIZED")
        url = urllib.parse.urlsplit(path)
        match (method, url.path.split("/")[2:]):
            case "GET", ["merchantIds"]:
                every = [{"type": "merchantIds", "id": id, "attributes": {"identifier": name}} for id, name in self.merchants.items()]
                return 200, self._page(url, every)
            case "GET", ["merchantIds", id, "certificates"] if id in self.certificates:
                return 200, self._page(url, self.certificates[id])
            case "POST", ["certificates"]:
                return self._create(body["data"])
            case "PATCH", ["certificates", id]:
                return self._activate(id, body["data"])
        return _error(404, "NOT_FOUND")

    def _page(self, url: urllib.parse.SplitResult, every: list[dict[str, Any]]) -> dict[str, Any]:
        at = int(urllib.parse.parse_qs(url.query).get("cursor", ["0"])[0])
        links = {"next": f"https://{HOST}{url.path}?cursor={at + self.page}"} if at + self.page < len(every) else {}
        return {"data": every[at : at + self.page], "links": links}

    def _create(self, data: dict[str, Any]) -> tuple[int, Any]:
        merchant, kind = data["relationships"]["merchantId"]["data"]["id"], _KIND_OF[data["attributes"]["certificateType"]]
        request = x509.load_pem_x509_csr(data["attributes"]["csrContent"].encode())
        if data["type"] != "certificates" or merchant not in self.merchants or not request.is_signature_valid:
            return _error(409, "ENTITY_ERROR.ATTRIBUTE.INVALID")
        title = _TITLES.get(kind, "Payment Processing")
        made = self.authority.certify(self.merchants[merchant], request.public_key(), title, days=self.days)
        content = base64.encodebytes(made.public_bytes(Encoding.DER)).decode()
        attributes = {"certificateType": TYPES[kind], "certificateContent": content, "activated": False}
        number = sum(len(each) for each in self.certificates.values())
        resource = {"type": "certificates", "id": f"C{number:09}", "attributes": attributes}
        self.certificates[merchant].append(resource)
        return 201, {"data": resource}

    def _activate(self, id: str, data: dict[str, Any]) -> tuple[int, Any]:
        for every in self.certificates.values():
            for one in every:
                if one["id"] == id == data["id"] and data["attributes"] == {"activated": True}:
                    for other in every:
                        if other["attributes"]["certificateType"] == one["attributes"]["certificateType"]:
                            other["attributes"]["activated"] = False
                    one["attributes"]["activated"] = True
                    return 200, {"data": one}
        return _error(404, "NOT_FOUND")

    def _is_token(self, authorization: str) -> bool:
        """By the pages on generating tokens: ES256, 20 minutes at most."""
        signed, _, last = authorization.removeprefix("Bearer ").rpartition(".")
        header, claims = (json.loads(_octets(part)) for part in signed.split("."))
        signature = _octets(last)
        r, s = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
        try:
            self.api_key.verify(encode_dss_signature(r, s), signed.encode(), ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return False
        good = {"alg": "ES256", "kid": KEY_ID, "typ": "JWT"}
        lasts = claims["exp"] - claims["iat"]
        return bool(header == good and claims["aud"] == "appstoreconnect-v1" and claims["iss"] == ISSUER and 0 < lasts <= 1200 and claims["exp"] > time.time())


def cut(number: int, status: int, answer: Any) -> tuple[int, Any]:
    raise _Cut


def _octets(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _error(status: int, code: str) -> tuple[int, Any]:
    return status, {"errors": [{"status": str(status), "code": code, "title": "a title", "detail": "a detail that may quote something"}]}


@contextlib.contextmanager
def fake_apple(place: pathlib.Path, authority: Authority, api_key: ec.EllipticCurvePublicKey, *merchants: str, address: str = "127.0.0.1") -> Iterator[FakeApple]:
    with FakeApple(place, authority, api_key, *merchants, address=address) as apple:
        threading.Thread(target=apple.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield apple
        finally:
            apple.shutdown()
