"""The first example of clients/README.md in each language, run as it stands there."""

from __future__ import annotations

import os
import pathlib
import re
import runpy
import subprocess
import sys

import pytest
from kist.testing import Sandbox

EXAMPLES = pathlib.Path(__file__).parent / "examples"
CLIENTS = pathlib.Path(__file__).resolve().parents[2]
LABELS = (
    "audit/digest", "audit/signing", "issuer/cards/sandbox", "issuer/mastercard/sandbox", "issuer/visa/sandbox", "merchant/other/processing-ec",
    "merchant/sandbox/processing-ec", "merchant/sandbox/processing-rsa",
)  # fmt: skip
EXPECTED = "".join(f"{label} active\n" for label in LABELS) + "16 random bytes\n"


def example(language: str) -> str:
    (text,) = re.findall(rf"^```{language}\n(.*?)^```$", (CLIENTS / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("name", ["pay", "shared", "named", "own_test"])
def test_examples_of_the_package(name: str) -> None:
    """They stand in files, too, so that mypy checks them as it checks the package."""
    text = (CLIENTS / "python/README.md").read_text()
    assert f"```python\n{(EXAMPLES / name).with_suffix('.py').read_text()}```\n" in text


def test_paying(kist_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIST_ENDPOINT", kist_sandbox.endpoint)
    pay: object = runpy.run_path(str(EXAMPLES / "pay.py"))["pay"]
    assert callable(pay) and pay(kist_sandbox.token_json(amount=1499)) == "charged a card that ends in 4320"


def test_own_test(program: pathlib.Path) -> None:
    subprocess.run([sys.executable, EXAMPLES / "own_test.py"], env=dict(os.environ) | {"KIST_PROGRAM": str(program)}, check=True)


def output(sandbox: Sandbox, *command: str | pathlib.Path) -> str:
    environment = dict(os.environ) | {"KIST_ENDPOINT": sandbox.endpoint}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def test_swift(kist_sandbox: Sandbox, program: pathlib.Path) -> None:
    """The package has it as a target, so that the build compiles it."""
    assert example("swift") == (CLIENTS / "swift/main.swift").read_text()
    assert output(kist_sandbox, program.parent / "first-example") == EXPECTED


def test_c(kist_sandbox: Sandbox, c_build: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "first.c").write_text(example("c"))
    command = ["cc", "-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{CLIENTS}/c", "-o", f"{tmp_path}/first", f"{tmp_path}/first.c"]
    subprocess.run([*command, c_build / "libkist.a", "-pthread"], check=True)
    assert output(kist_sandbox, tmp_path / "first") == EXPECTED


def test_python(kist_sandbox: Sandbox) -> None:
    assert example("python") == (EXAMPLES / "first.py").read_text()
    assert output(kist_sandbox, sys.executable, EXAMPLES / "first.py") == EXPECTED
