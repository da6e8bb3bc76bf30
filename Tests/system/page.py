"""The commands of a page of the manual, to be run as they stand."""

import re


def commands(text, section):
    """The indented commands below the heading `section`: who runs it (`# ` is root, `alice$ ` is alice) and what."""
    found = re.search(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    assert found, f"no section {section}"
    for line in re.findall(r"^ {4}(.*)$", found.group(1), re.M):
        person = re.match(r"([a-z-]+)\$ (.*)", line)
        yield (person.group(1), person.group(2)) if person else ("root", line.removeprefix("# "))
