"""A token as Apple gave it in JSON in, what the grant releases of it as JSON out.

Where the grant names the DPAN and the cryptogram, this service answers with them: whoever may call it sees card numbers.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import kist
from kist import ReleasedField
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .common.application import application
from .common.gate import Exchange, Limits
from .common.problems import Problem
from .common.settings import Settings, SettingsError
from .shapes import SHAPES

NAME = "tokens"
PATH = "/v1/tokens/open"
#: A token has 4 KiB in base64; the daemon takes 64 KiB of data.
LIMITS = Limits(body=128 * 1024)
#: The names that policy and settings have for what can be asked for.
FIELDS = {
    field.name.lower().replace("_", "-"): field for field in ReleasedField if field is not ReleasedField.JWE
}


@dataclass(frozen=True, kw_only=True)
class TokensSettings(Settings):
    """
    Attributes:
        required: a token that lacks one of these, or of which the grant does not release one, is refused and not used up.
        shape: the answer's `payment` is as this processor takes it; what that needs is required, too. Empty for a member for each field, as it is where
            the grant releases to a partner.
    """

    required: tuple[str, ...] = ()
    shape: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.required:
            if name not in FIELDS:
                raise SettingsError(f"required: {name} is no field; there are {', '.join(FIELDS)}")
        if self.shape and self.shape not in SHAPES:
            raise SettingsError(f"shape: {self.shape} is none; there are {', '.join(SHAPES)}")


def service(client: kist.AsyncClient, settings: TokensSettings) -> Starlette:
    shape = SHAPES.get(settings.shape)
    required = [*(FIELDS[name] for name in settings.required), *(shape.required if shape else ())]

    async def open_token(request: Request) -> Response:
        token = await read(request)
        exchange = Exchange.of(request)
        opened = await exchange.calls(client).open_payment_token(token, required=required, retry=True, retry_key=exchange.retry_key)
        exchange.audit_sequence = opened.audit_sequence
        with opened:
            # What is released to a partner counts as released, but only the partner can read it.
            if shape is None or opened.jwe is not None:
                return JSONResponse(payment(opened))
            return JSONResponse({"signingTime": opened.signing_time, "auditSequence": opened.audit_sequence, "payment": shape.write(opened)})

    return application(NAME, client, [Route(PATH, open_token, methods=["POST"])], api_keys=settings.api_keys, limits=LIMITS)


async def read(request: Request) -> kist.Token:
    """`paymentData` alone, or within what PassKit, Apple Pay JS or the W3C's PaymentResponse puts around it.

    Raises:
        Problem
        kist.TokenError
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem(415, "the body has to be application/json")
    body = await request.body()
    if not body.lstrip(b" \t\r\n").startswith(b"{"):
        raise Problem(400, "the body is not a JSON object")
    return kist.Token.from_apple(body)


def _text(value: kist.Secret) -> str:
    return value.text()


def _json(value: kist.Secret) -> Any:
    """As the token has it."""
    return json.loads(value.text())


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _as_it_is(value: object) -> object:
    return value


#: Of each field of an opened token its name in the answer, and how it is written there.
_MEMBERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "dpan": ("dpan", _text), "last4": ("last4", _as_it_is), "bin": ("bin", _as_it_is), "network": ("network", _as_it_is),
    "expiry": ("expiry", _text), "currency": ("currency", _as_it_is), "amount": ("amount", _as_it_is), "cryptogram": ("cryptogram", _text),
    "eci": ("eci", _as_it_is), "payment_data_type": ("paymentDataType", _as_it_is), "device_manufacturer": ("deviceManufacturer", _as_it_is),
    "emv_data": ("emvData", _text), "encrypted_pin": ("encryptedPin", _text), "cardholder_name": ("cardholderName", _text),
    "authentication_responses": ("authenticationResponses", _json), "merchant_token": ("merchantToken", _json), "raw": ("raw", _text),
    "surrogate": ("surrogate", _as_it_is), "envelope": ("envelope", _base64), "jwe": ("jwe", _as_it_is),
}  # fmt: skip


def payment(opened: kist.OpenedToken) -> dict[str, object]:
    """What was released, and no member for what was not."""
    members: dict[str, object] = {"signingTime": opened.signing_time, "auditSequence": opened.audit_sequence}
    for name, (member, written) in _MEMBERS.items():
        value = getattr(opened, name)
        if value is not None:
            members[member] = written(value)
    return members
