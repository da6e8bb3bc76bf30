"""A server of the tests' own: sound, or whatever a test makes it."""

from __future__ import annotations

import contextlib
import pathlib
import socket
import struct
import threading


class FakeServer:
    """Answers `random` with bytes of A5 and everything else with nothing.

    Args:
        answer: to the first request, in place of a sound one; then it hangs up.
        is_silent: never answers.
        hang_up_after: requests on one connection.
        greeting: is sent to whom connects, who is then hung up on without being read.
        gate: answers wait until it is set.
        drops: so many requests, the first ones, are taken and hung up on.
        silences: so many are taken and never answered.
    """

    def __init__(
        self, folder: pathlib.Path, *, answer: bytes | None = None, is_silent: bool = False, hang_up_after: int = 0,
        greeting: bytes | None = None, gate: threading.Event | None = None, drops: int = 0, silences: int = 0,
    ) -> None:  # fmt: skip
        self.drops, self.silences = drops, silences
        self.bodies: list[bytes] = []
        self.ids: list[int] = []
        self.flags: list[int] = []
        self.refuses_from_then_on = False  # after the first connection
        self.answer, self.is_silent, self.hang_up_after = answer, is_silent, hang_up_after
        self.greeting, self.gate = greeting, gate
        self.connections = self.requests = 0
        self.hung_up = threading.Event()
        self.endpoint = f"unix:{folder}/fake.sock"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{folder}/fake.sock")
        self._listener.listen(16)
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def __enter__(self) -> FakeServer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            if self.refuses_from_then_on:
                pathlib.Path(self.endpoint.removeprefix("unix:")).unlink()
            if self.greeting is not None:
                with connection:
                    connection.sendall(self.greeting)
                continue
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        # A client that hangs up with bytes unread resets the connection.
        with connection, contextlib.suppress(ConnectionError):
            self._answer(connection)
        self.hung_up.set()

    def _answer(self, connection: socket.socket) -> None:
        served = 0
        while len(prefix := connection.recv(4, socket.MSG_WAITALL)) == 4:
            request = connection.recv(struct.unpack(">I", prefix)[0], socket.MSG_WAITALL)
            self.requests += 1
            self.bodies.append(request[28:])
            self.ids.append(int.from_bytes(request[4:12], "big"))
            self.flags.append(request[1])
            served += 1
            if self.requests <= self.drops:
                return
            if self.is_silent or self.requests <= self.silences:
                continue
            if self.gate is not None:
                self.gate.wait()
            connection.sendall(reply(request) if self.answer is None else self.answer)
            if self.answer is not None or served == self.hang_up_after:
                return


def reply(request: bytes) -> bytes:
    """A sound one to what stands behind the length field."""
    body = b""
    if request[3] == 5:
        count = request[29] & 0x7F | (request[30] << 7 if request[29] & 0x80 else 0)
        size = bytes([count]) if count < 128 else bytes([count & 0x7F | 0x80, count >> 7])
        body = b"\x0a" + size + b"\xa5" * count
    return struct.pack(">IBB", 20 + len(body), 1, 0) + request[2:12] + b"\xff" * 8 + body
