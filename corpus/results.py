#!/usr/bin/env python3
"""Usage: results.py [--check] NAME=FILE…

Says in a table what libraries made of the corpus: each FILE has the lines that a runner wrote. With --check, it is an error if one is not right.
"""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
Outcomes = dict[tuple[str, int], dict[str, Any]]


def is_right(test: dict[str, Any], outcome: dict[str, Any]) -> bool:
    """Whether a library did with a token what it should; the stage counts for those that name one."""
    if not outcome["opened"]:
        return bool(test["result"] != "valid" and outcome.get("stage", test["stage"]) == test["stage"])
    payment = test.get("payment", {})
    seen = (outcome["number"], outcome["amount"])
    return bool(test["result"] != "invalid" and seen == (payment.get("applicationPrimaryAccountNumber"), payment["transactionAmount"]))


def cell(tests: list[dict[str, Any]], outcomes: list[dict[str, Any] | None]) -> str:
    found = [(test, outcome) for test, outcome in zip(tests, outcomes, strict=True) if outcome is not None]
    if not found:
        return "not tried"
    word = " or ".join(sorted({"opened" if outcome["opened"] else "refused" for _, outcome in found}))
    return word if all(is_right(test, outcome) for test, outcome in found) else f"**{word}**"


def table(corpus: dict[str, Any], libraries: dict[str, Outcomes]) -> Iterator[str]:
    cases: dict[str, list[dict[str, Any]]] = {}
    for test in corpus["tests"]:
        cases.setdefault(test["case"], []).append(test)
    yield f"| {corpus['version']} | expected | {' | '.join(libraries)} |"
    yield "|---" * (2 + len(libraries)) + "|"
    for case, tests in cases.items():
        expected = {"valid": "opened", "invalid": "refused", "acceptable": "either"}[tests[0]["result"]]
        cells = [cell(tests, [known.get((corpus["version"], test["tcId"])) for test in tests]) for known in libraries.values()]
        yield f"| `{case}`: {tests[0]['comment']} | {expected} | {' | '.join(cells)} |"


def read(path: str) -> Outcomes:
    lines = map(json.loads, pathlib.Path(path).read_text().splitlines())
    return {(line["version"], line["tcId"]): line for line in lines}


def wrong(corpus: dict[str, Any], outcomes: Outcomes) -> Iterator[str]:
    """What is not right; nothing if no token of this version was tried."""
    if not any(version == corpus["version"] for version, _ in outcomes):
        return
    for test in corpus["tests"]:
        outcome = outcomes.get((corpus["version"], test["tcId"]))
        if outcome is None or not is_right(test, outcome):
            yield f"{corpus['version']} {test['tcId']} ({test['case']}): expected {test['result']} {test.get('stage', '')}, was {outcome}"


def main(arguments: list[str]) -> int:
    checks = arguments[:1] == ["--check"]
    named = [argument.partition("=") for argument in arguments[checks:]]
    if not named or not all(path for _, _, path in named):
        print((__doc__ or "").splitlines()[0], file=sys.stderr)
        return 64
    try:
        libraries = {name: read(path) for name, _, path in named}
    except (OSError, ValueError, KeyError) as error:
        print(f"results.py: lines of JSON with version, tcId, opened, number and amount are expected: {error}", file=sys.stderr)
        return 1
    corpora = [json.loads(path.read_text()) for path in sorted(HERE.glob("apple_pay_*.json"))]
    if checks:
        found = [f"{name}: no line" for name, outcomes in libraries.items() if not outcomes]
        found += [f"{name}: {line}" for name, outcomes in libraries.items() for corpus in corpora for line in wrong(corpus, outcomes)]
        print("\n".join(found), file=sys.stderr, end="\n" * bool(found))
        return 1 if found else 0
    print("\n\n".join("\n".join(table(corpus, libraries)) for corpus in corpora))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
