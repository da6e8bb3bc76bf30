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
from ._connection import IN_FLIGHT, IN_FLIGHT_BYTES
from ._frame import Request, answer
from ._options import Options
from ._replies import Replies
from ._socket import CONNECT_PAUSE, backlog_is_full, connect, is_idle
from .errors import Busy, Disconnected, KistError, Refused, ReplyError, Timeout, Unreachable


@dataclass(eq=False, slots=True)
class Call:
    """A request, and the future of its result; if that is done already, nobody waits for it any more.

    Attributes:
        until: the loop's time at which nobody does; None for never.
        request_id: 0 until it is sent.
    """

    request: Request[Any]
    result: asyncio.Future[Any]
    options: Options
    until: float | None
    request_id: int = 0

    def fail(self, error: Exception) -> None:
        if not self.result.done():
            self.result.set_exception(error)
            self.result.exception()  # marks it as retrieved, since nobody may be waiting for it any more


class Line:
    """Sends calls in order, those that come together in one piece, and gives each reply to the oldest call in flight.

    No call takes part in it, so none disturbs it by being cancelled: a frame is sent whole, and a reply that nobody waits
    for any more is read all the same, so that the next one is in its place.
    """

    def __init__(self, path: str, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._path = path
        self._process = os.getpid()
        self._waiting: collections.deque[Call] = collections.deque()
        self._flying: collections.deque[Call] = collections.deque()
        self._unsent: collections.deque[memoryview] = collections.deque()  # frames of calls in flight
        self._replies = Replies()
        self._last_id = 0
        self._socket: socket.socket | None = None
        self._has_answered = False  # on this connection
        self._is_broken = False  # nothing more can be sent on it
        self._is_backlog_full = False
        self._is_full = False  # the socket, so that the loop says when it takes more
        self._is_woken = False
        self._timer: asyncio.TimerHandle | None = None

    def __del__(self) -> None:
        if self._socket is not None:
            self._socket.close()  # the loop has ended, and nobody closed the client

    def is_here(self) -> bool:
        """Whether this belongs to the running event loop and process."""
        return self.loop is asyncio.get_running_loop() and self._process == os.getpid()

    def put(self, call: Call) -> None:
        """Queues a call, which is sent when its turn comes."""
        self._waiting.append(call)
        self._wake()
        if call.until is not None and (self._timer is None or call.until < self._timer.when()):
            self._look_at(call.until)

    def close(self) -> None:
        """Ends the connection and every call."""
        self._fail_all(Disconnected("the client was closed"))

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
        self._look_at(None)

    # Time

    def _look_at(self, until: float | None) -> None:
        """When to look whose time is over."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if until is None else self.loop.call_at(until, self._expire)

    def _expire(self) -> None:
        """Fails calls whose time is over. If nobody waits for any call in flight then, the next one may do better on a new connection."""
        now, untils = self.loop.time(), []
        for call in (*self._waiting, *self._flying):
            if call.until is None or call.result.done():
                continue
            if call.until <= now:
                call.fail(self._too_late(call))
            else:
                untils.append(call.until)
        self._look_at(min(untils, default=None))
        if self._flying and all(call.result.done() for call in self._flying):
            self._end(Disconnected("the replies did not come in time"))

    def _too_late(self, call: Call) -> KistError:
        if call.request_id:
            return Timeout("the reply did not come in time")
        return backlog_is_full(self._path) if self._is_backlog_full else Timeout("the request could not be sent in time")

    # Sending

    def _wake(self) -> None:
        """Sends as soon as those who run now have put their calls."""
        if not self._is_woken:
            self._is_woken = True
            self.loop.call_soon(self._send_waiting)

    def _send_waiting(self) -> None:
        self._is_woken = False
        while self._waiting and self._waiting[0].result.done():
            self._waiting.popleft()
        if not self._waiting or self._unsent or self._is_broken or len(self._flying) == IN_FLIGHT:
            return  # until there is something to send, or room for it
        if self._socket and not self._flying and self._has_answered and not is_idle(self._socket):
            self._end(Disconnected("the connection has ended"))  # while nothing was in flight
        if channel := self._socket or self._connect():
            self._gather()
            if self._unsent:
                self._write(channel)

    def _connect(self) -> socket.socket | None:
        try:
            channel = connect(self._path)
        except Unreachable as error:
            while self._waiting:
                self._waiting.popleft().fail(copy.copy(error))
            return None
        self._is_backlog_full = channel is None
        if channel is None:
            self.loop.call_later(CONNECT_PAUSE, self._wake)
            return None
        self._socket, self._has_answered = channel, False
        self.loop.add_reader(channel, self._read, channel)
        return channel

    def _gather(self) -> None:
        """Makes the frames of those whose turn it is."""
        size = 0
        while self._waiting and len(self._flying) < IN_FLIGHT and size < IN_FLIGHT_BYTES:
            call = self._waiting.popleft()
            if call.result.done():
                continue
            request_id = call.options.request_id or self._last_id + 1
            try:
                frame = call.request.frame(request_id)
            except Exception as error:
                call.fail(error)
                continue
            if call.options.request_id is None:
                self._last_id = request_id
            call.request_id = request_id
            self._flying.append(call)
            self._unsent.append(memoryview(frame))
            size += len(frame)

    def _write(self, channel: socket.socket) -> None:
        """Sends as much as the kernel takes, and the rest when it takes more."""
        try:
            count = channel.sendmsg(self._unsent)
        except BlockingIOError:
            count = 0
        except OSError:
            # What the daemon sent before it closed the connection must still be read [WIRE-19].
            self._is_broken = True
            with contextlib.suppress(OSError):
                channel.shutdown(socket.SHUT_WR)
            self._sent_all(channel)
            return
        while self._unsent and count >= len(self._unsent[0]):
            count -= len(self._unsent[0])
            wipe(self._unsent.popleft())
        if not self._unsent:
            self._sent_all(channel)
            return
        wipe(self._unsent[0][:count])
        self._unsent[0] = self._unsent[0][count:]
        if not self._is_full:
            self._is_full = True
            self.loop.add_writer(channel, self._write, channel)

    def _sent_all(self, channel: socket.socket) -> None:
        """Nothing of what is left is sent any more."""
        while self._unsent:
            wipe(self._unsent.popleft())
        if self._is_full:
            self._is_full = False
            self.loop.remove_writer(channel)
        if self._waiting:
            self._wake()

    # Reading

    def _read(self, channel: socket.socket) -> None:
        """Takes the replies that have come."""
        try:
            if self._replies.fill(channel) == 0:
                raise Disconnected("the connection ended before the reply")
            while (frame := self._replies.next()) is not None:
                self._take(frame)
            if self._replies and not self._flying:
                raise ReplyError("a reply that nobody asked for")
        except BlockingIOError:
            return
        except KistError as error:
            self._end(error)
        except OSError as error:
            self._end(Disconnected(error.errno, error.strerror))
        if self._waiting:
            self._wake()

    def _take(self, frame: bytearray) -> None:
        """Gives a reply to the oldest call; raises what ends the connection."""
        if not self._flying:
            wipe(frame)
            raise ReplyError("a reply that nobody asked for")
        call = self._flying.popleft()
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

    def _end(self, error: KistError) -> None:
        """Ends the connection; calls in flight on it fail."""
        if self._socket is not None:
            self._sent_all(self._socket)
            self.loop.remove_reader(self._socket)
            self._socket.close()
        self._socket, self._is_broken = None, False
        self._replies.wipe()
        while self._flying:
            self._flying.popleft().fail(copy.copy(error))
