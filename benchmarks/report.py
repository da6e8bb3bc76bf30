#!/usr/bin/env python3
"""The tables of a run: prints them, or makes them a page.

usage: report.py JSON [PAGE]
"""

import json
import pathlib
import sys

import table
from results import Results
from targets import targets

HEAD = """# The last run of `make bench`

Written by `benchmarks/report.py`. [PERFORMANCE.md](../docs/PERFORMANCE.md#method) says what the
columns mean.
"""


def text(document):
    results, growth = Results.from_json(document["rows"]), Results.from_json(document["growth"])
    of, facts = document["machine"], document["facts"]
    kind = "with AVX-512" if of["avx512"] else "without AVX-512" + (f" (OPENSSL_ia32cap={of['mask']})" if of["mask"] else "")
    parts = [
        f"{of['processor']}, {kind}, Linux {of['kernel']}, {of['when']}; {document['mode']}: {document['rounds']} rounds of {document['seconds']} s each.",
        table.markdown(table.ROWS, table.rows(results), 3),
        "An operation adds {} bytes to the log, and {} where 16 share a commit. At the end kistd had {:.1f} MiB resident at most.".format(
            *document["record_bytes"], document["mebibytes"]
        ),
        *(f"Skipped: {line}." for line in document["skipped"]),
    ]
    if growth.rounds:
        parts.append(table.markdown(table.GROWTH, table.growth_rows(growth, facts), 2))
    lines = [(what, figure, target, "held" if held else "NOT HELD") for what, figure, target, held in targets(results, growth, facts.get("memory"), of["avx512"])]
    return "\n\n".join([*parts, table.markdown(table.TARGETS, lines, 1)])


def main(source, place=None):
    tables = text(json.loads(pathlib.Path(source).read_text()))
    if not place:
        return print(tables)
    pathlib.Path(place).write_text(f"{HEAD}\n{tables}\n")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
