"""What a caller hands over is sent as it is or refused, never changed."""

from __future__ import annotations

import array
import ctypes
import decimal
import enum
import fractions
import struct
from collections.abc import Callable
from typing import Any

import kist
import pytest
from kist import Token, operations

KEY = bytes(16)
TOKEN = Token(kist.TokenVersion.EC_V1, b"d", b"s", bytes(32), bytes(32), b"k")
Made = Callable[[Any], kist.Request[Any]]


class Number(enum.Enum):
    ONE = 1


NUMBERS: list[Made] = [
    lambda value: operations.open_payment_token(TOKEN, amount=value),
    lambda value: operations.open_payment_token(TOKEN, fields=[value]),
    lambda value: operations.random(value),
    lambda value: operations.mac(KEY, b"", length=value),
    lambda value: operations.sign(KEY, value, b""),
    lambda value: operations.sign_otp(KEY, counter=value),
    lambda value: operations.kdf(kist.Handle(KEY, KEY), kist.Derivation.HKDF_SHA256, value),
    lambda value: operations.tokenise_envelope(KEY, "1", "m", bytes(32), value),
    lambda value: operations.sign_otp(KEY, mastercard=kist.MastercardInput(3, "1", valid_until=value)),
    lambda value: operations.import_key("l", "r", b"k", not_after=value),
]


@pytest.mark.parametrize("make", NUMBERS, ids=range(len(NUMBERS)))
@pytest.mark.parametrize(
    "value", [1499.7, 16.0, 0.0, decimal.Decimal("16"), fractions.Fraction(16), "16", "", b"16", True, False, Number.ONE, [16], 16j],
    ids=repr,
)  # fmt: skip
def test_numbers(make: Made, value: Any) -> None:
    with pytest.raises(TypeError, match="takes an int"):
        make(value)
    make(16) if make is not NUMBERS[4] else make(1)


@pytest.mark.parametrize("field", kist.ReleasedField)
@pytest.mark.parametrize("name, named", [("fields", "release"), ("required", "required")])
def test_what_can_be_asked_for(field: kist.ReleasedField, name: str, named: str) -> None:
    """A JWE follows from the grant, so who asks for it asks for something that is not."""
    makes: list[Callable[..., kist.Request[Any]]] = [
        lambda **asked: operations.open_payment_token(TOKEN, **asked),
        lambda **asked: operations.open_envelope(KEY, b"e", "m", bytes(32), **asked),
    ]
    for make in makes:
        if field is not kist.ReleasedField.JWE:
            make(**{name: [field]})
            continue
        with pytest.raises(kist.RequestError, match=f"\\b{named} is none of the values"):
            make(**{name: [kist.ReleasedField.LAST4, field]})


@pytest.mark.parametrize("value", [1, 0, "no", "", None.__class__, 1.0], ids=repr)
def test_flags(value: Any) -> None:
    with pytest.raises(TypeError, match="takes a bool"):
        operations.sign(KEY, kist.SignatureScheme.ED25519, b"", digested=value)


@pytest.mark.parametrize("value", [0, 840, 1.5, [], "", "text", {}, array.array("B", b"12")], ids=repr)
def test_bytes(value: Any) -> None:
    for make in (lambda: operations.seal(KEY, value), lambda: operations.unseal(KEY, b"", iv=value), lambda: operations.describe_key(value)):
        with pytest.raises(TypeError):
            make()
    if not isinstance(value, str):
        with pytest.raises(TypeError, match="expected_currency takes bytes"):
            operations.open_payment_token(TOKEN, currency=value)


def sent(request: kist.Request[Any]) -> bytes:
    frame = request.frame(7)
    assert struct.unpack_from(">I", frame) == (len(frame) - 4,) and len(frame) == request.size
    return bytes(frame)


WIDE: list[memoryview[Any]] = [
    memoryview(array.array("I", range(16))), memoryview(array.array("Q", range(8))), memoryview(bytes(64)).cast("B", [8, 8]),
    memoryview(array.array("d", [1.5] * 8)), memoryview((ctypes.c_uint16 * 32)(*range(32))), memoryview(bytes(64)).cast("c"),
    memoryview(array.array("b", [-1] * 64)),
]  # fmt: skip


@pytest.mark.parametrize("view", WIDE, ids=lambda view: f"{view.format}{view.shape}")
def test_views_of_wider_items(view: memoryview[Any]) -> None:
    """Every byte counts and every byte is sent: all of them for all inputs, or two messages would have one MAC."""
    plain = view.tobytes()
    assert len(plain) == 64
    assert sent(operations.mac(KEY, view)) == sent(operations.mac(KEY, plain))
    assert sent(operations.seal(KEY, view, associated_data=view)) == sent(operations.seal(KEY, plain, associated_data=plain))
    assert sent(operations.unwrap(KEY, view)) == sent(operations.unwrap(KEY, plain))
    with pytest.raises(kist.RequestError, match="16 bytes, not 64"):
        operations.describe_key(view)


def test_a_view_that_would_carry_another_frame() -> None:
    """The second half of this view, left over behind the length of the first, was once a frame of its own."""
    lock = struct.pack(">IBBHQ16s", 28, 1, 0, kist.Opcode.LOCK, 1, bytes(16))
    view = memoryview(array.array("I", bytes(96) + lock))
    assert sent(operations.mac(KEY, view)).endswith(bytes(96) + lock)
    raw: kist.Request[None] = kist.Request(kist.Opcode.PING, [view], None, lambda *_: None)
    with pytest.raises(ValueError):
        raw.frame(1)
    with pytest.raises(kist.RequestError, match="key id"):
        kist.Request(kist.Opcode.PING, [], None, lambda *_: None, bytes(17)).frame(1)


def test_empty_and_scattered_views() -> None:
    assert sent(operations.mac(KEY, memoryview(array.array("I")))) == sent(operations.mac(KEY, b""))
    with pytest.raises(TypeError, match="behind one another"):
        operations.mac(KEY, memoryview(b"abcdef")[::2])


def test_a_buffer_that_is_resized_before_it_is_sent() -> None:
    message = bytearray(b"message")
    request = operations.mac(KEY, message)
    with pytest.raises(BufferError):
        message += b" and more"
    message[:] = b"MESSAGE"
    assert sent(request) == sent(operations.mac(KEY, b"MESSAGE"))
