"""What both clients do with servers that lie, die, wait and come back."""

from __future__ import annotations

import asyncio
import os
import pathlib
import select
import threading
from collections.abc import Coroutine, Iterator
from typing import Any

import kist
import pytest
from fake import FakeServer
from kist import _codec, _frame, operations

OUTCOMES: dict[str, type[kist.KistError] | None] = {
    "ok": None, "malformed": kist.Malformed, "unsupported": kist.Unsupported, "denied": kist.Denied, "rejected": kist.Rejected, "approval-needed": kist.ApprovalNeeded,
    "busy": kist.Busy, "locked": kist.Locked, "audit-unavailable": kist.AuditUnavailable, "internal": kist.Internal,
    "disconnected": kist.Disconnected, "reply": kist.ReplyError,
}  # fmt: skip
REPLIES = [
    [part.strip() for part in line.split("|")]
    for line in (pathlib.Path(__file__).resolve().parents[2] / "replies.txt").read_text().splitlines()
    if line and line[0] != "#"
]


def outcome(kind: str, endpoint: str, *requests: kist.Request[Any]) -> list[Any]:
    """What comes of these requests, one after another, with one client or the other."""
    if kind == "AsyncClient":
        return asyncio.run(async_outcome(endpoint, *requests))
    results: list[Any] = []
    with kist.Client(endpoint) as client:
        for request in requests:
            try:
                results.append(client.call(request))
            except kist.KistError as error:
                results.append(error)
    return results


async def async_outcome(endpoint: str, *requests: kist.Request[Any]) -> list[Any]:
    async with kist.AsyncClient(endpoint) as client:
        return [(await asyncio.gather(client.call(request), return_exceptions=True))[0] for request in requests]


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
@pytest.mark.parametrize("expected, name, hexadecimal", REPLIES, ids=[name for _, name, _ in REPLIES])
def test_replies(tmp_path: pathlib.Path, kind: str, expected: str, name: str, hexadecimal: str) -> None:
    with FakeServer(tmp_path, answer=bytes.fromhex(hexadecimal)) as server:
        (result,) = outcome(kind, server.endpoint, operations.random(4))
    error = OUTCOMES[expected]
    if error is None:
        assert result == bytes([1, 2, 3, 4])
        return
    assert type(result) is error
    if isinstance(result, kist.Refused):
        assert result.audit_sequence == 41 and "41" in str(result)
    if isinstance(result, kist.Rejected):
        expect = {"rejected with a stage": ("signing-time", kist.PassField.NONCE), "rejected with a stage of a later daemon": ("unknown", None)}
        assert (result.stage, result.field) == expect.get(name, (None, None))
    if isinstance(result, kist.ApprovalNeeded):
        assert (result.request, result.until) == ("1a2b3c4d", 1_767_225_600) and "kist approve 1a2b3c4d" in str(result)


def test_every_reply() -> None:
    assert len(REPLIES) == 37 and {expected for expected, _, _ in REPLIES} == set(OUTCOMES)


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
def test_fewer_bytes_than_asked_for(tmp_path: pathlib.Path, kind: str) -> None:
    with FakeServer(tmp_path, answer=bytes.fromhex(REPLIES[0][2])) as server:
        (result,) = outcome(kind, server.endpoint, operations.random(5))
    assert type(result) is kist.ReplyError


@pytest.mark.parametrize("endpoint", ["unix:", "unix:relative", "/run/kist/kist.sock", "tcp:127.0.0.1:1", "UNIX:/run", " unix:/run", "http://x"])
def test_endpoints(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    with pytest.raises(kist.EndpointError, match="unix:/PATH"):
        kist.Client(endpoint)
    monkeypatch.setenv("KIST_ENDPOINT", endpoint)
    with pytest.raises(kist.EndpointError):
        kist.AsyncClient()


def test_endpoint_of_the_environment(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(tmp_path) as server:
        monkeypatch.setenv("KIST_ENDPOINT", server.endpoint)
        with kist.Client() as client:
            client.ping()
    monkeypatch.setenv("KIST_ENDPOINT", f"unix:{tmp_path}/nobody.sock")
    with pytest.raises(kist.Unreachable) as nobody:
        kist.Client().ping()
    assert nobody.value.errno == 2
    with pytest.raises(kist.Unreachable):
        asyncio.run(kist.AsyncClient().ping())


def test_reconnects_and_never_repeats(tmp_path: pathlib.Path) -> None:
    with FakeServer(tmp_path, hang_up_after=1) as server, kist.Client(server.endpoint) as client:
        for count in range(1, 5):
            assert len(client.random(16)) == 16 and server.connections == count
            assert client._socket
            select.select([client._socket], [], [])  # until it has hung up
        assert server.requests == 4
    with FakeServer(fresh(tmp_path), answer=b"") as server, kist.Client(server.endpoint) as client:
        with pytest.raises(kist.Disconnected):
            client.ping()
        assert server.requests == 1


def fresh(folder: pathlib.Path) -> pathlib.Path:
    (folder / "again").mkdir()
    return folder / "again"


def test_timeout(tmp_path: pathlib.Path) -> None:
    with FakeServer(tmp_path, is_silent=True) as server:
        client = kist.Client(server.endpoint, timeout=0.03)
        for count in (1, 2):
            with pytest.raises(kist.Timeout):
                client.ping()
            assert server.connections == count  # a late reply must not be taken for the next one's

        async def twice() -> None:
            async with kist.AsyncClient(server.endpoint, timeout=0.03) as looping:
                for _ in range(2):
                    with pytest.raises(kist.Timeout):
                        await looping.ping()

        asyncio.run(twice())
        assert server.connections == 4


def test_threads(tmp_path: pathlib.Path) -> None:
    good: list[int] = []
    with FakeServer(tmp_path) as server, kist.Client(server.endpoint) as client:

        def draw() -> None:
            good.append(sum(len(client.random(count)) == count for count in range(1, 101)))

        threads = [threading.Thread(target=draw) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert good == [100] * 8 and server.connections == 1


def test_fork(tmp_path: pathlib.Path) -> None:
    with FakeServer(tmp_path) as server, kist.Client(server.endpoint) as client:
        client.ping()
        client._lock.acquire()  # as another thread in a call has it
        child = os.fork()
        if child == 0:
            try:
                client.ping()
                os._exit(0)
            finally:
                os._exit(1)
        client._lock.release()
        assert os.waitpid(child, 0)[1] == 0 and server.connections == 2
        client.ping()
        assert server.connections == 2


def test_pipeline(tmp_path: pathlib.Path) -> None:
    with FakeServer(tmp_path) as server, kist.Client(server.endpoint) as client:
        drawn = client.pipeline(operations.random(count) for count in range(1, 201))
        assert [len(one) for one in drawn if isinstance(one, bytearray)] == list(range(1, 201))
        assert client.pipeline([]) == []
        large = [operations.sign(bytes(16), kist.SignatureScheme.ED25519, bytes(60000)) for _ in range(4)]
        assert [type(one) for one in client.pipeline(large)] == [bytes] * 4
        assert server.connections == 1


def test_broken_pipeline(tmp_path: pathlib.Path) -> None:
    with FakeServer(tmp_path, hang_up_after=3) as server, kist.Client(server.endpoint) as client:
        # One request in flight: where the third reply's end is met depends on nothing.
        results: list[type] = [type(one) for one in client.pipeline(operations.sign(bytes(16), kist.SignatureScheme.ED25519, bytes(65000)) for _ in range(3))]
        assert results == [bytes] * 3
        results = [type(one) for one in client.pipeline([operations.ping()] * 8)]
        assert results[:3] == [type(None)] * 3 and kist.Disconnected in results[3:]


def test_tasks_share_a_connection(tmp_path: pathlib.Path) -> None:
    async def main(endpoint: str) -> None:
        async with kist.AsyncClient(endpoint) as client:
            drawn = await asyncio.gather(*(client.random(count) for count in range(1, 301)))
            assert [len(one) for one in drawn] == list(range(1, 301))
            # One that nobody waits for any more has its turn all the same.
            task = asyncio.ensure_future(client.random(7))
            while not client._flying:
                await asyncio.sleep(0)
            task.cancel()
            assert len(await client.random(9)) == 9
            await client.close()
            assert len(await client.random(9)) == 9

    with FakeServer(tmp_path) as server:
        asyncio.run(main(server.endpoint))
        assert server.connections == 2


def test_closed_under_way(tmp_path: pathlib.Path) -> None:
    async def main(endpoint: str) -> list[Any]:
        client = kist.AsyncClient(endpoint)
        calls: list[Coroutine[Any, Any, None]] = [client.ping() for _ in range(5)]
        waiting = asyncio.gather(*calls, return_exceptions=True)
        while len(client._flying) < 5:
            await asyncio.sleep(0)
        await client.close()
        return await waiting

    with FakeServer(tmp_path, is_silent=True) as server:
        assert [type(one) for one in asyncio.run(main(server.endpoint))] == [kist.Disconnected] * 5


def test_interrupted_pipeline(tmp_path: pathlib.Path) -> None:
    def interrupted() -> Iterator[kist.Request[None]]:
        yield operations.ping()
        yield operations.ping()
        raise KeyboardInterrupt

    with FakeServer(tmp_path) as server, kist.Client(server.endpoint) as client:
        with pytest.raises(KeyboardInterrupt):
            client.pipeline(interrupted())
        assert len(client.random(9)) == 9 and server.connections == 2


def test_a_request_that_was_not_sent_ends_no_connection(tmp_path: pathlib.Path) -> None:
    async def main(endpoint: str) -> None:
        async with kist.AsyncClient(endpoint) as client:
            await client.ping()
            client._timeout = 0.01
            async with client._sending:  # as another task that is sending has it
                with pytest.raises(kist.Timeout):
                    await client.ping()
            client._timeout = 10
            await client.ping()

    with FakeServer(tmp_path) as server:
        asyncio.run(main(server.endpoint))
        assert server.connections == 1


def test_what_is_shown_has_no_secrets() -> None:
    pan = "4109370251004320"
    visa = kist.VisaInput(kist.VisaType.MBPAD, b"nonce", "abc123", pan)
    shown = repr([visa, kist.MastercardInput(3, pan), operations.sign_otp(bytes(16), visa=visa), operations.tokenise(bytes(16), pan, "m")])
    assert pan not in shown and "abc123" not in shown and "41093702" not in shown


def test_requests_out_of_bounds() -> None:
    key = bytes(16)
    for make in (
        lambda: operations.random(0),
        lambda: operations.random(1025),
        lambda: operations.seal(key, bytes(65537)),
        lambda: operations.seal(key, b"", iv=bytes(13)),
        lambda: operations.sign(key[1:], kist.SignatureScheme.ED25519, b""),
        lambda: operations.mac(key, b"", algorithm=kist.MacAlgorithm.AES_CMAC),
        lambda: operations.list_keys("\ud800"),
        lambda: operations.kdf(kist.Handle(key, key), kist.Derivation.HKDF_SHA256, 32, info=b"1", other_info=kist.OtherInfo(b"2")),
    ):
        with pytest.raises(kist.RequestError):
            make()
    with pytest.raises(TypeError):
        operations.seal(key, "text")  # type: ignore[arg-type]


def test_what_is_sent_and_received_is_wiped(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frames: list[bytearray] = []
    wipe = _codec.wipe

    def keep(frame: bytearray) -> None:
        frames.append(frame)
        wipe(frame)

    monkeypatch.setattr(kist.client, "wipe", keep)
    monkeypatch.setattr(_frame, "wipe", keep)
    with FakeServer(tmp_path) as server, kist.Client(server.endpoint) as client:
        drawn = client.random(64)
    assert [len(frame) for frame in frames] == [34, 86] and not any(map(any, frames))
    assert bytes(drawn) == b"\xa5" * 64
