"""The vault on a PostgreSQL server, of several hosts: what the file does, and what only a server can do."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import psycopg
import pytest
from kist.testing import Sandbox
from kist_services import shared_vault
from kist_services import vault as module
from kist_services.common.database import PRUNED_MOST, DatabaseUnavailable
from kist_services.common.settings import SettingsError
from kist_services.shared_vault import SharedVault
from kist_services.vault import Vault, vault_at
from postgres import Postgres, postgres
from running import Service, api_keys, refusal, serving
from sandboxed import merchant_sandbox, merchant_settings
from test_cardsecure import PAN, Shop, devicedata
from test_vault import entry

T = TypeVar("T")


@pytest.fixture(scope="module")
def running() -> Iterator[Postgres]:
    with postgres() as server:
        yield server


@pytest.fixture
def server(running: Postgres) -> Postgres:
    running.sql("DELETE FROM payments")
    return running


@pytest.fixture
def host(server: Postgres) -> Callable[[Callable[[SharedVault], Awaitable[T]]], T]:
    """Has a host's vault do something."""

    def run(ask: Callable[[SharedVault], Awaitable[T]]) -> T:
        async def whole() -> T:
            here = SharedVault(server.address("kist_cardsecure"))
            async with here.database:
                return await ask(here)

        return asyncio.run(whole())

    return run


Host = Callable[[Callable[[SharedVault], Awaitable[T]]], T]


def test_a_setting_names_a_file_or_a_server(tmp_path: pathlib.Path) -> None:
    file, address = str(tmp_path / "vault.sqlite"), "postgresql://kist_redeem@/vault"
    assert isinstance(vault_at(file), Vault) and isinstance(vault_at(address), SharedVault)
    with pytest.raises(SettingsError, match="vault: .*no_such_option"):
        vault_at(f"{address}?no_such_option=1")


def test_without_the_library_a_server_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "kist_services.shared_vault", None)
    with pytest.raises(SettingsError, match="python3-psycopg"):
        vault_at("postgresql:///vault")


def test_a_redeemed_payment_stays_until_its_time_is_over(host: Host[None]) -> None:
    async def ask(vault: SharedVault) -> None:
        token = await vault.put("41", "1111", entry(1), 60)
        assert token and await vault.find(token) == entry(1)
        assert await vault.put("41", "1111", entry(1, b"again"), 60) == token
        await vault.spend(entry(1).transaction_id)
        assert await vault.find(token) is None
        assert await vault.put("41", "1111", entry(1, b"again"), 60) is None
        assert await vault.find(token, again=True) == entry(1)
        assert await vault.find("9410000000001111", again=True) is None

    host(ask)


def test_a_request_can_be_repeated_after_a_tokens_time(host: Host[None]) -> None:
    async def ask(vault: SharedVault) -> None:
        for age, is_there in ((1, True), (3500, True), (3700, False)):
            token = await vault.put("41", "1111", entry(age), -age)
            await vault.put("41", "1111", entry(0), 60)
            assert token and await vault.find(token) is None
            assert (await vault.find(token, again=True) is not None) == is_there

    host(ask)


def test_tokens_whose_time_is_over_are_removed(server: Postgres, host: Host[None]) -> None:
    server.sql(
        "INSERT INTO payments (transaction_id, token, envelope, until)"
        " SELECT int4send(number), number, '', 'epoch'"
        f" FROM generate_series(1, {2 * PRUNED_MOST + 1}) AS number"
    )

    async def ask(vault: SharedVault) -> None:
        for number, left in ((0, PRUNED_MOST + 2), (1000, 3), (1001, 3)):
            await vault.put("41", "1111", entry(number), 60)
            assert server.sql("SELECT count(*) FROM payments") == str(left)

    host(ask)


def test_a_token_is_no_others(host: Host[None], monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["9410000000001111", "9410000000001111", "9410000000001111", "9410000000011111"])
    monkeypatch.setattr(module, "draw", lambda first_two, last_four: next(drawn))

    async def ask(vault: SharedVault) -> None:
        tokens = [await vault.put("41", "1111", entry(number), 60) for number in range(2)]
        assert tokens == ["9410000000001111", "9410000000011111"]

    host(ask)


def test_hosts_that_are_asked_at_once_have_one_token(server: Postgres) -> None:
    """Of each of many payments, which come to two hosts in other orders."""

    async def ask() -> list[list[str | None]]:
        hosts = [SharedVault(server.address("kist_cardsecure")) for _ in range(2)]
        async with hosts[0].database, hosts[1].database:
            return await asyncio.gather(
                *(
                    asyncio.gather(*(host.put("41", "1111", entry(at), 60) for at in order))
                    for host, order in zip(hosts, (range(40), range(39, -1, -1)), strict=True)
                )
            )

    one, two = asyncio.run(ask())
    assert one == two[::-1] and None not in one and len(set(one)) == 40


def test_each_service_may_do_only_its_part(server: Postgres) -> None:
    """A service that is taken over cannot do the other's."""
    forbidden = {
        "kist_redeem": ("INSERT INTO payments VALUES ('', '', '', now())", "DELETE FROM payments",
                        "UPDATE payments SET envelope = ''", "UPDATE payments SET until = now()"),
        "kist_cardsecure": ("UPDATE payments SET envelope = ''", "UPDATE payments SET token = ''",
                            "DROP TABLE payments", "TRUNCATE payments"),
    }  # fmt: skip
    for user, statements in forbidden.items():
        with psycopg.connect(server.address(user), autocommit=True) as connection:
            for statement in statements:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement.encode())


def test_no_statement_reads_the_whole_table(server: Postgres) -> None:
    key = entry(1).transaction_id
    asked = (
        (shared_vault._FORGET, (key,)), (shared_vault._PRUNE, (60, PRUNED_MOST)), (shared_vault._FIRST, (key,)),
        (shared_vault._FIND, ("9410000000001111",)), (shared_vault._SPEND, (key,)),
    )  # fmt: skip
    with psycopg.connect(server.address("postgres"), autocommit=True) as connection:
        connection.execute("SET enable_seqscan = off")
        for statement, values in asked:
            plan = "\n".join(row[0] for row in connection.execute(f"EXPLAIN {statement}".encode(), values))
            assert "Seq Scan" not in plan and "Index" in plan, plan


def test_what_is_acknowledged_is_on_the_disk(server: Postgres, host: Host[None]) -> None:
    """Whatever the server's own setting is."""
    server.sql("ALTER ROLE kist_cardsecure SET synchronous_commit = off")

    async def ask(vault: SharedVault) -> None:
        async def setting(connection: psycopg.AsyncConnection[tuple[str]]) -> str:
            row = await (await connection.execute("SHOW synchronous_commit")).fetchone()
            assert row
            return row[0]

        assert await vault.database.use(setting) == "on"

    host(ask)


def test_a_server_that_ended_is_used_again(server: Postgres, host: Host[None]) -> None:
    async def ask(vault: SharedVault) -> None:
        assert await vault.put("41", "1111", entry(1), 60)
        server.kill()
        for work in (vault.put("41", "1111", entry(2), 60), vault.database.ready(), vault.database.ensure()):
            with pytest.raises(DatabaseUnavailable):
                await work
        server.start()
        await _soon(vault)
        assert await vault.put("41", "1111", entry(2), 60)

    host(ask)


async def _soon(vault: SharedVault) -> None:
    """Within some seconds it serves again, by itself."""
    until = time.monotonic() + 10
    while True:
        try:
            return await vault.database.ensure()
        except DatabaseUnavailable:
            assert time.monotonic() < until
            await asyncio.sleep(0.1)


def test_nobody_waits_for_a_server_that_hangs(server: Postgres, host: Host[None]) -> None:
    async def ask(vault: SharedVault) -> None:
        assert await vault.put("41", "1111", entry(1), 60)
        began = time.monotonic()
        with server.frozen():
            waiting = (vault.put("41", "1111", entry(number), 60) for number in range(2, 22))
            outcomes = await asyncio.gather(*waiting, return_exceptions=True)
            assert time.monotonic() - began < 4
        assert {type(outcome) for outcome in outcomes} == {DatabaseUnavailable}
        await _soon(vault)
        assert await vault.put("41", "1111", entry(2), 60)

    host(ask)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, running: Postgres) -> Iterator[Shop]:
    place = tmp_path_factory.mktemp("shared")
    with merchant_sandbox() as sandbox, _serving(sandbox, "cardsecure", place, running) as tokenizer:
        with _serving(sandbox, "redeem", place, running) as acquirer:
            yield Shop(tokenizer, acquirer)


def _serving(sandbox: Sandbox, name: str, place: pathlib.Path, server: Postgres) -> contextlib.AbstractContextManager[Service]:
    vault = server.address(f"kist_{name}")
    return serving(name, sandbox, api_keys() + merchant_settings(place, {name: vault})[name], place)


def test_a_payment_waits_for_a_locked_table(server: Postgres, shop: Shop) -> None:
    key, data = f"payment-{os.urandom(8).hex()}", devicedata(shop.payload())
    token = shop.tokenized()
    with server.locked():
        told = [shop.post(data, key), shop.post(devicedata(shop.payload())), shop.tokenizer.http.get("/ready"), shop.acquirer.http.get("/ready")]
    for answer in told:
        assert refusal(answer, 503) and answer.headers["retry-after"] == "5"
    for each in (token, shop.post(data, key).json()["token"]):
        assert shop.redeem(each).json()["account"] == PAN
        assert refusal(shop.redeem(each), 404)


def test_services_start_without_their_server(tmp_path: pathlib.Path, server: Postgres, shop: Shop) -> None:
    server.kill()
    with _serving(shop.sandbox, "cardsecure", tmp_path, server) as late:
        with ThreadPoolExecutor(4) as threads:
            told = list(threads.map(lambda _: late.http.get("/ready"), range(4)))
        assert {answer.status_code for answer in told} == {503}
        server.start()
        until = time.monotonic() + 10
        while late.http.get("/ready").status_code != 200:
            assert time.monotonic() < until
            time.sleep(0.1)
        assert any("refused" in str(line.get("server")) for line in late.log_lines())
