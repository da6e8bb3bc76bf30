"""Usage: ask.py COUNT DEPTH. Asks for random bytes, DEPTH calls in flight, and prints the client's processor time for one, in µs."""

import asyncio
import os
import sys
import time

from kist import AsyncClient, Client

COUNT, DEPTH = map(int, sys.argv[1:])


async def ask(client: AsyncClient, calls: int) -> None:
    async def caller() -> None:
        for _ in range(calls // DEPTH):
            await client.random(16)

    await asyncio.gather(*(caller() for _ in range(DEPTH)))


async def pipelined() -> None:
    async with AsyncClient(os.environ["KIST_ENDPOINT"]) as client:
        await ask(client, 2 * COUNT)
        before = time.process_time()
        await ask(client, COUNT)
        print((time.process_time() - before) * 1e6 / COUNT)


def plain() -> None:
    with Client(os.environ["KIST_ENDPOINT"]) as client:
        for _ in range(2 * COUNT):
            client.random(16)
        before = time.process_time()
        for _ in range(COUNT):
            client.random(16)
        print((time.process_time() - before) * 1e6 / COUNT)


if DEPTH == 1:
    plain()
else:
    asyncio.run(pipelined())
