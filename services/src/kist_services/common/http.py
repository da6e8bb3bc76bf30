"""uvicorn's HTTP/1.1 with a time limit for the head of a request, which uvicorn does not have."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 5.0


class TimedHTTP(H11Protocol):  # type: ignore[misc]  # uvicorn's has no types
    """Closes a connection if no request has begun within `HEAD_SECONDS` of its start, or of the last answer."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._wait_for_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait_for_head()

    def _wait_for_head(self) -> None:
        self.loop.call_later(HEAD_SECONDS, self._close_if_idle, self.cycle)

    def _close_if_idle(self, last: Any) -> None:
        """`last` is the request that came last when the time began."""
        if self.cycle is last and (last is None or last.response_complete):
            self.transport.close()
