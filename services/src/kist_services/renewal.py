"""One walk over merchants' keys, which does what is due with each."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import dataclasses
import hashlib
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from . import appstoreconnect, renewal_metrics
from .appstoreconnect import AppStoreConnect, Unanswered, Wait
from .bundles import Bundle, Bundles
from .carried import Carried, Unsigned
from .common.files import replace
from .common.problems import Problem
from .hosts import Hosts
from .keys import KIND_OF, KINDS, made_for, place, read_certificate, request_of, requesting
from .operator import ApprovalNeeded, Busy, Operator
from .outbox import post
from .renewal_settings import FOLLOW, TAKE, RenewSettings
from .rotation import Due, Key, Standing, Step, Stop, days_left, due, serving

_SECONDS = 30.0
#: A rate by the minute allows one more request sooner.
_PATIENCE = 10.0


class Told:
    """What people have been told, so that they are told once, by line of keys; a file that is replaced whole."""

    def __init__(self, directory: str) -> None:
        self._path = os.path.join(directory, "told.json")
        try:
            with open(self._path) as file:
                before = json.load(file)
        except (FileNotFoundError, ValueError, RecursionError):
            before = {}
        # Of a file that is none people hear everything once more.
        self._before: dict[str, list[str]] = before if isinstance(before, dict) and all(isinstance(told, list) for told in before.values()) else {}
        self._now: dict[str, list[str]] = defaultdict(list)

    def is_new(self, line: str, what: str) -> bool:
        return what not in self._before.get(line, ()) and what not in self._now[line]

    def note(self, line: str, what: str) -> None:
        """That it is so in this run, and people know."""
        self._now[line].append(what)

    def save(self, whole: set[str]) -> None:
        """
        Args:
            whole: the lines that were walked to their end: what is no longer so is told again when it comes again.
        """
        kept = {line: told for line, told in self._before.items() if line not in whole}
        for line, told in self._now.items():
            kept[line] = sorted({*told, *kept.get(line, ())})
        replace(self._path, json.dumps(kept, indent=1), 0o600)


@dataclass(frozen=True)
class _Line:
    """A merchant's keys of one kind."""

    merchant: str
    kind: str

    def __str__(self) -> str:
        return f"{self.merchant} {self.kind}"


class _Stop(Exception):
    """Nothing more can be done in this run: kistd is away, locked, or its quota is used up."""


class Renewal:
    """One run.

    Args:
        apple: None if no key of Apple's API is set.
        fleet: None for a host that is alone.
        plans: whether it only says what is due.
    """

    def __init__(self, settings: RenewSettings, apple: AppStoreConnect | None, fleet: Carried | None, now: datetime, *, plans: bool = False) -> None:
        self._settings, self._apple, self._now, self._plans = settings, apple, now, plans
        self._operator = Operator(settings.operators, settings.program)
        self._told = Told(settings.state)
        self._bundles = Bundles(fleet) if fleet else None
        self._takes = TAKE in settings.does
        self._hosts = Hosts(fleet, os.path.join(settings.state, "heard.json"), makes=not self._takes) if fleet else None
        self._heard = self._hosts.heard(now) if self._hosts else None
        self._merchants: dict[str, str] = {}
        self._troubled: set[str] = set()
        self._is_apple_away = False
        self.failures = 0
        self._left = 0

    async def run(self) -> None:
        """
        Raises:
            Problem: kistd does not list its keys; then nothing was done.
        """
        walked: list[_Line] = []
        with contextlib.suppress(_Stop):
            if self._takes and not self._plans:
                await self._take()
            keys = await self._keys(f"{self._settings.labels}/*")
            named = self._settings.merchants
            lines = {line for line in keys if not named or line.merchant in named} | {_Line(merchant, kind) for merchant in named for kind in self._settings.kinds}
            for line in sorted(lines, key=str):
                walked.append(line)
                with self._at(line):
                    await self._walk(line, keys.get(line, []))
        if self._plans:
            return
        every = []
        if self._hosts or self._settings.metrics:
            every = [key for line in (await self._keys(f"{self._settings.labels}/*")).values() for key in line]
        if self._hosts and self._heard:
            with contextlib.suppress(_Stop), self._at(_Line(self._settings.host, "host")):
                await self._hosts.say(every, self._now)
                self._hosts.remember(self._heard)
        self._told.save({str(line) for line in walked} - self._troubled)
        if self._settings.metrics:
            replace(self._settings.metrics, renewal_metrics.text(self._now, self.failures, self._left, self._heard, every), 0o644)

    @contextlib.contextmanager
    def _at(self, line: _Line) -> Iterator[None]:
        """What fails with one line of keys is told, and does not keep the others.

        Raises:
            _Stop
        """
        try:
            yield
        except ApprovalNeeded as needed:
            self._troubled.add(str(line))
            self._tell(line, "approval-needed", needed.request, {"request": needed.request, "until": needed.until})
        except Wait as wait:
            self._troubled.add(str(line))
            # Once, not for each merchant.
            if not self._is_apple_away:
                self._fail(line, str(wait))
            self._is_apple_away = True
        except (Unanswered, Unsigned) as failed:
            self._fail(line, str(failed))
        except OSError as failed:
            self._fail(line, f"{failed.filename or 'a file'}: {failed.strerror}")
        except Problem as failed:
            self._fail(line, failed.detail)
            if failed.status == 503:
                raise _Stop from None

    async def _take(self) -> None:
        """Imports each bundle's key that kistd does not have, nor ever had."""
        assert self._bundles
        known = {key["id"] for key in (await self._do("key", "list"))["keys"]}
        for name, bundle in self._bundles.all():
            if bundle and bundle.id in known:
                continue
            line = _Line(bundle.merchant, bundle.kind) if bundle else _Line(name, "bundle")
            with self._at(line):
                if not bundle:
                    raise Problem(422, "that is no bundle of a key")
                await self._import(bundle)
                print(f"{line}: {TAKE}: done", flush=True)

    async def _import(self, bundle: Bundle) -> None:
        """kistd compares the key with the certificate, and the certificate with the merchant and Apple's CA."""
        with tempfile.NamedTemporaryFile(dir=self._settings.state) as certificate:
            certificate.write(read_certificate(base64.b64decode(bundle.certificate)))
            certificate.flush()
            words = ("--under", self._settings.exchange, "--label", bundle.label, "--role", KINDS[bundle.kind][0], "--certificate", certificate.name)
            made = await self._do("key", "import", "-", *words, given=bundle.block.encode())
        if made.get("id") != bundle.id:
            raise Problem(422, "the bundle has another key than its name says")

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
        if await self._follow(line, keys):
            keys = await self._again(line)
        if ending := days_left(keys, self._now):
            key, days = ending
            self._tell(line, "key-ends", f"{days}-{key.id}", {"days": str(days), "ends": str(key.ends), **_named(key)})
        for _ in Step:
            if self._heard:
                keys = [dataclasses.replace(key, last_use=self._heard.last_use(key)) for key in keys]
            standing = await self._standing(line, keys)
            self._mind_hosts(line, keys, standing)
            next_step = due(keys, self._now, self._settings.pace, standing)
            if not isinstance(next_step, Due):
                if self._plans:
                    print(f"{line}: " + (f"waits: {next_step.why}" if next_step else "nothing is due"))
                return
            if self._plans or next_step.step not in self._settings.does:
                return self._leave(line, next_step)
            await self._carry_out(line, next_step, len(keys))
            print(f"{line}: {next_step.step}: done", flush=True)
            if next_step.step is Step.SWITCH:
                # Devices learn of it over days.
                return
            keys = await self._again(line)

    async def _again(self, line: _Line) -> list[Key]:
        return (await self._keys(f"{place(self._settings.labels, line.merchant)}/*")).get(line, [])

    async def _follow(self, line: _Line, keys: list[Key]) -> bool:
        """Whether a key was stopped, as it was on another host: people hear of each."""
        has_stopped = False
        for key in keys:
            if not self._heard or not (found := self._heard.stop(key)):
                continue
            stop, hosts = found[0], ", ".join(found[1])
            if self._plans or FOLLOW not in self._settings.does:
                self._is_left(line, stop, key)
                continue
            await self._do("key", stop, key.id)
            has_stopped = True
            print(f"{line}: {stop}: done, as on {hosts} ({key.label})", flush=True)
            self._tell(line, "key-stopped", f"{stop} {key.id}", {"step": stop.value, "hosts": hosts, **_named(key)})
        return has_stopped

    def _leave(self, line: _Line, left: Due) -> None:
        """A step for a person, unless another host does it."""
        if not self._takes or left.step is Step.RETIRE:
            self._is_left(line, left.step, left.key)
        elif self._plans:
            print(f"{line}: waits: {left.step} is for the host that makes keys")

    def _is_left(self, line: _Line, step: Step | Stop, key: Key | None) -> None:
        self._left += 1
        print(f"{line}: {step}: due" + (f" ({key.label})" if key else ""))
        self._tell(line, "step-due", f"{step}-{key.id if key else 'first'}", {"step": step.value, **_named(key)})

    async def _carry_out(self, line: _Line, what: Due, count: int) -> None:
        match what:
            case Due(Step.MAKE, before):
                # Two runs at once make one key: the other finds its label taken.
                digits = hashlib.sha256(f"{before.id if before else ''} {count}".encode()).hexdigest()[:16]
                label = f"{place(self._settings.labels, line.merchant)}/{line.kind}-{digits}"
                exportable = ("--exportable",) if self._bundles else ()
                await self._do("key", "generate", "--label", label, *made_for(line.merchant, line.kind), *exportable)
            case Due(Step.CERTIFY, Key() as key):
                await self._do("key", "attach", key.id, "-", given=read_certificate(await self._certified(line, key)))
            case Due(Step.ACTIVATE, Key() as key):
                await self._do("key", "activate", key.id)
            case Due(Step.SPREAD, Key() as key):
                await self._spread(line, key)
            case Due(Step.SWITCH, Key() as key):
                await self._switch(line, key)
            case Due(Step.RETIRE, Key() as key):
                await self._do("key", "retire", key.id)

    async def _standing(self, line: _Line, keys: list[Key]) -> Standing:
        active = serving(keys, self._now)
        newest = next(iter(active), None)
        is_switched = await self._is_switched(line, newest)
        if not self._bundles or not self._heard or not newest:
            return Standing(is_switched)
        if self._takes:
            return Standing(is_switched, unheard=self._heard.unheard)
        # Of keys from before the fleet each host may have a copy of its own.
        spreadable = (key for key in active if key is newest or key.is_exportable)
        unspread = next((key for key in spreadable if self._heard.without(key) and not self._bundles.has(key)), None)
        return Standing(is_switched, unspread, self._heard.lacking(newest), self._heard.unheard)

    def _mind_hosts(self, line: _Line, keys: list[Key], standing: Standing) -> None:
        """Removes the bundle of a key that each host has, and tells of hosts on which the one that serves longest does not for longer than it takes to reach them."""
        if not self._bundles or not self._heard or self._takes or self._plans:
            return
        for key in keys:
            if not self._heard.without(key):
                self._bundles.remove(key)
        newest = next(iter(serving(keys, self._now)), None)
        if newest and standing.lacking and (newest.activated or newest.created) + timedelta(hours=self._settings.settle_hours) <= self._now:
            hosts = ", ".join(standing.lacking)
            self._tell(line, "hosts-lack-key", f"{hosts} {newest.id}", {"hosts": hosts, **_named(newest)})

    async def _spread(self, line: _Line, key: Key) -> None:
        assert self._bundles
        shown = await self._do("key", "show", key.id)
        exported = await self._do("key", "export", key.id, "--under", self._settings.exchange)
        await self._bundles.put(Bundle(key.id, line.merchant, line.kind, key.label, exported["block"], shown["certificate"]), self._now)

    async def _is_switched(self, line: _Line, newest: Key | None) -> bool:
        """Whether Apple has activated the certificate of the key that serves longest: tokens for it say so, too."""
        if not newest or line.kind not in appstoreconnect.SWITCHED or newest.last_use:
            return True
        if not self._apple:
            return False
        found = await self._at_apple(line, newest)
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
        request = request_of(await self._do(*requesting(key.id, self._settings.organization)))
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
        """Waits where a rate of the grant's is used up, but not for a quota."""
        while True:
            try:
                return await self._operator.do(*words, seconds=_SECONDS, given=given)
            except Busy as busy:
                if busy.seconds > _PATIENCE:
                    raise
                await asyncio.sleep(busy.seconds)

    def _tell(self, line: _Line, event: str, what: str, more: dict[str, str]) -> None:
        """A message for people, once. Keys are renewed though it cannot be written; then the next run tells it."""
        if self._plans:
            return
        if self._settings.outbox and self._told.is_new(str(line), f"{event} {what}"):
            name = hashlib.sha256(f"{line} {event} {what} {self._now}".encode()).hexdigest()[:32]
            at = self._now.isoformat(timespec="seconds")
            try:
                post(self._settings.outbox, name, {"event": event, "at": at, "merchant": line.merchant, "kind": line.kind, **more})
            except OSError as error:
                self.failures += 1
                print(f"{self._settings.outbox}: {error.strerror}", file=sys.stderr)
                return
        self._told.note(str(line), f"{event} {what}")

    def _fail(self, line: _Line, why: str) -> None:
        self.failures += 1
        self._troubled.add(str(line))
        print(f"{line}: {why}", file=sys.stderr)
        self._tell(line, "failed", why, {"why": why})


def _named(key: Key | None) -> dict[str, str]:
    return {"key": key.id, "label": key.label} if key else {}
