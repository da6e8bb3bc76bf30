"""What holds for one call, or for a client's every call."""

from __future__ import annotations

import enum
import hashlib
import re
from dataclasses import dataclass, replace

from ._socket import checked_timeout
from ._table import UINT64_MOST

_DIGITS = re.compile(r"[0-9A-Fa-f]{16}")


class Unchanged(enum.Enum):
    """In place of a time-out, where None means that there is no end."""

    UNCHANGED = 0


UNCHANGED = Unchanged.UNCHANGED


@dataclass(frozen=True)
class Options:
    """The seconds that a request may take, None for no end; and the id to send with it, None for the connection's own count."""

    timeout: float | None
    request_id: int | None = None

    def changed(self, request_id: int | str | None, timeout: float | None | Unchanged) -> Options:
        """Raises `ValueError` for an id or a time-out that is none."""
        options = self if request_id is None else replace(self, request_id=request_number(request_id))
        return options if timeout is UNCHANGED else replace(options, timeout=checked_timeout(timeout))


def request_number(name: int | str) -> int:
    """The request id that goes over the wire: a number as it is; 16 hexadecimal digits are one, and any other text stands for the first
    8 bytes of its SHA-256, as ``kist audit show --request`` reads it, too.

    Raises:
        ValueError: 0, less, or more than 64 bits.
    """
    if isinstance(name, str):
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
        return (int(name, 16) if _DIGITS.fullmatch(name) else 0) or int.from_bytes(digest[:8], "big")
    if isinstance(name, int) and not isinstance(name, bool) and 0 < name <= UINT64_MOST:
        return name
    raise ValueError(f"a request id is a text, or a number of at most 64 bits that is not 0, not {name!r}")
