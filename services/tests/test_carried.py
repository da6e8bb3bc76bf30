"""What goes between the hosts of a fleet: whole and by one of them, or nothing."""

from __future__ import annotations

import asyncio
import base64
import os
import pathlib
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hosting import fleet, signer
from kist_services.carried import MOST_BYTES, UNREADABLE, Carried, Page, Unsigned
from kist_services.common import jws

NOW = datetime(2026, 11, 28, tzinfo=UTC)


def write(host: Carried, name: str = "file", value: dict[str, Any] | None = None) -> None:
    asyncio.run(host.write(name, value or {"is": 1}, NOW))


def test_a_file_goes_and_comes(tmp_path: pathlib.Path) -> None:
    a, b, c = fleet(tmp_path)
    write(a)
    write(a)
    assert b.read("file") == c.read("file") == a.read("file") == Page("a", NOW, {"is": 1}) and list(b.names("le")) == ["file"]
    assert [path.stat().st_mode & 0o777 for path in tmp_path.iterdir()] == [0o640]
    write(b)
    assert a.read("file").host == "b" and (b.host, b.others) == ("b", ("a", "c"))
    a.remove("file")
    a.remove("file")
    with pytest.raises(FileNotFoundError):
        a.read("file")


def test_what_is_altered_is_not_read(tmp_path: pathlib.Path) -> None:
    a, b, _ = fleet(tmp_path)
    write(a)
    whole = (tmp_path / "file").read_bytes()
    for position in range(len(whole)):
        for altered in (whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :], whole[:position]):
            (tmp_path / "file").write_bytes(altered)
            with pytest.raises(UNREADABLE):
                b.read("file")
    (tmp_path / "file").write_bytes(whole + b" ")
    with pytest.raises(ValueError, match="of another file"):
        b.read("file")


def test_what_nobody_of_the_fleet_has_signed(tmp_path: pathlib.Path) -> None:
    _, b, _ = fleet(tmp_path)
    for stranger in fleet(tmp_path):
        write(stranger)
        with pytest.raises(ValueError, match="no host of the fleet"):
            b.read("file")


def test_a_file_of_another_name_or_host(tmp_path: pathlib.Path) -> None:
    key, a_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    hosts = {"a": a_key.public_key(), "b": key.public_key()}
    b = Carried(str(tmp_path), "b", hosts, signer(key))
    write(b)
    (tmp_path / "file").rename(tmp_path / "other")
    with pytest.raises(ValueError, match="of another file"):
        b.read("other")
    # One host signs in the name of another.
    write(Carried(str(tmp_path), "a", {"a": key.public_key()}, signer(key)))
    with pytest.raises(ValueError, match="of another file"):
        b.read("file")


def test_a_key_that_is_not_the_hosts(tmp_path: pathlib.Path) -> None:
    hosts = {"a": ec.generate_private_key(ec.SECP256R1()).public_key()}
    a = Carried(str(tmp_path), "a", hosts, signer(ec.generate_private_key(ec.SECP256R1())))
    with pytest.raises(Unsigned, match="is not the one that hosts has for a"):
        write(a)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"", b"{", b"\n", b"..\n{}", b"a.b.c\n{}", b"\xff\n", b"." * 100_000, b"[" * 60_000, b" " * (MOST_BYTES + 1)])
def test_files_that_are_none(tmp_path: pathlib.Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ValueError):
        fleet(tmp_path)[0].read("file")


def test_neither_a_link_nor_a_fifo_is_read(tmp_path: pathlib.Path) -> None:
    a, b, _ = fleet(tmp_path)
    write(a)
    (tmp_path / "file").rename(tmp_path / "elsewhere")
    (tmp_path / "file").symlink_to("elsewhere")
    for name in ("fifo", ".file.a.new"):
        os.mkfifo(tmp_path / name)
    with pytest.raises(OSError, match="symbolic link"):
        b.read("file")
    with pytest.raises(ValueError, match="no file"):
        b.read("fifo")
    write(a)
    assert b.read("file").host == "a"


def test_nothing_is_written_larger_than_it_is_read(tmp_path: pathlib.Path) -> None:
    a, b, _ = fleet(tmp_path)
    write(a, value={"is": " " * (MOST_BYTES - 1000)})
    assert len(b.read("file").value["is"]) == MOST_BYTES - 1000
    with pytest.raises(OSError, match="File too large"):
        write(a, value={"is": " " * MOST_BYTES})
    assert len(b.read("file").value["is"]) == MOST_BYTES - 1000


@pytest.mark.parametrize("at", ["2026-11-28T00:00:00", "x", 7, None])
def test_a_moment_that_is_none(tmp_path: pathlib.Path, at: object) -> None:
    key = ec.generate_private_key(ec.SECP256R1())

    async def sign(claims: dict[str, object]) -> str:
        return await signer(key)(claims | {"at": at})

    a = Carried(str(tmp_path), "a", {"a": key.public_key()}, sign)
    write(a)
    with pytest.raises(UNREADABLE):
        a.read("file")


def test_claims_that_are_no_object() -> None:
    key = ec.generate_private_key(ec.SECP256R1())

    async def sign(claims: Any) -> str:
        return await signer(key)(claims)

    with pytest.raises(ValueError, match="claims are an object"):
        jws.claims_of(asyncio.run(sign([])), key.public_key())
    signed = asyncio.run(sign({"x": 1}))
    assert jws.claims_of(signed, key.public_key()) == {"x": 1}
    for other in (signed[:-2], signed + "AA", signed.replace(".", "", 1), "é" + signed):
        with pytest.raises(ValueError):
            jws.claims_of(other, key.public_key())


def test_public_keys() -> None:
    def text(key: Any) -> str:
        return base64.b64encode(key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode()

    key = ec.generate_private_key(ec.SECP256R1())
    assert jws.public_key(text(key)).public_numbers() == key.public_key().public_numbers()
    for wrong in (text(ec.generate_private_key(ec.SECP384R1())), text(ed25519.Ed25519PrivateKey.generate()), "", "AAAA", text(key)[:-4], "*" + text(key)):
        with pytest.raises(ValueError):
            jws.public_key(wrong)
