"""The acquirer's side of CardSecure: a token in, what one authorization needs out, once, or again for the same request.

This service answers with the DPAN and its cryptogram: whoever may call it sees card numbers.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import kist
from kist import ReleasedField
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .common.application import application
from .common.database import DatabaseUnavailable
from .common.gate import Exchange
from .common.keys import LabelledKey
from .common.members import Members
from .common.problems import Problem
from .common.settings import Settings
from .vault import Entry, vault_at

NAME = "redeem"
PATH = "/cardsecure/api/v1/ccn/redeem"
REQUIRED = (ReleasedField.DPAN, ReleasedField.EXPIRY, ReleasedField.CRYPTOGRAM)
#: How long an answer waits for its note in the vault, which it does without in the end.
_NOTE_SECONDS = 1.0
FIELDS = (*REQUIRED, ReleasedField.CURRENCY, ReleasedField.AMOUNT, ReleasedField.ECI)


@dataclass(frozen=True, kw_only=True)
class RedeemSettings(Settings):
    """
    Attributes:
        vault: that of `cardsecure`.
        merchant: the merchant identifier that Apple knows.
        envelopes: label of the key of envelopes, as in the merchant's `envelope_key` in kist.toml.
    """

    vault: str
    merchant: str
    envelopes: str


def service(client: kist.AsyncClient, settings: RedeemSettings) -> Starlette:
    vault, envelopes = vault_at(settings.vault), LabelledKey(client, settings.envelopes)

    async def redeem(request: Request) -> Response:
        members = await Members.of(request)
        token = members.text("token", 16)
        members.end()
        exchange = Exchange.of(request)
        entry = await vault.find(token, again=bool(exchange.retry_key))
        if entry is None:
            raise Problem(404, "there is no such token, or it was used, or its time is over")
        # The daemon opens an envelope once, and again for the same request, so that the file need not be trusted with that.
        opened = await exchange.calls(client, leaving=2 * _NOTE_SECONDS).open_envelope(
            await envelopes.id(), entry.envelope, settings.merchant, entry.transaction_id, fields=FIELDS, required=REQUIRED,
            retry=True, retry_key=exchange.retry_key,
        )  # fmt: skip
        exchange.audit_sequence = opened.audit_sequence
        with opened:
            await note(entry, exchange)
            return JSONResponse(authorization(opened))

    async def note(entry: Entry, exchange: Exchange) -> None:
        """Whatever becomes of it, the number is answered: no other request ever gets it."""
        try:
            async with asyncio.timeout(_NOTE_SECONDS):
                await vault.spend(entry.transaction_id)
        except (DatabaseUnavailable, TimeoutError) as error:
            exchange.error = f"{type(error).__name__}: not noted as redeemed"

    routes = [Route(PATH, redeem, methods=["POST"])]
    return application(NAME, client, routes, api_keys=settings.api_keys, database=vault.database)


def authorization(opened: kist.OpenedToken) -> dict[str, object]:
    if not (opened.dpan and opened.expiry and opened.cryptogram):
        raise kist.ReplyError("a required field is missing")
    return {
        "account": opened.dpan.text(), "expiry": opened.expiry.text(), "cryptogram": opened.cryptogram.text(), "eci": opened.eci,
        "currency": opened.currency, "amount": opened.amount,
    }  # fmt: skip
