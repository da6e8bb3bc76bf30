"""Adyen's networkTokenActivationData: the two calls of a merchant's back end between its app, Adyen's SDK and the issuer.

`sdkInput` and `sdkOutput` are opaque to the back end. What Adyen's SDK puts inside is not public; here it is JSON of our own.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping

import kist
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .common.application import application
from .common.gate import Exchange
from .common.members import Members
from .issuer import encoded
from .provisioning import Phone, Provisioning, ProvisioningSettings

NAME = "activation"
PATH = "/bcl/v2/paymentInstruments/{id}/networkTokenActivationData"
#: Certificates, nonce and signature, in base64 twice over: 54,616 characters.
_SDK_OUTPUT_MOST = 40 * 1024 + 2


def service(client: kist.AsyncClient, settings: ProvisioningSettings) -> Starlette:
    provisioning = Provisioning(client, settings)

    async def describe(request: Request) -> Response:
        """What the SDK needs before it can show a card."""
        card = await provisioning.card(request.path_params["id"])
        return sdk_input({
            "paymentInstrumentId": card.id, "cardholderName": card.name, "lastFour": card.last_four, "brand": card.network,
            "primaryAccountReference": card.account_identifier, "supportedWallets": ["applePay"],
        })  # fmt: skip

    async def provision(request: Request) -> Response:
        members = await Members.of(request)
        output = members.octets("sdkOutput", _SDK_OUTPUT_MOST)
        members.end()
        exchange = Exchange.of(request)
        made = await provisioning.seal(await provisioning.card(request.path_params["id"]), Phone.of(Members(output)), exchange)
        exchange.audit_sequence = made.audit_sequence
        return sdk_input(encoded(made))

    async def activation_data(request: Request) -> Response:
        return await (provision if request.method == "POST" else describe)(request)

    routes = [Route(PATH, activation_data, methods=["GET", "POST"])]
    return application(NAME, client, routes, api_keys=settings.api_keys, is_ready=provisioning.ready)


def sdk_input(members: Mapping[str, object]) -> Response:
    return JSONResponse({"sdkInput": base64.b64encode(json.dumps(members).encode()).decode()})
