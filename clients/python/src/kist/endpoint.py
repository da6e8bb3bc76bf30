"""Where a daemon listens."""

from __future__ import annotations

import os

from .errors import EndpointError

#: The services' socket of an installed daemon.
SERVICES = "unix:/run/kist/kist.sock"
#: The operators' socket.
OPERATORS = "unix:/run/kist/admin.sock"


def socket_path(endpoint: str | None) -> str:
    """The path in `unix:/PATH`; None means the environment's `KIST_ENDPOINT`, else the usual socket.

    An empty `KIST_ENDPOINT` is one that is not set; an empty `endpoint` is none.

    Raises:
        EndpointError: another scheme, or no absolute path.
    """
    if endpoint is None:
        endpoint = os.environ.get("KIST_ENDPOINT") or SERVICES
    scheme, _, path = endpoint.partition(":")
    if scheme != "unix" or not path.startswith("/") or "\0" in path:
        raise EndpointError(endpoint)
    return path
