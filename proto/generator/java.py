"""The Java client's tables: a class for each enum and message, and `Operations`, which `Client` is one of."""

from __future__ import annotations

from .schema import REFUSALS, Enumeration, Field, Message, Operation, Presence, Schema, camel, sentence, wrapped

_HEAD = "// Written by proto/generate.py from kist.proto: do not edit.\npackage kist;\n"
_FOLDER = "clients/java/src/main/java/kist"
_TYPES = {"bytes": "byte[]", "string": "String", "uint32": "long", "uint64": "long", "bool": "boolean"}


def files(schema: Schema) -> list[tuple[str, str]]:
    """Paths and what is in them."""
    asked = schema.asked()
    replies = {each.reply for each in schema.operations}
    return [
        (f"{_FOLDER}/Operations.java", _operations(schema)),
        *((f"{_FOLDER}/{each.name}.java", _enum(each)) for each in schema.enums.values()),
        *((f"{_FOLDER}/{_name(each.name)}.java", _class(each, schema, each.name in asked, each.name in replies)) for each in schema.messages.values()),
        ("clients/java/src/test/java/kist/Messages.java", _messages(schema)),
    ]


def _name(message: str) -> str:
    """The bodies of refusals are nobody's business but the client's."""
    return f"{message}Body" if message in REFUSALS else message


def _doc(text: str, indent: str = "", tags: tuple[str, ...] = ()) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("*/", "* /").replace("@", "&#64;")
    if not tags and len(indent) + len(text) < 88:
        return f"{indent}/** {text} */\n"
    lines = [*wrapped(text, f"{indent} * "), *(f"{indent} *" for _ in tags[:1]), *(f"{indent} * {tag}" for tag in tags)]
    return f"{indent}/**\n" + "\n".join(lines) + f"\n{indent} */\n"


# Enums


def _enum(enum: Enumeration) -> str:
    rows = ",\n".join(f'{_doc(sentence(value.doc) or f"{value.text}.", "  ")}  {value.name}({value.number}, "{value.text}")' for value in enum.values)
    return f"""{_HEAD}
{_doc(sentence(enum.doc))}public enum {enum.name} implements Numbered {{
{rows};

  private final int number;
  private final String text;

  {enum.name}(int number, String text) {{
    this.number = number;
    this.text = text;
  }}

  @Override
  public int number() {{
    return number;
  }}

  @Override
  public String text() {{
    return text;
  }}
}}
"""


# Messages


def _class(message: Message, schema: Schema, is_asked: bool, is_reply: bool) -> str:
    name = _name(message.name)
    is_shown = message.name not in REFUSALS
    table = "".join(f"    {_field(each)},\n" for each in message.fields)
    members = "".join(f"  private {_kind(each, is_asked)} {camel(each.name)}{' = java.util.List.of()' if each.is_list else ''};\n" for each in message.fields)
    visits = "".join(f"    {camel(each.name)} = visitor.{_visit(each, index, is_asked)};\n" for index, each in enumerate(message.fields))
    access = "".join(_access(each, name, is_asked, is_shown) for each in message.fields)
    answer = "  private Long auditSequence;\n" if is_reply else ""
    shown = "public " if is_shown else ""
    doc = _doc(sentence(message.doc) if message.doc else f"A message of the protocol: {message.name}.")
    constructor = f'\n  /** One without any field. */\n  {"public " if is_asked else ""}{name}() {{}}\n'
    return (
        f"{_HEAD}\n{doc}{shown}final class {name} implements Message{', Answered' if is_reply else ''} {{\n  private static final Field[] FIELDS = {{\n{table}  }};\n\n"
        f"{members}{answer}{constructor}{access}{_AUDIT if is_reply else ''}"
        f"\n  @Override\n  public void visit(Visitor visitor) {{\n{visits}  }}\n{_rule(message, schema)}}}\n"
    )


_AUDIT = """
  @Override
  public Long auditSequence() {
    return auditSequence;
  }

  @Override
  public void setAuditSequence(Long sequence) {
    auditSequence = sequence;
  }
"""


def _kind(each: Field, is_asked: bool) -> str:
    if each.is_secret and not is_asked:
        kind = "Secret"
    else:
        kind = each.type or _TYPES[each.kind]
    if each.is_list:
        return f"java.util.List<{kind}>"
    return "Long" if each.presence is Presence.OPTIONAL else kind


def _visit(each: Field, index: int, is_asked: bool) -> str:
    name, place = camel(each.name), f"FIELDS[{index}]"
    if each.kind == "message":
        return f"{'list' if each.presence is Presence.REPEATED else 'nested'}({place}, {name}, {each.type}::new)"
    if each.kind == "set":
        return f"set({place}, {name}, {each.type}.values())"
    if each.kind == "enum":
        return f"enumeration({place}, {name}, {each.type}.values())"
    if each.is_secret and not is_asked:
        return f"{'secretText' if each.kind == 'string' else 'secret'}({place}, {name})"
    if each.presence is Presence.REPEATED:
        return f"{'blobs' if each.kind == 'bytes' else 'texts'}({place}, {name})"
    if each.presence is Presence.OPTIONAL:
        return f"optional({place}, {name})"
    return f"{ {'bytes': 'bytes', 'string': 'text', 'bool': 'flag'}.get(each.kind, 'number') }({place}, {name})"


def _said(each: Field) -> str:
    return sentence(each.said) or f"The {each.name.replace('_', ' ')}."


def _access(each: Field, name: str, is_asked: bool, is_shown: bool) -> str:
    own, kind = camel(each.name), _kind(each, is_asked)
    shown = "public " if is_shown else ""
    access = f"\n{_doc(_said(each), '  ', (f'@return {_returned(each)}',))}  {shown}{kind} {own}() {{\n    return {own};\n  }}\n"
    if not is_asked:
        return access
    argument = "long" if kind == "Long" else kind
    check = f'    Numbers.check("{own}", value);\n' if each.kind in ("uint32", "uint64") else ""
    value = "java.util.List.copyOf(value)" if each.is_list else "value"
    tags = ("@param value what it is", "@return this")
    return f"{access}\n{_doc(_said(each), '  ', tags)}  public {name} {own}({argument} value) {{\n{check}    this.{own} = {value};\n    return this;\n  }}\n"


def _returned(each: Field) -> str:
    if each.is_list:
        return "none of them if it is missing"
    return "what it is" if each.kind in ("uint32", "uint64", "bool") and each.presence is not Presence.OPTIONAL else "null if it is missing"


def _field(each: Field) -> str:
    sizes = "".join(f", {size}" for size in each.sizes)
    return f'new Field({each.number}, "{camel(each.name)}", "{each.kind}", Field.Presence.{each.presence.name}, {each.least if each.kind != "enum" else 1}, {_most(each)}, {each.count}{sizes})'


def _most(each: Field) -> str:
    if each.most is None:
        return "Long.MAX_VALUE"
    return "0xFFFFFFFFL" if each.most == 2**32 - 1 else str(each.most)


# Rules between fields, and what bounds do not say


def _rule(message: Message, schema: Schema) -> str:
    checks = [check for each in message.fields if (check := _never(each, schema))]
    checks += [f"    if ({rule.broken(_present)}) return {rule.second.number};\n" for rule in message.rules]
    return f"\n  @Override\n  public int atFault() {{\n{''.join(checks)}    return 0;\n  }}\n"


def _never(each: Field, schema: Schema) -> str:
    return "".join(f"    if ({camel(each.name)}.contains({each.type}.{value.name})) return {each.number};\n" for value in schema.never(each))


def _present(each: Field) -> str:
    name = camel(each.name)
    if each.kind in ("uint32", "uint64"):
        return f"{name} != 0"
    return f"{name} != null" if each.kind == "enum" else f"Message.isPresent({name})"


# Operations


def _operations(schema: Schema) -> str:
    methods = "".join(_method(each) for each in schema.operations)
    return (
        f"{_HEAD}\nimport java.util.concurrent.CompletableFuture;\nimport java.util.function.Supplier;\n\n"
        "/** Every operation as a method that waits, and as one that gives a future, whose cancelling gives the call up. {@link Client} has them. */\n"
        "public abstract class Operations {\n  Operations() {}\n\n"
        "  abstract <R extends Message & Answered> CompletableFuture<R> send(\n"
        "      int opcode, String name, KeyId key, Message request, Supplier<R> reply, boolean isEmpty, CallOptions options);\n\n"
        "  abstract <R extends Message & Answered> R ask(\n"
        "      int opcode, String name, KeyId key, Message request, Supplier<R> reply, boolean isEmpty,\n"
        f"      CallOptions options);\n{methods}}}\n"
    )


def _method(each: Operation) -> str:
    name, reply = camel(each.name), each.reply or "Answer"
    arguments = ["KeyId key"] if each.key != "none" else []
    arguments += [f"{each.request} request"] if each.request else []
    arguments.append("CallOptions... options")
    tags = ["@param key the key's id" + ("; null for none" if each.key == "optional" else "")] if each.key != "none" else []
    tags += ["@param request what is asked for"] if each.request else []
    tags += ["@param options at most one, for this call alone"]
    key = "key" if each.key != "none" else "null"
    body = "request" if each.request else "null"
    need = f'KeyId.needed("{name}", key), ' if each.key == "required" else f"{key}, "
    is_empty = "false" if each.reply else "true"
    passed = f'0x{each.opcode:04x}, "{name}", {need}{body}, {reply}::new, {is_empty}'

    def method(result: str, suffix: str, way: str, said: str) -> str:
        head = f"  public {result} {name}{suffix}({', '.join(arguments)}) {{\n"
        line = f"    return {way}({passed}, CallOptions.one(options));\n"
        return f"\n{_doc(each.doc, '  ', (*tags, f'@return {said}'))}{head}{line}  }}\n"

    waits = method(reply, "", "ask", "the answer")
    return waits + method(f"CompletableFuture<{reply}>", "Async", "send", "what will be the answer")


def _messages(schema: Schema) -> str:
    rows = "".join(f'      java.util.Map.entry("{name}", {_name(name)}::new)' + ",\n" for name in schema.messages).rstrip(",\n")
    names = "".join(f'      java.util.Map.entry(0x{each.opcode:04x}, "{each.text}")' + ",\n" for each in schema.operations).rstrip(",\n")
    return (
        f"{_HEAD}\nimport java.util.Map;\nimport java.util.function.Supplier;\n\n/** Every message by its name in the schema, and the operations' names by their opcodes. */\nfinal class Messages {{\n"
        f"  static final Map<String, Supplier<Message>> MESSAGES = Map.ofEntries(\n{rows});\n"
        f"  static final Map<Integer, String> OPERATIONS = Map.ofEntries(\n{names});\n\n  private Messages() {{}}\n}}\n"
    )
