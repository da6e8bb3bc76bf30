"""docs/tutorials, command by command, as the people whom they are for. The custodian's is in shares.py."""

import re

from machine import expect
from page import ROOT, commands
from people import end, unlock, waiting_request

#: What the developer is to see refused.
REFUSED = "kist token open token.json", "kist token open bad.json", "kist token diagnose bad.json"


def developer(machine):
    """developer.md: a sandbox of one's own, with the PATH and the limits that a user has"""
    page = _page("developer")
    script = ["cd $(mktemp -d)", "PATH=/usr/local/bin:/usr/bin:/bin"]
    for section in ("A daemon of your own", "Open a token", "Be refused", "Operate it", "Seal a card for Apple Wallet"):
        for _, command in commands(page, section):
            script += [command] if command.endswith("&") else [f"{command}; echo \"ended: $? {command.partition(' --root')[0]}\""]
    shell, program = _split(page, "From your program")
    _, tests = _split(page, "In your tests")
    script += shell + _python(program) + _python(tests + ["test_payment()"]) + ["kill %1"]
    said = machine.run("\n".join(script), "dave", patience=120).text
    ends = re.findall(r"^ended: (\d+) (.*)$", said, re.M)
    expect(len(ends) == said.count("ended: ") > 9, said)
    for code, command in ends:
        expect(code == ("1" if command in REFUSED else "0"), f"{command}\n{said}")
    expect(re.search(r"^4320 \d+$", said, re.M) and said.count("Traceback") == 0, said)


def operator(machine):
    """operator.md: a key's life, a change of policy, a backup, with the approver's part"""
    page = _page("operator")
    machine.run("sed -i '/var.backups.kist/s/^# //' /etc/kist/kist.toml && systemctl restart kistd")
    unlock(machine)
    for section in ("Look", "Make a key, and stop it", "A merchant's key", "Give a service a grant", "Back up"):
        done, waiting = set(), None
        for user, command in commands(page, section):
            if command.startswith("kist approve ID"):
                machine.run(command.replace("ID", waiting_request(machine)), user)
            elif command.endswith("--wait"):
                waiting = machine.start(command, user)
            else:
                # Who asks for what needs approval is told so; once it is approved, the same command carries it out. diff found a difference.
                ends_with_1 = command.startswith("kist key resume") and command not in done or command.startswith("kist policy diff")
                machine.run("cd ~ && " + command.replace("editor ", "sed -i 's|50/s|49/s|' "), user, code=int(ends_with_1))
            done.add(command)
            if waiting and not command.endswith("--wait"):
                end(waiting)
                waiting = None
        if waiting:
            machine.run(f"kist approve {waiting_request(machine)}", "grace")
            end(waiting)
    expect("49/s" in machine.run("kist policy show", "alice").text, "the changed policy is not in force")
    machine.run("rm -r /etc/kist/policy.d.old")


def auditor(machine):
    """auditor.md: the log verified, reported and signed off"""
    page = _page("auditor")
    for section in ("Once", "Is the log whole?", "What happened?", "Who may do what?", "Sign off"):
        for user, command in commands(page, section):
            machine.run(f"cd ~ && {command}", user)
    expect("<html" in machine.run("cat ~/november.html", "frank").text, "no report")


def _page(name):
    return (ROOT / f"docs/tutorials/{name}.md").read_text()


def _split(page, section):
    """The shell's lines of a section, and the program behind them."""
    lines = [command for _, command in commands(page, section)]
    start = next(number for number, line in enumerate(lines) if line.startswith(("import ", "from ")))
    return lines[:start], lines[start:]


def _python(lines):
    return ["python3 - <<'PROGRAM'", *lines, "PROGRAM"]
