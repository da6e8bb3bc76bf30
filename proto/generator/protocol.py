"""Compares PROTOCOL.md's tables, which are for people, with the schema."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .schema import Schema, SchemaError


def compare(schema: Schema, text: str) -> None:
    """Raises SchemaError where section 4 or 7 differs from the schema."""
    row = r"^\| 0x([0-9a-f]{4}) \| `([a-z-]+)` \| (both|operators) \| (none|optional|required) \| (.*) \| (.*) \|$"
    _same("operations", [
        (operation.opcode, operation.text, operation.is_for_services, operation.key, operation.request, operation.reply)
        for operation in sorted(schema.operations, key=lambda operation: operation.opcode)
    ], [
        (int(opcode, 16), name, socket == "both", key, _body(request), _body(reply))
        for opcode, name, socket, key, request, reply in re.findall(row, text, re.MULTILINE)
    ])  # fmt: skip
    statuses, stages = (
        [(int(number), name) for number, name in re.findall(r"^\| (\d+) \| `([a-z0-9-]+)` \|", part, re.MULTILINE)]
        for part in re.split(r"^### Stages$|^## 5", re.split(r"^## 4.*$", text, flags=re.MULTILINE)[1], flags=re.MULTILINE)[:2]
    )
    _same("statuses", [(value.number, value.text) for value in schema.enums["Status"].values], statuses)
    _same("stages", [(value.number, value.text) for value in schema.enums["Stage"].values], stages)


def _body(cell: str) -> str | None:
    return None if cell == "empty" else cell.strip("`")


def _same(what: str, ours: Sequence[object], theirs: Sequence[object]) -> None:
    for mine, other in zip(ours, theirs, strict=False):
        if mine != other:
            raise SchemaError(f"{what}: kist.proto has {mine}, PROTOCOL.md {other}")
    if len(ours) != len(theirs):
        raise SchemaError(f"{what}: kist.proto has {len(ours)}, PROTOCOL.md {len(theirs)}")
