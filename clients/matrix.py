#!/usr/bin/env python3
"""Prints what each client is tested for, as matrix.txt has it, and fails where a test is not in the client's sources."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
#: How a test of each language stands in its source.
CALLED = {"c": "static void {}(", "go": "func {}(", "java": " {}() ", "node": "{}", "php": "function {}(", "python": "def {}("}
LANGUAGES = tuple(CALLED)


def main() -> int:
    sources = {name: "\n".join(text(path) for path in sorted(folder(name).iterdir()) if path.is_file()) for name in LANGUAGES}
    missing: list[str] = []
    for line in (HERE / "matrix.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        case, *cells = line.split(" | ")
        tests = dict(cell.split(": ", 1) for cell in cells)
        if sorted(tests) != sorted(LANGUAGES):
            missing.append(f"{case}: a test for each of {', '.join(LANGUAGES)}")
        missing += [f"{case}: {name} has no {test}" for name, test in tests.items() if test[0] != "-" and CALLED[name].format(test) not in sources[name]]
        marks = "  ".join(f"{name} {'–' if tests.get(name, '-')[0] == '-' else '✓'}" for name in LANGUAGES)
        holes = "; ".join(f"{name}: {test[2:]}" for name, test in tests.items() if test[0] == "-")
        print(f"  {case:<46}{marks}  {holes}".rstrip())
    for hole in missing:
        print(f"matrix: {hole}", file=sys.stderr)
    return 1 if missing else 0


def folder(name: str) -> pathlib.Path:
    """Where its tests stand; Go's are beside what they test."""
    return HERE / {"go": "go", "java": "java/src/test/java/kist"}.get(name, f"{name}/tests")


def text(path: pathlib.Path) -> str:
    return path.read_text() if path.suffix in (".c", ".java", ".js", ".php", ".py", ".sh") or path.name.endswith("_test.go") else ""


if __name__ == "__main__":
    sys.exit(main())
