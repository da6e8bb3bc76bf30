"""One walk over merchants' keys, which does what is due with each."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import dataclasses
import hashlib
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

import kist

from . import appstoreconnect, renewal_metrics
from .appstoreconnect import AppStoreConnect, Unanswered, Wait
from .bundles import Bundle, Bundles
from .carried import Carried, Unsigned
from .common.files import replace
from .common.problems import Problem
from .hosts import Hosts
from .keys import KIND_OF, KINDS, made_for, place, read_certificate, request_of, requesting
from .operator import ApprovalNeeded, Busy, Operator, Register
from .outbox import post
from .renewal_settings import FOLLOW, TAKE, RenewSettings
from .rotation import Due, Key, Standing, Step, Stop, days_left, due, serving
from .told import Stopping, Told

R = TypeVar("R")
#: For one request of kistd.
SECONDS = 30.0
#: A rate by the minute allows one more request sooner.
_PATIENCE = 10.0
#: A rate that others use, too, may be used up again meanwhile; of memory or connections there may be too little for long.
_TRIES = 10


@dataclass(frozen=True)
class _Line:
    """A merchant's keys of one kind."""

    merchant: str
    kind: str

    def __str__(self) -> str:
        return f"{self.merchant} {self.kind}"


class _Stop(Exception):
    """Nothing more can be done in this run: kistd is away, locked, or its quota is used up; the text says which."""


class Renewal:
    """One run.

    Args:
        register: of the operators' socket.
        apple: None if no key of Apple's API is set.
        fleet: None for a host that is alone.
        plans: whether it only says what is due.
    """

    def __init__(
        self, settings: RenewSettings, register: Register, apple: AppStoreConnect | None, fleet: Carried | None, now: datetime, *, plans: bool = False
    ) -> None:
        self._settings, self._register, self._apple, self._now, self._plans = settings, register, apple, now, plans
        self._operator = Operator(settings.operators, settings.program)
        self._told, self._stopping = Told(settings.state), Stopping(settings.state)
        self._bundles = Bundles(fleet) if fleet else None
        self._takes = TAKE in settings.does
        self._hosts = Hosts(fleet, os.path.join(settings.state, "heard.json"), makes=not self._takes) if fleet else None
        self._heard = self._hosts.heard(now) if self._hosts else None
        self._merchants: dict[str, str] = {}
        self._certificates: dict[str, appstoreconnect.Certificate] = {}
        self._walked: set[str] = set()
        self._troubled: set[str] = set()
        self._is_apple_away = False
        self.failures = 0
        self._left = 0

    async def run(self) -> None:
        """Whatever fails is counted and told, and Prometheus hears also of a run that could do nothing."""
        ended_early, every = "", None
        try:
            await self._walk_all()
            if not self._plans and (self._hosts or self._settings.metrics):
                every = await self._say()
        except _Stop as stop:
            ended_early = str(stop)
        except Problem as problem:
            self.failures += 1
            ended_early = problem.detail
            print(f"kist_services.renew: {problem.detail}", file=sys.stderr)
        if self._plans:
            return
        try:
            self._told.save(self._walked - self._troubled)
        except OSError as failed:
            # People hear of the same again, and Prometheus of this.
            self.failures += 1
            print(f"{self._settings.state}: {failed.strerror}", file=sys.stderr)
        if self._settings.metrics:
            text = renewal_metrics.text(self._now, self.failures, self._left, self._heard, every, ended_early)
            replace(self._settings.metrics, text, 0o644)

    async def _walk_all(self) -> None:
        """
        Raises:
            _Stop
            Problem: kistd does not list its keys.
        """
        if self._takes and not self._plans:
            await self._take()
        keys = await self._keys(f"{self._settings.labels}/*")
        named = self._settings.merchants
        lines = {line for line in keys if not named or line.merchant in named} | {_Line(merchant, kind) for merchant in named for kind in self._settings.kinds}
        for line in sorted(lines, key=str):
            self._walked.add(str(line))
            with self._at(line):
                await self._walk(line, keys.get(line, []))

    async def _say(self) -> list[Key]:
        """All keys of this host, of which the others hear.

        Raises:
            _Stop
            Problem
        """
        every = [key for line in (await self._keys(f"{self._settings.labels}/*")).values() for key in line]
        if self._hosts and self._heard:
            with self._at(_Line(self._settings.host, "host")):
                await self._hosts.say(every, self._now)
                self._hosts.remember(self._heard)
        return every

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
                raise _Stop(failed.detail) from None

    async def _take(self) -> None:
        """Imports each bundle's key that kistd does not have, nor ever had."""
        assert self._bundles
        known = {key.id.hex() for key in await self._patiently(self._register.keys)}
        for name, bundle in self._bundles.besides(known):
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
        for key in await self._patiently(lambda: self._register.keys(labels)):
            kind = KIND_OF.get(key.role)
            if not kind or not key.merchant_identifier:
                continue
            known = await self._show(key.id.hex()) if key.state == "pre-active" else key
            found[_Line(key.merchant_identifier, kind)].append(Key.of(known))
        return found

    async def _walk(self, line: _Line, keys: list[Key]) -> None:
        """Step by step, as far as the settings let it."""
        keys = await self._follow(line, keys)
        if ending := days_left(keys, self._now):
            key, days = ending
            self._tell(line, "key-ends", f"{days}-{key.id}", {"days": str(days), "ends": str(key.ends), **_named(key)})
        for _ in Step:
            if self._heard:
                keys = [dataclasses.replace(key, last_use=self._heard.last_use(key)) for key in keys]
            active = serving(keys, self._now)
            standing = await self._standing(line, active)
            self._mind_hosts(line, keys, active, standing)
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

    async def _follow(self, line: _Line, keys: list[Key]) -> list[Key]:
        """The keys, once those are stopped that another host has stopped: people hear of each."""
        for key in keys:
            self._tell_of_stop(line, key)
        has_stopped = False
        for key in keys:
            if not self._heard or not (found := self._heard.stop(key)):
                continue
            if self._plans or FOLLOW not in self._settings.does:
                self._is_left(line, found[0], key)
                continue
            await self._stop(line, key, found[0], ", ".join(found[1]))
            has_stopped = True
        if not has_stopped:
            return keys
        keys = await self._again(line)
        for key in keys:
            self._tell_of_stop(line, key)
        return keys

    async def _stop(self, line: _Line, key: Key, stop: Stop, hosts: str) -> None:
        try:
            self._stopping.note(key.id, stop, hosts)
        except OSError as failed:
            # A key is stopped whether or not that can be written down.
            self._fail(line, f"{failed.filename or 'a file'}: {failed.strerror}")
        await self._do("key", stop, key.id)
        print(f"{line}: {stop}: done, as on {hosts} ({key.label})", flush=True)

    def _tell_of_stop(self, line: _Line, key: Key) -> None:
        """Of a key that this run has stopped, or one before it that was cut off."""
        if self._plans or not (noted := self._stopping.of(key.id)):
            return
        stop, hosts = noted
        if key.state not in stop.leads_to or self._tell(line, "key-stopped", f"{stop} {key.id}", {"step": stop.value, "hosts": hosts, **_named(key)}):
            self._stopping.forget(key.id)

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

    async def _standing(self, line: _Line, active: list[Key]) -> Standing:
        newest = next(iter(active), None)
        if not self._bundles or not self._heard or not newest or self._takes:
            return Standing(await self._is_switched(line, newest), unheard=self._heard.unheard if self._heard else ())
        # Of keys from before the fleet each host may have a copy of its own.
        spreadable = (key for key in active if key is newest or key.is_exportable)
        unspread = next((key for key in spreadable if self._heard.without(key) and not self._bundles.has(key)), None)
        lacking = self._heard.lacking(newest)
        # Before each host has the key, what Apple has done with it makes no difference.
        is_switched = not unspread and not lacking and await self._is_switched(line, newest)
        return Standing(is_switched, unspread, lacking, self._heard.unheard)

    def _mind_hosts(self, line: _Line, keys: list[Key], active: list[Key], standing: Standing) -> None:
        """Removes the bundle of a key that each host has, and tells of hosts on which the one that serves longest does not for longer than it takes to reach them."""
        if not self._bundles or not self._heard or self._takes or self._plans:
            return
        for key in keys:
            if not self._heard.without(key):
                self._bundles.remove(key)
        newest = next(iter(active), None)
        if newest and standing.lacking and (newest.activated or newest.created) + timedelta(hours=self._settings.settle_hours) <= self._now:
            hosts = ", ".join(standing.lacking)
            self._tell(line, "hosts-lack-key", f"{hosts} {newest.id}", {"hosts": hosts, **_named(newest)})

    async def _spread(self, line: _Line, key: Key) -> None:
        assert self._bundles
        certificate = base64.b64encode((await self._show(key.id)).certificate).decode()
        exported = await self._do("key", "export", key.id, "--under", self._settings.exchange)
        await self._bundles.put(Bundle(key.id, line.merchant, line.kind, key.label, exported["block"], certificate), self._now)

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
        """The key's certificate there, asked for once in a run."""
        assert self._apple
        if key.id not in self._certificates:
            spki = (await self._show(key.id)).public_key
            found: Iterable[appstoreconnect.Certificate] = await self._apple.certificates(await self._merchant(line))
            self._certificates |= {key.id: one for one in found if one.kind == line.kind and spki in one.der}
        return self._certificates.get(key.id)

    async def _merchant(self, line: _Line) -> str:
        """Apple's id."""
        assert self._apple
        if not self._merchants:
            self._merchants = await self._apple.merchants()
        if line.merchant not in self._merchants:
            raise Unanswered("Apple knows no such merchant identifier of this team")
        return self._merchants[line.merchant]

    async def _show(self, id: str) -> kist.Key:
        return await self._patiently(lambda: self._register.key(id))

    async def _do(self, *words: str, given: bytes = b"") -> dict[str, Any]:
        return await self._patiently(lambda: self._operator.do(*words, seconds=SECONDS, given=given))

    @staticmethod
    async def _patiently(ask: Callable[[], Awaitable[R]]) -> R:
        """Waits where a rate of the grant's is used up, but not for a quota, nor for ever."""
        for _ in range(_TRIES):
            try:
                return await ask()
            except Busy as busy:
                if busy.seconds > _PATIENCE:
                    raise
                await asyncio.sleep(busy.seconds)
        return await ask()

    def _tell(self, line: _Line, event: str, what: str, more: dict[str, str]) -> bool:
        """A message for people, once: whether they have it. Keys are renewed though it cannot be written; then the next run tells it."""
        if self._plans:
            return False
        if self._settings.outbox and self._told.is_new(str(line), f"{event} {what}"):
            name = hashlib.sha256(f"{line} {event} {what} {self._now}".encode()).hexdigest()[:32]
            at = self._now.isoformat(timespec="seconds")
            try:
                post(self._settings.outbox, name, {"event": event, "at": at, "merchant": line.merchant, "kind": line.kind, **more})
            except OSError as error:
                self.failures += 1
                print(f"{self._settings.outbox}: {error.strerror}", file=sys.stderr)
                return False
        self._told.note(str(line), f"{event} {what}")
        return True

    def _fail(self, line: _Line, why: str) -> None:
        self.failures += 1
        self._troubled.add(str(line))
        print(f"{line}: {why}", file=sys.stderr)
        self._tell(line, "failed", why, {"why": why})


def _named(key: Key | None) -> dict[str, str]:
    return {"key": key.id, "label": key.label} if key else {}
