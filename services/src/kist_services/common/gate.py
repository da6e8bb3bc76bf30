"""What every request passes before and after a service's own code."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import time
import traceback
import uuid
from collections.abc import Container
from dataclasses import dataclass, field

import kist
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import journal
from .problems import Problem, problem

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_IDEMPOTENCY_KEY = re.compile(r"[!-~]{16,255}")
_CALL_SECONDS_LEAST = 0.1


@dataclass(frozen=True)
class Limits:
    """Requests at a time, bytes of a body, and seconds for the body and for the whole request."""

    requests: int = 256
    body: int = 64 * 1024
    body_seconds: float = 5.0
    seconds: float = 10.0


@dataclass
class Exchange:
    """One request, as the log shows it: no path, query, header or body of it, and nothing of the answer but its status."""

    request_id: str
    #: By the monotonic clock; a request takes no longer than until then.
    until: float
    began: float = field(default_factory=time.monotonic)
    status: int = 0
    audit_sequence: int | None = None
    error: str | None = None
    #: With which the daemon opens a token or an envelope again for the same request, if that came with an Idempotency-Key; else empty.
    retry_key: bytes = b""

    @staticmethod
    def of(request: Request) -> Exchange:
        exchange: Exchange = request.scope["kist.exchange"]
        return exchange

    def calls(self, client: kist.AsyncClient, leaving: float = 0) -> kist.AsyncClient:
        """The client, for calls whose audit records have this request's id: ``kist audit show --request``.

        Args:
            leaving: seconds of the request's time that are needed for what follows the call.
        """
        rest = self.until - time.monotonic() - leaving
        return client.with_options(request_id=self.request_id, timeout=max(rest, _CALL_SECONDS_LEAST))


class Gate:
    """Gives each request an id, checks its API key, takes its body within the limits, and makes every error a `Problem`.

    Args:
        name: the service's, for the log.
        api_keys: SHA-256 of each key that is accepted, as hexadecimal.
        open_paths: those whose requests need no key.
    """

    def __init__(self, app: ASGIApp, *, name: str, api_keys: tuple[str, ...], open_paths: Container[str], limits: Limits) -> None:
        self._app = app
        self._name = name
        self._api_keys = [bytes.fromhex(digest) for digest in api_keys]
        self._open_paths = open_paths
        self._limits = limits
        self._requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        self._requests += 1
        try:
            await self._pass(scope, receive, send)
        finally:
            self._requests -= 1

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        exchange = scope["kist.exchange"] = Exchange(
            given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex, time.monotonic() + self._limits.seconds
        )

        async def send_and_note(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status = message["status"]
                more = [(b"x-request-id", exchange.request_id.encode()), (b"cache-control", b"no-store")]
                message["headers"] = [*message["headers"], *more]
                self._log(scope, exchange)  # before the answer leaves
            await send(message)

        body: bytes | None = None
        try:
            async with asyncio.timeout(self._limits.seconds):
                if self._requests > self._limits.requests:
                    raise Problem(503, "too many requests at a time", 1)
                # The body comes first: a client that is still sending may not read an answer.
                body = await self._body(receive)
                if scope["path"] not in self._open_paths:
                    self._check_api_key(headers.get("x-api-key", ""))
                    exchange.retry_key = self._retry_key(headers)
                await self._app(scope, _once(body), send_and_note)
        except Exception as error:
            if exchange.status:
                raise  # the answer has begun: only closing the connection can say that it is not whole
            answer = self._too_slow() if body is None and isinstance(error, TimeoutError) else problem(error)
            exchange.audit_sequence = exchange.audit_sequence if answer.audit_sequence is None else answer.audit_sequence
            exchange.error = _description(error, answer)
            response = answer.response(exchange.request_id)
            if body is None:
                response.headers["connection"] = "close"  # its rest is not read
            await response(scope, receive, send_and_note)
        finally:
            if not exchange.status:
                self._log(scope, exchange)  # nobody is there to be answered

    def _check_api_key(self, key: str) -> None:
        """In a time that does not depend on how much of a key is right, or on which one it is."""
        digest = hashlib.sha256(key.encode()).digest()
        if not any([hmac.compare_digest(digest, accepted) for accepted in self._api_keys]):
            raise Problem(401, "x-api-key is missing, or not one of this service's")

    def _retry_key(self, headers: Headers) -> bytes:
        """Of the header Idempotency-Key: another caller with the same one, or the same at another service, has another key."""
        key = headers.get("idempotency-key")
        if key is None:
            return b""
        if len(headers.getlist("idempotency-key")) > 1 or not _IDEMPOTENCY_KEY.fullmatch(key):
            raise Problem(400, "Idempotency-Key has 16 to 255 visible characters of ASCII, once")
        whole = "\0".join((self._name, hashlib.sha256(headers.get("x-api-key", "").encode()).hexdigest(), key))
        return hashlib.sha256(whole.encode()).digest()[:16]

    async def _body(self, receive: Receive) -> bytes:
        """The whole body; what goes beyond the limit is read and dropped."""
        body, size = bytearray(), 0
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise Problem(400, "the client left")
                    chunk = message.get("body", b"")
                    size += len(chunk)
                    if size <= self._limits.body:
                        body += chunk
                    if not message.get("more_body", False):
                        break
        except TimeoutError:
            raise self._too_slow() from None
        if size > self._limits.body:
            raise Problem(413, f"a body has at most {self._limits.body} bytes")
        return bytes(body)

    def _too_slow(self) -> Problem:
        return Problem(408, f"a body has to arrive within {self._limits.body_seconds:g} s")

    def _log(self, scope: Scope, exchange: Exchange) -> None:
        endpoint = scope.get("endpoint")
        journal.write(
            {
                "service": self._name,
                "request": exchange.request_id,
                "endpoint": getattr(endpoint, "__name__", None),
                "status": exchange.status,
                "ms": round((time.monotonic() - exchange.began) * 1000),
                "audit": exchange.audit_sequence,
                "error": exchange.error,
            }
        )


def _once(body: bytes) -> Receive:
    """The body in one piece, then the end of the connection."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return messages.pop() if messages else {"type": "http.disconnect"}

    return receive


def _description(error: Exception, answer: Problem) -> str:
    """The kind of an error and, for a fault of the service's own, where it arose; never its text, which may quote a value."""
    if answer.status != 500:
        return type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__} at {frames[-1].name}:{frames[-1].lineno}" if frames else type(error).__name__
