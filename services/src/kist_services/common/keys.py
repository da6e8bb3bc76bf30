"""A key of the daemon's by its label."""

from __future__ import annotations

import kist

from .problems import Problem


class LabelledKey:
    """The id of a key whose label the settings name; asked for once, when it is first used.

    The service's grant needs `list-keys` for the label.
    """

    def __init__(self, client: kist.AsyncClient, label: str) -> None:
        self._client = client
        self._label = label
        self._id: bytes | None = None

    async def id(self) -> bytes:
        if self._id is None:
            found = [key.id for key in await self._client.keys(self._label) if key.label == self._label]
            if not found:
                raise Problem(503, "a key that the settings name is not there, or not granted to this service", 30)
            self._id = found[0]
        return self._id

    async def description(self) -> kist.Key:
        """With the public key; needs `describe-key`."""
        return await self._client.describe_key(await self.id())
