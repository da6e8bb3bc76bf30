"""Encodes and decodes messages by the rules of PROTOCOL.md section 3: each has one encoding, all others are refused [WIRE-3].

A message is a dictionary of the fields that are present.  Decoded bytes and text are `memoryview`s of the body, so that
wiping the body wipes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._schema import MESSAGES
from ._table import DELIMITED, UINT32_MOST, VARINT, Field, Kind, Message, Presence, varint
from ._text import is_utf8

Value = dict[str, Any]
Part = bytes | bytearray | memoryview

class Flaw(Exception):
    """What is wrong with a message, by the golden vectors' name; `field` is 0 if no single field is at fault.

    Attributes:
        text: of a request, which field broke which bound, for a person; sizes and numbers alone, no bytes.
    """

    def __init__(self, fault: str, field: int | None = None, text: str = "") -> None:
        super().__init__(fault if field is None else f"{fault} {field}")
        self.fault = fault
        self.field = field
        self.text = text or str(self)

def decode(name: str, body: memoryview, into: Value | None = None) -> Value:
    """Decodes a body.

    Args:
        into: gets the fields; in front of a flaw it has those that were read.

    Raises:
        Flaw: it is not the one way to write this message.
    """
    message = MESSAGES[name]
    reader = _Reader(body)
    value: Value = {} if into is None else into
    for field in message.fields:
        reader.take(field, value)
    reader.end()
    if at_fault := message.at_fault(value):
        raise Flaw("bad-value", at_fault)
    return value

def encode(name: str, value: Mapping[str, Any]) -> list[Part]:
    """Encodes a message as parts to be concatenated; the caller's bytes are not copied.

    What is None, or a default where the field has no presence of its own, is absent.

    Raises:
        Flaw: `decode` would refuse the result.
        TypeError: a value is of a type that could only be sent by changing it, such as a float or a text as a number.
    """
    message = MESSAGES[name]
    present = _present(message, value)
    if at_fault := message.at_fault(present):
        named = next(field.name for field in message.fields if field.number == at_fault)
        raise Flaw("bad-value", at_fault, f"{named} is none of the values it takes here, or does not go with the other fields")
    parts: list[Part] = []
    for field in message.fields:
        if field.name in present:
            if field.presence is not Presence.REPEATED:
                parts += _encoded(field, present[field.name])
                continue
            elements = present[field.name]
            if len(elements) > field.elements:
                raise _breach("too-long", field, f"has {len(elements)} elements; it takes at most {field.elements}")
            for element in elements:
                parts += _encoded(field, element)
        elif field.presence is Presence.REQUIRED:
            if field.kind is Kind.MESSAGE:
                _nested(field, {})  # refused by its own first field, if that is required
            raise _breach("bad-value", field, "is missing")
    return parts

def wipe(buffer: bytearray | memoryview) -> None:
    """Overwrites a buffer with zeros."""
    buffer[:] = bytes(len(buffer))

def flat(name: str, item: object) -> memoryview:
    """The bytes of a buffer, whatever its items are: a `memoryview` of four-byte numbers counts four bytes for each.

    The view also keeps a `bytearray` from being resized before it is sent.

    Raises:
        TypeError: `item` is no buffer, or one whose bytes do not stand behind one another.
    """
    if not isinstance(item, (bytes, bytearray, memoryview)):
        raise TypeError(f"{name} takes bytes, not {type(item).__name__}")
    view = memoryview(item)
    if not view.c_contiguous:
        raise TypeError(f"{name} takes bytes that stand behind one another")
    return view.cast("B") if view.nbytes else memoryview(b"")

class _Reader:
    __slots__ = ("_at", "_body", "_end")

    def __init__(self, body: memoryview) -> None:
        self._body, self._at, self._end = body, 0, len(body)

    @property
    def is_at_end(self) -> bool:
        return self._at == self._end

    def take(self, field: Field, value: Value) -> None:
        """Takes this field if it is next, with all of its elements if it is repeated."""
        if field.presence is Presence.REPEATED:
            elements: list[Any] = []
            while self._takes_tag(field):
                if len(elements) == field.elements:
                    raise Flaw("too-long", field.number)
                elements.append(self._value(field))
            if elements:
                value[field.name] = elements
        elif self._takes_tag(field):
            value[field.name] = self._value(field)
        elif field.presence is Presence.REQUIRED:
            if field.kind is Kind.MESSAGE:
                decode(field.message, memoryview(b""))  # refused by its own first field, if that is required
            raise Flaw("bad-value", field.number)

    def end(self) -> None:
        """Checks that no input is left."""
        if self.is_at_end:
            return
        try:
            tag = self._tag()
        except Flaw:
            raise Flaw("trailing-bytes") from None
        raise Flaw("unexpected-field", tag >> 3)

    def _takes_tag(self, field: Field) -> bool:
        before = self._at
        if before == self._end:
            return False
        if self._body[before] == field.octet:
            self._at = before + 1
            return True
        tag = self._tag()
        number = tag >> 3
        if number < field.number:
            raise Flaw("unexpected-field", number)
        if number > field.number:
            self._at = before
            return False
        if tag & 7 != (DELIMITED if field.is_delimited else VARINT):
            raise Flaw("wire-type", number)
        return True

    def _value(self, field: Field) -> Any:
        if not field.is_delimited:
            return self._number(field)
        part = self._delimited(field)
        if field.kind is Kind.MESSAGE:
            return decode(field.message, part)
        if field.kind is Kind.SET:
            return _ascending(field, part)
        if len(part) < field.least:
            raise Flaw("bad-value", field.number)
        if field.kind is Kind.TEXT:
            _check_text(field, part)
        return part

    def _number(self, field: Field) -> int | bool:
        number = self.varint()
        if number == 0 and field.presence is not Presence.OPTIONAL:
            raise Flaw("explicit-default", field.number)
        if (field.kind is Kind.UINT32 and number > UINT32_MOST) or (field.kind is Kind.BOOL and number > 1):
            raise Flaw("varint")
        if not field.least <= number <= field.most:
            raise Flaw("bad-value", field.number)
        return bool(number) if field.kind is Kind.BOOL else number

    def _delimited(self, field: Field) -> memoryview:
        length = self.varint()
        end = self._at + length
        if end > self._end:
            raise Flaw("truncated")
        if length > field.most:
            raise Flaw("too-long", field.number)
        if length == 0 and field.presence is not Presence.REPEATED:
            raise Flaw("explicit-default", field.number)
        part = self._body[self._at : end]
        self._at = end
        return part

    def _tag(self) -> int:
        tag = self.varint()
        if tag > UINT32_MOST:
            raise Flaw("varint")
        return tag

    def varint(self) -> int:
        number = 0
        for i in range(10):
            if self._at == self._end:
                raise Flaw("truncated")
            byte = self._body[self._at]
            if i == 9 and byte > 1:  # has room for one bit
                break
            self._at += 1
            number |= (byte & 0x7F) << (7 * i)
            if byte & 0x80:
                continue
            if byte == 0 and i > 0:
                break
            return number
        raise Flaw("varint")

def _ascending(field: Field, packed: memoryview) -> tuple[int, ...]:
    numbers: list[int] = []
    reader = _Reader(packed)
    while not reader.is_at_end:
        number = reader.varint()
        if number <= (numbers[-1] if numbers else 0) or number > 255:
            raise Flaw("bad-value", field.number)
        numbers.append(number)
    return tuple(numbers)

def _check_text(field: Field, text: Part) -> None:
    if not is_utf8(text):
        raise _breach("text", field, "is not UTF-8")

def _breach(fault: str, field: Field, text: str) -> Flaw:
    return Flaw(fault, field.number, f"{field.name} {text}")

def _range(field: Field) -> str:
    if field.least == field.most:
        return str(field.most)
    return f"{field.least} to {field.most}" if field.least else f"at most {field.most}"

def _nested(field: Field, item: Mapping[str, Any]) -> list[Part]:
    try:
        return encode(field.message, item)
    except Flaw as flaw:
        flaw.text = f"{field.name}.{flaw.text}"
        raise

def _present(message: Message, value: Mapping[str, Any]) -> Value:
    present: Value = {}
    for field in message.fields:
        item = value.get(field.name)
        if item is None:
            continue
        item = [_exact(field, element) for element in item] if field.presence is Presence.REPEATED else _exact(field, item)
        if item or field.presence is Presence.OPTIONAL:
            present[field.name] = item
    return present

def _exact(field: Field, item: Any) -> Any:
    """The value to encode for `item`, without changing its meaning."""
    if field.kind is Kind.MESSAGE:
        return _present(MESSAGES[field.message], item)
    if field.kind is Kind.SET:
        return tuple(_exact_number(field, number) for number in item)
    if field.kind is Kind.TEXT and isinstance(item, str):
        return memoryview(item.encode("utf-8", "surrogatepass"))
    return flat(field.name, item) if field.is_delimited else _exact_number(field, item)

def _exact_number(field: Field, item: object) -> int:
    if not isinstance(item, int) or isinstance(item, bool) != (field.kind is Kind.BOOL):
        raise TypeError(f"{field.name} takes {'a bool' if field.kind is Kind.BOOL else 'an int'}, not {type(item).__name__}")
    return item

def _encoded(field: Field, item: Any) -> list[Part]:
    if not field.is_delimited:
        return [field.tag + varint(_checked_number(field, item))]
    if field.kind is Kind.MESSAGE:
        parts = _nested(field, item)
    elif field.kind is Kind.SET:
        parts = [_packed(field, item)]
    else:
        parts = [_checked_bytes(field, item)]
    size = sum(map(len, parts))
    if size > field.most:
        raise _breach("too-long", field, f"has {size} bytes; it takes {_range(field)}")
    return [field.tag + varint(size), *parts]

def _checked_number(field: Field, number: int) -> int:
    if not field.least <= number <= field.most:
        raise _breach("bad-value", field, f"is {number}; it takes {_range(field)}")
    return number

def _packed(field: Field, item: Iterable[int]) -> bytes:
    numbers = sorted(set(item))
    if not 0 < numbers[0] <= numbers[-1] < 0x80:
        raise _breach("bad-value", field, "has a number that names nothing")
    return bytes(numbers)

def _checked_bytes(field: Field, part: memoryview) -> Part:
    if len(part) < field.least:
        raise _breach("bad-value", field, f"has {len(part)} bytes; it takes {_range(field)}")
    if field.kind is Kind.TEXT:
        _check_text(field, part)
    return part
