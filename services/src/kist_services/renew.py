"""Walks over merchants' keys and does what is due with each, by kistd and by Apple's API: ``python3 -m kist_services.renew --settings FILE``.

A timer runs it. It keeps nothing but what it has told already: which step is next follows from kistd and Apple each time, so that a run that was cut off
goes on where it was. It is an operator, whose grant says of which keys; a step that the settings do not name is told to people instead.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable
from datetime import UTC, datetime

import kist

from .appstoreconnect import AppStoreConnect, Wait
from .carried import Carried, Sign, Unsigned
from .common import jws
from .common.keys import LabelledKey
from .common.settings import SettingsError, instead, load
from .operator import Register
from .renewal import SECONDS, Renewal
from .renewal_settings import RenewSettings


async def renew(settings: RenewSettings, *, plans: bool = False) -> int:
    """
    Returns:
        of how many lines of keys something failed.
    """
    async with kist.AsyncClient(settings.endpoint) as client, kist.AsyncClient(f"unix:{settings.operators}", timeout=SECONDS) as operators:
        apple = fleet = None
        if settings.api_key:
            sign = signer(client, settings.api_key, settings.api_key_id, Wait)
            apple = AppStoreConnect(sign, settings.api_issuer, settings.apple_authorities, instead("apple", settings.apple))
        if settings.exchange:
            sign = signer(client, settings.host_key, settings.host, Unsigned)
            fleet = Carried(settings.bundles, settings.host, settings.public_keys, sign)
        renewal = Renewal(settings, Register(operators), apple, fleet, datetime.now(UTC), plans=plans)
        await renewal.run()
        return renewal.failures


def signer(client: kist.AsyncClient, label: str, name: str, failure: Callable[[str], Exception]) -> Sign:
    """Makes JWS by the key of this label, which `kid` calls `name`; that kistd does not sign becomes a `failure`."""
    key = LabelledKey(client, label)

    async def sign(claims: dict[str, object]) -> str:
        try:
            return await jws.sign(client, await key.id(), claims, name)
        except kist.KistError as refused:
            raise failure(f"kistd does not sign with {label}: {refused}") from None

    return sign


def main() -> int:
    parser = argparse.ArgumentParser(prog="kist_services.renew", description=__doc__)
    parser.add_argument("--settings", required=True, metavar="FILE", help="TOML; the package's examples have one")
    parser.add_argument("--plan", action="store_true", help="say what is due, and do and tell nothing")
    words = parser.parse_args()
    try:
        return 1 if asyncio.run(renew(load(RenewSettings, words.settings), plans=words.plan)) else 0
    except (SettingsError, kist.EndpointError, OSError) as error:
        print(f"kist_services.renew: {error}", file=sys.stderr)
        return 78  # EX_CONFIG


if __name__ == "__main__":
    sys.exit(main())
