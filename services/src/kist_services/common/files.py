"""Files that others read while they are written."""

from __future__ import annotations

import os


def replace(path: str, content: str, mode: int) -> None:
    """Writes a file whole or not at all, also through a loss of power.

    Args:
        mode: whatever the umask is.

    Raises:
        OSError
    """
    made = path + ".new"
    with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "w") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.rename(made, path)
