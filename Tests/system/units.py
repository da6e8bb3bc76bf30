"""The units as systemd sees them, and what it says when something is wrong."""

import re

from machine import expect, until
from people import PASSPHRASE, unlock

POLICY = "/etc/kist/policy.d/30-more.toml"
BAD = '[[grant]]\nid = "more"\nusers = ["nobody-of-that-name"]\noperations = ["who"]\n'
MORE = '[[grant]]\nid = "more"\nusers = ["mallory"]\noperations = ["who"]\n'


def verify(machine):
    """systemd-analyze verify has nothing to say."""
    units = "kistd.service kist.socket kist-admin.socket kist-unseal.socket kist-unseal@.service kist-metrics.service kist-metrics.timer kist-doctor.service kist-doctor.timer " \
            "kist-accounts.path kist-accounts.service kist-canary.service kist-canary.timer kist-check.service kist-check.timer kist-cosign.service kist-cosign.timer kist-claims.socket kist-claimd.service kist-claimd-partitions.service kist-claimd-partitions.timer"
    said = machine.run(f"systemd-analyze verify {units}").text
    expect(said == "", said)


def security(machine):
    """systemd-analyze security: kistd at most 0.5, other units without a network at most 1.0."""
    exposures = {}
    for unit, most in (("kistd.service", 0.5), ("kist-unseal@.service", 1.0), ("kist-metrics.service", 1.0), ("kist-doctor.service", 1.5),
                       ("kist-accounts.service", 1.0), ("kist-canary.service", 1.0), ("kist-check.service", 1.0), ("kist-cosign.service", 1.5),
                       ("kist-claimd.service", 1.3), ("kist-claimd-partitions.service", 1.3)):
        # Under another name, so that what the test adds for this machine's limits does not count.
        shipped = "/tmp/shipped" + unit.removeprefix("kistd").removeprefix("kist-unseal")
        said = machine.run(f"cp /lib/systemd/system/{unit} {shipped} && systemd-analyze security --no-pager --offline=yes {shipped}").text
        exposures[unit] = float(re.search(r"exposure level for \S+: ([0-9.]+)", said).group(1))
        expect(exposures[unit] <= most, said)
    return ", ".join(f"{unit} {exposure}" for unit, exposure in exposures.items())


def journal(machine):
    """A start warns of nothing, and systemctl status has the daemon's state."""
    said = machine.run("journalctl --unit=kistd --output=cat --no-pager").text
    expect("level=warning" not in said and "already exists but the mode" not in said, said)
    expect('Status: "serving"' in machine.status(), machine.status())


def locked(machine):
    """kist lock and kist unlock show in systemctl status."""
    machine.run("kist lock", "alice")
    expect('Status: "locked"' in machine.status(), machine.status())
    machine.type("kist unlock", [PASSPHRASE], "bob")
    expect('Status: "serving"' in machine.status(), machine.status())


def wrong_policy(machine):
    """systemctl reload fails with a wrong policy, and status says so until it is mended."""
    machine.put(POLICY, BAD)
    _refused(machine, "nobody-of-that-name")
    machine.run(f"rm {POLICY}")
    machine.run("systemctl reload kistd")
    expect('Status: "serving"' in machine.status(), machine.status())
    expect("REFUSED" not in machine.run("kist status", "alice").text, "still refused")


def unapproved_policy(machine):
    """systemctl reload fails with a policy that nobody approved."""
    machine.put(POLICY, MORE)
    _refused(machine, "nobody approved the policy")
    machine.run(f"rm {POLICY}")
    machine.run("systemctl reload kistd")


def failing_start(machine):
    """A start that fails says why in systemctl status and kist status; callers wait, and are served once it is mended."""
    machine.put(POLICY, BAD)
    machine.run("systemctl restart kistd", code=1)
    until("the reason stands in systemctl status", lambda: re.search(r'Status: ".*nobody-of-that-name', machine.status()))
    said = machine.run("kist status --timeout 3", "alice", code=1).text
    expect("Its last start failed: " in said and "nobody-of-that-name" in said, said)
    # Longer than systemd's own limits take to end a unit and its sockets.
    callers = [machine.start("kist ping --timeout 60", "acme-orders") for _ in range(30)]
    until("it was tried again three times", lambda: int(machine.run("systemctl show --property=NRestarts --value kistd").text) >= 3)
    machine.run(f"rm {POLICY}")
    for caller in callers:
        said = caller.communicate()[0]
        expect(caller.returncode == 0, said)
    unlock(machine)


def watchdog(machine):
    """With WatchdogSec=, a daemon that is stopped is ended and started again; one that works is left alone."""
    drop_in = "/etc/systemd/system/kistd.service.d/60-watchdog.conf"
    machine.put(drop_in, "[Service]\nWatchdogSec=2\n")
    machine.run("systemctl daemon-reload && systemctl restart kistd && sleep 5")
    expect(machine.run("systemctl show --property=NRestarts --value kistd").text == "0\n", "ended while it worked")
    machine.run("kill -STOP $(systemctl show --property=MainPID --value kistd)")
    until("it was started again", lambda: machine.run("systemctl show --property=NRestarts --value kistd").text == "1\n")
    machine.run("kist ping", "acme-orders")
    machine.run(f"rm {drop_in} && systemctl daemon-reload && systemctl restart kistd")
    unlock(machine)


def own_user_namespace(machine):
    """A service with PrivateUsers=yes is its user, as docs/POLICY.md says."""
    run = "systemd-run --quiet --wait --pipe --uid=acme-orders --property=PrivateUsers=yes"
    said = machine.run(f"{run} sh -c 'cat /proc/self/uid_map; kist who'").text
    expect("4294967295" not in said.splitlines()[0], f"no user namespace of its own: {said}")
    expect("acme-orders" in said and "everybody" in said, said)


def told_while_it_starts(machine):
    """Whom accounts have changed for is never ended by hearing of it, and hears of it however often it starts"""
    text = machine.run("cat /lib/systemd/system/kist-accounts.service").text
    tell = re.search(r"^ExecStartPost=-\+/bin/(.*)$", text, re.MULTILINE).group(1)
    starts = "systemctl show --property=NRestarts kistd"
    before = machine.run(starts).text
    for _ in range(10):
        machine.run(f"systemctl restart --no-block kistd; for i in $(seq 15); do {tell} 2>/dev/null; done; true")
        until("it serves", lambda: machine.run("systemctl is-active kistd", code=None).text == "active\n")
    expect(machine.run(starts).text == before, "a start was ended")
    for unit in ("kist-accounts.path", "kist-check.timer"):
        expect(machine.run(f"systemctl is-active {unit}", code=None).text == "active\n", f"{unit} does not run")
    unlock(machine)


def _refused(machine, reason):
    """`systemctl reload` fails, and everything that says how the daemon is says why."""
    process = machine.run("systemctl show --property=MainPID kistd").text
    machine.run("systemctl reload kistd", code=1)
    expect(re.search(f'Status: "(serving; )?reload refused: .*{reason}', machine.status()), machine.status())
    said = machine.run("kist status", "alice").text
    expect(re.search(f"reload +REFUSED: .*{reason}", said), said)
    expect(reason in machine.run("journalctl --unit=kistd --lines=20 --no-pager").text, "not in the journal")
    expect(process == machine.run("systemctl show --property=MainPID kistd").text, "the daemon ended")
