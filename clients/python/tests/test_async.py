"""What tasks, event loops and processes that share an `AsyncClient` do to one another."""

from __future__ import annotations

import asyncio
import gc
import os
import pathlib
import threading
import warnings
from collections.abc import Coroutine
from typing import Any

import kist
import pytest
from fake import FakeServer


def flying(client: kist.AsyncClient) -> int:
    return len(client._shared.line._flying) if client._shared.line is not None else 0


async def until_flying(client: kist.AsyncClient, count: int) -> None:
    while flying(client) < count:
        await asyncio.sleep(0)


def test_tasks_share_a_connection(tmp_path: pathlib.Path) -> None:
    async def main(endpoint: str) -> None:
        async with kist.AsyncClient(endpoint) as client:
            drawn = await asyncio.gather(*(client.random(count) for count in range(1, 301)))
            assert [len(one) for one in drawn] == list(range(1, 301))
            await client.close()
            assert len(await client.random(9)) == 9

    with FakeServer(tmp_path) as server:
        asyncio.run(main(server.endpoint))
        assert server.connections == 2


def test_a_time_out_leaves_its_neighbours_alone(tmp_path: pathlib.Path) -> None:
    """The first call's time is over while the second waits; both are answered then, and the second gets its own reply."""
    gate = threading.Event()

    async def main(endpoint: str) -> None:
        async with kist.AsyncClient(endpoint, timeout=0.2) as client:
            first = asyncio.ensure_future(client.random(7))
            await until_flying(client, 1)
            patient = client.with_options(timeout=10)
            others = [asyncio.ensure_future(patient.random(count)) for count in range(8, 50)]
            with pytest.raises(kist.Timeout):
                await first
            gate.set()
            assert [len(one) for one in await asyncio.gather(*others)] == list(range(8, 50))
            assert len(await patient.random(50)) == 50

    with FakeServer(tmp_path, gate=gate) as server:
        asyncio.run(main(server.endpoint))
        assert server.connections == 1 and server.requests == 44


def test_a_time_out_while_a_frame_is_sent_leaves_the_frame_whole(tmp_path: pathlib.Path) -> None:
    """The socket is full in the middle of a frame when the time of its call is over."""
    gate = threading.Event()

    async def main(endpoint: str) -> None:
        async with kist.AsyncClient(endpoint, timeout=10) as client:
            first = asyncio.ensure_future(client.ping())
            await until_flying(client, 1)
            hurried = client.with_options(timeout=0.2)
            large = [asyncio.ensure_future(hurried.sign(bytes(16), kist.SignatureScheme.ED25519, bytes(65000))) for _ in range(20)]
            for result in await asyncio.gather(*large, return_exceptions=True):
                assert type(result) is kist.Timeout
            assert 1 < flying(client) < 20
            gate.set()
            await first
            assert len(await client.random(9)) == 9

    with FakeServer(tmp_path, gate=gate) as server:
        asyncio.run(main(server.endpoint))
        assert server.connections == 1


def test_a_connection_that_nobody_waits_for_any_more_is_replaced(tmp_path: pathlib.Path) -> None:
    async def main(endpoint: str) -> None:
        async with kist.AsyncClient(endpoint, timeout=0.05) as client:
            calls: list[Coroutine[Any, Any, None]] = [client.ping() for _ in range(32)]
            for result in await asyncio.gather(*calls, return_exceptions=True):
                assert type(result) is kist.Timeout
            with pytest.raises(kist.Timeout):
                await client.ping()

    with FakeServer(tmp_path, is_silent=True) as server:
        asyncio.run(main(server.endpoint))
        assert server.connections == 2 and server.requests == 33


def test_cancelled_calls_keep_their_slot(tmp_path: pathlib.Path) -> None:
    """Not more than 32 requests are unanswered, however many of them nobody waits for."""
    gate = threading.Event()

    async def main(endpoint: str) -> None:
        async with kist.AsyncClient(endpoint) as client:
            calls = [asyncio.ensure_future(client.random(7)) for _ in range(32)]
            await until_flying(client, 32)
            for call in calls:
                call.cancel()
            later = [asyncio.ensure_future(client.random(count)) for count in range(1, 41)]
            await asyncio.wait(later, timeout=0.1)
            assert flying(client) == 32 and not any(one.done() for one in later)
            gate.set()
            assert [len(one) for one in await asyncio.gather(*later)] == list(range(1, 41))

    with FakeServer(tmp_path, gate=gate) as server:
        asyncio.run(main(server.endpoint))
        assert server.connections == 1


def test_what_was_cancelled_before_its_turn_is_not_sent(tmp_path: pathlib.Path) -> None:
    gate = threading.Event()

    async def main(endpoint: str) -> None:
        async with kist.AsyncClient(endpoint) as client:
            calls = [asyncio.ensure_future(client.ping()) for _ in range(40)]
            await until_flying(client, 32)
            for call in calls[32:]:
                call.cancel()
            gate.set()
            await asyncio.gather(*calls[:32])
            await client.ping()

    with FakeServer(tmp_path, gate=gate) as server:
        asyncio.run(main(server.endpoint))
        assert server.requests == 33


@pytest.mark.parametrize("count", [5, 100])
def test_closed_under_way(tmp_path: pathlib.Path, count: int) -> None:
    """Calls that wait for their turn end with those in flight, and none opens a connection of its own."""

    async def main(endpoint: str) -> list[Any]:
        client = kist.AsyncClient(endpoint)
        calls: list[Coroutine[Any, Any, None]] = [client.ping() for _ in range(count)]
        waiting = asyncio.gather(*calls, return_exceptions=True)
        await until_flying(client, min(count, 32))
        await client.close()
        return await waiting

    with FakeServer(tmp_path, is_silent=True) as server:
        assert [type(one) for one in asyncio.run(main(server.endpoint))] == [kist.Disconnected] * count
        assert server.connections <= 1


def test_a_second_event_loop(tmp_path: pathlib.Path) -> None:
    """One after another, the first one closed or only stopped: each has a connection."""
    with FakeServer(tmp_path) as server:
        client = kist.AsyncClient(server.endpoint, timeout=5)
        for count in (1, 2):
            assert len(asyncio.run(client.random(count))) == count == server.connections
        loops = [asyncio.new_event_loop() for _ in range(2)]
        for round in range(2):
            for loop in loops:
                assert len(loop.run_until_complete(client.random(9))) == 9
        assert server.connections == 6 and server.requests == 6
        loops[1].run_until_complete(client.close())
        for loop in loops:
            loop.run_until_complete(asyncio.sleep(0.01))
            loop.close()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            gc.collect()


def test_two_event_loops_at_once(tmp_path: pathlib.Path) -> None:
    """The second learns so at once, and nothing of its request is sent."""

    def other(client: kist.AsyncClient) -> None:
        with pytest.raises(RuntimeError, match="another event loop"):
            asyncio.run(client.ping())

    async def main(endpoint: str) -> None:
        async with kist.AsyncClient(endpoint) as client:
            await client.ping()
            await asyncio.get_running_loop().run_in_executor(None, other, client)
            await client.ping()

    with FakeServer(tmp_path) as server:
        asyncio.run(main(server.endpoint))
        assert server.connections == 1 and server.requests == 2


def test_fork(tmp_path: pathlib.Path) -> None:
    with FakeServer(tmp_path) as server:
        client = kist.AsyncClient(server.endpoint, timeout=5)
        loop = asyncio.new_event_loop()
        loop.run_until_complete(client.ping())
        child = os.fork()
        if child == 0:
            try:
                asyncio.run(client.ping())
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0 and server.connections == 2
        loop.run_until_complete(client.ping())
        assert server.connections == 2
        loop.run_until_complete(client.close())
        loop.close()


def test_a_request_that_cannot_be_sent_fails_alone(tmp_path: pathlib.Path) -> None:
    broken: kist.Request[None] = kist.Request(kist.Opcode.PING, [memoryview(bytes(8)).cast("I")], None, lambda *_: None)
    large: kist.Request[None] = kist.Request(kist.Opcode.PING, [bytes(200_000)], None, lambda *_: None)

    async def main(endpoint: str) -> None:
        async with kist.AsyncClient(endpoint) as client:
            requests = [kist.operations.ping(), broken, large, kist.operations.ping()]
            results = await asyncio.gather(*map(client.call, requests), return_exceptions=True)
            assert [type(one) for one in results] == [type(None), ValueError, kist.RequestError, type(None)]

    with FakeServer(tmp_path) as server:
        asyncio.run(main(server.endpoint))
        assert server.connections == 1


def test_options_of_a_call(tmp_path: pathlib.Path) -> None:
    """Calls under several ids share a connection, and each error names its own."""

    async def main(endpoint: str) -> None:
        async with kist.AsyncClient(endpoint) as client:
            await asyncio.gather(*(client.with_options(request_id=number).random(9) for number in range(1000, 1100)))
            await client.ping()

    async def silence(endpoint: str) -> None:
        async with kist.AsyncClient(endpoint, timeout=None) as client:
            late = await asyncio.gather(*(client.with_options(request_id=n, timeout=0.05).ping() for n in (7, 8)), return_exceptions=True)
            assert [type(error) for error in late] == [kist.Timeout] * 2
            assert [str(error) for error in late] == [f"the reply did not come in time (request {n:016x})" for n in (7, 8)]

    with FakeServer(tmp_path) as server:
        asyncio.run(main(server.endpoint))
        assert server.ids == [*range(1000, 1100), 1] and server.connections == 1 and set(server.flags) == {1}
    other = tmp_path / "silent"
    other.mkdir()
    with FakeServer(other, is_silent=True) as server:
        asyncio.run(silence(server.endpoint))
