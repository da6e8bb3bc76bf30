"""What `idv` remembers, in a SQLite file.

Digital cards, which the issuer's core writes, and verifications of their holders.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from dataclasses import dataclass
from typing import Any

from .common.database import PRUNED_MOST, Database

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
CREATE INDEX IF NOT EXISTS cards_of_holder ON digital_cards (cardholder, suffix);
CREATE TABLE IF NOT EXISTS attempts (
    id TEXT PRIMARY KEY,
    digital_card TEXT NOT NULL,
    began REAL NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'passed', 'failed')),
    wrong INTEGER NOT NULL DEFAULT 0,
    sent INTEGER NOT NULL DEFAULT 0,
    -- of the code that was sent last, and until when it is accepted
    counter INTEGER,
    code_until REAL NOT NULL DEFAULT 0,
    -- digest of a code that was right where no token came of it
    proof BLOB NOT NULL DEFAULT x''
) STRICT;
CREATE INDEX IF NOT EXISTS attempts_by_card ON attempts (digital_card, began);
CREATE INDEX IF NOT EXISTS attempts_by_time ON attempts (began);
"""

#: How long an attempt can be asked for.
_KEPT_SECONDS = 86_400


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
    proof: bytes


class Verifications:
    """The file. Every change is on the disk when its method returns.

    All methods raise `DatabaseUnavailable`.
    """

    def __init__(self, file: str) -> None:
        self.database = Database(file, _TABLES)

    async def card(self, identifier: str) -> DigitalCard | None:
        columns = "id, cardholder, suffix, art, channel"
        rows = await self._rows(f"SELECT {columns} FROM digital_cards WHERE id = ?", identifier)
        return DigitalCard(*rows[0]) if rows else None

    async def art(self, cardholder: str, suffix: str) -> list[dict[str, str]]:
        query = "SELECT id, art FROM digital_cards WHERE cardholder = ? AND suffix = ? ORDER BY id"
        return [
            {"digitalCardId": card, "cardArt": art}
            for card, art in await self._rows(query, cardholder, suffix)
        ]

    async def recent(self, digital_card: str, seconds: float) -> tuple[int, int]:
        """How many attempts of the last `seconds` failed, and how many codes were sent in all of them.

        Those of a clock that was further ahead do not count: the card would be refused until that
        time has come.
        """
        now = time.time()
        counts = "count(*) FILTER (WHERE state = 'failed'), coalesce(sum(sent), 0)"
        query = f"SELECT {counts} FROM attempts WHERE digital_card = ? AND began > ? AND began < ?"
        ((failed, sent),) = await self._rows(query, digital_card, now - seconds, now + seconds)
        return failed, sent

    async def begin(self, digital_card: str, state: str = "open") -> str:
        """Forgets some of those that are long over, too."""
        identifier, now = secrets.token_urlsafe(24), time.time()

        def work(database: sqlite3.Connection) -> None:
            over = "SELECT id FROM attempts WHERE began <= ? LIMIT ?"
            database.execute(
                f"DELETE FROM attempts WHERE id IN ({over})", (now - _KEPT_SECONDS, PRUNED_MOST)
            )
            values = (identifier, digital_card, now, state)
            database.execute(
                "INSERT INTO attempts (id, digital_card, began, state) VALUES (?, ?, ?, ?)", values
            )

        await self.database.write(work)
        return identifier

    async def find(self, identifier: str) -> Verification | None:
        columns = ", ".join(Verification.__dataclass_fields__)
        rows = await self._rows(f"SELECT {columns} FROM attempts WHERE id = ?", identifier)
        return Verification(*rows[0]) if rows else None

    async def note_sent(self, identifier: str, counter: int | None, until: float) -> None:
        """From now on only this code is accepted."""
        change = "UPDATE attempts SET sent = sent + 1, counter = ?, code_until = ? WHERE id = ?"
        await self._change(change, counter, until, identifier)

    async def note_wrong(self, identifier: str, most: int) -> None:
        values = "wrong = wrong + 1, state = iif(wrong + 1 >= ?, 'failed', state)"
        change = f"UPDATE attempts SET {values} WHERE id = ? AND state = 'open'"
        await self._change(change, most, identifier)

    async def note_right(self, identifier: str, proof: bytes) -> None:
        """A code that was right, and that the daemon accepts no second time."""
        await self._change("UPDATE attempts SET proof = ? WHERE id = ?", proof, identifier)

    async def pass_once(self, identifier: str) -> bool:
        """Whether this call is the one that ends an open verification."""
        return (
            await self._change(
                "UPDATE attempts SET state = 'passed' WHERE id = ? AND state = 'open'", identifier
            )
            == 1
        )

    async def _rows(self, query: str, *values: object) -> list[Any]:
        return await self.database.read(lambda database: database.execute(query, values).fetchall())

    async def _change(self, statement: str, *values: object) -> int:
        """How many rows it was."""
        return await self.database.write(
            lambda database: database.execute(statement, values).rowcount
        )
