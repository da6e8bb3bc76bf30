"""The Node client's tables: `schema.js`, and its types, `schema.d.ts`."""

from __future__ import annotations

from .schema import Enumeration, Field, Message, Operation, Presence, Schema, camel, sentence, wrapped

_HEAD = "// {} Written by proto/generate.py from kist.proto: do not edit.\n"
_FOLDER = "clients/node/src"
#: Node's own words for what a reply and a request have.
_REPLY = {"uint32": "number", "uint64": "bigint", "bool": "boolean", "bytes": "Uint8Array", "string": "string"}
_REQUEST = {"uint32": "number", "uint64": "number | bigint", "bool": "boolean", "bytes": "Uint8Array", "string": "string | Uint8Array"}


def files(schema: Schema) -> list[tuple[str, str]]:
    """Paths and what is in them."""
    return [(f"{_FOLDER}/schema.js", _tables(schema)), (f"{_FOLDER}/schema.d.ts", _types(schema))]


# schema.js


def _tables(schema: Schema) -> str:
    parts = [_HEAD.format("The numbers, messages and operations of the protocol."), "\n/** The names of an enum's numbers, and back. */\n"]
    parts.append("export const enums = {\n")
    parts += [_enum(each) for each in schema.enums.values()]
    parts.append("};\n\n/** The fields of each message, and the rule between two of them. */\nexport const messages = {\n")
    parts += [_message(message, schema) for message in schema.messages.values()]
    parts.append("};\n\n/** The operations by the names of the client's methods. */\nexport const operations = {\n")
    parts += [_operation(each) for each in schema.operations]
    parts.append("};\n")
    return "".join(parts)


def _enum(enum: Enumeration) -> str:
    rows = "".join(f'    {_quoted(value.text)}: {value.number},\n' for value in enum.values)
    return f"  {enum.name}: {{\n{rows}  }},\n"


def _message(message: Message, schema: Schema) -> str:
    rows = "".join(f"      {_field(each, schema)},\n" for each in message.fields)
    rules = "".join(f'    rule: {{ kind: "{rule.kind}", first: "{camel(rule.first.name)}", second: "{camel(rule.second.name)}", number: {rule.second.number} }},\n' for rule in message.rules)
    return f"  {message.name}: {{\n    fields: [\n{rows}    ],\n{rules}  }},\n"


def _field(each: Field, schema: Schema) -> str:
    words = [f"number: {each.number}", f'name: "{camel(each.name)}"', f'kind: "{each.kind}"', f'presence: "{each.presence.value}"']
    if each.kind in ("enum", "set", "message"):
        words.append(f'type: "{each.type}"')
    words += [f"least: {each.least}", f"most: {_most(each)}"]
    if each.count:
        words.append(f"count: {each.count}")
    if each.sizes:
        words.append(f"sizes: {list(each.sizes)}")
    if never := schema.never(each):
        words.append(f"never: {[value.number for value in never]}")
    if each.is_secret:
        words.append("isSecret: true")
    return f"{{ {', '.join(words)} }}"


def _most(each: Field) -> str:
    if each.most is None:
        return "0" if each.kind == "uint64" else "Infinity"
    return str(each.most)


def _operation(each: Operation) -> str:
    words = [f"opcode: 0x{each.opcode:04x}", f'key: "{each.key}"', f"request: {_quoted(each.request)}", f"reply: {_quoted(each.reply)}"]
    return f"  {camel(each.name)}: {{ {', '.join(words)} }},\n"


def _quoted(name: str | None) -> str:
    return f'"{name}"' if name else "null"


# schema.d.ts


def _types(schema: Schema) -> str:
    asked = schema.asked()
    answered = schema.answered()
    parts = [_HEAD.format("The types of the protocol's requests and replies."), '\nimport type { Secret } from "./secret.js";\n']
    parts += [_union(each) for each in schema.enums.values()]
    for name, message in schema.messages.items():
        if name in asked:
            parts.append(_interface(message, _input(name, answered), _REQUEST, answered, schema))
        if name in answered:
            parts.append(_interface(message, name, _REPLY, set(), schema))
    parts.append(_OPTIONS)
    parts.append("\n/** Every operation as a method; `Client` has them. */\nexport interface Operations {\n")
    parts += [_method(each, answered) for each in schema.operations]
    parts.append("}\n")
    return "".join(parts)


def _input(name: str, answered: set[str]) -> str:
    """A message that is in requests and in replies has two types."""
    return f"{name}Input" if name in answered else name


def _union(enum: Enumeration) -> str:
    return f"\n{_doc(sentence(enum.doc))}export type {enum.name} =\n" + "\n".join(f'  | "{value.text}"' for value in enum.values) + ";\n"


def _interface(message: Message, name: str, kinds: dict[str, str], answered: set[str], schema: Schema) -> str:
    rows = "".join(_member(each, kinds, answered, schema) for each in message.fields)
    return f"\n{_doc(sentence(message.doc))}export interface {name} {{\n{rows}}}\n"


def _member(each: Field, kinds: dict[str, str], answered: set[str], schema: Schema) -> str:
    is_reply = kinds is _REPLY
    kind = kinds.get(each.kind) or (_input(each.type, answered) if each.kind == "message" else each.type)
    if each.is_secret and is_reply:
        kind = "Secret"
    if never := [f'"{value.text}"' for value in schema.never(each)]:
        kind = f"Exclude<{kind}, {' | '.join(never)}>"
    if each.is_list:
        kind = f"{kind}[]" if is_reply else f"readonly {kind if ' ' not in kind else f'({kind})'}[]"
    is_there = _is_always_there(each) if is_reply else each.presence is Presence.REQUIRED
    doc = _doc(each.said, "  ")
    return f"{doc}  {'readonly ' * is_reply}{camel(each.name)}{'' if is_there else '?'}: {kind};\n"


def _is_always_there(each: Field) -> bool:
    """Whether a reply has it: a number that was left out is 0, a flag false and a list empty, and all else is missing."""
    if each.presence is Presence.OPTIONAL:
        return False
    return each.presence in (Presence.REQUIRED, Presence.REPEATED) or each.kind in ("uint32", "uint64", "bool", "set")


_OPTIONS = """
/** What holds for one call alone. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. The request may have been carried out. */
  signal?: AbortSignal;
  /** Milliseconds, connecting included, in place of the client's; null for no end. */
  timeout?: number | null;
  /** The id in the audit record: a number, 16 hexadecimal digits, or any other text, as `kist audit show --request` reads it. */
  requestId?: number | bigint | string;
}

/** What every answer has: the record of the request in the audit log, null if there is none. */
export interface Answer {
  readonly auditSequence: bigint | null;
}
"""


def _method(each: Operation, answered: set[str]) -> str:
    arguments = {"none": [], "optional": ["key: Uint8Array | null"], "required": ["key: Uint8Array"]}[each.key]
    if each.request:
        arguments = [*arguments, f"request: {_input(each.request, answered)}"]
    reply = f"Answer & {each.reply}" if each.reply else "Answer"
    return f"{_doc(each.doc, '  ')}  {camel(each.name)}({', '.join([*arguments, 'options?: CallOptions'])}): Promise<{reply}>;\n"


def _doc(text: str, indent: str = "") -> str:
    text = text.replace("*/", "* /")
    if not text:
        return ""
    if len(indent) + len(text) <= 90:
        return f"{indent}/** {text} */\n"
    return f"{indent}/**\n" + "".join(f"{line}\n" for line in wrapped(text, f"{indent} * ")) + f"{indent} */\n"
