"""Base64 that strangers send, in its one form (RFC 4648 section 4)."""

from __future__ import annotations

import base64
import binascii
import re

#: Hexadecimal is made of letters of base64. No base64 of as many bytes as this looks like it by
#: chance but for one text in thirty thousand, of a number of bytes that three divides.
_HEXADECIMAL = re.compile(r"[0-9a-f]{8,}|[0-9A-F]{8,}")


def decode(text: str) -> bytes:
    """
    Raises:
        ValueError: says what it is instead.
    """
    if _HEXADECIMAL.fullmatch(text):
        raise ValueError("is hexadecimal in place of base64")
    try:
        value = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeError):
        raise ValueError("is not base64") from None
    if base64.b64encode(value).decode() != text:
        raise ValueError("is not base64 in its one form")
    return value
