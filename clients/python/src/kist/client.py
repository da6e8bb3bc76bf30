"""A client that waits for its results."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import TypeVar

from ._connection import Connection
from ._frame import Request
from ._methods import Waits
from ._options import UNCHANGED, Options, Unchanged
from ._socket import checked_timeout
from .endpoint import socket_path
from .errors import AuditUnavailable, Busy, Disconnected, KistError, Locked, NoSuchKey, ReplyError, RequestError, SeveralKeys, Timeout, Unreachable
from .models import Key, KeyPage
from .operations import Methods

R = TypeVar("R")


class Client(Methods, Waits):
    """A connection to `kistd`, and a context manager.

    Threads that share it wait for one another.  It connects when it is first used, and again before a request if the
    connection has ended; only what is opened with `retry` is ever sent twice.  A child process's first request opens a new connection.

    Every operation of `kist.operations` is a method.

    Args:
        endpoint: `unix:/PATH`; None for the environment's `KIST_ENDPOINT`, else ``unix:/run/kist/kist.sock``.
        timeout: seconds for one request, with connecting and with waiting for other threads; None for no end.

    Raises:
        EndpointError: the endpoint is not valid.
        ValueError: the time-out is not valid.
    """

    def __init__(self, endpoint: str | None = None, *, timeout: float | None = 10.0) -> None:
        self._connection = Connection(socket_path(endpoint))
        self._options = Options(checked_timeout(timeout))

    def with_options(self, *, request_id: int | str | None = None, timeout: float | None | Unchanged = UNCHANGED) -> Client:
        """This client on the same connection, for calls with a request id and a time-out of their own::

            client.with_options(request_id=request.headers["x-request-id"], timeout=2.0).sign(key, scheme, message)

        Args:
            request_id: what these calls' audit records and errors have: a number, or a text that stands for one, as it does for
                ``kist audit show --request``; None for the client's own.
            timeout: seconds for each request; None for no end; the client's own where it is not said.

        Raises:
            ValueError: the id or the time-out is not valid.
        """
        view = copy.copy(self)
        view._options = self._options.changed(request_id, timeout)
        return view

    def call(self, request: Request[R]) -> R:
        """Carries out one request.  One with `retry` whose reply is lost is sent once more, on a new connection and with a new time-out.
        If the daemon then cannot be reached, is locked, or serves nobody, the error is the first one's: it may have been carried out.

        Raises:
            Refused: the daemon refused.
            Unreachable, Disconnected, Timeout, ReplyError: there is no valid answer.
        """
        try:
            return self._connection.call(request, self._options)
        except (Disconnected, Timeout) as lost:
            if not request.is_repeated:
                raise
            try:
                return self._connection.call(request, self._options)
            except KistError as error:
                if is_about_daemon(error):
                    raise lost from error  # for the first may have been carried out
                raise

    def pipeline(self, requests: Iterable[Request[R]]) -> list[R | KistError]:
        """Carries out many requests, several of them in flight at once; an error is returned in the place of its result.

        None is sent twice: one with a `retry_key` can be made again by its error's.

        All requests are made before the first is sent: if making one raises, so does this, and nothing was carried out.
        """
        batch = list(requests)  # runs the caller's code, which may use this client
        for request in batch:
            if not isinstance(request, Request):
                raise TypeError(f"a pipeline takes requests of kist.operations, not {type(request).__name__}")
        return self._connection.pipeline(batch, self._options)

    def keys(self, prefix: str = "", *, pattern: str = "") -> list[Key]:
        """All keys that the caller may list whose label begins with `prefix` and is covered by `pattern`, by label."""
        keys: list[Key] = []
        while extend(keys, self.list_keys(prefix, keys[-1].label if keys else "", pattern)):
            pass
        return keys

    def find_key(self, pattern: str) -> Key:
        """The one key whose label `pattern` covers, such as ``"merchant/acme/*"``; destroyed keys are passed over.

        Raises:
            NoSuchKey: there is none, or none that the caller may list.
            SeveralKeys: there are more.
            RequestError: the pattern is empty, or too long.
        """
        return only(pattern, self.keys(pattern=required(pattern)))

    def close(self) -> None:
        """Ends the connection; another request opens a new one."""
        self._connection.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


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


def is_about_daemon(error: KistError) -> bool:
    """Whether it could meet any request: so it says nothing of an earlier one."""
    return isinstance(error, (Unreachable, Locked, AuditUnavailable)) or (isinstance(error, Busy) and error.ends_connection)


def required(pattern: str) -> str:
    """Raises `RequestError` for an empty pattern, which a listing would take for all keys."""
    if not pattern:
        raise RequestError("find_key: pattern is missing")
    return pattern


def only(pattern: str, keys: list[Key]) -> Key:
    """The key of these that is not destroyed."""
    found = [key for key in keys if key.state != "destroyed"]
    if not found:
        raise NoSuchKey(pattern)
    if len(found) > 1:
        raise SeveralKeys(pattern, [key.label for key in found])
    return found[0]
