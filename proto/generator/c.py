"""The C client's tables: `kist_protocol.h`, which its users see, and `schema.h`, `schema.c` and `operations.c` in `src`."""

from __future__ import annotations

from .schema import REFUSALS, Enumeration, Field, Message, Operation, Presence, Schema, sentence, snake, wrapped

_HEAD = "/* {} Written by proto/generate.py from kist.proto: do not edit. */\n"
_NUMBERS = {"uint32": "uint32_t", "uint64": "uint64_t", "bool": "bool", "enum": "uint32_t", "set": "uint32_t"}
#: A mask has a bit for each number.
_MASKED = 32


def files(schema: Schema) -> list[tuple[str, str]]:
    """Paths and what is in them."""
    return [
        ("clients/c/kist_protocol.h", _public(schema)),
        ("clients/c/src/schema.h", _private(schema)),
        ("clients/c/src/schema.c", _tables(schema)),
        ("clients/c/src/operations.c", _functions(schema)),
    ]


# kist_protocol.h: numbers, structs and functions


def _public(schema: Schema) -> str:
    enums = [each for each in schema.enums.values() if each.name not in ("Stage", "Status")]
    parts = [
        _HEAD.format("The numbers, messages and operations of the protocol; kist.h includes it."),
        "#ifndef KIST_H\n#error include kist.h\n#endif\n\n/* Numbers */\n\n",
        "enum kist_operation {\n",
        ",\n".join(f"  KIST_OP_{each.name} = 0x{each.opcode:04X}" for each in schema.operations),
        "\n};\n",
        *map(_enum, enums),
        "\n/* Messages; a field that is zero is absent.  Numbers of enums are uint32_t, since a daemon may know more of them. */\n",
        *(_struct(message) for name, message in schema.messages.items() if name not in REFUSALS),
        "\n/* Operations */\n\n",
        *(_declared(each, schema, ";") for each in schema.operations),
    ]
    return "".join(parts)


def _enum(enum: Enumeration) -> str:
    rows = [f"  {_constant(enum, value.name)} = {value.number}" for value in enum.values]
    docs = [f" /* {value.doc} */" if value.doc else "" for value in enum.values]
    body = "".join(f"{row}{',' if row is not rows[-1] else ''}{doc}\n" for row, doc in zip(rows, docs, strict=True))
    return f"\n{_comment(sentence(enum.doc))}enum kist_{snake(enum.name)} {{\n{body}}};\n"


def _constant(enum: Enumeration, name: str) -> str:
    return f"KIST_{enum.prefix}{name}"


def _struct(message: Message) -> str:
    rows = "".join(_member(each) for each in message.fields)
    return f"\n{_comment(sentence(message.doc))}struct kist_{snake(message.name)} {{\n{rows}}};\n"


def _member(each: Field) -> str:
    count = f"[{each.count}]" if each.presence is Presence.REPEATED else ""
    doc = each.doc.replace("/*", "a slash and *")
    kind = f"enum kist_{snake(each.type)}" if each.kind == "enum" else "KIST_RELEASE of each" if each.kind == "set" else ""
    size = f"{each.most} bytes" if _is_delimited(each) and 0 < each.least == each.most and "bytes" not in doc else ""
    said = "; ".join(part for part in (kind, size, doc) if part)
    row = f"  {_type(each)} {each.name}{count};" + (f" /* {said} */" if said else "") + "\n"
    return row + (f"  size_t {each.name}_count;\n" if count else "")


def _type(each: Field) -> str:
    if each.presence is Presence.OPTIONAL:
        return "struct kist_optional"
    if each.kind == "message":
        return f"struct kist_{snake(each.type)}"
    return _NUMBERS.get(each.kind, "struct kist_bytes")


def _comment(text: str) -> str:
    if not text:
        return ""
    lines = list(wrapped(text, ""))
    return f"/* {lines[0]}" + "".join(f"\n * {line}" for line in lines[1:]) + " */\n"


# Functions


def _declared(each: Operation, schema: Schema, end: str, doc: bool = True) -> str:
    arguments = ["struct kist *kist"]
    if each.key != "none":
        arguments.append("const uint8_t *key")
    if each.request:
        arguments.append(f"const struct kist_{snake(each.request)} *request")
    if each.reply:
        arguments.append(f"struct kist_{snake(each.reply)} *reply")
    if _has_room(each, schema):
        arguments.append("struct kist_buffer room")
    arguments.append("struct kist_outcome *outcome")
    head = f"enum kist_result kist_{each.name.lower()}("
    lines = list(wrapped(", ".join(argument.replace(" ", "\0") for argument in arguments) + ")" + end, " " * len(head)))
    text = "\n".join(line.replace("\0", " ") for line in lines)
    return (_comment(each.doc) if doc else "") + head + text.removeprefix(" " * len(head)) + "\n"


def _has_room(each: Operation, schema: Schema) -> bool:
    """Whether the reply has more than numbers."""
    fields = schema.messages[each.reply].fields if each.reply else []
    return any(_is_delimited(part) for part in fields)


def _is_delimited(each: Field) -> bool:
    return each.kind in ("bytes", "string", "set", "message")


def _functions(schema: Schema) -> str:
    parts = [_HEAD.format("The operations, each as its typed function.")]
    parts.append('#include "client.h"\n\n/* For replies that have only numbers, or nothing. */\nenum { NUMBERS_SIZE = 16 };\n')
    parts += ["\n" + _function(each, schema) for each in schema.operations]
    return "".join(parts)


def _function(each: Operation, schema: Schema) -> str:
    key = "NULL" if each.key == "none" else "key"
    request, reply = "request" if each.request else "NULL", "reply" if each.reply else "NULL"
    has_room = _has_room(each, schema)
    room = "room" if has_room else "KIST_ROOM(numbers)"
    numbers = "" if has_room else "  uint8_t numbers[NUMBERS_SIZE];\n"
    call = f"  return kist_call(kist, KIST_OP_{each.name}, {key}, {request}, {reply}, {room}, outcome);\n"
    return _declared(each, schema, " {", doc=False) + numbers + call + "}\n"


# src/schema.h and src/schema.c: tables


def _private(schema: Schema) -> str:
    structs = "".join(_struct(schema.messages[name]) for name in schema.messages if name in REFUSALS)
    head = _HEAD.format("The bodies of replies that are no success.")
    return f'{head}#ifndef KIST_SCHEMA_H\n#define KIST_SCHEMA_H\n\n#include "../kist.h"\n{structs}\n#endif\n'


def _tables(schema: Schema) -> str:
    messages = schema.messages.values()
    parts = [_HEAD.format("Every message and operation, and the names of stages."), '#include "names.h"\n#include "table.h"\n']
    parts += [_message(message, schema) for message in messages]
    parts.append("\nconst struct message *const kist_messages[] = {\n")
    parts += [f"    &kist_message_{snake(message.name)},\n" for message in messages]
    parts.append("};\nconst size_t kist_messages_count = COUNT_OF(kist_messages);\n\nconst struct operation kist_operations[] = {\n")
    parts += [_operation(each) for each in schema.operations]
    parts.append("};\nconst size_t kist_operations_count = COUNT_OF(kist_operations);\n\nconst char *const kist_stages[] = {\n")
    parts += [f'    [{value.number}] = "{value.text}",\n' for value in schema.enums["Stage"].values]
    parts.append("};\nconst size_t kist_stages_count = COUNT_OF(kist_stages);\n")
    return "".join(parts)


def _message(message: Message, schema: Schema) -> str:
    stem = snake(message.name)
    rule = _rule(message, schema)
    rows = "".join(f"    {_field(each)},\n" for each in message.fields)
    static = "" if message.name in REFUSALS else "static "
    end = f'{static}RULED_MESSAGE({stem}, "{message.name}", {stem}_rule)' if rule else f'{static}MESSAGE({stem}, "{message.name}")'
    return f"\n{rule}#define SELF kist_{stem}\nstatic const struct field {stem}_fields[] = {{\n{rows}}};\n{end}\n#undef SELF\n"


def _field(each: Field) -> str:
    kind = f"FIELD_{'TEXT' if each.kind == 'string' else each.kind.upper()}"
    if each.presence is Presence.REPEATED:
        message = f"&kist_message_{snake(each.type)}" if each.kind == "message" else "NULL"
        return f"REPEATED({kind}, {each.number}, {each.name}, {message}, {each.most})"
    presence = f"PRESENCE_{each.presence.name}"
    if each.kind == "message":
        return f"NESTED({presence}, {each.number}, {each.name}, {snake(each.type)}, {each.most})"
    return f"FIELD({kind}, {presence}, {each.number}, {each.name}, {_bounds(each)})"


def _bounds(each: Field) -> str:
    most = {None: "0" if each.kind == "uint64" else "UINT32_MAX", 2**32 - 1: "UINT32_MAX"}.get(each.most, each.most)
    return f"{1 if each.kind == 'enum' else each.least}, {most}"


def _operation(each: Operation) -> str:
    request, reply = (f"&kist_message_{snake(name)}" if name else "NULL" for name in (each.request, each.reply))
    return f"    {{KIST_OP_{each.name}, KEY_{each.key.upper()}, {request}, {reply}}},\n"


# Rules between fields, and numbers and sizes that bounds do not say


def _rule(message: Message, schema: Schema) -> str:
    checks = [check for each in message.fields if (check := _narrowed(each, schema))]
    checks += [f"  if ({rule.broken(lambda part: _present(part, f'value->{part.name}', schema))}) return {rule.second.number};\n" for rule in message.rules]
    if not checks:
        return ""
    stem = snake(message.name)
    head = f"static uint32_t {stem}_rule(const void *message) {{\n  const struct kist_{stem} *value = message;\n"
    return head + "".join(checks) + "  return 0;\n}\n\n"


def _narrowed(each: Field, schema: Schema) -> str:
    place = f"value->{each.name}"
    if each.sizes:
        wrong = " && ".join(f"{place}.count != {size}" for size in each.sizes)
        return f"  if ({place}.count != 0 && {wrong}) return {each.number};\n"
    if not schema.is_narrowed(each):
        return ""
    enum = schema.enums[each.type]
    if each.kind == "set":
        return f"  if ({place} & ~{_mask(enum, askable=True)}) return {each.number}; /* {_never(enum)} */\n"
    if enum.last >= _MASKED:
        return f"  if (!kist_stage_is_known({place})) return {each.number};\n"
    return f"  if ({place} && !(KIST_RELEASE({place}) & {_mask(enum, askable=False)})) return {each.number};\n"


def _mask(enum: Enumeration, askable: bool) -> str:
    return f"UINT32_C(0x{sum(1 << value.number for value in enum.values if value.is_askable or not askable):X})"


def _never(enum: Enumeration) -> str:
    return f"all but {', '.join(_constant(enum, value.name) for value in enum.never)}"


def _present(each: Field, place: str, schema: Schema) -> str:
    """That a field is there: of a nested message that it has any."""
    if each.presence is Presence.OPTIONAL:
        return f"{place}.present"
    if each.kind == "message":
        return " || ".join(_present(part, f"{place}.{part.name}", schema) for part in schema.messages[each.type].fields)
    return f"{place} != 0" if each.kind in _NUMBERS else f"{place}.count != 0"
