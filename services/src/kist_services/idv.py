"""In-app ID&V as in Thales D1: Apple Wallet sends a cardholder to the issuer's app, which asks here whether to activate the digital card.

It is for the issuer's back end. A cardholder shows a code, and an activation token for D1 comes out.
"""

from __future__ import annotations

import asyncio
import hashlib
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
from .common.database import DatabaseUnavailable
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
#: Of one digital card in an hour: attempts that failed, and codes.
FAILED_MOST, CODES_MOST, RECENT_SECONDS = 5, 10, 3600
TOKEN_SECONDS = 300
_PHONE_MOST = 64 * 1024
#: How long an answer waits for its note in the file, and how long all takes that comes after a code was right.
_NOTE_SECONDS, _FINISH_SECONDS = 1.0, 5.0


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
    return application(NAME, client, routes, api_keys=settings.api_keys, database=idv.database)


class Idv:
    """The endpoints."""

    def __init__(self, client: kist.AsyncClient, settings: IdvSettings) -> None:
        self._client = client
        self._settings = settings
        self._verifications = Verifications(settings.file)
        self.database = self._verifications.database
        self._codes = LabelledKey(client, settings.codes)
        self._authenticators = LabelledKey(client, settings.authenticators)
        self._signing = LabelledKey(client, settings.signing)
        #: Held while a code of a verification is checked.
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def begin(self, request: Request) -> Response:
        """Checks what Apple Wallet handed to the app, and sends a code to those who have no authenticator."""
        members = await Members.of(request)
        # These two come from the phone: whatever they are, they are a parameter that is wrong.
        link, suffix = (members.text(name, _PHONE_MOST, "", is_printed=False) for name in ("deepLink", "primaryAccountNumberSuffix"))
        identifier = members.text("digitalCardId", 128)
        members.end()
        card = await self._verifications.card(identifier)
        if card is None:
            raise Problem(404, "there is no such digital card")
        await self._check_recent(card)
        if not is_deep_link(link, self._settings.deep_link) or suffix != card.suffix:
            await self._verifications.begin(card.id, "failed")
            raise Problem(422, "ID&V failed: a parameter is missing, wrong or not expected")
        verification = await self._verifications.begin(card.id)
        await self._send(verification, card, request)
        answer = {"verification": verification, "method": "code" if card.channel else "authenticator", "cardArt": card.art}
        return JSONResponse(answer, 201)

    async def resend(self, request: Request) -> Response:
        """Sends another code; the one before is not accepted any more."""
        verification, card = await self._current(request)
        if not card.channel:
            raise Problem(409, "this cardholder has an authenticator: nothing is sent")
        if verification.sent >= SENT_MOST:
            raise Problem(429, "too many codes were sent", RECENT_SECONDS)
        await self._check_recent(card)
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
        verification, card = await self._current(request)
        # One that was sent while the clock was ahead has no longer time than others.
        if card.channel and not 0 < verification.code_until - time.time() <= self._settings.code_seconds:
            raise Problem(410, "the code has expired; have another one sent")
        proof = hashlib.sha256(f"{verification.id}\0{code}".encode()).digest()
        if proof != verification.proof:
            await self._verify(code, verification, card, request)
        # The daemon accepts a code once: what comes of it is a token, or a note that it was right.
        try:
            token = await self._token(verification, request)
        except Exception:
            await self._verifications.note_right(verification.id, proof)
            raise
        if not await self._passes(verification, Exchange.of(request)):
            raise Problem(410, "this verification is over")
        return JSONResponse({"activationToken": token})

    async def _verify(self, code: str, verification: Verification, card: DigitalCard, request: Request) -> None:
        """
        Raises:
            Problem: the code is wrong.
        """
        await self.database.ensure()
        key = await (self._codes if card.channel else self._authenticators).id()
        try:
            counter = await Exchange.of(request).calls(self._client, _FINISH_SECONDS).verify_otp(key, code, subject=_subject(card))
        except kist.Rejected as rejected:
            await self._verifications.note_wrong(verification.id, WRONG_MOST)
            locked = rejected.stage == "otp-locked"
            text = "too many wrong codes: this cardholder is locked out for a while" if locked else "the code is wrong"
            raise Problem(423 if locked else 422, text, None, rejected.audit_sequence) from None
        if card.channel and counter != verification.counter:
            await self._verifications.note_wrong(verification.id, WRONG_MOST)
            raise Problem(422, "the code is wrong")

    async def _passes(self, verification: Verification, exchange: Exchange) -> bool:
        """Whether this is the request that ends the verification.

        Where the file cannot tell, the code was right all the same, and the daemon accepts it once.
        """
        try:
            async with asyncio.timeout(_NOTE_SECONDS):
                return await self._verifications.pass_once(verification.id)
        except (DatabaseUnavailable, TimeoutError) as error:
            exchange.error = f"{type(error).__name__}: not noted as passed"
            return True

    async def art(self, request: Request) -> Response:
        """The art of the cardholder's digital cards with these last four digits."""
        found = await self._verifications.art(request.path_params["cardholder"], request.path_params["suffix"])
        if not found:
            raise Problem(404, "this cardholder has no such card")
        return JSONResponse({"cards": found})

    async def _check_recent(self, card: DigitalCard) -> None:
        failed, sent = await self._verifications.recent(card.id, RECENT_SECONDS)
        if failed >= FAILED_MOST:
            raise Problem(429, "too many failed attempts with this card", RECENT_SECONDS)
        if card.channel and sent >= CODES_MOST:
            raise Problem(429, "too many codes were sent for this card", RECENT_SECONDS)

    async def _current(self, request: Request) -> tuple[Verification, DigitalCard]:
        verification = await self._verifications.find(request.path_params["id"])
        card = await self._verifications.card(verification.digital_card) if verification else None
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
        await self._verifications.note_sent(verification, made.counter, time.time() + self._settings.code_seconds)
        with made.otp as code:
            message = {"channel": card.channel, "code": code.text()}
            try:
                await asyncio.to_thread(post, self._settings.outbox, f"{verification}-{made.counter}", message)
            except OSError:
                raise Problem(503, "the service cannot write to its outbox now", 5) from None

    async def _token(self, verification: Verification, request: Request) -> str:
        now = int(time.time())
        claims = {
            "iss": self._settings.issuer, "aud": self._settings.audience, "sub": verification.digital_card, "iat": now, "exp": now + TOKEN_SECONDS,
            "jti": verification.id,
        }  # fmt: skip
        return await jws.sign(Exchange.of(request).calls(self._client, 2 * _NOTE_SECONDS), await self._signing.id(), claims)


def _subject(card: DigitalCard) -> str:
    """Whose codes these are: an authenticator is the cardholder's; a code that is sent is for one card, so that it leaves those of others right."""
    return card.id if card.channel else card.cardholder
