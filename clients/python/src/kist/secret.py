"""Bytes that are wiped when they are no longer needed, as far as Python allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, SupportsIndex, overload


class Secret(bytearray):
    """Secret bytes: wiped by `wipe`, by leaving a ``with`` block, and when the object is destroyed.

    What is cut out of it, put together with it or made of it by a method of `bytearray`'s is a secret of its own.

    Python promises less than a language with memory of its own: what `text` or ``bytes(secret)`` make are copies that
    nothing can wipe, and pages can be swapped out or stand in a core dump.
    """

    def wipe(self) -> None:
        """Overwrites the bytes with zeros; the length stays the same."""
        self[:] = bytes(len(self))

    def text(self) -> str:
        """The bytes as UTF-8 text: a copy that cannot be wiped.

        Raises:
            ValueError: it was wiped, and its text would be zeros.
        """
        if self and not any(self):
            raise ValueError("a secret that was wiped has no text")
        return self.decode("utf-8")

    def copy(self) -> Secret:
        """The same bytes, wiped on their own."""
        return Secret(self)

    @overload
    def __getitem__(self, key: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, key: slice) -> Secret: ...
    def __getitem__(self, key: SupportsIndex | slice) -> int | Secret:
        if isinstance(key, slice):
            return _taken(super().__getitem__(key))
        return super().__getitem__(key)

    def __add__(self, other: Any) -> Secret:
        return _taken(super().__add__(other))

    def __radd__(self, other: Any) -> Secret:
        made = bytearray(memoryview(other))
        made.extend(self)
        return _taken(made)

    def __iadd__(self, other: Any) -> Secret:
        return self.__add__(other)  # growing in place would leave the old bytes behind

    def __mul__(self, count: SupportsIndex) -> Secret:
        return _taken(super().__mul__(count))

    def __rmul__(self, count: SupportsIndex) -> Secret:
        return self.__mul__(count)

    def __imul__(self, count: SupportsIndex) -> Secret:
        return self.__mul__(count)

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


def _taken(made: bytearray) -> Secret:
    """A secret of these bytes, which are wiped."""
    secret = Secret(made)
    made[:] = bytes(len(made))
    return secret


def _secret(made: Any) -> Any:
    """The result of a `bytearray` method, with its bytes as secrets."""
    if isinstance(made, (list, tuple)):
        return type(made)(map(_secret, made))
    return _taken(made) if type(made) is bytearray else made


def _keeping(name: str) -> Callable[..., Any]:
    method: Callable[..., Any] = getattr(bytearray, name)

    def run(self: Secret, *args: Any, **kwargs: Any) -> Any:
        return _secret(method(self, *args, **kwargs))

    run.__name__, run.__doc__ = name, method.__doc__
    return run


for _name in (
    "__mod__", "capitalize", "center", "expandtabs", "join", "ljust", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace",
    "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines", "strip", "swapcase", "title", "translate", "upper", "zfill",
):  # fmt: skip
    setattr(Secret, _name, _keeping(_name))
