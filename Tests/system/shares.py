"""A key store whose key three custodians share."""

import json
import re
import shutil

from machine import expect
from page import ROOT, commands
from people import hand_in, words

FIXTURES = ROOT / "Tests/CLITests/Fixtures"
TUTORIAL = (ROOT / "docs/tutorials/custodian.md").read_text()
PLACE = "/var/lib/kist/ceremony"
PLAN = """\
id = "system-test"
purpose = "A test"
date = "2026-12-01"
store = "/var/lib/kist/keys"
software = ["0000000000000000000000000000000000000000000000000000000000000000  /usr/bin/kist"]
witness_quorum = 1
"""
STEP = """
[[step]]
kind = "initialise"
threshold = 2
custodians = ["carol", "dave", "erin"]
dice = true
"""
ROLES = {"alice": "administrator", "bob": "operator", "carol": "custodian", "dave": "custodian", "erin": "custodian", "wendy": "witness"}
KEY = 'key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"\n'


def ceremony(machine):
    """CEREMONY.md: a new key store, whose key three custodians share"""
    machine.run("systemctl stop kistd.service kist.socket kist-admin.socket")
    machine.run("rm -r /var/lib/kist/* /var/log/kist/audit/*")
    people = "".join(f'\n[[person]]\nname = "{name}"\nroles = ["{role}"]\n' + (KEY if name == "wendy" else "") for name, role in ROLES.items())
    machine.put(PLACE + ".toml", PLAN + people + STEP)
    machine.put(PLACE + ".json", json.dumps({"words": {}, "components": {}, "signatures": {}, "codes": {}, "checkpoints": {}}))
    shutil.copy(FIXTURES / "ceremony.py", machine.root / "var/lib/kist/people.py")
    machine.run("chown kist: /var/lib/kist/*")
    said = machine.run(f"runuser -u kist -- python3 /var/lib/kist/people.py {PLACE}.json '' 0 /usr/bin/kist ceremony run {PLACE}.toml {PLACE}", patience=120).text
    session = json.loads(said.splitlines()[-1])
    expect(session["code"] == 0 and session["faults"] == [], said)
    machine.sheets = json.loads((machine.root / (PLACE + ".json").lstrip("/")).read_text())["words"]
    machine.run(f"rm {PLACE}.json")


def first_start(machine):
    """The daemon starts on it, with a log that begins where the transcript ends"""
    said = machine.run(f"kist ceremony verify --json {PLACE}", code=None).text
    genesis = re.search(r'"genesis":"([0-9a-f]{64})"', said)
    expect(genesis, said)
    machine.run(f"sed -i 's|^# genesis = .*|genesis = \"{genesis.group(1)}\"|' /etc/kist/kist.toml && systemctl start kistd")
    expect("locked" in machine.run("kist status --ready", "alice", code=1).text, "not locked")


def custodians(machine):
    """UNLOCK.md and custodian.md: two of three custodians open the store, each as themselves; others' shares are refused"""
    check, unlock, progress = [command for user, command in commands(TUTORIAL) if user == "carol"]
    expect(unlock == "kist unlock --share" and progress == "kist share progress", "another tutorial")
    machine.type(check, [words(machine, "carol")], "carol")
    hand_in(machine, "carol")
    expect("1 of 2" in machine.run("kist share progress", "dave").text, "no progress")
    hand_in(machine, "dave", code=1, sheet="erin")
    hand_in(machine, "mallory", code=1, sheet="dave")
    hand_in(machine, "erin")
    machine.run("kist status --ready", "alice")
