"""docs/METRICS.md: what Prometheus is told, and whether it goes on being told."""

import json
import os
import pathlib
import re

from machine import expect, until
from page import ROOT, commands
from people import unlock

PAGE = (ROOT / "docs/METRICS.md").read_text()
VECTORS = pathlib.Path(os.environ.get("KIST_VECTORS", ROOT.parent / "shared/vectors"))
COUNTED, FOUND = "/run/kist-metrics/kist.prom", "/run/kist-doctor/doctor.prom"


def enabled(machine):
    """METRICS.md: both timers write, and node-exporter's directory has what they write"""
    machine.run("mkdir -p /var/lib/prometheus/node-exporter")
    for user, command in commands(PAGE, "Set it up with node-exporter"):
        machine.run(command, user)
    machine.run("systemctl start kist-metrics.service kist-doctor.service")
    told = machine.run("cat /var/lib/prometheus/node-exporter/*.prom").text
    expect("kist_up 1\n" in told and "kist_start_refused 0\n" in told and "kist_doctor_run_timestamp_seconds " in told, told)


def canary(machine):
    """METRICS.md: the canary gets right answers, notices a clock that is wrong and a lock, and its records are its own"""
    section = "What witnesses and a canary say"
    machine.put("/etc/kist/policy.d/60-canary.toml", re.search(r"^    (\[\[grant\]\]\n(?:    .*\n)+)", PAGE, re.M).group(1).replace("    ", ""))
    machine.run("systemctl restart kistd")
    unlock(machine)
    machine.put("/root/token.json", json.dumps(json.loads((VECTORS / "applepay/signature-only/processout-ec.json").read_text())["token"]))
    for user, command in commands(PAGE, section):
        machine.run(f"cd ~ && {command}", user)
    expect(_canary(machine) == {"sealed": 1, "signed": 1, "refused": 1}, "wrong answers")
    shown = machine.run("kist audit show --grant canary --json", "frank").text.splitlines()
    expect({json.loads(line)["op"] for line in shown} == {"seal", "unseal", "sign", "verify", "verify-payment-token", "list-keys"}, "other records")
    machine.run("systemctl stop kist-canary.timer")
    # A token that a daemon must refuse for its signature, not its age.
    machine.run("sed --in-place 's/\"data\": *\"..../&AAAA/' /var/lib/kist-canary/token.json")
    machine.run("systemctl start kist-canary.service", code=1)
    expect(_canary(machine) == {"sealed": 1, "signed": 1, "refused": 0}, "a token that is wrong was as good as a stale one")
    machine.run("kist lock", "alice")
    machine.run("systemctl start kist-canary.service", code=1)
    expect(_canary(machine) == {"sealed": 0, "signed": 0, "refused": 0}, "a locked daemon")
    machine.run("systemctl reset-failed kist-canary.service; systemctl disable --quiet kist-canary.timer")
    machine.run("rm /etc/kist/policy.d/60-canary.toml && systemctl restart kistd")
    unlock(machine)


def _canary(machine):
    told = machine.run("cat /var/lib/prometheus/node-exporter/canary.prom").text
    return {check: int(good) for check, good in re.findall(r'^kist_canary_good{check="(\w+)"} (\d)$', told, re.M)}


def comes_back(machine):
    """Within a minute of a boot the daemon is told of, and within five what the doctor finds"""
    until("kist.prom is there", lambda: machine.run(f"grep -x 'kist_up 1' {COUNTED}", code=None).code == 0, patience=90)
    # Either it has run already since the boot, or its turn is within five minutes of it.
    if machine.run("systemctl show --property=LastTriggerUSecMonotonic --value kist-doctor.timer").text == "0\n":
        said = machine.run("systemctl list-timers --no-legend --no-pager kist-doctor.timer").text
        expect(re.search(r" ([0-4]min( \d+s)?|\d+s) (left|- -) ", said), said)  # systemd 257 does not say "left", and has - for what has not been
