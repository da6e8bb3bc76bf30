#!/usr/bin/env python3
"""Usage: generate.py [--check]

Writes the daemon's messages and every client's tables from kist.proto; with --check, says which of them are not what it would write.
"""

import pathlib
import sys

from generator import c, go, java, node, php, protocol, python, schema, swift

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 64
    try:
        whole = schema.read(ROOT / "proto/kist.proto")
        protocol.compare(whole, (ROOT / "proto/PROTOCOL.md").read_text())
    except schema.SchemaError as error:
        print(error, file=sys.stderr)
        return 1
    files = [file for language in (c, go, java, node, php, python) for file in language.files(whole.of_clients())]
    files += swift.files(whole)
    others = [path for path, text in files if not is_written(ROOT / path, text)]
    if arguments:
        for path in others:
            print(f"{path} is not what proto/generate.py writes: run make generate", file=sys.stderr)
        return 1 if others else 0
    for path, text in files:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text)
    return 0


def is_written(path: pathlib.Path, text: str) -> bool:
    return path.is_file() and path.read_text() == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
