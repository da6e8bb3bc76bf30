"""Runs one service: ``python3 -m kist_services NAME --settings FILE``, on the socket that systemd hands over, or on one of its own."""

from __future__ import annotations

import argparse
import logging
import os
import sqlite3
import sys
from collections.abc import Callable
from typing import Any

import kist
from starlette.applications import Starlette

from . import activation, cardsecure, decryptblob, idv, issuer, keys, redeem, sessions, tokens
from .common import journal
from .common.http import serve
from .common.settings import Settings, SettingsError, load
from .provisioning import ProvisioningSettings

SERVICES: dict[str, tuple[type[Settings], Callable[[kist.AsyncClient, Any], Starlette]]] = {
    activation.NAME: (ProvisioningSettings, activation.service),
    cardsecure.NAME: (cardsecure.CardSecureSettings, cardsecure.service),
    decryptblob.NAME: (decryptblob.DecryptBlobSettings, decryptblob.service),
    idv.NAME: (idv.IdvSettings, idv.service),
    issuer.NAME: (ProvisioningSettings, issuer.service),
    keys.NAME: (keys.KeysSettings, keys.service),
    redeem.NAME: (redeem.RedeemSettings, redeem.service),
    sessions.NAME: (sessions.SessionsSettings, sessions.service),
    tokens.NAME: (tokens.TokensSettings, tokens.service),
}

#: Where systemd puts the first socket of a unit (sd_listen_fds(3)).
_FIRST_SOCKET = 3


class _OneLine(logging.Handler):
    """uvicorn's own messages like the others, without tracebacks, which can quote values."""

    def emit(self, record: logging.LogRecord) -> None:
        journal.write({"server": record.getMessage().strip()})


def main() -> int:
    parser = argparse.ArgumentParser(prog="kist_services", description=__doc__)
    parser.add_argument("name", choices=SERVICES)
    parser.add_argument("--settings", required=True, metavar="FILE", help="TOML; the package's examples have one for each service")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--socket", metavar="PATH", help="a Unix socket to make")
    place.add_argument("--port", type=int, metavar="N", help="a port of 127.0.0.1, for trying it out")
    words = parser.parse_args()
    kind, service = SERVICES[words.name]
    try:
        settings = load(kind, words.settings)
        app = service(kist.AsyncClient(settings.endpoint), settings)
    except (SettingsError, kist.EndpointError, OSError, sqlite3.Error) as error:
        print(f"kist_services: {error}", file=sys.stderr)
        return 78  # EX_CONFIG
    logging.basicConfig(handlers=[_OneLine()], level=logging.WARNING)
    serve(app, **_place(words))
    return 0


def _place(words: argparse.Namespace) -> dict[str, Any]:
    if words.socket:
        return {"uds": words.socket}
    if words.port:
        return {"host": "127.0.0.1", "port": words.port}
    if os.environ.get("LISTEN_PID") == str(os.getpid()):
        return {"fd": _FIRST_SOCKET}
    raise SystemExit("kist_services: systemd handed over no socket; name one with --socket or --port")


if __name__ == "__main__":
    sys.exit(main())
