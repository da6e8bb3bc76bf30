"""What a message is to the codec: its fields, their bounds (kist.proto), and what holds between them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

UINT32_MOST = 2**32 - 1
UINT64_MOST = 2**64 - 1
VARINT, DELIMITED = 0, 2


def varint(number: int) -> bytes:
    """The one encoding of a number."""
    if number < 0x80:
        return _SHORT[number]
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


_SHORT = tuple(bytes((number,)) for number in range(0x80))


class Kind(enum.Enum):
    """What a field holds, and so its wire type."""

    BYTES = "bytes"
    TEXT = "string"
    UINT32 = "uint32"
    UINT64 = "uint64"
    BOOL = "bool"
    ENUM = "enum"
    SET = "set"  # strictly ascending numbers of an enum, packed
    MESSAGE = "message"


class Presence(enum.Enum):
    """Whether a field can be missing, and what that means."""

    ANY = "any"  # absent if it has its default
    REQUIRED = "required"  # the same on the wire, but the default is refused
    OPTIONAL = "optional"  # a default can be sent
    REPEATED = "repeated"


@dataclass(frozen=True)
class Field:
    """One field.

    Attributes:
        least, most: of a number its value, else its size in bytes.
        elements: the most elements of a list.
        numbers: of an enum with gaps, and of a set, all there are.
        sizes: the only sizes besides none.
        is_secret: whether a reply's is one.
        is_delimited: whether its length stands before it.
        tag: what stands before it, as bytes.
        octet: its tag if that has one byte, else a number that no byte is.
    """

    number: int
    name: str
    kind: Kind
    presence: Presence = Presence.ANY
    least: int = 0
    most: int = UINT64_MOST
    message: str = ""
    elements: int = 0
    numbers: frozenset[int] = frozenset()
    sizes: tuple[int, ...] = ()
    is_secret: bool = False
    is_delimited: bool = field(init=False, repr=False)
    tag: bytes = field(init=False, repr=False)
    octet: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        is_delimited = self.kind in (Kind.BYTES, Kind.TEXT, Kind.SET, Kind.MESSAGE)
        tag = varint(self.number << 3 | (DELIMITED if is_delimited else VARINT))
        for name, known in {"is_delimited": is_delimited, "tag": tag, "octet": tag[0] if len(tag) == 1 else -1}.items():
            object.__setattr__(self, name, known)

    def allows(self, item: Any) -> bool:
        """Whether its value is one of those in `numbers` and `sizes`."""
        if self.kind is Kind.SET:
            return self.numbers.issuperset(item)
        return (not self.numbers or item in self.numbers) and (not self.sizes or len(item) in self.sizes)


@dataclass(frozen=True)
class Rule:
    """What holds between two fields: they are never both there (`apart`), both or neither (`together`), or exactly one of them is (`one`)."""

    kind: str
    first: str
    second: str
    number: int  # of the second

    def holds(self, value: Mapping[str, Any]) -> bool:
        present = (self.first in value) + (self.second in value)
        return present < 2 if self.kind == "apart" else (present == 1) == (self.kind == "one")


@dataclass(frozen=True)
class Message:
    """A message: its fields, and the rule between them, if there is one."""

    fields: tuple[Field, ...]
    rule: Rule | None = None
    _narrowed: tuple[Field, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_narrowed", tuple(each for each in self.fields if each.numbers or each.sizes))

    def at_fault(self, value: Mapping[str, Any]) -> int:
        """The number of the first field that the bounds alone do not find wrong; 0 if there is none."""
        for each in self._narrowed:
            if each.name in value and not each.allows(value[each.name]):
                return each.number
        return self.rule.number if self.rule and not self.rule.holds(value) else 0
