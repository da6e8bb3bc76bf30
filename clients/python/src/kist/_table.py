"""What a message is to the codec: its fields, their bounds (PROTOCOL.md section 7), and what holds between them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

UINT32_MOST = 2**32 - 1
UINT64_MOST = 2**64 - 1


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

    @property
    def is_delimited(self) -> bool:
        return self.kind in (Kind.BYTES, Kind.TEXT, Kind.SET, Kind.MESSAGE)

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
