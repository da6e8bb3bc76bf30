"""The commands of a page of the manual, to be run as they stand."""

import re


def commands(text, section=None):
    """The indented commands below the heading `section`, or of the page: who runs it (`# ` is root, `alice$ ` is alice) and what."""
    if section:
        found = re.search(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
        assert found, f"no section {section}"
        text = found.group(1)
    for line in re.findall(r"^ {4}(.*)$", text, re.M):
        person = re.match(r"([a-z-]+)\$ (.*)", line)
        yield (person.group(1), person.group(2)) if person else ("root", line.removeprefix("# "))
