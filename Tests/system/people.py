"""What people do at the daemon: they unlock it, hand in shares, and approve."""

import re

from machine import expect, until

PASSPHRASE = "correct horse battery staple"


def unlock(machine):
    """Opens the key store: alice with the passphrase, or two custodians with their shares, where there are any."""
    if not machine.sheets:
        machine.type("kist unlock", [PASSPHRASE], "alice")
        return
    for custodian in ("carol", "erin"):
        hand_in(machine, custodian)
    machine.run("kist status --ready", "alice")


def hand_in(machine, custodian, code=0, sheet=None):
    """Types the words of a custodian's sheet, their own unless it is another's."""
    return machine.type("kist unlock --share", [words(machine, sheet or custodian)], custodian, code)


def words(machine, custodian):
    return " ".join(machine.sheets[custodian])


def waiting_request(machine):
    """The only request that waits for an approver."""
    return until("a request waits", lambda: re.findall(r"^([0-9a-f]{8,})\b", machine.run("kist approve --list", "grace").text, re.M))[0]


def approved(machine, command):
    """What alice's command said that waited until grace had approved it."""
    waiting = machine.start(command, "alice")
    machine.run(f"kist approve {waiting_request(machine)}", "grace")
    return end(waiting)


def end(waiting):
    """What a command said that has waited for an approver."""
    said = waiting.communicate(timeout=60)[0]
    expect(waiting.returncode == 0, said)
    return said
