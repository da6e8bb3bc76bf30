"""Packages: upgraded under load, purged, and installed again."""

import json

import monitoring
import restarts
from machine import expect
from page import ROOT, commands
from people import unlock
from restarts import Load
from reversioned import reversioned

PAGE, UNLOCK, INSTALL = ((ROOT / f"docs/{name}.md").read_text() for name in ("UPGRADE", "UNLOCK", "INSTALL"))
CONFIGURATION = "/etc/kist/kist.toml"
CREDENTIAL = "/etc/credstore.encrypted/kist-kek"


def upgrade(machine):
    """An upgrade under load restarts the daemon: none refused, configuration kept"""
    before = _process(machine)
    text = machine.run(f"cat {CONFIGURATION}").text
    with Load(machine) as load:
        _install(machine, "0.1.0+1")
    expect(_process(machine) != before, "not restarted")
    expect(machine.run(f"cat {CONFIGURATION}").text == text, "another configuration")
    return load.account()


def wrong_configuration(machine):
    """An upgrade leaves the daemon alone if the configuration is wrong, and says why"""
    before = _process(machine)
    machine.run(f"echo 'nonsense = 1' >> {CONFIGURATION}")
    said = _install(machine, "0.1.0+2")
    expect("kistd was not restarted" in said and "nonsense" in said, said)
    expect(_process(machine) == before, "restarted")
    machine.run("kist ping", "acme-orders")
    machine.run(f"sed -i '$d' {CONFIGURATION}")


def unlocked_by_people(machine):
    """An upgrade leaves a daemon alone that people unlock"""
    before = _process(machine)
    machine.run(f"sed -i 's|^credential = |# credential = |' {CONFIGURATION}")
    said = _install(machine, "0.1.0+3")
    expect("people unlock its key store" in said, said)
    expect(_process(machine) == before, "restarted")
    machine.run(f"sed -i 's|^# credential = |credential = |' {CONFIGURATION}")


def dead_credential(machine):
    """An upgrade leaves a daemon alone whose credential is missing, garbage or another store's key; doctor says so, its timer's unit, too"""
    before = _process(machine)
    machine.run(f"cp -a {CREDENTIAL} /root/kek")
    other = "head --bytes=32 /dev/urandom | systemd-creds encrypt --name=kist-kek - "
    for made, finding in ((f"rm {CREDENTIAL}", "credential-missing"), (f"echo garbage >{CREDENTIAL}", "credential-not-given"),
                          (f"rm {CREDENTIAL} && {other}{CREDENTIAL}", "credential-wrong")):
        machine.run(made)
        said = machine.run("/var/lib/dpkg/info/kistd.postinst configure 0.1.0").text
        expect("kistd was not restarted" in said and finding in said, said)
        machine.run("systemctl start kist-doctor.service")
        machine.run(f"grep 'kist_doctor_finding.id=.{finding}.' /run/kist-doctor/doctor.prom")
    said = _install(machine, "0.1.0+4")
    expect("kistd was not restarted" in said and "credential-wrong" in said, said)
    expect(_process(machine) == before, "restarted")
    machine.run("kist ping", "acme-orders")
    machine.run(f"rm {CREDENTIAL} && cp -a /root/kek {CREDENTIAL} && kist doctor --restart")
    said = machine.run("/var/lib/dpkg/info/kistd.postinst configure 0.1.0").text
    expect("not restarted" not in said and _process(machine) != before, said)
    machine.run("kist status --ready", "alice")


def moved(machine):
    """UPGRADE.md, to another machine: where accounts have other numbers, everybody reaches what they did"""
    keys = machine.run("kist key list", "alice").text
    pack, unpack = _halves(commands(PAGE, "To another machine"), "tar --extract")
    for user, command in pack:
        machine.run(command, user)
    numbers = _numbers(machine)
    _make_another(machine, numbers)
    for user, command in unpack:
        machine.run(command, user)
    # The credential is the old machine's: people unlock until there is a new one.
    machine.run(f"sed -i 's|^credential = |# credential = |' {CONFIGURATION} && rm /etc/systemd/system/kistd.service.d/unlock.conf {CREDENTIAL}")
    for user, command in commands(UNLOCK, "Another machine"):
        if command == "kist unlock":
            unlock(machine)
        else:
            machine.run(command, user)
    expect(not set(_numbers(machine)) & set(numbers), "the accounts have the same numbers")
    expect(machine.run("kist key list", "alice").text == keys, "other keys")
    found = json.loads(machine.run("kist doctor --json", code=None).text)["findings"]
    expect(not [each for each in found if each["severity"] == "problem"], found)
    machine.run("kist ping", "acme-orders")
    machine.run("kist audit key >~/audit.key && kist audit verify /var/log/kist/audit --key ~/audit.key", "frank", patience=120)
    restarts.credential(machine)


def _make_another(machine, numbers):
    """Nothing of Kist, other numbers for its accounts, another machine id; the same people."""
    machine.run("apt-get purge --yes kistd kist", patience=120)
    machine.run("rm -rf /etc/kist /var/lib/kist /var/log/kist /var/backups/kist /run/kist")
    machine.run("for user in $(grep -o '^kist[a-z-]*' /etc/passwd | grep -v claimd); do userdel $user; done")
    machine.run("for group in $(grep -o '^kist-[a-z]*' /etc/group | grep -v claimd); do groupdel $group; done")
    for number in sorted(set(numbers)):
        machine.run(f"getent group {number} || groupadd --system --gid {number} taken-{number}")
        machine.run(f"getent passwd {number} || useradd --system --uid {number} --gid {number} taken-{number}")
    machine.run("echo fedcba9876543210fedcba9876543210 >/etc/machine-id && systemctl restart systemd-journald")
    machine.run("cd /root/packages && apt-get install --yes ./kist_*.deb ./kistd_*.deb", patience=120)
    for user, command in commands(INSTALL, "2. Say who has which role"):
        machine.run(command, user)


def _numbers(machine):
    """Of the daemon's user, and of the groups."""
    return machine.run("id --user kist; getent group | grep -E '^kist(-[a-z]+)?:' | grep -v claimd | cut --delimiter=: --fields=3").text.split()


def _halves(steps, word):
    """The steps before the one with this word, and the others."""
    steps = list(steps)
    first = next(place for place, (_, command) in enumerate(steps) if word in command)
    return steps[:first], steps[first:]


def purge(machine):
    """A purge keeps keys, log and configuration, and no metrics; installed again, it serves"""
    size = int(machine.run("kist audit show --json | wc -l", "frank").text)
    said = machine.run("apt-get purge --yes kistd kist", patience=120).text
    expect("/var/lib/kist is kept" in said and "/var/log/kist is kept" in said, said)
    # Nobody reads for ever what it said last.
    machine.run(f"! test -e {monitoring.COUNTED} && ! test -e {monitoring.FOUND}")
    expect(machine.run("systemctl is-active kist-metrics.timer kist-doctor.timer", code=None).text.split() == ["inactive"] * 2, "a timer runs")
    machine.run("test -f /var/lib/kist/keys/manifest.json && test -f /etc/kist/kist.toml && ! test -e /usr/sbin/kistd")
    machine.run("cd /root/packages && apt-get install --yes ./kist_*.deb ./kistd_*.deb && systemctl enable --now kistd", patience=120)
    machine.run("kist status --ready", "alice")
    expect(int(machine.run("kist audit show --json | wc -l", "frank").text) >= size, "the log is shorter")


def _process(machine):
    return machine.run("systemctl show --property=MainPID --value kistd").text


def _install(machine, version):
    """Upgrades to the same programs under another version."""
    files = reversioned(machine, machine.packages, "/root/upgrade", version)
    return machine.run(f"cd /root/upgrade && apt-get install --yes {' '.join('./' + file for file in files)}", patience=120).text
