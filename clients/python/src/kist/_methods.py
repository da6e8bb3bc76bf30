"""Every operation as a method, written once for both clients."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from ._frame import Request

P = ParamSpec("P")
R = TypeVar("R")


class Waits:
    """A client that waits for its results."""

    def call(self, request: Request[R]) -> R:
        raise NotImplementedError


class Awaits:
    """A client for asyncio."""

    async def call(self, request: Request[R]) -> R:
        raise NotImplementedError


class Method(Generic[P, R]):
    """An operation as a method of both kinds of client, which an instance and its class show as a function with the operation's signature."""

    def __init__(self, operation: Callable[P, Request[R]]) -> None:
        def run(self: Waits, /, *args: P.args, **kwargs: P.kwargs) -> R:
            return self.call(operation(*args, **kwargs))

        async def coroutine(self: Awaits, /, *args: P.args, **kwargs: P.kwargs) -> R:
            return await self.call(operation(*args, **kwargs))

        self._run, self._coroutine = _shown_as(operation, run), _shown_as(operation, coroutine)

    # A coroutine of Any would let asyncio.gather say nothing of different operations' results.
    @overload
    def __get__(self, client: Waits, kind: type[Waits]) -> Callable[P, R]: ...
    @overload
    def __get__(self, client: Awaits, kind: type[Awaits]) -> Callable[P, Coroutine[None, None, R]]: ...
    @overload
    def __get__(self, client: None, kind: type[Waits]) -> Callable[Concatenate[Waits, P], R]: ...
    @overload
    def __get__(self, client: None, kind: type[Awaits]) -> Callable[Concatenate[Awaits, P], Coroutine[None, None, R]]: ...
    def __get__(self, client: Waits | Awaits | None, kind: type) -> Callable[..., Any]:
        function: Any = self._coroutine if issubclass(kind, Awaits) else self._run
        bound: Callable[..., Any] = function.__get__(client, kind)
        return bound


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
