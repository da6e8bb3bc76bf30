"""A client for asyncio."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import socket
from dataclasses import dataclass
from typing import Any, TypeVar

from . import operations
from ._codec import wipe
from ._frame import LENGTH, Request, answer, reply_length
from ._methods import coroutine
from .client import IN_FLIGHT
from .endpoint import socket_path
from .errors import Disconnected, KistError, Malformed, Refused, ReplyError, Timeout, Unreachable
from .models import Key

R = TypeVar("R")


@dataclass(eq=False)
class _Flying:
    """A request whose reply has not come; one that nobody waits for any more still has its turn."""

    request: Request[Any]
    result: asyncio.Future[Any]
    request_id: int = 0


class AsyncClient:
    """A connection to `kistd` for asyncio, and an asynchronous context manager.

    Tasks may share it: their requests go out one behind another without waiting for replies, so that they share commits
    of the daemon's log.  It connects when it is first used, and again when the connection has ended; no request is ever
    sent twice.  It belongs to one event loop, and a child process makes its own.

    Every operation of `kist.operations` is a method.

    Args:
        endpoint: `unix:/PATH`; None for the environment's `KIST_ENDPOINT`, else ``unix:/run/kist/kist.sock``.
        timeout: seconds for one request, connecting included; None for none.

    Raises:
        EndpointError: the endpoint is none.
    """

    def __init__(self, endpoint: str | None = None, *, timeout: float | None = 10.0) -> None:
        self._path = socket_path(endpoint)
        self._timeout = timeout
        self._socket: socket.socket | None = None
        self._reader: asyncio.Task[None] | None = None
        self._last_id = 0
        self._flying: collections.deque[_Flying] = collections.deque()
        self._sending = asyncio.Lock()
        self._room = asyncio.Semaphore(IN_FLIGHT)

    async def call(self, request: Request[R]) -> R:
        """Carries out one request.

        Raises:
            Refused: the daemon's answer.
            Unreachable, Disconnected, Timeout, ReplyError: there is none.
        """
        flying = _Flying(request, asyncio.get_running_loop().create_future())
        try:
            result: R = await asyncio.wait_for(self._call(flying), self._timeout)
            return result
        except asyncio.TimeoutError:
            if flying in self._flying:
                self._end(Disconnected("another request on this connection took too long"))
            raise Timeout("the reply did not come in time") from None

    async def keys(self, prefix: str = "") -> list[Key]:
        """All keys that the caller may use whose label begins with `prefix`, by label."""
        keys: list[Key] = []
        while True:
            page = await self.list_keys(prefix, keys[-1].label if keys else "")
            keys += page.keys
            if not page.more or not page.keys:
                return keys

    async def close(self) -> None:
        """Ends the connection and what is in flight on it; another request opens a new one."""
        reader = self._reader
        self._end(Disconnected("the client was closed"))
        if reader is not None:
            await asyncio.gather(reader, return_exceptions=True)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    ping = coroutine(operations.ping)
    describe = coroutine(operations.describe)
    list_keys = coroutine(operations.list_keys)
    describe_key = coroutine(operations.describe_key)
    random = coroutine(operations.random)
    who = coroutine(operations.who)
    audit_digest = coroutine(operations.audit_digest)
    verify_payment_token = coroutine(operations.verify_payment_token)
    open_payment_token = coroutine(operations.open_payment_token)
    provision_pass = coroutine(operations.provision_pass)
    provision_trace = coroutine(operations.provision_trace)
    sign_otp = coroutine(operations.sign_otp)
    verify_otp = coroutine(operations.verify_otp)
    ecdh = coroutine(operations.ecdh)
    shared_secret = coroutine(operations.shared_secret)
    kdf = coroutine(operations.kdf)
    derived_key = coroutine(operations.derived_key)
    seal = coroutine(operations.seal)
    unseal = coroutine(operations.unseal)
    sign = coroutine(operations.sign)
    verify = coroutine(operations.verify)
    mac = coroutine(operations.mac)
    verify_mac = coroutine(operations.verify_mac)
    unwrap = coroutine(operations.unwrap)
    release_handle = coroutine(operations.release_handle)
    tokenise = coroutine(operations.tokenise)
    tokenise_envelope = coroutine(operations.tokenise_envelope)
    detokenise = coroutine(operations.detokenise)
    detokenise_envelope = coroutine(operations.detokenise_envelope)
    status = coroutine(operations.status)
    unlock = coroutine(operations.unlock)
    lock = coroutine(operations.lock)
    import_key = coroutine(operations.import_key)

    async def _call(self, flying: _Flying) -> Any:
        async with self._room:
            async with self._sending:
                await self._send(flying)
            # Shielded: a reply that nobody waits for any more is read all the same, so the next one is in its place.
            return await asyncio.shield(flying.result)

    async def _send(self, flying: _Flying) -> None:
        loop = asyncio.get_running_loop()
        channel = self._socket or await self._connect(loop)
        self._last_id += 1
        flying.request_id = self._last_id
        frame = flying.request.frame(self._last_id)
        self._flying.append(flying)
        try:
            await loop.sock_sendall(channel, frame)
        except OSError:
            # Whatever came before is still to be read; the reader ends the connection when that is done.
            pass
        except BaseException:
            # Cancelled within a frame: nothing can be sent behind it.
            self._end(Disconnected("another request on this connection was cancelled while it was sent"))
            raise
        finally:
            wipe(frame)

    async def _connect(self, loop: asyncio.AbstractEventLoop) -> socket.socket:
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            await loop.sock_connect(channel, self._path)
        except BaseException as error:
            channel.close()
            if isinstance(error, OSError):
                raise Unreachable(error.errno, error.strerror or str(error), self._path) from None
            raise
        self._socket = channel
        self._reader = loop.create_task(self._read(loop, channel))
        # Not before the reader has let go of the descriptor, whose number is then somebody else's.
        self._reader.add_done_callback(lambda _: channel.close())
        return channel

    async def _read(self, loop: asyncio.AbstractEventLoop, channel: socket.socket) -> None:
        """Takes replies until the connection ends, and gives each to the oldest request."""
        try:
            while True:
                prefix = await self._receive(loop, channel, LENGTH.size)
                frame = await self._receive(loop, channel, reply_length(prefix))
                if not self._flying:
                    wipe(frame)
                    raise ReplyError("a reply that nobody asked for")
                self._settle(self._flying.popleft(), frame)
        except KistError as error:
            if self._socket is channel:
                self._end(error)
        except OSError as error:
            if self._socket is channel:
                self._end(Disconnected(error.errno, error.strerror))

    def _settle(self, flying: _Flying, frame: bytearray) -> None:
        """Raises what ends the connection."""
        try:
            result = answer(flying.request, flying.request_id, frame)
            if not flying.result.done():
                flying.result.set_result(result)
        except Refused as error:
            _fail(flying, error)
            if isinstance(error, Malformed):
                raise Disconnected("the daemon closes after a malformed request") from None
        except KistError as error:
            _fail(flying, error)
            raise

    async def _receive(self, loop: asyncio.AbstractEventLoop, channel: socket.socket, count: int) -> bytearray:
        buffer = bytearray(count)
        received = 0
        try:
            with memoryview(buffer) as view:
                while received < count:
                    taken = await loop.sock_recv_into(channel, view[received:])
                    if taken == 0:
                        raise Disconnected("the connection ended before the reply")
                    received += taken
            return buffer
        except BaseException:
            wipe(buffer)
            raise

    def _end(self, error: KistError) -> None:
        """Ends the connection; what is in flight on it fails."""
        if self._reader is not None:
            self._reader.cancel()
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)  # wakes who is still sending
        self._socket = self._reader = None
        while self._flying:
            _fail(self._flying.popleft(), error)


def _fail(flying: _Flying, error: KistError) -> None:
    if not flying.result.done():
        flying.result.set_exception(error)
        flying.result.exception()  # which nobody may be waiting for any more
