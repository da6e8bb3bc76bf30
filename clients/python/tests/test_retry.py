"""A token or an envelope that is opened with `retry` is sent twice at most, and never without."""

from __future__ import annotations

import asyncio
import copy
import pathlib
import pickle
import struct
from typing import Any

import kist
import pytest
from fake import FakeServer
from kist import operations

TOKEN = kist.Token(version=kist.TokenVersion.EC_V1, data=b"d", signature=b"s", public_key_hash=bytes(32), transaction_id=bytes(32))
KEY = bytes(range(16))


def opening(client: Any, what: str, **options: Any) -> Any:
    if what == "token":
        return client.open_payment_token(TOKEN, **options)
    return client.open_envelope(KEY, b"e", "merchant", bytes(32), **options)


def opened(kind: str, endpoint: str, what: str = "token", **options: Any) -> Any:
    """What was opened, or the error."""

    async def main() -> Any:
        async with kist.AsyncClient(endpoint, timeout=0.3) as client:
            return await opening(client, what, **options)

    try:
        if kind == "AsyncClient":
            return asyncio.run(main())
        with kist.Client(endpoint, timeout=0.3) as client:
            return opening(client, what, **options)
    except kist.KistError as error:
        return error


@pytest.mark.parametrize("what, field", [("token", 7), ("envelope", 6)])
@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
@pytest.mark.parametrize(
    "drops, silences, options, expected, requests",
    [
        (0, 0, {"retry": True}, kist.OpenedToken, 1),
        (1, 0, {"retry": True}, kist.OpenedToken, 2),
        (0, 1, {"retry": True, "retry_key": KEY}, kist.OpenedToken, 2),
        (2, 0, {"retry": True, "retry_key": KEY}, kist.Disconnected, 2),
        (0, 9, {"retry": True}, kist.Timeout, 2),
        (1, 0, {"retry_key": KEY}, kist.Disconnected, 1),
        (1, 0, {}, kist.Disconnected, 1),
    ],
)
def test_sent_again(
    tmp_path: pathlib.Path, kind: str, what: str, field: int, drops: int, silences: int, options: dict[str, Any], expected: type, requests: int
) -> None:
    with FakeServer(tmp_path, drops=drops, silences=silences) as server:
        result = opened(kind, server.endpoint, what, **options)
        assert type(result) is expected
        assert server.requests == requests and server.connections == requests
        assert len(set(server.bodies)) == 1  # the same request, byte for byte
        sent = server.bodies[0][-18:]
        assert sent.startswith(bytes([field << 3 | 2, 16])) == bool(options)
        if "retry_key" in options:
            assert sent[2:] == KEY
        if isinstance(result, kist.KistError):
            assert result.retry_key == (sent[2:] if options else None)
            assert pickle.loads(pickle.dumps(result)).retry_key == copy.copy(result).retry_key == result.retry_key


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
def test_a_daemon_that_does_not_come_back(tmp_path: pathlib.Path, kind: str) -> None:
    """The first request may have been carried out, so this is no `Unreachable`."""
    server = FakeServer(tmp_path, drops=1)
    server.refuses_from_then_on = True
    result = opened(kind, server.endpoint, retry=True)
    assert type(result) is kist.Disconnected and type(result.__cause__) is kist.Unreachable and result.retry_key
    server.stop()


def refusal(status: int, *, wait: int = 0, request_id: int = 2) -> bytes:
    """A refusal to a request; `busy` without a wait is about the connection [WIRE-24]."""
    if status == kist.Status.BUSY and not wait:
        return struct.pack(">IBBHQQ", 20, 1, status, 0, 0, 41)
    body = bytes([8, wait]) if wait else b""
    return struct.pack(">IBBHQQ", 20 + len(body), 1, status, kist.Opcode.OPEN_PAYMENT_TOKEN, request_id, 41) + body


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
@pytest.mark.parametrize(
    "drops, silences, answer, expected, cause",
    [
        (1, 0, (kist.Status.LOCKED, 0), kist.Disconnected, kist.Locked),
        (0, 1, (kist.Status.LOCKED, 0), kist.Timeout, kist.Locked),
        (1, 0, (kist.Status.AUDIT_UNAVAILABLE, 0), kist.Disconnected, kist.AuditUnavailable),
        (1, 0, (kist.Status.BUSY, 0), kist.Disconnected, kist.Busy),
        (1, 0, (kist.Status.BUSY, 100), kist.Busy, kist.Disconnected),
        (1, 0, (kist.Status.REJECTED, 0), kist.Rejected, kist.Disconnected),
        (0, 0, (kist.Status.LOCKED, 0), kist.Locked, None),
        (0, 0, (kist.Status.AUDIT_UNAVAILABLE, 0), kist.AuditUnavailable, None),
        (0, 0, (kist.Status.BUSY, 0), kist.Busy, None),
    ],
)
def test_refused_the_second_time(
    tmp_path: pathlib.Path, kind: str, drops: int, silences: int, answer: tuple[int, int], expected: type[kist.KistError], cause: type | None
) -> None:
    """What the daemon says of itself does not say that the first request was not carried out; what it says of the request is the answer."""
    lost = drops + silences
    request_id = lost + 1 if kind == "Client" else 1  # the second goes over a connection that counts for itself
    status, wait = answer
    with FakeServer(tmp_path, drops=drops, silences=silences, answer=refusal(status, wait=wait, request_id=request_id)) as server:
        result = opened(kind, server.endpoint, retry=True, retry_key=KEY)
        assert type(result) is expected and result.retry_key == KEY and server.requests == lost + 1
        assert type(result.__cause__ or result.__context__) is (cause or type(None))
        if isinstance(result, kist.Busy):
            assert result.ends_connection == (wait == 0)


def test_pipelines_send_nothing_twice_and_name_the_key(tmp_path: pathlib.Path) -> None:
    with FakeServer(tmp_path, drops=1) as server, kist.Client(server.endpoint) as client:
        (result,) = client.pipeline([operations.open_payment_token(TOKEN, retry=True, retry_key=KEY)])
        assert type(result) is kist.Disconnected and result.retry_key == KEY
        assert server.requests == 1


def test_keys_differ_and_have_their_size() -> None:
    for what in ("token", "envelope"):
        keys = {opening(operations, what, retry=True).retry_key for _ in range(100)}
        assert len(keys) == 100 and {len(key or b"") for key in keys} == {16}
        with pytest.raises(kist.RequestError, match="retry_key"):
            opening(operations, what, retry_key=b"short")
