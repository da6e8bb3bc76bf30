"""The commands of docs/FLEET.md, run as they stand."""

import os
import pathlib
import re
import subprocess

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/FLEET.md"
followed = set()


def shown(section=None):
    """(who, command) of each line behind a prompt, below a heading or on the whole page."""
    text = PAGE.read_text()
    if section:
        text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", text, re.M | re.S).group(1)
    return re.findall(r"^ {4,8}(#|alice\$) (.*)$", text, re.M)


def follow(section, folder, build, containing="", **environment):
    """Runs the commands of a section in a folder; returns what the last one printed."""
    said = ""
    for _, command in shown(section):
        if containing in command:
            followed.add(command)
            variables = {**os.environ, "PATH": "%s:%s" % (build, os.environ["PATH"]), **{name: str(value) for name, value in environment.items()}}
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=variables, capture_output=True, text=True, timeout=60, check=False)
            if done.returncode != 0:
                raise RuntimeError("%s: %d\n%s%s" % (command, done.returncode, done.stdout, done.stderr))
            said = done.stdout
    return said


def left():
    """Commands that nothing has run."""
    return [command for _, command in shown() if command not in followed]
