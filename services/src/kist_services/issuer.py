"""The issuer host of Apple's guide to in-app provisioning: what a phone gives goes in, what Apple Wallet wants comes out.

It is for the issuer's own back end, which has authenticated the cardholder with more than one factor before it asks.
"""

from __future__ import annotations

import base64

import kist
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .common.application import application
from .common.gate import Exchange
from .common.members import Members
from .provisioning import Phone, Provisioning, ProvisioningSettings

NAME = "issuer"


def service(client: kist.AsyncClient, settings: ProvisioningSettings) -> Starlette:
    provisioning = Provisioning(client, settings)

    async def provision(request: Request) -> Response:
        phone = Phone.of(await Members.of(request))
        exchange = Exchange.of(request)
        made = await provisioning.seal(await provisioning.card(request.path_params["card"]), phone, exchange)
        exchange.audit_sequence = made.audit_sequence
        return JSONResponse(encoded(made))

    routes = [Route("/issuer/v1/cards/{card}/pass", provision, methods=["POST"])]
    return application(NAME, client, routes, api_keys=settings.api_keys, is_ready=provisioning.ready)


def encoded(made: kist.ProvisionedPass) -> dict[str, str]:
    """What the app decodes from base64 and puts into a PKAddPaymentPassRequest."""
    return {
        "encryptedPassData": base64.b64encode(made.encrypted_pass_data).decode(),
        "ephemeralPublicKey": base64.b64encode(made.ephemeral_public_key).decode(),
        "activationData": base64.b64encode(made.activation_data).decode(),
    }
