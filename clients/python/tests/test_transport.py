"""What both clients do with servers that lie, die, wait and come back."""

from __future__ import annotations

import asyncio
import errno
import math
import os
import pathlib
import select
import socket
import struct
import threading
import time
from collections.abc import Coroutine, Iterator
from typing import Any

import kist
import pytest
from fake import FakeServer, reply
from kist import _codec, _frame, _replies, operations
from kist._options import request_number

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

REJECTIONS: dict[str, tuple[str, kist.PassField | None, kist.ReleasedField | None]] = {
    "rejected with a stage": ("signing-time", kist.PassField.NONCE, None),
    "rejected with the last field": ("missing-field", kist.PassField.ACCOUNT_SURROGATE, None),
    "rejected with the last released field": ("not-released", None, kist.ReleasedField.JWE),
    "rejected with a field of a later daemon": ("missing-field", None, None),
    "rejected with a released field of a later daemon": ("not-released", None, None),
    "rejected with a released field that is none": ("not-released", None, None),
    "rejected with a stage of a later daemon": ("unknown", None, None),
}


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
    if isinstance(result, kist.Malformed):
        assert result.why == ("count is 9" if name == "malformed, and why" else None)
    if isinstance(result, kist.Rejected):
        assert (result.stage, result.field, result.released_field) == REJECTIONS.get(name, (None, None, None))
    if isinstance(result, kist.ApprovalNeeded):
        assert (result.request, result.until) == ("1a2b3c4d", 1_767_225_600) and "kist approve 1a2b3c4d" in str(result)


def test_every_reply() -> None:
    assert len(REPLIES) == 51 and {expected for expected, _, _ in REPLIES} == set(OUTCOMES)


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
def test_fewer_bytes_than_asked_for(tmp_path: pathlib.Path, kind: str) -> None:
    with FakeServer(tmp_path, answer=bytes.fromhex(REPLIES[0][2])) as server:
        (result,) = outcome(kind, server.endpoint, operations.random(5))
    assert type(result) is kist.ReplyError


@pytest.mark.parametrize("endpoint", ["", "unix:/a\0b", "unix:", "unix:relative", "/run/kist/kist.sock", "tcp:127.0.0.1:1", "UNIX:/run", " unix:/run", "http://x"])
def test_endpoints(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    with pytest.raises(kist.EndpointError, match="unix:/PATH"):
        kist.Client(endpoint)
    if endpoint and "\0" not in endpoint:
        monkeypatch.setenv("KIST_ENDPOINT", endpoint)
    with pytest.raises(kist.EndpointError):
        kist.AsyncClient() if os.environ.get("KIST_ENDPOINT") == endpoint else kist.AsyncClient(endpoint)


def test_endpoint_of_the_environment(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIST_ENDPOINT", "")  # as if it were not set
    assert kist.Client()._connection._path == "/run/kist/kist.sock"
    with FakeServer(tmp_path) as server:
        monkeypatch.setenv("KIST_ENDPOINT", server.endpoint)
        with kist.Client() as client:
            client.ping()
    monkeypatch.setenv("KIST_ENDPOINT", f"unix:{tmp_path}/nobody.sock")
    with pytest.raises(kist.Unreachable) as nobody:
        kist.Client().ping()
    assert nobody.value.errno == errno.ENOENT
    with pytest.raises(kist.Unreachable) as long:
        kist.Client("unix:/" + "x" * 107).ping()
    assert long.value.errno == errno.ENAMETOOLONG
    with pytest.raises(kist.Unreachable):
        asyncio.run(kist.AsyncClient().ping())


def test_reconnects_and_never_repeats(tmp_path: pathlib.Path) -> None:
    with FakeServer(tmp_path, hang_up_after=1) as server, kist.Client(server.endpoint) as client:
        for count in range(1, 5):
            assert len(client.random(16)) == 16 and server.connections == count
            assert client._connection._socket
            select.select([client._connection._socket], [], [])  # until it has hung up
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


def test_a_time_out_covers_the_wait_for_other_threads(tmp_path: pathlib.Path) -> None:
    """Who shares a client with somebody who waits longer is not kept waiting; who has the time is served when that ends."""
    gate = threading.Event()
    with FakeServer(tmp_path, gate=gate) as server, kist.Client(server.endpoint, timeout=None) as client:
        results: list[Any] = []
        threads = [threading.Thread(target=lambda: results.append(client.random(4)))]
        threads[0].start()
        while not server.requests:
            time.sleep(0.001)
        hurried = client.with_options(request_id=7, timeout=0.05)
        began = time.monotonic()
        with pytest.raises(kist.Timeout, match="other threads") as late:
            hurried.call(operations.random(4))
        assert late.value.request_id == 7
        retried = operations.open_payment_token(kist.Token(kist.TokenVersion.EC_V1, b"d", b"s", bytes(32), bytes(32)), retry_key=bytes(16))
        errors = hurried.pipeline([retried, retried])
        assert [(type(error), error.retry_key, error.request_id) for error in errors if isinstance(error, kist.Timeout)] == [(kist.Timeout, bytes(16), 7)] * 2
        assert time.monotonic() - began < 2
        threads += [threading.Thread(target=lambda: results.append(client.with_options(timeout=5).random(5))) for _ in range(2)]
        for thread in threads[1:]:
            thread.start()
        gate.set()
        for thread in threads:
            thread.join()
        assert sorted(map(len, results)) == [4, 5, 5] and server.requests == 3 and server.connections == 1


def test_fork(tmp_path: pathlib.Path) -> None:
    with FakeServer(tmp_path) as server, kist.Client(server.endpoint) as client:
        client.ping()
        client._connection._lock.acquire()  # as another thread in a call has it
        child = os.fork()
        if child == 0:
            try:
                client.ping()
                os._exit(0)
            finally:
                os._exit(1)
        client._connection._lock.release()
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
        # Otherwise the next requests may still go to the connection that is about to end.
        assert server.hung_up.wait(10)
        results = [type(one) for one in client.pipeline([operations.ping()] * 8)]
        assert results[:3] == [type(None)] * 3 and kist.Disconnected in results[3:]


def test_interrupted_pipeline(tmp_path: pathlib.Path) -> None:
    """What makes the requests fails before any of them is sent."""

    def interrupted() -> Iterator[kist.Request[None]]:
        yield operations.ping()
        raise KeyboardInterrupt

    mixed: list[Any] = [operations.ping(), "ping"]
    with FakeServer(tmp_path) as server, kist.Client(server.endpoint) as client:
        with pytest.raises(KeyboardInterrupt):
            client.pipeline(interrupted())
        with pytest.raises(TypeError, match="requests of kist.operations, not str"):
            client.pipeline(mixed)
        assert server.requests == 0 and len(client.random(9)) == 9


def test_pipeline_of_requests_that_need_the_client(tmp_path: pathlib.Path) -> None:
    with FakeServer(tmp_path) as server, kist.Client(server.endpoint, timeout=5) as client:

        def requests() -> Iterator[kist.Request[kist.Secret]]:
            for count in range(1, 41):
                yield operations.random(len(client.random(count)))

        assert [len(one) for one in client.pipeline(requests()) if isinstance(one, kist.Secret)] == list(range(1, 41))


def test_pipeline_with_one_that_is_too_large(tmp_path: pathlib.Path) -> None:
    large: kist.Request[None] = kist.Request(kist.Opcode.PING, [bytes(200_000)], None, lambda *_: None)
    with FakeServer(tmp_path) as server, kist.Client(server.endpoint) as client:
        kinds: list[type] = [type(one) for one in client.pipeline([operations.ping(), large, operations.ping()])]
        assert kinds == [type(None), kist.RequestError, type(None)] and server.connections == 1


BUSY = bytes.fromhex("00000014 0105 0000 0000000000000000 ffffffffffffffff")


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
def test_over_the_daemon_s_caps(tmp_path: pathlib.Path, kind: str) -> None:
    """[WIRE-21] The daemon answers and closes before it reads: the client's send may meet EPIPE or not."""
    with FakeServer(tmp_path, greeting=BUSY) as server:
        for result in outcome(kind, server.endpoint, *[operations.sign(bytes(16), kist.SignatureScheme.ED25519, bytes(60000))] * 20):
            assert type(result) is kist.Busy and result.ends_connection and result.audit_sequence is None


def test_pipeline_over_the_daemon_s_caps(tmp_path: pathlib.Path) -> None:
    """[WIRE-19] None of the connection's requests was carried out."""
    with FakeServer(tmp_path, greeting=BUSY) as server, kist.Client(server.endpoint) as client:
        assert {type(one) for one in client.pipeline([operations.ping()] * 20)} == {kist.Busy}


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
@pytest.mark.parametrize("frame", [BUSY[:3] + b"\x15" + BUSY[4:] + b"\0", BUSY[:5] + b"\3" + BUSY[6:]], ids=["with a body", "denied"])
def test_what_is_not_about_the_connection(tmp_path: pathlib.Path, kind: str, frame: bytes) -> None:
    with FakeServer(tmp_path, answer=frame) as server:
        (result,) = outcome(kind, server.endpoint, operations.ping())
    assert type(result) is kist.ReplyError


def test_busy_is_about_the_connection_only_at_its_beginning(tmp_path: pathlib.Path) -> None:
    sound = bytes.fromhex("00000014 0100 0001 0000000000000001 ffffffffffffffff")

    async def together(endpoint: str) -> list[Any]:
        async with kist.AsyncClient(endpoint) as client:
            calls: list[Coroutine[Any, Any, None]] = [client.ping(), client.ping()]
            results: list[Any] = await asyncio.gather(*calls, return_exceptions=True)
            return results

    with FakeServer(tmp_path, answer=sound + BUSY) as server, kist.Client(server.endpoint) as client:
        assert [type(one) for one in client.pipeline([operations.ping()] * 2)] == [type(None), kist.ReplyError]
        assert [type(one) for one in asyncio.run(together(server.endpoint))] == [type(None), kist.ReplyError]


def full_backlog(folder: pathlib.Path) -> tuple[socket.socket, socket.socket]:
    """A listener that takes nobody, and the one who waits for it."""
    listener, waiting = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    listener.bind(f"{folder}/full.sock")
    listener.listen(0)
    waiting.connect(f"{folder}/full.sock")
    return listener, waiting


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
def test_full_backlog(tmp_path: pathlib.Path, kind: str) -> None:
    """EAGAIN is no connection: the client waits, until it is connected or its time is over."""
    endpoint = f"unix:{tmp_path}/full.sock"
    listener, waiting = full_backlog(tmp_path)

    def call(timeout: float) -> None:
        if kind == "AsyncClient":
            asyncio.run(kist.AsyncClient(endpoint, timeout=timeout).ping())
        else:
            with kist.Client(endpoint, timeout=timeout) as client:
                client.ping()

    def serve() -> None:
        waiting.close()
        for _ in range(2):  # who waited, and the client
            channel, _ = listener.accept()
            with channel:
                if prefix := channel.recv(4, socket.MSG_WAITALL):
                    channel.sendall(reply(channel.recv(prefix[3], socket.MSG_WAITALL)))

    with listener:
        with waiting:
            started = time.monotonic()
            with pytest.raises(kist.Unreachable) as full:
                call(0.1)
            assert time.monotonic() - started >= 0.1 and full.value.errno == errno.EAGAIN
            later = threading.Timer(0.1, serve)
            later.start()
            call(10)
            later.join()


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
def test_bytes_that_nobody_asked_for(tmp_path: pathlib.Path, kind: str) -> None:
    """Half a length behind a sound reply: the next request goes out on another connection."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{tmp_path}/stray.sock")
    listener.listen(2)

    def serve() -> None:
        for stray in (b"\0\0", b""):
            channel, _ = listener.accept()
            channels.append(channel)
            prefix = channel.recv(4, socket.MSG_WAITALL)
            channel.sendall(reply(channel.recv(prefix[3], socket.MSG_WAITALL)) + stray)

    channels: list[socket.socket] = []
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    assert outcome(kind, f"unix:{tmp_path}/stray.sock", operations.ping(), operations.ping()) == [None, None]
    thread.join()
    for one in [listener, *channels]:
        one.close()


@pytest.mark.parametrize("timeout", [0, 0.0, -1, -0.5, math.inf, -math.inf, math.nan, 1e12, True, "1"])
def test_time_outs_that_are_none(timeout: Any) -> None:
    for kind in (kist.Client, kist.AsyncClient):
        with pytest.raises(ValueError, match="time-out"):
            kind("unix:/run/kist/kist.sock", timeout=timeout)


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
@pytest.mark.parametrize("labels", [["a", "a"], ["b", "a"]], ids=["one page again", "a label that stood before"])
def test_a_listing_that_does_not_go_on(monkeypatch: pytest.MonkeyPatch, kind: str, labels: list[str]) -> None:
    """[OP-LIST-1] The keys of a server that repeats a page, or goes back, do not go on for ever."""
    pages = iter(labels * 100)

    def page() -> kist.KeyPage:
        return kist.KeyPage((kist.Key(bytes(16), next(pages)),), more=True)

    async def async_page(*_: str) -> kist.KeyPage:
        return page()

    with pytest.raises(kist.ReplyError, match="ascend"):
        if kind == "Client":
            monkeypatch.setattr(kist.Client, "list_keys", lambda *_: page())
            kist.Client().keys()
        else:
            monkeypatch.setattr(kist.AsyncClient, "list_keys", async_page)
            asyncio.run(kist.AsyncClient().keys())


def test_what_is_shown_has_no_secrets() -> None:
    pan = "4109370251004320"
    visa = kist.VisaInput(kist.VisaType.MBPAD, b"nonce", "abc123", pan, "1231")
    shown = repr([
        visa, kist.MastercardInput(3, pan, "1231"), operations.sign_otp(bytes(16), visa=visa), operations.tokenise(bytes(16), pan, "m"),
        kist.OtherInfo(supp_priv_info=b"private"), kist.ProvisioningTrace(b"hash", b"point", b"secret Z", b"info", b"secret key"),
    ])  # fmt: skip
    for secret in (pan, "abc123", "41093702", "1231", "private", "secret"):
        assert secret not in shown
    assert "hash" in shown and "nonce" in shown


def test_requests_out_of_bounds_name_the_field_and_the_bound() -> None:
    key, token = bytes(16), kist.Token(kist.TokenVersion.EC_V1, b"data", b"signature", bytes(32), bytes(31), b"key")
    here = "is none of the values it takes here, or does not go with the other fields"
    for make, text in (
        (lambda: operations.random(0), "RandomRequest: count is missing"),
        (lambda: operations.random(1025), "RandomRequest: count is 1025; it takes 1 to 1024"),
        (lambda: operations.seal(key, bytes(65537)), "SealRequest: plaintext has 65537 bytes; it takes at most 65536"),
        (lambda: operations.unseal(key, b"", iv=bytes(13)), f"UnsealRequest: iv {here}"),
        (lambda: operations.sign(key[1:], kist.SignatureScheme.ED25519, b""), "a key id has 16 bytes, not 15"),
        (lambda: operations.mac(key, b"", algorithm=kist.MacAlgorithm.AES_CMAC), f"MacRequest: algorithm {here}"),
        (lambda: operations.list_keys("\ud800"), "ListKeysRequest: prefix is not UTF-8"),
        (
            lambda: operations.kdf(kist.Handle(key, key), kist.Derivation.HKDF_SHA256, 32, info=b"1", other_info=kist.OtherInfo(b"2")),
            f"KdfRequest: other_info {here}",
        ),
        (
            lambda: operations.verify_payment_token(token),
            "VerifyPaymentTokenRequest: token.transaction_id has 31 bytes; it takes 32",
        ),
    ):
        with pytest.raises(kist.RequestError) as caught:
            make()
        assert str(caught.value) == text


def test_what_is_sent_and_received_is_wiped(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frames: list[bytearray] = []
    wipe = _codec.wipe

    def keep(frame: bytearray) -> None:
        frames.append(frame)
        wipe(frame)

    monkeypatch.setattr(kist._connection, "wipe", keep)
    monkeypatch.setattr(_frame, "wipe", keep)
    with FakeServer(tmp_path) as server, kist.Client(server.endpoint) as client:
        drawn = client.random(64)
    assert [len(frame) for frame in frames] == [34, 86] and not any(map(any, frames))
    assert bytes(drawn) == b"\xa5" * 64


def test_replies_are_cut_as_they_come() -> None:
    """In pieces and several at once, larger than the room there was, and nothing of them stays."""
    replies, sizes = _replies.Replies(), [20, 5000, 21, 300, 70_000, 20]
    sent = b"".join(_frame.LENGTH.pack(size) + b"\xa5" * size for size in sizes)
    taken: list[int] = []
    near, far = socket.socketpair()
    with near, far:
        for at in range(0, len(sent), 777):
            left = len(sent[at : at + 777])
            far.sendall(sent[at : at + 777])
            while left:
                left -= replies.fill(near)
                while (reply := replies.next()) is not None:
                    assert reply == b"\xa5" * len(reply)
                    taken.append(len(reply))
    assert taken == sizes and not replies
    assert not any(replies._buffer)


def test_options_of_a_call(tmp_path: pathlib.Path) -> None:
    """A view has the client's connection, and leaves the client's own time-out and count of ids as they were."""
    with FakeServer(tmp_path) as server, kist.Client(server.endpoint) as client:
        client.ping()
        named = client.with_options(request_id=0xFEED, timeout=5)
        assert named.ping() is None and len(named.random(9)) == 9  # [WIRE-19] checks the id that was sent
        assert len(named.pipeline([operations.ping()] * 40)) == 40
        client.ping()
        assert server.ids == [1, *[0xFEED] * 42, 2] and server.connections == 1
        assert set(server.flags) == {1}  # [WIRE-24]
    with FakeServer(fresh(tmp_path), is_silent=True) as server, kist.Client(server.endpoint, timeout=None) as client:
        with pytest.raises(kist.Timeout, match=r"in time \(request 000000000000002a\)") as late:
            client.with_options(request_id=42, timeout=0.01).ping()
        assert late.value.request_id == 42
        with pytest.raises(kist.Timeout, match=r"\(request 0000000000000001\)"):
            client.with_options(timeout=0.01).with_options(request_id=None).ping()


@pytest.mark.parametrize("wrong", [0, -1, 2**64, True, 1.5, b"id"])
def test_no_request_id(wrong: Any) -> None:
    for kind in (kist.Client, kist.AsyncClient):
        with pytest.raises(ValueError, match="a request id is"):
            kind().with_options(request_id=wrong)
        with pytest.raises(ValueError, match="a time-out is"):
            kind().with_options(timeout=0)


@pytest.mark.parametrize(("name", "number"), [
    (7, 7), (2**64 - 1, 2**64 - 1), ("feed000000000001", 0xFEED000000000001), ("FEED000000000001", 0xFEED000000000001),
    ("order-17", 0x72A90EA3DA8B5DD0), ("", 0xE3B0C44298FC1C14), ("0000000000000000", 0xFCDB4B423F4E5283), ("0xfeed0000000001", 0x59C9CEDB44FC5F03),
])  # fmt: skip
def test_request_names(name: int | str, number: int) -> None:
    """The same numbers as in the tests of `kist audit show --request`."""
    assert request_number(name) == number


def test_every_error_names_its_request(tmp_path: pathlib.Path) -> None:
    with FakeServer(tmp_path, hang_up_after=2) as server, kist.Client(server.endpoint) as client:
        results = client.with_options(request_id=5).pipeline([operations.ping()] * 5)
        errors = [result for result in results if isinstance(result, kist.KistError)]
        assert errors and {error.request_id for error in errors} == {5}
    with kist.Client(f"unix:{tmp_path}/nobody.sock") as client, pytest.raises(kist.Unreachable) as nobody:
        client.with_options(request_id="order-17").ping()
    assert nobody.value.request_id == 0x72A90EA3DA8B5DD0 and str(nobody.value).endswith("(request 72a90ea3da8b5dd0)")
    denied = struct.pack(">IBBHQQ", 20, 1, 3, 1, 7, 12)
    with FakeServer(fresh(tmp_path), answer=denied) as server, kist.Client(server.endpoint) as client, pytest.raises(kist.Denied) as refused:
        client.with_options(request_id=7).ping()
    assert str(refused.value) == "denied (audit record 12, request 0000000000000007)"


@pytest.mark.parametrize(("body", "wait"), [(b"", None), (b"\x08\xfa\x01", 0.25), (b"\x08\x80\x90\xe4\xc0\x04", 1209600)])
def test_busy_says_for_how_long(tmp_path: pathlib.Path, body: bytes, wait: float | None) -> None:
    answer = struct.pack(">IBBHQQ", 20 + len(body), 1, 5, 1, 1, 12) + body
    with FakeServer(tmp_path, answer=answer) as server, kist.Client(server.endpoint) as client, pytest.raises(kist.Busy) as busy:
        client.ping()
    assert busy.value.retry_after == wait and not busy.value.ends_connection
    assert str(busy.value) == ("busy" if wait is None else f"busy for {wait:.10g} s") + " (audit record 12, request 0000000000000001)"


@pytest.mark.parametrize("body", [b"\x08\x00", b"\x08\x81\x90\xe4\xc0\x04", b"\x0a\x00", b"\x08\xfa\x01\x00"])
def test_busy_with_something_else(tmp_path: pathlib.Path, body: bytes) -> None:
    answer = struct.pack(">IBBHQQ", 20 + len(body), 1, 5, 1, 1, 12) + body
    with FakeServer(tmp_path, answer=answer) as server, kist.Client(server.endpoint) as client, pytest.raises(kist.ReplyError):
        client.ping()
