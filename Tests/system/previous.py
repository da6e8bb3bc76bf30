"""docs/UPGRADE.md, line by line: packages of an earlier commit, with data, upgraded to these, taken back, and upgraded again. Nothing is lost on the way.

The store is a sandbox's, for whose keys tokens can be made; the daemon and its units are those of production.
"""

import json
import re
import shutil

import install
from machine import expect, until
from page import ROOT, commands
from reversioned import reversioned

PAGE = ROOT / "docs/UPGRADE.md"
BOX = "/var/lib/kist/box"
CONFIGURATION = f"""\
state_directory = "{BOX}/state"
[service]
group = "kist-clients"
[admin]
group = "kist-operators"
mode = "0660"
[audit]
directory = "{BOX}/audit"
origin = "ORIGIN"
[memory]
arena_size = "4MiB"
[unlock]
credential = "{BOX}/kek"
[sandbox]
rehearsal = true
trust_anchor = "{BOX}/pki/root.cer"
"""
POLICY = """\
[[grant]]
id = "operators"
users = ["alice"]
groups = ["kist-operators"]
operations = ["status", "generate-key", "list-keys"]
keys = ["*"]
[[grant]]
id = "shop"
users = ["acme-orders"]
operations = ["open-payment-token"]
keys = ["merchant/sandbox/*"]
release = ["last4"]
stages = true
[[grant]]
id = "codes"
users = ["acme-orders"]
operations = ["sign-otp", "verify-otp", "list-keys", "describe-key"]
keys = ["issuer/codes"]
rate = "100/s"
[[grant]]
id = "random"
users = ["acme-orders"]
operations = ["random"]
quota = "5/w"
"""
RANDOM = "python3 -c 'import kist; kist.Client().random(16)'"
CODES = "--key issuer/codes --subject customer-7"


def packages(machine):
    """The earlier packages are installed"""
    install.people(machine)
    shutil.copytree(machine.packages, machine.root / "root/packages")
    files = reversioned(machine, machine.previous, "/root/packages/old", "0.1.0~previous", ("kist", "kistd", "python3-kist"))
    machine.run(f"cd /root/packages/old && apt-get install --yes {' '.join('./' + file for file in files)}", patience=120)
    machine.run("usermod --append --groups kist-operators alice && usermod --append --groups kist-clients acme-orders")


def data(machine):
    """It has keys, a log, an opened token, a used code, and a quota of which two are used"""
    machine.run(f"runuser -u kist -- kist sandbox init {BOX}")
    origin = re.search(r'^origin = "(.*)"', machine.run(f"cat {BOX}/kist.toml").text, re.M).group(1)
    machine.put("/etc/kist/kist.toml", CONFIGURATION.replace("ORIGIN", origin))
    machine.put("/etc/kist/policy.d/10-test.toml", POLICY)
    machine.run("systemctl enable --now kistd")
    machine.run("kist key generate --label issuer/codes --role otp-hotp", "alice")
    machine.tokens, machine.codes, machine.random = [], [], 0
    machine.keys = _keys(machine)
    _use(machine)
    machine.run(RANDOM, "acme-orders")
    machine.random += 1
    machine.run(f"kist audit checkpoint {BOX}/audit --key {BOX}/audit.vkey > /root/before.checkpoint")


def upgraded(machine):
    """UPGRADE.md, Upgrade: restarted by the package; nothing is lost"""
    _follow(machine, "Upgrade", expected="0.1.0")
    return _nothing_is_lost(machine)


def back(machine):
    """UPGRADE.md, Going back: the earlier version works on with what the new one wrote; nothing is lost"""
    _follow(machine, "Going back", expected="0.1.0~previous")
    return _nothing_is_lost(machine)


def again(machine):
    """Upgraded once more: nothing is lost, and the quota is used up"""
    _follow(machine, "Upgrade", expected="0.1.0")
    said = _nothing_is_lost(machine)
    expect(machine.random == 5, machine.random)
    expect("Busy" in machine.run(RANDOM, "acme-orders", code=1).text, "more than the quota")
    return said


def _follow(machine, section, expected):
    before = machine.run("systemctl show --property=MainPID --value kistd").text
    for user, command in commands(PAGE.read_text(), section):
        machine.run(f"cd /root/packages && {command}" if user == "root" else command, user, patience=120)
    until("it serves", lambda: machine.run("kist ping", "acme-orders", code=None).code == 0)
    expect(machine.run("dpkg-query --show --showformat '${Version}' kistd").text == expected, "another version")
    expect(machine.run("systemctl show --property=MainPID --value kistd").text != before, "not restarted")
    expect("(deleted)" not in machine.run("readlink /proc/$(systemctl show --property=MainPID --value kistd)/exe").text, "the old program runs on")


def _use(machine):
    """Opens a fresh token, uses a fresh code and one of the quota."""
    token = f"/tmp/token-{len(machine.tokens)}.json"
    machine.run(f"runuser -u kist -- kist sandbox token --dir {BOX} > {token}")
    opened = json.loads(machine.run(f"kist token open {token} --json", "acme-orders").text)
    expect(opened["fields"] == {"last4": "4320"}, opened)
    machine.tokens.append(token)
    code = machine.run(f"kist otp sign {CODES}", "acme-orders").text.strip()
    expect(re.fullmatch(r"\d{6}", code) and code not in machine.codes, f"{code} after {machine.codes}")
    machine.run(_verify(code), "acme-orders")
    machine.codes.append(code)
    machine.run(RANDOM, "acme-orders")
    machine.random += 1


def _verify(code):
    return f"kist otp verify {CODES} --code-fd 0 <<<{code}"


def _nothing_is_lost(machine):
    """What was used is used, what was not is there, and the log is the one of before."""
    for token in machine.tokens:
        expect("replay" in machine.run(f"kist token open {token}", "acme-orders", code=1).text, f"{token} opened again")
    machine.run(_verify(machine.codes[-1]), "acme-orders", code=1)
    expect(_keys(machine) == machine.keys, "other keys")
    _use(machine)
    said = machine.run(f"kist audit verify {BOX}/audit --key {BOX}/audit.vkey --checkpoint /root/before.checkpoint").text
    return f"{len(machine.tokens)} tokens, {len(machine.codes)} codes, {re.search(r'records +([0-9]+)', said).group(1)} records"


def _keys(machine):
    """Each key, without when and how often it was used."""
    keys = json.loads(machine.run("kist key list --json", "alice").text)["keys"]
    expect("issuer/codes" in [key["label"] for key in keys], keys)
    return [{name: value for name, value in key.items() if name not in ("last_use", "uses")} for key in keys]
