"""Restarts, crashes and reboots under load: nobody is turned away, and what was answered is on the record."""

import itertools
import json
import os
import pathlib
import statistics
import subprocess
import time

import monitoring
from machine import expect, until
from page import ROOT, commands
from people import words

PAGE = (ROOT / "docs/UNLOCK.md").read_text()
USERS = ("acme-gateway", "acme-orders", "acme-web")


def credential(machine):
    """UNLOCK.md: a systemd credential opens the store at every start"""
    typed = [words(machine, name) for name in ("carol", "dave")]
    for user, command in commands(PAGE, "By a systemd credential"):
        machine.type(command, typed if "keystore credential" in command else [], user)
    machine.run("kist status --ready", "alice")
    expect(not (machine.root / "run/kist/kek").exists(), "the key is still there")


def restarts(machine):
    """50 restarts under load from three users: none refused, every acknowledged request in the log"""
    with Load(machine) as load:
        for _ in range(50):
            machine.run("systemctl restart kistd")
    return load.account()


def stop_and_start(machine):
    """Stopped under load: the next caller starts it again"""
    with Load(machine) as load:
        for _ in range(3):
            machine.run("systemctl stop kistd")
            until("it runs again", lambda: machine.run("systemctl is-active kistd", code=None).text == "active\n")
    return load.account()


def crashes(machine):
    """Killed under load, KIST_SYSTEM_KILLS times (5): started again, none refused"""
    with Load(machine) as load:
        for _ in range(int(os.environ.get("KIST_SYSTEM_KILLS", "5"))):
            before = _restarts(machine)
            machine.run("kill -KILL $(systemctl show --property=MainPID --value kistd)")
            until("it runs again", lambda: _restarts(machine) > before and machine.run("systemctl is-active kistd", code=None).text == "active\n")
    return f"{load.account()}; without answers {load.median_gap():.2f} s in the median"


def boot(machine):
    """After a reboot it serves, with nobody there"""
    machine.power_off()
    machine.boot()
    machine.run("kist ping --timeout 30", "acme-orders")
    machine.run("kist status --ready", "alice")
    monitoring.comes_back(machine)
    expect("level=warning" not in machine.run("journalctl --boot --unit=kistd --output=cat --no-pager").text, "a warning at start")


class Load:
    """Requests of three users, each in a unit of its own, until the block ends."""

    _numbers = itertools.count()

    def __init__(self, machine):
        self.machine = machine
        machine.put("/opt/load.py", (pathlib.Path(__file__).parent / "load.py").read_text())

    def __enter__(self):
        self.machine.run("rm -f /tmp/stop")
        self.recorded = {user: self._records(user) for user in USERS}
        # A unit's name is free again only some time after its program has ended.
        run = f"systemd-run --quiet --wait --pipe --collect --unit=load-{next(self._numbers)}"
        self.running = {user: self.machine.start(f"{run}-{user} --uid={user} python3 /opt/load.py /tmp/stop") for user in USERS}
        time.sleep(1)
        for user, process in self.running.items():
            expect(process.poll() is None, f"{user}: no load: {process.stdout.read() if process.poll() is not None else ''}")
        return self

    def __exit__(self, *_):
        self.machine.run("touch /tmp/stop")
        try:
            self.said = {user: process.communicate(timeout=60)[0] for user, process in self.running.items()}
        except subprocess.TimeoutExpired:
            expect(False, self.machine.run("systemctl status --no-pager --lines=20 'load-*' kistd; ps -efww | grep load", code=None).text)

    def account(self):
        """Fails unless nobody was refused a connection and the log has all that was acknowledged, and no more than was sent."""
        acknowledged = unanswered = 0
        self.gaps = []
        for user, said in self.said.items():
            try:
                counts = json.loads(said)
            except ValueError:
                expect(False, f"{user}: {said}")
            expect(counts["refused"] == 0 and counts["acknowledged"] > 20, f"{user}: {counts}")
            recorded = self._records(user) - self.recorded[user]
            expect(counts["acknowledged"] <= recorded <= counts["acknowledged"] + counts["unanswered"], f"{user}: {counts}, {recorded} records")
            acknowledged, unanswered = acknowledged + counts["acknowledged"], unanswered + counts["unanswered"]
            self.gaps += counts["gaps"]
        return f"{acknowledged} acknowledged, {unanswered} unanswered, 0 refused"

    def median_gap(self):
        """In seconds, of the times in which a user got no answer."""
        return statistics.median(self.gaps) if self.gaps else 0

    def _records(self, user):
        return int(self.machine.run(f"kist audit show --user {user} --op random --result ok --json | wc -l", "frank").text)


def _restarts(machine):
    return int(machine.run("systemctl show --property=NRestarts --value kistd").text)
