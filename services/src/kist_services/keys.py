"""Merchants' keys for a platform that has many: made, certified by Apple, activated and retired over HTTP.

The service has no key. It is an operator whose grant names what it may do, and to keys of which labels; what needs a second person waits for one.
"""

from __future__ import annotations

import base64
import binascii
import re
import ssl
import time
from dataclasses import dataclass
from typing import Any

import kist
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .common.application import application
from .common.gate import Exchange
from .common.members import Members
from .common.problems import Problem
from .common.settings import Settings, SettingsError
from .operator import ApprovalNeeded, Operator, Refused

NAME = "keys"
KEYS = "/v1/merchants/{merchant}/keys"
ONE = KEYS + "/{key}"
#: Of each kind the role, and the algorithm where the role has several.
KINDS = {
    "processing-ec": ("merchant-processing-ec", ()),
    "processing-rsa": ("merchant-processing-rsa", ("--algorithm", "RSA-2048")),
    "identity": ("merchant-identity-rsa", ("--algorithm", "RSA-2048")),
}
KIND_OF = {role: kind for kind, (role, _) in KINDS.items()}
#: As Apple has them, and no longer than a label leaves room for.
MERCHANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,63}")
_KEY = re.compile(r"[0-9a-f]{32}")
_CERTIFICATE_BYTES = 16 * 1024
#: Left of a request's time, in which it can still be answered.
_LEAVING = 0.5


@dataclass(frozen=True, kw_only=True)
class KeysSettings(Settings):
    """
    Attributes:
        labels: keys are called this, a slash, the merchant identifier, the kind and 16 digits.
        organization: O of the requests' subject; empty for none.
        operators: kistd's socket for operators.
        program: kist.
    """

    labels: str = "merchant"
    organization: str = ""
    operators: str = "/run/kist/admin.sock"
    program: str = "/usr/bin/kist"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_labels(self.labels)


def check_labels(labels: str) -> None:
    """
    Raises:
        SettingsError
    """
    if not re.fullmatch(r"[a-z0-9]+(/[a-z0-9-]+)*", labels) or len(labels) > 24:
        raise SettingsError("labels: up to 24 of a-z, 0-9 and - in parts with / between them, such as merchant")


def place(labels: str, merchant: str) -> str:
    """Below which a merchant's keys' labels are; a label has no capitals, a merchant identifier may."""
    return f"{labels}/{merchant.lower()}"


def made_for(merchant: str, kind: str) -> tuple[str, ...]:
    """The words by which `kist key generate` makes such a key."""
    role, more = KINDS[kind]
    return ("--role", role, "--merchant-id", merchant, *more)


@dataclass(frozen=True)
class _Call:
    """One request: whose key, and by when it has to be answered."""

    operator: Operator
    labels: str
    merchant: str
    exchange: Exchange

    async def do(self, *words: str, given: bytes = b"") -> dict[str, Any]:
        return await self.operator.do(*words, seconds=max(self.exchange.until - time.monotonic() - _LEAVING, 0.1), given=given)

    @property
    def place(self) -> str:
        return place(self.labels, self.merchant)

    async def keys(self) -> list[dict[str, Any]]:
        """The merchant's, without their certificates."""
        listed = await self.do("key", "list", "--label", f"{self.place}/*")
        return [key for key in listed["keys"] if key.get("merchant_identifier") == self.merchant and key["role"] in KIND_OF]

    async def key(self, name: str) -> dict[str, Any]:
        """One of them, by its id or label, with its certificate.

        Raises:
            Problem
        """
        for key in await self.keys():
            if name in (key["id"], key["label"]):
                return await self.do("key", "show", key["id"])
        raise Problem(404, "the merchant has no such key")


def service(client: kist.AsyncClient, settings: KeysSettings) -> Starlette:
    operator = Operator(settings.operators, settings.program)

    def call_of(request: Request) -> _Call:
        merchant = request.path_params["merchant"]
        if not MERCHANT.fullmatch(merchant):
            raise Problem(404, "that is no merchant identifier")
        return _Call(operator, settings.labels, merchant, Exchange.of(request))

    def id_of(request: Request) -> str:
        if not _KEY.fullmatch(request.path_params["key"]):
            raise Problem(404, "the merchant has no such key")
        return str(request.path_params["key"])

    async def with_request(call: _Call, key: dict[str, Any]) -> dict[str, object]:
        """The key, and the request for its certificate as long as it may need one."""
        shown = shape(key)
        if key["state"] == "pre-active":
            shown["certificateRequest"] = request_of(await call.do(*requesting(key["id"], settings.organization)))
        return shown

    async def make(request: Request) -> Response:
        call, sent = call_of(request), await Members.of(request)
        kind = sent.text("kind", 32)
        sent.end()
        if kind not in KINDS:
            raise Problem(400, f"kind is one of {', '.join(KINDS)}")
        if not call.exchange.retry_key:
            raise Problem(400, "Idempotency-Key is needed: without it a lost answer would leave a second key")
        label = f"{call.place}/{kind}-{call.exchange.retry_key.hex()[:16]}"
        status = 201
        try:
            key = await call.do("key", "generate", "--label", label, *made_for(call.merchant, kind))
        except Refused as refusal:
            # The same request was carried out before, unless it was something else.
            try:
                key, status = await call.key(label), 200
            except Problem:
                raise refusal from None
        return JSONResponse(await with_request(call, key), status)

    async def list_keys(request: Request) -> Response:
        return JSONResponse({"keys": [shape(key) for key in await call_of(request).keys()]})

    async def show(request: Request) -> Response:
        call = call_of(request)
        return JSONResponse(await with_request(call, await call.key(id_of(request))))

    async def attach(request: Request) -> Response:
        call = call_of(request)
        key = await call.key(id_of(request))
        certificate = read_certificate(await request.body())
        if key.get("certificate") != base64.b64encode(certificate).decode():
            try:
                key = await call.do("key", "attach", key["id"], "-", given=certificate)
            except Problem as problem:
                if problem.status != 422:
                    raise
                raise Problem(422, "that is no certificate for this key and merchant", audit_sequence=problem.audit_sequence) from None
        return JSONResponse(shape(key))

    def moves(verb: str, to: str) -> Any:
        async def move(request: Request) -> Response:
            call = call_of(request)
            key = await call.key(id_of(request))
            if verb == "activate" and "certificate" not in key:
                raise Problem(409, "the key has no certificate yet")
            if key["state"] != to:
                key = await call.do("key", verb, key["id"])
            return JSONResponse(shape(key))

        return move

    routes = [
        Route(KEYS, waiting(make), methods=["POST"]), Route(KEYS, list_keys), Route(ONE, show),
        Route(ONE + "/certificate", waiting(attach), methods=["PUT"]),
        Route(ONE + "/activate", waiting(moves("activate", "active")), methods=["POST"]),
        Route(ONE + "/retire", waiting(moves("retire", "retired")), methods=["POST"]),
    ]  # fmt: skip
    return application(NAME, client, routes, api_keys=settings.api_keys)


def waiting(serve: Any) -> Any:
    """With 202 while a second person has to approve; the same request, sent again, is then carried out once."""

    async def answer(request: Request) -> Response:
        try:
            response: Response = await serve(request)
        except ApprovalNeeded as needed:
            return JSONResponse({"approval": needed.request, "until": needed.until}, 202)
        return response

    return answer


def shape(key: dict[str, Any]) -> dict[str, object]:
    """A key as the platform sees it; `publicKeyHash` is what tokens for it have."""
    shown: dict[str, object] = {
        "id": key["id"], "label": key["label"], "kind": KIND_OF[key["role"]], "state": key["state"], "created": key["created"],
        "publicKeyHash": base64.b64encode(bytes.fromhex(key["spki_sha256"])).decode(), "uses": key["uses"],
    }  # fmt: skip
    for name, member in (("activated", "activated"), ("not_after", "ends"), ("last_use", "lastUse")):
        if key.get(name):
            shown[member] = key[name]
    return shown


def read_certificate(body: bytes) -> bytes:
    """DER, from itself or from PEM, of one certificate; kistd says whether it is the key's.

    Raises:
        Problem
    """
    if not 1 <= len(body) <= _CERTIFICATE_BYTES:
        raise Problem(400, f"a certificate has 1 to {_CERTIFICATE_BYTES} bytes")
    is_pem = body.lstrip().startswith(b"-----BEGIN CERTIFICATE-----")
    try:
        der = ssl.PEM_cert_to_DER_cert(body.decode("ascii").strip()) if is_pem else body
        # OpenSSL reads it, and passes over what follows.
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=der)
    except (ValueError, binascii.Error, ssl.SSLError):
        raise Problem(422, "that is no certificate") from None
    if der[:2] != b"\x30\x82" or int.from_bytes(der[2:4], "big") != len(der) - 4:
        raise Problem(422, "something follows the certificate")
    return der


def requesting(key: str, organization: str) -> tuple[str, ...]:
    """The words by which `kist key csr` makes a key's request."""
    return ("key", "csr", key, *(("--organization", organization) if organization else ()))


def request_of(answer: dict[str, Any]) -> str:
    """PEM of what it answers."""
    lines = base64.encodebytes(base64.b64decode(answer["request"])).decode()
    return f"-----BEGIN CERTIFICATE REQUEST-----\n{lines}-----END CERTIFICATE REQUEST-----\n"
