"""Messages for a messenger, as files of a directory."""

from __future__ import annotations

import json
import os

from .common.files import replace


def post(outbox: str, name: str, message: dict[str, str]) -> None:
    """Writes a message whole, for the messenger's group alone to read."""
    replace(os.path.join(outbox, name + ".json"), json.dumps(message), 0o640)
