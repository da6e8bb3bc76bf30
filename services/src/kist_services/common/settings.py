"""A service's settings: a TOML file, read into a dataclass."""

from __future__ import annotations

import dataclasses
import re
import tomllib
import typing
from typing import Any, TypeVar

if typing.TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class SettingsError(Exception):
    """The file cannot be read, or what it says is not right; the text says what."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """What all services have.

    Attributes:
        api_keys: SHA-256 of each `x-api-key` that is accepted, as hexadecimal: ``printf %s KEY | sha256sum``.
        endpoint: kistd's; None for the environment's `KIST_ENDPOINT`, else ``unix:/run/kist/kist.sock``.
    """

    api_keys: tuple[str, ...]
    endpoint: str | None = None

    def __post_init__(self) -> None:
        if not self.api_keys or not all(_DIGEST.fullmatch(digest) for digest in self.api_keys):
            raise SettingsError("api_keys: one or more SHA-256, each of 64 hexadecimal digits in lower case")


def load(kind: type[S], path: str) -> S:
    """Reads a file of settings into a dataclass; a name that is not one, and a value of another type, is an error.

    Raises:
        SettingsError
    """
    try:
        with open(path, "rb") as file:
            values = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from None
    hints = typing.get_type_hints(kind)
    for name, value in values.items():
        if name not in hints:
            raise SettingsError(f"{path}: {name} is no setting of this service")
        values[name] = _typed(f"{path}: {name}", value, hints[name])
    missing = [f.name for f in dataclasses.fields(kind) if f.default is f.default_factory is dataclasses.MISSING and f.name not in values]
    if missing:
        raise SettingsError(f"{path}: {missing[0]} is missing")
    return kind(**values)


def instead(name: str, text: str) -> tuple[str, int] | None:
    """Host and port that take somebody's place, for trying it out; None for an empty text.

    Raises:
        SettingsError
    """
    host, _, port = text.rpartition(":")
    if not text:
        return None
    if not host or not re.fullmatch(r"[0-9]{1,5}", port):
        raise SettingsError(f"{name}: HOST:PORT")
    return host, int(port)


def _typed(place: str, value: Any, hint: Any) -> Any:
    if typing.get_origin(hint) is tuple and isinstance(value, list) and all(type(item) is str for item in value):
        return tuple(value)
    if typing.get_origin(hint) is dict and isinstance(value, dict) and all(type(item) is str for item in value.values()):
        return value
    if type(value) is hint or (type(value) is str and hint == str | None):
        return value
    raise SettingsError(f"{place} is of another type")
