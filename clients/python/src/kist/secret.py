"""Bytes that are wiped when they are no longer needed, as far as Python lets anyone."""

from __future__ import annotations

from typing import NoReturn


class Secret(bytearray):
    """Secret bytes: wiped by `wipe`, by leaving a ``with`` block, and when the object goes.

    Python promises less than a language with memory of its own: what `text` or ``bytes(secret)`` make are copies that
    nothing can wipe, and pages can be swapped out or stand in a core dump.
    """

    def wipe(self) -> None:
        """Overwrites the bytes with zeros; their number stays."""
        self[:] = bytes(len(self))

    def text(self) -> str:
        """The bytes as UTF-8 text: a copy that cannot be wiped."""
        return self.decode("utf-8")

    def __enter__(self) -> Secret:
        return self

    def __exit__(self, *exception: object) -> None:
        self.wipe()

    def __del__(self) -> None:
        self.wipe()

    def __repr__(self) -> str:
        return f"<Secret of {len(self)} bytes>"

    __str__ = __repr__

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a secret is not pickled or copied")
