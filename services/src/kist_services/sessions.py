"""A merchant session from Apple, which a web page needs before each payment (`onvalidatemerchant`): mutual TLS with the merchant identity key, which stays in kistd."""

from __future__ import annotations

import asyncio
import http.client
import json
import ssl
import time
from dataclasses import dataclass

import kist
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .common.application import application
from .common.gate import Exchange
from .common.members import Members
from .common.problems import Problem
from .common.settings import Settings, SettingsError, instead
from .gateway import Gateway, Unusable, context, reference, target

NAME = "sessions"
PATH = "/v1/apple-pay/sessions"
#: Where Apple looks for the file that shows whose the domain is. It asks without a key, and so does everybody.
ASSOCIATION_PATH = "/.well-known/apple-developer-merchantid-domain-association"
#: Apple's file has about 9,000 bytes.
_ASSOCIATION_BYTES = 64 * 1024
DEFAULT_URL = "https://apple-pay-gateway.apple.com/paymentservices/paymentSession"
#: How often kistd is asked for another identity, and so how soon a new one is used.
LOOK_SECONDS = 10
#: A daemon that is away is asked again after so many seconds, and nobody waits for it longer who can go on without.
_AWAY_SECONDS = 1
_AWAY = (kist.Unreachable, kist.Disconnected, kist.Timeout, kist.Busy)
#: Left of a request's time, in which it can still be answered.
_LEAVING = 0.5


@dataclass(frozen=True, kw_only=True)
class SessionsSettings(Settings):
    """
    Attributes:
        merchant: the merchant identifier.
        display_name: what the payment sheet shows, up to 64 characters.
        domain: the page's, as registered at Apple.
        identities: labels of the merchant identity keys, a label or one that ends in ``/*``; the newest that is active and has a certificate is used.
        domain_association: Apple's file for the domain, which is then served as it is; empty if another server does that.
        gateway: HOST:PORT in place of every gateway, for trying it out; empty for Apple's.
        gateway_authorities: a file of the certificates that the gateway's is checked with; empty for the machine's.
    """

    merchant: str
    display_name: str
    domain: str
    identities: str
    domain_association: str = ""
    gateway: str = ""
    gateway_authorities: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= len(self.display_name) <= 64:
            raise SettingsError("display_name: 1 to 64 characters")
        instead("gateway", self.gateway)
        if self.domain_association:
            association(self.domain_association)


def association(path: str) -> bytes:
    """Apple's file, of which `kist doctor --domain-association` says whether it is whole.

    Raises:
        SettingsError
    """
    try:
        with open(path, "rb") as file:
            content = file.read(_ASSOCIATION_BYTES + 1)
    except OSError as error:
        raise SettingsError(f"domain_association: {path}: {error.strerror}") from None
    if not 1 <= len(content) <= _ASSOCIATION_BYTES:
        raise SettingsError(f"domain_association: {path} is empty, or has more than {_ASSOCIATION_BYTES} bytes")
    return content


class Identities:
    """The newest merchant identity of kistd, and the gateway connections by it."""

    def __init__(self, settings: SessionsSettings) -> None:
        self._instead = instead("gateway", settings.gateway)
        self._settings = settings
        self._lock = asyncio.Lock()
        self._look_at = 0.0
        self._key: kist.Key | None = None
        self._gateway: Gateway | None = None

    async def gateway(self, client: kist.AsyncClient) -> Gateway:
        """
        Raises:
            kist.KistError
            Problem: there is no identity, or OpenSSL cannot use it.
        """
        async with self._lock:
            if self._gateway is None or self._has_ended():
                return await self._look(client)
            if time.monotonic() < self._look_at:
                return self._gateway
            try:
                return await self._look(client.with_options(timeout=_AWAY_SECONDS))
            except _AWAY:
                # A connection that is there needs no daemon. One that refuses is obeyed.
                self._look_at = time.monotonic() + _AWAY_SECONDS
                return self._gateway
            except (kist.KistError, Problem):
                self._gateway.close()
                self._gateway = None
                raise

    def _has_ended(self) -> bool:
        return self._key is not None and self._key.not_after <= time.time()

    async def _look(self, client: kist.AsyncClient) -> Gateway:
        key = await self._newest(client)
        if self._gateway is None or self._key is None or key.id != self._key.id or key.certificate != self._key.certificate:
            name = reference(key.label, self._settings.endpoint)
            try:
                tls = await asyncio.to_thread(context, key.certificate, name, self._settings.gateway_authorities)
            except ssl.SSLError:
                raise Problem(503, "OpenSSL cannot use the identity key: kistd is away, or the provider of kist-openssl is not configured", 5) from None
            if self._gateway:
                self._gateway.close()
            self._key, self._gateway = key, Gateway(tls, self._instead)
        self._look_at = time.monotonic() + LOOK_SECONDS
        return self._gateway

    async def _newest(self, client: kist.AsyncClient) -> kist.Key:
        listed = await client.keys(pattern=self._settings.identities)
        active = [key for key in listed if key.role == "merchant-identity-rsa" and key.state == "active"]
        described = [await client.describe_key(key.id) for key in active]
        valid = [key for key in described if key.certificate and key.not_before <= time.time() < key.not_after]
        if not valid:
            raise Problem(503, "no merchant identity key is active and has a certificate that is valid now", 30)
        return max(valid, key=lambda key: (key.activated, key.not_after))


def service(client: kist.AsyncClient, settings: SessionsSettings) -> Starlette:
    identities = Identities(settings)
    members = {
        "merchantIdentifier": settings.merchant, "displayName": settings.display_name, "initiative": "web", "initiativeContext": settings.domain,
    }  # fmt: skip
    body = json.dumps(members).encode()

    async def make_session(request: Request) -> Response:
        sent = await Members.of(request)
        host, path = target(sent.text("validationURL", 256, DEFAULT_URL))
        sent.end()
        exchange = Exchange.of(request)
        gateway = await identities.gateway(exchange.calls(client, leaving=_LEAVING))
        seconds = max(exchange.until - time.monotonic() - _LEAVING, 0.1)
        return Response(await _session(gateway, host, path, body, seconds), media_type="application/json")

    async def is_ready() -> None:
        try:
            await identities.gateway(client.with_options(timeout=0.7))
        except kist.Timeout as error:
            raise Problem(503, "kistd does not answer", 5) from error

    async def show_association(_: Request) -> Response:
        if not settings.domain_association:
            raise Problem(404, "the settings name no domain-association file")
        # Read for each request: a file that takes its place is served from then on.
        try:
            content = await asyncio.to_thread(association, settings.domain_association)
        except SettingsError:
            raise Problem(503, "the domain-association file cannot be read", 30) from None
        return Response(content, media_type="application/octet-stream")

    routes = [Route(PATH, make_session, methods=["POST"]), Route(ASSOCIATION_PATH, show_association)]
    return application(NAME, client, routes, api_keys=settings.api_keys, is_ready=is_ready, open_paths=[ASSOCIATION_PATH])


async def _session(gateway: Gateway, host: str, path: str, body: bytes, seconds: float) -> bytes:
    """Apple's session object as it came, which the page passes on unchanged; every failure as a `Problem`."""
    try:
        answer = await gateway.ask(host, path, body, seconds)
    except TimeoutError:
        raise Problem(504, "the gateway did not answer in time") from None
    except ssl.SSLCertVerificationError:
        raise Problem(502, "the gateway's certificate is not valid, or not of its name") from None
    except ssl.SSLError as error:
        if "ALERT" in (error.reason or ""):
            raise Problem(502, "the gateway refused the merchant identity certificate") from None
        raise Problem(503, "no TLS connection: kistd or the gateway does not answer", 1) from None
    except Unusable as error:
        raise Problem(502, str(error)) from None
    except (OSError, http.client.HTTPException):
        raise Problem(503, "the gateway does not answer", 5) from None
    try:
        is_object = isinstance(json.loads(answer), dict)
    except (ValueError, RecursionError):
        is_object = False
    if not is_object:
        raise Problem(502, "the gateway's answer is no JSON object")
    return answer
