"""The module for PKCS#11 against a real daemon: each call right and wrong, and the same again with sanitizers. Other programs are in test_pkcs11_programs.py."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from ctypes import POINTER, byref, c_ubyte, c_ulong, c_void_p, create_string_buffer
from typing import Any

import pytest
from cryptoki import *
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import cmac, hashes, hmac
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash
from cryptography.hazmat.primitives.kdf.x963kdf import X963KDF
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from kist.testing import Sandbox

MODULE = pathlib.Path(__file__).parents[2] / "pkcs11"
BUILT = MODULE / "build" / os.environ.get("KIST_PKCS11_BUILD", "") / "kist-pkcs11.so"
USES = ["sign", "verify", "mac", "verify-mac", "ecdh", "kdf", "unwrap", "release-handle"]
POLICY = f"""
[[grant]]
id = "uses"
users = [{os.getuid()}]
operations = ["list-keys", "describe-key", "who", "random", {", ".join(f'"{use}"' for use in USES)}]
keys = ["k/*"]

[[grant]]
id = "seen"
users = [{os.getuid()}]
operations = ["list-keys", "describe-key"]
keys = ["seen/*"]

[[grant]]
id = "signs"
users = [{os.getuid()}]
operations = ["list-keys", "describe-key", "sign"]
keys = ["signs/*"]
"""
HASHES = {32: hashes.SHA256(), 48: hashes.SHA384(), 64: hashes.SHA512()}
PSS = {32: pss(M_SHA256, 2, 32), 48: pss(M_SHA384, 3, 48), 64: pss(M_SHA512, 4, 64)}
INFO = {32: "3031300d060960864801650304020105000420", 48: "3041300d060960864801650304020205000430", 64: "3051300d060960864801650304020305000440"}
Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
KEYS: dict[str, tuple[str, Any]] = {
    "k/rsa": ("signing-rsa", rsa.generate_private_key(65537, 2048)), "k/p256": ("signing-ecdsa", ec.generate_private_key(ec.SECP256R1())),
    "k/p384": ("signing-ecdsa", ec.generate_private_key(ec.SECP384R1())), "k/ed": ("signing-ed25519", ed25519.Ed25519PrivateKey.generate()),
    "k/identity": ("merchant-identity-rsa", rsa.generate_private_key(65537, 2048)), "k/agree": ("agreement", ec.generate_private_key(ec.SECP256R1())),
    "k/agree384": ("agreement", ec.generate_private_key(ec.SECP384R1())), "k/unwrap": ("unwrapping-rsa", rsa.generate_private_key(65537, 3072)),
    "k/hmac": ("mac-hmac-sha256", bytes(range(32))), "k/hmac512": ("mac-hmac-sha512", bytes(range(64))), "k/cmac": ("mac-cmac", bytes(range(32))),
    "k/seal": ("sealing", bytes(range(32))), "seen/rsa": ("signing-rsa", rsa.generate_private_key(65537, 2048)),
    "signs/p256": ("signing-ecdsa", ec.generate_private_key(ec.SECP256R1())),
}  # fmt: skip


def private(label: str) -> Any:
    return KEYS[label][1]


def public_der(label: str) -> bytes:
    der: bytes = private(label).public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return der


@pytest.fixture(scope="module")
def sandbox(program: pathlib.Path) -> Iterator[Sandbox]:
    subprocess.run(["make", "--silent", "tests"], cwd=MODULE, check=True)
    with Sandbox(program=program, policy=POLICY) as sandbox:
        for label, (role, key) in KEYS.items():
            form = PrivateFormat.PKCS8 if role == "signing-ed25519" else PrivateFormat.TraditionalOpenSSL
            data = key if isinstance(key, bytes) else key.private_bytes(Encoding.DER, form, NoEncryption())
            merchant = {"merchant_identifier": "merchant.com.example.sandbox"} if role == "merchant-identity-rsa" else {}
            sandbox.import_key(label, role, data, **merchant)
        yield sandbox


@pytest.fixture
def module(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cryptoki]:
    monkeypatch.setenv("KIST_ENDPOINT", sandbox.endpoint)
    module = Cryptoki(BUILT).start()
    yield module
    module.call("Finalize", None)


@pytest.fixture
def session(module: Cryptoki) -> Session:
    return module.open()


def records(sandbox: Sandbox, operation: str) -> list[dict[str, Any]]:
    shown = subprocess.run([sandbox._program, "audit", "show", sandbox.directory / "audit", "--op", operation, "--json"], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in shown.stdout.splitlines()]


@contextlib.contextmanager
def refused(code: int) -> Iterator[None]:
    with pytest.raises(Refused) as refusal:
        yield
    assert refusal.value.code == code, refusal.value


# Start and end


def test_nothing_works_before_initialize_or_after_finalize(module: Cryptoki) -> None:
    module.do("Finalize", None)
    seven = [c_ulong(1)] * 8
    for name in NAMES:
        if name not in ("Initialize", "GetFunctionList", "GetFunctionStatus", "CancelFunction"):
            assert module.call(name, *([None] if name == "Finalize" else seven)) == NOT_INITIALIZED, name
    for name in ("GetFunctionStatus", "CancelFunction"):
        assert module.call(name, c_ulong(0)) == FUNCTION_NOT_PARALLEL


def test_initialize_twice(module: Cryptoki) -> None:
    assert module.call("Initialize", None) == ALREADY_INITIALIZED
    assert module.call("Finalize", c_void_p(1)) == ARGUMENTS_BAD
    module.do("Finalize", None)
    assert module.call("Finalize", None) == NOT_INITIALIZED
    module.start()


LOCK_FUNCTION = ctypes.CFUNCTYPE(c_ulong, c_void_p)


class Locks:
    """An application's own, which count."""

    def __init__(self) -> None:
        self.lock, self.counts = threading.Lock(), dict.fromkeys(("create", "destroy", "lock", "unlock"), 0)
        self.kept = [LOCK_FUNCTION(one) for one in (self._create, self._destroy, self._take, self._release)]

    def arguments(self, flags: int = 0, given: int = 4, reserved: int = 0) -> bytes:
        functions = [ctypes.cast(one, c_void_p).value if place < given else 0 for place, one in enumerate(self.kept)]
        return struct.pack("@PPPPLP", *functions, flags, reserved)

    def _create(self, place: int) -> int:
        ctypes.cast(place, POINTER(c_void_p))[0] = 7
        return self._count("create")

    def _destroy(self, _: int) -> int:
        return self._count("destroy")

    def _take(self, handle: int) -> int:
        assert handle == 7
        self.lock.acquire()
        return self._count("lock")

    def _release(self, _: int) -> int:
        self.lock.release()
        return self._count("unlock")

    def _count(self, name: str) -> int:
        self.counts[name] += 1
        return OK


def test_locks_of_an_application(module: Cryptoki) -> None:
    module.do("Finalize", None)
    locks = Locks()
    module.do("Initialize", locks.arguments())
    session = module.open()
    assert len(session.sign(session.one(PRIVATE_KEY, "k/p256"), M_ECDSA, bytes(32))) == 64
    module.do("Finalize", None)
    assert locks.counts["create"] == locks.counts["destroy"] == 1 and locks.counts["lock"] == locks.counts["unlock"] > 10
    # With the system's allowed as well, those are taken.
    module.do("Initialize", locks.arguments(flags=2))
    assert locks.counts["create"] == 1


@pytest.mark.parametrize("given", [1, 2, 3])
def test_some_locks_are_not_enough(module: Cryptoki, given: int) -> None:
    module.do("Finalize", None)
    assert module.call("Initialize", Locks().arguments(given=given)) == ARGUMENTS_BAD
    assert module.call("Initialize", Locks().arguments(reserved=1)) == ARGUMENTS_BAD
    assert module.call("Initialize", Locks().arguments(given=0)) == OK


def test_interfaces(module: Cryptoki) -> None:
    count = c_ulong()
    assert module.library.C_GetInterfaceList(None, byref(count)) == OK and count.value == 3
    room, short = (Interface * 3)(), c_ulong(2)
    assert module.library.C_GetInterfaceList(room, byref(short)) == BUFFER_TOO_SMALL and short.value == 3
    assert module.library.C_GetInterfaceList(room, byref(count)) == OK
    found: dict[bytes, list[tuple[int, ...]]] = {one.name: [] for one in room}
    for one in room:
        found[one.name].append(tuple(ctypes.cast(one.functions, POINTER(LongTable)).contents.version[:]))
    assert found == {b"PKCS 11": [(3, 1), (3, 0), (2, 40)]}
    for version, expected in ((None, OK), (b"\3\0", OK), (b"\3\1", OK), (b"\2\50", OK), (b"\2\24", ARGUMENTS_BAD), (b"\4\0", ARGUMENTS_BAD)):
        for name, is_known in ((None, True), (b"PKCS 11", True), (b"PKCS 1", False), (b"Vendor", False)):
            place = POINTER(Interface)()
            code = module.library.C_GetInterface(name, version, byref(place), c_ulong(0))
            assert code == (expected if is_known else ARGUMENTS_BAD), (name, version)
    assert module.library.C_GetInterface(None, None, byref(place), c_ulong(1)) == ARGUMENTS_BAD
    assert module.library.C_GetInterface(None, None, None, c_ulong(0)) == ARGUMENTS_BAD == module.library.C_GetInterfaceList(None, None)
    assert module.library.C_GetFunctionList(None) == ARGUMENTS_BAD


def functions_of_version_3(module: Cryptoki) -> tuple[LongTable, Callable[..., int]]:
    place = POINTER(Interface)()
    assert module.library.C_GetInterface(None, b"\3\0", byref(place), c_ulong(0)) == OK
    table = ctypes.cast(place.contents.functions, POINTER(LongTable)).contents

    def call(name: str, *arguments: Any) -> int:
        return int(ctypes.CFUNCTYPE(c_ulong)(getattr(table, name))(*arguments))

    return table, call


def test_functions_of_version_3(module: Cryptoki, session: Session) -> None:
    table, call = functions_of_version_3(module)
    assert all(getattr(table, name) for name in NAMES + MORE_NAMES)
    handle = c_ulong(session.handle)
    assert call("LoginUser", handle, c_ulong(1), None, c_ulong(0), None, c_ulong(2)) == ARGUMENTS_BAD
    assert call("LoginUser", handle, c_ulong(1), None, c_ulong(0), b"me", c_ulong(2)) == OK
    assert call("LoginUser", c_ulong(999), c_ulong(1), None, c_ulong(0), None, c_ulong(2)) == SESSION_HANDLE_INVALID
    for what in ("Encrypt", "Decrypt", "Sign", "Verify"):
        assert call(f"Message{what}Init", handle, byref(mechanism(M_RSA)), c_ulong(1)) == MECHANISM_INVALID
        assert call(f"Message{what}Init", handle, None, c_ulong(1)) == ARGUMENTS_BAD
        assert call(f"{what}Message", handle) == call(f"Message{what}Final", handle) == OPERATION_NOT_INITIALIZED
    key = session.one(PRIVATE_KEY, "k/rsa")
    assert session.sign_init(key, M_SHA256_RSA) == OK
    assert call("SessionCancel", handle, c_ulong(0x2000)) == OK  # verify: another
    assert session.sign_init(key, M_SHA256_RSA) == OPERATION_ACTIVE
    assert call("SessionCancel", handle, c_ulong(0x800)) == OK
    assert session.sign_init(key, M_SHA256_RSA) == OK
    session.do("FindObjectsInit", None, c_ulong(0))
    assert call("SessionCancel", handle, c_ulong(0x40)) == OK
    assert session.call("FindObjectsFinal") == OPERATION_NOT_INITIALIZED
    assert call("SessionCancel", c_ulong(999), c_ulong(0)) == SESSION_HANDLE_INVALID


# Slots, tokens, mechanisms


def test_slots(module: Cryptoki) -> None:
    assert module.slots() == module.slots(present=False) == [1]
    room, count = (c_ulong * 1)(), c_ulong(0)
    assert module.call("GetSlotList", c_ubyte(1), room, byref(count)) == BUFFER_TOO_SMALL and count.value == 1
    assert module.call("GetSlotList", c_ubyte(1), None, None) == ARGUMENTS_BAD
    for slot in (0, 2, 2**32, 2**64 - 1):
        for name, *rest in (("GetSlotInfo", None), ("GetTokenInfo", None), ("GetMechanismList", None, None), ("CloseAllSessions",)):
            assert module.call(name, c_ulong(slot), *rest) == SLOT_ID_INVALID, (name, slot)
        assert module.call("OpenSession", c_ulong(slot), c_ulong(4), None, None, byref(c_ulong())) == SLOT_ID_INVALID
    for name in ("GetSlotInfo", "GetTokenInfo"):
        assert module.call(name, c_ulong(1), None) == ARGUMENTS_BAD


def test_several_endpoints(module: Cryptoki, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slot keeps its number while nobody answers at another one."""
    module.do("Finalize", None)
    monkeypatch.setenv("KIST_PKCS11_ENDPOINTS", f"unix:/nowhere {sandbox.endpoint}  unix:/nowhere2")
    module.start()
    assert module.slots(present=False) == [1, 2, 3] and module.slots() == [2]
    assert module.call("GetTokenInfo", c_ulong(1), create_string_buffer(256)) == TOKEN_NOT_PRESENT
    assert module.call("OpenSession", c_ulong(1), c_ulong(4), None, None, byref(c_ulong())) == TOKEN_NOT_PRESENT
    session = module.open(slot=2)
    assert session.one(PRIVATE_KEY, "k/rsa")
    numbers = set()
    for slot in (1, 2, 3):
        info = create_string_buffer(104)
        module.do("GetSlotInfo", c_ulong(slot), info)
        numbers.add(info.raw[:64])
        assert struct.unpack_from("@L", info, 96)[0] == 2 | (slot == 2)
    assert len(numbers) == 3


def test_token(module: Cryptoki) -> None:
    info = create_string_buffer(208)
    module.do("GetTokenInfo", c_ulong(1), info)
    assert info.raw[:4] == b"Kist" and info.raw[32:64] == b"Kist".ljust(32) and info.raw[64:80] == b"kistd".ljust(16)
    (flags,) = struct.unpack_from("@L", info, 96)
    assert flags == 0x1 | 0x8 | 0x100 | 0x400, "random numbers, a PIN that is there, a way in without one, and it is initialised: no login is needed"
    again = create_string_buffer(208)
    module.do("GetTokenInfo", c_ulong(1), again)
    assert again.raw == info.raw


def test_mechanisms(module: Cryptoki) -> None:
    count = c_ulong()
    module.do("GetMechanismList", c_ulong(1), None, byref(count))
    short, room = c_ulong(count.value - 1), (c_ulong * count.value)()
    assert module.call("GetMechanismList", c_ulong(1), room, byref(short)) == BUFFER_TOO_SMALL and short.value == count.value
    module.do("GetMechanismList", c_ulong(1), room, byref(count))
    assert sorted(room) == sorted([M_RSA, M_RSA_PSS, M_SHA256_RSA, M_SHA384_RSA, M_SHA512_RSA, M_SHA256_PSS, M_SHA384_PSS, M_SHA512_PSS, M_RSA_OAEP, M_ECDSA, M_ECDSA_SHA256, M_ECDSA_SHA384, M_ECDSA_SHA512, M_EDDSA, M_ECDH, M_SHA256_HMAC, M_SHA384_HMAC, M_SHA512_HMAC, M_AES_CMAC, M_SHA256, M_SHA384, M_SHA512])  # fmt: skip
    flags = {}
    for kind in room:
        info = (c_ulong * 3)()
        module.do("GetMechanismInfo", c_ulong(1), c_ulong(kind), info)
        assert 0 < info[0] <= info[1] or info[2] == 0x400
        flags[kind] = info[2]
    assert flags[M_RSA_OAEP] == 0x40000 and flags[M_ECDH] & 0x80000 and flags[M_ECDSA] & 0x2800 == 0x2800 == flags[M_SHA256_HMAC]
    for kind in (M_AES_GCM, M_ECDSA_SHA1, M_SHA1, 2**63, 2**64 - 1):
        assert module.call("GetMechanismInfo", c_ulong(1), c_ulong(kind), info) == MECHANISM_INVALID
    assert module.call("GetMechanismInfo", c_ulong(1), c_ulong(M_RSA), None) == ARGUMENTS_BAD == module.call("GetMechanismList", c_ulong(1), None, None)


# Sessions


def test_sessions(module: Cryptoki, session: Session) -> None:
    assert module.call("OpenSession", c_ulong(1), c_ulong(0), None, None, byref(c_ulong())) == SESSION_PARALLEL_NOT_SUPPORTED
    assert module.call("OpenSession", c_ulong(1), c_ulong(4), None, None, None) == ARGUMENTS_BAD
    others = [module.open() for _ in range(200)]
    assert len({one.handle for one in others}) == 200
    others[100].do("CloseSession")
    assert others[100].call("CloseSession") == SESSION_HANDLE_INVALID
    assert others[99].find((LABEL, "k/rsa")) == others[101].find((LABEL, "k/rsa"))
    module.do("CloseAllSessions", c_ulong(1))
    for one in (session, others[0], others[199]):
        assert one.call("GetSessionInfo", create_string_buffer(40)) == SESSION_HANDLE_INVALID
    assert module.open().handle > others[199].handle


def test_login_is_not_needed_and_does_no_harm(module: Cryptoki, session: Session) -> None:
    writing = module.open(flags=6)

    def states() -> list[int]:
        both = []
        for one in (session, writing):
            info = (c_ulong * 4)()
            one.do("GetSessionInfo", info)
            both.append(info[1])
        return both

    key = session.one(PRIVATE_KEY, "k/rsa")
    assert states() == [0, 2]
    assert session.call("Logout") == USER_NOT_LOGGED_IN
    session.do("Login", c_ulong(1), b"any", c_ulong(3))
    assert states() == [1, 3]
    assert writing.call("Login", c_ulong(1), None, c_ulong(0)) == USER_ALREADY_LOGGED_IN
    assert session.call("Login", c_ulong(0), None, c_ulong(0)) == SESSION_READ_ONLY_EXISTS
    assert session.call("Login", c_ulong(7), None, c_ulong(0)) == USER_TYPE_INVALID
    assert session.call("Login", c_ulong(2), None, c_ulong(0)) == OPERATION_NOT_INITIALIZED
    assert session.call("Login", c_ulong(1), None, c_ulong(9)) == ARGUMENTS_BAD
    assert session.sign(key, M_SHA256_RSA, b"")
    session.do("Logout")
    assert states() == [0, 2] and session.sign(key, M_SHA256_RSA, b"")
    assert writing.call("Login", c_ulong(0), None, c_ulong(0)) == SESSION_READ_ONLY_EXISTS
    session.do("Login", c_ulong(1), None, c_ulong(0))
    session.do("CloseSession")
    assert writing.call("Login", c_ulong(0), None, c_ulong(0)) == USER_ANOTHER_ALREADY_LOGGED_IN
    writing.do("Logout")
    assert writing.call("Login", c_ulong(0), None, c_ulong(0)) == USER_TYPE_INVALID, "nobody is the officer"
    writing.do("Login", c_ulong(1), None, c_ulong(0))
    writing.do("CloseSession")
    info = (c_ulong * 4)()
    module.open().do("GetSessionInfo", info)
    assert info[1] == 0, "the last session's end logs out"


def test_random(session: Session) -> None:
    room = create_string_buffer(5000)
    session.do("GenerateRandom", room, c_ulong(5000))
    assert len({room.raw[at : at + 8] for at in range(0, 5000, 8)}) == 625
    session.do("GenerateRandom", None, c_ulong(0))
    assert session.call("GenerateRandom", None, c_ulong(1)) == ARGUMENTS_BAD
    assert session.call("SeedRandom", b"x", c_ulong(1)) == RANDOM_SEED_NOT_SUPPORTED
    assert session.call("SeedRandom", None, c_ulong(1)) == ARGUMENTS_BAD


# Objects


def test_which_objects_there_are(session: Session) -> None:
    labels = {kind: [session.get(one, LABEL).decode() for one in session.find((CLASS, kind))] for kind in (PRIVATE_KEY, PUBLIC_KEY, SECRET_KEY, CERTIFICATE)}
    ours = {kind: {label for label in names if label.split("/")[0] in ("k", "seen", "signs")} for kind, names in labels.items()}
    asymmetric = {label for label, (_, key) in KEYS.items() if not isinstance(key, bytes)}
    assert ours[PRIVATE_KEY] == asymmetric - {"seen/rsa"} and ours[PUBLIC_KEY] == asymmetric
    assert ours[SECRET_KEY] == {"k/hmac", "k/hmac512", "k/cmac"}
    assert len(session.find()) == sum(map(len, labels.values()))


def test_find(session: Session) -> None:
    key = session.one(PRIVATE_KEY, "k/p256")
    assert session.find((ID, session.get(key, ID)), (CLASS, PRIVATE_KEY)) == [key]
    assert len(session.find((ID, session.get(key, ID)))) == 2
    assert session.find((LABEL, "k/p25")) == session.find((LABEL, "k/p2566")) == session.find((LABEL, "")) == session.find((ID, b"")) == []
    assert len(session.find((KEY_TYPE, EC), (SIGN, True))) == 3
    assert session.find((EC_POINT, session.get(key, EC_POINT)), (CLASS, PUBLIC_KEY)) == [session.one(PUBLIC_KEY, "k/p256")]
    assert session.find((MODULUS, session.get(session.one(PUBLIC_KEY, "k/rsa"), MODULUS)), (CLASS, PRIVATE_KEY)) == [session.one(PRIVATE_KEY, "k/rsa")]
    assert session.find((TOKEN, False)) == session.find((VALUE, b"x")) == session.find((0x80000001, b"x")) == session.find((CLASS, b"\3")) == []
    assert session.find((EXTRACTABLE, True)) == [] and session.find((CLASS, PRIVATE_KEY), (PRIVATE, True)) == []


def test_a_token_of_some_keys_only(module: Cryptoki, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIST_PKCS11_KEYS", "k/*")
    session = module.open()
    assert {session.get(one, LABEL)[:2] for one in session.find()} == {b"k/"}
    monkeypatch.setenv("KIST_PKCS11_KEYS", "k/rsa")
    time.sleep(1.1)
    assert {session.get(one, LABEL) for one in session.find()} == {b"k/rsa"}


def test_a_list_from_before_serves_who_may_not_ask_again(program: pathlib.Path, module: Cryptoki, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = f'[[grant]]\nid = "few"\nusers = [{os.getuid()}]\noperations = ["who", "list-keys", "describe-key", "sign"]\nkeys = ["k/*"]\nrate = "3/h"\n'
    with Sandbox(program=program, policy=policy) as few:
        data = private("k/p256").private_bytes(Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption())
        few.import_key("k/p256", "signing-ecdsa", data)
        module.do("Finalize", None)
        monkeypatch.setenv("KIST_ENDPOINT", few.endpoint)
        monkeypatch.setenv("KIST_PKCS11_KEYS", "k/p256")
        session = module.start().open()
        key = session.one(PRIVATE_KEY, "k/p256")
        for _ in range(2):
            time.sleep(1.1)
            assert session.one(PRIVATE_KEY, "k/p256") == key
        codes = [session.sign_init(key, M_ECDSA) or session.call("Sign", bytes(32), c_ulong(32), create_string_buffer(64), byref(c_ulong(64))) for _ in range(3)]
        assert codes[-1] == TOKEN_RESOURCE_EXCEEDED


def test_find_in_the_wrong_order(session: Session) -> None:
    count, room = c_ulong(), (c_ulong * 4)()
    assert session.call("FindObjects", room, c_ulong(4), byref(count)) == OPERATION_NOT_INITIALIZED == session.call("FindObjectsFinal")
    session.do("FindObjectsInit", None, c_ulong(0))
    assert session.call("FindObjectsInit", None, c_ulong(0)) == OPERATION_ACTIVE
    assert session.call("FindObjects", None, c_ulong(4), byref(count)) == ARGUMENTS_BAD == session.call("FindObjects", room, c_ulong(4), None)
    session.do("FindObjects", room, c_ulong(0), byref(count))
    assert count.value == 0
    session.do("FindObjectsFinal")
    assert session.call("FindObjectsInit", None, c_ulong(1)) == ARGUMENTS_BAD


def test_attributes_of_keys(session: Session) -> None:
    for label, (_, key) in KEYS.items():
        if isinstance(key, bytes):
            continue
        found = [session.one(kind, label) for kind in (PUBLIC_KEY, PRIVATE_KEY) if kind == PUBLIC_KEY or label != "seen/rsa"]
        for one in found:
            assert session.get(one, PUBLIC_KEY_INFO) == public_der(label)
            if isinstance(key, rsa.RSAPrivateKey):
                numbers = key.public_key().public_numbers()
                assert int.from_bytes(session.get(one, MODULUS), "big") == numbers.n and session.get(one, PUBLIC_EXPONENT) == b"\1\0\1"
                assert session.number(one, KEY_TYPE) == RSA
            else:
                size = len(session.get(one, EC_POINT)) - 2
                assert session.get(one, EC_POINT) == bytes([4, size]) + public_der(label)[-size:]
                assert session.number(one, KEY_TYPE) == (EDWARDS if label == "k/ed" else EC)
    curves = {label: session.get(session.one(PUBLIC_KEY, label), EC_PARAMS).hex() for label in ("k/p256", "k/p384", "k/ed")}
    assert curves == {"k/p256": "06082a8648ce3d030107", "k/p384": "06052b81040022", "k/ed": "06032b6570"}
    assert session.number(session.one(PUBLIC_KEY, "k/rsa"), MODULUS_BITS) == 2048


def test_a_key_never_leaves(session: Session) -> None:
    for label, (_, key) in KEYS.items():
        if label in ("seen/rsa", "k/seal"):
            continue
        one = session.one(SECRET_KEY if isinstance(key, bytes) else PRIVATE_KEY, label)
        for kind in (VALUE, PRIVATE_EXPONENT, 0x124, 0x125, 0x126, 0x127, 0x128):
            with refused(ATTRIBUTE_SENSITIVE):
                session.get(one, kind)
        assert [session.get(one, kind) for kind in (SENSITIVE, EXTRACTABLE, NEVER_EXTRACTABLE)] == [b"\1", b"\0", b"\1"]
        wanted = c_ulong(512)
        for wrapping in (session.one(PUBLIC_KEY, "k/unwrap"), one):
            code = session.call("WrapKey", byref(mechanism(M_RSA_OAEP)), c_ulong(wrapping), c_ulong(one), create_string_buffer(512), byref(wanted))
            assert code == MECHANISM_INVALID
        made = c_ulong()
        assert session.call("CopyObject", c_ulong(one), template((EXTRACTABLE, True)), c_ulong(1), byref(made)) == ACTION_PROHIBITED
        assert session.call("SetAttributeValue", c_ulong(one), template((SENSITIVE, False)), c_ulong(1)) == ACTION_PROHIBITED
        assert session.call("DestroyObject", c_ulong(one)) == ACTION_PROHIBITED


def test_uses_are_role_and_grant(session: Session) -> None:
    def uses(kind: int, label: str) -> list[bool]:
        return [session.get(session.one(kind, label), one) == b"\1" for one in (SIGN, VERIFY, DERIVE, UNWRAP, DECRYPT)]

    assert uses(PRIVATE_KEY, "k/rsa") == [True, False, False, False, False] and uses(PUBLIC_KEY, "k/rsa") == [False, True, False, False, False]
    assert uses(PUBLIC_KEY, "signs/p256") == uses(PUBLIC_KEY, "k/identity") == uses(PUBLIC_KEY, "seen/rsa") == [False] * 5
    assert uses(PRIVATE_KEY, "k/agree") == [False, False, True, False, False] and uses(PRIVATE_KEY, "k/unwrap") == [False, False, False, True, False]
    assert uses(SECRET_KEY, "k/hmac") == [True, True, False, False, False]
    allowed = {label: session.get(session.one(kind, label), ALLOWED_MECHANISMS) for kind, label in ((PRIVATE_KEY, "k/agree"), (PRIVATE_KEY, "k/ed"), (SECRET_KEY, "k/cmac"), (PUBLIC_KEY, "seen/rsa"))}  # fmt: skip
    assert allowed == {"k/agree": encoded(M_ECDH), "k/ed": encoded(M_EDDSA), "k/cmac": encoded(M_AES_CMAC), "seen/rsa": b""}


def test_every_object_has_an_id_of_its_own(module: Cryptoki, session: Session) -> None:
    point, _ = peer_of("k/agree")
    session.derive(session.one(PRIVATE_KEY, "k/agree"), KDF_X963, b"", point)
    found = session.find()
    ids = {session.get(one, UNIQUE_ID): one for one in found}
    assert len(ids) == len(found)
    for unique, one in ids.items():
        assert session.find((UNIQUE_ID, unique)) == [one]
    assert session.find((UNIQUE_ID, b"none")) == []


def test_every_attribute_gets_its_answer(session: Session) -> None:
    """One that is unknown, secret or too long for its room does not keep the others from being filled."""
    one = session.one(PRIVATE_KEY, "k/rsa")
    rooms = [create_string_buffer(300) for _ in range(6)]
    kinds = [LABEL, 0x80001234, VALUE, ID, MODULUS, KEY_TYPE]
    array = (Attribute * 6)(*(Attribute(kind, ctypes.cast(room, c_void_p), 3 if kind == MODULUS else 300) for kind, room in zip(kinds, rooms)))
    code = session.call("GetAttributeValue", c_ulong(one), array, c_ulong(6))
    assert code in (ATTRIBUTE_TYPE_INVALID, ATTRIBUTE_SENSITIVE, BUFFER_TOO_SMALL)
    assert [entry.count for entry in array] == [5, UNAVAILABLE, UNAVAILABLE, 16, UNAVAILABLE, 8]
    assert rooms[0].raw[:5] == b"k/rsa" and rooms[4].raw == bytes(300)
    for number in (0, 10**6, 2**32, 2**64 - 1, 0x40000000):
        assert session.call("GetAttributeValue", c_ulong(number), array, c_ulong(1)) == OBJECT_HANDLE_INVALID
        assert session.call("GetObjectSize", c_ulong(number), byref(c_ulong())) == OBJECT_HANDLE_INVALID
    assert session.call("GetAttributeValue", c_ulong(one), None, c_ulong(1)) == ARGUMENTS_BAD
    assert session.call("GetAttributeValue", c_ulong(one), None, c_ulong(0)) == OK


@pytest.mark.parametrize("count", [257, 2**16, 2**32, 2**63, 2**64 - 1])
def test_templates_with_too_many(session: Session, count: int) -> None:
    one, made, short = session.one(PRIVATE_KEY, "k/rsa"), c_ulong(), template((LABEL, "x"))
    assert session.call("FindObjectsInit", short, c_ulong(count)) == ARGUMENTS_BAD
    assert session.call("GetAttributeValue", c_ulong(one), short, c_ulong(count)) == ARGUMENTS_BAD
    assert session.call("SetAttributeValue", c_ulong(one), short, c_ulong(count)) == ARGUMENTS_BAD
    assert session.call("CopyObject", c_ulong(one), short, c_ulong(count), byref(made)) == ARGUMENTS_BAD
    wrapped = bytes(384)
    parameter = struct.pack("@LLLPL", M_SHA256, 2, 0, 0, 0)
    code = session.call("UnwrapKey", byref(mechanism(M_RSA_OAEP, parameter)), c_ulong(session.one(PRIVATE_KEY, "k/unwrap")), wrapped, c_ulong(384), short, c_ulong(count), byref(made))  # fmt: skip
    assert code == ARGUMENTS_BAD


@pytest.mark.parametrize("length", [1, 8, 2**31, 2**32, 2**63, 2**64 - 1])
def test_templates_that_point_nowhere(session: Session, length: int) -> None:
    for kind in (CLASS, LABEL, ID, TOKEN, KEY_TYPE, ALLOWED_MECHANISMS, 0x40000211, 0x80000000):
        array = (Attribute * 1)(Attribute(kind, None, length))
        assert session.call("FindObjectsInit", array, c_ulong(1)) == ARGUMENTS_BAD
        # Whose pointer is right and whose length is not: nothing that is searched for is as long, and nothing is read.
        room = create_string_buffer(8)
        array = (Attribute * 1)(Attribute(kind, ctypes.cast(room, c_void_p), max(length, 2**31)))
        session.do("FindObjectsInit", array, c_ulong(1))
        session.do("FindObjectsFinal")


# Signatures


def check_rsa(label: str, signature: bytes, digest: bytes, *, is_pss: bool) -> None:
    algorithm = HASHES[len(digest)]
    pad: Any = padding.PSS(padding.MGF1(algorithm), len(digest)) if is_pss else padding.PKCS1v15()
    private(label).public_key().verify(signature, digest, pad, utils.Prehashed(algorithm))


def check_ec(label: str, signature: bytes, digest: bytes) -> None:
    half = len(signature) // 2
    der = utils.encode_dss_signature(int.from_bytes(signature[:half], "big"), int.from_bytes(signature[half:], "big"))
    algorithm = {20: hashes.SHA1(), **HASHES}[len(digest)]
    private(label).public_key().verify(der, digest, ec.ECDSA(utils.Prehashed(algorithm)))


HASHED_RSA = [(M_SHA256_RSA, 32, False), (M_SHA384_RSA, 48, False), (M_SHA512_RSA, 64, False), (M_SHA256_PSS, 32, True), (M_SHA384_PSS, 48, True), (M_SHA512_PSS, 64, True)]
PARTS = [(), (0,), (1,), (64,), (5, 5, 9), (127, 128)]


def digest_of(size: int, data: bytes) -> bytes:
    return hashlib.new({20: "sha1", 32: "sha256", 48: "sha384", 64: "sha512"}[size], data).digest()


@pytest.mark.parametrize("label", ["k/rsa", "k/identity"])
@pytest.mark.parametrize("kind, size, is_pss", HASHED_RSA)
@pytest.mark.parametrize("parts", PARTS)
def test_rsa_of_a_message(session: Session, label: str, kind: int, size: int, is_pss: bool, parts: tuple[int, ...]) -> None:
    data = bytes(range(200))
    signature = session.sign(session.one(PRIVATE_KEY, label), kind, data, PSS[size] if is_pss else b"", parts)
    check_rsa(label, signature, digest_of(size, data), is_pss=is_pss)


@pytest.mark.parametrize("size", [32, 48, 64])
def test_rsa_of_a_digest(session: Session, size: int) -> None:
    key, digest = session.one(PRIVATE_KEY, "k/rsa"), digest_of(size, b"hello")
    for parts in ((), (3,)):
        check_rsa("k/rsa", session.sign(key, M_RSA, bytes.fromhex(INFO[size]) + digest, parts=parts), digest, is_pss=False)
        check_rsa("k/rsa", session.sign(key, M_RSA_PSS, digest, PSS[size], parts), digest, is_pss=True)


@pytest.mark.parametrize("data", [b"", b"x", bytes(32), bytes.fromhex(INFO[32]) + bytes(31), bytes.fromhex(INFO[32]) + bytes(33), bytes.fromhex(INFO[48]) + bytes(32), bytes.fromhex(INFO[32][:-2] + "21") + bytes(32), bytes.fromhex("3021300906052b0e03021a05000414") + bytes(20), bytes(245), bytes(246), bytes(256), bytes(70000)])  # fmt: skip
def test_rsa_signs_nothing_but_a_digest_info(session: Session, sandbox: Sandbox, data: bytes) -> None:
    """Not SHA-1's either; and what is refused here is not asked for there."""
    key, before = session.one(PRIVATE_KEY, "k/rsa"), len(records(sandbox, "sign"))
    with refused(DATA_LEN_RANGE if len(data) > 245 else DATA_INVALID):
        session.sign(key, M_RSA, data)
    assert len(records(sandbox, "sign")) == before
    assert session.call("Sign", data, c_ulong(len(data)), create_string_buffer(256), byref(c_ulong(256))) == OPERATION_NOT_INITIALIZED


@pytest.mark.parametrize("parameter", [b"", pss(M_SHA256, 2, 32)[:-1], pss(M_SHA256, 2, 32) + b"x", pss(M_SHA256, 2, 20), pss(M_SHA256, 2, 0), pss(M_SHA256, 3, 32), pss(M_SHA256, 1, 32), pss(M_SHA384, 2, 48), pss(M_SHA1, 1, 20), pss(0, 0, 0), pss(M_SHA384, 3, 48), pss(M_SHA256, 2, 2**64 - 1)])  # fmt: skip
def test_parameters_of_pss(session: Session, parameter: bytes) -> None:
    key = session.one(PRIVATE_KEY, "k/rsa")
    assert session.sign_init(key, M_SHA256_PSS, parameter) == MECHANISM_PARAM_INVALID
    if parameter == PSS[48]:
        with refused(DATA_LEN_RANGE):
            session.sign(key, M_RSA_PSS, bytes(32), parameter)
    else:
        assert session.sign_init(key, M_RSA_PSS, parameter) == MECHANISM_PARAM_INVALID
    assert session.call("SignInit", byref(Mechanism(M_RSA_PSS, None, 24)), c_ulong(key)) == MECHANISM_PARAM_INVALID


@pytest.mark.parametrize("label", ["k/p256", "k/p384"])
def test_ecdsa(session: Session, label: str) -> None:
    """With each hash: ECDSA itself cuts a longer digest, and takes a shorter one as it is."""
    key, data = session.one(PRIVATE_KEY, label), bytes(range(200))
    for size in (20, 32, 48, 64):
        check_ec(label, session.sign(key, M_ECDSA, digest_of(size, data)), digest_of(size, data))
    for kind, size in ((M_ECDSA_SHA256, 32), (M_ECDSA_SHA384, 48), (M_ECDSA_SHA512, 64)):
        for parts in PARTS:
            check_ec(label, session.sign(key, kind, data, parts=parts), digest_of(size, data))
    with refused(DATA_LEN_RANGE):
        session.sign(key, M_ECDSA, b"")


def test_eddsa(session: Session) -> None:
    key = session.one(PRIVATE_KEY, "k/ed")
    for data in (b"", b"x", bytes(65536)):
        for parts in ((), (1,)):
            private("k/ed").public_key().verify(session.sign(key, M_EDDSA, data, parts=parts), data)
    with refused(DATA_LEN_RANGE):
        session.sign(key, M_EDDSA, bytes(65537))
    assert session.sign_init(key, M_EDDSA, bytes(24)) == MECHANISM_PARAM_INVALID


def test_codes(session: Session) -> None:
    codes: list[tuple[str, int, Callable[[bytes], bytes]]] = [
        ("k/hmac", M_SHA256_HMAC, lambda data: _hmac(private("k/hmac"), data, hashes.SHA256())),
        ("k/hmac512", M_SHA512_HMAC, lambda data: _hmac(private("k/hmac512"), data, hashes.SHA512())),
        ("k/cmac", M_AES_CMAC, lambda data: _cmac(private("k/cmac"), data)),
    ]
    for label, kind, code in codes:
        key = session.one(SECRET_KEY, label)
        for data in (b"", b"x", bytes(200), bytes(65536)):
            for parts in ((), (1,)):
                made = session.sign(key, kind, data, parts=parts)
                assert made == code(data)
                assert session.verify(key, kind, data, made, parts=parts) == OK
                assert session.verify(key, kind, data + b"!" if len(data) < 65536 else data[1:], made) == SIGNATURE_INVALID
                assert session.verify(key, kind, data, made[:-1]) == SIGNATURE_LEN_RANGE
        with refused(DATA_LEN_RANGE):
            session.sign(key, kind, bytes(65537))


def _hmac(key: bytes, data: bytes, algorithm: hashes.HashAlgorithm) -> bytes:
    code = hmac.HMAC(key, algorithm)
    code.update(data)
    return code.finalize()


def _cmac(key: bytes, data: bytes) -> bytes:
    code = cmac.CMAC(algorithms.AES(key))
    code.update(data)
    return code.finalize()


def test_a_length_never_signs(session: Session, sandbox: Sandbox) -> None:
    for label, kind, size in (("k/rsa", M_SHA256_RSA, 256), ("k/p256", M_ECDSA_SHA256, 64), ("k/p384", M_ECDSA_SHA256, 96), ("k/ed", M_EDDSA, 64)):
        key, before = session.one(PRIVATE_KEY, label), len(records(sandbox, "sign"))
        assert session.sign_init(key, kind) == OK
        count, room = c_ulong(), create_string_buffer(512)
        for _ in range(3):
            session.do("Sign", b"hello", c_ulong(5), None, byref(count))
            assert count.value == size
            for short in (0, 1, size - 1):
                count.value = short
                assert session.call("Sign", b"hello", c_ulong(5), room, byref(count)) == BUFFER_TOO_SMALL and count.value == size
        assert len(records(sandbox, "sign")) == before
        session.do("Sign", b"hello", c_ulong(5), room, byref(count))
        assert len(records(sandbox, "sign")) == before + 1
        assert session.call("Sign", b"hello", c_ulong(5), room, byref(count)) == OPERATION_NOT_INITIALIZED


@pytest.mark.parametrize("name, begin", [("Sign", M_SHA256_RSA), ("Digest", M_SHA256)])
def test_a_whole_that_was_asked_for_has_no_parts(session: Session, name: str, begin: int) -> None:
    key, room, count = session.one(PRIVATE_KEY, "k/rsa"), create_string_buffer(512), c_ulong()
    for after, arguments in (("Final", (room, byref(count))), ("Final", (None, byref(count))), ("Update", (b"x", c_ulong(1)))):
        session.do(f"{name}Init", byref(mechanism(begin)), c_ulong(key))
        session.do(name, b"hello", c_ulong(5), None, byref(count))
        assert session.call(f"{name}{after}", *arguments) == OPERATION_ACTIVE
        assert session.call(name, b"hello", c_ulong(5), room, byref(count)) == OPERATION_NOT_INITIALIZED


def test_every_other_error_ends_the_operation(session: Session) -> None:
    key, room, count = session.one(PRIVATE_KEY, "k/rsa"), create_string_buffer(512), c_ulong(512)
    wrong: list[tuple[int, str, tuple[Any, ...]]] = [
        (ARGUMENTS_BAD, "Sign", (b"x", c_ulong(1), room, None)), (ARGUMENTS_BAD, "Sign", (None, c_ulong(1), room, byref(count))),
        (ARGUMENTS_BAD, "SignUpdate", (None, c_ulong(1))), (ARGUMENTS_BAD, "SignFinal", (room, None)),
    ]  # fmt: skip
    for code, name, arguments in wrong:
        assert session.sign_init(key, M_SHA256_RSA) == OK
        assert session.call(name, *arguments) == code, name
        assert session.call("SignFinal", room, byref(count)) == OPERATION_NOT_INITIALIZED, name
    public = session.one(PUBLIC_KEY, "k/rsa")
    for code, name, arguments in (
        (SIGNATURE_LEN_RANGE, "Verify", (b"x", c_ulong(1), room, c_ulong(255))), (SIGNATURE_LEN_RANGE, "Verify", (b"x", c_ulong(1), room, c_ulong(2**63))),
        (ARGUMENTS_BAD, "Verify", (b"x", c_ulong(1), None, c_ulong(256))), (ARGUMENTS_BAD, "Verify", (None, c_ulong(1), room, c_ulong(256))),
        (SIGNATURE_INVALID, "Verify", (b"x", c_ulong(1), room, c_ulong(256))), (ARGUMENTS_BAD, "VerifyUpdate", (None, c_ulong(1))),
    ):  # fmt: skip
        assert session.verify_init(public, M_SHA256_RSA) == OK
        assert session.call(name, *arguments) == code, name
        assert session.call("VerifyFinal", room, c_ulong(256)) == OPERATION_NOT_INITIALIZED, name


def test_one_part_after_several(session: Session) -> None:
    key, room, count = session.one(PRIVATE_KEY, "k/rsa"), create_string_buffer(512), c_ulong(512)
    assert session.sign_init(key, M_SHA256_RSA) == OK
    session.do("SignUpdate", b"x", c_ulong(1))
    assert session.call("Sign", b"x", c_ulong(1), room, byref(count)) == OPERATION_ACTIVE
    assert session.call("SignFinal", room, byref(count)) == OPERATION_NOT_INITIALIZED
    # No part at all is the empty message.
    assert session.sign_init(key, M_SHA256_RSA) == OK
    check_rsa("k/rsa", session.signature("SignFinal"), digest_of(32, b""), is_pss=False)


def test_an_operation_is_begun_once_and_can_be_cancelled(session: Session) -> None:
    key = session.one(PRIVATE_KEY, "k/rsa")
    assert session.call("SignInit", None, c_ulong(key)) == ARGUMENTS_BAD
    assert session.sign_init(key, M_SHA256_RSA) == OK
    assert session.sign_init(key, M_SHA256_RSA) == OPERATION_ACTIVE
    assert session.verify_init(session.one(PUBLIC_KEY, "k/rsa"), M_SHA256_RSA) == OK, "the other is another one"
    assert session.call("SignInit", None, c_ulong(key)) == OK
    assert session.sign_init(key, M_SHA256_RSA) == OK


@pytest.mark.parametrize("kind, label, wanted, code", [
    (PRIVATE_KEY, "k/rsa", M_ECDSA, KEY_TYPE_INCONSISTENT), (PRIVATE_KEY, "k/p256", M_SHA256_RSA, KEY_TYPE_INCONSISTENT), (PRIVATE_KEY, "k/ed", M_ECDSA, KEY_TYPE_INCONSISTENT),
    (SECRET_KEY, "k/hmac", M_SHA512_HMAC, KEY_TYPE_INCONSISTENT), (SECRET_KEY, "k/cmac", M_SHA256_HMAC, KEY_TYPE_INCONSISTENT), (PRIVATE_KEY, "k/rsa", M_AES_CMAC, KEY_TYPE_INCONSISTENT),
    (PUBLIC_KEY, "k/rsa", M_SHA256_RSA, KEY_FUNCTION_NOT_PERMITTED), (PRIVATE_KEY, "k/agree", M_ECDSA, KEY_FUNCTION_NOT_PERMITTED), (PRIVATE_KEY, "k/unwrap", M_SHA256_RSA, KEY_FUNCTION_NOT_PERMITTED),
    (PUBLIC_KEY, "seen/rsa", M_SHA256_RSA, KEY_FUNCTION_NOT_PERMITTED), (PRIVATE_KEY, "k/rsa", M_RSA_OAEP, MECHANISM_INVALID), (PRIVATE_KEY, "k/agree", M_ECDH, MECHANISM_INVALID),
    (PRIVATE_KEY, "k/rsa", M_AES_GCM, MECHANISM_INVALID), (PRIVATE_KEY, "k/rsa", M_SHA256, MECHANISM_INVALID), (PRIVATE_KEY, "k/p256", M_ECDSA_SHA1, MECHANISM_INVALID), (PRIVATE_KEY, "k/rsa", 2**64 - 1, MECHANISM_INVALID),
])  # fmt: skip
def test_keys_and_mechanisms_that_do_not_fit(session: Session, kind: int, label: str, wanted: int, code: int) -> None:
    assert session.sign_init(session.one(kind, label), wanted) == code
    assert session.sign_init(session.one(PRIVATE_KEY, "k/p256"), M_ECDSA) == OK


def test_keys_that_are_none(session: Session) -> None:
    for number in (0, 10**6, 2**63, 0x40000001):
        assert session.sign_init(number, M_ECDSA) == KEY_HANDLE_INVALID == session.verify_init(number, M_ECDSA)
    assert session.sign_init(session.one(PRIVATE_KEY, "k/p256"), M_ECDSA, b"parameter") == MECHANISM_PARAM_INVALID


def test_other_operations_say_that_there_are_none(session: Session) -> None:
    key, room, count = session.one(PRIVATE_KEY, "k/rsa"), create_string_buffer(512), c_ulong(512)
    for name in ("EncryptInit", "DecryptInit", "SignRecoverInit", "VerifyRecoverInit"):
        for kind in (M_RSA_OAEP, M_AES_GCM, M_RSA):
            assert session.call(name, byref(mechanism(kind)), c_ulong(key)) == MECHANISM_INVALID
    for name in ("Encrypt", "Decrypt"):
        assert session.call(name, b"x", c_ulong(1), room, byref(count)) == OPERATION_NOT_INITIALIZED
        assert session.call(f"{name}Final", room, byref(count)) == OPERATION_NOT_INITIALIZED
    made = c_ulong()
    assert session.call("GenerateKey", byref(mechanism(0x1080)), template((VALUE_LEN, 32)), c_ulong(1), byref(made)) == MECHANISM_INVALID
    assert session.call("GenerateKeyPair", byref(mechanism(0)), None, c_ulong(0), None, c_ulong(0), byref(made), byref(made)) == MECHANISM_INVALID
    for name in ("EncryptInit", "DecryptInit", "SignRecoverInit", "VerifyRecoverInit"):
        assert session.call(name, None, c_ulong(key)) == ARGUMENTS_BAD
    wanted, sized = byref(mechanism(0x1080)), (template((VALUE_LEN, 32)), c_ulong(1))
    for arguments in ((None, *sized, byref(made)), (wanted, None, c_ulong(1), byref(made)), (wanted, *sized, None)):
        assert session.call("GenerateKey", *arguments) == ARGUMENTS_BAD
    pairs = (wanted, None, c_ulong(1), *sized), (wanted, *sized, None, c_ulong(1)), (None, *sized, *sized)
    for arguments in [(*pair, byref(made), byref(made)) for pair in pairs] + [(wanted, *sized, *sized, None, byref(made)), (wanted, *sized, *sized, byref(made), None)]:
        assert session.call("GenerateKeyPair", *arguments) == ARGUMENTS_BAD
    for name in ("CreateObject", "GetOperationState", "SetOperationState"):
        assert session.call(name, None, c_ulong(0), None, None) == FUNCTION_NOT_SUPPORTED
        assert session.module.call(name, c_ulong(999), None, c_ulong(0), None, None) == SESSION_HANDLE_INVALID


def test_pins_and_tokens_are_not_set(module: Cryptoki, session: Session) -> None:
    """By state first: who tries it in the wrong one hears of that."""
    words = b"1234", c_ulong(4), b"5678", c_ulong(4)
    assert session.call("InitPIN", *words[:2]) == USER_NOT_LOGGED_IN
    assert session.call("SetPIN", *words) == SESSION_READ_ONLY
    assert module.open(flags=6).call("SetPIN", *words) == FUNCTION_NOT_SUPPORTED
    for name in ("InitPIN", "SetPIN"):
        assert module.call(name, c_ulong(999), *words) == SESSION_HANDLE_INVALID
    label = b"Kist".ljust(32)
    assert module.call("InitToken", c_ulong(1), *words[:2], label) == FUNCTION_NOT_SUPPORTED
    assert module.call("InitToken", c_ulong(2), *words[:2], label) == SLOT_ID_INVALID


def test_digests(session: Session) -> None:
    """Made here: no request to kistd."""
    data, room, count = bytes(range(200)), create_string_buffer(64), c_ulong(64)
    for kind, size in ((M_SHA256, 32), (M_SHA384, 48), (M_SHA512, 64)):
        for length in (0, 1, 55, 56, 64, 111, 112, 128, 200):
            session.do("DigestInit", byref(mechanism(kind)))
            count.value = size - 1
            assert session.call("Digest", data, c_ulong(length), room, byref(count)) == BUFFER_TOO_SMALL and count.value == size
            session.do("Digest", data, c_ulong(length), None, byref(count))
            session.do("Digest", data, c_ulong(length), room, byref(count))
            assert room.raw[: count.value] == digest_of(size, data[:length])
            session.do("DigestInit", byref(mechanism(kind)))
            session.do("DigestUpdate", data, c_ulong(length // 2))
            session.do("DigestUpdate", data[length // 2 :], c_ulong(length - length // 2))
            assert session.signature("DigestFinal") == digest_of(size, data[:length])
    assert session.call("DigestFinal", room, byref(count)) == OPERATION_NOT_INITIALIZED
    assert session.call("DigestInit", byref(mechanism(M_SHA256, b"x"))) == MECHANISM_PARAM_INVALID
    for kind in (M_SHA1, M_SHA256_RSA, M_SHA256_HMAC):
        assert session.call("DigestInit", byref(mechanism(kind))) == MECHANISM_INVALID
    session.do("DigestInit", byref(mechanism(M_SHA256)))
    assert session.call("DigestInit", byref(mechanism(M_SHA256))) == OPERATION_ACTIVE
    assert session.call("DigestKey", c_ulong(session.one(PRIVATE_KEY, "k/rsa"))) == KEY_INDIGESTIBLE
    assert session.call("DigestUpdate", b"x", c_ulong(1)) == OPERATION_NOT_INITIALIZED
    for number in (0, 10**6, session.find((CLASS, CERTIFICATE))[0]):
        session.do("DigestInit", byref(mechanism(M_SHA256)))
        assert session.call("DigestKey", c_ulong(number)) == KEY_HANDLE_INVALID
    for kind in (M_SHA256, M_SHA512):
        assert session.sign_init(session.one(PRIVATE_KEY, "k/rsa"), kind) == MECHANISM_INVALID


# Checks


@pytest.mark.parametrize("parts", PARTS)
def test_verify(session: Session, parts: tuple[int, ...]) -> None:
    data = bytes(range(200))
    for label, kind, parameter in (("k/rsa", M_SHA256_RSA, b""), ("k/rsa", M_SHA384_PSS, PSS[48]), ("k/p256", M_ECDSA_SHA512, b""), ("k/p384", M_ECDSA_SHA256, b""), ("k/ed", M_EDDSA, b"")):
        made = session.sign(session.one(PRIVATE_KEY, label), kind, data, parameter)
        public = session.one(PUBLIC_KEY, label)
        assert session.verify(public, kind, data, made, parameter, parts) == OK
        assert session.verify(public, kind, data + b"!", made, parameter, parts) == SIGNATURE_INVALID
        assert session.verify(public, kind, data, bytes([made[0] ^ 1]) + made[1:], parameter, parts) == SIGNATURE_INVALID
        assert session.verify(public, kind, data, made + b"!", parameter, parts) == SIGNATURE_LEN_RANGE


def test_a_check_needs_a_grant_of_its_own(session: Session) -> None:
    for label in ("signs/p256", "k/identity"):
        kind = M_ECDSA if label == "signs/p256" else M_SHA256_RSA
        assert session.verify_init(session.one(PUBLIC_KEY, label), kind) == KEY_FUNCTION_NOT_PERMITTED
        assert session.verify_init(session.one(PRIVATE_KEY, label), kind) == KEY_FUNCTION_NOT_PERMITTED


# Secrets


def peer_of(label: str) -> tuple[bytes, bytes]:
    """Another's point, and Z."""
    other = ec.generate_private_key(private(label).curve)
    point = other.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return point, other.exchange(ec.ECDH(), private(label).public_key())


@pytest.mark.parametrize("label", ["k/agree", "k/agree384"])
@pytest.mark.parametrize("shared", [b"", b"info", bytes(1024)])
def test_derive(session: Session, label: str, shared: bytes) -> None:
    key = session.one(PRIVATE_KEY, label)
    for offset, algorithm in enumerate(HASHES.values()):
        for size in (16, 32, 100, 256):
            point, z = peer_of(label)
            derived = {KDF_X963: X963KDF(algorithm, size, shared).derive(z), KDF_SP800: ConcatKDFHash(algorithm, size, shared).derive(z)}
            for kdf, secret in derived.items():
                made = session.derive(key, kdf + offset, shared, point, (LABEL, "derived"), (ID, b"7"), size=size)
                assert session.sign(made, M_SHA256_HMAC, b"hello") == _hmac(secret, b"hello", hashes.SHA256())
                assert [session.get(made, one) for one in (LABEL, ID, TOKEN, SENSITIVE, EXTRACTABLE)] == [b"derived", b"7", b"\0", b"\1", b"\0"]
                assert session.number(made, VALUE_LEN) == size and session.find((LABEL, "derived")) == [made]
                with refused(ATTRIBUTE_SENSITIVE):
                    session.get(made, VALUE)
                session.do("DestroyObject", c_ulong(made))
                assert session.call("DestroyObject", c_ulong(made)) == OBJECT_HANDLE_INVALID and session.find((LABEL, "derived")) == []
                assert session.sign_init(made, M_SHA256_HMAC) == KEY_HANDLE_INVALID


@pytest.mark.parametrize("size", [16, 24, 32])
def test_derive_for_cmac(session: Session, size: int) -> None:
    point, z = peer_of("k/agree")
    key = session.one(PRIVATE_KEY, "k/agree")
    made = session.derive(key, KDF_X963, b"", point, (KEY_TYPE, AES), size=size)
    code = _cmac(X963KDF(hashes.SHA256(), size, None).derive(z), b"hello")
    assert session.sign(made, M_AES_CMAC, b"hello") == code
    assert session.verify(made, M_AES_CMAC, b"hello", code) == OK


def test_a_secret_serves_mechanisms_of_its_type(session: Session) -> None:
    point, _ = peer_of("k/agree")
    for kind, served in (
        (GENERIC_SECRET, [M_SHA256_HMAC, M_SHA384_HMAC, M_SHA512_HMAC]),
        (SHA256_HMAC, [M_SHA256_HMAC]), (AES, [M_AES_CMAC]),
    ):  # fmt: skip
        key = session.one(PRIVATE_KEY, "k/agree")
        made = session.derive(key, KDF_X963, b"", point, (KEY_TYPE, kind))
        assert session.get(made, ALLOWED_MECHANISMS) == b"".join(map(encoded, served))
        for one in (M_SHA256_HMAC, M_SHA384_HMAC, M_SHA512_HMAC, M_AES_CMAC):
            assert session.sign_init(made, one) == (OK if one in served else KEY_TYPE_INCONSISTENT)
            assert session.call("SignInit", None, c_ulong(made)) == (OK if one in served else ARGUMENTS_BAD)


def test_a_point_in_an_octet_string(session: Session) -> None:
    point, z = peer_of("k/agree")
    made = session.derive(session.one(PRIVATE_KEY, "k/agree"), KDF_X963, b"", b"\x04\x41" + point)
    assert session.sign(made, M_SHA512_HMAC, b"") == _hmac(X963KDF(hashes.SHA256(), 32, None).derive(z), b"", hashes.SHA512())


@pytest.mark.parametrize("code, kdf, change, pairs, size", [
    (MECHANISM_INVALID, KDF_NULL, None, [], 32), (MECHANISM_PARAM_INVALID, KDF_SHA1, None, [], 32), (MECHANISM_PARAM_INVALID, 0, None, [], 32), (MECHANISM_PARAM_INVALID, 0x10000, None, [], 32),
    (MECHANISM_PARAM_INVALID, KDF_X963, lambda p: p[:-1], [], 32), (MECHANISM_PARAM_INVALID, KDF_X963, lambda p: p + b"x", [], 32), (PUBLIC_KEY_INVALID, KDF_X963, lambda p: p[:-1] + bytes([p[-1] ^ 1]), [], 32),
    (PUBLIC_KEY_INVALID, KDF_X963, lambda p: bytes(65), [], 32), (MECHANISM_PARAM_INVALID, KDF_X963, lambda p: b"\x02" + p[1:33], [], 32),
    (TEMPLATE_INCOMPLETE, KDF_X963, None, [], None), (ATTRIBUTE_VALUE_INVALID, KDF_X963, None, [], 15), (ATTRIBUTE_VALUE_INVALID, KDF_X963, None, [], 257), (ATTRIBUTE_VALUE_INVALID, KDF_X963, None, [], 2**64 - 1),
    (TEMPLATE_INCONSISTENT, KDF_X963, None, [(EXTRACTABLE, True)], 32), (TEMPLATE_INCONSISTENT, KDF_X963, None, [(SENSITIVE, False)], 32), (TOKEN_WRITE_PROTECTED, KDF_X963, None, [(TOKEN, True)], 32),
    (ATTRIBUTE_READ_ONLY, KDF_X963, None, [(VALUE, b"x")], 32), (ATTRIBUTE_VALUE_INVALID, KDF_X963, None, [(CLASS, PRIVATE_KEY)], 32), (ATTRIBUTE_VALUE_INVALID, KDF_X963, None, [(KEY_TYPE, RSA)], 32),
    (ATTRIBUTE_VALUE_INVALID, KDF_X963, None, [(CLASS, b"\4")], 32), (ATTRIBUTE_VALUE_INVALID, KDF_X963, None, [(SIGN, encoded(1))], 32), (ATTRIBUTE_TYPE_INVALID, KDF_X963, None, [(MODULUS, b"x")], 32),
    (ATTRIBUTE_VALUE_INVALID, KDF_X963, None, [(LABEL, "x" * 200)], 32), (ATTRIBUTE_VALUE_INVALID, KDF_X963, None, [(ID, bytes(65))], 32), (ATTRIBUTE_VALUE_INVALID, KDF_X963, None, [(KEY_TYPE, AES)], 64),
    (ATTRIBUTE_VALUE_INVALID, KDF_X963, None, [(KEY_TYPE, AES)], 20),
])  # fmt: skip
def test_derivations_that_are_refused(session: Session, code: int, kdf: int, change: Any, pairs: list[Any], size: int | None) -> None:
    point, _ = peer_of("k/agree")
    with refused(code):
        session.derive(session.one(PRIVATE_KEY, "k/agree"), kdf, b"", change(point) if change else point, *pairs, size=size)
    assert session.find((TOKEN, False)) == []


def test_keys_that_do_not_derive(session: Session) -> None:
    point, _ = peer_of("k/agree")
    for kind, label, code in ((PUBLIC_KEY, "k/agree", KEY_FUNCTION_NOT_PERMITTED), (PRIVATE_KEY, "k/p256", KEY_FUNCTION_NOT_PERMITTED), (PRIVATE_KEY, "k/rsa", KEY_TYPE_INCONSISTENT), (SECRET_KEY, "k/hmac", KEY_TYPE_INCONSISTENT)):
        with refused(code):
            session.derive(session.one(kind, label), KDF_X963, b"", point)
    with refused(KEY_HANDLE_INVALID):
        session.derive(10**6, KDF_X963, b"", point)
    with refused(MECHANISM_PARAM_INVALID):
        session.derive(session.one(PRIVATE_KEY, "k/agree384"), KDF_X963, b"", point)


def test_a_secret_says_what_it_is_for(session: Session) -> None:
    point, _ = peer_of("k/agree")
    made = session.derive(session.one(PRIVATE_KEY, "k/agree"), KDF_X963, b"", point, (SIGN, False), (KEY_TYPE, AES), (CLASS, SECRET_KEY), (EXTRACTABLE, False), (SENSITIVE, True))
    assert session.sign_init(made, M_AES_CMAC) == KEY_FUNCTION_NOT_PERMITTED and session.verify_init(made, M_AES_CMAC) == OK
    assert session.number(made, KEY_TYPE) == AES


def test_secrets_end_with_their_session(module: Cryptoki, session: Session, sandbox: Sandbox) -> None:
    """Others see them until then; and kistd holds none longer."""
    point, _ = peer_of("k/agree")
    key, other = session.one(PRIVATE_KEY, "k/agree"), module.open()
    made = [session.derive(key, KDF_X963, b"", point) for _ in range(3)]
    assert sorted(other.find((TOKEN, False))) == made and len(other.sign(made[0], M_SHA256_HMAC, b"")) == 32
    before = len(records(sandbox, "release-handle"))
    session.do("CloseSession")
    assert other.find((TOKEN, False)) == [] and len(records(sandbox, "release-handle")) == before + 3


def oaep(label: str, secret: bytes, algorithm: Any = hashes.SHA256(), mask: Any = None, text: bytes | None = None) -> bytes:
    wrapped: bytes = private(label).public_key().encrypt(secret, padding.OAEP(padding.MGF1(mask or algorithm), algorithm, text))
    return wrapped


def test_unwrap(session: Session) -> None:
    key = session.one(PRIVATE_KEY, "k/unwrap")
    for secret in (bytes(range(16)), bytes(range(64))):
        made = session.unwrap(key, oaep("k/unwrap", secret), (CLASS, SECRET_KEY), (KEY_TYPE, GENERIC_SECRET), (LABEL, "unwrapped"))
        assert session.sign(made, M_SHA384_HMAC, b"hello") == _hmac(secret, b"hello", hashes.SHA384())
        assert session.verify(made, M_SHA384_HMAC, b"hello", _hmac(secret, b"hello", hashes.SHA384())) == OK


def test_unwrap_what_no_cipher_takes(session: Session) -> None:
    """How long it is, only kistd knows."""
    made = session.unwrap(session.one(PRIVATE_KEY, "k/unwrap"), oaep("k/unwrap", bytes(20)), (KEY_TYPE, AES))
    with refused(KEY_SIZE_RANGE):
        session.sign(made, M_AES_CMAC, b"hello")


def test_unwrappings_that_are_refused(session: Session) -> None:
    key, good = session.one(PRIVATE_KEY, "k/unwrap"), oaep("k/unwrap", bytes(32))
    for wrapped in (bytes(384), good[:-1] + bytes([good[-1] ^ 1]), oaep("k/unwrap", bytes(32), hashes.SHA1()), oaep("k/unwrap", bytes(32), text=b"label"), oaep("k/unwrap", bytes(15)), oaep("k/unwrap", bytes(65)), good[:-1]):
        with refused(WRAPPED_KEY_INVALID):
            session.unwrap(key, wrapped)
    for wrapped in (b"", bytes(513)):
        with refused(WRAPPED_KEY_LEN_RANGE):
            session.unwrap(key, wrapped)
    for parameter in (b"", struct.pack("@LLLPL", M_SHA1, 1, 0, 0, 0), struct.pack("@LLLPL", M_SHA256, 1, 0, 0, 0), struct.pack("@LLLPL", M_SHA256, 2, 1, 0, 3), bytes(39), bytes(41)):
        with refused(MECHANISM_PARAM_INVALID):
            session.unwrap(key, good, parameter=parameter)
    for pairs, code in (([(EXTRACTABLE, True)], TEMPLATE_INCONSISTENT), ([(VALUE_LEN, 32)], TEMPLATE_INCONSISTENT), ([(TOKEN, True)], TOKEN_WRITE_PROTECTED)):
        with refused(code):
            session.unwrap(key, good, *pairs)
    for kind, label, code in ((PUBLIC_KEY, "k/unwrap", KEY_FUNCTION_NOT_PERMITTED), (PRIVATE_KEY, "k/rsa", KEY_FUNCTION_NOT_PERMITTED), (PRIVATE_KEY, "k/p256", UNWRAPPING_KEY_TYPE_INCONSISTENT)):
        with refused(code):
            session.unwrap(session.one(kind, label), good)
    with refused(UNWRAPPING_KEY_HANDLE_INVALID):
        session.unwrap(10**6, good)


# Threads, processes, a daemon that is away


def test_threads(module: Cryptoki) -> None:
    def work(number: int) -> int:
        session, data = module.open(), bytes([number]) * 50
        rsa_key, ec_key = session.one(PRIVATE_KEY, "k/rsa"), session.one(PRIVATE_KEY, "k/p256")
        for _ in range(20):
            check_ec("k/p256", session.sign(ec_key, M_ECDSA_SHA256, data, parts=(9,)), digest_of(32, data))
        check_rsa("k/rsa", session.sign(rsa_key, M_SHA256_RSA, data), digest_of(32, data), is_pss=False)
        point, z = peer_of("k/agree")
        made = session.derive(session.one(PRIVATE_KEY, "k/agree"), KDF_X963, data, point)
        assert session.sign(made, M_SHA256_HMAC, data) == _hmac(X963KDF(hashes.SHA256(), 32, data).derive(z), data, hashes.SHA256())
        session.do("CloseSession")
        return 1

    with ThreadPoolExecutor(24) as pool:
        assert sum(pool.map(work, range(48))) == 48


def test_one_session_of_many_threads(session: Session) -> None:
    """No program should; and it gets an answer of the standard's, never a crash or another's signature."""
    key, codes = session.one(PRIVATE_KEY, "k/p256"), set()

    def work(_: int) -> None:
        room, count = create_string_buffer(64), c_ulong(64)
        for _ in range(50):
            codes.add(session.sign_init(key, M_ECDSA_SHA256))
            codes.add(session.call("SignUpdate", b"x", c_ulong(1)))
            codes.add(session.call("SignFinal", room, byref(count)))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert codes <= {OK, OPERATION_ACTIVE, OPERATION_NOT_INITIALIZED}


def test_finalize_while_a_call_waits(module: Cryptoki, session: Session, sandbox: Sandbox) -> None:
    """It does not wait, and the call ends by itself, with an answer or without a session."""
    key, codes = session.one(PRIVATE_KEY, "k/rsa"), []
    session.sign(key, M_SHA256_RSA, b"")
    with stopped(sandbox):
        assert session.sign_init(key, M_SHA256_RSA) == OK
        waiting = threading.Thread(target=lambda: codes.append(session.call("Sign", b"x", c_ulong(1), create_string_buffer(256), byref(c_ulong(256)))))
        waiting.start()
        time.sleep(0.3)
        began = time.monotonic()
        module.do("Finalize", None)
        assert time.monotonic() - began < 0.2
        module.start()
        assert session.call("CloseSession") == SESSION_HANDLE_INVALID
    waiting.join(20)
    assert codes == [OK]
    assert module.open().one(PRIVATE_KEY, "k/rsa")


def test_what_another_thread_is_in_is_not_cancelled(
    module: Cryptoki, session: Session, sandbox: Sandbox
) -> None:
    _, call = functions_of_version_3(module)
    key, handle, made = session.one(PRIVATE_KEY, "k/rsa"), c_ulong(session.handle), []
    session.sign(key, M_SHA256_RSA, b"")
    with stopped(sandbox):
        assert session.sign_init(key, M_SHA256_RSA) == OK
        waiting = threading.Thread(target=lambda: made.append(session.signature("Sign", b"x", c_ulong(1))))
        waiting.start()
        # A question how long it is leaves the operation as it is.
        while session.call("Sign", b"x", c_ulong(1), None, byref(c_ulong())) == OK:
            time.sleep(0.01)
        assert call("SessionCancel", handle, c_ulong(0x800)) == OPERATION_CANCEL_FAILED
        assert call("SessionCancel", handle, c_ulong(0x2000)) == OK
        assert session.call("SignInit", None, c_ulong(key)) == OPERATION_CANCEL_FAILED
    waiting.join(20)
    assert made == [session.sign(key, M_SHA256_RSA, b"x")]


def daemon_process(sandbox: Sandbox) -> int:
    socket = sandbox.endpoint.removeprefix("unix:")
    for line in pathlib.Path("/proc/net/unix").read_text().splitlines():
        if line.endswith(f" {socket}") and line.split()[5] == "01" and line.split()[3] == "00010000":
            inode = line.split()[6]
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError):
                    if any(os.readlink(one) == f"socket:[{inode}]" for one in (process / "fd").iterdir()) and "kistd" in (process / "comm").read_text():
                        return int(process.name)
    raise AssertionError("no daemon listens")


@contextlib.contextmanager
def stopped(sandbox: Sandbox) -> Iterator[None]:
    process = daemon_process(sandbox)
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def in_child(work: Any) -> None:
    """Runs it in a child, and fails as it fails."""
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            work()
            os._exit(0)
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_fork(module: Cryptoki, session: Session) -> None:
    key = session.one(PRIVATE_KEY, "k/p256")
    session.sign(key, M_ECDSA, bytes(32))

    def child() -> None:
        assert session.sign_init(key, M_ECDSA) == NOT_INITIALIZED == module.call("Finalize", None)
        sockets = {os.readlink(f"/proc/self/fd/{one}") for one in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{one}")}
        module.start()
        mine = module.open()
        assert session.sign_init(key, M_ECDSA) == SESSION_HANDLE_INVALID
        check_ec("k/p256", mine.sign(mine.one(PRIVATE_KEY, "k/p256"), M_ECDSA, bytes(32)), bytes(32))
        now = {os.readlink(f"/proc/self/fd/{one}") for one in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{one}")}
        assert not {one for one in sockets & now if one.startswith("socket")} - {one for one in before if one.startswith("socket")}, "the parent's socket is kept"
        module.do("Finalize", None)

    module.do("Finalize", None)
    before = {os.readlink(f"/proc/self/fd/{one}") for one in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{one}")}
    module.start()
    session = module.open()
    key = session.one(PRIVATE_KEY, "k/p256")
    session.sign(key, M_ECDSA, bytes(32))
    in_child(child)
    in_child(lambda: in_child(child))
    check_ec("k/p256", session.sign(key, M_ECDSA, bytes(32)), bytes(32))


def test_fork_while_threads_work(module: Cryptoki) -> None:
    stop = threading.Event()

    def work() -> None:
        session = module.open()
        key = session.one(PRIVATE_KEY, "k/p256")
        while not stop.is_set():
            session.sign(key, M_ECDSA, bytes(32))

    def child() -> None:
        module.start()
        mine = module.open()
        mine.sign(mine.one(PRIVATE_KEY, "k/p256"), M_ECDSA, bytes(32))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for _ in range(10):
        in_child(child)
    stop.set()
    for one in threads:
        one.join()


def test_a_daemon_that_is_gone_and_comes_back(module: Cryptoki, session: Session, sandbox: Sandbox) -> None:
    key, point = session.one(PRIVATE_KEY, "k/p256"), peer_of("k/agree")[0]
    secret = session.derive(session.one(PRIVATE_KEY, "k/agree"), KDF_X963, b"", point)
    sandbox.kill()
    try:
        for _ in range(2):
            assert session.sign_init(key, M_ECDSA) == OK
            assert session.call("Sign", bytes(32), c_ulong(32), create_string_buffer(64), byref(c_ulong(64))) == DEVICE_REMOVED
            assert session.call("GenerateRandom", create_string_buffer(8), c_ulong(8)) == DEVICE_REMOVED
            assert module.slots() == [] and module.slots(present=False) == [1]
            assert module.call("GetTokenInfo", c_ulong(1), create_string_buffer(256)) == TOKEN_NOT_PRESENT
            # libp11 would wait for ever for one that it is refused.
            later = module.open()
            assert later.call("FindObjectsInit", None, c_ulong(0)) in (OK, DEVICE_REMOVED)
        time.sleep(1.1)
        assert session.call("FindObjectsInit", None, c_ulong(0)) == DEVICE_REMOVED
    finally:
        sandbox.start()
    # The same session, the same key; what the daemon held is gone.
    check_ec("k/p256", session.sign(key, M_ECDSA, bytes(32)), bytes(32))
    assert session.one(PRIVATE_KEY, "k/p256") == key == module.open().one(PRIVATE_KEY, "k/p256")
    with refused(KEY_HANDLE_INVALID):
        session.sign(secret, M_SHA256_HMAC, b"")
    session.do("DestroyObject", c_ulong(secret))


def test_a_daemon_that_has_no_connection_left(module: Cryptoki, session: Session, sandbox: Sandbox) -> None:
    key = session.one(PRIVATE_KEY, "k/p256")
    session.sign(key, M_ECDSA, bytes(32))
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(socket.socket(socket.AF_UNIX)).connect(sandbox.endpoint.removeprefix("unix:"))
        assert module.call("GetTokenInfo", c_ulong(1), create_string_buffer(256)) in (OK, TOKEN_RESOURCE_EXCEEDED)
        assert module.slots() == [1], "a busy token is no absent one"
        # Those that there are serve on; who needs a new one waits or is told why not.
        check_ec("k/p256", session.sign(key, M_ECDSA, bytes(32)), bytes(32))
        codes = {module.open().call("GenerateRandom", create_string_buffer(8), c_ulong(8)) for _ in range(16)}
        assert TOKEN_RESOURCE_EXCEEDED in codes <= {OK, TOKEN_RESOURCE_EXCEEDED}
    check_ec("k/p256", session.sign(key, M_ECDSA, bytes(32)), bytes(32))
    assert module.open().call("GenerateRandom", create_string_buffer(8), c_ulong(8)) == OK


def test_a_store_that_is_locked(session: Session, sandbox: Sandbox) -> None:
    key = session.one(PRIVATE_KEY, "k/p256")
    with sandbox.operator() as operator:
        operator.lock()
    with refused(DEVICE_ERROR):
        session.sign(key, M_ECDSA, bytes(32))
    assert session.module.slots() == [1], "it answers"
    sandbox.kill()
    sandbox.start()
    session.sign(key, M_ECDSA, bytes(32))


def test_a_key_that_changes(session: Session, sandbox: Sandbox) -> None:
    """One that is suspended leaves within a second, and comes back as the same object."""
    key = session.one(PRIVATE_KEY, "k/p384")
    with sandbox.operator() as operator:
        identifier = operator.find_key("k/p384").id
    subprocess.run([sandbox._program, "key", "suspend", identifier.hex(), "--socket", sandbox.operators_endpoint.removeprefix("unix:")], check=True, capture_output=True)
    with refused(KEY_FUNCTION_NOT_PERMITTED):
        session.sign(key, M_ECDSA, bytes(48))
    time.sleep(1.1)
    assert session.find((CLASS, PRIVATE_KEY), (LABEL, "k/p384")) == [] and session.sign_init(key, M_ECDSA) == KEY_HANDLE_INVALID
    assert len(session.find((CLASS, PUBLIC_KEY), (LABEL, "k/p384"))) == 1


def test_the_record_names_the_scheme(session: Session, sandbox: Sandbox) -> None:
    expected = [("k/rsa", M_SHA384_PSS, PSS[48], 9), ("k/rsa", M_SHA256_RSA, b"", 5), ("k/p256", M_ECDSA_SHA256, b"", 3), ("k/ed", M_EDDSA, b"", 11)]
    for label, kind, parameter, scheme in expected:
        session.sign(session.one(PRIVATE_KEY, label), kind, b"x", parameter)
        last = records(sandbox, "sign")[-1]
        assert (last["label"], last["in"]) == (label, {"scheme": scheme})


class Caller:
    """Makes calls of the whole interface up, from a seed: right ones, wrong ones, in any order. What it points to is there; all else is anything."""

    def __init__(self, module: Cryptoki, seed: int) -> None:
        self.module, self.random = module, random.Random(seed)
        self.sessions, self.keys = [module.open().handle], module.open().find()
        self.kept: list[Any] = []
        session = module.open()
        self.fitting = [(session.one(kind, label), wanted) for kind, label, wanted in FITTING]

    def call(self) -> tuple[str, int]:
        often = [name for name in NAMES if name.startswith(("Sign", "Verify", "Digest", "Find"))]
        name = self.random.choice([name for name in NAMES + often * 2 if name not in ("Initialize", "Finalize", "GetFunctionList", "WaitForSlotEvent")])
        self.kept.clear()
        code = self.module.call(name, *self.arguments(name))
        if name == "OpenSession" and code == OK:
            self.sessions = [*self.sessions[-2:], self.room[0]]
        if name.startswith("Close") and code == OK:
            self.sessions = [self.module.open().handle]
        return name, code

    def arguments(self, name: str) -> list[Any]:
        one, pick = self.random, self.random.choice
        self.room = (c_ulong * 1024)()
        count = c_ulong(pick([0, 1, 16, 63, 64, 256, 4096]))
        data = create_string_buffer(one.randbytes(pick([0, 1, 32, 48, 51, 300, 4096])), 4096)
        size, session, key, number = c_ulong(pick([0, 1, 31, 32, 48, 51, 300, 4096])), c_ulong(pick([*self.sessions, 0, 99999])), self.key(), c_ulong(one.randrange(4))
        out, out_count = pick([self.room, self.room, None]), pick([byref(count), byref(count), byref(count), None])
        template, template_count = self.template()
        match name:
            case "GetInfo" | "GetFunctionStatus" | "CancelFunction":
                return [self.room]
            case "GetSlotList":
                return [c_ubyte(one.randrange(2)), out, out_count]
            case "GetSlotInfo" | "GetTokenInfo":
                return [number, out]
            case "GetMechanismList":
                return [number, out, out_count]
            case "GetMechanismInfo":
                return [number, self.kind(), out]
            case "InitToken":
                return [number, data, size, data]
            case "OpenSession":
                return [number, c_ulong(pick([0, 2, 4, 4, 6])), None, None, self.room]
            case "CloseAllSessions":
                return [c_ulong(pick([0, 2, 3, 1]) if one.random() < 0.1 else 7)]
            case "Login":
                return [session, number, data, size]
            case "FindObjects":
                return [session, self.room, c_ulong(one.randrange(1000)), out_count]
            case "FindObjectsInit":
                return [session, template, template_count]
            case "GetAttributeValue" | "SetAttributeValue":
                return [session, key, template, template_count]
            case "CreateObject":
                return [session, template, template_count, self.room]
            case "CopyObject":
                return [session, key, template, template_count, self.room]
            case "SignInit" | "VerifyInit" if one.random() < 0.5:
                fitting, wanted = pick(self.fitting)
                self.kept.append(mechanism(wanted))
                return [session, byref(self.kept[-1]), c_ulong(fitting)]
            case "SignInit" | "VerifyInit" | "EncryptInit" | "DecryptInit" | "SignRecoverInit" | "VerifyRecoverInit":
                return [session, self.mechanism(), key]
            case "DigestInit":
                return [session, byref(mechanism(M_SHA384)) if one.random() < 0.5 else self.mechanism()]
            case "DeriveKey":
                return [session, self.mechanism(), key, template, template_count, pick([self.room, None])]
            case "UnwrapKey":
                return [session, self.mechanism(), key, data, size, template, template_count, pick([self.room, None])]
            case "WrapKey":
                return [session, self.mechanism(), key, key, out, out_count]
            case "GenerateKey":
                return [session, self.mechanism(), template, template_count, self.room]
            case "GenerateKeyPair":
                return [session, self.mechanism(), template, template_count, template, template_count, self.room, self.room]
            case "DestroyObject" | "DigestKey" | "GetObjectSize":
                return [session, key, self.room]
            case "SignUpdate" | "VerifyUpdate" | "DigestUpdate" | "SeedRandom" | "GenerateRandom" | "InitPIN" | "VerifyFinal":
                return [session, pick([data, data, None]), size]
            case "SignFinal" | "DigestFinal" | "EncryptFinal" | "DecryptFinal" | "GetOperationState":
                return [session, out, out_count]
            case "Verify":
                return [session, pick([data, None]), size, pick([data, None]), c_ulong(pick([16, 32, 64, 96, 256, 2**64 - 1]))]
            case "SetPIN" | "SetOperationState":
                return [session, data, size, data, size]
            case "CloseSession" | "GetSessionInfo" | "Logout" | "FindObjectsFinal":
                return [c_ulong(pick([0, 99999, pick(self.sessions)])), self.room]
            case _:
                return [session, pick([data, data, None]), size, out, out_count]

    def key(self) -> c_ulong:
        return c_ulong(self.random.choice([*self.keys, 0, 77777, 0x40000001, 2**64 - 1, self.room[0]]))

    def kind(self) -> c_ulong:
        return c_ulong(self.random.choice([*KINDS, M_AES_GCM, 0, 2**63]))

    def mechanism(self) -> Any:
        if self.random.random() < 0.05:
            return None
        peer = create_string_buffer(self.random.choice([peer_of("k/agree")[0], self.random.randbytes(65), bytes(97)]), 200)
        self.kept.append(peer)
        agreement = struct.pack("@LLPLP", self.random.choice([1, 2, 6, 7, 0x10, 99]), self.random.choice([0, 32, 2000]), ctypes.addressof(peer) if self.random.random() < 0.5 else 0, self.random.choice([0, 65, 67, 97]), ctypes.addressof(peer))  # fmt: skip
        parameter = self.random.choice([b"", b"", PSS[32], PSS[64], self.random.randbytes(24), struct.pack("@LLLPL", M_SHA256, 2, 0, 0, 0), agreement])
        kind = M_ECDH if parameter is agreement and self.random.random() < 0.8 else self.kind().value
        # Of an agreement's parameters no other mechanism would follow the pointers, and of random ones ECDH would.
        made = mechanism(M_RSA_PSS if kind == M_ECDH and parameter is not agreement else kind, parameter)
        self.kept.append(made)
        return byref(made)

    def template(self) -> tuple[Any, c_ulong]:
        kinds = [CLASS, LABEL, ID, KEY_TYPE, TOKEN, VALUE, VALUE_LEN, SIGN, EXTRACTABLE, SENSITIVE, MODULUS, EC_POINT, PUBLIC_KEY_INFO, ALLOWED_MECHANISMS, SUBJECT, 0x8000000F]
        count = self.random.randrange(5)
        array = (Attribute * max(1, count))()
        for place in range(count):
            room = create_string_buffer(self.random.choice([encoded(3), encoded(2), b"\0", b"\1", b"k/rsa", encoded(32), self.random.randbytes(9)]), 600)
            self.kept.append(room)
            length = self.random.choice([0, 1, 5, 8, 600, 2**63]) if self.random.random() < 0.3 else self.random.choice([1, 5, 8])
            array[place] = Attribute(self.random.choice(kinds), None if length > 600 or self.random.random() < 0.1 else ctypes.cast(room, c_void_p), length)
        self.kept.append(array)
        return array, c_ulong(count if self.random.random() < 0.95 else self.random.choice([257, 2**32, 2**64 - 1]))


KINDS = [M_RSA, M_RSA_OAEP, M_RSA_PSS, M_SHA256_RSA, M_SHA512_PSS, M_ECDSA, M_ECDSA_SHA384, M_EDDSA, M_ECDH, M_SHA256_HMAC, M_AES_CMAC, M_SHA256, M_SHA512]
FITTING = [(PRIVATE_KEY, "k/rsa", M_SHA256_RSA), (PRIVATE_KEY, "k/p256", M_ECDSA), (SECRET_KEY, "k/hmac", M_SHA256_HMAC), (PUBLIC_KEY, "k/rsa", M_RSA), (PUBLIC_KEY, "k/ed", M_EDDSA)]
CALLS = int(os.environ.get("KIST_PKCS11_CALLS", "2000"))


def test_calls_at_random(module: Cryptoki) -> None:
    """Each answers with a code of the standard's; KIST_PKCS11_CALLS makes it longer."""
    codes = set()
    for seed in range(1, 5):
        caller = Caller(module, seed)
        codes |= {caller.call() for _ in range(CALLS)}
    assert all(code < 0x210 for _, code in codes) and not [name for name, code in codes if code in (GENERAL_ERROR, HOST_MEMORY)]
    assert {name for name, code in codes if code == OK} >= {"FindObjectsInit", "SignInit", "DigestInit", "OpenSession", "GetAttributeValue", "SignUpdate", "GenerateRandom"}
    assert len(module.open().find((CLASS, PRIVATE_KEY), (LABEL, "k/rsa"))) == 1


def test_the_same_with_sanitizers(sandbox: Sandbox) -> None:
    library = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout.strip()
    environment = {**os.environ, "KIST_PKCS11_BUILD": "sanitized", "LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"}
    words = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", "-k", "not sanitizers", __file__]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
