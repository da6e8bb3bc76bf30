"""Radial's DecryptBlob: an Apple Pay token in, what an authorisation needs out, both as XML.

This service answers with the DPAN and its cryptogram: whoever may call it sees card numbers.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

import kist
from kist import ReleasedField
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .common.application import application
from .common.currencies import CURRENCIES, decimal
from .common.gate import Exchange, Limits
from .common.problems import Problem
from .common.settings import Settings
from .common.xml import boolean, children, hexadecimal, local, octets, parse, text

NAME = "decryptblob"
PATH = "/payments/services/1.0/DecryptBlob"
SERVICES = "http://schema.gsicommerce.com/payments/services/1.0/"
TYPES = "http://schema.gsicommerce.com/payments/types/1.0/"
#: A token has 4 KiB in base64; the daemon takes 64 KiB of data.
LIMITS = Limits(body=128 * 1024)
REQUIRED = (
    ReleasedField.DPAN, ReleasedField.NETWORK, ReleasedField.EXPIRY, ReleasedField.CURRENCY, ReleasedField.AMOUNT,
    ReleasedField.DEVICE_MANUFACTURER, ReleasedField.CRYPTOGRAM,
)  # fmt: skip
FIELDS = (*REQUIRED, ReleasedField.ECI)


@dataclass(frozen=True, kw_only=True)
class DecryptBlobSettings(Settings):
    """
    Attributes:
        tender_types: Radial's codes, by the daemon's names of networks; those that are not here have none, and their tokens are refused.
        mock_payments: whether a request with MockPayment is answered, with the document's sample and without opening anything.
    """

    tender_types: dict[str, str] = field(default_factory=lambda: {"amex": "AM", "discover": "DC", "mastercard": "MC", "visa": "VC"})
    mock_payments: bool = False


def service(client: kist.AsyncClient, settings: DecryptBlobSettings) -> Starlette:
    async def decrypt(request: Request) -> Response:
        blob = Blob.read(await request.body())
        if blob.is_mock:
            if not settings.mock_payments:
                raise Problem(400, "MockPayment: this service makes no mock payments")
            return answer(MOCK)
        exchange = Exchange.of(request)
        async with asyncio.timeout(blob.seconds):
            opened = await exchange.calls(client).open_payment_token(blob.token, fields=FIELDS, required=REQUIRED, retry=True, retry_key=exchange.retry_key)
        exchange.audit_sequence = opened.audit_sequence
        with opened:
            return answer(payment(opened, settings.tender_types))

    return application(NAME, client, [Route(PATH, decrypt, methods=["POST"])], api_keys=settings.api_keys, limits=LIMITS)


@dataclass(frozen=True)
class Blob:
    """A DecryptBlobRequest."""

    token: kist.Token
    seconds: float
    is_mock: bool

    @staticmethod
    def read(body: bytes) -> Blob:
        root = parse(body)
        if root.tag != f"{{{SERVICES}}}DecryptBlobRequest":
            raise Problem(400, f"the root is not DecryptBlobRequest in the namespace {SERVICES}")
        parts = children(root, SERVICES, ("MessageHeader", "SourceId", "AlgorithmVersion", "EncryptionHeader", "Version", "Data", "Signature"))
        head = children(
            parts["MessageHeader"], TYPES, ("RequestId", "CreateTimestamp", "MockPayment"), ("extension", "ClientTimeoutInMilliseconds")
        )
        for name, only in (("AlgorithmVersion", "apd"), ("Version", "EC_v1")):
            if text(parts[name]) != only:
                raise Problem(400, f"{name} has to be {only}")
        return Blob(token(parts), timeout(head.get("ClientTimeoutInMilliseconds")), boolean(head["MockPayment"]))


def token(parts: dict[str, ET.Element]) -> kist.Token:
    header = children(parts["EncryptionHeader"], TYPES, ("EphemeralPublicKey", "TransactionId", "PublicKeyHash"), ("ApplicationData",))
    return kist.Token(
        kist.TokenVersion.EC_V1,
        data=octets(parts["Data"]),
        signature=octets(parts["Signature"]),
        public_key_hash=octets(header["PublicKeyHash"]),
        transaction_id=hexadecimal(header["TransactionId"]),
        ephemeral_public_key=octets(header["EphemeralPublicKey"]),
        application_data=hexadecimal(header["ApplicationData"]) if "ApplicationData" in header else b"",
    )


def timeout(element: ET.Element | None) -> float:
    """The client's own time limit in seconds, where it is shorter than the service's."""
    if element is None:
        return LIMITS.seconds
    digits = text(element)
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 9 and int(digits)):
        raise Problem(400, f"{local(element)} is no number of milliseconds")
    return min(int(digits) / 1000, LIMITS.seconds)


@dataclass(frozen=True)
class Payment:
    """The contents of a DecryptBlobReply, in its order."""

    number: str
    tender_type: str
    expiration: str
    currency: str
    amount: str
    manufacturer: str
    cryptogram: str
    eci: str | None


MOCK = Payment("4054132100566965", "VC", "2021-07", "USD", "14.99", "040010030273", "AeeR44AAA+H0IlZw+qrxMAACAAA=", "5")


def payment(opened: kist.OpenedToken, tender_types: dict[str, str]) -> Payment:
    """
    Raises:
        Problem: the network or the currency has no name in Radial's terms; the token has been used up all the same.
    """
    if (
        not (opened.dpan and opened.network and opened.expiry and opened.currency and opened.device_manufacturer and opened.cryptogram)
        or opened.amount is None
    ):
        raise kist.ReplyError("a required field is missing")
    if opened.network not in tender_types or opened.currency not in CURRENCIES:
        raise Problem(422, "no code for this card's network, or this currency", None, opened.audit_sequence)
    currency, places = CURRENCIES[opened.currency]
    expiry = opened.expiry.text()
    return Payment(
        opened.dpan.text(), tender_types[opened.network], f"20{expiry[:2]}-{expiry[2:4]}", currency, decimal(opened.amount, places),
        opened.device_manufacturer, opened.cryptogram.text(), opened.eci,
    )  # fmt: skip


def answer(payment: Payment) -> Response:
    root = ET.Element("DecryptBlobReply", {"xmlns": SERVICES, "xmlns:payment": TYPES})
    ET.SubElement(root, "DeviceAccountNumber", isToken="false").text = payment.number
    ET.SubElement(root, "TenderType").text = payment.tender_type
    ET.SubElement(root, "ExpirationDate").text = payment.expiration
    ET.SubElement(root, "TransactionAmount", currencyCode=payment.currency).text = payment.amount
    ET.SubElement(root, "DeviceManufacturerIdentifier").text = payment.manufacturer
    ET.SubElement(root, "OnlinePaymentCryptogram").text = payment.cryptogram
    if payment.eci is not None:
        ET.SubElement(root, "EciIndicator").text = payment.eci
    return Response(ET.tostring(root, "UTF-8", xml_declaration=True), media_type="application/xml")
