#!/usr/bin/env python3
"""Holds the sources to the rules of CONTRIBUTING.md that a program can check, and prints the sizes that are limited."""

import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

# Ceilings: of modules and of files in Sources, and in tokens, of one file.
MODULES = 20
FILES = 580
LARGEST_FILE = 2_648
# What proto/generate.py writes is sized by kist.proto: it is in none of the ceilings.
GENERATED = "Format/Wire/Generated"
# And of a line, in columns, without the contents of texts.
COLUMNS = 100
# Ceilings in tokens; raise one only in a commit that says why.
LINKED_BY_KISTD_KEYS = 234_481
C_LINKED_BY_KISTD_KEYS = 7_747
CORE = 99_786
ALL_SOURCES = 476_278
CORE_FOLDERS = [
    "Host/Memory", "Host/Threads", "Host/Supervision", "Format/Wire", "Policy/Rules", "Operations", "Service", "Server",
]

# `unsafe` stands only where C or the kernel is called: in whole folders and, elsewhere, in single files.
UNSAFE = {
    "Host/Memory", "Host/Threads", "Host/Supervision", "Crypto/Library", "Ceremony/KeyIntake", "Server",
    "KistClient/Calls", "kist", "kistd",
    "kist-claimd/ClaimStore/PostgreSQL/Session.swift", "kist-claimd/ClaimStore/PostgreSQL/StoreConnection.swift",
    "kist-claimd/ClaimService/DaemonSocket.swift", "kist-claimd/Program.swift",
    "Host/Storage/LinuxDisk.swift",
    "Review/Evidence/Retention/Zstandard.swift", "Sandbox/Directory/SandboxPath.swift",
    "Configuration/Accounts.swift", "Configuration/SubordinateUsers.swift", "Configuration/TOML/TOMLDocument.swift",
    "Configuration/TextFile.swift", "Configuration/TrustedPath.swift", "Doctor/Host/Sight.swift",
    # Loops over plain text that are too slow with bounds checks.
    "Review/Records/Search/ByteSearch.swift",
}

# Who may import the libraries.
LIBRARIES = {
    "COpenSSL": {"Crypto/Library", "Ceremony/KeyIntake"}, "CSodium": {"Crypto/Library"}, "CSeccomp": {"Server"},
    "CToml": {"Configuration"}, "CChild": {"Review/Evidence", "kist"}, "CAttributes": {"Doctor"}, "CClock": {"kist"},
    "CPostgreSQL": {"kist-claimd/ClaimStore"},
}

# No target imports these.
FORBIDDEN = {"Foundation", "FoundationEssentials", "Dispatch", "Synchronization", "_Concurrency"}

# Shorter repetitions are no finding.
DUPLICATE_LINES = 7

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"
SWIFT, C = {".swift"}, {".c", ".cpp", ".h"}
IMPORT = re.compile(r"^(?:(?:@testable|package|internal|public) )*import (\w+)", re.MULTILINE)

findings = []


def find(path, line, text):
    place = str(path.relative_to(ROOT)) if isinstance(path, Path) else path
    findings.append(f"{place}:{line}: {text}" if line else f"{place}: {text}")


def within(path, places):
    """Whether a file of Sources is one of these, or in one of these folders."""
    inside = path.relative_to(SOURCES)
    return any(str(place) in places for place in (inside, *inside.parents))


def line_count(path):
    return path.read_bytes().count(b"\n")


# Lines can be made longer, so the limited sizes are counted in tokens: a name, a number, a string of whatever
# length, and each other sign that is not white space are one each, comments none.
TOKEN = re.compile(
    r'''(?P<comment>//[^\n]*|/\*(?s:.*?)\*/)'''
    r'''|\#*"""(?s:.*?)"""\#*|\#*"(?:\\.|[^"\\\n])*"\#*'''
    r'''|[A-Za-z_$`@\#][\w`]*|\d(?:[\w.]*\w)?|[^\s\w]'''
)


def token_count(path):
    return sum(1 for found in TOKEN.finditer(path.read_text()) if not found["comment"])


def without_texts(text):
    """The source without comments and the contents of long texts; lines stay where they are."""
    text = re.sub(r'#*"""(?:.|\n)*?"""#*', lambda found: '""' + "\n" * found.group().count("\n"), text)
    return re.sub(r"^[ \t]*//.*", "", text, flags=re.MULTILINE)


def code(text):
    """Likewise, without the contents of all strings."""
    return re.sub(r"//.*", "", re.sub(r'"(?:\\.|[^"\\\n])*"', '""', without_texts(text)))


def body(text, opening):
    """What stands directly between an opening brace and its closing one; deeper braces are left out."""
    depth, flat = 0, []
    for character in text[opening:]:
        if character == "}":
            depth -= 1
            if depth == 0:
                break
        if depth == 1:
            flat.append(character)
        if character == "{":
            depth += 1
    return "".join(flat)


def without_parentheses(text):
    while (shorter := re.sub(r"\([^()]*\)", "", text)) != text:
        text = shorter
    return text


# MARK: Package.swift


def targets():
    # In a folder of its own, so as not to wait for a build or a suite that runs.
    with tempfile.TemporaryDirectory() as scratch:
        command = ["swift", "package", "--scratch-path", scratch, "dump-package"]
        manifest = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    rows = {}
    for target in manifest["targets"]:
        names = [name for kind in target["dependencies"] for name in kind.get("byName", [])[:1]]
        folder = ROOT / (target.get("path") or ("Tests/" if target["type"] == "test" else "Sources/") + target["name"])
        rows[target["name"]] = (folder, names)
    return rows


def closure(rows, name):
    reached, waiting = set(), [name]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += rows[name][1]
    return reached


def check_imports(rows):
    for name, (folder, row) in rows.items():
        imported = set()
        for path in folder.rglob("*.swift"):
            for module in IMPORT.findall(path.read_text()):
                imported.add(module)
                if module in FORBIDDEN and SOURCES in path.parents:
                    find(path, 0, f"imports {module}")
                if module in rows and module != name and module not in row:
                    find(path, 0, f"imports {module}, which is not in the row of {name} in Package.swift")
                if SOURCES in path.parents and not within(path, LIBRARIES.get(module, {name})):
                    find(path, 0, f"imports {module}")
        if folder.parent == SOURCES:
            for module in set(row) - imported:
                find("Package.swift", 0, f"the row of {name} names {module}, which it does not import")


def check_order(rows):
    seen = set()
    for name, (folder, row) in rows.items():
        if folder.parent == SOURCES:
            for module in set(row) - seen:
                find("Package.swift", 0, f"the row of {name} points up, to {module}")
        seen.add(name)


# MARK: the sources


def check_places(path, text):
    """Rules on where a word may stand."""
    for number, line in enumerate(code(text).split("\n"), 1):
        if re.search(r"\bunsafe\b", line) and not within(path, UNSAFE):
            find(path, number, "unsafe")
        if re.search(r"\bthrows\b(?!\()", line):
            find(path, number, "throws without a type")
        if re.match(r"\s*(public|open) (?!\w* *=)", line) and not within(path, {"KistClient/Calls"}):
            find(path, number, "public; everything outside KistClient/Calls is package")
        if re.search(r"\b(class|struct|enum|protocol|actor|extension) \w*(Helper|Utils|Utilities|Manager)\b", line) and "ServiceManager" not in line:
            find(path, number, "a name that says nothing")
        if not within(path, {"Server", "kist", "kistd", "kistd-keys", "KistClient/Calls"}) and re.search(r"(?<![.\w])(print|debugPrint|dump|fputs|socket|bind|listen|connect)\(", line):
            if not re.search(r"\bfunc ", line):
                find(path, number, "prints, or opens a socket")
    for number, line in enumerate(without_texts(text).split("\n"), 1):
        if within(path, {"Server", "Service", "Host/Supervision", "kistd", "kistd-keys"}) and "\\(error)" in line:
            find(path, number, "a Swift value in a message; an error has a text")
        if 'split(separator: "\\n"' in line:
            find(path, number, "finds no line feed after a carriage return; lines() does")


def own_enums(texts):
    for text in texts.values():
        for found in re.finditer(r"\benum\s+(\w+)[^{]*\{", text):
            cases = set()
            for line in re.findall(r"^\s*(?:indirect )?case\s+(.+)$", body(text, found.end() - 1), re.MULTILINE):
                names = [name.split("=")[0].strip().strip("`") for name in without_parentheses(line).split(",")]
                cases.update(name for name in names if name.isidentifier())
            yield found.group(1), cases


def check_switches(texts):
    """A `switch` with `default` all of whose patterns are cases of one of our enums would not notice a new case."""
    enums = list(own_enums(texts))
    for path, text in texts.items():
        for found in re.finditer(r"\bswitch\b[^{]*\{", text):
            inside = body(text, found.end() - 1)
            if not re.search(r"^\s*default\s*:", inside, re.MULTILINE):
                continue
            patterns = []
            for label in re.findall(r"^\s*case\s+((?:.|\n)+?):(?!\w)", inside, re.MULTILINE):
                label = without_parentheses(re.sub(r"\bwhere\b.*", "", label))
                patterns += [re.sub(r"^let\s+", "", pattern.strip()).rstrip("?") for pattern in label.split(",")]
            if not patterns or not all(re.fullmatch(r"\.\w+", pattern) for pattern in patterns):
                continue
            names = {pattern[1:] for pattern in patterns}
            owners = [name for name, cases in enums if names <= cases]
            if owners:
                find(path, text[: found.start()].count("\n") + 1, f"default in a switch over {owners[0]}")


def check_duplicates(paths):
    places = defaultdict(list)
    for path in paths:
        lines = [(number, line.strip()) for number, line in enumerate(without_texts(path.read_text()).split("\n"), 1)]
        lines = [(n, l) for n, l in lines if l.strip('"(){}') and not re.match(r'(case \w+$|(package |internal |public )?import )', l)]
        for start in range(len(lines) - DUPLICATE_LINES + 1):
            window = lines[start : start + DUPLICATE_LINES]
            places[tuple(line for _, line in window)].append((path, window[0][0]))
    for found in places.values():
        if len(found) > 1:
            others = ", ".join(f"{path.relative_to(ROOT)}:{number}" for path, number in found[1:])
            find(*found[0], f"the same {DUPLICATE_LINES} lines as {others}")


def check_sizes(paths):
    modules = {path.relative_to(SOURCES).parts[0] for path in paths}
    for what, count, ceiling in [("modules", len(modules), MODULES), ("files", len(paths), FILES)]:
        print(f"{what}: {count} (at most {ceiling})")
        if count > ceiling:
            find("Sources", 0, f"{count} {what}; at most {ceiling}")
    sizes = {path: token_count(path) for path in paths}
    for path, size in sizes.items():
        if size > LARGEST_FILE:
            find(path, 0, f"{size} tokens; at most {LARGEST_FILE}")
    median = statistics.median_low(map(line_count, paths))
    print(f"the largest file has {max(sizes.values())} tokens (at most {LARGEST_FILE}), the median {median} lines")


def check_columns(path, text):
    """Texts of ours stay on one line, as people search for what they see; nothing else is wider than a page."""
    for number, (line, bare) in enumerate(zip(text.split("\n"), code(text).split("\n")), 1):
        bare = re.sub(r"^ */[^/].*/$", "", bare)
        if len(line) > COLUMNS and (line.lstrip().startswith("//") or len(bare) > COLUMNS):
            find(path, number, f"{len(line)} columns; at most {COLUMNS}")


def check_introductions(rows):
    """One file of each module opens with what it is, what it knows, what it must not know and who calls it."""
    for name, (folder, _) in rows.items():
        if folder.parent != SOURCES or not any(folder.rglob("*.swift")):
            continue
        openings = [path for path in folder.rglob("*.swift") if path.read_text().startswith(f"// {name}: ")]
        if len(openings) != 1:
            find(folder, 0, f"{len(openings)} files open with '// {name}: '; one is to say what the module is")
            continue
        lines = openings[0].read_text().split("\n")
        opening = lines[: next(i for i, line in enumerate(lines) if not line.startswith("// "))]
        if len(opening) < 4 or not re.match("// (Called|Started) by ", opening[-1]):
            find(openings[0], 0, "the module's introduction has four lines or more, and ends with who calls it")


def check_tokens(rows):
    def total(folders, kinds):
        paths = [path for folder in folders for path in folder.rglob("*") if path.suffix in kinds]
        return sum(token_count(path) for path in paths if not within(path, {GENERATED}))

    linked = [rows[name][0] for name in closure(rows, "kistd-keys")]
    written = sum(map(token_count, (SOURCES / GENERATED).glob("*.swift")))
    print(f"tokens: {GENERATED}, written by proto/generate.py and not counted below: {written}")
    for what, folders, kinds, ceiling in [
        ("kistd-keys links", linked, SWIFT, LINKED_BY_KISTD_KEYS),
        ("of these, " + ", ".join(CORE_FOLDERS), [SOURCES / folder for folder in CORE_FOLDERS], SWIFT, CORE),
        ("kistd-keys links of C", linked, C, C_LINKED_BY_KISTD_KEYS),
        ("Sources", [SOURCES], SWIFT | C, ALL_SOURCES),
    ]:
        tokens = total(folders, kinds)
        print(f"tokens: {what}: {tokens} (at most {ceiling})")
        if tokens > ceiling:
            find("Sources", 0, f"{what}: {tokens} tokens; at most {ceiling}")


def main():
    rows = targets()
    everything = sorted(SOURCES.rglob("*.swift"))
    paths = [path for path in everything if not within(path, {GENERATED})]
    check_imports(rows)
    check_order(rows)
    for path in everything:
        check_places(path, path.read_text())
        check_columns(path, path.read_text())
    check_switches({path: code(path.read_text()) for path in everything})
    check_duplicates(paths)
    check_sizes(paths)
    check_introductions(rows)
    check_tokens(rows)
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
