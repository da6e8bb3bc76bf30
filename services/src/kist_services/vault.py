"""CardSecure tokens, in a SQLite file that two services share: one puts them in, the other takes each out once.

What is behind a token is sealed twice over, for the daemon alone: the number as the daemon's PAN envelope, and the rest under a sealing key.
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
    pan_envelope BLOB NOT NULL,
    sealed BLOB NOT NULL,
    until REAL NOT NULL,
    used INTEGER NOT NULL DEFAULT 0
) STRICT
"""


@dataclass(frozen=True)
class Entry:
    transaction_id: bytes
    pan_envelope: bytes
    sealed: bytes


def context(token: str) -> bytes:
    """Binds what is sealed to its token."""
    return b"kist cardsecure " + token.encode()


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

    def put(self, token: str, entry: Entry, seconds: float) -> None:
        """Keeps an entry for so long, and forgets those whose time is over."""
        with self._open() as database:
            database.execute("DELETE FROM tokens WHERE until <= ?", (time.time(),))
            values = (token, entry.transaction_id, entry.pan_envelope, entry.sealed, time.time() + seconds)
            database.execute("INSERT INTO tokens (token, transaction_id, pan_envelope, sealed, until) VALUES (?, ?, ?, ?, ?)", values)

    def take(self, token: str) -> Entry | None:
        """What is behind a token: the first time, and before its time is over. That it was taken is on the disk before this returns."""
        with self._open() as database:
            change = "UPDATE tokens SET used = 1 WHERE token = ? AND used = 0 AND until > ? RETURNING transaction_id, pan_envelope, sealed"
            row = database.execute(change, (token, time.time())).fetchone()
        return None if row is None else Entry(*row)

    def give_back(self, token: str) -> None:
        """After nothing of the entry was told to anybody."""
        with self._open() as database:
            database.execute("UPDATE tokens SET used = 0 WHERE token = ?", (token,))

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self._file)) as database, database:
            yield database
