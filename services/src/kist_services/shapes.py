"""Opened tokens as those write them who take tokens that were decrypted elsewhere, as far as that is published.

None of these was sent to a processor by us.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import kist
from kist import ReleasedField

_Members = dict[str, object]


@dataclass(frozen=True)
class Shape:
    """
    Attributes:
        required: a token without one of these has not this shape.
        write: the shape of a token that has them.
    """

    required: tuple[ReleasedField, ...]
    write: Callable[[kist.OpenedToken], _Members]


def _apple(opened: kist.OpenedToken) -> _Members:
    """What Apple encrypts (Payment token format reference), for 3-D Secure; Rapyd, Tap, bePaid and Paysafe take it under names of their own."""
    return {
        "applicationPrimaryAccountNumber": _text(opened.dpan), "applicationExpirationDate": _text(opened.expiry), "currencyCode": opened.currency,
        "transactionAmount": opened.amount, "deviceManufacturerIdentifier": opened.device_manufacturer, "paymentDataType": "3DSecure",
        "paymentData": _present({"onlinePaymentCryptogram": _text(opened.cryptogram), "eciIndicator": opened.eci}),
    }  # fmt: skip


def _hyperswitch(opened: kist.OpenedToken) -> _Members:
    """`payment_method_data.wallet.apple_pay.payment_data` of hyperswitch (`ApplePayPredecryptData` in its sources, 2025)."""
    year, month = _expiry(opened)
    return {
        "application_primary_account_number": _text(opened.dpan), "application_expiration_month": month, "application_expiration_year": year,
        "payment_data": _present({"online_payment_cryptogram": _text(opened.cryptogram), "eci_indicator": opened.eci}),
    }  # fmt: skip


def _checkout(opened: kist.OpenedToken) -> _Members:
    """`source` of a payment at Checkout.com ("Pay with a pre-decrypted Apple Pay token", 2022-04-29), where an ECI has two digits."""
    year, month = _expiry(opened)
    return _present({
        "type": "network_token", "token": _text(opened.dpan), "token_type": "applepay", "expiry_month": month, "expiry_year": year,
        "cryptogram": _text(opened.cryptogram), "eci": None if opened.eci is None else opened.eci.zfill(2),
    })  # fmt: skip


def _adyen(opened: kist.OpenedToken) -> _Members:
    """Of `/payments` at Adyen, whose page "Decrypt Apple Pay tokens" (2024-11-26) takes MPI data with a token that the merchant decrypted. The members are
    those that hyperswitch's connector sends (2025); `brand`, and all that is beside them, is the caller's.
    """
    year, month = _expiry(opened)
    return {
        "paymentMethod": {"type": "scheme", "number": _text(opened.dpan), "expiryMonth": month, "expiryYear": year},
        "mpiData": _present({"directoryResponse": "Y", "authenticationResponse": "Y", "cavv": _text(opened.cryptogram), "eci": opened.eci}),
    }


def _finix(opened: kist.OpenedToken) -> _Members:
    """Of a payment instrument at Finix ("Apple Pay Passthrough", 2026): the type and the identities beside them are the caller's."""
    year, month = _expiry(opened)
    return _present({
        "number": _text(opened.dpan), "expiration_month": int(month), "expiration_year": int(year), "cryptogram": _text(opened.cryptogram),
        "electronic_commerce_indicator_code": opened.eci,
    })  # fmt: skip


def _present(members: _Members) -> _Members:
    return {name: value for name, value in members.items() if value is not None}


def _text(value: kist.Secret | None) -> str:
    assert value is not None, "kistd refuses a token that lacks what is required"
    return value.text()


def _expiry(opened: kist.OpenedToken) -> tuple[str, str]:
    """Year, four digits, and month, two, of Apple's YYMMDD."""
    date = _text(opened.expiry)
    return f"20{date[:2]}", date[2:4]


_CARD = (ReleasedField.DPAN, ReleasedField.EXPIRY, ReleasedField.CRYPTOGRAM)
SHAPES = {
    "apple": Shape((*_CARD, ReleasedField.CURRENCY, ReleasedField.AMOUNT, ReleasedField.DEVICE_MANUFACTURER), _apple),
    "hyperswitch": Shape(_CARD, _hyperswitch),
    "checkout": Shape(_CARD, _checkout),
    "adyen": Shape(_CARD, _adyen),
    "finix": Shape(_CARD, _finix),
}
