"""A key of the daemon's by its label."""

from __future__ import annotations

import kist


class LabelledKey:
    """The id of a key whose label the settings name; asked for once, when it is first used.

    A grant of the service needs `list-keys` for the label.
    """

    def __init__(self, client: kist.AsyncClient, label: str) -> None:
        self._client = client
        self._label = label
        self._id: bytes | None = None

    async def id(self) -> bytes:
        if self._id is None:
            self._id = (await self._client.find_key(self._label)).id
        return self._id

    async def description(self) -> kist.Key:
        """With the public key; needs `describe-key`."""
        return await self._client.describe_key(await self.id())
