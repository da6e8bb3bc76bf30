"""Which step is next with a merchant's keys, moment by moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kist_services.rotation import Due, Key, Pace, Standing, Step, Waiting, days_left, due, serving

NOW = datetime(2026, 11, 28, tzinfo=UTC)
PACE = Pace(lead_days=45, settle_hours=24, quiet_days=14)


def days(number: float) -> datetime:
    return NOW + timedelta(number)


def key(id: str, state: str = "active", **more: Any) -> Key:
    values: dict[str, Any] = {"is_certified": state != "pre-active", "created": days(-400), "activated": days(-399), "ends": days(300)}
    return Key(id, f"merchant/acme/{id}", state, **(values | more))


OLD = key("old", ends=days(40))
NEW = key("new", created=days(-3), activated=days(-2), ends=days(760))
COMING = key("coming", "pre-active", created=days(-1), activated=None, ends=None)
CERTIFIED = key("certified", "pre-active", created=days(-1), activated=None, ends=days(760), is_certified=True)


@pytest.mark.parametrize(
    "keys, is_switched, step, which",
    [
        ([], True, Step.MAKE, None),
        ([key("ended", ends=days(-1))], True, Step.MAKE, None),
        ([key("ends-now", ends=NOW)], True, Step.MAKE, None),
        ([key("retired", "retired"), key("destroyed", "destroyed")], True, Step.MAKE, None),
        ([key("suspended", "suspended", ends=NOW)], True, Step.MAKE, None),
        ([OLD], True, Step.MAKE, "old"),
        ([key("at-the-lead", ends=days(45))], True, Step.MAKE, "at-the-lead"),
        ([OLD, COMING], True, Step.CERTIFY, "coming"),
        ([COMING], False, Step.CERTIFY, "coming"),
        ([OLD, CERTIFIED], True, Step.ACTIVATE, "certified"),
        ([COMING, CERTIFIED], True, Step.ACTIVATE, "certified"),
        ([OLD, NEW], False, Step.SWITCH, "new"),
        ([key("alone", activated=NOW)], False, Step.SWITCH, "alone"),
        ([key("used", ends=days(40), last_use=days(-14)), key("newer", activated=days(-14), ends=days(760))], True, Step.RETIRE, "used"),
        ([OLD, key("newer", activated=days(-14), ends=days(760))], True, Step.RETIRE, "old"),
    ],
)
def test_what_is_due(keys: list[Key], is_switched: bool, step: Step, which: str | None) -> None:
    for order in (keys, keys[::-1]):
        found = due(order, NOW, PACE, Standing(is_switched))
        assert isinstance(found, Due) and (found.step, found.key.id if found.key else None) == (step, which)


@pytest.mark.parametrize(
    "keys, is_switched, why",
    [
        ([key("good")], True, None),
        ([key("day-before-the-lead", ends=days(45.1))], True, None),
        ([OLD, key("settling", activated=days(-0.9), ends=days(760))], False, "Apple is told of merchant/acme/settling from 2026-11-28T02:24Z on"),
        ([OLD, NEW], True, "merchant/acme/old is retired from 2026-12-10T00:00Z on, if it is not used before"),
        ([key("in-use", ends=days(40), last_use=days(-13.9)), key("newer", activated=days(-60), ends=days(760))], True, "merchant/acme/in-use is retired from 2026-11-28T02:24Z"),
        # Whatever was used long before the switch: tokens may still come for it.
        ([key("unused", ends=days(40), last_use=days(-300)), key("newer", activated=days(-13.9), ends=days(760))], True, "merchant/acme/unused is retired from 2026-11-28T02:24Z"),
        ([key("suspended", "suspended")], True, "suspended: resume it"),
        ([key("suspended", "suspended"), key("compromised", "compromised")], True, "suspended: resume it"),
    ],
)
def test_what_waits(keys: list[Key], is_switched: bool, why: str | None) -> None:
    for order in (keys, keys[::-1]):
        found = due(order, NOW, PACE, Standing(is_switched))
        assert found is None if why is None else isinstance(found, Waiting) and why in found.why


def test_a_suspended_key_beside_others_holds_nothing_up() -> None:
    newer = key("newer", activated=days(-60), ends=days(760))
    assert due([OLD, newer, key("suspended", "suspended")], NOW, PACE, Standing(False)) == Due(Step.SWITCH, newer)


def test_a_key_of_another_state_neither_serves_nor_comes() -> None:
    states = [key(state, state) for state in ("suspended", "retired", "compromised", "destroyed")]
    assert serving(states, NOW) == [] and due([*states, key("good")], NOW, PACE, Standing(True)) is None


def test_a_new_key_that_ends_soon_is_not_followed_by_more() -> None:
    assert due([OLD, key("short", created=days(-44), ends=days(44))], NOW, PACE, Standing(True)) != Due(Step.MAKE, OLD)
    assert due([key("short", created=days(-44), ends=days(44))], NOW, PACE, Standing(True)) is None


def test_a_coming_key_whose_certificate_has_ended_is_not_waited_for() -> None:
    late = key("late", "pre-active", ends=days(-1), is_certified=True)
    assert due([OLD, late], NOW, PACE, Standing(True)) == Due(Step.MAKE, OLD)


SETTLED = key("settled", activated=days(-14), ends=days(760))


@pytest.mark.parametrize(
    "standing, step",
    [
        (Standing(False, unspread=SETTLED, lacking=("b",)), Step.SPREAD),
        (Standing(True, unspread=SETTLED, lacking=("b",)), Step.SPREAD),
        (Standing(False, lacking=("b",)), None),
        (Standing(True, lacking=("b",)), None),
        (Standing(False), Step.SWITCH),
        # Which host has used the old key is not known of one that is silent, so nothing is retired.
        (Standing(False, unheard=("b",)), Step.SWITCH),
        (Standing(True, unheard=("b",)), None),
        (Standing(True), Step.RETIRE),
    ],
)
def test_apple_is_told_when_each_host_has_the_key(standing: Standing, step: Step | None) -> None:
    found = due([OLD, SETTLED], NOW, PACE, standing)
    assert found.step == step if isinstance(found, Due) else step is None and isinstance(found, Waiting)
    assert due([COMING, OLD, SETTLED], NOW, PACE, standing) == Due(Step.CERTIFY, COMING)


@pytest.mark.parametrize("left, told", [(61, None), (60, 60), (31, 60), (30, 30), (8, 30), (7, 7), (0.1, 7), (-1, None)])
def test_when_people_hear_of_an_end(left: float, told: int | None) -> None:
    found = days_left([key("one", ends=days(left)), key("gone", "retired", ends=days(5))], NOW)
    assert (found[1] if found else None) == told


def test_a_later_key_ends_the_warnings() -> None:
    assert days_left([OLD, NEW], NOW) is None and days_left([], NOW) is None and days_left([key("endless", ends=None)], NOW) is None
