"""A JSON reader as strict as that of the daemon's own programs: unambiguous and bounded."""

from __future__ import annotations

import json
from typing import Any, NoReturn

_DEPTH = 16
_VALUES = 1024
_MEMBERS = 64


def parse(text: str) -> object:
    """The value of a whole text; numbers are not kept.

    Raises:
        ValueError: it is not RFC 8259, names a member twice, has half a surrogate pair, or more or deeper values than the
            bounds allow.
    """
    try:
        value: object = json.loads(text, object_pairs_hook=_members, parse_constant=_refuse, parse_int=_number, parse_float=_number)
    except RecursionError:
        raise ValueError("too deep") from None
    if _checked_count(value, 0) > _VALUES:
        raise ValueError("too many values")
    return value


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs) or len(pairs) > _MEMBERS:
        raise ValueError("a name is there twice, or there are too many")
    return members


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _number(digits: str) -> int:
    return 0


def _checked_count(value: object, depth: int) -> int:
    """How many values there are, including members' names."""
    if isinstance(value, str):
        value.encode("utf-8")  # refuses half a surrogate pair
    if not isinstance(value, (dict, list)):
        return 1
    if depth == _DEPTH:
        raise ValueError("too deep")
    parts = [*value, *value.values()] if isinstance(value, dict) else value
    return 1 + sum(_checked_count(part, depth + 1) for part in parts)
