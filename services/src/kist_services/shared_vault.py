"""The vault on a PostgreSQL server, for `cardsecure` and `redeem` on several hosts; vault.sql makes its tables."""

from __future__ import annotations

from . import vault
from .common.database import PRUNED_MOST
from .common.server import Connection, Server
from .vault import RETRY_SECONDS, Entry

_TOUCH = ("UPDATE touched SET at = now()", "SELECT FROM payments LIMIT 1")
_FORGET = "DELETE FROM payments WHERE transaction_id = %s AND until <= now()"
_PRUNE = """
DELETE FROM payments WHERE transaction_id IN (
    SELECT transaction_id FROM payments WHERE until <= now() - make_interval(secs => %s)
    ORDER BY until LIMIT %s FOR UPDATE SKIP LOCKED
)
"""
_INSERT = """
INSERT INTO payments (transaction_id, token, envelope, until)
VALUES (%s, %s, %s, now() + make_interval(secs => %s)) ON CONFLICT DO NOTHING
"""
_FIRST = "SELECT token, redeemed FROM payments WHERE transaction_id = %s"
_FIND = """
SELECT transaction_id, envelope, redeemed IS NULL AND until > now() FROM payments WHERE token = %s
"""
_SPEND = "UPDATE payments SET redeemed = now() WHERE transaction_id = %s"


class SharedVault:
    """As `Vault`, whose methods these are. What time it is, the server says to all hosts."""

    def __init__(self, address: str) -> None:
        self.database = Server(address, _TOUCH)

    async def put(self, first_two: str, last_four: str, entry: Entry, seconds: float) -> str | None:
        """As `Vault.put`. Of two hosts that are asked at once, both return the first token."""

        async def work(connection: Connection) -> str | None:
            await connection.execute(_FORGET, (entry.transaction_id,))
            await connection.execute(_PRUNE, (RETRY_SECONDS, PRUNED_MOST))
            while True:
                token = vault.draw(first_two, last_four)
                values = (entry.transaction_id, token, entry.envelope, seconds)
                if (await connection.execute(_INSERT, values)).rowcount:
                    return token
                asked = await connection.execute(_FIRST, (entry.transaction_id,))
                if row := await asked.fetchone():
                    first, redeemed = row
                    return None if redeemed is not None else str(first)

        return await self.database.use(work)

    async def find(self, token: str, *, again: bool = False) -> Entry | None:
        """As `Vault.find`."""

        async def work(connection: Connection) -> Entry | None:
            row = await (await connection.execute(_FIND, (token,))).fetchone()
            if row is None:
                return None
            transaction_id, envelope, is_open = row
            return Entry(transaction_id, envelope) if is_open or again else None

        return await self.database.use(work)

    async def spend(self, transaction_id: bytes) -> None:
        """As `Vault.spend`."""

        async def work(connection: Connection) -> None:
            await connection.execute(_SPEND, (transaction_id,))

        await self.database.use(work)
