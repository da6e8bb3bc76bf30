"""What people have been told by `renew`, and what they are still to hear of."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from typing import Any

from .common.files import replace
from .rotation import Stop


class Told:
    """What people have been told, so that they are told once, by line of keys; a file that is replaced whole."""

    def __init__(self, directory: str) -> None:
        self._path = os.path.join(directory, "told.json")
        before = _object(self._path)
        # Of a file that is none people hear everything once more.
        self._before: dict[str, list[str]] = before if all(isinstance(told, list) for told in before.values()) else {}
        self._now: dict[str, list[str]] = defaultdict(list)

    def is_new(self, line: str, what: str) -> bool:
        return what not in self._before.get(line, ()) and what not in self._now[line]

    def note(self, line: str, what: str) -> None:
        """That it is so in this run, and people know."""
        self._now[line].append(what)

    def save(self, whole: set[str]) -> None:
        """
        Args:
            whole: the lines that were walked to their end: what is no longer so is told again when it comes again.
        """
        kept = {line: told for line, told in self._before.items() if line not in whole}
        for line, told in self._now.items():
            kept[line] = sorted({*told, *kept.get(line, ())})
        replace(self._path, json.dumps(kept, indent=1), 0o600)


class Stopping:
    """Keys that a run stops, each noted before: a run that is cut off in between, or cannot tell of it, leaves that to the next."""

    def __init__(self, directory: str) -> None:
        self._path = os.path.join(directory, "stopping.json")
        self._noted: dict[str, tuple[Stop, str]] = {}
        for id, noted in _object(self._path).items():
            match noted:
                case [str(stop), str(hosts)] if stop in list(Stop):
                    self._noted[id] = Stop(stop), hosts

    def of(self, id: str) -> tuple[Stop, str] | None:
        """The step, and the hosts that did it before."""
        return self._noted.get(id)

    def note(self, id: str, step: Stop, hosts: str) -> None:
        """
        Raises:
            OSError
        """
        self._noted[id] = step, hosts
        self._save()

    def forget(self, id: str) -> None:
        """
        Raises:
            OSError
        """
        if self._noted.pop(id, None):
            self._save()

    def _save(self) -> None:
        replace(self._path, json.dumps(self._noted), 0o600)


def _object(path: str) -> dict[str, Any]:
    """Empty for a file that is not there, or is none."""
    try:
        with open(path) as file:
            found = json.load(file)
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
