"""Apple's App Store Connect API 3.8, as far as merchants' certificates go, from Apple's public pages; it was never run against Apple's own.

https://developer.apple.com/documentation/appstoreconnectapi/managing-payment-processing-certificates
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import re
import socket
import ssl
import time
import urllib.parse
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

HOST = "api.appstoreconnect.apple.com"
AUDIENCE = "appstoreconnect-v1"
#: `certificateType` by kind of key.
TYPES = {"processing-ec": "APPLE_PAY", "processing-rsa": "APPLE_PAY_RSA", "identity": "APPLE_PAY_MERCHANT_IDENTITY"}
#: Kinds of which Apple activates one certificate at a time; the others serve as soon as they are there.
SWITCHED = frozenset({"processing-ec", "processing-rsa"})
#: A token may be good for 20 minutes; it is made anew before that.
TOKEN_SECONDS = 900
_PAGE = 200
_PAGES_MOST = 500
_ANSWER_MOST = 8 * 1024 * 1024
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Unanswered(Exception):
    """Apple did not answer, or with an error; the text says what, and a later run asks again."""


class Wait(Unanswered):
    """Nothing is to be had of Apple, whatever is asked: it is not asked again in this run."""


@dataclass(frozen=True)
class Certificate:
    """One of a merchant's at Apple."""

    id: str
    kind: str
    der: bytes
    is_activated: bool

    @classmethod
    def of(cls, resource: dict[str, Any]) -> Certificate | None:
        """None for a certificate of another type."""
        attributes = resource["attributes"]
        kind = next((kind for kind, name in TYPES.items() if name == attributes["certificateType"]), None)
        if kind is None:
            return None
        # Without white space: some of Apple's answers have lines.
        der = base64.b64decode("".join(attributes["certificateContent"].split()), validate=True)
        return cls(_name(resource["id"]), kind, der, attributes.get("activated") is True)


class AppStoreConnect:
    """
    Args:
        sign: makes a token of these claims, by the API key.
        issuer: of the API key, as App Store Connect shows it.
        authorities: a file of certificates that Apple's is checked with, in place of the machine's.
        instead: host and port that take Apple's place, for trying it out.
    """

    def __init__(
        self, sign: Callable[[dict[str, object]], Awaitable[str]], issuer: str, authorities: str = "",
        instead: tuple[str, int] | None = None, seconds: float = 30,
    ) -> None:  # fmt: skip
        self._sign, self._issuer, self._seconds = sign, issuer, seconds
        self._tls = ssl.create_default_context(cafile=authorities or None)
        self._tls.minimum_version = ssl.TLSVersion.TLSv1_2
        self._address = instead or (HOST, 443)
        self._token, self._until = "", 0.0
        self._waits: Wait | None = None

    async def merchants(self) -> dict[str, str]:
        """Apple's id of each merchant identifier.

        Raises:
            Unanswered
        """
        found = await self._all(f"/v1/merchantIds?fields[merchantIds]=identifier&limit={_PAGE}")
        with _shaped():
            return {each["attributes"]["identifier"]: _name(each["id"]) for each in found}

    async def certificates(self, merchant: str) -> list[Certificate]:
        """All of a merchant's that have to do with Apple Pay.

        Args:
            merchant: Apple's id.

        Raises:
            Unanswered
        """
        found = await self._all(f"/v1/merchantIds/{merchant}/certificates?limit={_PAGE}")
        with _shaped():
            return [one for each in found if (one := Certificate.of(each))]

    async def create(self, merchant: str, kind: str, request: str) -> Certificate:
        """Has Apple certify the key of a request, which is PEM; a processing certificate is not activated by that.

        Raises:
            Unanswered
        """
        relationships = {"merchantId": {"data": {"type": "merchantIds", "id": merchant}}}
        attributes = {"certificateType": TYPES[kind], "csrContent": request}
        data = {"type": "certificates", "attributes": attributes, "relationships": relationships}
        return _certificate(await self._ask("POST", "/v1/certificates", {"data": data}))

    async def activate(self, certificate: str) -> None:
        """From now on devices encrypt to this certificate's key; it cannot be undone.

        Raises:
            Unanswered
        """
        data = {"type": "certificates", "id": certificate, "attributes": {"activated": True}}
        if not _certificate(await self._ask("PATCH", f"/v1/certificates/{certificate}", {"data": data})).is_activated:
            raise Unanswered("Apple did not activate the certificate")

    async def _all(self, path: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for _ in range(_PAGES_MOST):
            answer = await self._ask("GET", path)
            with _shaped():
                found += answer["data"]
                following = answer.get("links", {}).get("next")
            if not following:
                return found
            path = _path(following)
        raise Unanswered("Apple's list has no end")

    async def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        if self._waits:
            raise self._waits
        try:
            return await self._answer(method, path, body)
        except Wait as wait:
            self._waits = wait
            raise

    async def _answer(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        token = await self._authorised()
        # A connection for each request: there are few, and none is sent twice because one had ended.
        connection = http.client.HTTPSConnection(HOST, timeout=self._seconds, context=self._tls)
        try:
            connection.sock = self._tls.wrap_socket(socket.create_connection(self._address, self._seconds), server_hostname=HOST)
        except OSError as error:
            raise Wait(f"Apple did not answer: {type(error).__name__}") from None
        try:
            headers = {"authorization": f"Bearer {token}", "accept": "application/json", "content-type": "application/json"}
            connection.request(method, path, json.dumps(body) if body else None, headers)
            response = connection.getresponse()
            said = response.read(_ANSWER_MOST + 1)
        except (OSError, http.client.HTTPException) as error:
            raise Unanswered(f"Apple did not answer: {type(error).__name__}") from None
        finally:
            connection.close()
        if response.status == 429:
            raise Wait("Apple has had too many requests")
        if response.status == 401:
            raise Wait("Apple answered 401: it does not take the key of its API, or the clock here is wrong")
        with _shaped():
            answer = json.loads(said) if len(said) <= _ANSWER_MOST else None
            if response.status // 100 != 2:
                raise Unanswered(f"Apple answered {response.status}: {_codes(answer)}")
            if not isinstance(answer, dict):
                raise TypeError
            return answer

    async def _authorised(self) -> str:
        if time.monotonic() >= self._until:
            now = int(time.time())
            claims: dict[str, object] = {"iss": self._issuer, "iat": now, "exp": now + TOKEN_SECONDS, "aud": AUDIENCE}
            self._token, self._until = await self._sign(claims), time.monotonic() + TOKEN_SECONDS / 2
        return self._token


@contextlib.contextmanager
def _shaped() -> Iterator[None]:
    """Turns what an answer lacks into `Unanswered`."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Unanswered("Apple's answer makes no sense") from None


def _certificate(answer: dict[str, Any]) -> Certificate:
    with _shaped():
        found = Certificate.of(answer["data"])
        if found is None:
            raise TypeError
        return found


def _name(text: str) -> str:
    """An id, which becomes part of a path."""
    if not _ID.fullmatch(text):
        raise ValueError
    return text


def _path(url: str) -> str:
    """Of the following page, if it is at Apple."""
    parts = urllib.parse.urlsplit(url)
    if (parts.scheme, parts.netloc) != ("https", HOST) or not parts.path.startswith("/v1/"):
        raise Unanswered("Apple's list goes on elsewhere")
    return parts.path + (f"?{parts.query}" if parts.query else "")


def _codes(answer: Any) -> str:
    """The codes of Apple's errors; their texts may quote what was sent."""
    try:
        codes = [str(each["code"]) for each in answer["errors"]]
    except (KeyError, TypeError):
        codes = []
    return ", ".join(code for code in codes if re.fullmatch(r"[A-Z0-9_.]{1,80}", code)) or "no code"
