"""A service as an ASGI application."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import kist
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .database import Database
from .gate import Exchange, Gate, Limits
from .problems import Problem

if TYPE_CHECKING:
    from .server import Server

#: Needs no API key.
READY = "/ready"
#: Whoever asks has a limit of its own, a second as a rule, and what takes longer does not serve.
_READY_SECONDS = 0.8


def application(
    name: str,
    client: kist.AsyncClient,
    routes: Sequence[Route],
    *,
    api_keys: tuple[str, ...],
    limits: Limits = Limits(),
    database: Database | Server | None = None,
    is_ready: Callable[[], Awaitable[object]] | None = None,
    open_paths: Sequence[str] = (),
) -> Starlette:
    """The routes behind the gate, and `/ready`, which says whether kistd and the service's database serve.

    Args:
        database: open while the service runs, and `/ready` writes to it.
        is_ready: raises an error if something else that the service needs does not serve.
        open_paths: of routes that need no API key.
    """

    async def ready(request: Request) -> Response:
        daemon = client.with_options(timeout=_READY_SECONDS).ready
        files = [check for check in (database and database.ready, is_ready) if check]
        late = "the service's database is locked, or slow"
        await asyncio.gather(_within(daemon(), "kistd does not answer"), *(_within(check(), late) for check in files))
        return JSONResponse({"ready": True})

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with client, database or contextlib.nullcontext():
            yield

    return Starlette(
        routes=[*routes, Route(READY, ready)],
        middleware=[Middleware(Gate, name=name, api_keys=api_keys, open_paths=(READY, *open_paths), limits=limits)],
        exception_handlers={HTTPException: _not_served},
        lifespan=lifespan,
    )


async def _within(check: Awaitable[object], otherwise: str) -> None:
    try:
        await asyncio.wait_for(check, _READY_SECONDS)
    except (TimeoutError, kist.Timeout):
        raise Problem(503, otherwise, 5) from None


async def _not_served(request: Request, error: Exception) -> Response:
    """No such path, or not by this method."""
    assert isinstance(error, HTTPException)
    response = Problem(error.status_code, "this service has no such path, or not for this method").response(Exchange.of(request).request_id)
    response.headers.update(getattr(error, "headers", None) or {})
    return response
