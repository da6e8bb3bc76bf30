"""The manual as a whole, once all other steps have been taken."""

import re

import previous
from machine import expect
from page import ELSEWHERE, ROOT, followed, is_elsewhere, prompt


def every_command(machine):
    """Every command that a page of docs shows behind a prompt was run by a step, or is by another test"""
    expect(all((ROOT / test).exists() for test in ELSEWHERE.values()), ELSEWHERE)
    shown = {}
    for page in sorted(set((ROOT / "docs").rglob("*.md")) - {previous.PAGE}):
        for person, command in map(prompt, re.findall(r"^ {4}(.*)$", page.read_text(), re.M)):
            if person:
                shown[command] = page.relative_to(ROOT)
    missing = sorted(command for command in shown if command not in followed and not is_elsewhere(command))
    expect(not missing, "\n".join(f"{shown[command]}: {command}" for command in missing))
    return f"{len(shown)} commands, {sum(map(is_elsewhere, shown))} of them elsewhere"
