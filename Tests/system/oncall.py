"""docs/OPERATE.md and docs/UNLOCK.md, as the person on call: looked at, changed, backed up, restored, moved to another machine."""

import json
import re

from machine import expect
from page import ROOT, commands
from people import approved, end, hand_in, unlock, waiting_request, words

OPERATE, UNLOCK = ((ROOT / f"docs/{name}.md").read_text() for name in ("OPERATE", "UNLOCK"))
BACKUP, DIGEST = "/var/backups/kist/2026-11-20T093000Z-g12", "2c26b46b…"


def looked_at(machine):
    """OPERATE.md: a first look, a lock and shares, a restart, the clock, a refused caller"""
    for section in ("First look", "Locked", "Restart", "Clock wrong", "One caller is refused"):
        for user, command in commands(OPERATE, section):
            if command.startswith("kist unlock"):
                continue  # the custodian's page
            code = 3 if command == "kist doctor" else 0
            machine.run(re.sub(r"\b48213\b", "3", command), user, code=code)
            if command.startswith("systemctl restart"):
                unlock(machine)
    ((_, command),) = commands(OPERATE, "What the journal says")
    events = [json.loads(line) for line in machine.run(command).text.splitlines()]
    expect({"ready", "unlocked", "stopped"} <= {event["event"] for event in events}, f"{len(events)} events")
    expect(all(event["level"] in ("info", "warning", "error") and event["time"].endswith("Z") for event in events), events[:3])
    expect(all(isinstance(event["keys"], int) for event in events if event["event"] == "unlocked"), "keys are no numbers")


def changed(machine):
    """OPERATE.md: a changed policy checked, approved and taken"""
    machine.run("cp -r /etc/kist/policy.d /etc/kist/policy.d.old")
    # Of this grant alone: the load of later steps needs more of the others.
    machine.run(r"sed -i '/^id = \"acme-orders\"/,/^rate/s|[0-9]*/s|48/s|' /etc/kist/policy.d/20-example.toml")
    for user, command in commands(OPERATE, "Change the configuration or the policy"):
        if command.endswith("--wait"):
            waiting = machine.start(command, user)
        elif command.startswith("kist approve ID"):
            machine.run(f"cd /etc/kist && {command.replace('ID', waiting_request(machine))}", user)
            end(waiting)
        else:
            machine.run(command, user)
    expect("48/s" in machine.run("kist policy show", "alice").text, "the changed policy is not in force")
    machine.run("rm -r /etc/kist/policy.d.old")


def restored(machine):
    """UNLOCK.md: a backup, the store lost, restored, opened by custodians"""
    made = machine.backup = json.loads(approved(machine, "kist backup --wait --json").splitlines()[-1])
    machine.run("kist key generate --label merchant/acme/later --role surrogate --algorithm AES-256", "alice")
    for user, command in commands(UNLOCK, "Coming back from a backup"):
        command = command.replace(BACKUP, f"/var/backups/kist/{made['name']}").replace(DIGEST, made["digest"])
        if "kist restore" in command:
            machine.run("rm -r /var/lib/kist/keys")
        if command == "kist unlock":
            unlock(machine)
        else:
            machine.run(command, user)
    expect("merchant/acme/later" not in machine.run("kist key list", "alice").text, "a key that is younger than the backup")


def drilled(machine):
    """UNLOCK.md: a drill, for which the operator is given a copy of the backup"""
    for user, command in commands(UNLOCK, "A drill"):
        if command.startswith("kist drill"):
            said = machine.type(command, [words(machine, name) for name in ("carol", "erin")], user)
            expect("the drill passed" in said.text, said)
        else:
            machine.run(command.replace(BACKUP, f"/var/backups/kist/{machine.backup['name']}"), user)


def moved(machine):
    """UNLOCK.md: another machine is told apart, and taken once"""
    machine.run("systemctl stop kistd && echo 0123456789abcdef0123456789abcdef > /etc/machine-id && systemctl restart systemd-journald && systemctl start kistd")
    hand_in(machine, "carol")
    hand_in(machine, "erin", code=1)
    said = machine.run("journalctl --merge --unit=kistd --output=cat --no-pager --lines=20").text
    expect("another machine" in said, said)
    for user, command in commands(UNLOCK, "Another machine"):
        if command == "kist unlock":
            unlock(machine)
        else:
            machine.run(command, user)
    machine.run("systemctl restart kistd")
    unlock(machine)


def journal(machine):
    """A key's end is a warning in the journal, and once it has come an error; what is well is neither; a lost argument is named"""
    ends = {"merchant/acme/ending": ("+10 days", "warning"), "merchant/acme/ended": ("+5 seconds", "err")}
    for label, (end_of_key, _) in ends.items():
        moment = f"$(date --utc --date='{end_of_key}' +%Y-%m-%dT%H:%M:%SZ)"
        machine.run(f"kist key generate --label {label} --role surrogate --algorithm AES-256 --not-after {moment}", "alice")
    machine.run("sleep 6 && systemctl restart kistd")
    unlock(machine)
    told = {priority: machine.run(_of_priority(priority)).text for priority in ("info", "warning", "err")}
    for label, (_, priority) in ends.items():
        found = [name for name, text in told.items() if re.search(rf"event=key-ending key={label} days=-?\d+ ", text)]
        expect(found == [priority], f"{label}: {found}\n{told}")
    expect([name for name, text in told.items() if "event=unlocked" in text] == ["info"], told)
    for label in ends:
        approved(machine, f"kist key retire {label} --wait")
    expect("DIR is missing" in machine.run("kist restore /var/backups/kist/copy --digest 00", code=2).text, "no argument is named")


def _of_priority(priority):
    return f"journalctl --sync && journalctl --merge --unit=kistd --priority={priority}..{priority} --output=cat --no-pager"
