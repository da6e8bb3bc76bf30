"""A service as an ASGI application."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence

import kist
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .gate import Exchange, Gate, Limits
from .problems import Problem

#: Whoever asks has a limit of its own, and a kistd that takes longer does not serve.
_READY_SECONDS = 1.0


def application(
    name: str, client: kist.AsyncClient, routes: Sequence[Route], *, api_keys: tuple[str, ...], limits: Limits = Limits()
) -> Starlette:
    """The routes behind the gate, and `/ready`, which says whether kistd serves."""

    async def ready(request: Request) -> Response:
        try:
            await client.with_options(timeout=_READY_SECONDS).ready()
        except kist.Timeout:
            raise Problem(503, "kistd does not answer", 5) from None
        return JSONResponse({"ready": True})

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with client:
            yield

    return Starlette(
        routes=[*routes, Route("/ready", ready)],
        middleware=[Middleware(Gate, name=name, api_keys=api_keys, limits=limits)],
        exception_handlers={HTTPException: _not_served},
        lifespan=lifespan,
    )


async def _not_served(request: Request, error: Exception) -> Response:
    """No such path, or not by this method."""
    assert isinstance(error, HTTPException)
    response = Problem(error.status_code, "this service has no such path, or not for this method").response(Exchange.of(request).request_id)
    response.headers.update(getattr(error, "headers", None) or {})
    return response
