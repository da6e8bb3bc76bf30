"""The PHP client's tables: `Schema.php`, `Operations.php`, and a class for each enum and message, as PSR-4 wants them."""

from __future__ import annotations

from .schema import REFUSALS, Enumeration, Field, Message, Operation, Presence, Schema, camel, sentence, wrapped

_HEAD = "<?php\n\n// Written by proto/generate.py from kist.proto: do not edit.\n\ndeclare(strict_types=1);\n\nnamespace {};\n"
_FOLDER = "clients/php/src"
_ENUMS = _HEAD.format("Kist\\Enums")
_TYPES = {"bytes": "string", "string": "string", "uint32": "int", "uint64": "int|string", "bool": "bool"}


def files(schema: Schema) -> list[tuple[str, str]]:
    """Paths and what is in them."""
    shown = [message for name, message in schema.messages.items() if name not in REFUSALS and not name.endswith("Request")]
    asked = schema.asked()
    replies = {each.reply for each in schema.operations}
    return [
        (f"{_FOLDER}/Schema.php", _schema(schema)),
        (f"{_FOLDER}/Operations.php", _operations(schema)),
        *((f"{_FOLDER}/Enums/{each.name}.php", _enum(each)) for each in schema.enums.values()),
        *((f"{_FOLDER}/Messages/{each.name}.php", _class(each, each.name in asked, each.name in replies)) for each in shown),
    ]


def _doc(text: str, indent: str = "", tags: list[str] | None = None) -> str:
    if text and not tags and len(indent) + len(text) < 92:
        return f"{indent}/** {text} */\n"
    lines = [f"{indent} * {line}" for line in wrapped(text.replace("*/", "* /"), "", 100 - len(indent))]
    if tags:
        lines += ([f"{indent} *"] if lines else []) + [f"{indent} * {tag}" for tag in tags]
    return f"{indent}/**\n" + "\n".join(lines) + f"\n{indent} */\n" if lines else ""


# Enums


def _enum(enum: Enumeration) -> str:
    cases = "".join(f"    case {_case(value.name)} = {value.number};{f' // {value.doc}' if value.doc else ''}\n" for value in enum.values)
    texts = "".join(f"        {value.number} => '{value.text}',\n" for value in enum.values)
    return (
        f"{_ENUMS}\n{_doc(sentence(enum.doc))}enum {enum.name}: int\n{{\n{cases}\n    private const TEXTS = [\n{texts}    ];\n\n"
        "    /** Its name in policy and documents. */\n    public function text(): string\n    {\n        return self::TEXTS[$this->value];\n    }\n}\n"
    )


def _case(name: str) -> str:
    return "".join(word.capitalize() for word in name.lower().split("_"))


# Messages


def _class(message: Message, is_asked: bool, is_reply: bool) -> str:
    fields = sorted(message.fields, key=lambda each: each.presence is not Presence.REQUIRED)
    rows = "".join(_property(each, is_asked) for each in fields)
    if is_reply:
        rows += "        /** The record of the request in the audit log; null if there is none. */\n        public readonly int|string|null $auditSequence = null,\n"
    uses = sorted({f"use Kist\\Enums\\{each.type};" for each in fields if each.kind in ("enum", "set")} | ({"use Kist\\Secret;"} if not is_asked and any(each.is_secret for each in fields) else set()))
    used = "\n" + "\n".join(uses) + "\n" if uses else ""
    head = _HEAD.format("Kist\\Messages") + used
    final = "" if message.name == "PaymentToken" else "final "
    return f"{head}\n{_doc(sentence(message.doc))}{final}class {message.name}\n{{\n    public function __construct(\n{rows}    ) {{\n    }}\n}}\n"


def _property(each: Field, is_asked: bool) -> str:
    kind, default = _kind(each, is_asked)
    return f"{_doc(each.said, '        ', _listed(each))}        public readonly {kind} ${camel(each.name)}{default},\n"


def _listed(each: Field) -> list[str]:
    """What a list is of, for analysers."""
    return [f"@var list<{each.type or _TYPES[each.kind]}>"] if each.is_list else []


def _kind(each: Field, is_asked: bool) -> tuple[str, str]:
    """The type, and the default."""
    if each.is_list:
        return "array", " = []"
    kind = each.type or _TYPES[each.kind]
    if each.is_secret and not is_asked:
        kind = "Secret"
    if each.presence is Presence.REQUIRED:
        return kind, ""
    if each.presence is not Presence.OPTIONAL and each.kind in ("uint32", "uint64"):
        return kind, " = 0"
    if each.kind == "bool":
        return kind, " = false"
    return (f"{kind}|null" if "|" in kind else f"?{kind}"), " = null"


# Schema.php


def _schema(schema: Schema) -> str:
    messages = "".join(_table(message, schema) for message in schema.messages.values())
    operations = "".join(
        f"        '{camel(each.name)}' => [0x{each.opcode:04X}, '{each.key}', {_quoted(each.request)}, {_quoted(each.reply)}],\n" for each in schema.operations
    )
    return (
        f"{_HEAD.format('Kist')}\n/** Every message and operation of the protocol as a table. @internal */\nfinal class Schema\n{{\n"
        "    /** By name: fields, and the rule between two of them as [kind, first, second, number of the second]. */\n"
        f"    public const MESSAGES = [\n{messages}    ];\n\n"
        "    /** By method: opcode, whether it takes a key, and the messages of request and reply, null for an empty body. */\n"
        f"    public const OPERATIONS = [\n{operations}    ];\n}}\n"
    )


def _table(message: Message, schema: Schema) -> str:
    fields = "".join(f"                {_row(each, schema)},\n" for each in message.fields)
    rule = "".join(f"['{rule.kind}', '{camel(rule.first.name)}', '{camel(rule.second.name)}', {rule.second.number}]" for rule in message.rules) or "null"
    return f"        '{message.name}' => [\n            'fields' => [\n{fields}            ],\n            'rule' => {rule},\n        ],\n"


def _row(each: Field, schema: Schema) -> str:
    parts = [f"'number' => {each.number}", f"'name' => '{camel(each.name)}'", f"'kind' => '{each.kind}'", f"'presence' => '{each.presence.value}'"]
    if each.type:
        parts.append(f"'type' => '{each.type}'")
    parts += [f"'least' => {each.least}", f"'most' => {'PHP_INT_MAX' if each.most is None else each.most}"]
    if each.count:
        parts.append(f"'count' => {each.count}")
    if each.sizes:
        parts.append(f"'sizes' => [{', '.join(map(str, each.sizes))}]")
    if never := schema.never(each):
        parts.append(f"'never' => {[value.number for value in never]}")
    if each.is_secret:
        parts.append("'secret' => true")
    return f"[{', '.join(parts)}]"


def _quoted(name: str | None) -> str:
    return f"'{name}'" if name else "null"


# Operations.php


def _operations(schema: Schema) -> str:
    methods = "\n".join(_method(each, schema) for each in schema.operations)
    return (
        f"{_HEAD.format('Kist')}\nuse Kist\\Enums as E;\nuse Kist\\Messages as M;\n\n"
        "/** Every operation as a method; `Client` has them. A parameter that is null, and a default, is left out. */\n"
        f"trait Operations\n{{\n{methods}}}\n"
    )


def _method(each: Operation, schema: Schema) -> str:
    fields = sorted(schema.messages[each.request].fields if each.request else [], key=lambda part: part.presence is not Presence.REQUIRED)
    arguments = {"none": [], "optional": ["?string $key"], "required": ["string $key"]}[each.key]
    arguments = [*arguments, *(_argument(part) for part in fields), "?Call $call = null"]
    tags = [f"@param {_param(part)} ${camel(part.name)} {part.said}".rstrip() for part in fields if part.said or _listed(part)]
    tags.append("@throws KistException")
    key = "null" if each.key == "none" else "$key"
    values = "".join(f"'{camel(part.name)}' => ${camel(part.name)}, " for part in fields)
    reply = f"M\\{each.reply}" if each.reply else "Answer"
    rows = "".join(f"        {argument},\n" for argument in arguments)
    name = camel(each.name)
    return (
        f"{_doc(each.doc, '    ', tags)}    public function {name}(\n{rows}    ): {reply} {{\n"
        f"        return $this->call('{name}', {key}, [{values.removesuffix(', ')}], $call);\n    }}\n"
    )


def _argument(each: Field) -> str:
    kind, default = _kind(each, True)
    if each.type and kind != "array":
        scope = "E" if each.kind == "enum" else "M"
        kind = kind.replace(each.type, f"{scope}\\{each.type}")
    if each.kind in ("bytes", "string") and kind != "array":
        kind = kind.replace("?string", "string|Secret|null") if kind.startswith("?") else f"{kind}|Secret"
        return f"#[\\SensitiveParameter] {kind} ${camel(each.name)}{default}"
    return f"{kind} ${camel(each.name)}{default}"


def _param(each: Field) -> str:
    listed = _listed(each)
    if listed:
        inner = listed[0].removeprefix("@var list<").removesuffix(">")
        return f"list<{'E' + chr(92) + inner if each.kind == 'set' else inner}>"
    return _argument(each).replace("#[\\SensitiveParameter] ", "").split(" $")[0]
