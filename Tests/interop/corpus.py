"""The corpus of tokens: as its generator writes it, as its schema says, and every token with Kist's sandbox, at the stage that the corpus names."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections import Counter

import jsonschema_rs

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
FILES = sorted(CORPUS.glob("apple_pay_*.json"))
ENVIRONMENT = {
    "KIST_PROGRAM": str(ROOT / ".build/debug/kist"), **os.environ, "PYTHONPATH": str(ROOT / "clients/python/src"), "PYTHONDONTWRITEBYTECODE": "1",
}  # fmt: skip


def run(*words: str | pathlib.Path) -> str:
    return subprocess.run([sys.executable, *words], env=ENVIRONMENT, check=True, stdout=subprocess.PIPE, text=True).stdout


def check_shape() -> None:
    schema = jsonschema_rs.validator_for(json.loads((CORPUS / "schema.json").read_text()))
    for path in FILES:
        corpus = json.loads(path.read_text())
        schema.validate(corpus)
        tests = corpus["tests"]
        assert [test["tcId"] for test in tests] == list(range(1, corpus["numberOfTests"] + 1)), path.name
        assert {flag for test in tests for flag in test["flags"]} == set(corpus["notes"]), path.name
        repeated = [test for test in tests if "previous" in test]
        assert f"| `{path.name}` | {len(tests)} |" in (CORPUS / "README.md").read_text(), f"README.md does not have {len(tests)} tests of {path.name}"
        assert repeated and all(test["token"] == tests[test["previous"] - 1]["token"] for test in repeated), path.name
        tokens = Counter(json.dumps(test["token"]) for test in tests)
        assert len(tokens) == len(tests) - len(repeated), f"{path.name}: a token stands twice"


def check_pages() -> None:
    """The pages for those who come from a library have some cases with the cells of RESULTS.md."""
    results = cells((CORPUS / "RESULTS.md").read_text())
    count = 0
    for page in sorted((ROOT / "docs/from").glob("*.md")):
        for case, found in cells(page.read_text()).items():
            assert found.items() <= results[case].items(), f"{page.name}: {case}"
            count += 1
    assert count >= 16, f"{count} rows"


def cells(text: str) -> dict[str, dict[str, str]]:
    """Of each case, the first time it stands there, which is EC_v1's, what stands under the name of each column but the first."""
    found: dict[str, dict[str, str]] = {}
    head: list[str] = []
    for line in text.splitlines():
        row = [cell.strip() for cell in line.split("|")[2:-1]]
        if line.startswith(("| Token of the corpus |", "| EC_v1 |")):
            head = row
        elif head and line.startswith("| `"):
            found.setdefault(line.split("`")[1], dict(zip(head, row, strict=True)))
    return found


def check_kist() -> None:
    opened = run(CORPUS / "runners/run_kist.py", *FILES)
    with tempfile.NamedTemporaryFile("w") as found:
        found.write(opened)
        found.flush()
        run(CORPUS / "results.py", "--check", f"Kist={found.name}")
        table = run(CORPUS / "results.py", f"Kist={found.name}").splitlines()
    shown = [line for line in (CORPUS / "RESULTS.md").read_text().splitlines() if line.startswith("| `")]
    rows = [line.removesuffix("|") for line in table if line.startswith("| `")]
    assert len(shown) == len(rows) and all(line.startswith(row) for line, row in zip(shown, rows, strict=True)), "RESULTS.md is of another corpus"
    print(f"{len(opened.splitlines())} tokens, {len(rows)} cases")


if __name__ == "__main__":
    run(CORPUS / "generate.py", "--check")
    check_shape()
    check_pages()
    check_kist()
