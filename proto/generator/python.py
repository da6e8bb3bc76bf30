"""The Python client's tables: `enums.py` and `_schema.py`."""

from __future__ import annotations

from .schema import Enumeration, Field, Message, Operation, Schema, sentence

_HEAD = '"""{} Written by proto/generate.py from kist.proto: do not edit."""\n\nfrom __future__ import annotations\n'
_FOLDER = "clients/python/src/kist"


def files(schema: Schema) -> list[tuple[str, str]]:
    """Paths and what is in them."""
    return [(f"{_FOLDER}/enums.py", _enums(schema)), (f"{_FOLDER}/_schema.py", _schema(schema))]


def _enums(schema: Schema) -> str:
    parts = [_HEAD.format("The numbers of the protocol by name."), "\nimport enum\n", _opcodes(schema.operations)]
    parts += [_enum(each) for each in schema.enums.values() if each.name != "Stage"]
    parts.append(_stages(schema.enums["Stage"]))
    return "".join(parts)


def _opcodes(operations: list[Operation]) -> str:
    rows = "".join(f"    {each.name} = 0x{each.opcode:04X}  #: {each.doc}\n" for each in operations)
    return f'\n\nclass Opcode(enum.IntEnum):\n    """The operations, as a request names them."""\n\n{rows}'


def _enum(each: Enumeration) -> str:
    rows = "".join(f"    {value.name} = {value.number}{_comment(value.doc)}\n" for value in each.values)
    return f'\n\nclass {each.name}(enum.IntEnum):\n    """{sentence(each.doc)}"""\n\n{rows}'


def _comment(doc: str) -> str:
    return f"  #: {doc}" if doc else ""


def _stages(stages: Enumeration) -> str:
    rows = "".join(f'    {value.number}: "{value.text}",\n' for value in stages.values)
    return f"\n\n#: The checks of a rejection by number; PROTOCOL.md section 4 says what each means.\nSTAGES = {{\n{rows}}}\n"


def _schema(schema: Schema) -> str:
    parts = [_HEAD.format("Every message and operation of the protocol as a table.")]
    parts.append("\nfrom ._table import Field, Kind, Message, Presence, Rule\nfrom .enums import STAGES, Opcode, ReleasedField\n")
    parts.append("\n#: The messages by name, in the order of kist.proto.\nMESSAGES: dict[str, Message] = {\n")
    parts += [_message(message, schema) for message in schema.messages.values()]
    parts.append("}\n\n#: The messages of an operation's request and reply; None for an empty body.\n")
    parts.append("OPERATIONS: dict[Opcode, tuple[str | None, str | None]] = {\n")
    parts += [f"    Opcode.{each.name}: ({_quoted(each.request)}, {_quoted(each.reply)}),\n" for each in schema.operations]
    parts.append("}\n")
    return "".join(parts)


def _message(message: Message, schema: Schema) -> str:
    rows = "".join(f"        {_field(each, schema)},\n" for each in message.fields)
    rules = "".join(f', Rule("{rule.kind}", "{rule.first.name}", "{rule.second.name}", {rule.second.number})' for rule in message.rules)
    return f'    "{message.name}": Message((\n{rows}    ){rules}),\n'


def _field(each: Field, schema: Schema) -> str:
    words = [str(each.number), f'"{each.name}"', f"Kind.{'TEXT' if each.kind == 'string' else each.kind.upper()}", f"Presence.{each.presence.name}"]
    words += [str(bound) for bound in _bounds(each)]
    if each.kind == "message":
        words.append(f'message="{each.type}"')
    if each.count:
        words.append(f"elements={each.count}")
    if numbers := _numbers(each, schema):
        words.append(f"numbers={numbers}")
    if each.sizes:
        words.append(f"sizes={each.sizes}")
    if each.is_secret:
        words.append("is_secret=True")
    return f"Field({', '.join(words)})"


def _bounds(each: Field) -> list[int]:
    """Least and most; none where they are the kind's own."""
    if each.kind == "enum":
        return [1, each.most or 0]
    return [] if each.most is None and each.least == 0 else [each.least, 2**64 - 1 if each.most is None else each.most]


def _numbers(each: Field, schema: Schema) -> str:
    """The only numbers, where bounds do not say it."""
    if not schema.is_narrowed(each):
        return ""
    enum = schema.enums[each.type]
    names = "STAGES" if enum.name == "Stage" else enum.name
    never = "".join(f" - {{{enum.name}.{value.name}}}" for value in schema.never(each))
    return f"frozenset({names}){never}"


def _quoted(name: str | None) -> str:
    return f'"{name}"' if name else "None"
