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
from running import API_KEY, SERVICES

#: CardSecure's guide answers what it refuses with 200 and a number.
EXCEPTIONS = {"cardsecure": ["--exclude-checks", "negative_data_rejection"]}
CASES = int(os.environ.get("KIST_OPENAPI_CASES", "0"))


@pytest.mark.parametrize("name", TABLE)
def test_a_service_is_as_it_is_described(all_services: Everyone, name: str, tmp_path: pathlib.Path) -> None:
    how_many = ["--max-examples", str(-(-CASES // _operations(name)))] if CASES else ["--max-examples", "15", "--generation-deterministic", "--phases", "fuzzing"]
    words = ["--config-file", str(SERVICES / "tests/schemathesis.toml"), "run", str(SERVICES / f"openapi/{name}.json")]
    words += ["--url", all_services.members[name].url, "--header", f"x-api-key: {API_KEY}"]
    words += ["--checks", "all", *EXCEPTIONS.get(name, []), "--no-color"]
    program = pathlib.Path(sys.executable).with_name("st")
    done = subprocess.run([program, *words, *how_many], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    generated = re.search(r"(\d+) generated, \d+ passed", done.stdout)
    assert generated and int(generated[1]) >= max(CASES, 15), done.stdout
    print(f"openapi: {name}: {generated[1]} cases")


def _operations(name: str) -> int:
    """How many there are besides `/ready`."""
    return sum(map(len, json.loads((SERVICES / f"openapi/{name}.json").read_text())["paths"].values())) - 1
