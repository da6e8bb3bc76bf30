"""What `idv` remembers, in a SQLite file: digital cards, which the issuer's core writes, and verifications of their holders."""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass

_TABLES = """
CREATE TABLE IF NOT EXISTS digital_cards (
    -- deviceAccountIdentifier in PassKit, virtualCardId at TSH
    id TEXT PRIMARY KEY,
    cardholder TEXT NOT NULL,
    -- of the number that was tokenized
    suffix TEXT NOT NULL CHECK (suffix GLOB '[0-9][0-9][0-9][0-9]'),
    art TEXT NOT NULL,
    -- where codes are sent to, as the messenger names it; empty for a cardholder with an authenticator
    channel TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE IF NOT EXISTS verifications (
    id TEXT PRIMARY KEY,
    digital_card TEXT NOT NULL,
    began REAL NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'passed', 'failed')),
    wrong INTEGER NOT NULL DEFAULT 0,
    sent INTEGER NOT NULL DEFAULT 0,
    -- of the code that was sent last, and until when it is accepted
    counter INTEGER,
    code_until REAL NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS by_card ON verifications (digital_card, began);
"""


@dataclass(frozen=True)
class DigitalCard:
    id: str
    cardholder: str
    suffix: str
    art: str
    channel: str


@dataclass(frozen=True)
class Verification:
    """One attempt to show that a cardholder added a card."""

    id: str
    digital_card: str
    began: float
    state: str
    wrong: int
    sent: int
    counter: int | None
    code_until: float


class Verifications:
    """The file. Every change is on the disk when its method returns."""

    def __init__(self, file: str) -> None:
        self._file = file
        with self._open() as database:
            database.executescript(_TABLES)

    def card(self, identifier: str) -> DigitalCard | None:
        with self._open() as database:
            row = database.execute("SELECT id, cardholder, suffix, art, channel FROM digital_cards WHERE id = ?", (identifier,)).fetchone()
        return None if row is None else DigitalCard(*row)

    def art(self, cardholder: str, suffix: str) -> list[dict[str, str]]:
        with self._open() as database:
            query = "SELECT id, art FROM digital_cards WHERE cardholder = ? AND suffix = ? ORDER BY id"
            return [{"digitalCardId": card, "cardArt": art} for card, art in database.execute(query, (cardholder, suffix))]

    def unpassed(self, digital_card: str, seconds: float) -> int:
        """How many attempts of the last `seconds` have not passed.

        Those of a clock that was further ahead do not count: the card would be refused until that time has come.
        """
        now = time.time()
        with self._open() as database:
            query = "SELECT count(*) FROM verifications WHERE digital_card = ? AND began > ? AND began < ? AND state <> 'passed'"
            return int(database.execute(query, (digital_card, now - seconds, now + seconds)).fetchone()[0])

    def begin(self, digital_card: str, state: str = "open") -> str:
        identifier = secrets.token_urlsafe(24)
        with self._open() as database:
            values = (identifier, digital_card, time.time(), state)
            database.execute("INSERT INTO verifications (id, digital_card, began, state) VALUES (?, ?, ?, ?)", values)
        return identifier

    def find(self, identifier: str) -> Verification | None:
        with self._open() as database:
            columns = ", ".join(Verification.__dataclass_fields__)
            row = database.execute(f"SELECT {columns} FROM verifications WHERE id = ?", (identifier,)).fetchone()
        return None if row is None else Verification(*row)

    def note_sent(self, identifier: str, counter: int | None, until: float) -> None:
        """From now on only this code is accepted."""
        with self._open() as database:
            database.execute("UPDATE verifications SET sent = sent + 1, counter = ?, code_until = ? WHERE id = ?", (counter, until, identifier))

    def note_wrong(self, identifier: str, most: int) -> None:
        with self._open() as database:
            change = "UPDATE verifications SET wrong = wrong + 1, state = iif(wrong + 1 >= ?, 'failed', state) WHERE id = ? AND state = 'open'"
            database.execute(change, (most, identifier))

    def pass_once(self, identifier: str) -> bool:
        """Whether this call is the one that ends an open verification."""
        with self._open() as database:
            return database.execute("UPDATE verifications SET state = 'passed' WHERE id = ? AND state = 'open'", (identifier,)).rowcount == 1

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self._file)) as database, database:
            yield database
