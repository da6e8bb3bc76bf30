"""schemathesis: every service does what its OpenAPI description says, with requests of its form and with requests of any other.

`KIST_OPENAPI_CASES` says how many cases a service gets at least, of another seed each time; `make fuzz-services` has 2,000.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from everyone import Everyone
from kist_services.__main__ import SERVICES as TABLE
from kist_services.common.gate import _IDEMPOTENCY_KEY
from running import API_KEY, SERVICES

#: CardSecure's guide answers what it refuses with 200 and a number; and any bytes may be sent as a certificate, of which none are one.
EXCEPTIONS = {"cardsecure": ["--exclude-checks", "negative_data_rejection"], "keys": ["--exclude-checks", "positive_data_acceptance"]}
CASES = int(os.environ.get("KIST_OPENAPI_CASES", "0"))


@pytest.mark.parametrize("name", TABLE)
def test_a_service_is_as_it_is_described(all_services: Everyone, name: str, tmp_path: pathlib.Path) -> None:
    how_many = ["--max-examples", str(-(-CASES // _operations(name)))] if CASES else ["--max-examples", "15", "--generation-deterministic", "--phases", "fuzzing"]
    words = ["--config-file", str(SERVICES / "tests/schemathesis.toml"), "run", str(SERVICES / f"openapi/{name}.json")]
    words += ["--url", all_services.members[name].url, "--header", f"x-api-key: {API_KEY}"]
    words += ["--checks", "all", *EXCEPTIONS.get(name, []), "--no-color"]
    program = pathlib.Path(sys.executable).with_name("st")
    # Where CI is set, Hypothesis takes what it suppresses there for what schemathesis.toml says; and the cases would differ with the order of Python's sets.
    environment = {name: value for name, value in os.environ.items() if name != "CI"} | ({} if CASES else {"PYTHONHASHSEED": "0"})
    done = subprocess.run([program, *words, *how_many], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    generated = re.search(r"(\d+) generated, \d+ passed", done.stdout)
    assert generated and int(generated[1]) >= max(CASES, 15), done.stdout
    print(f"openapi: {name}: {generated[1]} cases")


@pytest.mark.parametrize("name", TABLE)
def test_who_takes_an_idempotency_key_declares_it(name: str) -> None:
    """With the very bounds that the gate checks; the services that open or make something once take one, and no other."""
    paths = json.loads((SERVICES / f"openapi/{name}.json").read_text())["paths"].values()
    declared = [parameter for path in paths for operation in path.values() for parameter in operation.get("parameters", []) if parameter["in"] == "header"]
    opens_once = "exchange.retry_key" in (SERVICES / f"src/kist_services/{name}.py").read_text()
    assert [parameter["name"] for parameter in declared] == ["Idempotency-Key"] * opens_once
    for parameter in declared:
        schema = parameter["schema"]
        for text in ("a" * 15, "a" * 16, "!" * 255, "~" * 256, "a" * 16 + " ", "a" * 16 + "\x7f", "ä" * 16):
            is_in_bounds = schema["minLength"] <= len(text) <= schema["maxLength"]
            assert bool(re.search(schema["pattern"], text)) == bool(_IDEMPOTENCY_KEY.fullmatch(text)) and (is_in_bounds or not _IDEMPOTENCY_KEY.fullmatch(text))


def _operations(name: str) -> int:
    """How many there are besides `/ready`."""
    return sum(map(len, json.loads((SERVICES / f"openapi/{name}.json").read_text())["paths"].values())) - 1
