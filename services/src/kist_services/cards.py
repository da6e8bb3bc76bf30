"""The issuer's cards: a SQLite file that stands for the issuer's core. Their numbers are in it only as envelopes, which no service can open.

``python3 -m kist_services.cards FILE LABEL`` adds cards, a JSON object on each line of its input, sealed under the key of that label.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sqlite3
import sys
from dataclasses import dataclass
from typing import Any

import kist

from .common.database import read_only
from .common.keys import LabelledKey

_TABLE = """
CREATE TABLE IF NOT EXISTS cards (
    id TEXT PRIMARY KEY,
    network TEXT NOT NULL CHECK (network IN ('visa', 'mastercard')),
    -- Apple's table 9-1: 1 FPAN, 2 FPAN ID, 3 encrypted FPAN. The code that 2 has here is for Visa's value alone.
    configuration INTEGER NOT NULL CHECK (configuration IN (1, 3) OR configuration = 2 AND network = 'visa'),
    -- of the issuer's own; the settings say what goes with it
    product TEXT NOT NULL DEFAULT '',
    name TEXT NOT NULL,
    last_four TEXT NOT NULL CHECK (last_four GLOB '[0-9][0-9][0-9][0-9]'),
    expiration TEXT NOT NULL,
    prefix TEXT NOT NULL DEFAULT '' CHECK (configuration <> 3 OR length(prefix) BETWEEN 6 AND 12),
    -- What stands for the number in 2, and the code by which the issuer knows its own activation data there.
    account_identifier TEXT NOT NULL DEFAULT '' CHECK (configuration <> 2 OR account_identifier <> ''),
    authentication_code TEXT NOT NULL DEFAULT '' CHECK (configuration <> 2 OR authentication_code <> ''),
    sealed_number BLOB NOT NULL
) STRICT
"""


#: What a member of a new card has to be, for without it the card could never be provisioned: the
#: form of the daemon's fields, and of a path's part. Those that are not required are for configuration 2.
_FORMS: dict[str, tuple[str, str]] = {
    "id": (r"(?!\.\.?$)[A-Za-z0-9._-]{1,64}", "has 1 to 64 letters, digits, dots, hyphens and underscores"),
    "network": ("visa|mastercard", "is visa or mastercard"),
    "product": ("[A-Za-z0-9._-]{0,64}", "has at most 64 letters, digits, dots, hyphens and underscores"),
    "name": (r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,64}", "has 1 to 64 characters that can be printed"),
    "expiration": ("(0[1-9]|1[0-2])/[0-9]{2}", "is MM/YY"),
    "number": ("[0-9]{10,19}", "has 10 to 19 digits"),
    "account_identifier": ("[!-~]{1,128}", "has 1 to 128 visible characters of ASCII"),
    "authentication_code": ("[A-Za-z0-9]{1,32}", "has 1 to 32 letters and digits"),
}
_OPTIONAL, _OF_AN_IDENTIFIER = {"product"}, {"account_identifier", "authentication_code"}


class CardError(ValueError):
    """A card that could never be provisioned; the text names the member and never quotes its value."""


@dataclass(frozen=True)
class Card:
    """A card as a service has it; the columns of the table."""

    id: str
    network: str
    configuration: int
    product: str
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
        CardError: a member is not right, or the card is there already.
        sqlite3.Error
    """
    check(members)
    number = members.pop("number")
    sealed = await client.seal(await key.id(), number.encode(), associated_data=context(members["id"]))
    row = members | {"last_four": number[-4:], "prefix": number[:9] if members["configuration"] == 3 else "", "sealed_number": sealed}
    with database:
        database.execute(_TABLE)
        insert = f"INSERT INTO cards ({', '.join(row)}) VALUES ({', '.join('?' * len(row))}) ON CONFLICT (id) DO NOTHING"
        if database.execute(insert, tuple(row.values())).rowcount == 0:
            raise CardError("id: there is such a card")


def check(members: Any) -> None:
    """
    Raises:
        CardError
    """
    if not isinstance(members, dict):
        raise CardError("a card is a JSON object")
    for name in set(members) - {"configuration", *_FORMS}:
        raise CardError(f"{name} is not expected" if name.isidentifier() else "a member is not expected")
    configuration = members.get("configuration")
    if type(configuration) is not int or configuration not in (1, 2, 3):
        raise CardError("configuration is 1, 2 or 3")
    for name, (form, sentence) in _FORMS.items():
        if name not in members and (name in _OPTIONAL or name in _OF_AN_IDENTIFIER and configuration != 2):
            continue
        value = members.get(name)
        if not isinstance(value, str) or not re.fullmatch(form, value):
            raise CardError(f"{name} {sentence}")
    if configuration == 2 and members["network"] != "visa":
        raise CardError("configuration 2 is for network visa")


async def main(file: str, label: str) -> int:
    with contextlib.closing(sqlite3.connect(file)) as database:
        async with kist.AsyncClient() as client:
            key = LabelledKey(client, label)
            for number, line in enumerate(sys.stdin, 1):
                try:
                    await add(database, client, key, json.loads(line))
                except CardError as error:
                    print(f"line {number}: {error}", file=sys.stderr)
                    return 1
                except (ValueError, sqlite3.Error, kist.KistError) as error:
                    print(f"line {number}: {type(error).__name__}", file=sys.stderr)
                    return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python3 -m kist_services.cards FILE LABEL < CARDS")
    sys.exit(asyncio.run(main(*sys.argv[1:])))
