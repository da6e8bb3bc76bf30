"""Checks UTF-8 without making a `str` of it."""

from __future__ import annotations

#: The range of the second byte, if the first byte restricts it further than to continuation bytes.
_SECOND = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}


def is_utf8(text: bytes | bytearray | memoryview) -> bool:
    """Whether these bytes are well-formed UTF-8, Unicode table 3-7.

    Byte by byte: decoding would leave a `str` behind, of a card number for example, that nothing can wipe.
    """
    rest = iter(text)
    for first in rest:
        least, most = _SECOND.get(first, (0x80, 0xBF))
        for _ in range(_continuations(first)):
            if not least <= next(rest, 0) <= most:
                return False
            least, most = 0x80, 0xBF
        if 0x80 <= first < 0xC2 or first > 0xF4:
            return False
    return True


def _continuations(first: int) -> int:
    """The number of bytes after this first one."""
    return 0 if first < 0xC2 else 1 if first < 0xE0 else 2 if first < 0xF0 else 3
