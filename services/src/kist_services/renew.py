"""Walks over merchants' keys and does what is due with each, by kistd and by Apple's API: ``python3 -m kist_services.renew --settings FILE``.

A timer runs it. It keeps nothing but what it has told already: which step is next follows from kistd and Apple each time, so that a run that was cut off
goes on where it was. It is an operator, whose grant says of which keys; a step that the settings do not name is told to people instead.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import kist

from . import appstoreconnect
from .appstoreconnect import AppStoreConnect, Unanswered, Wait
from .common import jws
from .common.keys import LabelledKey
from .common.problems import Problem
from .common.settings import SettingsError, load
from .keys import KIND_OF, KINDS, MERCHANT, check_labels, made_for, pem, place, read_certificate
from .operator import ApprovalNeeded, Operator
from .outbox import post
from .rotation import Due, Key, Pace, Step, days_left, due, serving

_SECONDS = 30.0
#: What the steps that change something at Apple need: a key of its API.
_AT_APPLE = frozenset({Step.CERTIFY, Step.SWITCH})


@dataclass(frozen=True, kw_only=True)
class RenewSettings:
    """
    Attributes:
        does: the steps that it does by itself: make, certify, activate, switch, retire.
        merchants: whose keys are renewed, and who get a first one of each of `kinds`; empty for all that have keys.
        labels: as the service keys has them.
        api_key: label of the key of Apple's API in kistd; empty for none.
        api_key_id, api_issuer: what App Store Connect shows beside it.
        outbox: a directory for messages; empty for none.
        state: a directory, for what has been told.
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
    outbox: str = ""
    state: str = "/var/lib/kist-services/renew"
    endpoint: str | None = None
    operators: str = "/run/kist/admin.sock"
    program: str = "/usr/bin/kist"
    apple: str = ""
    apple_authorities: str = ""

    def __post_init__(self) -> None:
        check_labels(self.labels)
        for name, values, allowed in (("does", self.does, list(Step)), ("kinds", self.kinds, list(KINDS))):
            if wrong := [value for value in values if value not in allowed]:
                raise SettingsError(f"{name}: {wrong[0]} is none of {', '.join(allowed)}")
        if wrong := [merchant for merchant in self.merchants if not MERCHANT.fullmatch(merchant)]:
            raise SettingsError(f"merchants: {wrong[0]} is no merchant identifier")
        if not (1 <= self.lead_days <= 365 and 0 <= self.settle_hours <= 720 and 1 <= self.quiet_days <= 365):
            raise SettingsError("lead_days and quiet_days are 1 to 365, settle_hours 0 to 720")
        if len({bool(self.api_key), bool(self.api_key_id), bool(self.api_issuer)}) > 1:
            raise SettingsError("api_key, api_key_id and api_issuer: all, or none")
        if not self.api_key and (without := sorted(_AT_APPLE.intersection(self.does))):
            raise SettingsError(f"does: {without[0]} needs api_key")
        if self.apple and not self.apple.rpartition(":")[2].isdecimal():
            raise SettingsError("apple: HOST:PORT")

    @property
    def pace(self) -> Pace:
        return Pace(self.lead_days, self.settle_hours, self.quiet_days)


class Told:
    """What people have been told, so that they are told once, by line of keys; a file that is replaced whole."""

    def __init__(self, directory: str) -> None:
        self._path = os.path.join(directory, "told.json")
        try:
            with open(self._path) as file:
                self._before: dict[str, list[str]] = json.load(file)
        except (FileNotFoundError, ValueError):
            self._before = {}
        self._now: dict[str, list[str]] = defaultdict(list)

    def is_new(self, line: str, what: str) -> bool:
        self._now[line].append(what)
        return what not in self._before.get(line, ())

    def save(self, whole: set[str]) -> None:
        """
        Args:
            whole: the lines that were walked to their end: what is no longer so is told again when it comes again.
        """
        kept = {line: told for line, told in self._before.items() if line not in whole}
        for line, told in self._now.items():
            kept[line] = sorted({*told, *kept.get(line, ())})
        with open(self._path + ".new", "w") as file:
            json.dump(kept, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.rename(self._path + ".new", self._path)


@dataclass(frozen=True)
class _Line:
    """A merchant's keys of one kind."""

    merchant: str
    kind: str

    def __str__(self) -> str:
        return f"{self.merchant} {self.kind}"


class Renewal:
    """One run.

    Args:
        apple: None if no key of Apple's API is set.
        plans: whether it only says what is due.
    """

    def __init__(self, settings: RenewSettings, apple: AppStoreConnect | None, now: datetime, *, plans: bool = False) -> None:
        self._settings, self._apple, self._now, self._plans = settings, apple, now, plans
        self._operator = Operator(settings.operators, settings.program)
        self._told = Told(settings.state)
        self._merchants: dict[str, str] = {}
        self.failures = 0

    async def run(self) -> None:
        """
        Raises:
            Problem: kistd does not list its keys; then nothing was done.
        """
        keys = await self._keys(f"{self._settings.labels}/*")
        named = self._settings.merchants
        lines = {line for line in keys if not named or line.merchant in named} | {_Line(merchant, kind) for merchant in named for kind in self._settings.kinds}
        whole: set[str] = set()
        for line in sorted(lines, key=str):
            try:
                await self._walk(line, keys.get(line, []))
                whole.add(str(line))
            except ApprovalNeeded as needed:
                self._tell(line, "approval-needed", needed.request, {"request": needed.request, "until": needed.until})
            except Wait as wait:
                self._fail(line, str(wait))
                break
            except (Problem, Unanswered) as failed:
                self._fail(line, failed.detail if isinstance(failed, Problem) else str(failed))
        if not self._plans:
            self._told.save(whole)

    async def _keys(self, labels: str) -> dict[_Line, list[Key]]:
        """Each merchant's by kind, and of those to come whether they have a certificate."""
        found: dict[_Line, list[Key]] = defaultdict(list)
        for listed in (await self._do("key", "list", "--label", labels))["keys"]:
            kind, merchant = KIND_OF.get(listed["role"]), listed.get("merchant_identifier")
            if not kind or not merchant:
                continue
            known = await self._do("key", "show", listed["id"]) if listed["state"] == "pre-active" else listed
            found[_Line(merchant, kind)].append(Key.of(known))
        return found

    async def _walk(self, line: _Line, keys: list[Key]) -> None:
        """Step by step, as far as the settings let it."""
        if ending := days_left(keys, self._now):
            key, days = ending
            self._tell(line, "key-ends", f"{days}-{key.id}", {"days": str(days), "ends": str(key.ends), **_named(key)})
        for _ in Step:
            next_step = due(keys, self._now, self._settings.pace, await self._is_switched(line, keys))
            if not next_step:
                return
            if self._plans or next_step.step not in self._settings.does:
                return self._leave(line, next_step)
            await self._carry_out(line, next_step, len(keys))
            print(f"{line}: {next_step.step}: done", flush=True)
            if next_step.step is Step.SWITCH:
                # Devices learn of it over days.
                return
            keys = (await self._keys(f"{place(self._settings.labels, line.merchant)}/*")).get(line, [])

    def _leave(self, line: _Line, left: Due) -> None:
        """A step for a person."""
        print(f"{line}: {left.step}: due" + (f" ({left.key.label})" if left.key else ""))
        self._tell(line, "step-due", f"{left.step}-{left.key.id if left.key else 'first'}", {"step": left.step.value, **_named(left.key)})

    async def _carry_out(self, line: _Line, what: Due, count: int) -> None:
        match what:
            case Due(Step.MAKE, before):
                # Two runs at once make one key: the other finds its label taken.
                digits = hashlib.sha256(f"{before.id if before else ''} {count}".encode()).hexdigest()[:16]
                label = f"{place(self._settings.labels, line.merchant)}/{line.kind}-{digits}"
                await self._do("key", "generate", "--label", label, *made_for(line.merchant, line.kind))
            case Due(Step.CERTIFY, Key() as key):
                await self._do("key", "attach", key.id, "-", given=read_certificate(await self._certified(line, key)))
            case Due(Step.ACTIVATE, Key() as key):
                await self._do("key", "activate", key.id)
            case Due(Step.SWITCH, Key() as key):
                await self._switch(line, key)
            case Due(Step.RETIRE, Key() as key):
                await self._do("key", "retire", key.id)

    async def _is_switched(self, line: _Line, keys: list[Key]) -> bool:
        """Whether Apple has activated the certificate of the key that serves longest: tokens for it say so, too."""
        active = serving(keys, self._now)
        if not active or line.kind not in appstoreconnect.SWITCHED or active[0].last_use:
            return True
        if not self._apple:
            return False
        found = await self._at_apple(line, active[0])
        return found is not None and found.is_activated

    async def _switch(self, line: _Line, key: Key) -> None:
        found = await self._at_apple(line, key)
        if not found:
            raise Unanswered("Apple has no certificate of the key that serves")
        assert self._apple
        await self._apple.activate(found.id)

    async def _certified(self, line: _Line, key: Key) -> bytes:
        """Apple's certificate, DER; one that Apple made in a run that was cut off is taken."""
        if found := await self._at_apple(line, key):
            return found.der
        words = ("--organization", self._settings.organization) if self._settings.organization else ()
        made = await self._do("key", "csr", key.id, *words)
        request = pem("CERTIFICATE REQUEST", base64.b64decode(made["request"]))
        assert self._apple
        return (await self._apple.create(await self._merchant(line), line.kind, request)).der

    async def _at_apple(self, line: _Line, key: Key) -> appstoreconnect.Certificate | None:
        assert self._apple
        spki = base64.b64decode((await self._do("key", "show", key.id))["spki"])
        found: Iterable[appstoreconnect.Certificate] = await self._apple.certificates(await self._merchant(line))
        return next((one for one in found if one.kind == line.kind and spki in one.der), None)

    async def _merchant(self, line: _Line) -> str:
        """Apple's id."""
        assert self._apple
        if not self._merchants:
            self._merchants = await self._apple.merchants()
        if line.merchant not in self._merchants:
            raise Unanswered("Apple knows no such merchant identifier of this team")
        return self._merchants[line.merchant]

    async def _do(self, *words: str, given: bytes = b"") -> dict[str, Any]:
        return await self._operator.do(*words, seconds=_SECONDS, given=given)

    def _tell(self, line: _Line, event: str, what: str, more: dict[str, str]) -> None:
        """A message for people, once."""
        if self._plans or not self._told.is_new(str(line), f"{event} {what}") or not self._settings.outbox:
            return
        name = hashlib.sha256(f"{line} {event} {what} {self._now}".encode()).hexdigest()[:32]
        at = self._now.isoformat(timespec="seconds")
        post(self._settings.outbox, name, {"event": event, "at": at, "merchant": line.merchant, "kind": line.kind, **more})

    def _fail(self, line: _Line, why: str) -> None:
        self.failures += 1
        print(f"{line}: {why}", file=sys.stderr)
        self._tell(line, "failed", why, {"why": why})


def _named(key: Key | None) -> dict[str, str]:
    return {"key": key.id, "label": key.label} if key else {}


async def renew(settings: RenewSettings, *, plans: bool = False) -> int:
    """
    Returns:
        of how many lines of keys something failed.
    """
    async with kist.AsyncClient(settings.endpoint) as client:
        apple = None
        if settings.api_key:
            key = LabelledKey(client, settings.api_key)

            async def sign(claims: dict[str, object]) -> str:
                try:
                    return await jws.sign(client, await key.id(), claims, settings.api_key_id)
                except kist.KistError as refused:
                    raise Wait(f"kistd does not sign with {settings.api_key}: {refused}") from None

            host, _, port = settings.apple.rpartition(":")
            apple = AppStoreConnect(sign, settings.api_issuer, settings.apple_authorities, (host, int(port)) if host else None)
        renewal = Renewal(settings, apple, datetime.now(UTC), plans=plans)
        await renewal.run()
        return renewal.failures


def main() -> int:
    parser = argparse.ArgumentParser(prog="kist_services.renew", description=__doc__)
    parser.add_argument("--settings", required=True, metavar="FILE", help="TOML; the package's examples have one")
    parser.add_argument("--plan", action="store_true", help="say what is due, and do and tell nothing")
    words = parser.parse_args()
    try:
        return 1 if asyncio.run(renew(load(RenewSettings, words.settings), plans=words.plan)) else 0
    except (SettingsError, kist.EndpointError, OSError) as error:
        print(f"kist_services.renew: {error}", file=sys.stderr)
        return 78  # EX_CONFIG
    except Problem as problem:
        print(f"kist_services.renew: {problem.detail}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
