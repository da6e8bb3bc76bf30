"""Packages: upgraded under load, purged, and installed again."""

import monitoring
from machine import expect
from restarts import Load
from reversioned import reversioned

CONFIGURATION = "/etc/kist/kist.toml"


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
