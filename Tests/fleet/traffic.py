"""Openings by callers of two real hosts, while things are killed, cut off and set in an order that a seed says."""

import os
import random
import secrets
import signal
import threading
import time

from checker import Openings
from process import at_once, eventually, expect

CALLERS = 8
# Callers come back within the time for which a lost reply can be had again, but for a machine that is too busy.
IN_TIME = 60


class Traffic:
    """Callers who open tokens, each token for several requests at once, until each request is answered."""

    def __init__(self, fleet, seed):
        self.fleet, self.shops = fleet, fleet.shops
        self.random = random.Random(seed)
        self.openings, self.outcomes, self.lock = Openings(), {}, threading.Lock()
        self.tokens, self.jobs, self.unheard, self.events = [], [], set(), 0
        self.earlier = {host: set(log) for host, log in self._rejected().items()}

    def wave(self, count):
        """Opens so many new tokens while each of the events comes to pass, those of the store and those of a host side by side."""
        begin = len(self.tokens)
        self.tokens += [None] * count
        at_once([lambda start=start: self.mint(begin + start) for start in range(4)])
        # Two requests without a retry key, and one with, which is sent to both hosts.
        for token in range(begin, len(self.tokens)):
            key = secrets.token_bytes(16)
            self.jobs += [(token, shop, with_key) for shop in self.shops for with_key in (b"", key)]
        self.random.shuffle(self.jobs)
        of_the_store = [self.slow_standby, self.kill_primary, self.kill_standby, self.part_servers, self.fleet.fail_over]
        of_a_host = [self.kill_daemon, self.kill_claimd, self.cut_off, self.set_clock]
        threads = []
        for events in (of_the_store, of_a_host):
            own = random.Random(self.random.getrandbits(64))
            own.shuffle(events)
            threads.append(lambda events=events, own=own, jobs=len(self.jobs): self.happen(events, own, jobs))
        at_once(threads + [self.caller] * CALLERS)

    def mint(self, start):
        for token in range(start, len(self.tokens), 4):
            self.tokens[token] = self.shops.one.token()

    def caller(self):
        while True:
            with self.lock:
                if not self.jobs:
                    return
                token, shop, key = self.jobs.pop()
            self.open(token, shop, key)

    def open(self, token, shop, key):
        """Until it is answered; a caller with a retry key goes to the other host where a reply is lost."""
        begin, is_lost = time.monotonic(), False
        while time.monotonic() < begin + 3 * IN_TIME:
            outcome, sequence = shop.open(self.tokens[token], key)
            with self.lock:
                self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
            if outcome == "opened":
                return self.openings.note(token, shop.host, key, sequence)
            if outcome == "rejected":
                # Whether it was this request that had the token, nobody knows.
                if is_lost and not (key and time.monotonic() < begin + IN_TIME):
                    self.unheard.add(token)
                return None
            if outcome == "lost":
                is_lost = True
                if key:
                    shop = self.shops.two if shop is self.shops.one else self.shops.one
            time.sleep(0.02)
        raise AssertionError("not answered in %d s" % (3 * IN_TIME))

    # MARK: what comes to pass

    def happen(self, events, own, jobs):
        """Each of these as soon as enough openings have begun."""
        for place, event in enumerate(events, 1):
            eventually("openings go on", lambda place=place: len(self.jobs) <= jobs - place * jobs // (len(events) + 1), 5 * IN_TIME)
            if event in (self.kill_daemon, self.kill_claimd, self.cut_off, self.set_clock):
                event(own.choice([self.shops.one, self.shops.two]), own)
            else:
                event()
            with self.lock:
                self.events += 1

    def kill_daemon(self, shop, _):
        """While it waits for claims, and again until a caller lost a reply by it: a daemon that answers `busy` at once loses none."""
        before = self.outcomes.get("lost", 0)
        while self.jobs and self.outcomes.get("lost", 0) == before:
            eventually("%s is ready" % shop.host, shop.is_ready, IN_TIME)
            shop.claimd.process.send_signal(signal.SIGSTOP)
            time.sleep(0.1)
            shop.kill()
            shop.claimd.process.send_signal(signal.SIGCONT)
            time.sleep(0.2)
            shop.start()

    @staticmethod
    def kill_claimd(shop, _):
        shop.claimd.kill()
        time.sleep(0.2)
        shop.claimd.start()

    def cut_off(self, shop, _):
        self.fleet.network.cut_off(shop.host, True)
        time.sleep(0.7)
        self.fleet.network.cut_off(shop.host, False)

    @staticmethod
    def set_clock(shop, own):
        """By less than what tokens and retries have."""
        shop.clock.set(own.randrange(-20, 21))

    def slow_standby(self):
        receiver = int(eventually("the standby receives", lambda: self.fleet.standby.sql("SELECT pid FROM pg_stat_wal_receiver")))
        os.kill(receiver, signal.SIGSTOP)
        time.sleep(0.7)
        os.kill(receiver, signal.SIGCONT)

    def kill_primary(self):
        self._kill(self.fleet.primary)

    def kill_standby(self):
        self._kill(self.fleet.standby)

    @staticmethod
    def _kill(server):
        server.kill()
        time.sleep(0.2)
        server.start()

    def part_servers(self):
        self.fleet.network.part_servers(True)
        time.sleep(0.7)
        self.fleet.network.part_servers(False)

    # MARK: what came of it

    def wrong(self):
        reported = {(host, record["event"]["opening"]) for host, log in self.shops.records("duplicate-opening").items() for record in log.values()}
        return self.openings.check(self.shops.records("open-payment-token", "--result", "ok"), self.fleet.rows(), reported)

    def _rejected(self):
        return self.shops.records("open-payment-token", "--result", "rejected")

    def check(self):
        wrong = self.wrong()
        expect(not wrong, "\n".join(wrong))
        stages = {record["stage"] for host, log in self._rejected().items() for sequence, record in log.items() if sequence not in self.earlier[host]}
        expect(stages <= {"replay"}, "rejected at other stages: %s" % stages)
        missing = set(range(len(self.tokens))) - {reply[0] for reply in self.openings.replies} - self.unheard
        expect(not missing, "opened for nobody: %s" % missing)

    def __str__(self):
        opened = {reply[0] for reply in self.openings.replies}
        outcomes = ", ".join("%d %s" % (count, outcome) for outcome, count in sorted(self.outcomes.items()))
        return "%d of %d tokens, and %d whose reply was lost; %d events; %s" % (
            len(opened), len(self.tokens), len(self.unheard - opened), self.events, outcomes)
