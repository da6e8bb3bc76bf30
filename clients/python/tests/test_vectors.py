"""The golden wire vectors, PROTOCOL.md section 10, and the message tables against what protoc makes of the schema."""

import importlib
import pathlib
import re
import subprocess
from typing import Any

import pytest
from google.protobuf import descriptor_pb2
from kist import _codec, _frame, _schema, enums
from kist._table import Field, Kind, Presence
from kist.errors import ReplyError

PROTO = pathlib.Path(__file__).resolve().parents[3] / "proto"
FILES = sorted((PROTO / "vectors").glob("*.txt"))


class Vector:
    def __init__(self, path: pathlib.Path) -> None:
        self.fields: list[str] = []
        self.bytes = b""
        self.one: dict[str, str] = {}
        for line in path.read_text().split("\n")[:-1]:
            key, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if key == "field":
                self.fields.append(value)
            elif key == "bytes":
                self.bytes += bytes.fromhex(value)
            else:
                assert key in ("message", "frame", "expect", "error", "comment") and key not in self.one, line
                self.one[key] = value


def listing(name: str, value: dict[str, Any], prefix: str = "") -> list[str]:
    """What was decoded as the vectors list it."""
    lines: list[str] = []
    for field in _schema.MESSAGES[name].fields:
        if field.name not in value:
            continue
        item = value[field.name]
        many = field.presence is Presence.REPEATED or field.kind is Kind.SET
        for index, element in enumerate(item if many else [item]):
            path = f"{prefix}{field.name}[{index}]" if many else prefix + field.name
            if field.kind is Kind.MESSAGE:
                lines += listing(field.message, element, path + ".")
            elif field.kind is Kind.TEXT:
                lines.append(f"{path} = text:{str(element, 'utf-8')}")
            elif field.kind is Kind.BYTES:
                lines.append(f"{path} = hex:{element.hex()}")
            else:
                lines.append(f"{path} = {'true' if element is True else int(element)}")
    return lines


def replies(data: bytes) -> list[str]:
    """Frame behind frame, as a client reads them."""
    lines: list[str] = []
    for index in range(len(data)):
        if not data:
            break
        if len(data) < 4:
            raise _codec.Flaw("truncated")
        try:
            length = _frame.reply_length(data[:4])
        except ReplyError:
            raise _codec.Flaw("frame-size") from None
        if len(data) < 24:
            raise _codec.Flaw("truncated")
        header = _frame.ReplyHeader.read(data[4:])
        if len(data) < 4 + length:
            raise _codec.Flaw("truncated")
        for name in ("status", "opcode", "request_id", "audit_sequence"):
            lines.append(f"frame[{index}].{name} = {int(getattr(header, name))}")
        lines.append(f"frame[{index}].body = hex:{data[24:4 + length].hex()}")
        data = data[4 + length :]
    return lines


def requests(fields: list[str]) -> bytes:
    """A client writes requests and never reads one: the bytes that come of what is listed."""
    out = b""
    for at in range(0, len(fields), 5):
        flags, opcode, number, key, body = (line.partition(" = ")[2].removeprefix("hex:") for line in fields[at : at + 5])
        request = _frame.Request(FakeOpcode(int(opcode)), [bytes.fromhex(body)], None, lambda *_: None, bytes.fromhex(key), flags=int(flags))  # type: ignore[arg-type]
        out += request.frame(int(number))
    return out


class FakeOpcode(int):
    """One that this package does not know."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_vector(path: pathlib.Path) -> None:
    vector = Vector(path)
    name, frame, is_accepted = vector.one.get("message"), vector.one.get("frame"), vector.one["expect"] == "ok"
    if frame == "request" and is_accepted:
        assert requests(vector.fields) == vector.bytes
    elif frame == "request" or (name and name not in _schema.MESSAGES):
        return  # for daemons alone; test_every_vector counts them, test_schema knows which may be
    elif is_accepted:
        if frame:
            assert replies(vector.bytes) == vector.fields
            return
        assert name
        value = _codec.decode(name, memoryview(vector.bytes))
        assert listing(name, value) == vector.fields
        assert b"".join(_codec.encode(name, value)) == vector.bytes
    else:
        with pytest.raises(_codec.Flaw) as flaw:
            replies(vector.bytes) if frame else _codec.decode(str(name), memoryview(vector.bytes))
        assert str(flaw.value) == vector.one["error"]


def test_every_vector() -> None:
    vectors = [Vector(path) for path in FILES]
    kinds = [(vector.one.get("frame"), vector.one["expect"]) for vector in vectors]
    assert len(kinds) >= 286 and kinds.count(("request", "malformed")) == 14
    assert {vector.one["message"] for vector in vectors if "message" in vector.one} >= set(_schema.MESSAGES)


def compiled(tmp_path: pathlib.Path) -> descriptor_pb2.FileDescriptorProto:
    """What stock protoc makes of the schema."""
    subprocess.run(["protoc", f"--proto_path={PROTO}", f"--descriptor_set_out={tmp_path}/set", "kist.proto"], check=True)
    (file,) = descriptor_pb2.FileDescriptorSet.FromString((tmp_path / "set").read_bytes()).file
    return file


def described(file: descriptor_pb2.FileDescriptorProto) -> list[str]:
    """Its fields, as `vectors_test --schema` of the C client prints them."""
    kinds = {13: "uint32", 4: "uint64", 8: "bool", 9: "string", 12: "bytes", 14: "enum"}
    return [
        f"{message.name} {field.number} {field.name} {kinds.get(field.type) or field.type_name.rpartition('.')[2]} "
        + ("repeated" if field.label == 3 else "optional" if field.proto3_optional else "plain")
        for message in file.message_type
        for field in message.field
    ]


def services_alone(lines: list[str]) -> set[str]:
    """Messages that a client must have: those of every operation on both sockets, and what is nested in them."""
    protocol = (PROTO / "PROTOCOL.md").read_text()
    rows = re.findall(r"^\| 0x[0-9a-f]{4} \| `[a-z-]+` \| both \| [a-z]+ \| (.*) \| (.*) \|$", protocol, re.MULTILINE)
    assert len(rows) >= 23
    names = {cell.strip("`") for row in rows for cell in row if cell != "empty"} | {"Malformation", "Rejection", "ApprovalNeeded"}
    for _ in range(3):
        names |= {kind for line in lines for message, _, _, kind, _ in [line.split()] if message in names and kind[0].isupper()}
    return names


def check_tables(ours: list[str], theirs: list[str]) -> None:
    """Every message of services is there, and each one that is there is the schema's."""
    present = {line.split()[0] for line in ours}
    assert ours == [line for line in theirs if line.split()[0] in present] and len(ours) >= 215
    assert services_alone(theirs) <= present


def test_schema(tmp_path: pathlib.Path) -> None:
    ours = [
        f"{name} {field.number} {field.name} {field.message or ('enum' if field.kind is Kind.SET else field.kind.value)} "
        + ("repeated" if field.presence is Presence.REPEATED or field.kind is Kind.SET else "optional" if field.presence is Presence.OPTIONAL else "plain")
        for name, message in _schema.MESSAGES.items()
        for field in message.fields
    ]
    check_tables(ours, described(compiled(tmp_path)))


def check_bounds(ours: list[str]) -> None:
    """Every bound is the one that the daemon has."""
    theirs, message = [], ""
    for line in (PROTO / "kist.proto").read_text().splitlines():
        if opening := re.fullmatch(r"message (\w+) {", line):
            message = opening[1]
        bound = re.match(r" .* (\w+) = (\d+); *// \[(\d+)\.\.(\w+)(?: ([a-z0-9 ]+))?\]", line)
        if bound and message in _schema.MESSAGES:
            theirs.append(f"{message} {bound[2]} {bound[1]} {bound[3]} {bound[4]} {bound[5] or 'plain'}")
    assert ours == theirs and len(ours) >= 150


def bounded(name: str, field: Field) -> str | None:
    if not field.is_delimited and (field.kind is not Kind.UINT32 or (field.least, field.most) == (0, 2**32 - 1)):
        return None
    most = "any" if field.most == 2**64 - 1 else field.most
    presence = f"list {field.elements}" if field.presence is Presence.REPEATED else "plain"
    if field.presence is Presence.REQUIRED and field.kind is not Kind.MESSAGE:
        presence = "required"
    return f"{name} {field.number} {field.name} {field.least} {most} {presence}"


def test_bounds() -> None:
    lines = [bounded(name, field) for name, message in _schema.MESSAGES.items() for field in message.fields]
    check_bounds([line for line in lines if line])


def test_bounds_of_the_c_client(c_build: pathlib.Path) -> None:
    check_bounds(subprocess.run([c_build / "vectors_test", "--bounds"], check=True, capture_output=True, text=True).stdout.splitlines())


def check_enums(tmp_path: pathlib.Path, ours: list[str]) -> None:
    """Every enum reaches from 1 to the last number that the schema gives it; a stage's numbers are a rule, for some are of operators alone."""
    file = compiled(tmp_path)
    last = {kind.name: max(value.number for value in kind.value) for kind in file.enum_type} | {"Stage": 255}
    present = {line.split()[0] for line in ours}
    theirs = [
        f"{message.name} {field.number} {field.name} 1 {last[field.type_name.rpartition('.')[2]]}"
        for message in file.message_type
        for field in message.field
        if field.type == field.TYPE_ENUM and field.label != field.LABEL_REPEATED and message.name in present
    ]
    assert ours == theirs and len(ours) >= 14


def test_enum_bounds(tmp_path: pathlib.Path) -> None:
    check_enums(
        tmp_path,
        [
            f"{name} {field.number} {field.name} {field.least} {field.most}"
            for name, message in _schema.MESSAGES.items()
            for field in message.fields
            if field.kind is Kind.ENUM
        ],
    )


def test_enum_bounds_of_the_c_client(tmp_path: pathlib.Path, c_build: pathlib.Path) -> None:
    check_enums(tmp_path, subprocess.run([c_build / "vectors_test", "--enums"], check=True, capture_output=True, text=True).stdout.splitlines())


def test_schema_of_the_c_client(tmp_path: pathlib.Path, c_build: pathlib.Path) -> None:
    printed = subprocess.run([c_build / "vectors_test", "--schema"], check=True, capture_output=True, text=True).stdout
    check_tables(printed.splitlines(), described(compiled(tmp_path)))


def test_enums(tmp_path: pathlib.Path) -> None:
    seen = 0
    for theirs in compiled(tmp_path).enum_type:
        values = {value.name: value.number for value in theirs.value if not value.name.endswith("UNSPECIFIED")}
        if theirs.name == "Stage":
            stages = {name.upper().replace("-", "_"): number for number, name in enums.STAGES.items()}
            # One that only operators meet may be missing: it is then "unknown".
            assert stages == {name: values[name] for name in stages} and len(stages) >= 50
        elif theirs.name not in ("Metric", "ReviewOutcome"):  # of operators' operations, which this client does without
            prefix = {"Opcode": "OPCODE_", "Status": "STATUS_", "OtpHash": "OTP_", "DigestField": "DIGEST_"}.get(theirs.name, "")
            kind = getattr(enums, theirs.name)
            # All enums of the schema share one scope, where a stage is ENVELOPE.
            members = {prefix + member.name: member.value for member in kind}
            if theirs.name == "ReleasedField":
                members["PAYMENT_ENVELOPE"] = members.pop("ENVELOPE")
            # Operators' operations may be missing.
            assert members == ({name: values[name] for name in members} if kind is enums.Opcode else values)
        seen += 1
    assert seen == 16


def test_largest_bodies(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the generator says a request and a reply can take is what the official runtime makes of the longest of all fields."""
    subprocess.run(["protoc", f"--proto_path={PROTO}", f"--python_out={tmp_path}", "kist.proto"], check=True)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(PROTO))
    pb: Any = importlib.import_module("kist_pb2")
    schema: Any = importlib.import_module("generator.schema").read(PROTO / "kist.proto")
    sizes = {name: schema.largest(name) for operation in schema.operations for name in (operation.request, operation.reply) if name}
    assert sum(size is None for size in sizes.values()) == 1 and len(sizes) > 50
    for name, size in sizes.items():
        if size is not None:
            assert longest(schema, name, pb).ByteSize() == size, name


def longest(schema: Any, name: str, pb: Any) -> Any:
    """A message whose every field is as long as it can be, whatever the rules between them say."""
    message = getattr(pb, name)()
    for field in schema.messages[name].fields:
        match field.kind:
            case "message":
                value = longest(schema, field.type, pb)
                assert value.ByteSize() <= field.most
            case "bytes" | "string":
                value = (b"a" if field.kind == "bytes" else "a") * field.most
            case "set":
                value = 1
            case _:
                value = field.most or 2**64 - 1
        if field.is_list:
            for _ in range(field.most if field.kind == "set" else field.count):
                getattr(message, field.name).append(value)
        elif field.kind == "message":
            getattr(message, field.name).CopyFrom(value)
        else:
            setattr(message, field.name, value)
    return message
