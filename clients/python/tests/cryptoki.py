"""PKCS#11 by ctypes, call by call: what a program in C would pass, right or wrong, and which CKR comes back."""

from __future__ import annotations

import ctypes
import pathlib
import struct
from collections.abc import Sequence
from ctypes import POINTER, byref, c_ubyte, c_ulong, c_void_p, create_string_buffer
from dataclasses import dataclass
from typing import Any, cast

#: In the order of the standard's table of v2.40.
NAMES = """
Initialize Finalize GetInfo GetFunctionList GetSlotList GetSlotInfo GetTokenInfo GetMechanismList GetMechanismInfo InitToken InitPIN SetPIN OpenSession
CloseSession CloseAllSessions GetSessionInfo GetOperationState SetOperationState Login Logout CreateObject CopyObject DestroyObject GetObjectSize
GetAttributeValue SetAttributeValue FindObjectsInit FindObjects FindObjectsFinal EncryptInit Encrypt EncryptUpdate EncryptFinal DecryptInit Decrypt
DecryptUpdate DecryptFinal DigestInit Digest DigestUpdate DigestKey DigestFinal SignInit Sign SignUpdate SignFinal SignRecoverInit SignRecover VerifyInit
Verify VerifyUpdate VerifyFinal VerifyRecoverInit VerifyRecover DigestEncryptUpdate DecryptDigestUpdate SignEncryptUpdate DecryptVerifyUpdate GenerateKey
GenerateKeyPair WrapKey UnwrapKey DeriveKey SeedRandom GenerateRandom GetFunctionStatus CancelFunction WaitForSlotEvent
""".split()
MORE_NAMES = ["GetInterfaceList", "GetInterface", "LoginUser", "SessionCancel"] + [
    name for what in ("Encrypt", "Decrypt", "Sign", "Verify")
    for name in (f"Message{what}Init", f"{what}Message", f"{what}MessageBegin", f"{what}MessageNext", f"Message{what}Final")
]  # fmt: skip

OK, HOST_MEMORY, SLOT_ID_INVALID, GENERAL_ERROR, FUNCTION_FAILED, ARGUMENTS_BAD = 0, 2, 3, 5, 6, 7
CANT_LOCK, ATTRIBUTE_READ_ONLY, ATTRIBUTE_SENSITIVE, ATTRIBUTE_TYPE_INVALID, ATTRIBUTE_VALUE_INVALID, ACTION_PROHIBITED = 0x0A, 0x10, 0x11, 0x12, 0x13, 0x1B
DATA_INVALID, DATA_LEN_RANGE, DEVICE_ERROR, DEVICE_REMOVED, FUNCTION_NOT_PARALLEL, FUNCTION_NOT_SUPPORTED = 0x20, 0x21, 0x30, 0x32, 0x51, 0x54
KEY_HANDLE_INVALID, KEY_SIZE_RANGE, KEY_TYPE_INCONSISTENT, KEY_INDIGESTIBLE, KEY_FUNCTION_NOT_PERMITTED = 0x60, 0x62, 0x63, 0x67, 0x68
MECHANISM_INVALID, MECHANISM_PARAM_INVALID = 0x70, 0x71
OBJECT_HANDLE_INVALID, OPERATION_ACTIVE, OPERATION_NOT_INITIALIZED = 0x82, 0x90, 0x91
SESSION_HANDLE_INVALID, SESSION_PARALLEL_NOT_SUPPORTED, SESSION_READ_ONLY = 0xB3, 0xB4, 0xB5
SESSION_READ_ONLY_EXISTS, SIGNATURE_INVALID, SIGNATURE_LEN_RANGE = 0xB7, 0xC0, 0xC1
TEMPLATE_INCOMPLETE, TEMPLATE_INCONSISTENT, TOKEN_NOT_PRESENT, TOKEN_WRITE_PROTECTED = 0xD0, 0xD1, 0xE0, 0xE2
UNWRAPPING_KEY_HANDLE_INVALID, UNWRAPPING_KEY_TYPE_INCONSISTENT = 0xF0, 0xF2
USER_ALREADY_LOGGED_IN, USER_NOT_LOGGED_IN, USER_TYPE_INVALID, USER_ANOTHER_ALREADY_LOGGED_IN = 0x100, 0x101, 0x103, 0x104
WRAPPED_KEY_INVALID, WRAPPED_KEY_LEN_RANGE = 0x110, 0x112
RANDOM_SEED_NOT_SUPPORTED, RANDOM_NO_RNG, BUFFER_TOO_SMALL, NOT_INITIALIZED, ALREADY_INITIALIZED = 0x120, 0x121, 0x150, 0x190, 0x191
PUBLIC_KEY_INVALID, FUNCTION_REJECTED, TOKEN_RESOURCE_EXCEEDED, OPERATION_CANCEL_FAILED = 0x1C4, 0x200, 0x201, 0x202

CERTIFICATE, PUBLIC_KEY, PRIVATE_KEY, SECRET_KEY = 1, 2, 3, 4
RSA, EC, GENERIC_SECRET, AES, SHA256_HMAC, EDWARDS = 0, 3, 0x10, 0x1F, 0x2B, 0x40
CLASS, TOKEN, PRIVATE, LABEL, UNIQUE_ID, VALUE, CERTIFICATE_TYPE, ISSUER, SERIAL_NUMBER, SUBJECT = 0, 1, 2, 3, 4, 0x11, 0x80, 0x81, 0x82, 0x101
KEY_TYPE, ID, SENSITIVE, SIGN, VERIFY, DERIVE, UNWRAP, DECRYPT, MODULUS, MODULUS_BITS = 0x100, 0x102, 0x103, 0x108, 0x10A, 0x10C, 0x107, 0x105, 0x120, 0x121
PUBLIC_EXPONENT, PRIVATE_EXPONENT, PUBLIC_KEY_INFO, VALUE_LEN, EXTRACTABLE, NEVER_EXTRACTABLE = 0x122, 0x123, 0x129, 0x161, 0x162, 0x164
EC_PARAMS, EC_POINT, ALLOWED_MECHANISMS = 0x180, 0x181, 0x40000600

M_RSA, M_RSA_OAEP, M_RSA_PSS, M_SHA1, M_SHA256, M_SHA384, M_SHA512, M_AES_GCM, M_AES_CMAC = 1, 9, 0x0D, 0x220, 0x250, 0x260, 0x270, 0x1087, 0x108A
M_SHA256_RSA, M_SHA384_RSA, M_SHA512_RSA, M_SHA256_PSS, M_SHA384_PSS, M_SHA512_PSS = 0x40, 0x41, 0x42, 0x43, 0x44, 0x45
M_SHA256_HMAC, M_SHA384_HMAC, M_SHA512_HMAC = 0x251, 0x261, 0x271
M_ECDSA, M_ECDSA_SHA1, M_ECDSA_SHA256, M_ECDSA_SHA384, M_ECDSA_SHA512, M_ECDH, M_EDDSA = 0x1041, 0x1042, 0x1044, 0x1045, 0x1046, 0x1050, 0x1057
KDF_NULL, KDF_SHA1, KDF_X963, KDF_SP800 = 1, 2, 6, 0x10
UNAVAILABLE = 2**64 - 1


class Attribute(ctypes.Structure):
    _fields_ = [("type", c_ulong), ("value", c_void_p), ("count", c_ulong)]


class Mechanism(ctypes.Structure):
    _fields_ = [("type", c_ulong), ("parameter", c_void_p), ("count", c_ulong)]


class Table(ctypes.Structure):
    _fields_ = [("version", c_ubyte * 2), *((name, c_void_p) for name in NAMES)]


class LongTable(ctypes.Structure):
    _fields_ = [("version", c_ubyte * 2), *((name, c_void_p) for name in NAMES + MORE_NAMES)]


class Interface(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("functions", c_void_p), ("flags", c_ulong)]


def encoded(value: bytes | int | bool | str) -> bytes:
    """As a CK_BBOOL, a CK_ULONG or bytes."""
    if isinstance(value, bool):
        return bytes([value])
    if isinstance(value, int):
        return struct.pack("@L", value)
    return value.encode() if isinstance(value, str) else value


def template(*pairs: tuple[int, bytes | int | bool | str]) -> Any:
    """An array of attributes, which keeps what it points to."""
    array: Any = (Attribute * max(1, len(pairs)))()
    kept = []
    for place, (kind, value) in enumerate(pairs):
        data = encoded(value)
        kept.append(create_string_buffer(data, len(data) or 1))
        array[place] = Attribute(kind, ctypes.cast(kept[-1], c_void_p), len(data))
    array.kept, array.length = kept, len(pairs)
    return array


def mechanism(kind: int, parameter: bytes = b"") -> Mechanism:
    made: Any = Mechanism(kind, None, len(parameter))
    if parameter:
        made.kept = create_string_buffer(parameter, len(parameter))
        made.parameter = ctypes.cast(made.kept, c_void_p)
    return cast(Mechanism, made)


def pss(hashing: int, mask: int, salt: int) -> bytes:
    return struct.pack("@LLL", hashing, mask, salt)


class Refused(Exception):
    def __init__(self, name: str, code: int) -> None:
        super().__init__(f"C_{name}: {code:#x}")
        self.code = code


class Cryptoki:
    """A module: `call` gives the CKR of a function, and everything else fails unless that is CKR_OK."""

    def __init__(self, module: pathlib.Path) -> None:
        self.library = ctypes.CDLL(str(module))
        found = POINTER(Table)()
        assert self.library.C_GetFunctionList(byref(found)) == OK
        self.table = found.contents

    def call(self, name: str, *arguments: Any) -> int:
        function = ctypes.CFUNCTYPE(c_ulong)(getattr(self.table, name))
        return int(function(*arguments))

    def do(self, name: str, *arguments: Any) -> None:
        if code := self.call(name, *arguments):
            raise Refused(name, code)

    def start(self) -> Cryptoki:
        self.do("Initialize", None)
        return self

    def open(self, slot: int = 1, flags: int = 4) -> Session:
        handle = c_ulong()
        self.do("OpenSession", c_ulong(slot), c_ulong(flags), None, None, byref(handle))
        return Session(self, handle.value)

    def slots(self, *, present: bool = True) -> list[int]:
        room, count = (c_ulong * 8)(), c_ulong(8)
        self.do("GetSlotList", c_ubyte(present), room, byref(count))
        return list(room[: count.value])


@dataclass
class Session:
    """One session, with the shortest form of each call."""

    module: Cryptoki
    handle: int

    def call(self, name: str, *arguments: Any) -> int:
        return self.module.call(name, c_ulong(self.handle), *arguments)

    def do(self, name: str, *arguments: Any) -> None:
        self.module.do(name, c_ulong(self.handle), *arguments)

    def find(self, *pairs: tuple[int, bytes | int | bool | str]) -> list[int]:
        wanted = template(*pairs)
        self.do("FindObjectsInit", wanted, c_ulong(wanted.length))
        found: list[int] = []
        room, count = (c_ulong * 7)(), c_ulong()
        while True:
            self.do("FindObjects", room, c_ulong(7), byref(count))
            found += room[: count.value]
            if not count.value:
                break
        self.do("FindObjectsFinal")
        return found

    def one(self, kind: int, label: str) -> int:
        (found,) = self.find((CLASS, kind), (LABEL, label))
        return found

    def get(self, number: int, kind: int) -> bytes:
        array = (Attribute * 1)(Attribute(kind, None, 0))
        self.do("GetAttributeValue", c_ulong(number), array, c_ulong(1))
        room = create_string_buffer(array[0].count or 1)
        array[0].value = ctypes.cast(room, c_void_p)
        self.do("GetAttributeValue", c_ulong(number), array, c_ulong(1))
        return room.raw[: array[0].count]

    def number(self, number: int, kind: int) -> int:
        value: int = struct.unpack("@L", self.get(number, kind))[0]
        return value

    def sign_init(self, key: int, kind: int, parameter: bytes = b"") -> int:
        return self.call("SignInit", byref(mechanism(kind, parameter)), c_ulong(key))

    def verify_init(self, key: int, kind: int, parameter: bytes = b"") -> int:
        return self.call("VerifyInit", byref(mechanism(kind, parameter)), c_ulong(key))

    def signature(self, name: str, *arguments: Any, most: int = 512) -> bytes:
        room, count = create_string_buffer(most), c_ulong(most)
        self.do(name, *arguments, room, byref(count))
        return room.raw[: count.value]

    def sign(self, key: int, kind: int, data: bytes, parameter: bytes = b"", parts: Sequence[int] = ()) -> bytes:
        """At once, or in parts that end at these places."""
        if code := self.sign_init(key, kind, parameter):
            raise Refused("SignInit", code)
        if not parts:
            return self.signature("Sign", data, c_ulong(len(data)))
        for begin, end in zip([0, *parts], [*parts, len(data)]):
            self.do("SignUpdate", data[begin:end], c_ulong(len(data[begin:end])))
        return self.signature("SignFinal")

    def verify(self, key: int, kind: int, data: bytes, signature: bytes, parameter: bytes = b"", parts: Sequence[int] = ()) -> int:
        if code := self.verify_init(key, kind, parameter):
            raise Refused("VerifyInit", code)
        if not parts:
            return self.call("Verify", data, c_ulong(len(data)), signature, c_ulong(len(signature)))
        for begin, end in zip([0, *parts], [*parts, len(data)]):
            self.do("VerifyUpdate", data[begin:end], c_ulong(len(data[begin:end])))
        return self.call("VerifyFinal", signature, c_ulong(len(signature)))

    def derive(self, key: int, kdf: int, shared: bytes, peer: bytes, *pairs: tuple[int, bytes | int | bool | str], size: int | None = 32) -> int:
        """The new object's handle."""
        kept = create_string_buffer(shared, len(shared) or 1), create_string_buffer(peer, len(peer) or 1)
        addresses = [ctypes.addressof(one) for one in kept]
        parameter = struct.pack("@LLPLP", kdf, len(shared), addresses[0] if shared else 0, len(peer), addresses[1])
        wanted = template(*pairs, *([(VALUE_LEN, size)] if size is not None else []))
        made = c_ulong()
        self.do("DeriveKey", byref(mechanism(M_ECDH, parameter)), c_ulong(key), wanted, c_ulong(wanted.length), byref(made))
        return made.value

    def unwrap(self, key: int, wrapped: bytes, *pairs: tuple[int, bytes | int | bool | str], parameter: bytes | None = None) -> int:
        wanted, made = template(*pairs), c_ulong()
        parameter = struct.pack("@LLLPL", M_SHA256, 2, 0, 0, 0) if parameter is None else parameter
        self.do("UnwrapKey", byref(mechanism(M_RSA_OAEP, parameter)), c_ulong(key), wrapped, c_ulong(len(wrapped)), wanted, c_ulong(wanted.length), byref(made))
        return made.value
