"""Apple's sequence for a merchant's certificates (TN3206), as a rule without clock or network: which step is next, and what people should hear of.

A merchant may have several certificates, of which one is activated at Apple. Devices learn of a change over days, so both keys serve meanwhile.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import kist

#: Before a key's end, when people hear of it.
ENDS_DAYS = (60, 30, 7)


class Step(enum.StrEnum):
    """In Apple's order."""

    MAKE = "make"
    CERTIFY = "certify"
    ACTIVATE = "activate"
    """In kistd: it serves from then on."""
    SPREAD = "spread"
    """To the other hosts."""
    SWITCH = "switch"
    """At Apple, for good: devices encrypt to it from then on."""
    RETIRE = "retire"


class Stop(enum.StrEnum):
    """What ends a key's service; also kist's verb for it."""

    SUSPEND = "suspend"
    COMPROMISE = "compromise"
    DESTROY = "destroy"

    @property
    def leads_to(self) -> frozenset[str]:
        """The states of a key with which that was done, whatever came after it but `resume`."""
        states = ("suspended", "compromised", "destroyed")
        return frozenset(states[list(Stop).index(self) :])


@dataclass(frozen=True)
class Pace:
    """
    Attributes:
        lead_days: before the end of the key that serves, when the next one is made.
        settle_hours: from a key's activation in kistd until Apple is told, in which it is brought to each host.
        quiet_days: without a use, after which an older key is retired.
    """

    lead_days: int = 45
    settle_hours: int = 24
    quiet_days: int = 14


@dataclass(frozen=True)
class Key:
    """What kistd says of one."""

    id: str
    label: str
    state: str
    is_certified: bool
    created: datetime
    ends: datetime | None = None
    activated: datetime | None = None
    last_use: datetime | None = None
    is_exportable: bool = False

    @classmethod
    def of(cls, key: kist.Key) -> Key:
        def moment(seconds: int) -> datetime | None:
            return datetime.fromtimestamp(seconds, UTC) if seconds else None

        return cls(
            key.id.hex(), key.label, key.state, bool(key.certificate), datetime.fromtimestamp(key.created, UTC),
            moment(key.not_after), moment(key.activated), moment(key.last_use), key.exportable,
        )  # fmt: skip

    def ends_by(self, moment: datetime) -> bool:
        return self.ends is not None and self.ends <= moment


@dataclass(frozen=True)
class Standing:
    """How things stand outside kistd with the key that serves longest.

    Attributes:
        is_switched: whether Apple has activated its certificate.
        unspread: a key that serves, that a host never had, and that is not on its way there.
        lacking: the other hosts on which it does not serve yet.
        unheard: the other hosts of which it is not known when they last used a key.
    """

    is_switched: bool
    unspread: Key | None = None
    lacking: tuple[str, ...] = ()
    unheard: tuple[str, ...] = ()


@dataclass(frozen=True)
class Due:
    """A step, and the key that it is done with: of `MAKE` the one that the new key follows, if there is one."""

    step: Step
    key: Key | None


@dataclass(frozen=True)
class Waiting:
    """Nothing is to be done yet."""

    why: str


def serving(keys: Iterable[Key], now: datetime) -> list[Key]:
    """Those that serve; the one that does so for longest is first, and of two the later one."""
    active = [key for key in keys if key.state == "active" and not key.ends_by(now)]
    return sorted(active, key=lambda key: (key.ends or now, key.activated or key.created), reverse=True)


def due(keys: list[Key], now: datetime, pace: Pace, standing: Standing) -> Due | Waiting | None:
    """The next step with a merchant's keys of one kind; None if all is as it is to be.

    Args:
        keys: all that the merchant has of this kind, each with its last use on any host.
    """
    active = serving(keys, now)
    coming = sorted((key for key in keys if key.state == "pre-active" and not key.ends_by(now)), key=lambda key: (not key.is_certified, key.created))
    if coming:
        return Due(Step.ACTIVATE if coming[0].is_certified else Step.CERTIFY, coming[0])
    if not active:
        # At Apple there is no way back.
        is_suspended = any(key.state == "suspended" and not key.ends_by(now) for key in keys)
        return Waiting("a key is suspended: resume it, or say that it is compromised") if is_suspended else Due(Step.MAKE, None)
    newest = active[0]
    # Of a key that was made for this reason, and yet ends so soon, another would not be the cure.
    if newest.ends_by(now + timedelta(pace.lead_days)) and newest.created + timedelta(pace.lead_days) <= now:
        return Due(Step.MAKE, newest)
    since = newest.activated or newest.created
    if standing.unspread:
        return Due(Step.SPREAD, standing.unspread)
    # Tokens must not come for it to a host that does not have it.
    if standing.lacking:
        return Waiting(f"{newest.label} does not serve yet on {', '.join(standing.lacking)}")
    if not standing.is_switched:
        settled = since + timedelta(hours=pace.settle_hours)
        return Due(Step.SWITCH, newest) if len(active) == 1 or settled <= now else Waiting(f"Apple is told of {newest.label} from {_text(settled)} on")
    if not active[1:]:
        return None
    if standing.unheard:
        return Waiting(f"nothing was heard of {', '.join(standing.unheard)} for days")
    quiet = {key: max(since, key.last_use or since) + timedelta(pace.quiet_days) for key in active[1:]}
    first = min(quiet, key=lambda key: quiet[key])
    return Due(Step.RETIRE, first) if quiet[first] <= now else Waiting(f"{first.label} is retired from {_text(quiet[first])} on, if it is not used before")


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="minutes").replace("+00:00", "Z")


def days_left(keys: list[Key], now: datetime) -> tuple[Key, int] | None:
    """The key that serves longest and ends soon, and the least of `ENDS_DAYS` that is still enough for it."""
    active = serving(keys, now)
    if not active or active[0].ends is None:
        return None
    left = active[0].ends - now
    return next(((active[0], days) for days in sorted(ENDS_DAYS) if left <= timedelta(days)), None)
