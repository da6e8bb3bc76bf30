"""What a service says of its work: one line of JSON for each thing, on standard error."""

from __future__ import annotations

import json
import sys


def write(members: dict[str, object]) -> None:
    """Writes one line, without the members that are None.

    In one call, where print has one more for the line's end: several processes of a service share the file.
    """
    line = json.dumps({name: value for name, value in members.items() if value is not None}) + "\n"
    sys.stderr.write(line)
    sys.stderr.flush()
