"""The daemon's messages: `Values.swift` with the enums, `Requests.swift`, `Replies.swift` and `Parts.swift`, what is nested; for tests a list of all."""

from __future__ import annotations

import pathlib
import re
import subprocess
from collections.abc import Iterable, Iterator

from .schema import REFUSALS, Enumeration, Field, Message, Operation, Presence, Rule, Schema, Value, sentence, words, wrapped

_HEAD = "// Written by proto/generate.py from kist.proto: do not edit.\n"
_FOLDER = "Sources/Format/Wire/Generated"
_STYLE = pathlib.Path(__file__).resolve().parent.parent.parent / ".swift-format"
_TESTS = "Tests/TestSupport/Wire/Messages.swift"
#: Written in capitals, but for a name's first word.
_INITIALS = set("cmac ecc ecdh id jwe kdf kek mac otp p256 p384 pin pkcs1 pss rsa sha1 sha256 sha384 sha512 v2".split())
#: What is called otherwise, since other types have the schema's names.
_TYPES = {
    "Derivation": "DerivationChoice", "MacAlgorithm": "MACChoice", "OtpHash": "OTPHashName", "PaymentToken": "PaymentTokenMessage",
    "SignatureScheme": "SignatureChoice", "TokenVersion": "ApplePayTokenVersion",
}  # fmt: skip
_KEYWORDS = {"internal"}


def files(schema: Schema) -> list[tuple[str, str]]:
    """Paths and what is in them."""
    requests = {each.request for each in schema.operations} - {None}
    replies = ({each.reply for each in schema.operations} | set(REFUSALS)) - {None}
    parts = schema.messages.keys() - requests - replies
    written = [
        ("Values", _values(schema)),
        ("Requests", _messages(schema, requests)),
        ("Replies", _messages(schema, replies)),
        ("Parts", _messages(schema, parts)),
    ]
    return [(f"{_FOLDER}/{name}.swift", _formatted(source)) for name, source in written] + [(_TESTS, _formatted(_list(schema)))]


def _formatted(source: str) -> str:
    """As swift-format has it, which comes with Swift."""
    return subprocess.run(["swift", "format", "--configuration", str(_STYLE)], input=source, capture_output=True, text=True, check=True).stdout


def _camel(name: str) -> str:
    first, *others = name.lower().split("_")
    return first + "".join(word.upper() if word in _INITIALS else word.capitalize() for word in others)


def _type(name: str) -> str:
    return _TYPES.get(name) or "".join(word.upper() if word in _INITIALS else word.capitalize() for word in words(name))


def _doc(text: str, indent: str = "") -> str:
    is_name = re.match(r"[a-z]+-", text)
    return "".join(f"{line}\n" for line in wrapped(f"{text}." if is_name else sentence(text), f"{indent}/// "))


# Enums


def _values(schema: Schema) -> str:
    return _HEAD + _opcodes(schema.operations) + _largest(schema) + _header_keys(schema.operations) + "".join(map(_enum, schema.enums.values()))


def _opcodes(operations: list[Operation]) -> str:
    rows = [(each.name, f"0x{each.opcode:04x}", each.text, each.doc) for each in operations]
    return _cases("Opcode", "UInt16", "The operations, as the request's header names them.", rows)


def _largest(schema: Schema) -> str:
    """Of each operation the largest bodies."""
    sizes = [(each.name, schema.largest(each.request), schema.largest(each.reply)) for each in schema.operations]
    requests = "".join(f"    case .{_camel(name)}: {request}\n" for name, request, _ in sizes)
    replies = "".join(f"    case .{_camel(name)}: {'nil' if reply is None else reply}\n" for name, _, reply in sizes)
    return (
        f"\nextension Opcode {{\n  /// The most bytes of a request's body.\n"
        f"  package var largestRequest: Int {{\n    switch self {{\n{requests}    }}\n  }}\n"
        f"\n  /// The most bytes of a reply's body; nil where its fields have no bounds.\n"
        f"  package var largestReply: Int? {{\n    switch self {{\n{replies}    }}\n  }}\n}}\n"
    )


def _header_keys(operations: list[Operation]) -> str:
    """Whether each operation's header names a key."""
    rows = "".join(f"    case .{_camel(each.name)}: .{each.key}\n" for each in operations)
    return (
        "\n/// Whether a request's header names a key.\npackage enum HeaderKey: Sendable { case none, optional, required }\n"
        f"\nextension Opcode {{\n  package var headerKey: HeaderKey {{\n    switch self {{\n{rows}    }}\n  }}\n}}\n"
    )


def _enum(enum: Enumeration) -> str:
    rows = [(each.name, str(each.number), each.text, each.doc) for each in enum.values]
    return _cases(_type(enum.name), "UInt8", enum.doc, rows)


def _cases(name: str, raw: str, doc: str, rows: list[tuple[str, str, str, str]]) -> str:
    cases = "".join(f"{_doc(doc, '  ')}  case {_case(case)} = {number}\n" for case, number, _, doc in rows)
    names = "".join(f'    case .{_camel(case)}: "{text}"\n' for case, _, text, _ in rows)
    return (
        f"\n{_doc(f'{sentence(doc)} Numbers are never reused.')}package enum {name}: {raw}, Named, Sendable {{\n{cases}\n"
        f"  /// As policy, records and documents write it.\n  package var name: String {{\n    switch self {{\n{names}    }}\n  }}\n}}\n"
    )


def _case(name: str) -> str:
    return f"`{_camel(name)}`" if _camel(name) in _KEYWORDS else _camel(name)


# Messages


def _messages(schema: Schema, names: Iterable[str | None]) -> str:
    chosen = [message for message in schema.messages.values() if message.name in set(names)]
    return _HEAD + "".join(_Struct(schema, message).text() for message in chosen)


class _Struct:
    """A message's type: the bounds of its fields, the fields, and what is done with them."""

    def __init__(self, schema: Schema, message: Message) -> None:
        self._schema = schema
        self._message = message

    def text(self) -> str:
        message, name = self._message, _type(self._message.name)
        kind = "Message, Hashable, Sendable" if message.is_copied else "Message, ~Escapable"
        parts = [f"\n{_doc(self._said())}package struct {name}: {kind} {{\n", self._properties(), self._init(), self._init_of_one()]
        parts += [self._visit(), self._check(), self._caps(), self._by_enum(), "}\n"]
        return "".join(parts)

    def _said(self) -> str:
        """Its text, or of which operations it is a body."""
        if self._message.doc:
            return self._message.doc
        asked = [f"`{each.text}`" for each in self._schema.operations if each.request == self._message.name]
        answered = [f"`{each.text}`" for each in self._schema.operations if each.reply == self._message.name]
        if asked:
            return f"The body of {' and '.join(asked)}."
        return f"What {', '.join(answered)} answer{'s' if len(answered) == 1 else ''}." if answered else "A part of other messages."

    # Fields

    def _properties(self) -> str:
        return "".join(f"{_doc(each.said, '  ')}  package var {_camel(each.name)}{self._kind(each)}\n" for each in self._message.fields)

    def _kind(self, each: Field) -> str:
        """The type, with the value of an absent field where the type can have one before `init`."""
        if each.presence is Presence.REPEATED:
            return f": [{ {'bytes': '[UInt8]', 'string': 'String'}.get(each.kind) or _type(each.type) }] = []"
        if self._is_borrowed(each):
            kind = {"bytes": "Span<UInt8>", "string": "Span<UInt8>"}.get(each.kind) or _type(each.type)
            return f": Optional<{kind}>" if self._is_optional(each) else f": {kind}"
        match each.kind:
            case "bytes":
                return ": [UInt8] = []"
            case "string":
                return ': String = ""'
            case "bool":
                return ": Bool = false"
            case "enum":
                first = self._schema.enums[each.type].values[0].name
                return f": {_type(each.type)} = .{_camel(first)}" if each.presence is Presence.REQUIRED else f": {_type(each.type)}?"
            case "set":
                return ": ReleasedFields = []"
            case "message":
                return f": {_type(each.type)}?" if self._is_optional(each) else f" = {_type(each.type)}()"
        number = "Int" if _range(each) else {"uint32": "UInt32", "uint64": "UInt64"}[each.kind]
        return f": {number}?" if each.presence is Presence.OPTIONAL else f": {number} = 0"

    def _is_borrowed(self, each: Field) -> bool:
        """Whether its bytes stay where they are."""
        if each.presence is Presence.REPEATED or self._message.is_copied or each.is_copied:
            return False
        return each.kind in ("bytes", "string") or each.kind == "message" and not self._schema.messages[each.type].is_copied

    def _is_optional(self, each: Field) -> bool:
        """Of a nested message: one that can be without any field has no need to be absent."""
        if each.kind != "message" or each.presence is Presence.REQUIRED:
            return False
        return any(inner.presence is Presence.REQUIRED for inner in self._schema.messages[each.type].fields)

    def _init(self) -> str:
        if self._message.is_copied:
            return "\n  package init() {}\n"
        rows = "".join(f"    {_camel(each.name)} = {self._absent(each)}\n" for each in self._message.fields if self._is_borrowed(each))
        return f"\n  @_lifetime(immortal) package init() {{\n{rows}  }}\n"

    def _absent(self, each: Field) -> str:
        if each.kind != "message":
            return "Span()"
        return "nil" if self._is_optional(each) else f"{_type(each.type)}()"

    def _init_of_one(self) -> str:
        """From its only field, for a reply that has no more."""
        if len(self._message.fields) != 1 or not self._message.name.endswith("Reply"):
            return ""
        each = self._message.fields[0]
        name, kind = _camel(each.name), self._kind(each).partition(" =")[0]
        lifetime = "" if self._message.is_copied else f"@_lifetime(copy {name}) "
        return f"\n  {lifetime}package init({name}{kind}) {{ self.{name} = {name} }}\n"

    # Visitors

    def _visit(self) -> str:
        lifetime = "" if self._message.is_copied else "  @_lifetime(self: copy self, copy visitor)\n"
        rows = "".join(f"    try visitor.{self._call(each)}\n" for each in self._message.fields)
        return f"\n{lifetime}  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {{\n{rows}  }}\n"

    def _call(self, each: Field) -> str:
        name, cap = _camel(each.name), f"Caps.{_camel(each.name)}"
        head = f'({each.number}, "{each.name}", '
        typed = f'{head}"{each.type}", &{name}'
        if each.presence is Presence.REPEATED:
            kind = {"bytes": "bytes", "string": "texts"}.get(each.kind, "messages")
            return f"{kind}{typed if each.kind == 'message' else f'{head}&{name}'}, atMost: {cap}, count: {cap}Count)"
        match each.kind:
            case "bytes" | "string":
                return f"{'bytes' if each.kind == 'bytes' else 'text'}{head}&{name}, {_size(each, cap)})"
            case "enum":
                return f"enumeration{typed})"
            case "set":
                return f"set{typed}, atMost: {cap})"
            case "message":
                return f"message{typed}, atMost: {cap})"
        return f"{each.kind}{head}&{name}{f', in: {cap}' if _range(each) else ''})"

    # Bounds

    def _caps(self) -> str:
        rows = "".join(row for each in self._message.fields for row in _cap(each))
        return f"\n  /// The most bytes of each, or the numbers that it takes.\n  package enum Caps {{\n{rows}  }}\n" if rows else ""

    def _check(self) -> str:
        checks = [*map(_sizes, (each for each in self._message.fields if each.sizes)), *map(self._rule, self._message.rules)]
        return f"\n  package func check() throws(WireError) {{\n{''.join(checks)}  }}\n" if checks else ""

    def _rule(self, rule: Rule) -> str:
        why = {"apart": "does not go with {}", "together": "goes with {}, and that with it", "one": "is needed, or {}, and not both"}[rule.kind]
        fault = f'WireField({rule.second.number}, "{rule.second.name}", "{why.format(rule.first.name)}")'
        return f"    if {rule.broken(self._present)} {{\n      throw .badValue({fault})\n    }}\n"

    def _present(self, each: Field) -> str:
        name = _camel(each.name)
        if each.kind in ("bytes", "string", "message"):
            return f"!{name}.isEmpty"
        return f"{name} != nil" if each.kind == "enum" else f"{name} != 0"

    # Fields by an enum

    def _by_enum(self) -> str:
        if not self._message.by:
            return ""
        fields = {each.number: each for each in self._message.fields}
        rows = "".join(self._by_value(value, fields[value.number]) for value in self._schema.enums[self._message.by].values)
        doc = _doc("A field's bytes; empty for one that is absent, and for a number.", "  ")
        head = f"package subscript(_ field: {_type(self._message.by)}) -> Span<UInt8> {{\n    @_lifetime(copy self)\n    get {{\n"
        return f"\n{doc}  {head}      switch field {{\n{rows}      }}\n    }}\n  }}\n"

    def _by_value(self, value: Value, each: Field) -> str:
        return f"      case .{_camel(value.name)}: {_camel(each.name) if each.kind in ('bytes', 'string') else 'Span()'}\n"


def _range(each: Field) -> bool:
    """Whether a number has bounds of its own."""
    return each.kind == "uint32" and each.is_bounded


def _size(each: Field, cap: str) -> str:
    if each.most is None:
        return ".any"
    if each.presence is Presence.REQUIRED:
        return f".exactly({cap})" if each.least == each.most else f".oneTo({cap})"
    return f".absentOr({cap})" if each.least == each.most else f".atMost({cap})"


def _cap(each: Field) -> Iterator[str]:
    name = _camel(each.name)
    if _range(each):
        yield f"    package static let {name} = {each.least}...{each.most}\n"
    elif each.kind in ("bytes", "string", "set", "message") and each.most is not None:
        yield f"    package static let {name} = {each.most}\n"
    if each.presence is Presence.REPEATED and each.count:
        yield f"    package static let {name}Count = {each.count}\n"


def _sizes(each: Field) -> str:
    name, sizes = _camel(each.name), each.sizes
    fits = " || ".join(f"{name}.count == {size}" for size in (0, *sizes))
    why = f"has \\({name}.count) bytes; it takes {' or '.join(map(str, sizes))}"
    return f'    guard {fits} else {{\n      throw .badValue(WireField({each.number}, "{each.name}", "{why}"))\n    }}\n'


# Tests


def _list(schema: Schema) -> str:
    messages = "".join(f'    try visitor.message({_type(name)}.self, "{name}")\n' for name in schema.messages)
    return (
        f"{_HEAD}\nimport Format\n\nextension Schema {{\n"
        f"  /// Every message of the protocol, in the order of `proto/kist.proto`.\n"
        f"  package static func visit(_ visitor: inout some MessageVisitor) throws {{\n{messages}  }}\n\n"
        f"  /// Every enum's values, by their names in `proto/kist.proto`.\n"
        f"  package static let enumerations: [String: [String: UInt64]] = [\n{_names(schema)}  ]\n}}\n"
    )


def _names(schema: Schema) -> str:
    enums = {"Opcode": [f"OPCODE_{each.name}" for each in schema.operations]} | {name: [value.full for value in enum.values] for name, enum in schema.enums.items()}
    return "".join(
        f'    "{name}": numbers(\n      {_type(name)}.self,\n      """\n' + "".join(f"      {full}\n" for full in fulls) + '      """),\n'
        for name, fulls in enums.items()
    )
