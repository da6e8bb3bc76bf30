"""A client that waits for its results."""

from __future__ import annotations

import collections
import copy
import os
import socket
import threading
import time
import weakref
from collections.abc import Iterable
from typing import Any, TypeVar

from . import operations
from ._codec import wipe
from ._frame import LENGTH, Request, answer, naming_retry_key, reply_length
from ._methods import method
from ._socket import CONNECT_PAUSE, backlog_is_full, checked_timeout, connect, is_idle
from .endpoint import socket_path
from .errors import Busy, Disconnected, KistError, Refused, ReplyError, Timeout, Unreachable
from .models import Key, KeyPage

R = TypeVar("R")

#: The most requests of a pipeline in flight at once, and their most bytes. The socket buffers these, so that sending never
#: waits for a daemon that itself waits until its replies are taken.
IN_FLIGHT = 32
IN_FLIGHT_BYTES = 64 * 1024

_clients: weakref.WeakSet[Client] = weakref.WeakSet()


class Client:
    """A connection to `kistd`, and a context manager.

    Threads that share it wait for one another.  It connects when it is first used, and again before a request if the
    connection has ended; only a token that is opened with `retry` is ever sent twice.  A child process's first request opens a new connection.

    Every operation of `kist.operations` is a method.

    Args:
        endpoint: `unix:/PATH`; None for the environment's `KIST_ENDPOINT`, else ``unix:/run/kist/kist.sock``.
        timeout: seconds for one request, connecting included; None for no end.

    Raises:
        EndpointError: the endpoint is not valid.
        ValueError: the time-out is not valid.
    """

    def __init__(self, endpoint: str | None = None, *, timeout: float | None = 10.0) -> None:
        self._path = socket_path(endpoint)
        self._timeout = checked_timeout(timeout)
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        # After a frame that was sent in part, or not at all, nothing more can be sent; earlier replies can still be read.
        self._is_broken = False
        self._has_answered = False  # on this connection
        self._end: KistError = Disconnected("the connection ended before the reply")  # of the last connection
        self._last_id = 0
        _clients.add(self)

    def call(self, request: Request[R]) -> R:
        """Carries out one request.  One with `retry` whose reply is lost is sent once more, on a new connection and with a new time-out.

        Raises:
            Refused: the daemon refused.
            Unreachable, Disconnected, Timeout, ReplyError: there is no valid answer.
        """
        try:
            return self._call_once(request)
        except (Disconnected, Timeout) as lost:
            if not request.is_repeated:
                raise
            try:
                return self._call_once(request)
            except Unreachable as error:
                raise lost from error  # for the first may have been carried out

    def pipeline(self, requests: Iterable[Request[R]]) -> list[R | KistError]:
        """Carries out many requests, several of them in flight at once; an error is returned in the place of its result.

        None is sent twice: one with a `retry_key` can be made again by its error's.

        All requests are made before the first is sent: if making one raises, so does this, and nothing was carried out.
        """
        batch = list(requests)  # runs the caller's code, which may use this client
        for request in batch:
            if not isinstance(request, Request):
                raise TypeError(f"a pipeline takes requests of kist.operations, not {type(request).__name__}")
        results: list[R | KistError] = []
        flying: collections.deque[tuple[Request[R], int]] = collections.deque()
        with self._lock:
            try:
                for request in batch:
                    while flying and not self._has_room(flying, request):
                        self._settle(flying, results)
                    self._launch(request, flying, results)
                while flying:
                    self._settle(flying, results)
            except BaseException:
                self._close()  # otherwise replies that nobody waits for would be taken for later ones
                raise
        return results

    def keys(self, prefix: str = "") -> list[Key]:
        """All keys that the caller may use whose label begins with `prefix`, by label."""
        keys: list[Key] = []
        while extend(keys, self.list_keys(prefix, keys[-1].label if keys else "")):
            pass
        return keys

    def close(self) -> None:
        """Ends the connection; another request opens a new one."""
        with self._lock:
            self._close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    ping = method(operations.ping)
    ready = method(operations.ready)
    describe = method(operations.describe)
    list_keys = method(operations.list_keys)
    describe_key = method(operations.describe_key)
    random = method(operations.random)
    who = method(operations.who)
    audit_digest = method(operations.audit_digest)
    verify_payment_token = method(operations.verify_payment_token)
    open_payment_token = method(operations.open_payment_token)
    provision_pass = method(operations.provision_pass)
    provision_trace = method(operations.provision_trace)
    sign_otp = method(operations.sign_otp)
    verify_otp = method(operations.verify_otp)
    ecdh = method(operations.ecdh)
    shared_secret = method(operations.shared_secret)
    kdf = method(operations.kdf)
    derived_key = method(operations.derived_key)
    seal = method(operations.seal)
    unseal = method(operations.unseal)
    sign = method(operations.sign)
    verify = method(operations.verify)
    mac = method(operations.mac)
    verify_mac = method(operations.verify_mac)
    unwrap = method(operations.unwrap)
    release_handle = method(operations.release_handle)
    tokenise = method(operations.tokenise)
    tokenise_envelope = method(operations.tokenise_envelope)
    detokenise = method(operations.detokenise)
    open_envelope = method(operations.open_envelope)
    status = method(operations.status)
    unlock = method(operations.unlock)
    lock = method(operations.lock)
    import_key = method(operations.import_key)

    def _call_once(self, request: Request[R]) -> R:
        with self._lock:
            deadline = self._deadline()
            return self._collect(request, self._submit(request, deadline, is_first=True), deadline)

    def _deadline(self) -> float | None:
        return None if self._timeout is None else time.monotonic() + self._timeout

    def _submit(self, request: Request[Any], deadline: float | None, is_first: bool) -> int:
        """Sends one request and returns its id; first replaces a connection that has ended with nothing in flight.

        If the daemon has closed the connection, the request counts as sent: a reply may have come before [WIRE-19].
        """
        with naming_retry_key(request):
            return self._send(request, deadline, is_first)

    def _send(self, request: Request[Any], deadline: float | None, is_first: bool) -> int:
        frame = request.frame(self._last_id + 1)
        try:
            if is_first and not self._is_usable():
                self._close()
            channel = self._socket or self._connect(deadline)
            self._within(channel, deadline)
            channel.sendall(frame)
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
        self._last_id += 1
        return self._last_id

    def _collect(self, request: Request[R], request_id: int, deadline: float | None) -> R:
        with naming_retry_key(request):
            return self._take(request, request_id, deadline)

    def _take(self, request: Request[R], request_id: int, deadline: float | None) -> R:
        try:
            prefix = self._receive(LENGTH.size, deadline)
            frame = self._receive(reply_length(prefix), deadline)
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
        self, request: Request[R], flying: collections.deque[tuple[Request[R], int]], results: list[R | KistError]
    ) -> None:
        """Sends one more request; if that fails, earlier ones may have been answered."""
        try:
            flying.append((request, self._submit(request, self._deadline(), is_first=not flying)))
        except KistError as error:
            while flying:
                self._settle(flying, results)
            results.append(error)

    def _settle(self, flying: collections.deque[tuple[Request[R], int]], results: list[R | KistError]) -> None:
        """Collects the oldest reply in flight."""
        request, request_id = flying.popleft()
        try:
            results.append(self._collect(request, request_id, self._deadline()))
        except KistError as error:
            results.append(error)

    def _receive(self, count: int, deadline: float | None) -> bytearray:
        if self._socket is None:
            raise copy.copy(self._end)
        buffer = bytearray(count)
        received = 0
        try:
            with memoryview(buffer) as view:
                while received < count:
                    self._within(self._socket, deadline)
                    taken = self._socket.recv_into(view[received:])
                    if taken == 0:
                        raise Disconnected("the connection ended before the reply")
                    received += taken
            return buffer
        except BaseException as error:
            wipe(buffer)
            if isinstance(error, TimeoutError):
                raise Timeout("the reply did not come in time") from None
            if isinstance(error, OSError) and not isinstance(error, KistError):
                raise Disconnected(error.errno, error.strerror) from None
            raise

    def _within(self, channel: socket.socket, deadline: float | None) -> None:
        rest = None if deadline is None else deadline - time.monotonic()
        if rest is not None and rest <= 0:
            raise TimeoutError
        channel.settimeout(rest)

    def _is_usable(self) -> bool:
        """Whether a request can be sent on the present connection, with nothing in flight."""
        return self._socket is not None and not self._is_broken and is_idle(self._socket)

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
        self._is_broken = self._has_answered = False

    def _after_fork(self) -> None:
        """Drops the connection and the lock, which are the parent's."""
        self._lock = threading.Lock()
        self._close()


def extend(keys: list[Key], page: KeyPage) -> bool:
    """Appends a page to the keys before it, and returns whether there is another.

    Raises:
        ReplyError: its labels do not follow theirs in order [OP-LIST-1], so the listing might never end.
    """
    for key in page.keys:
        if keys and key.label <= keys[-1].label:
            raise ReplyError("a listing whose labels do not ascend")
        keys.append(key)
    return page.more and bool(page.keys)


def _forget_connections() -> None:
    for client in list(_clients):
        client._after_fork()


os.register_at_fork(after_in_child=_forget_connections)
