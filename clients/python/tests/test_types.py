"""What mypy and pyright make of calls, and what `help` shows; the functions for the former are checked, not run."""

from __future__ import annotations

import asyncio
import inspect
import pydoc
import typing
from collections.abc import Iterator

import kist
from kist import AsyncClient, Client, KistError, Request, Secret, operations
from typing_extensions import assert_type

SCHEME = kist.SignatureScheme.ED25519


def pipelines(client: Client) -> None:
    assert_type(client.pipeline([operations.random(1)]), list[Secret | KistError])
    assert_type(client.pipeline(operations.sign(b"", SCHEME, b"") for _ in range(2)), list[bytes | KistError])
    assert_type(client.pipeline([operations.ping()] * 2), list[None | KistError])
    for result in client.pipeline(some()):
        if isinstance(result, KistError):
            raise result
        assert_type(result, bytes)
    wide: Request[object] = operations.ping()
    mixed: list[Request[bytes | None]] = [operations.sign(b"", SCHEME, b""), operations.ping()]
    assert_type(client.pipeline(mixed), list[bytes | None | KistError])
    client.pipeline([operations.ping(), operations.random(1), wide])


def some() -> Iterator[Request[bytes]]:
    yield operations.sign(b"", SCHEME, b"")


async def calls(client: Client, looping: AsyncClient) -> None:
    assert_type(client.random(1), Secret)
    assert_type(await looping.random(1), Secret)
    assert_type(client.keys(), list[kist.Key])
    drawn, described, key = await asyncio.gather(looping.random(1), looping.describe(), looping.find_key("label"))
    assert_type((drawn, described, key), tuple[Secret, kist.Description, kist.Key])
    assert_type(await asyncio.gather(looping.sign(b"", SCHEME, b""), looping.ping(), return_exceptions=True), tuple[bytes | BaseException, None | BaseException])
    assert_type(await asyncio.wait_for(asyncio.create_task(looping.random(1)), 1), Secret)
    secret = client.random(4)
    assert_type([secret.copy(), secret[1:], secret + b"x", secret * 2], list[Secret])
    assert_type(secret[0], int)


def test_help() -> None:
    """A method shows what it gives, not the request for it."""
    shown = {kind: pydoc.plain(pydoc.render_doc(kind)) for kind in (Client, AsyncClient)}
    for text in shown.values():
        assert "random(self, /, count: 'int') -> 'Secret'" in text and "1 to 1024 random bytes" in text
        assert "Request[" not in text.replace("request: 'Request[R]'", "").replace("requests: 'Iterable[Request[R]]'", "")
    assert "async random(" in shown[AsyncClient] and "async random(" not in shown[Client]
    for kind in (Client, AsyncClient):
        assert typing.get_type_hints(kind.random) == {"count": int, "return": Secret}
        assert inspect.signature(kind.seal).return_annotation == "bytes"
        assert list(inspect.signature(kind().ping).parameters) == []
