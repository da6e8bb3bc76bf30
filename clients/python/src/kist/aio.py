"""A client for asyncio."""

from __future__ import annotations

import asyncio
import copy
from dataclasses import dataclass
from typing import Any, TypeVar

from ._frame import Request, named
from ._line import Call, Line
from ._methods import Awaits
from ._options import UNCHANGED, Options, Unchanged
from ._socket import checked_timeout
from .client import extend, is_about_daemon, only, required
from .endpoint import socket_path
from .errors import Disconnected, KistError, Timeout
from .models import Key
from .operations import Methods

R = TypeVar("R")


class AsyncClient(Methods, Awaits):
    """A connection to `kistd` for asyncio, and an asynchronous context manager.

    Tasks may share it: their requests go out one behind another without waiting for replies, so that they share commits
    of the daemon's log.  One that takes too long or is cancelled leaves the others alone.  It connects when it is first
    used, and again when the connection has ended, on another event loop, and in a child process; only a token that is
    opened with `retry` is ever sent twice.

    Every operation of `kist.operations` is a method.

    Args:
        endpoint: `unix:/PATH`; None for the environment's `KIST_ENDPOINT`, else ``unix:/run/kist/kist.sock``.
        timeout: seconds for one request, connecting included; None for no end.

    Raises:
        EndpointError: the endpoint is not valid.
        ValueError: the time-out is not valid.
    """

    def __init__(self, endpoint: str | None = None, *, timeout: float | None = 10.0) -> None:
        self._shared = _Shared(socket_path(endpoint))
        self._options = Options(checked_timeout(timeout))

    def with_options(self, *, request_id: int | str | None = None, timeout: float | None | Unchanged = UNCHANGED) -> AsyncClient:
        """This client on the same connection, for calls with a request id and a time-out of their own; see `Client.with_options`.

        Raises:
            ValueError: the id or the time-out is not valid.
        """
        view = copy.copy(self)
        view._options = self._options.changed(request_id, timeout)
        return view

    async def call(self, request: Request[R]) -> R:
        """Carries out one request.  One with `retry` whose reply is lost is sent once more, on a new connection and with a new time-out.
        If the daemon then cannot be reached, is locked, or serves nobody, the error is the first one's: it may have been carried out.

        Raises:
            Refused: the daemon refused.
            Unreachable, Disconnected, Timeout, ReplyError: there is no valid answer.
            RuntimeError: another event loop that still runs uses the client; nothing was sent.
        """
        try:
            return await self._call_once(request)
        except (Disconnected, Timeout) as lost:
            if not request.is_repeated:
                raise
            # A connection of its own, for other tasks still wait for replies on this one.
            other = copy.copy(self)
            other._shared = _Shared(self._shared.path)
            async with other:
                try:
                    return await other._call_once(request)
                except KistError as error:
                    if is_about_daemon(error):
                        raise lost from error  # for the first may have been carried out
                    raise

    async def _call_once(self, request: Request[R]) -> R:
        line, options = self._current_line(), self._options
        until = None if options.timeout is None else line.loop.time() + options.timeout
        call = Call(request, line.loop.create_future(), options, until)
        line.put(call)
        try:
            result: R = await call.result
            return result
        except KistError as error:
            raise named(error, request, call.request_id or options.request_id)

    async def keys(self, prefix: str = "", *, pattern: str = "") -> list[Key]:
        """All keys that the caller may list whose label begins with `prefix` and is covered by `pattern`, by label."""
        keys: list[Key] = []
        while extend(keys, await self.list_keys(prefix, keys[-1].label if keys else "", pattern)):
            pass
        return keys

    async def find_key(self, pattern: str) -> Key:
        """The one key whose label `pattern` covers, such as ``"merchant/acme/*"``; destroyed keys are passed over.

        Raises:
            NoSuchKey: there is none, or none that the caller may list.
            SeveralKeys: there are more.
            RequestError: the pattern is empty, or too long.
        """
        return only(pattern, await self.keys(pattern=required(pattern)))

    async def close(self) -> None:
        """Ends the connection and every call that is under way; another request opens a new one."""
        line, self._shared.line = self._shared.line, None
        if line is None:
            return
        if line.is_here():
            line.close()
        else:
            line.leave()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    def _current_line(self) -> Line:
        """The line for this event loop and process."""
        shared = self._shared
        if shared.line is not None and not shared.line.is_here():
            shared.line.leave()
            shared.line = None
        if shared.line is None:
            shared.line = Line(shared.path, asyncio.get_running_loop())
        return shared.line


@dataclass
class _Shared:
    """What a client has in common with those that `with_options` made of it."""

    path: str
    line: Line | None = None
