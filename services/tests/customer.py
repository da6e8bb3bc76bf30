"""Honest requests to all services, and what came back."""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
from everyone import LINK, Everyone
from kist_services import cardsecure, decryptblob, redeem, tokens
from shop import device_parts, devicedata
from test_decryptblob import blob

PAN, CRYPTOGRAM = "4012888888881881", "Af9x/QwAA/DjmU65oyc1MAABAAA="
#: What the daemon's record of a step says; some steps leave none, and of a code that was right the service's log has no sequence.
OPERATIONS = {
    "decrypt": "open-payment-token", "open": "open-payment-token", "tokenize": "open-payment-token", "redeem": "open-envelope", "provision": "provision-pass",
    "activate": "provision-pass", "begin": "sign-otp",
}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    service: str
    step: str
    response: httpx.Response

    @property
    def is_success(self) -> bool:
        return self.response.status_code in (200, 201)


class _Unavailable(Exception):
    """An answer of 503, or of 504 on a machine that is busy: the rest of what the customer wanted is left."""


@dataclass
class Customer:
    """Does one thing after another, as a shop, an acquirer, an issuer and its cardholder would."""

    everyone: Everyone
    clients: dict[str, httpx.Client]
    answers: list[Answer] = field(default_factory=list)

    def lap(self) -> None:
        """Uses every service once."""
        for do in (self.decrypt, self.open, self.pay, self.provision, self.activate, self.verify):
            with contextlib.suppress(_Unavailable):
                do()

    def decrypt(self) -> None:
        answer = self._ask("decryptblob", "decrypt", decryptblob.PATH, content=blob(self.everyone.sandbox.token(pan=PAN)))
        assert PAN in answer.text and CRYPTOGRAM in answer.text

    def open(self) -> None:
        answer = self._ask("tokens", "open", tokens.PATH, json=json.loads(self.everyone.sandbox.token_json(pan=PAN)))
        assert (answer.json()["dpan"], answer.json()["cryptogram"]) == (PAN, CRYPTOGRAM)

    def pay(self) -> None:
        body = {"encryptionhandler": "EC_APPLE_PAY", "devicedata": devicedata(device_parts(json.loads(self.everyone.sandbox.token_json(pan=PAN))))}
        token = self._ask("cardsecure", "tokenize", cardsecure.PATH, json=body).json()["token"]
        assert self._ask("redeem", "redeem", redeem.PATH, json={"token": token}).json()["account"] == PAN

    def provision(self) -> None:
        assert self._ask("issuer", "provision", "/issuer/v1/cards/visa/pass", json=self.everyone.phone).json()["encryptedPassData"]

    def activate(self) -> None:
        path = "/bcl/v2/paymentInstruments/mastercard/networkTokenActivationData"
        assert self._ask("activation", "describe", path, "GET").json()["sdkInput"]
        assert self._ask("activation", "activate", path, json={"sdkOutput": self.everyone.sdk_output()}).json()["sdkInput"]

    def verify(self) -> None:
        card = f"card-{uuid.uuid4()}"
        self.everyone.add_digital_cards([card])
        members = {"deepLink": LINK, "digitalCardId": card, "primaryAccountNumberSuffix": "4320"}
        begun = self._ask("idv", "begin", "/idv/v1/verifications", json=members).json()["verification"]
        answer = self._ask("idv", "check", f"/idv/v1/verifications/{begun}/code", json={"code": self.everyone.code(begun)})
        assert answer.json()["activationToken"].count(".") == 2

    def _ask(self, service: str, step: str, path: str, method: str = "POST", **options: Any) -> httpx.Response:
        answer = Answer(service, step, self.clients[service].request(method, path, **options))
        self.answers.append(answer)
        if answer.response.status_code in (503, 504):
            raise _Unavailable
        assert answer.is_success, (service, step, answer.response.text)
        return answer.response


@contextlib.contextmanager
def customer(everyone: Everyone) -> Iterator[Customer]:
    with contextlib.ExitStack() as stack:
        yield Customer(everyone, {name: stack.enter_context(member.client()) for name, member in everyone.members.items()})
