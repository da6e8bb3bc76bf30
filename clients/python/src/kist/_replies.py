"""What arrives on a connection, cut into replies."""

from __future__ import annotations

import socket

from ._frame import LENGTH, reply_length


class Replies:
    """Keeps what has arrived until it is a whole reply, and nothing of one that was taken."""

    def __init__(self) -> None:
        self._buffer = bytearray(4096)
        self._start = self._end = 0

    def __bool__(self) -> bool:
        """Whether part of a reply is there."""
        return self._end > self._start

    def fill(self, channel: socket.socket) -> int:
        """Takes what has come, and says how many bytes; 0 at the connection's end."""
        if self._end == len(self._buffer):
            self._widen()
        with memoryview(self._buffer) as view, view[self._end :] as room:
            taken = channel.recv_into(room)
        self._end += taken
        return taken

    def next(self) -> bytearray | None:
        """The next whole reply, its length stripped; the caller wipes it.

        Raises:
            ReplyError: its length is none of a reply.
        """
        start = self._start + LENGTH.size
        if self._end < start:
            return None
        end = start + reply_length(self._buffer[self._start : start])
        if self._end < end:
            return None
        reply = self._buffer[start:end]
        self._buffer[self._start : end] = bytes(end - self._start)
        self._start = end
        if end == self._end:
            self._start = self._end = 0
        return reply

    def wipe(self) -> None:
        """Forgets what is there."""
        self._buffer[:] = bytes(len(self._buffer))
        self._start = self._end = 0

    def _widen(self) -> None:
        """Makes room for as much again, in other memory."""
        old, size = self._buffer, self._end - self._start
        self._buffer = bytearray(2 * size + 4096)
        with memoryview(old) as view:
            self._buffer[:size] = view[self._start :]
        self._start, self._end = 0, size
        old[:] = bytes(len(old))
