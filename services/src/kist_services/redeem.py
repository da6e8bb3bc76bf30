"""The acquirer's side of CardSecure: a token in, what one authorization needs out, once.

This service answers with the DPAN and its cryptogram: whoever may call it sees card numbers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import kist
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .common.application import application
from .common.keys import LabelledKey
from .common.members import Members
from .common.problems import Problem
from .common.settings import Settings
from .vault import Vault, context

NAME = "redeem"
PATH = "/cardsecure/api/v1/ccn/redeem"


@dataclass(frozen=True, kw_only=True)
class RedeemSettings(Settings):
    """
    Attributes:
        vault: the file of tokens, which `cardsecure` writes.
        merchant: the merchant identifier that Apple knows.
        envelopes: label of the key of payment envelopes, as in the merchant's `envelope_key` in kist.toml.
        sealing: label of the key that seals entries of the vault.
    """

    vault: str
    merchant: str
    envelopes: str
    sealing: str


def service(client: kist.AsyncClient, settings: RedeemSettings) -> Starlette:
    vault = Vault(settings.vault)
    envelopes, sealing = LabelledKey(client, settings.envelopes), LabelledKey(client, settings.sealing)

    async def redeem(request: Request) -> Response:
        members = await Members.of(request)
        token = members.text("token", 16)
        members.end()
        entry = vault.take(token)
        if entry is None:
            raise Problem(404, "there is no such token, or it was used, or its time is over")
        try:
            with await client.unseal(await sealing.id(), entry.sealed, associated_data=context(token)) as rest:
                fields = json.loads(rest)
            with await client.open_envelope(
                await envelopes.id(), entry.pan_envelope, settings.merchant, entry.transaction_id, required=(kist.ReleasedField.DPAN,)
            ) as opened:
                if opened.dpan is None:
                    raise kist.ReplyError("a required field is missing")
                return JSONResponse({"account": opened.dpan.text(), **fields})
        except (kist.KistError, Problem):
            vault.give_back(token)
            raise

    return application(NAME, client, [Route(PATH, redeem, methods=["POST"])], api_keys=settings.api_keys)
