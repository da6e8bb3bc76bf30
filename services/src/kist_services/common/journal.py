"""What a service says of its work: one line of JSON for each thing, on standard error."""

from __future__ import annotations

import contextlib
import datetime
import json
import sys


def write(members: dict[str, object]) -> None:
    """Writes one line with the time, without the members that are None.

    In one call, where print has one more for the line's end: several processes of a service share the file. An answer is not lost
    because its line cannot be written; what was done is on the daemon's record.
    """
    time = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    told = {name: value for name, value in members.items() if value is not None}
    line = json.dumps({"time": time, **told}) + "\n"
    with contextlib.suppress(OSError):
        sys.stderr.write(line)
        sys.stderr.flush()
