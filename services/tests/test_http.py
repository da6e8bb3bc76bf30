"""How long a connection may be without a request, by a clock that the test sets."""

from __future__ import annotations

import asyncio
import pathlib
import re
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from kist_services.common import http
from starlette.types import Message, Receive, Scope, Send

SOURCES = pathlib.Path(http.__file__).parents[1]


class Connection(asyncio.Transport):
    """A transport that only remembers whether it was closed."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = False

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


class Server(asyncio.Protocol):
    """In place of uvicorn's: what asyncio asks of every protocol and nothing more. Each word that arrives is a request."""

    def __init__(self, app: Callable[..., Coroutine[Any, Any, None]], calls: list[str]) -> None:
        self._app, self._calls = app, calls
        self.tasks = set[asyncio.Task[None]]()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._calls.append("made")

    def data_received(self, data: bytes) -> None:
        for _ in data.split():
            self.tasks.add(asyncio.get_running_loop().create_task(self._app({"type": "http"}, None, None)))

    def eof_received(self) -> bool | None:
        self._calls.append("eof")
        return True

    def pause_writing(self) -> None:
        self._calls.append("pause")

    def resume_writing(self) -> None:
        self._calls.append("resume")

    def connection_lost(self, error: Exception | None) -> None:
        self._calls.append("lost")


class Room:
    """A connection, what is behind it, and the clock."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._now = 1000.0
        patch.setattr(asyncio.get_running_loop(), "time", lambda: self._now)
        patch.setattr(http, "H11Protocol", Server)
        self.may_answer = asyncio.Event()
        self.transport, self.calls = Connection(), list[str]()
        self.protocol = http.TimedHTTP(http.timed(self._answer), self.calls)
        self.protocol.connection_made(self.transport)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.may_answer.wait()

    async def wait(self, seconds: float) -> bool:
        """Whether the connection is open afterwards."""
        self._now += seconds
        for _ in range(5):
            await asyncio.sleep(0)
        return not self.transport.closed


def in_a_room(visit: Callable[[Room], Coroutine[Any, Any, None]]) -> None:
    async def enter() -> None:
        with pytest.MonkeyPatch.context() as patch:
            await visit(Room(patch))

    asyncio.run(enter())


def test_a_connection_without_a_request_is_closed() -> None:
    async def visit(room: Room) -> None:
        assert await room.wait(http.HEAD_SECONDS - 0.1)
        assert not await room.wait(0.2)

    in_a_room(visit)


def test_a_head_that_never_ends_is_closed() -> None:
    """Bytes are no request."""

    async def visit(room: Room) -> None:
        for _ in range(4):
            room.protocol.data_received(b" ")
            assert await room.wait(1.2)
        room.protocol.data_received(b" ")
        assert not await room.wait(1.2)

    in_a_room(visit)


def test_a_request_that_is_answered_slowly_is_not_closed() -> None:
    async def visit(room: Room) -> None:
        room.protocol.data_received(b"GET")
        assert await room.wait(0) and await room.wait(3 * http.HEAD_SECONDS)
        room.may_answer.set()
        assert await room.wait(0) and await room.wait(http.HEAD_SECONDS - 0.1)
        assert not await room.wait(0.2)

    in_a_room(visit)


def test_requests_that_overlap_are_not_closed() -> None:
    """The first ends while the second is under way."""

    async def visit(room: Room) -> None:
        room.protocol.data_received(b"GET")
        assert await room.wait(0)
        with room.protocol.request():
            room.may_answer.set()
            assert await room.wait(0) and await room.wait(3 * http.HEAD_SECONDS)
        assert await room.wait(http.HEAD_SECONDS - 0.1) and not await room.wait(0.2)

    in_a_room(visit)


def test_a_lost_connection_is_not_closed_later() -> None:
    async def visit(room: Room) -> None:
        room.protocol.pause_writing()
        room.protocol.resume_writing()
        assert room.protocol.eof_received()
        room.protocol.connection_lost(None)
        assert await room.wait(2 * http.HEAD_SECONDS)
        assert room.calls == ["made", "pause", "resume", "eof", "lost"]

    in_a_room(visit)


def test_what_is_no_request_passes() -> None:
    """Such as the lifespan, which comes over no connection."""
    seen = list[str]()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    async def receive() -> Message:
        return {}

    async def send(message: Message) -> None:
        pass

    async def begin() -> None:
        await http.timed(app)({"type": "lifespan"}, receive, send)

    asyncio.run(begin())
    assert seen == ["lifespan"]


def test_no_class_is_made_of_the_servers() -> None:
    """Another release of uvicorn has other members; what is imported of it is called, and nothing is derived from it."""
    files = [*SOURCES.rglob("*.py"), *(SOURCES.parents[1] / "shop").glob("*.py")]
    assert len(files) > 20
    texts = {file.name: file.read_text() for file in files}
    imported = {name: re.findall(r"^from (uvicorn\S*) import (.*)$|^import (uvicorn.*)$", text, re.MULTILINE) for name, text in texts.items()}
    assert {name for name, found in imported.items() if found} == {"http.py", "shop.py"}
    assert ("uvicorn.protocols.http.h11_impl", "H11Protocol", "") in imported["http.py"]
    assert len(re.findall(r"\bH11Protocol\b", texts["http.py"])) == 2 and "H11Protocol(*arguments, **options)" in texts["http.py"]
    called = {name for text in texts.values() for name in re.findall(r"\buvicorn\.(\w+)\b(?! import)", text)}
    assert called <= {"run", "protocols"}, called
