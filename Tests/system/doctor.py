"""kist doctor on the machine as INSTALL.md leaves it, and after mistakes that people make."""

import json
import re

from machine import expect
from people import unlock

MANIFEST = "/var/lib/kist/keys/manifest.json"
CONFIGURATION = "/etc/kist/kist.toml"


def healthy(machine):
    """It has no problem with this machine, and leaves no record."""
    before = _records(machine)
    found = _findings(machine)
    expect(not _ids(found, "problem"), found)
    expect(_records(machine) == before, "it left a record")
    return " ".join(_ids(found, "warning"))


def daily(machine):
    """Its unit, confined as it is, finds what root finds, for Prometheus."""
    machine.run("systemctl start kist-doctor.service")
    told = machine.run("cat /run/kist-doctor/doctor.prom").text
    severities = {severity: _ids(_findings(machine), severity) for severity in ("problem", "warning")}
    for severity, ids in severities.items():
        expect(sorted(re.findall(rf'^kist_doctor_finding{{id="(\S+)",severity="{severity}"}} \d+$', told, re.M)) == ids, told)
    expect(machine.run("ls /run/kist-doctor").text.split() == ["doctor.prom"], "half a file was left")


def others(machine):
    """It tells an operator what only root can see, and has no other problem."""
    found = _findings(machine, "alice")
    expect(not _ids(found, "problem") and "not-examined" in _ids(found, "warning"), found)


def mistakes(machine):
    """It names a file that others can read, one of the wrong owner, bad TOML and a locked store, each until it is mended."""
    _made(machine, f"chmod 644 {MANIFEST}", f"chmod 600 {MANIFEST}", "file-open")
    _made(machine, f"chown root {MANIFEST}", f"chown kist {MANIFEST}", "file-owner")
    _made(machine, f"cp -p {CONFIGURATION} /root/kept && echo frob >>{CONFIGURATION}", f"cp -p /root/kept {CONFIGURATION}", "configuration-invalid")
    machine.run("kist lock", "alice")
    expect(_ids(_findings(machine), "problem") == ["daemon-locked"], "not daemon-locked")
    unlock(machine)


def _made(machine, mistake, cure, finding):
    machine.run(mistake)
    found = _findings(machine)
    machine.run(cure)
    expect(_ids(found, "problem") == [finding], found)
    expect(not _ids(_findings(machine), "problem"), f"{cure} does not help")


def _records(machine):
    return re.search(r"^kist_audit_records \d+$", machine.run("kist status --metrics", "alice").text, re.M).group()


def _findings(machine, user="root"):
    answer = machine.run("kist doctor --json", user, code=None)
    found = json.loads(answer.text)["findings"]
    expect(answer.code == (1 if _ids(found, "problem") else 3 if found else 0), answer)
    return found


def _ids(findings, severity):
    return sorted({finding["id"] for finding in findings if finding["severity"] == severity})
