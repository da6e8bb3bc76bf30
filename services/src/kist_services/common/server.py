"""A service's tables on a PostgreSQL server, which several hosts share; `Database` is for one host."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import psycopg

from . import journal
from .database import LOCKED_SECONDS, DatabaseUnavailable

T = TypeVar("T")
Connection = psycopg.AsyncConnection[Any]
#: What is asked of the server, on a connection that nobody else uses meanwhile.
Work = Callable[[Connection], Awaitable[T]]

_CONNECTIONS_MOST = 8
#: Whatever the server's own settings are: what was acknowledged is on the disk, the standby's too
#: where there is one, and no statement waits longer than one for a locked file does.
_OPTIONS: dict[str, Any] = {
    "connect_timeout": int(LOCKED_SECONDS),
    "tcp_user_timeout": int(LOCKED_SECONDS * 1000),
    "options": f"-c synchronous_commit=on -c statement_timeout={LOCKED_SECONDS * 1000:.0f}",
}


class Server:
    """A few connections, made when they are needed. Each statement is a transaction.

    A server that is away is a `DatabaseUnavailable` of a request, and does not hinder a start.
    Not psycopg's pool: Debian 12's loses a connection with each request that gives up.

    Args:
        address: a URI as libpq has it.
        touch: what this service may write at any time, and tables that it has to be able to read.

    Raises:
        ValueError: the address is none.
    """

    def __init__(self, address: str, touch: Sequence[str]) -> None:
        try:
            psycopg.conninfo.conninfo_to_dict(address)
        except psycopg.ProgrammingError as error:
            raise ValueError(str(error).strip()) from None
        self._address, self._touch = address, touch
        self._idle: list[Connection] = []
        self._turns = asyncio.Semaphore(_CONNECTIONS_MOST)
        self._is_failing = False

    async def __aenter__(self) -> None:
        pass

    async def __aexit__(self, *_: object) -> None:
        await self._forget_idle()

    async def use(self, work: Work[T]) -> T:
        """
        Raises:
            DatabaseUnavailable: nothing is known of what the last statement did.
        """
        task = asyncio.ensure_future(self._connected(work))
        try:
            # Who gives up does not wait until psycopg has, too, which asks the server first.
            await asyncio.wait({task}, timeout=LOCKED_SECONDS)
            if not task.done():
                raise DatabaseUnavailable("the server does not answer")
            outcome = task.result()
        except (psycopg.Error, DatabaseUnavailable) as error:
            # The journal says why, without the lines that quote values. Idle connections may have ended, too.
            journal.write({"server": str(error).partition("\n")[0]})
            self._is_failing = True
            await self._forget_idle()
            raise DatabaseUnavailable(str(error)) from error
        finally:
            task.cancel()
        self._is_failing = False
        return outcome

    async def ensure(self) -> None:
        """As `Database.ensure`.

        Raises:
            DatabaseUnavailable
        """
        if self._is_failing:
            await self.ready()

    async def ready(self) -> None:
        """
        Raises:
            DatabaseUnavailable: it cannot be written.
        """

        async def work(connection: Connection) -> None:
            for statement in self._touch:
                await connection.execute(statement)

        await self.use(work)

    async def _connected(self, work: Work[T]) -> T:
        async with self._turns:
            connection: Connection = (
                self._idle.pop()
                if self._idle
                else await psycopg.AsyncConnection.connect(
                    self._address, autocommit=True, **_OPTIONS
                )
            )
            try:
                outcome = await work(connection)
            except BaseException:
                await connection.close()
                raise
            self._idle.append(connection)
            return outcome

    async def _forget_idle(self) -> None:
        while self._idle:
            await self._idle.pop().close()
