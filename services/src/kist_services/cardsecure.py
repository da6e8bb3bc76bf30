"""CardPointe's CardSecure for EC_APPLE_PAY: an Apple Pay token in, a token of sixteen digits out, for a single authorization.

Of the number this service sees the first six and the last four digits. All that an authorization needs goes past it in an envelope.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import kist
from kist import ReleasedField
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from . import redeem
from .common.application import application
from .common.database import WRITE_SECONDS
from .common.gate import Exchange
from .common.keys import LabelledKey
from .common.members import Members
from .common.problems import Problem
from .common.settings import Settings
from .devicedata import ERRORS, CardSecureError, parse
from .vault import Entry, vault_at

NAME = "cardsecure"
PATH = "/cardsecure/api/v1/ccn/tokenize"
FIELDS = (ReleasedField.BIN, ReleasedField.LAST4, ReleasedField.ENVELOPE)
#: With what `redeem` needs, which comes sealed in the envelope.
REQUIRED = (*FIELDS, *redeem.REQUIRED)
_DEVICEDATA_MOST = 64 * 1024


@dataclass(frozen=True, kw_only=True)
class CardSecureSettings(Settings):
    """
    Attributes:
        vault: the tokens' SQLite file, or a PostgreSQL server's address, `postgresql://kist_cardsecure@…`.
        processing: label of the merchant's key, for requests without `ecpublickeyhash`.
        seconds: how long a token can be redeemed; the merchant's `envelope_lifetime` in kist.toml is no shorter.
    """

    vault: str
    processing: str
    seconds: int = 900


def service(client: kist.AsyncClient, settings: CardSecureSettings) -> Starlette:
    vault = vault_at(settings.vault)
    processing = LabelledKey(client, settings.processing)

    async def tokenize(request: Request) -> Response:
        try:
            devicedata = await device_data(request)
            own_hash = b"" if "&ecpublickeyhash=" in devicedata else hashlib.sha256((await processing.description()).public_key).digest()
            token = await store(parse(devicedata, own_hash), Exchange.of(request))
            return JSONResponse({"message": "No Error", "errorcode": 0, "token": token})
        except CardSecureError as error:
            Exchange.of(request).error = f"CardSecureError {error.code}"
            return JSONResponse({"message": ERRORS[error.code], "errorcode": error.code})

    async def store(token: kist.Token, exchange: Exchange) -> str:
        await vault.database.ensure()
        try:
            opened = await exchange.calls(client, leaving=WRITE_SECONDS).open_payment_token(
                token, fields=FIELDS, required=REQUIRED, retry=True, retry_key=exchange.retry_key
            )
        except (kist.Rejected, kist.Denied) as refused:
            # Policy of another kind than this service needs; else the token is of another kind, and stays unused.
            if isinstance(refused, kist.Rejected) and refused.released_field in FIELDS:
                raise
            exchange.audit_sequence = refused.audit_sequence
            raise CardSecureError(24) from None
        except kist.RequestError:
            raise CardSecureError(13) from None
        exchange.audit_sequence = opened.audit_sequence
        if not (opened.bin and opened.last4 and opened.envelope):
            raise kist.ReplyError("a required field is missing")
        entry = Entry(token.transaction_id, opened.envelope)
        kept = await vault.put(opened.bin[:2], opened.last4, entry, settings.seconds)
        if kept is None:
            raise CardSecureError(24)  # the payment was authorized
        return kept

    routes = [Route(PATH, tokenize, methods=["POST"])]
    return application(NAME, client, routes, api_keys=settings.api_keys, database=vault.database)


async def device_data(request: Request) -> str:
    """
    Raises:
        CardSecureError: 77 also for members that the guide does not know, and for those of another type.
    """
    try:
        members = await Members.of(request)
        handler = members.text("encryptionhandler", _DEVICEDATA_MOST, default="", is_printed=False)
        devicedata = members.text("devicedata", _DEVICEDATA_MOST, default="", is_printed=False)
        members.end()
    except Problem as problem:
        raise CardSecureError(77) if problem.status == 400 else problem from None
    if not handler or not devicedata:
        raise CardSecureError(74)
    if handler != "EC_APPLE_PAY":
        raise CardSecureError(16)
    return devicedata
