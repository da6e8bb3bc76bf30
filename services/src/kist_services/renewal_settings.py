"""The settings of `renew`."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey

from .carried import is_host
from .common import jws
from .common.settings import SettingsError, instead
from .keys import KINDS, MERCHANT, check_labels
from .rotation import Pace, Step

#: What the steps that change something at Apple need: a key of its API.
_AT_APPLE = frozenset({Step.CERTIFY, Step.SWITCH})
#: In `does`: to take the keys that another host of the fleet makes.
TAKE = "take"
#: And to do with a key what another host has done to stop it.
FOLLOW = "follow"
_OF_THE_MAKER = frozenset({Step.MAKE, Step.CERTIFY, Step.ACTIVATE, Step.SPREAD, Step.SWITCH})


@dataclass(frozen=True, kw_only=True)
class RenewSettings:
    """
    Attributes:
        does: the steps that it does by itself: make, certify, activate, spread, switch, retire; on a fleet's other hosts take and retire; on each follow.
        merchants: whose keys are renewed, and who get a first one of each of `kinds`; empty for all that have keys.
        labels: as the service keys has them.
        api_key: label of the key of Apple's API in kistd; empty for none.
        api_key_id, api_issuer: what App Store Connect shows beside it.
        exchange: label of the key of role key-exchange that all hosts of a fleet have; empty for one host.
        bundles: a directory that is carried between the hosts, with keys on their way and what each host says of its keys.
        host: this host's name.
        host_key: label of this host's key of role signing-ecdsa on P-256, by which the others know what it writes.
        hosts: of each host of the fleet, this one as well, its name and public key (`spki` in ``kist key show --json``).
        outbox: a directory for messages; empty for none.
        state: a directory, for what has been told.
        metrics: a file for Prometheus, written at the end of each run; empty for none.
        apple: HOST:PORT in place of Apple's API, for trying it out; and the certificates that it is checked with.
    """

    does: tuple[str, ...] = ()
    merchants: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ("processing-ec",)
    labels: str = "merchant"
    organization: str = ""
    lead_days: int = Pace.lead_days
    settle_hours: int = Pace.settle_hours
    quiet_days: int = Pace.quiet_days
    api_key: str = ""
    api_key_id: str = ""
    api_issuer: str = ""
    exchange: str = ""
    bundles: str = ""
    host: str = ""
    host_key: str = ""
    hosts: dict[str, str] = field(default_factory=dict)
    outbox: str = ""
    state: str = "/var/lib/kist-services/renew"
    metrics: str = ""
    endpoint: str | None = None
    operators: str = "/run/kist/admin.sock"
    program: str = "/usr/bin/kist"
    apple: str = ""
    apple_authorities: str = ""

    def __post_init__(self) -> None:
        check_labels(self.labels)
        for name, values, allowed in (("does", self.does, [*Step, TAKE, FOLLOW]), ("kinds", self.kinds, list(KINDS))):
            if wrong := [value for value in values if value not in allowed]:
                raise SettingsError(f"{name}: {wrong[0]} is none of {', '.join(allowed)}")
        if wrong := [merchant for merchant in self.merchants if not MERCHANT.fullmatch(merchant)]:
            raise SettingsError(f"merchants: {wrong[0]} is no merchant identifier")
        if not (1 <= self.lead_days <= 365 and 0 <= self.settle_hours <= 720 and 1 <= self.quiet_days <= 365):
            raise SettingsError("lead_days and quiet_days are 1 to 365, settle_hours 0 to 720")
        self._check_hosts()
        if TAKE in self.does and (both := sorted(set(self.does) & _OF_THE_MAKER)):
            raise SettingsError(f"does: who takes keys does not {both[0]}")
        if not self.exchange and (without := sorted({TAKE, FOLLOW, Step.SPREAD}.intersection(self.does))):
            raise SettingsError(f"does: {without[0]} needs exchange")
        if len({bool(self.api_key), bool(self.api_key_id), bool(self.api_issuer)}) > 1:
            raise SettingsError("api_key, api_key_id and api_issuer: all, or none")
        if not self.api_key and (without := sorted(_AT_APPLE.intersection(self.does))):
            raise SettingsError(f"does: {without[0]} needs api_key")
        instead("apple", self.apple)

    def _check_hosts(self) -> None:
        if len({bool(value) for value in (self.exchange, self.bundles, self.host, self.host_key, self.hosts)}) > 1:
            raise SettingsError("exchange, bundles, host, host_key and hosts: all, or none")
        if wrong := [name for name in self.hosts if not is_host(name)]:
            raise SettingsError(f"hosts: {wrong[0]} is no name of a host")
        if self.hosts and self.host not in self.hosts:
            raise SettingsError(f"hosts: {self.host} is not among them")
        if len(set(self.hosts.values())) < len(self.public_keys):
            raise SettingsError("hosts: two have one key")

    @functools.cached_property
    def public_keys(self) -> dict[str, EllipticCurvePublicKey]:
        """Of each host."""
        try:
            return {name: jws.public_key(text) for name, text in self.hosts.items()}
        except ValueError:
            raise SettingsError("hosts: each has base64 of a public key on P-256, `spki` of kist key show --json") from None

    @property
    def pace(self) -> Pace:
        return Pace(self.lead_days, self.settle_hours, self.quiet_days)
