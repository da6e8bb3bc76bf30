"""A connection whose users wait for their results."""

from __future__ import annotations

import collections
import copy
import os
import select
import socket
import threading
import time
import weakref
from typing import Any, TypeVar

from ._codec import wipe
from ._frame import Request, answer, named
from ._options import Options
from ._replies import Replies
from ._socket import CONNECT_PAUSE, backlog_is_full, connect, is_idle, send_all, wait
from .errors import Busy, Disconnected, KistError, Refused, Timeout

R = TypeVar("R")

#: The most requests of a pipeline in flight at once, and their most bytes. The socket buffers these, so that sending never
#: waits for a daemon that itself waits until its replies are taken.
IN_FLIGHT = 32
IN_FLIGHT_BYTES = 64 * 1024

_connections: weakref.WeakSet[Connection] = weakref.WeakSet()


class Connection:
    """A connection to `kistd` that opens when it is used, and again when it has ended; threads that share it wait for one another."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._replies = Replies()
        # After a frame that was sent in part, or not at all, nothing more can be sent; earlier replies can still be read.
        self._is_broken = False
        self._has_answered = False  # on this connection
        self._end: KistError = Disconnected("the connection ended before the reply")  # of the last connection
        self._last_id = 0
        _connections.add(self)

    def call(self, request: Request[R], options: Options) -> R:
        """Sends one request and takes its reply."""
        deadline = _deadline(options)
        lock = self._lock  # in a child process there will be another
        if not _acquired(lock, deadline):
            raise _too_late(request, options)
        try:
            return self._collect(request, self._submit(request, options, deadline, is_first=True), deadline)
        finally:
            lock.release()

    def pipeline(self, batch: list[Request[R]], options: Options) -> list[R | KistError]:
        """Sends requests before the replies to earlier ones are taken; an error is returned in the place of its result."""
        results: list[R | KistError] = []
        flying: collections.deque[tuple[Request[R], int]] = collections.deque()
        lock = self._lock
        if not _acquired(lock, _deadline(options)):
            return [_too_late(request, options) for request in batch]
        try:
            for request in batch:
                while flying and not self._has_room(flying, request):
                    self._settle(flying, options, results)
                self._launch(request, options, flying, results)
            while flying:
                self._settle(flying, options, results)
        except BaseException:
            self._close()  # otherwise replies that nobody waits for would be taken for later ones
            raise
        finally:
            lock.release()
        return results

    def close(self) -> None:
        """Ends the connection; another request opens a new one."""
        with self._lock:
            self._close()

    def _submit(self, request: Request[Any], options: Options, deadline: float | None, is_first: bool) -> int:
        """Sends one request and returns its id; first replaces a connection that has ended with nothing in flight.

        If the daemon has closed the connection, the request counts as sent: a reply may have come before [WIRE-19].
        """
        request_id = options.request_id or self._last_id + 1
        try:
            self._send(request, request_id, deadline, is_first)
        except KistError as error:
            raise named(error, request, request_id)
        if options.request_id is None:
            self._last_id = request_id
        return request_id

    def _send(self, request: Request[Any], request_id: int, deadline: float | None, is_first: bool) -> None:
        frame = request.frame(request_id)
        try:
            if is_first and not self._is_usable():
                self._close()
            channel = self._socket or self._connect(deadline)
            send_all(channel, frame, deadline)
        except KistError:
            raise
        except TimeoutError:
            self._is_broken = True
            raise Timeout("the request could not be sent in time") from None
        except OSError:
            self._is_broken = True
        except BaseException:
            self._close()
            raise
        finally:
            wipe(frame)

    def _collect(self, request: Request[R], request_id: int, deadline: float | None) -> R:
        try:
            return self._take(request, request_id, deadline)
        except KistError as error:
            raise named(error, request, request_id)

    def _take(self, request: Request[R], request_id: int, deadline: float | None) -> R:
        try:
            frame = self._receive(deadline)
            is_first, self._has_answered = not self._has_answered, True
            return answer(request, request_id, frame, is_first=is_first)
        except Refused as refusal:
            if refusal.ends_connection:
                self._close(refusal if isinstance(refusal, Busy) else None)
            raise
        except BaseException:
            self._close()
            raise

    def _has_room(self, flying: collections.deque[tuple[Request[R], int]], request: Request[R]) -> bool:
        """Whether this request can be sent before a reply to those in flight is taken."""
        size = sum(other.size for other, _ in flying) + request.size
        return len(flying) < IN_FLIGHT and size <= IN_FLIGHT_BYTES and not self._is_broken

    def _launch(
        self, request: Request[R], options: Options, flying: collections.deque[tuple[Request[R], int]], results: list[R | KistError]
    ) -> None:
        """Sends one more request; if that fails, earlier ones may have been answered."""
        try:
            flying.append((request, self._submit(request, options, _deadline(options), is_first=not flying)))
        except KistError as error:
            while flying:
                self._settle(flying, options, results)
            results.append(error)

    def _settle(self, flying: collections.deque[tuple[Request[R], int]], options: Options, results: list[R | KistError]) -> None:
        """Collects the oldest reply in flight."""
        request, request_id = flying.popleft()
        try:
            results.append(self._collect(request, request_id, _deadline(options)))
        except KistError as error:
            results.append(error)

    def _receive(self, deadline: float | None) -> bytearray:
        """The next reply, its length stripped."""
        if self._socket is None:
            raise copy.copy(self._end)
        try:
            while (frame := self._replies.next()) is None:
                wait(self._socket, select.POLLIN, deadline)
                if self._replies.fill(self._socket) == 0:
                    raise Disconnected("the connection ended before the reply")
            return frame
        except KistError:
            raise
        except TimeoutError:
            raise Timeout("the reply did not come in time") from None
        except OSError as error:
            raise Disconnected(error.errno, error.strerror) from None

    def _is_usable(self) -> bool:
        """Whether a request can be sent on the present connection, with nothing in flight."""
        return self._socket is not None and not self._is_broken and not self._replies and is_idle(self._socket)

    def _connect(self, deadline: float | None) -> socket.socket:
        while (channel := connect(self._path)) is None:
            rest = CONNECT_PAUSE if deadline is None else deadline - time.monotonic()
            if rest <= 0:
                raise backlog_is_full(self._path)
            time.sleep(min(CONNECT_PAUSE, rest))
        self._socket = channel
        return channel

    def _close(self, reason: KistError | None = None) -> None:
        """Ends the connection; requests in flight on it fail with the reason."""
        if self._socket is not None:
            self._socket.close()
            self._end = reason or Disconnected("the connection ended before the reply")
        self._socket = None
        self._replies.wipe()
        self._is_broken = self._has_answered = False

    def after_fork(self) -> None:
        """Drops the connection and the lock, which are the parent's."""
        self._lock = threading.Lock()
        self._close()


def _deadline(options: Options) -> float | None:
    return None if options.timeout is None else time.monotonic() + options.timeout


def _acquired(lock: threading.Lock, deadline: float | None) -> bool:
    """Waits for the threads that use the connection; false if they still do when the time is over."""
    return lock.acquire(timeout=-1 if deadline is None else max(deadline - time.monotonic(), 0))


def _too_late(request: Request[Any], options: Options) -> Timeout:
    return named(Timeout("other threads used the connection all the time, so the request was not sent"), request, options.request_id)


def _forget_connections() -> None:
    for connection in list(_connections):
        connection.after_fork()


os.register_at_fork(after_in_child=_forget_connections)
