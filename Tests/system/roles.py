"""Each role's whole job, and what it may not do."""

import re

from machine import expect

LABEL = "merchant/acme/surrogate-2027"
POLICY = "/etc/kist/policy.d/30-more.toml"
MORE = '[[grant]]\nid = "more"\nusers = ["acme-web"]\noperations = ["random", "who"]\n'


def operators(machine):
    """Operators make, suspend and list keys and read the policy; what counts for good waits for an approver"""
    machine.run(f"kist key generate --label {LABEL} --role surrogate --algorithm AES-256", "alice")
    machine.run(f"kist key suspend {LABEL}", "bob")
    expect("suspended" in machine.run(f"kist key show {LABEL}", "alice").text, "not suspended")
    machine.run("kist policy check && kist policy explain --user acme-orders --op open-payment-token --key merchant/acme/x", "alice")
    machine.request = re.search(r"kist approve ([0-9a-f]+)", machine.run(f"kist key resume {LABEL}", "alice", code=1).text).group(1)
    _denied(machine, "bob", f"kist approve {machine.request}")
    _denied(machine, "bob", "kist share progress")
    expect("Permission denied" in machine.run("kist audit review", "alice", code=66).text, "reads the log")


def approvers(machine):
    """Approvers approve, and touch no key"""
    expect(machine.request in machine.run("kist approve --list", "grace").text, "not in the list")
    _denied(machine, "grace", f"kist key suspend {LABEL}")
    _denied(machine, "grace", "kist lock")
    machine.run(f"kist approve {machine.request}", "grace")
    machine.run(f"kist key resume {LABEL}", "alice")


def policy(machine):
    """A change of policy: an operator asks, an approver reads and approves it, reload takes it"""
    machine.put(POLICY, MORE)
    said = machine.run("kist policy swap", "bob", code=1).text
    request = re.search(r"kist approve ([0-9a-f]+)", said).group(1)
    expect("acme-web" in machine.run(f"kist approve {request} --show", "heidi").text, "the approver sees no change")
    machine.run(f"kist approve {request}", "heidi")
    machine.run("kist policy swap", "bob")
    machine.run("systemctl reload kistd")
    machine.run("usermod --append --groups kist-clients acme-web")
    expect("more" in machine.run("kist who", "acme-web").text, "not in force")


def custodians(machine):
    """Custodians see how many shares there are, and do nothing else"""
    machine.run("kist share progress", "carol")
    for command in ("kist status", "kist approve --list", "kist lock", "kist key list", f"kist key retire {LABEL}"):
        _denied(machine, "carol", command)
    expect("Permission denied" in machine.run("cat /etc/kist/policy.d/10-roles.toml", "carol", code=1).text, "reads the policy")


def auditors(machine):
    """Auditors verify, report and sign off the log and read the policy; they cannot retire a key"""
    machine.run("kist audit key > ~/audit.key && kist audit verify /var/log/kist/audit --key ~/audit.key", "frank")
    machine.run("kist audit report --since 2026-01-01 --key ~/audit.key --html ~/report.html", "frank", code=None)
    machine.run("kist audit review --outcome clean --note 'the system test' --key ~/audit.key", "frank")
    expect("frank" in machine.run("kist audit review", "frank").text, "no sign-off on the record")
    machine.run("kist policy check", "frank")
    for command in (f"kist key retire {LABEL}", "kist key list", "kist approve --list", "kist lock"):
        _denied(machine, "frank", command)


def services(machine):
    """Services reach their own socket alone, and neither log, keys nor policy"""
    machine.run("kist ping && kist who", "acme-gateway")
    expect("Permission denied" in machine.run("kist status", "acme-gateway", code=1).text, "reaches the operators' socket")
    for place in ("/var/log/kist/audit", "/var/lib/kist", "/etc/kist/policy.d", "/var/backups/kist"):
        expect("Permission denied" in machine.run(f"ls {place}", "acme-gateway", code=2).text, place)


def nobody(machine):
    """Who has no role reaches neither socket, and root has none"""
    for command in ("kist ping", "kist status"):
        expect("Permission denied" in machine.run(command, "mallory", code=1).text, command)
    _denied(machine, "root", "kist lock")
    _denied(machine, "root", "kist key list")


def _denied(machine, user, command):
    said = machine.run(command, user, code=1).text
    expect("denied (audit record" in said or ": denied" in said, f"{user}: {command}: {said}")
