"""The commands of a page of the manual, to be run as they stand."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]

#: Commands that need somebody who is not on this machine, and the test that has one.
ELSEWHERE = {
    r"^kist key import apple-pay\.p12": "Tests/CLITests/KeyImportTests.swift",
    r"^kist key (attach|activate|rotate)": "Tests/IntegrationTests/RotationCommandTests.swift",
    r"/add-checkpoint|^kist audit cosign|\.cosigned": "Tests/interop/audit_anchors.py",
    r"kist keystore forget-log": "Tests/ServiceTests/UnreadRecordsTests.swift",
    r"kist otp enrol": "Tests/interop/authenticator.py",
    # The server of a vault for several hosts.
    r"^runuser -u postgres.* --command 'CREATE ROLE kist_cardsecure|kist_services/vault\.sql": "services/tests/postgres.py",
    # The others of a fleet, and what carries files between them.
    r"^runuser -u kist-renew -- rsync ": "services/tests/test_renew_namespaces.py",
    # All of docs/FLEET.md, which takes more than one machine.
    r"^runuser -u postgres|\| runuser -u postgres|kist_(claimd|owner)\.pgpass|^kist fleet |fleet/claims-202[67]": "Tests/fleet/run.py",
    r"^openssl ts|tsa\.example": "Tests/interop/audit_anchors.py",
}
#: What `commands` has given so far.
followed = set()


def commands(text, section=None):
    """The indented commands below the heading `section`, or of the page: who runs it (`# ` is root, `alice$ ` and `$ ` are alice) and what.

    Where some have such a prompt, lines without one are what a program says.
    """
    if section:
        found = re.search(rf"^##+ {re.escape(section)}\n(.*?)(?=^##+ |\Z)", text, re.M | re.S)
        assert found, f"no section {section}"
        text = found.group(1)
    lines = re.findall(r"^ {4}(.*)$", text, re.M)
    prompted = [(person, command) for person, command in map(prompt, lines) if person]
    for person, command in prompted or [("root", line) for line in lines]:
        if not is_elsewhere(command):
            followed.add(command)
            yield person, command


def is_elsewhere(command):
    return any(re.search(pattern, command) for pattern in ELSEWHERE)


def prompt(line):
    """Who types a line, if it has a prompt, and what."""
    found = re.match(r"(?:(#)|([a-z-]*)\$) (.*)", line)
    if not found:
        return None, line
    return "root" if found.group(1) else found.group(2) or "alice", found.group(3)
