"""The calls of one event loop, and the connection that they share."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import copy
import os
import socket
from dataclasses import dataclass
from typing import Any

from ._codec import wipe
from ._connection import IN_FLIGHT
from ._frame import LENGTH, Request, answer, reply_length
from ._options import Options
from ._socket import CONNECT_PAUSE, backlog_is_full, connect, is_idle
from .errors import Busy, Disconnected, KistError, Refused, ReplyError, Unreachable


@dataclass(eq=False)
class Call:
    """A request, and the future of its result; if that is done already, nobody waits for it any more."""

    request: Request[Any]
    result: asyncio.Future[Any]
    options: Options
    request_id: int = 0

    @property
    def is_sent(self) -> bool:
        return self.request_id != 0

    def fail(self, error: Exception) -> None:
        if not self.result.done():
            self.result.set_exception(error)
            self.result.exception()  # marks it as retrieved, since nobody may be waiting for it any more


class Line:
    """Sends calls in order, and gives each reply to the oldest call in flight.

    One task sends and one reads.  Neither is ever cancelled by a call: a frame is sent whole, and a reply that nobody
    waits for any more is read all the same, so that the next one is in its place.
    """

    def __init__(self, path: str, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.is_backlog_full = False
        self._path = path
        self._process = os.getpid()
        self._waiting: collections.deque[Call] = collections.deque()
        self._flying: collections.deque[Call] = collections.deque()
        self._has_room = asyncio.Event()
        self._last_id = 0
        self._socket: socket.socket | None = None
        self._has_answered = False  # on this connection
        self._sender: asyncio.Task[None] | None = None
        self._reader: asyncio.Task[None] | None = None
        # Held while a frame is sent; the reader takes it before it closes the descriptor, whose number may then be reused.
        self._sending = asyncio.Lock()

    def is_here(self) -> bool:
        """Whether this belongs to the running event loop and process."""
        return self.loop is asyncio.get_running_loop() and self._process == os.getpid()

    def put(self, call: Call) -> None:
        """Queues a call, which is sent when its turn comes."""
        self._waiting.append(call)
        if self._sender is None:
            self._sender = self.loop.create_task(self._send_waiting())

    def gave_up(self) -> None:
        """After a time-out, ends the connection if nobody waits for any call in flight: the next call may do better on a new one."""
        if self._flying and all(call.result.done() for call in self._flying):
            self._end(Disconnected("the replies did not come in time"))

    def unreachable(self) -> Unreachable:
        return backlog_is_full(self._path)

    async def close(self) -> None:
        """Ends the connection and every call."""
        self._fail_all(Disconnected("the client was closed"))
        tasks = {task for task in (self._sender, self._reader) if task is not None}
        if tasks:
            await asyncio.wait(tasks)

    def leave(self) -> None:
        """Abandons the connection, from another event loop or process.

        Raises:
            RuntimeError: its own loop still runs.
        """
        if self._process == os.getpid() and not self.loop.is_closed():
            if self.loop.is_running():
                raise RuntimeError("the client is used by another event loop, which still runs")
            self._fail_all(Disconnected("the client was used on another event loop"))
        elif self._socket is not None:
            # Not shut down: in a child process the connection is the parent's.
            self._socket.close()

    def _fail_all(self, error: KistError) -> None:
        self._end(error)
        while self._waiting:
            self._waiting.popleft().fail(copy.copy(error))
        self._has_room.set()

    async def _send_waiting(self) -> None:
        try:
            while self._waiting:
                if self._waiting[0].result.done():
                    self._waiting.popleft()
                elif self._socket is None:
                    await self._connect()
                elif len(self._flying) == IN_FLIGHT:
                    self._has_room.clear()
                    await self._has_room.wait()
                elif not self._flying and self._has_answered and not is_idle(self._socket):
                    self._end(Disconnected("the connection has ended"))  # while nothing was in flight
                else:
                    await self._send(self._waiting.popleft(), self._socket)
        finally:
            self._sender = None

    async def _connect(self) -> None:
        try:
            channel = connect(self._path)
        except Unreachable as error:
            while self._waiting:
                self._waiting.popleft().fail(copy.copy(error))
            return
        self.is_backlog_full = channel is None
        if channel is None:
            await asyncio.sleep(CONNECT_PAUSE)
            return
        self._socket, self._has_answered = channel, False
        self._reader = self.loop.create_task(self._read(channel))

    async def _send(self, call: Call, channel: socket.socket) -> None:
        try:
            request_id = call.options.request_id or self._last_id + 1
            frame = call.request.frame(request_id)
        except Exception as error:
            call.fail(error)
            return
        if call.options.request_id is None:
            self._last_id = request_id
        call.request_id = request_id
        self._flying.append(call)
        try:
            async with self._sending:
                await self.loop.sock_sendall(channel, frame)
        except OSError:
            # What the daemon sent before it closed the connection must still be read [WIRE-19].
            with contextlib.suppress(OSError):
                channel.shutdown(socket.SHUT_WR)
            await self._reader_ends()
        finally:
            wipe(frame)

    async def _reader_ends(self) -> None:
        if self._reader is not None:
            await asyncio.wait({self._reader})

    async def _read(self, channel: socket.socket) -> None:
        """Takes replies until the connection ends."""
        end: KistError = Disconnected("the event loop ended")
        try:
            while True:
                prefix = await self._receive(channel, LENGTH.size)
                frame = await self._receive(channel, reply_length(prefix))
                if self._socket is not channel:
                    wipe(frame)
                    return
                self._take(frame)
        except KistError as error:
            end = error
        except OSError as error:
            end = Disconnected(error.errno, error.strerror)
        finally:
            if self._socket is channel:
                self._end(end)
            async with self._sending:
                channel.close()

    def _take(self, frame: bytearray) -> None:
        """Gives a reply to the oldest call; raises what ends the connection."""
        call = self._flying.popleft()
        self._has_room.set()
        is_first, self._has_answered = not self._has_answered, True
        try:
            result = answer(call.request, call.request_id, frame, is_first=is_first)
        except Refused as error:
            call.fail(error)
            if error.ends_connection:
                raise error if isinstance(error, Busy) else Disconnected("the daemon closes after a malformed request") from None
        except Exception as error:
            call.fail(error)
            raise error if isinstance(error, KistError) else ReplyError("a reply that nothing can be made of") from None
        else:
            if not call.result.done():
                call.result.set_result(result)

    async def _receive(self, channel: socket.socket, count: int) -> bytearray:
        buffer = bytearray(count)
        received = 0
        try:
            with memoryview(buffer) as view:
                while received < count:
                    taken = await self.loop.sock_recv_into(channel, view[received:])
                    if taken == 0:
                        raise Disconnected("the connection ended before the reply")
                    if not self._flying:
                        raise ReplyError("a reply that nobody asked for")
                    received += taken
            return buffer
        except BaseException:
            wipe(buffer)
            raise

    def _end(self, error: KistError) -> None:
        """Ends the connection; calls in flight on it fail. The reader sees the end and closes the descriptor."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)  # also wakes the sender
        self._socket = None
        while self._flying:
            self._flying.popleft().fail(copy.copy(error))
        self._has_room.set()
