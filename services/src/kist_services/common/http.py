"""HTTP/1.1 by uvicorn, with a time limit for the head of a request, which uvicorn does not have."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 5.0

#: Over which connection a request came: its task begins with what the protocol's had.
_connection: ContextVar[TimedHTTP] = ContextVar("connection")


class TimedHTTP(asyncio.Protocol):
    """Closes a connection if no request has begun within `HEAD_SECONDS` of its start, or of the last answer.

    It goes around uvicorn's protocol and knows of it what asyncio says of all protocols, so that another release of uvicorn serves as well.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._http: asyncio.Protocol = H11Protocol(*arguments, **options)
        self._requests = 0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._wait_for_head()
        self._http.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        before = _connection.set(self)
        try:
            self._http.data_received(data)
        finally:
            _connection.reset(before)

    def eof_received(self) -> bool | None:
        return self._http.eof_received()

    def pause_writing(self) -> None:
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self._http.resume_writing()

    def connection_lost(self, error: Exception | None) -> None:
        self._stop_waiting()
        self._http.connection_lost(error)

    @contextlib.contextmanager
    def request(self) -> Iterator[None]:
        """While one is answered nothing is waited for; the next may begin before this one has ended."""
        self._requests += 1
        self._stop_waiting()
        try:
            yield
        finally:
            self._requests -= 1
            if self._requests == 0 and not self._transport.is_closing():
                self._wait_for_head()

    def _wait_for_head(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(HEAD_SECONDS, self._transport.close)

    def _stop_waiting(self) -> None:
        if self._timer:
            self._timer.cancel()


def timed(app: ASGIApp) -> ASGIApp:
    """The application, which tells the connection when a request begins and ends."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await app(scope, receive, send)
        with _connection.get().request():
            await app(scope, receive, send)

    return answer


def serve(app: ASGIApp, **place: Any) -> None:
    """Runs an application until a signal ends it.

    Args:
        place: of uvicorn's options those that say where.
    """
    uvicorn.run(timed(app), log_config=None, access_log=False, server_header=False, http=TimedHTTP, ws="none", **place)
