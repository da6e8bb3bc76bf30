"""The members of a JSON object, taken one by one."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn, TypeVar

from starlette.requests import Request

from . import base64
from .problems import Problem

T = TypeVar("T")
_NAME = re.compile(r"\w{1,64}", re.ASCII)


class Members:
    """What a client sent, as strictly as the daemon reads: each member once and of its type, and none that is not expected.

    Every method raises a `Problem` of status 400 that names the member and never quotes its value.
    """

    def __init__(self, body: bytes) -> None:
        try:
            members = json.loads(body.decode("utf-8"), object_pairs_hook=_members, parse_constant=_refuse)
        except (ValueError, RecursionError):
            raise Problem(400, "the body is not JSON, or names a member twice") from None
        if not isinstance(members, dict):
            raise Problem(400, "the body is not a JSON object")
        self._rest: dict[str, Any] = members

    @staticmethod
    async def of(request: Request) -> Members:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Problem(415, "the body has to be application/json")
        return Members(await request.body())

    def text(self, name: str, most: int, default: str | None = None, *, is_printed: bool = True) -> str:
        """Text of up to `most` characters; empty only by default, and of any characters only where it is not `is_printed`."""
        text = self._take(name, str, default)
        if not text and default is None or len(text) > most:
            raise Problem(400, f"{name} has 1 to {most} characters")
        if is_printed and not text.isprintable():
            raise Problem(400, f"{name} has characters that cannot be printed")
        return text

    def octets(self, name: str, most: int) -> bytes:
        """Base64 of 1 to `most` bytes."""
        return octets(name, self._take(name, str, None), most)

    def list_of_octets(self, name: str, most: int, count: int) -> list[bytes]:
        """One to `count` of them."""
        values = self._take(name, list, None)
        if not 1 <= len(values) <= count or not all(isinstance(value, str) for value in values):
            raise Problem(400, f"{name} has 1 to {count} texts")
        return [octets(name, value, most) for value in values]

    def end(self) -> None:
        """Refuses what nobody has taken."""
        for name in self._rest:
            raise Problem(400, f"{name} is not expected" if _NAME.fullmatch(name) else "a member is not expected")

    def _take(self, name: str, kind: type[T], default: T | None) -> T:
        value = self._rest.pop(name, None)
        value = default if value is None else value
        if not isinstance(value, kind):
            raise Problem(400, f"{name} is missing" if value is None else f"{name} is of another type")
        return value


def octets(name: str, text: str, most: int) -> bytes:
    """Strict base64 (RFC 4648 section 4) of 1 to `most` bytes."""
    try:
        value = base64.decode(text)
    except ValueError as error:
        raise Problem(400, f"{name} {error}") from None
    if not 1 <= len(value) <= most:
        raise Problem(400, f"{name} has 1 to {most} bytes")
    return value


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name is there twice")
    return members


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
