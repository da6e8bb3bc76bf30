"""Every operation as a method, written once for both clients."""

from __future__ import annotations

import functools
import inspect
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

    def run(self: Calls, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.call(operation(*args, **kwargs))

    return _shown_as(operation, run)


def coroutine(operation: Callable[P, Request[R]]) -> Callable[Concatenate[AsyncCalls, P], Coroutine[Any, Any, R]]:
    """The operation as a coroutine method."""

    async def run(self: AsyncCalls, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self.call(operation(*args, **kwargs))

    return _shown_as(operation, run)


M = TypeVar("M", bound=Callable[..., Any])


def _shown_as(operation: Callable[..., Any], run: M) -> M:
    """Gives a method the operation's name, docstring and signature, with `self` added and the result as its return type."""
    functools.update_wrapper(run, operation)
    signature = inspect.signature(operation)
    result = str(signature.return_annotation).removeprefix("Request[").removesuffix("]")
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    run.__signature__ = signature.replace(parameters=[own, *signature.parameters.values()], return_annotation=result)  # type: ignore[attr-defined]
    run.__annotations__ = operation.__annotations__ | {"return": result}
    return run
