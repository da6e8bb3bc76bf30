"""A card for Apple Wallet, as Apple's guide to in-app provisioning has it; what `issuer` and `activation` share."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import kist
from kist import MastercardInput, PassConfiguration, VisaInput, VisaType

from . import cards
from .cards import Card
from .common.gate import Exchange
from .common.keys import LabelledKey
from .common.members import Members
from .common.problems import Problem
from .common.settings import Settings, SettingsError


#: The members of this one are those that Apple's guide prints (section X).
MASTERCARD_VERSION = "2"


@dataclasses.dataclass(frozen=True, kw_only=True)
class ProvisioningSettings(Settings):
    """
    Attributes:
        cards: the file of cards.
        keys: the label of the key that makes activation data, by network.
        network_keys: the label of the network's own key, for which configuration 3 encrypts the number; Visa's is encrypted with `keys` without one.
        mastercard_versions: of Mastercard's activation data, by the cards' product: 2, whose members Apple's guide prints, 3 or 4. Others have 2.
        product_types: what Apple calls a product, where it has asked for that.
    """

    cards: str
    keys: dict[str, str]
    network_keys: dict[str, str] = dataclasses.field(default_factory=dict)
    mastercard_versions: dict[str, str] = dataclasses.field(default_factory=dict)
    product_types: dict[str, str] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not set(self.mastercard_versions.values()) <= {"2", "3", "4"}:
            raise SettingsError('mastercard_versions: each is "2", "3" or "4"')
        if not all(1 <= len(text.encode()) <= 64 for text in self.product_types.values()):
            raise SettingsError("product_types: each has 1 to 64 bytes")


@dataclasses.dataclass(frozen=True)
class Phone:
    """What Apple Wallet gives an app: certificates in DER, leaf first, and the nonce with the secure element's signature of it."""

    certificates: list[bytes]
    nonce: bytes
    nonce_signature: bytes

    @staticmethod
    def of(members: Members) -> Phone:
        phone = Phone(members.list_of_octets("certificates", 8192, 3), members.octets("nonce", 64), members.octets("nonceSignature", 256))
        members.end()
        return phone


class Provisioning:
    """Finds cards, and has the daemon seal them for a phone. The number comes out of the file sealed and goes to the daemon sealed."""

    def __init__(self, client: kist.AsyncClient, settings: ProvisioningSettings) -> None:
        if not os.access(settings.cards, os.R_OK):
            raise SettingsError(f"cards: {settings.cards} is no file that this service may read")
        self._client = client
        self._settings = settings
        self._file = settings.cards
        self._keys = {network: LabelledKey(client, label) for network, label in settings.keys.items()}
        self._network_keys = {network: LabelledKey(client, label) for network, label in settings.network_keys.items()}

    async def ready(self) -> None:
        """
        Raises:
            DatabaseUnavailable: the file of cards cannot be read.
        """
        await cards.find(self._file, "")

    async def card(self, identifier: str) -> Card:
        found = await cards.find(self._file, identifier)
        if found is None or not self._has_keys(found):
            raise Problem(404, "there is no such card")
        return found

    def _has_keys(self, card: Card) -> bool:
        encrypts = card.configuration != 3 or card.network == "visa" or card.network in self._network_keys
        return encrypts and card.network in self._keys

    async def seal(self, card: Card, phone: Phone, exchange: Exchange) -> kist.ProvisionedPass:
        """The daemon verifies that the certificates are Apple's before it seals anything."""
        common: dict[str, Any] = {
            "certificates": phone.certificates, "nonce": phone.nonce, "nonce_signature": phone.nonce_signature,
            "key": await self._keys[card.network].id(),
        }  # fmt: skip
        if card.configuration == 3 and card.network in self._network_keys:
            common["network_key"] = await self._network_keys[card.network].id()
        common["product_type"] = self._settings.product_types.get(card.product, "")
        version = int(self._settings.mastercard_versions.get(card.product, MASTERCARD_VERSION))
        return await exchange.calls(self._client).provision_pass(**common, **_configured(card, version))


def _configured(card: Card, version: int) -> dict[str, Any]:
    """The members of the card's configuration, of table 9-1 of Apple's guide, and its activation data."""
    number = {"account_envelope": card.sealed_number, "envelope_context": card.context, "expiration": card.expiration, "name": card.name}
    activation = {"visa": VisaInput(VisaType.MBPAD)} if card.network == "visa" else {"mastercard": MastercardInput(version)}
    match card.configuration:
        case 1:
            return {"configuration": PassConfiguration.ACCOUNT_NUMBER, **number, **activation}
        case 2:
            # This pass does not have the number, so its activation data is about the nonce.
            code = VisaInput(VisaType.MBPAC, authentication_code=card.authentication_code)
            return {
                "configuration": PassConfiguration.ACCOUNT_IDENTIFIER, "primary_account_identifier": card.account_identifier, "visa": code,
            }  # fmt: skip
        case _:
            # The daemon encrypts the number for the network.
            more = {"network_name": card.network.capitalize(), "primary_account_number_prefix": card.prefix}
            return {"configuration": PassConfiguration.ENCRYPTED_ACCOUNT_NUMBER, **number, **more, **activation}
