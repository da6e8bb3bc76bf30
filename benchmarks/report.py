#!/usr/bin/env python3
"""The tables of a run: prints them, or puts them into a document between its two marks.

usage: report.py JSON [DOCUMENT]
"""

import json
import pathlib
import sys

import table
from results import Results
from targets import targets

BEGIN, END = "<!-- the last run, from here -->", "<!-- to here -->"


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
    whole = pathlib.Path(place).read_text()
    before, rest = whole.split(BEGIN)
    pathlib.Path(place).write_text(f"{before}{BEGIN}\n\n{tables}\n\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
