"""Reads kist.proto, its brackets included; what it does not understand is an error."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

#: Operators' operations that clients have, too: their own tests set a daemon up with them.
OPERATORS = {"STATUS", "UNLOCK", "LOCK", "IMPORT_KEY"}
#: The bodies of replies that are no success.
REFUSALS = ("Malformation", "Busy", "Rejection", "ApprovalNeeded")


class SchemaError(Exception):
    """A line that is not what the head of kist.proto says, with its number."""


class Presence(Enum):
    """Whether a field can be missing."""

    ANY = "any"
    REQUIRED = "required"
    OPTIONAL = "optional"
    REPEATED = "repeated"


@dataclass
class Value:
    """A value of an enum: its name in the schema, without the enum's prefix, and as people write it."""

    full: str
    number: int
    name: str = ""
    text: str = ""
    is_askable: bool = True
    doc: str = ""


@dataclass
class Enumeration:
    """An enum; `prefix` is what its values' full names have in front of their names."""

    name: str
    doc: str
    values: list[Value] = field(default_factory=list)
    prefix: str = ""

    @property
    def last(self) -> int:
        return self.values[-1].number

    @property
    def has_gaps(self) -> bool:
        return [value.number for value in self.values] != list(range(self.values[0].number, self.last + 1))

    @property
    def never(self) -> list[Value]:
        """What nobody may ask for."""
        return [value for value in self.values if not value.is_askable]


@dataclass
class Field:
    """A field; `kind` is bytes, string, uint32, uint64, bool, enum, set or message, and `type` an enum's or a message's name.

    `most` is None where only the kind's width bounds it.
    """

    number: int
    name: str
    kind: str
    type: str = ""
    presence: Presence = Presence.ANY
    least: int = 0
    most: int | None = None
    count: int = 0
    sizes: tuple[int, ...] = ()
    is_secret: bool = False
    is_copied: bool = False
    is_bounded: bool = False
    doc: str = ""

    @property
    def is_list(self) -> bool:
        return self.presence is Presence.REPEATED or self.kind == "set"

    @property
    def said(self) -> str:
        """Its size, unless the text has it, and its text."""
        size = ""
        if self.kind in ("bytes", "string") and self.most and "bytes" not in self.doc:
            size = f"{self.most} bytes" if self.least == self.most else f"at most {self.most} bytes"
        return "; ".join(part for part in (size, self.doc) if part)


@dataclass
class Rule:
    """`apart`, `together` or `one`, of two fields."""

    kind: str
    first: Field
    second: Field

    def broken(self, present: Callable[[Field], str]) -> str:
        """When it does not hold, in the operators of C, Go and Java; `present` says that a field is there."""
        operator = {"apart": "&&", "together": "!=", "one": "=="}[self.kind]
        return f"({present(self.first)}) {operator} ({present(self.second)})"


@dataclass
class Message:
    """A message; `by` is an enum whose values have the numbers and names of its fields."""

    name: str
    doc: str
    is_copied: bool = False
    by: str = ""
    fields: list[Field] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)


@dataclass
class Operation:
    """An operation; `key` is none, optional or required, `request` and `reply` are None for an empty body."""

    opcode: int
    name: str
    is_for_services: bool
    key: str
    request: str | None
    reply: str | None
    doc: str

    @property
    def text(self) -> str:
        """As policy and documents write it."""
        return self.name.lower().replace("_", "-")


@dataclass
class Schema:
    """The whole file, or what clients have of it."""

    enums: dict[str, Enumeration]
    messages: dict[str, Message]
    operations: list[Operation]

    def of_clients(self) -> Schema:
        """What is left without the operators' operations that clients do not have."""
        operations = [each for each in self.operations if each.is_for_services or each.name in OPERATORS]
        wanted = self._reached([*REFUSALS, *(name for each in operations for name in (each.request, each.reply))])
        messages = {name: message for name, message in self.messages.items() if name in wanted}
        used = {each.type for message in messages.values() for each in message.fields if each.kind in ("enum", "set")}
        enums = {name: enum for name, enum in self.enums.items() if name in used | {"Status"}}
        return Schema(enums, messages, operations)

    def asked(self) -> set[str]:
        """The messages of requests, and what is nested in them."""
        return self._reached(each.request for each in self.operations)

    def answered(self) -> set[str]:
        """The messages of replies that are a success, and what is nested in them."""
        return self._reached(each.reply for each in self.operations)

    def _reached(self, names: Iterable[str | None]) -> set[str]:
        reached = {name for name in names if name}
        while added := {each.type for name in reached for each in self.messages[name].fields if each.kind == "message"} - reached:
            reached |= added
        return reached

    def largest(self, name: str | None) -> int | None:
        """The most bytes of a message's encoding; None where the frame alone bounds it."""
        sizes = [self._largest_field(each) for each in self.messages[name].fields] if name else []
        return None if None in sizes else sum(size for size in sizes if size is not None)

    def _largest_field(self, each: Field) -> int | None:
        tag = varint_size(each.number << 3)
        match each.kind:
            case "bool" | "enum" | "uint32" | "uint64":
                return tag + varint_size(each.most or 2**64 - 1)
            case "message":
                most = self.largest(each.type)
                size = each.most if most is None else min(most, each.most or most)
            case _:
                size = each.most
        return None if size is None else (each.count or 1) * (tag + varint_size(size) + size)

    def is_narrowed(self, each: Field) -> bool:
        """Whether its bounds do not say which numbers it takes: a set has none."""
        return each.kind == "set" or each.kind == "enum" and self.enums[each.type].has_gaps

    def never(self, each: Field) -> list[Value]:
        """The values that a set in a request cannot have."""
        return self.enums[each.type].never if each.kind == "set" else []


_RULES = {"not both": "apart", "both or neither": "together", "exactly one": "one"}
_SCALARS = ("bytes", "string", "uint32", "uint64", "bool")


def read(path: pathlib.Path) -> Schema:
    """The schema in a file."""
    reader = _Reader()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            reader.take(line)
        except (SchemaError, KeyError, ValueError) as error:
            raise SchemaError(f"{path.name}:{number}: {error}: {line.strip()}") from None
    return reader.schema()


class _Reader:
    def __init__(self) -> None:
        self._schema = Schema({}, {}, [])
        self._comment: list[str] = []
        self._block: Enumeration | Message | None = None
        self._rules: list[tuple[Message, str, str, str]] = []

    def take(self, line: str) -> None:
        if comment := re.fullmatch(r" *// ?(.*)", line):
            self._comment.append(comment[1])
            return
        if opening := re.fullmatch(r"(enum|message) (\w+) \{", line):
            self._open(opening[1], opening[2])
        elif line == "}":
            self._block = None
        elif isinstance(self._block, Enumeration):
            self._value(self._block, line)
        elif isinstance(self._block, Message):
            self._field(self._block, line)
        elif line and not re.fullmatch(r'syntax = "proto3";|package [\w.]+;', line):
            raise SchemaError("not understood")
        self._comment.clear()

    def schema(self) -> Schema:
        schema = self._schema
        for message, kind, first, second in self._rules:
            fields = {each.name: each for each in message.fields}
            message.rules.append(Rule(_RULES[kind], fields[first], fields[second]))
        for message in schema.messages.values():
            for each in message.fields:
                if each.kind == "message" and each.type in schema.enums:
                    each.kind = "set" if each.presence is Presence.REPEATED else "enum"
                    each.presence = Presence.ANY if each.kind == "set" else each.presence
                if each.most is None:
                    each.most = _most(each, schema)
        for enum in schema.enums.values():
            _name(enum)
        operations = schema.enums.pop("Opcode")
        for operation, value in zip(schema.operations, operations.values, strict=True):
            operation.name = value.name
        return schema

    def _open(self, kind: str, name: str) -> None:
        rules = [rule for line in self._comment if (rule := re.fullmatch(r"\[([a-z ]+): (\w+) (\w+)\]", line))]
        doc = " ".join(line for line in self._comment if not line.startswith("["))
        if kind == "enum":
            self._block = self._schema.enums[name] = Enumeration(name, doc)
            return
        by = next((mark[1] for line in self._comment if (mark := re.fullmatch(r"\[by (\w+)\]", line))), "")
        self._block = self._schema.messages[name] = Message(name, doc, "[copied]" in self._comment, by)
        self._rules += [(self._block, rule[1], rule[2], rule[3]) for rule in rules]

    def _value(self, enum: Enumeration, line: str) -> None:
        row = re.fullmatch(r"  (\w+) = (\w+); *(?:// (.*))?", line)
        if line.startswith("  reserved"):
            return
        if not row:
            raise SchemaError("no value")
        value = Value(row[1], int(row[2], 0))
        if value.full.endswith("_UNSPECIFIED"):
            return
        marks, value.doc = _marks(row[3] or "")
        enum.values.append(value)
        for mark in marks:
            if enum.name == "Opcode":
                self._schema.operations.append(_operation(value.number, mark, " ".join(self._comment)))
            elif mark == "never asked for":
                value.is_askable = False
            elif name := re.fullmatch(r'"(\w+)"', mark):
                value.text = name[1]
            else:
                raise SchemaError(f"[{mark}]")

    def _field(self, message: Message, line: str) -> None:
        if line.startswith("  reserved"):
            return
        row = re.fullmatch(r"  (?:(repeated|optional) )?(\w+) (\w+) = (\d+); *(?:// (.*))?", line)
        if not row:
            raise SchemaError("no field")
        presence = Presence(row[1]) if row[1] else Presence.ANY
        kind, type = (row[2], "") if row[2] in _SCALARS else ("message", row[2])
        each = Field(int(row[4]), row[3], kind, type, presence)
        marks, each.doc = _marks(row[5] or "")
        for mark in marks:
            _mark(each, mark)
        message.fields.append(each)


def _most(each: Field, schema: Schema) -> int | None:
    """The greatest number where no bracket says one."""
    if each.kind == "enum":
        return 255 if each.type == "Stage" else schema.enums[each.type].last  # a later daemon's stage is one byte, too
    return {"bool": 1, "uint32": 2**32 - 1}.get(each.kind)


def _marks(comment: str) -> tuple[list[str], str]:
    """The brackets at a comment's beginning, and the rest."""
    marks: list[str] = []
    while bracket := re.match(r"\[([^\]]*)\] ?", comment):
        marks.append(bracket[1])
        comment = comment[bracket.end() :]
    return marks, comment


def _mark(each: Field, mark: str) -> None:
    if bound := re.fullmatch(r"(\d+)\.\.(\d+|any)(?: (?:(required)|list (\d+)))?", mark):
        each.is_bounded = True
        each.least = int(bound[1])
        each.most = None if bound[2] == "any" else int(bound[2])
        each.presence = Presence.REQUIRED if bound[3] else each.presence
        each.count = int(bound[4] or 0)
    elif mark == "required":
        each.presence = Presence.REQUIRED
    elif mark == "secret":
        each.is_secret = True
    elif mark == "copied":
        each.is_copied = True
    elif re.fullmatch(r"\d+( \d+)+", mark):
        each.sizes = tuple(map(int, mark.split()))
    else:
        raise SchemaError(f"[{mark}]")


def _operation(opcode: int, mark: str, doc: str) -> Operation:
    row = re.fullmatch(r"(both|operators), key (none|optional|required): (\w+) -> (\w+)", mark)
    if not row:
        raise SchemaError(f"[{mark}]")
    request, reply = (None if name == "empty" else name for name in row.groups()[2:])
    return Operation(opcode, "", row[1] == "both", row[2], request, reply, doc)


def _name(enum: Enumeration) -> None:
    """Takes the enum's first word off its values, where all of them have it."""
    prefix = words(enum.name)[0].upper() + "_"
    enum.prefix = prefix if all(value.full.startswith(prefix) for value in enum.values) else ""
    for value in enum.values:
        value.name = value.full.removeprefix(enum.prefix)
        if value.text and value.text.upper() != value.name:
            value.name = value.text.upper()
        value.text = value.text or value.name.lower().replace("_", "-")


def varint_size(value: int) -> int:
    return max(1, (value.bit_length() + 6) // 7)


def words(name: str) -> list[str]:
    """Of a name in capitals and small letters, such as OtpHash."""
    return [word.lower() for word in re.findall(r"[A-Z][a-z0-9]*", name)]


def snake(name: str) -> str:
    """Such as otp_hash."""
    return "_".join(words(name))


def camel(name: str) -> str:
    """Such as otpHash."""
    first, *others = name.lower().split("_")
    return first + "".join(map(str.capitalize, others))


def sentence(doc: str) -> str:
    """With a capital and an end."""
    return doc[:1].upper() + doc[1:] + ("" if doc.endswith((".", ":")) or not doc else ".")


def wrapped(text: str, prefix: str, width: int = 100) -> Iterator[str]:
    """Lines of at most so many columns, each with the prefix."""
    line = ""
    for word in text.split():
        if line and len(prefix) + len(line) + 1 + len(word) > width:
            yield prefix + line
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        yield prefix + line
