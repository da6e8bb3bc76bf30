"""Sockets and time limits, for both clients."""

from __future__ import annotations

import errno
import math
import os
import select
import socket
import time

from .errors import Unreachable

#: Seconds between two attempts while the daemon's backlog is full.
CONNECT_PAUSE = 0.01
_PATH_MOST = 107
_TIMEOUT_MOST = (2**31 - 1) // 1000
#: Buffer space for everything that may be in flight, as the kernel counts it.
_SEND_ROOM = 256 * 1024


def checked_timeout(timeout: float | None) -> float | None:
    """The seconds, which must be a time that poll(2) can wait; None for no limit.

    Raises:
        ValueError: they are none: 0, less, infinite, not a number, or of another type.
    """
    if timeout is None:
        return None
    if isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and 0 < timeout <= _TIMEOUT_MOST:
        return float(timeout)
    raise ValueError(f"a time-out is more than 0 and at most {_TIMEOUT_MOST} seconds, or None, not {timeout!r}")


def connect(path: str) -> socket.socket | None:
    """A non-blocking connection; None while the daemon's backlog is full, in which case try again soon.

    Raises:
        Unreachable: nobody listens there.
    """
    if len(os.fsencode(path)) > _PATH_MOST:
        raise Unreachable(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), path)
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    try:
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_ROOM)
        channel.connect(path)
        return channel
    except BlockingIOError:
        channel.close()
        return None
    except OSError as error:
        channel.close()
        raise Unreachable(error.errno, error.strerror, path) from None


def backlog_is_full(path: str) -> Unreachable:
    """The error of a client whose time was over while it waited for a connection; nothing was sent."""
    return Unreachable(errno.EAGAIN, "the daemon takes no more connections", path)


def is_idle(channel: socket.socket) -> bool:
    """Whether the daemon is still there and has sent nothing unasked."""
    try:
        channel.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


def send_all(channel: socket.socket, frame: bytearray, deadline: float | None) -> None:
    """Raises `TimeoutError` at the deadline, with the frame sent in part."""
    with memoryview(frame) as view:
        sent = 0
        while sent < len(frame):
            try:
                sent += channel.send(view[sent:])
            except BlockingIOError:
                wait(channel, select.POLLOUT, deadline)


def wait(channel: socket.socket, event: int, deadline: float | None) -> None:
    """Waits for what the kernel says of the socket; raises `TimeoutError` at the deadline."""
    poll = select.poll()
    poll.register(channel, event)
    rest = None if deadline is None else max(math.ceil((deadline - time.monotonic()) * 1000), 0)
    if not poll.poll(rest):
        raise TimeoutError
