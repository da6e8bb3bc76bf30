"""The issuer's cards: a SQLite file that stands for the issuer's core. Their numbers are in it only as envelopes, which no service can open.

``python3 -m kist_services.cards FILE LABEL`` adds cards, a JSON object on each line of its input, sealed under the key of that label.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import sys
from dataclasses import dataclass
from typing import Any

import kist

from .common.database import read_only
from .common.keys import LabelledKey

_TABLE = """
CREATE TABLE IF NOT EXISTS cards (
    id TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
    network TEXT NOT NULL CHECK (network IN ('visa', 'mastercard')),
    -- Apple's table 9-1: 1 FPAN, 2 FPAN ID, 3 encrypted FPAN. The code that 2 has here is for Visa's value alone.
    configuration INTEGER NOT NULL CHECK (configuration IN (1, 3) OR configuration = 2 AND network = 'visa'),
    name TEXT NOT NULL,
    last_four TEXT NOT NULL CHECK (last_four GLOB '[0-9][0-9][0-9][0-9]'),
    expiration TEXT NOT NULL CHECK (expiration GLOB '[01][0-9]/[0-9][0-9]'),
    prefix TEXT NOT NULL DEFAULT '' CHECK (configuration <> 3 OR length(prefix) BETWEEN 6 AND 12),
    -- What stands for the number in 2, and the code by which the issuer knows its own activation data there.
    account_identifier TEXT NOT NULL DEFAULT '' CHECK (configuration <> 2 OR account_identifier <> ''),
    authentication_code TEXT NOT NULL DEFAULT '' CHECK (configuration <> 2 OR authentication_code <> ''),
    sealed_number BLOB NOT NULL
) STRICT
"""


@dataclass(frozen=True)
class Card:
    """A card as a service has it; the columns of the table."""

    id: str
    network: str
    configuration: int
    name: str
    last_four: str
    expiration: str
    prefix: str
    account_identifier: str
    authentication_code: str
    sealed_number: bytes

    @property
    def context(self) -> bytes:
        """Binds the sealed number to this card: another's row does not open."""
        return context(self.id)


def context(card: str) -> bytes:
    return b"kist card " + card.encode()


async def find(file: str, card: str) -> Card | None:
    """The card, if there is one. The file is only read.

    Raises:
        DatabaseUnavailable
    """

    def work(database: sqlite3.Connection) -> Card | None:
        row = database.execute(f"SELECT {', '.join(Card.__dataclass_fields__)} FROM cards WHERE id = ?", (card,)).fetchone()
        return None if row is None else Card(*row)

    return await read_only(file, work)


async def add(database: sqlite3.Connection, client: kist.AsyncClient, key: LabelledKey, members: Any) -> None:
    """Seals the `number` of a card and writes the card.

    Raises:
        ValueError: the number is not 10 to 19 digits.
        sqlite3.IntegrityError: a value is not right, or the card is there already.
    """
    if not isinstance(members, dict):
        raise ValueError("a card is a JSON object")
    number = str(members.pop("number", ""))
    if not (number.isascii() and number.isdecimal() and 10 <= len(number) <= 19):
        raise ValueError("number has 10 to 19 digits")
    sealed = await client.seal(await key.id(), number.encode(), associated_data=context(str(members.get("id"))))
    row = members | {"last_four": number[-4:], "prefix": number[:9] if members.get("configuration") == 3 else "", "sealed_number": sealed}
    if not set(row) <= set(Card.__dataclass_fields__):
        raise ValueError("a member that is no column")
    with database:
        database.execute(_TABLE)
        database.execute(f"INSERT INTO cards ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))


async def main(file: str, label: str) -> int:
    with contextlib.closing(sqlite3.connect(file)) as database:
        async with kist.AsyncClient() as client:
            key = LabelledKey(client, label)
            for number, line in enumerate(sys.stdin, 1):
                try:
                    await add(database, client, key, json.loads(line))
                except (ValueError, sqlite3.Error, kist.KistError) as error:
                    print(f"line {number}: {type(error).__name__}", file=sys.stderr)
                    return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python3 -m kist_services.cards FILE LABEL < CARDS")
    sys.exit(asyncio.run(main(*sys.argv[1:])))
