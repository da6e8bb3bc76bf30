"""A service's SQLite file, away from the event loop: one thread reads, another writes.

Nobody waits for it longer than he may.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import time
import urllib.parse
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
#: What is done with the file, in a thread.
Work = Callable[[sqlite3.Connection], T]

#: How long another process may hold the file before whoever waits is told so.
LOCKED_SECONDS = 2.0
#: The longest that a write takes: until the one before it gave up, and until it gives up itself.
WRITE_SECONDS = 2 * LOCKED_SECONDS + 0.5
#: Whoever adds a row removes so many of those whose time is over: a service that rested for long
#: answers as fast as ever.
PRUNED_MOST = 100


class DatabaseUnavailable(Exception):
    """The file is locked, full, or cannot be read or written for another reason.

    Nothing was written, and the same can succeed later.
    """


class Database:
    """A file that this service writes. Several processes may, each with connections of its own.

    What was acknowledged is on the disk: the log is written ahead (WAL), and synced at each commit.
    Readers do not wait for writers.

    Args:
        schema: makes what is not there yet.
        mode: of a file that is made, and of one that this user owns; None where the umask says it.

    Raises:
        sqlite3.Error
        OSError
    """

    def __init__(self, file: str, schema: str, mode: int | None = None) -> None:
        if mode is not None:
            # SQLite gives the files beside it the same mode. Only a file that is not there yet is opened here: who closes one ends
            # the locks that SQLite holds on it for this process.
            with contextlib.suppress(FileExistsError):
                os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode))
            if os.stat(file).st_uid == os.geteuid():
                os.chmod(file, mode)
        self._writer, self._reader = _connected(file), _connected(file)
        _prepare(self._writer, schema)
        self._writer.execute("PRAGMA synchronous = FULL")
        self._reader.execute("PRAGMA query_only = ON")
        self._writing, self._reading = (
            ThreadPoolExecutor(1, f"database-{name}") for name in ("writer", "reader")
        )
        self._waiting: list[tuple[Work[Any], asyncio.Future[Any]]] = []
        self._commits: asyncio.Task[None] | None = None
        self._is_failing = False

    async def __aenter__(self) -> None:
        pass

    async def __aexit__(self, *_: object) -> None:
        self.close()

    async def read(self, work: Work[T]) -> T:
        """
        Raises:
            DatabaseUnavailable
        """
        return await asyncio.get_running_loop().run_in_executor(
            self._reading, _told, lambda: work(self._reader)
        )

    async def write(self, work: Work[T]) -> T:
        """Does this in a transaction, and returns when it is on the disk.

        What comes while one is written goes into the next one together.

        Raises:
            DatabaseUnavailable
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, future))
        if self._commits is None:
            self._commits = asyncio.create_task(self._commit_all())
        return await future

    async def ensure(self) -> None:
        """Before something is used up that has to be written down.

        If the last write failed, another one has to succeed first.

        Raises:
            DatabaseUnavailable
        """
        if self._is_failing:
            await self.write(_touch)

    async def ready(self) -> None:
        """
        Raises:
            DatabaseUnavailable: it cannot be written.
        """
        await self.write(_touch)

    def close(self) -> None:
        for pool, connection in ((self._writing, self._writer), (self._reading, self._reader)):
            pool.submit(connection.close)
            pool.shutdown()

    async def _commit_all(self) -> None:
        try:
            while self._waiting:
                batch = [(work, future) for work, future in self._waiting if not future.done()]
                self._waiting.clear()
                works = [work for work, _ in batch]
                outcomes = await asyncio.get_running_loop().run_in_executor(
                    self._writing, _commit, self._writer, works
                )
                self._is_failing = any(
                    isinstance(outcome, DatabaseUnavailable) for outcome in outcomes
                )
                for (_, future), outcome in zip(batch, outcomes, strict=True):
                    if future.done():
                        continue  # nobody waits any more
                    if isinstance(outcome, Exception):
                        future.set_exception(outcome)
                    else:
                        future.set_result(outcome)
        finally:
            self._commits = None


async def read_only(file: str, work: Work[T]) -> T:
    """Asks a file that somebody else writes, or puts another in the place of.

    Raises:
        DatabaseUnavailable
    """

    def whole() -> T:
        with contextlib.closing(
            _connected(f"file:{urllib.parse.quote(file)}?mode=ro", uri=True)
        ) as database:
            return work(database)

    return await asyncio.to_thread(_told, whole)


def _connected(file: str, uri: bool = False) -> sqlite3.Connection:
    # Transactions are begun by hand. A connection is for one thread, not the one that made it.
    return sqlite3.connect(
        file, timeout=LOCKED_SECONDS, isolation_level=None, check_same_thread=False, uri=uri
    )


def _prepare(database: sqlite3.Connection, schema: str) -> None:
    """Where several start at once, SQLite does not have them wait for each other to begin with WAL."""
    until = time.monotonic() + LOCKED_SECONDS
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL").fetchall()
            database.executescript(schema)
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(0.01)


def _touch(database: sqlite3.Connection) -> None:
    """Writes the file's head as it is."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    database.execute(f"PRAGMA user_version = {version:d}")


def _told(work: Callable[[], T]) -> T:
    try:
        return work()
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise  # the service's own fault
    except sqlite3.DatabaseError as error:
        raise DatabaseUnavailable(str(error)) from error


def _commit(database: sqlite3.Connection, works: Sequence[Work[Any]]) -> list[Any]:
    """All of them in one transaction, in which each can fail by itself; their results or errors."""

    def whole() -> list[Any]:
        database.execute("BEGIN IMMEDIATE")
        outcomes = [_attempt(database, work) for work in works]
        database.execute("COMMIT")
        return outcomes

    try:
        return _told(whole)
    except Exception as error:
        with contextlib.suppress(sqlite3.Error):
            database.execute("ROLLBACK")
        return [error] * len(works)


def _attempt(database: sqlite3.Connection, work: Work[Any]) -> Any:
    database.execute("SAVEPOINT one")
    try:
        outcome = work(database)
    except sqlite3.OperationalError:
        raise  # of the file: none of them can be written
    except Exception as error:
        database.execute("ROLLBACK TO one")
        outcome = error
    database.execute("RELEASE one")
    return outcome
