"""Mistakes on a host, each with a cure that kist doctor prints: the cure is run as it stands, and what was found is gone."""

import json
import re

from machine import expect
from people import unlock

LOG, CONFIGURATION = "/var/log/kist/audit", "/etc/kist/kist.toml"


def shut_out(machine):
    """What keeps somebody out of what their role needs is one finding for each place, and its cure lets them in"""
    segments = f"{LOG}/*.log"
    for mistake, finding in (
        (f"chgrp kist {segments}", "role-shut-out"),
        (f"chmod 600 {segments}", "role-shut-out"),
        ("chmod 750 /var/log/kist", "role-shut-out"),
        ("chmod 700 /run/kist", "role-shut-out"),
        ("setfacl --remove=group:kist-custodians /run/kist/admin.sock", "role-shut-out"),
        (f"chmod 600 {CONFIGURATION}", "daemon-shut-out"),
        ("chmod 700 /etc/kist/policy.d", "daemon-shut-out"),
        ("chmod 600 /etc/kist/policy.d/*.toml", "daemon-shut-out"),
    ):
        _cured(machine, mistake, finding)
    machine.run(f"cat {segments} >/dev/null", "frank")
    machine.run("runuser -u kist -- kistd --check-config && systemctl reload kistd")


def log_of_auditors(machine):
    """The log stays the auditors' at a start, whoever its tree was given to"""
    machine.run("chgrp -R kist-auditors /var/log/kist")
    machine.run("systemctl restart kistd")
    unlock(machine)
    expect(machine.run(f"stat --format=%G {LOG}/*.log | sort -u").text == "kist-auditors\n", "the start took it from the auditors")
    _cured(machine, f"chmod g-s {LOG}", "log-group")
    machine.run("chgrp kist /var/log/kist")
    machine.run(f"cat {LOG}/*.log >/dev/null", "frank")


def sockets_of_their_groups(machine):
    """The sockets stay their groups' at a start, whoever their directory was given to"""
    machine.run("chown root:root /run/kist && systemctl restart kistd")
    unlock(machine)
    machine.run("kist ping", "acme-orders")
    machine.run("kist status", "alice")
    machine.run("rm -r /run/kist && systemctl stop kistd kist.socket kist-admin.socket && systemctl start kist.socket kist-admin.socket kistd")
    unlock(machine)
    expect(machine.run("stat --format=%U:%G:%a /run/kist").text == "kist:kist:755\n", "not the daemon's")
    machine.run("kist ping", "acme-orders")


def files_and_units(machine):
    """Owners, modes, groups, units and a file that nobody reloaded: what doctor says to run mends them"""
    manifest = "/var/lib/kist/keys/manifest.json"
    for mistake, finding in (
        (f"chown root {manifest}", "file-owner"),
        (f"chmod 644 {manifest}", "file-open"),
        (f"chmod 666 {CONFIGURATION}", "configuration-untrusted"),
        ("chmod 666 /run/kist/kist.sock", "socket-mode"),
        ("chgrp kist /run/kist/kist.sock", "socket-group"),
        ("gpasswd --delete bob kist-operators", "grant-user-outside-group"),
        ("usermod --append --groups kist acme-orders", "service-in-role"),
        (f"sed -i 's/^# freshness_window = .*/freshness_window = \"4m\"/' {CONFIGURATION}", "configuration-not-in-force"),
        ("systemctl disable --quiet --now kist-doctor.timer", "unit-disabled"),
        ("systemctl mask --quiet kist-admin.socket", "unit-masked"),
        ("systemctl disable --quiet kist.socket", "unit-disabled"),
    ):
        _cured(machine, mistake, finding)
    # It was masked while it listened, and lost that.
    machine.run("systemctl restart kist-admin.socket kistd")
    unlock(machine)


def one_finding(machine):
    """Many files with one thing wrong are one finding, and one command mends all"""
    files = "/var/lib/kist/keys/*"
    count = int(machine.run(f"ls {files} | wc -l").text)
    expect(count > 1, "one file")
    _cured(machine, f"chown root {files}", "file-owner")
    _cured(machine, f"chmod 644 {files}", "file-open")
    return f"{count} files"


def logrotate(machine):
    """A rule of logrotate's that covers the log is found"""
    machine.put("/etc/logrotate.d/mistake", "/var/log/kist/audit/*.log {\n  weekly\n}\n")
    expect("PROBLEM log-rotated /etc/logrotate.d/mistake" in machine.run("kist doctor", code=1).text, "not found")
    machine.run("rm /etc/logrotate.d/mistake")


def directories(machine):
    """A directory that is missing is made as it was"""
    named = f"sed -i '/var.backups.kist/s/^# //' {CONFIGURATION}"
    _cured(machine, f"{named} && rmdir /var/backups/kist", "directory-missing")
    expect(machine.run("stat --format=%U:%a /var/backups/kist").text == "kist:700\n", "another's")
    machine.run(f"sed -i '/var.backups.kist/s/^/# /' {CONFIGURATION}")


def in_words(machine):
    """What doctor says in words ends what it found, done as it says"""
    policy, units = "/etc/kist/policy.d/90-mistake.toml", "/etc/systemd/system"
    grant = '[[grant]]\nid = "mistake"\nusers = ["alice"]\noperations = ["random"]\n'
    for mistake, act, finding in (
        (f"echo frob >{policy}", f"rm {policy}", "policy-invalid"),
        (f"printf '{grant}' >{policy}", f"rm {policy}", "policy-not-in-force"),
        (f"sed -i '/^.process.$/a landlock = false' {CONFIGURATION}", f"sed -i '/^landlock = false/d' {CONFIGURATION}", "confinement-off"),
        (_drop_in(f"{units}/kistd.service.d", "[Service]\nWatchdogSec=30"), _taken_out(f"{units}/kistd.service.d"), "watchdog-with-people"),
        (_drop_in(f"{units}/kist.socket.d", "[Socket]\nSocketMode=0666"), _taken_out(f"{units}/kist.socket.d"), "socket-mode"),
    ):
        _ended(machine, mistake, act, finding)
    cure = _ended(machine, "rm /run/kist/admin.sock", None, "socket-missing")
    unlock(machine)
    return cure


def _drop_in(folder, text):
    return f"mkdir -p {folder} && printf '{text}\n' >{folder}/mistake.conf && systemctl daemon-reload"


def _taken_out(folder):
    return f"rm {folder}/mistake.conf && systemctl daemon-reload"


def _ended(machine, mistake, act, finding):
    """Makes a mistake; fails unless doctor finds it, and the act, or what follows a colon in the cure, ends that. Returns what ended it."""
    machine.run(mistake)
    said = machine.run("kist doctor --json", code=None).text
    cures = [each["cure"] for each in json.loads(said)["findings"] if each["id"] == finding]
    expect(cures, f"{mistake}: {said}")
    act = act or cures[0].removesuffix(".").rpartition(": ")[2]
    machine.run(act)
    said = machine.run("kist doctor --json", code=None).text
    expect(finding not in [each["id"] for each in json.loads(said)["findings"]], f"{mistake}: {act} does not help: {said}")
    return act


def _cured(machine, mistake, finding):
    """Makes a mistake; fails unless doctor finds it once, and what it says to run ends that."""
    machine.run(mistake)
    said = machine.run("kist doctor --json", code=None).text
    found = [each for each in json.loads(said)["findings"] if each["id"] == finding]
    expect(len(found) == 1, f"{mistake}: {said}")
    cure = re.search(r"Run (.*?)(?:, .*|\.)$", found[0]["cure"]) or re.search(r": (.*)\.$", found[0]["cure"])
    expect(cure, found[0]["cure"])
    machine.run(cure.group(1))
    said = machine.run("kist doctor --json", code=None).text
    expect(finding not in [each["id"] for each in json.loads(said)["findings"]], f"{mistake}: {cure.group(1)} does not help: {said}")
