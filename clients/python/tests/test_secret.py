"""Secrets stay secrets, and end wiped."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import NoReturn

import pytest
from kist import Secret, _codec, _text, operations

PAN = b"4109370251004320"


def test_what_is_shown() -> None:
    secret = Secret(PAN)
    assert secret.text() == PAN.decode() and "4109" not in repr(secret) + str(secret) + f"{secret}"
    for leak in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            leak(secret)


def test_wiping() -> None:
    secret = Secret(PAN)
    with secret:
        pass
    assert bytes(secret) == bytes(16)
    with pytest.raises(ValueError, match="wiped"):
        secret.text()
    view = memoryview(other := Secret(b"secret"))
    other.__del__()
    assert view == bytes(6)


@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda s: s.copy(), PAN), (lambda s: s[4:8], PAN[4:8]), (lambda s: s[::-1], PAN[::-1]), (lambda s: s + b"x", PAN + b"x"),
        (lambda s: s + s, PAN + PAN), (lambda s: b"x" + s, b"x" + PAN), (lambda s: bytearray(b"x") + s, b"x" + PAN),
        (lambda s: memoryview(b"x").tobytes() + s, b"x" + PAN), (lambda s: s * 2, PAN * 2), (lambda s: 2 * s, PAN * 2),
        (lambda s: s.replace(b"4", b"5"), PAN.replace(b"4", b"5")), (lambda s: s.removeprefix(b"41"), PAN[2:]), (lambda s: s.strip(), PAN),
        (lambda s: s.partition(b"93")[2], PAN.partition(b"93")[2]), (lambda s: s.split(b"0")[0], PAN.split(b"0")[0]),
        (lambda s: Secret(b"%s") % s, PAN), (lambda s: s.join([b"a", b"b"]), b"a" + PAN + b"b"), (lambda s: s.zfill(20), PAN.zfill(20)),
    ],
    ids=range(18),
)  # fmt: skip
def test_what_is_made_of_one(make: Callable[[Secret], Secret], expected: bytes) -> None:
    made = make(Secret(PAN))
    assert type(made) is Secret and bytes(made) == expected and "4109" not in repr(made)


def test_growing_leaves_the_old_bytes_to_be_wiped() -> None:
    secret = first = Secret(PAN)
    secret += b"0"
    assert type(secret) is Secret and bytes(secret) == PAN + b"0" and bytes(first) == PAN
    secret *= 2
    assert type(secret) is Secret and len(secret) == 34


def test_every_method_that_makes_bytes() -> None:
    """A method of a later Python's that gives a bare bytearray would show here."""
    arguments: dict[str, tuple[object, ...]] = {
        "center": (20,), "ljust": (20,), "rjust": (20,), "zfill": (20,), "join": ([b"a"],), "partition": (b"3",), "rpartition": (b"3",),
        "removeprefix": (b"4",), "removesuffix": (b"0",), "replace": (b"4", b"5"), "translate": (bytes(range(256)),),
        "__add__": (b"x",), "__mul__": (2,), "__rmul__": (2,), "__mod__": ((),), "__getitem__": (slice(2),),
    }  # fmt: skip
    own = {"fromhex", "maketrans", "__new__", "__alloc__", "__class__", "__init_subclass__", "__subclasshook__"}
    for name in set(dir(bytearray)) - own:
        try:
            made = getattr(Secret(b"abc"), name)(*arguments.get(name, ()))
        except (TypeError, ValueError, AttributeError):
            continue
        parts = made if isinstance(made, (list, tuple)) else [made]
        assert not any(type(part) is bytearray for part in parts), name


def test_text_is_checked_without_being_decoded() -> None:
    """As Python's own decoder does it, over every sequence of two bytes and the borders of longer ones."""
    edges = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
    cases = [bytes([a, b]) for a in range(256) for b in range(256)]
    cases += [bytes([a, b, c, d]) for a in (0xC2, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5) for b in edges for c in edges for d in edges]
    for case in cases + [case[:3] for case in cases] + [b""]:
        try:
            case.decode("utf-8")
            is_text = True
        except UnicodeDecodeError:
            is_text = False
        assert _text.is_utf8(case) is is_text, case


class Watched(type):
    """Makes a class that is `str` to `isinstance` and refuses to make one."""

    def __instancecheck__(cls, one: object) -> bool:
        return isinstance(one, str)

    def __call__(cls, *_: object) -> NoReturn:
        pytest.fail("a str is made")


class NoText(metaclass=Watched): ...


def test_no_str_of_a_pan_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither to check what is sent nor to check what comes."""
    for module in (_codec, _text):
        monkeypatch.setattr(module, "str", NoText, raising=False)
    assert operations.tokenise(bytes(16), Secret(PAN), "m").size > 48
    assert _codec.decode("DetokeniseReply", memoryview(b"\x0a\x10" + PAN))["pan"] == PAN
    with pytest.raises(_codec.Flaw, match="text"):
        _codec.decode("DetokeniseReply", memoryview(b"\x0a\x10" + PAN[:-1] + b"\xff"))
