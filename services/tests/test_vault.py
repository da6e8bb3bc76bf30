"""The vault when it is locked or full, and with many tokens in it.

No payment is lost, and whoever has to wait is told so.
"""

from __future__ import annotations

import asyncio
import contextlib
import pathlib
import resource
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from kist_services import vault as module
from kist_services.common.database import PRUNED_MOST, DatabaseUnavailable
from kist_services.vault import Entry, Vault
from kist_services.verifications import Verifications
from running import Service, locked, refusal
from test_cardsecure import PAN, Shop, devicedata
from test_cardsecure import shop as shop

FILE = "vault.sqlite"


@contextlib.contextmanager
def full(service: Service) -> Iterator[None]:
    """No file of the service's may grow: the kernel refuses its writes as a full disk does."""
    unlimited = resource.prlimit(service.process, resource.RLIMIT_FSIZE)
    resource.prlimit(
        service.process, resource.RLIMIT_FSIZE, (service.log.stat().st_size, unlimited[1])
    )
    try:
        yield
    finally:
        resource.prlimit(service.process, resource.RLIMIT_FSIZE, unlimited)


def vault_of(shop: Shop) -> pathlib.Path:
    return shop.tokenizer.log.parent / FILE


def test_a_number_is_answered_while_the_vault_is_locked(shop: Shop) -> None:
    token = shop.tokenized()
    with locked(vault_of(shop)):
        redeemed = shop.redeem(token)
    assert redeemed.status_code == 200 and redeemed.json()["account"] == PAN
    assert "not noted as redeemed" in str(shop.acquirer.log_lines()[-1]["error"])
    assert refusal(shop.redeem(token), 422), "the daemon opens it once"


def test_numbers_are_answered_at_once_while_the_vault_is_locked(shop: Shop) -> None:
    tokens = [shop.tokenized() for _ in range(8)]
    with locked(vault_of(shop)), ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(shop.redeem, tokens))
    assert [answer.status_code for answer in answers] == [200] * 8


def test_a_payment_waits_for_a_locked_vault(shop: Shop) -> None:
    """One is told after it was opened, and is repeated with its key; the next are told before."""
    known, unknown = devicedata(shop.payload()), devicedata(shop.payload())
    with locked(vault_of(shop)):
        for told in (shop.post(known, "payment-0004-a7f3c1"), shop.post(unknown)):
            assert refusal(told, 503) and told.headers["retry-after"] == "5"
    for token in (
        shop.post(known, "payment-0004-a7f3c1").json()["token"],
        shop.post(unknown).json()["token"],
    ):
        assert shop.redeem(token).json()["account"] == PAN


def test_a_payment_waits_for_a_full_disk(shop: Shop) -> None:
    data = devicedata(shop.payload())
    with full(shop.tokenizer):
        told = shop.post(data, "payment-0005-a7f3c1")
        assert refusal(told, 503) and told.headers["retry-after"] == "5"
        assert refusal(shop.tokenizer.http.get("/ready"), 503)
    assert shop.tokenizer.http.get("/ready").status_code == 200
    assert (
        shop.redeem(shop.post(data, "payment-0005-a7f3c1").json()["token"]).json()["account"] == PAN
    )


def test_a_number_is_answered_where_the_disk_is_full(shop: Shop) -> None:
    token = shop.tokenized()
    with full(shop.acquirer):
        assert shop.redeem(token).json()["account"] == PAN
    assert shop.acquirer.http.get("/ready").status_code == 200


@pytest.mark.parametrize("name", ["tokenizer", "acquirer"])
def test_ready_knows_a_locked_vault(shop: Shop, name: str) -> None:
    """Within a second, and while another request waits."""
    service: Service = getattr(shop, name)
    with locked(vault_of(shop)), ThreadPoolExecutor(4) as threads:
        began = time.monotonic()
        told = list(threads.map(lambda _: service.http.get("/ready"), range(4)))
        assert time.monotonic() - began < 3
    for answer in told:
        assert refusal(answer, 503) and answer.headers["retry-after"]
    assert service.http.get("/ready").status_code == 200


def test_others_are_answered_while_one_waits_for_the_vault(shop: Shop) -> None:
    data = devicedata(shop.payload())
    with locked(vault_of(shop)), ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(shop.post, data, "payment-0006-a7f3c1")
        while not waiting.done():
            assert shop.tokenizer.http.get("/nowhere").status_code == 404
            answered = shop.redeem("9410000000001111")
            assert refusal(answered, 404) and answered.elapsed.total_seconds() < 3
        assert refusal(waiting.result(), 503)
    assert shop.post(data, "payment-0006-a7f3c1").json()["errorcode"] == 0


def entry(number: int, envelope: bytes = b"envelope") -> Entry:
    return Entry(number.to_bytes(32), envelope)


def with_vault(file: pathlib.Path, ask: Any) -> Any:
    vault = Vault(str(file))
    try:
        return asyncio.run(ask(vault))
    finally:
        vault.database.close()


def test_a_token_is_no_others(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same digits two can be drawn alike: then another is drawn."""
    drawn = iter(["9410000000001111", "9410000000001111", "9410000000001111", "9410000000011111"])
    monkeypatch.setattr(module, "draw", lambda first_two, last_four: next(drawn))

    async def ask(vault: Vault) -> list[str | None]:
        return [await vault.put("41", "1111", entry(number), 60) for number in range(2)]

    assert with_vault(tmp_path / FILE, ask) == ["9410000000001111", "9410000000011111"]


def test_tokens_whose_time_is_over_are_removed(tmp_path: pathlib.Path) -> None:
    """By each that is added, so many at a time; one of the same payment does not count."""

    def fill(database: sqlite3.Connection) -> None:
        rows = (
            (entry(number).transaction_id, str(number), b"envelope")
            for number in range(2 * PRUNED_MOST + 1)
        )
        database.executemany(
            "INSERT INTO payments (transaction_id, token, envelope, until) VALUES (?, ?, ?, 1)",
            rows,
        )

    async def ask(vault: Vault) -> list[int]:
        await vault.database.write(fill)
        counts = []
        for number in (0, 1000, 1001):
            assert (token := await vault.put("41", "1111", entry(number), 60)) and await vault.find(
                token
            )
            counts.append(
                await vault.database.read(
                    lambda database: database.execute("SELECT count(*) FROM payments").fetchone()[0]
                )
            )
        return counts

    assert with_vault(tmp_path / FILE, ask) == [PRUNED_MOST + 1, 2, 3]


def test_a_redeemed_payment_stays_until_its_time_is_over(tmp_path: pathlib.Path) -> None:
    async def ask(vault: Vault) -> None:
        token = await vault.put("41", "1111", entry(1), 60)
        assert token and await vault.find(token) == entry(1)
        await vault.spend(entry(1).transaction_id)
        assert (
            await vault.find(token) is None
            and await vault.put("41", "1111", entry(1, b"again"), 60) is None
        )
        assert await vault.find(token, again=True) == entry(1)

    with_vault(tmp_path / FILE, ask)


def test_a_request_can_be_repeated_after_a_tokens_time(tmp_path: pathlib.Path) -> None:
    """For as long as any retry window; the daemon knows whether there is something to repeat."""

    async def ask(vault: Vault) -> None:
        for age, is_there in ((1, True), (3500, True), (3700, False)):
            token = await vault.put("41", "1111", entry(age), -age)
            await vault.put("41", "1111", entry(0), 60)
            assert token and await vault.find(token) is None
            assert (await vault.find(token, again=True) is not None) == is_there

    with_vault(tmp_path / FILE, ask)


def test_no_statement_reads_the_whole_file(tmp_path: pathlib.Path) -> None:
    """So that all takes as long among a million tokens or attempts as among ten."""
    said: list[str] = []

    def listen(database: sqlite3.Connection) -> None:
        database.set_trace_callback(said.append)

    async def ask() -> None:
        vault, verifications = (
            Vault(str(tmp_path / FILE)),
            Verifications(str(tmp_path / "idv.sqlite")),
        )
        for database in (vault.database, verifications.database):
            await database.write(listen)
            await database.read(listen)
        token = await vault.put("41", "1111", entry(1), 60)
        await vault.put("41", "1111", entry(1), 60)
        assert token and await vault.find(token)
        await vault.spend(entry(1).transaction_id)
        attempt = await verifications.begin("card")
        assert (
            await verifications.card("card") is None
            and await verifications.art("holder", "4320") == []
        )
        assert await verifications.recent("card", 60) == (0, 0)
        await verifications.note_sent(attempt, 1, 2)
        await verifications.note_wrong(attempt, 5)
        await verifications.note_right(attempt, b"a")
        assert await verifications.find(attempt) and await verifications.pass_once(attempt)
        for database in (vault.database, verifications.database):
            database.close()

    asyncio.run(ask())
    statements = [
        statement
        for statement in said
        if statement.startswith(("SELECT", "INSERT", "UPDATE", "DELETE"))
    ]
    assert len(statements) > 15
    for statement in statements:
        file = FILE if "payments" in statement else "idv.sqlite"
        with contextlib.closing(sqlite3.connect(tmp_path / file)) as database:
            steps = [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {statement}")]
        assert not [step for step in steps if step.startswith("SCAN")], (statement, steps)


def test_what_is_acknowledged_survives_a_loss_of_power(tmp_path: pathlib.Path) -> None:
    """SQLite syncs its log at each commit with these two, and with less it does not."""

    async def ask(vault: Vault) -> None:
        def settings(database: sqlite3.Connection) -> list[object]:
            return [
                database.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("journal_mode", "synchronous")
            ]

        assert await vault.database.write(settings) == ["wal", 2]

    with_vault(tmp_path / FILE, ask)


def test_one_that_fails_leaves_the_others_written(tmp_path: pathlib.Path) -> None:
    """Of those that are written in one transaction."""

    async def ask(vault: Vault) -> None:
        def faulty(database: sqlite3.Connection) -> None:
            database.execute("DELETE FROM payments")
            raise KeyError

        first = vault.put("41", "1111", entry(1), 60)
        outcomes = await asyncio.gather(
            first,
            vault.database.write(faulty),
            vault.put("41", "1111", entry(2), 60),
            return_exceptions=True,
        )
        assert isinstance(outcomes[1], KeyError)
        assert [await vault.find(str(outcomes[at])) for at in (0, 2)] == [entry(1), entry(2)]

    with_vault(tmp_path / FILE, ask)


def test_who_gave_up_is_not_written(tmp_path: pathlib.Path) -> None:
    """What was answered with an error does not happen later."""

    async def ask(vault: Vault) -> None:
        with locked(tmp_path / FILE):
            waiting = [
                asyncio.create_task(vault.put("41", "1111", entry(number), 60))
                for number in range(2)
            ]
            await asyncio.sleep(0)
            late = asyncio.create_task(vault.put("41", "1111", entry(2), 60))
            await asyncio.sleep(0)
            late.cancel()
            outcomes = await asyncio.gather(*waiting, return_exceptions=True)
            assert [type(outcome) for outcome in outcomes] == [DatabaseUnavailable] * 2
            with pytest.raises(DatabaseUnavailable):
                await vault.database.ensure()
        await vault.database.ensure()
        count = await vault.database.read(
            lambda database: database.execute("SELECT count(*) FROM payments").fetchone()
        )
        assert count == (0,)

    with_vault(tmp_path / FILE, ask)


@pytest.mark.parametrize("octets", [b"no database at all", b""])
def test_many_start_at_once(tmp_path: pathlib.Path, octets: bytes) -> None:
    """On a file that is not there yet, or that is none."""
    (tmp_path / FILE).write_bytes(octets)

    def start(_: int) -> str:
        try:
            Vault(str(tmp_path / FILE)).database.close()
        except sqlite3.DatabaseError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(start, range(8))) == {"file is not a database" if octets else ""}


@pytest.mark.parametrize("held", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_start_waits_for_another(tmp_path: pathlib.Path, held: str) -> None:
    """SQLite refuses at once to begin with WAL while another writes a file that has none yet."""
    file = str(tmp_path / FILE)
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE begun (it INTEGER)")
    other.execute(held)
    with ThreadPoolExecutor(1) as threads:
        start = threads.submit(lambda: Vault(file).database.close())
        time.sleep(0.3)
        assert not start.done(), "it waits"
        other.execute("COMMIT")
        start.result()
    other.close()
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        other = sqlite3.connect(str(tmp_path / "another"), isolation_level=None)
        other.execute("CREATE TABLE begun (it INTEGER)")
        other.execute(held)
        Vault(str(tmp_path / "another"))
    other.close()
