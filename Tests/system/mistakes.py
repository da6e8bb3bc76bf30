"""Mistakes that people make on a host. Each ends in one sentence with the cure, where people look, and nothing is lost once it is mended.

Bad TOML and modes are in doctor.py. A wrong clock cannot be made here, for the container has the host's.
"""

import re

from machine import expect, until
from people import PASSPHRASE, unlock

DROP_IN = "/etc/systemd/system/kistd.service.d/70-mistake.conf"
LOG = "/var/log/kist/audit"
MANIFEST = "/var/lib/kist/keys/manifest.json"


def owner_of_keys(machine):
    """A file of the key store is root's: the start fails, systemctl status and kist status say what to do"""
    _fails(machine, f"chown root {MANIFEST}", "one of its files is not the daemon's: kist doctor, run as root, names it and what to do")
    said = machine.run("kist status --timeout 3", "alice", code=1).text
    expect("Its last start failed: " in said and "kist doctor, run as root" in said, said)
    _cure(machine, MANIFEST)
    _serves(machine)


def owner_of_log(machine):
    """A file of the log is root's: unlocking fails, and the journal says what to do"""
    newest = machine.run(f"ls {LOG}/*.log | tail -1").text.strip()
    machine.run(f"chown root {newest} && systemctl restart kistd")
    said = machine.type("kist unlock", [PASSPHRASE], "alice", code=1).text
    expect("audit-unavailable" in said and "journalctl -u kistd says why, and kist doctor, run as root, what to do" in said, said)
    said = _journal(machine)
    expect("one of its files is not the daemon's: kist doctor, run as root, names it and what to do" in said, said)
    _cure(machine, newest)
    _serves(machine, restart=False)


def group(machine):
    """A group of the sockets is missing: kist doctor says what makes it"""
    machine.run("cp -a /etc/group /root/group && cp -a /etc/gshadow /root/gshadow && groupdel kist-clients")
    machine.run("systemctl restart kist.socket", code=1)
    said = machine.run("kist doctor", code=1).text
    expect("PROBLEM group-missing kist-clients\n" in said and "Run systemd-sysusers, which makes it." in said, said)
    # That makes it without its members.
    machine.run("systemd-sysusers && getent group kist-clients && cp -a /root/group /etc/group && cp -a /root/gshadow /etc/gshadow")
    machine.run("systemctl restart kist.socket")
    _serves(machine)


def secret_memory(machine):
    """memfd_secret is forbidden: the start says that, and not that a limit is too low"""
    machine.put(DROP_IN, "[Service]\nSystemCallFilter=~memfd_secret\n")
    _fails(machine, "systemctl daemon-reload", "a unit's SystemCallFilter=, must allow it; no limit on memory helps")
    machine.run(f"rm {DROP_IN} && systemctl daemon-reload")
    _serves(machine)


def twice(machine):
    """A second daemon is told that one answers already, and the first goes on"""
    again = "systemd-run --quiet --wait --pipe --property=User=kist --property=AmbientCapabilities=CAP_IPC_LOCK kistd"
    said = machine.run(again, code=69).text
    expect(said == "kistd: /run/kist/kist.sock: another daemon answers there; stop it first\n", said)
    machine.run("kist ping", "acme-orders")


def full_disk(machine):
    """The log's disk fills: requests are refused until there is room, kist status and systemctl status say so, and no record is lost"""
    machine.run("systemctl stop kist.socket kist-admin.socket kistd")
    machine.run(f"mv {LOG} /root/audit && mkdir {LOG} && mount -t tmpfs -o size=$(($(du --summarize --block-size=1M /root/audit | cut -f 1) + 3))M tmpfs {LOG}")
    machine.run(f"chown kist:kist-auditors {LOG} && chmod 2750 {LOG} && cp -a /root/audit/. {LOG}/")
    machine.run("systemctl start kist.socket kist-admin.socket")
    _serves(machine)
    machine.run(f"dd if=/dev/zero of={LOG}/filled bs=64k", code=1)
    # Below the rate of the example's grant.
    until_refused = "import kist, time\nwith kist.Client() as c:\n  while True: c.random(16); time.sleep(.015)"
    said = machine.run(f"timeout 120 python3 -c '{until_refused}'", "acme-orders", code=1, patience=150).text
    expect("audit-unavailable" in said or "AuditUnavailable" in said, said)
    said = machine.run("kist status", "alice").text
    expect(re.search(r"audit disk +full, ", said), said)
    expect("the log's disk is full" in machine.status(), "systemctl status does not say so")
    machine.run(f"rm {LOG}/filled")
    until("it serves again", lambda: machine.run("kist ping", "acme-orders", code=None).code == 0)
    machine.run("systemctl stop kist.socket kist-admin.socket kistd")
    machine.run(f"rm -rf /root/audit && cp -a {LOG} /root/audit && umount {LOG} && rmdir {LOG} && mv /root/audit {LOG}")
    machine.run("systemctl start kist.socket kist-admin.socket")
    _serves(machine)
    machine.run(f"kist audit key >~/audit.key && kist audit verify {LOG} --key ~/audit.key", "frank", patience=120)


def _fails(machine, mistake, reason):
    machine.run(mistake)
    machine.run("systemctl restart kistd", code=1)
    until("the reason stands in systemctl status", lambda: re.search(f'Status: ".*{re.escape(reason)}', machine.status()))
    expect(reason in _journal(machine), _journal(machine))


def _cure(machine, path):
    """What kist doctor says to do about the owner of a file."""
    said = machine.run("kist doctor", code=1).text
    cure = re.search(rf"PROBLEM file-owner {path}\n.*\n  Run (chown .*)\.\n", said)
    expect(cure, said)
    machine.run(cure.group(1))


def _serves(machine, restart=True):
    # The steps start units more often in ten seconds than people do, and than systemd allows.
    machine.run("systemctl reset-failed kist.socket kist-admin.socket kistd.service")
    if restart:
        machine.run("systemctl restart kistd")
    unlock(machine)
    machine.run("kist ping", "acme-orders")


def _journal(machine):
    return machine.run("journalctl --unit=kistd --lines=20 --output=cat --no-pager").text
