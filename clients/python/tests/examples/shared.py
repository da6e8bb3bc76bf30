import asyncio

import kist


async def sign_all(key: bytes, messages: list[bytes]) -> list[bytes]:
    """Tasks share one connection and the daemon's commits."""
    async with kist.AsyncClient() as client:
        return await asyncio.gather(*(client.sign(key, kist.SignatureScheme.ED25519, message) for message in messages))


def sign_all_without_asyncio(key: bytes, messages: list[bytes]) -> list[bytes | kist.KistError]:
    """The same; what a request raises stands in its place."""
    with kist.Client() as client:
        return client.pipeline(kist.operations.sign(key, kist.SignatureScheme.ED25519, message) for message in messages)
