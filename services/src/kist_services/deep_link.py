"""The link by which Apple Wallet opens the issuer's app."""

from __future__ import annotations

import re
import urllib.parse

PASS_TYPE = "paymentpass.com.apple"
_SERIAL_NUMBER = re.compile(r"[A-Za-z0-9._-]{1,64}")


def is_deep_link(link: str, expected: str) -> bool:
    """Whether Apple's three parameters are there, each once, and nothing else."""
    place, _, query = link.partition("?")
    try:
        pairs = urllib.parse.parse_qsl(query, keep_blank_values=True, strict_parsing=True, max_num_fields=3)
    except ValueError:
        return False
    given = dict(pairs)
    return (
        place == expected and len(pairs) == len(given) == 3 and given.get("action") == "verify"
        and given.get("passTypeIdentifier") == PASS_TYPE and _SERIAL_NUMBER.fullmatch(given.get("serialNumber", "")) is not None
    )  # fmt: skip
