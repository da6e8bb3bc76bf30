"""Messages for a messenger, as files of a directory."""

from __future__ import annotations

import json
import os


def post(outbox: str, name: str, message: dict[str, str]) -> None:
    """Writes a message whole, for the messenger's group alone to read."""
    path = os.path.join(outbox, name)
    with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "w") as file:
        os.fchmod(file.fileno(), 0o640)  # whatever the umask is
        json.dump(message, file)
    os.rename(path + ".new", path + ".json")
