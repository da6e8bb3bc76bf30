"""CardSecure tokens, which one service puts into a vault, and another one takes out.

Behind a token is a payment envelope, which the daemon alone can open, and opens once: what stands
here of that is for those who ask. The vault is a SQLite file, or for several hosts a server.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .common.database import PRUNED_MOST, Database
from .common.settings import SettingsError

if TYPE_CHECKING:
    from .shared_vault import SharedVault

#: For how long a request can be repeated at most: a merchant's `retry_window` is no longer.
RETRY_SECONDS = 3600
_TABLE = """
CREATE TABLE IF NOT EXISTS payments (
    transaction_id BLOB PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,
    envelope BLOB NOT NULL,
    until REAL NOT NULL,
    -- when its number was given out
    redeemed REAL
) STRICT;
CREATE INDEX IF NOT EXISTS payments_by_time ON payments (until);
"""


@dataclass(frozen=True)
class Entry:
    """An envelope, and the transaction that it was sealed for."""

    transaction_id: bytes
    envelope: bytes


def draw(first_two: str, last_four: str) -> str:
    """A token in CardSecure's form, which passes Luhn's formula.

    9, the number's first two digits, nine digits that say nothing, its last four.
    """
    front = f"9{first_two}{secrets.randbelow(10**8):08}"
    return next(token for digit in range(10) if _luhn(token := f"{front}{digit}{last_four}"))


def _luhn(digits: str) -> bool:
    return (
        sum(
            int(digit) if at % 2 else sum(divmod(2 * int(digit), 10))
            for at, digit in enumerate(digits)
        )
        % 10
        == 0
    )


def vault_at(place: str) -> Vault | SharedVault:
    """The vault that a setting names: a file, or a server by its `postgresql://` address.

    Raises:
        SettingsError
        sqlite3.Error
        OSError
    """
    if not place.startswith("postgresql://"):
        return Vault(place)
    try:
        from .shared_vault import SharedVault
    except ImportError as error:
        raise SettingsError(f"vault: a server needs python3-psycopg: {error}") from None
    try:
        return SharedVault(place)
    except ValueError as error:
        raise SettingsError(f"vault: {error}") from None


class Vault:
    """The file. Its methods raise `DatabaseUnavailable`.

    Raises:
        sqlite3.Error
        OSError
    """

    def __init__(self, file: str) -> None:
        self.database = Database(file, _TABLE, 0o660)  # for the group of its directory

    async def put(self, first_two: str, last_four: str, entry: Entry, seconds: float) -> str | None:
        """Keeps an entry for so long, and returns the payment's token.

        A payment has one: whoever repeats the request, since the first answer was lost or is still
        under way, gets the first token, with the first envelope behind it, which a repeated
        `redeem` needs. If that was redeemed, None is returned. Some of those whose time is long
        over are forgotten.
        """

        def work(database: sqlite3.Connection) -> str | None:
            now = time.time()
            _forget(database, entry.transaction_id, now)
            row = database.execute(
                "SELECT token, redeemed FROM payments WHERE transaction_id = ?",
                (entry.transaction_id,),
            ).fetchone()
            if row is None:
                return _inserted(database, first_two, last_four, entry, now + seconds)
            first, redeemed = row
            return None if redeemed is not None else str(first)

        return await self.database.write(work)

    async def find(self, token: str, *, again: bool = False) -> Entry | None:
        """What is behind a token that was not redeemed and whose time is not over.

        Args:
            again: whether it may have been redeemed by the same request, and its time be over:
                the daemon knows what that can still have.
        """

        def work(database: sqlite3.Connection) -> Entry | None:
            query = "SELECT transaction_id, envelope, until, redeemed FROM payments WHERE token = ?"
            row = database.execute(query, (token,)).fetchone()
            if row is None:
                return None
            transaction_id, envelope, until, redeemed = row
            is_open = redeemed is None and until > time.time()
            return Entry(transaction_id, envelope) if is_open or again else None

        return await self.database.read(work)

    async def spend(self, transaction_id: bytes) -> None:
        """Notes that the payment's number was given out."""

        def work(database: sqlite3.Connection) -> None:
            database.execute(
                "UPDATE payments SET redeemed = ? WHERE transaction_id = ?",
                (time.time(), transaction_id),
            )

        await self.database.write(work)


def _forget(database: sqlite3.Connection, transaction_id: bytes, now: float) -> None:
    database.execute(
        "DELETE FROM payments WHERE transaction_id = ? AND until <= ?", (transaction_id, now)
    )
    over = "SELECT transaction_id FROM payments WHERE until <= ? LIMIT ?"
    values = (now - RETRY_SECONDS, PRUNED_MOST)
    database.execute(f"DELETE FROM payments WHERE transaction_id IN ({over})", values)


def _inserted(
    database: sqlite3.Connection, first_two: str, last_four: str, entry: Entry, until: float
) -> str:
    """The token; another is drawn where one is another payment's, as can be among many alike."""
    columns = "token, transaction_id, envelope, until"
    insert = f"INSERT INTO payments ({columns}) VALUES (?, ?, ?, ?) ON CONFLICT (token) DO NOTHING"
    while True:
        token = draw(first_two, last_four)
        values = (token, entry.transaction_id, entry.envelope, until)
        if database.execute(insert, values).rowcount:
            return token
