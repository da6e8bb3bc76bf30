"""docs/METRICS.md: what Prometheus is told, and whether it goes on being told."""

import re

from machine import expect, until
from page import ROOT, commands

PAGE = (ROOT / "docs/METRICS.md").read_text()
COUNTED, FOUND = "/run/kist-metrics/kist.prom", "/run/kist-doctor/doctor.prom"


def enabled(machine):
    """METRICS.md: both timers write, and node-exporter's directory has what they write"""
    machine.run("mkdir -p /var/lib/prometheus/node-exporter")
    for user, command in commands(PAGE, "Set it up with node-exporter"):
        machine.run(command, user)
    machine.run("systemctl start kist-metrics.service kist-doctor.service")
    told = machine.run("cat /var/lib/prometheus/node-exporter/*.prom").text
    expect("kist_up 1\n" in told and "kist_start_refused 0\n" in told and "kist_doctor_run_timestamp_seconds " in told, told)


def comes_back(machine):
    """Within a minute of a boot the daemon is told of, and within five what the doctor finds"""
    until("kist.prom is there", lambda: machine.run(f"grep -x 'kist_up 1' {COUNTED}", code=None).code == 0, patience=90)
    # Either it has run already since the boot, or its turn is within five minutes of it.
    if machine.run("systemctl show --property=LastTriggerUSecMonotonic --value kist-doctor.timer").text == "0\n":
        said = machine.run("systemctl list-timers --no-legend --no-pager kist-doctor.timer").text
        expect(re.search(r" ([0-4]min( \d+s)?|\d+s) (left|- -) ", said), said)  # systemd 257 does not say "left", and has - for what has not been
