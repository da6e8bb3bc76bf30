"""CardSecure tokens, in a SQLite file that two services share: one puts them in, the other takes them out.

Behind a token is a payment envelope, which the daemon alone can open, and opens once.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass

_TABLE = """
CREATE TABLE IF NOT EXISTS tokens (
    token TEXT PRIMARY KEY,
    transaction_id BLOB NOT NULL,
    envelope BLOB NOT NULL,
    until REAL NOT NULL
) STRICT
"""

#: What stands in an envelope's place once it was opened.
_SPENT = b""


@dataclass(frozen=True)
class Entry:
    """An envelope, and the transaction that it was sealed for."""

    transaction_id: bytes
    envelope: bytes


def draw(first_two: str, last_four: str) -> str:
    """A token in CardSecure's form: 9, the number's first two digits, nine digits that say nothing, its last four; it passes Luhn's formula."""
    front = f"9{first_two}{secrets.randbelow(10**8):08}"
    return next(token for digit in range(10) if _luhn(token := f"{front}{digit}{last_four}"))


def _luhn(digits: str) -> bool:
    return sum(int(digit) if at % 2 else sum(divmod(2 * int(digit), 10)) for at, digit in enumerate(digits)) % 10 == 0


class Vault:
    def __init__(self, file: str) -> None:
        self._file = file
        # For the group of its directory; SQLite gives its journal the same mode.
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o660))
        if os.stat(file).st_uid == os.geteuid():
            os.chmod(file, 0o660)
        with self._open() as database:
            database.execute(_TABLE)

    def put(self, token: str, entry: Entry, seconds: float) -> str | None:
        """Keeps an entry for so long, and forgets those whose time is over; returns the payment's token.

        A payment has one: whoever repeats the request, since the first answer was lost or is still under way, gets the first token, with the
        last envelope behind it. If that was redeemed, nothing is kept and None returned.
        """
        until = time.time() + seconds
        with self._open() as database:
            # Takes the lock on the file, so that nobody else writes between here and the end.
            database.execute("DELETE FROM tokens WHERE until <= ?", (time.time(),))
            row = database.execute("SELECT token, envelope FROM tokens WHERE transaction_id = ?", (entry.transaction_id,)).fetchone()
            if row is None:
                values = (token, entry.transaction_id, entry.envelope, until)
                database.execute("INSERT INTO tokens (token, transaction_id, envelope, until) VALUES (?, ?, ?, ?)", values)
                return token
            first, envelope = row
            if envelope == _SPENT:
                return None
            database.execute("UPDATE tokens SET envelope = ?, until = ? WHERE token = ?", (entry.envelope, until, first))
            return str(first)

    def find(self, token: str) -> Entry | None:
        """What is behind a token whose time is not over."""
        with self._open() as database:
            query = "SELECT transaction_id, envelope FROM tokens WHERE token = ? AND until > ? AND envelope <> ?"
            row = database.execute(query, (token, time.time(), _SPENT)).fetchone()
        return None if row is None else Entry(*row)

    def spend(self, transaction_id: bytes) -> None:
        """Forgets the payment's envelope, but not until its time is over that it was redeemed."""
        with self._open() as database:
            database.execute("UPDATE tokens SET envelope = ? WHERE transaction_id = ?", (_SPENT, transaction_id))

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self._file)) as database, database:
            yield database
