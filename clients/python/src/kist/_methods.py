"""Every operation as a method, written once for both clients."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from ._frame import Request

P = ParamSpec("P")
R = TypeVar("R")


class Calls(Protocol):
    """A client that waits."""

    def call(self, request: Request[R]) -> R: ...


class AsyncCalls(Protocol):
    """A client for asyncio."""

    def call(self, request: Request[R]) -> Coroutine[Any, Any, R]: ...


def method(operation: Callable[P, Request[R]]) -> Callable[Concatenate[Calls, P], R]:
    """The operation as a method that waits for its result."""

    @functools.wraps(operation)
    def run(self: Calls, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.call(operation(*args, **kwargs))

    return run


def coroutine(operation: Callable[P, Request[R]]) -> Callable[Concatenate[AsyncCalls, P], Coroutine[Any, Any, R]]:
    """The operation as a coroutine method."""

    @functools.wraps(operation)
    async def run(self: AsyncCalls, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self.call(operation(*args, **kwargs))

    return run
