"""Hostile bodies and slow clients, all kinds at once at every service, which goes on serving.

`KIST_HOSTILE_SECONDS` says for how long; otherwise each comes once.
"""

from __future__ import annotations

import asyncio
import os
import pathlib
import random
import re
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import pytest
from customer import customer
from everyone import Everyone, Member
from kist_services import cardsecure, decryptblob, redeem, sessions, tokens
from running import API_KEY

SECONDS = float(os.environ.get("KIST_HOSTILE_SECONDS", "0"))
PATHS = {
    "activation": "/bcl/v2/paymentInstruments/visa/networkTokenActivationData", "cardsecure": cardsecure.PATH, "decryptblob": decryptblob.PATH,
    "idv": "/idv/v1/verifications", "issuer": "/issuer/v1/cards/visa/pass", "redeem": redeem.PATH, "sessions": sessions.PATH, "tokens": tokens.PATH,
}  # fmt: skip
#: What a process may be larger after all that than after the first round, in bytes.
GROWTH = 32 << 20
#: What a process has that serves nobody: the listener twice, as it was handed over and as it is used, asyncio's pair, and one to the daemon; that
#: of OpenSSL's provider in sessions is another.
IDLE_SOCKETS = 6


def head(path: str, *fields: str, kind: str = "json") -> bytes:
    lines = [f"POST {path} HTTP/1.1", "host: service", f"x-api-key: {API_KEY}", f"content-type: application/{kind}", *fields]
    return "\r\n".join([*lines, "", ""]).encode()


def whole(path: str, body: bytes, kind: str = "json") -> bytes:
    return head(path, f"content-length: {len(body)}", kind=kind) + body


@dataclass(frozen=True)
class Attack:
    """What is sent, in pieces, with so many seconds between them; and what may be answered, nothing standing for an end of the connection.

    Attributes:
        leaves: whether the client is gone at once.
    """

    pieces: Iterable[bytes]
    answers: Collection[tuple[int, ...]]
    pause: float = 0
    leaves: bool = False


def attacks(path: str) -> dict[str, Attack]:
    """CardSecure's errors have status 200. What is to be answered at once is a request without a key, which no busy machine answers otherwise."""
    bad, chunked = {(400,), (200,)}, "transfer-encoding: chunked"
    noise = random.Random(22).randbytes(5000)
    return {
        "a head that never ends": Attack([bytes([octet]) for octet in head(path)[:40]], {()}, 0.5),
        "no head at all": Attack([], {()}),
        "a second head that never ends": Attack([b"GET /none HTTP/1.1\r\nhost: a\r\n\r\n", *(b"GET" for _ in range(40))], {(401,)}, 0.5),
        "a body that trickles": Attack([head(path, "content-length: 1000"), *(b" " for _ in range(40))], {(408,)}, 0.5),
        "a body that never comes": Attack([head(path, "content-length: 9")], {(408,)}),
        "a huge body": Attack([head(path, f"content-length: {160 << 16}"), *(bytes(1 << 16) for _ in range(160))], {(413,), (408,), ()}),
        "chunks without end": Attack([head(path, chunked), *(b"ffff\r\n" + bytes(0xFFFF) + b"\r\n" for _ in range(160))], {(408,), ()}),
        "tiny chunks": Attack([head(path, chunked), b"1\r\n[\r\n" * 20_000, b"0\r\n\r\n"], bad),
        "deep JSON": Attack([whole(path, b'{"a":' * 12_000)], bad),
        "deep lists": Attack([whole(path, b"[" * 60_000)], bad),
        "a long number": Attack([whole(path, b'{"a": ' + b"9" * 60_000 + b"}")], bad),
        "deep XML": Attack([whole(path, b"<a>" * 20_000, "xml")], {(400,), (415,)}),
        "entities": Attack([whole(path, b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "xml")], {(400,), (415,)}),
        "less than was said": Attack([head(path, "content-length: 100"), b"{}"], {()}, leaves=True),
        "more than was said": Attack([head(path, "content-length: 2"), b"{}" + noise], {(200,), (400,), (400, 400), (200, 400)}),
        "two lengths": Attack([head(path, "content-length: 2", "content-length: 3"), b"{}"], {(400,)}),
        "a negative length": Attack([head(path, "content-length: -1")], {(400,)}),
        "a length and chunks": Attack([head(path, "content-length: 4", chunked), b"0\r\n\r\n"], {(400,), (200,)}),
        "chunks of no size": Attack([head(path, chunked), b"zz\r\n"], {(400,), (400, 400), ()}),
        "a hundred at once": Attack([b"GET /none HTTP/1.1\r\nhost: a\r\n\r\n" * 100], {(401,) * 100}),
        "a long head": Attack([head(path, *("a: " + "b" * 1000 for _ in range(100)))], {(200,), (400,), ()}),
        "gone before the answer": Attack([whole(path, b"{}")], {()}, leaves=True),
        "gone in the middle": Attack([head(path)[:30]], {()}, leaves=True),
        "TLS": Attack([b"\x16\x03\x01\x02\x00\x01\x00" + noise], {(400,), ()}),
    }  # fmt: skip


async def strike(member: Member, attack: Attack) -> tuple[int, ...]:
    """The statuses that came back until the service closed the connection."""
    reader, writer = await asyncio.open_connection(*member.address)
    received = bytearray()
    reading = asyncio.create_task(_read(reader, received))
    try:
        for piece in attack.pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(attack.pause)
            if reading.done():
                break
        if not attack.leaves:
            await asyncio.wait_for(reading, 60)
    except ConnectionError:
        pass
    finally:
        reading.cancel()
        writer.transport.abort()
    return tuple(int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", received))


async def _read(reader: asyncio.StreamReader, received: bytearray) -> None:
    try:
        while octets := await reader.read(1 << 16):
            received += octets
    except ConnectionError:
        pass


async def round_of_attacks(services: Everyone) -> None:
    struck = [(name, what, attack) for name in PATHS for what, attack in attacks(PATHS[name]).items()]
    answers = await asyncio.gather(*(strike(services.members[name], attack) for name, _, attack in struck))
    wrong = [(name, what, got) for (name, what, attack), got in zip(struck, answers, strict=True) if got not in attack.answers]
    assert not wrong, wrong


def resident(process: int) -> int:
    """Bytes of memory."""
    (kibibytes,) = re.findall(r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{process}/status").read_text())
    return int(kibibytes) << 10


def sockets(process: int) -> int:
    files = pathlib.Path(f"/proc/{process}/fd")
    return sum(os.readlink(file).startswith("socket:") for file in files.iterdir())


@pytest.fixture(scope="module")
def processes(all_services: Everyone) -> list[int]:
    return [process.pid for member in all_services.members.values() for process in member.processes]


def test_hostile_bodies_and_slow_clients(all_services: Everyone, processes: list[int]) -> None:
    until = time.monotonic() + SECONDS
    asyncio.run(round_of_attacks(all_services))
    before, rounds = {process: resident(process) for process in processes}, 1
    while time.monotonic() < until:
        asyncio.run(round_of_attacks(all_services))
        rounds += 1
    growth = max(resident(process) - before[process] for process in processes)
    assert growth < GROWTH
    for _ in range(300):
        left = {process: sockets(process) for process in processes}
        if max(left.values()) <= IDLE_SOCKETS:
            break
        time.sleep(0.1)
    else:
        raise AssertionError(f"connections are left: {left}")
    with customer(all_services) as honest:
        honest.lap()
        assert all(answer.is_success for answer in honest.answers) and len(honest.answers) == 9
        assert all(http.get("/ready").status_code == 200 for http in honest.clients.values())
    statuses = {line["status"] for member in all_services.members.values() for line in member.lines()}
    assert not statuses & {500, 502}, statuses
    assert all_services.records()
    print(f"hostile: {rounds} rounds of {sum(len(attacks(path)) for path in PATHS.values())}, memory grew by {growth >> 10} KiB at most")


def test_too_many_at_a_time(all_services: Everyone) -> None:
    """Who comes while all places are taken is told when to come back, and the places are free again by themselves."""
    member = all_services.members["redeem"]
    trickle = Attack([head(redeem.PATH, "content-length: 9")], {(408,), (503,)})

    async def crowd() -> list[tuple[int, ...]]:
        return await asyncio.gather(*(strike(member, trickle) for _ in range(256 * len(member.processes) + 100)))

    answers = asyncio.run(crowd())
    assert set(answers) == {(408,), (503,)} and answers.count((408,)) >= 256
    with customer(all_services) as honest:
        honest.pay()
