"""In-app ID&V as in Thales D1: Apple Wallet sends a cardholder to the issuer's app, which asks here whether to activate the digital card.

It is for the issuer's back end. A cardholder shows a code, and an activation token for D1 comes out.
"""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass
from weakref import WeakValueDictionary

import kist
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .common import jws
from .common.application import application
from .common.gate import Exchange
from .common.keys import LabelledKey
from .common.members import Members
from .common.problems import Problem
from .common.settings import Settings, SettingsError
from .deep_link import is_deep_link
from .outbox import post
from .verifications import DigitalCard, Verification, Verifications

NAME = "idv"
#: Of one verification.
WRONG_MOST, SENT_MOST = 5, 3
#: Attempts on one digital card in an hour that did not pass.
ATTEMPTS_MOST, ATTEMPTS_SECONDS = 5, 3600
TOKEN_SECONDS = 300


@dataclass(frozen=True, kw_only=True)
class IdvSettings(Settings):
    """
    Attributes:
        file: digital cards and verifications.
        outbox: a directory; the issuer's messenger takes codes out of it and sends them.
        deep_link: what appLaunchURL says, up to the question mark.
        codes: label of the key of codes that are sent (role `otp-hotp`).
        authenticators: label of the key of cardholders' authenticators (role `otp-totp`).
        signing: label of the key that signs activation tokens (role `signing-ecdsa`, P-256).
        issuer: `iss` of these.
        audience: `aud` of these.
        code_seconds: how long a code that was sent is accepted.
    """

    file: str
    outbox: str
    deep_link: str
    codes: str
    authenticators: str
    signing: str
    issuer: str
    audience: str
    code_seconds: int = 300


def service(client: kist.AsyncClient, settings: IdvSettings) -> Starlette:
    if not os.access(settings.outbox, os.W_OK | os.X_OK):
        raise SettingsError(f"outbox: {settings.outbox} is no directory that this service may write")
    idv = Idv(client, settings)
    routes = [
        Route("/idv/v1/verifications", idv.begin, methods=["POST"]),
        Route("/idv/v1/verifications/{id}/resend", idv.resend, methods=["POST"]),
        Route("/idv/v1/verifications/{id}/code", idv.check, methods=["POST"]),
        Route("/idv/v1/cardholders/{cardholder}/card-art/{suffix}", idv.art, methods=["GET"]),
    ]
    return application(NAME, client, routes, api_keys=settings.api_keys)


class Idv:
    """The endpoints."""

    def __init__(self, client: kist.AsyncClient, settings: IdvSettings) -> None:
        self._client = client
        self._settings = settings
        self._verifications = Verifications(settings.file)
        self._codes = LabelledKey(client, settings.codes)
        self._authenticators = LabelledKey(client, settings.authenticators)
        self._signing = LabelledKey(client, settings.signing)
        #: Held while a code of a verification is checked.
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def begin(self, request: Request) -> Response:
        """Checks what Apple Wallet handed to the app, and sends a code to those who have no authenticator."""
        members = await Members.of(request)
        link, identifier = members.text("deepLink", 512), members.text("digitalCardId", 128)
        suffix = members.text("primaryAccountNumberSuffix", 4)
        members.end()
        card = self._verifications.card(identifier)
        if card is None:
            raise Problem(404, "there is no such digital card")
        if self._verifications.unpassed(card.id, ATTEMPTS_SECONDS) >= ATTEMPTS_MOST:
            raise Problem(429, "too many attempts with this card", ATTEMPTS_SECONDS)
        if not is_deep_link(link, self._settings.deep_link) or suffix != card.suffix:
            self._verifications.begin(card.id, "failed")
            raise Problem(422, "ID&V failed: a parameter is missing, wrong or not expected")
        verification = self._verifications.begin(card.id)
        await self._send(verification, card, request)
        answer = {"verification": verification, "method": "code" if card.channel else "authenticator", "cardArt": card.art}
        return JSONResponse(answer, 201)

    async def resend(self, request: Request) -> Response:
        """Sends another code; the one before is not accepted any more."""
        verification, card = self._current(request)
        if not card.channel:
            raise Problem(409, "this cardholder has an authenticator: nothing is sent")
        if verification.sent >= SENT_MOST:
            raise Problem(429, "too many codes were sent", ATTEMPTS_SECONDS)
        await self._send(verification.id, card, request)
        return Response(status_code=202)

    async def check(self, request: Request) -> Response:
        """A right code ends the verification and gives the activation token, once."""
        members = await Members.of(request)
        code = members.text("code", 10)
        members.end()
        # One after the other: the same code that comes twice at once, as from a double tap, is right once and never wrong.
        async with self._turns.setdefault(request.path_params["id"], asyncio.Lock()):
            return await self._check(code, request)

    async def _check(self, code: str, request: Request) -> Response:
        verification, card = self._current(request)
        # One that was sent while the clock was ahead has no longer time than others.
        if card.channel and not 0 < verification.code_until - time.time() <= self._settings.code_seconds:
            raise Problem(410, "the code has expired; have another one sent")
        key = await (self._codes if card.channel else self._authenticators).id()
        try:
            counter = await Exchange.of(request).calls(self._client).verify_otp(key, code, subject=_subject(card))
        except kist.Rejected as rejected:
            self._verifications.note_wrong(verification.id, WRONG_MOST)
            locked = rejected.stage == "otp-locked"
            text = "too many wrong codes: this cardholder is locked out for a while" if locked else "the code is wrong"
            raise Problem(423 if locked else 422, text, None, rejected.audit_sequence) from None
        if card.channel and counter != verification.counter:
            self._verifications.note_wrong(verification.id, WRONG_MOST)
            raise Problem(422, "the code is wrong")
        # Where this fails, the verification is still open, and another code can be sent.
        token = await self._token(verification, request)
        if not self._verifications.pass_once(verification.id):
            raise Problem(410, "this verification is over")
        return JSONResponse({"activationToken": token})

    async def art(self, request: Request) -> Response:
        """The art of the cardholder's digital cards with these last four digits."""
        found = self._verifications.art(request.path_params["cardholder"], request.path_params["suffix"])
        if not found:
            raise Problem(404, "this cardholder has no such card")
        return JSONResponse({"cards": found})

    def _current(self, request: Request) -> tuple[Verification, DigitalCard]:
        verification = self._verifications.find(request.path_params["id"])
        card = verification and self._verifications.card(verification.digital_card)
        if not verification or not card:
            raise Problem(404, "there is no such verification")
        if verification.state != "open":
            raise Problem(410, "this verification is over")
        return verification, card

    async def _send(self, verification: str, card: DigitalCard, request: Request) -> None:
        """Puts a fresh code into the outbox; an authenticator makes its own."""
        if not card.channel:
            return
        exchange = Exchange.of(request)
        made = await exchange.calls(self._client).sign_otp(await self._codes.id(), subject=_subject(card))
        exchange.audit_sequence = made.audit_sequence
        self._verifications.note_sent(verification, made.counter, time.time() + self._settings.code_seconds)
        with made.otp as code:
            post(self._settings.outbox, f"{verification}-{made.counter}", {"channel": card.channel, "code": code.text()})

    async def _token(self, verification: Verification, request: Request) -> str:
        now = int(time.time())
        claims = {
            "iss": self._settings.issuer, "aud": self._settings.audience, "sub": verification.digital_card, "iat": now, "exp": now + TOKEN_SECONDS,
            "jti": verification.id,
        }  # fmt: skip
        return await jws.sign(Exchange.of(request).calls(self._client), await self._signing.id(), claims)


def _subject(card: DigitalCard) -> str:
    """Whose codes these are: an authenticator is the cardholder's; a code that is sent is for one card, so that it leaves those of others right."""
    return card.id if card.channel else card.cardholder
