"""The settings of `renew`."""

from __future__ import annotations

from dataclasses import dataclass

from .bundles import is_host
from .common.settings import SettingsError, instead
from .keys import KINDS, MERCHANT, check_labels
from .rotation import Pace, Step

#: What the steps that change something at Apple need: a key of its API.
_AT_APPLE = frozenset({Step.CERTIFY, Step.SWITCH})
#: In `does`: to take the keys that another host of the fleet makes.
TAKE = "take"
_OF_THE_MAKER = frozenset({Step.MAKE, Step.CERTIFY, Step.ACTIVATE, Step.SPREAD, Step.SWITCH})


@dataclass(frozen=True, kw_only=True)
class RenewSettings:
    """
    Attributes:
        does: the steps that it does by itself: make, certify, activate, spread, switch, retire; on a fleet's other hosts take and retire.
        merchants: whose keys are renewed, and who get a first one of each of `kinds`; empty for all that have keys.
        labels: as the service keys has them.
        api_key: label of the key of Apple's API in kistd; empty for none.
        api_key_id, api_issuer: what App Store Connect shows beside it.
        exchange: label of the key of role key-exchange that all hosts of a fleet have; empty for one host.
        bundles: a directory that is carried between the hosts, with keys on their way and what each host says of its keys.
        host, hosts: this host's name, and the others'.
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
    hosts: tuple[str, ...] = ()
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
        for name, values, allowed in (("does", self.does, [*Step, TAKE]), ("kinds", self.kinds, list(KINDS))):
            if wrong := [value for value in values if value not in allowed]:
                raise SettingsError(f"{name}: {wrong[0]} is none of {', '.join(allowed)}")
        if wrong := [merchant for merchant in self.merchants if not MERCHANT.fullmatch(merchant)]:
            raise SettingsError(f"merchants: {wrong[0]} is no merchant identifier")
        if not (1 <= self.lead_days <= 365 and 0 <= self.settle_hours <= 720 and 1 <= self.quiet_days <= 365):
            raise SettingsError("lead_days and quiet_days are 1 to 365, settle_hours 0 to 720")
        if len({bool(self.exchange), bool(self.bundles), bool(self.host), bool(self.hosts)}) > 1:
            raise SettingsError("exchange, bundles, host and hosts: all, or none")
        if wrong := [name for name in (*self.hosts, *([self.host] if self.host else [])) if not is_host(name)]:
            raise SettingsError(f"hosts: {wrong[0]} is no name of a host")
        if TAKE in self.does and (both := sorted(set(self.does) & _OF_THE_MAKER)):
            raise SettingsError(f"does: who takes keys does not {both[0]}")
        if not self.exchange and (without := sorted({TAKE, Step.SPREAD}.intersection(self.does))):
            raise SettingsError(f"does: {without[0]} needs exchange")
        if len({bool(self.api_key), bool(self.api_key_id), bool(self.api_issuer)}) > 1:
            raise SettingsError("api_key, api_key_id and api_issuer: all, or none")
        if not self.api_key and (without := sorted(_AT_APPLE.intersection(self.does))):
            raise SettingsError(f"does: {without[0]} needs api_key")
        if self.host in self.hosts:
            raise SettingsError(f"hosts: the others, without {self.host}")
        instead("apple", self.apple)

    @property
    def pace(self) -> Pace:
        return Pace(self.lead_days, self.settle_hours, self.quiet_days)
