#!/usr/bin/env python3
"""Writes a bill of materials (CycloneDX 1.5, JSON) for built programs, from what the linker, dpkg and the toolchain say.

usage: sbom.py PROGRAM...        such as .build/release/kistd .build/release/kist

Required components are loaded with a program or compiled into it; optional ones it runs if they are there; excluded ones were only there when it
was built. The same programs on the same machine give the same bytes: the time is SOURCE_DATE_EPOCH, or that of the last commit.
"""

import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Headers alone, so no linker knows of it.
COMPILED_IN = "libtomlplusplus-dev"
# All but the program that reads no text (scripts/symbols.sh).
WITHOUT_IT = {"kistd-keys"}
# `kist audit compress` runs it.
OPTIONAL = "zstd"


def output(*words):
    return subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def version():
    return re.search(r'text = "([^"]+)"', next((ROOT / "Sources").rglob("ProductVersion.swift")).read_text())[1]


def time():
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct")
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def toolchain():
    """The Swift toolchain, whose library is linked statically, and its folder."""
    number, tag = re.search(r"Swift version (\S+) \((\S+)\)", output("swift", "--version")).groups()
    purl = f"pkg:github/swiftlang/swift@{tag}"
    return {"type": "library", "bom-ref": purl, "name": "swift", "version": number, "purl": purl}, Path(shutil.which("swift")).resolve().parents[1]


def package(name):
    """A Debian package as a component; None if it is not installed."""
    words = ["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Package} ${Version} ${Architecture}\n", name]
    found = [line.split() for line in subprocess.run(words, capture_output=True, text=True).stdout.splitlines() if line.startswith("installed ")]
    if not found:
        return None
    _, name, number, architecture = found[0]
    purl = f"pkg:deb/debian/{name}@{number.replace('+', '%2B')}?arch={architecture}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": number, "purl": purl}


def owner(path):
    """The name of the package that a file is from, by either of its names below /usr."""
    for name in (path, os.path.realpath(path), re.sub("^/usr", "", os.path.realpath(path))):
        found = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True).stdout
        if found:
            return found.split(": ")[0]
    sys.exit(f"sbom: no package has {path}")


def libraries(program):
    """The files that the dynamic linker loads with a program."""
    return sorted(set(re.findall(r"(/\S+) \(0x", output("ldd", str(program.resolve())))))


def build_dependencies():
    text = re.search(r"^Build-Depends:\n((?: .*\n)+)", (ROOT / "debian/control").read_text(), re.MULTILINE)[1]
    return re.findall(r"^ ([a-z0-9.+-]+)", text, re.MULTILINE)


def bill(programs):
    swift, folder = toolchain()
    components = {}

    def add(component, scope):
        return components.setdefault(component["bom-ref"], component | {"scope": scope})["bom-ref"]

    built, edges = [], []
    for program in programs:
        is_library = ".so" in program.suffixes
        name = f"kist/{program.name}@{version()}"
        digest = hashlib.sha256(program.read_bytes()).hexdigest()
        built.append({"type": "library" if is_library else "application", "bom-ref": name, "name": program.name, "version": version(), "hashes": [{"alg": "SHA-256", "content": digest}]})
        # Libraries are C.
        compiled_in = [] if is_library else [swift] if program.name in WITHOUT_IT else [swift, package(COMPILED_IN)]
        needs = {add(component, "required") for component in compiled_in}
        needs |= {add(package(owner(path)), "required") for path in libraries(program) if folder not in Path(path).resolve().parents}
        edges.append({"ref": name, "dependsOn": sorted(needs)})
    for name, scope in [(OPTIONAL, "optional")] + [(name, "excluded") for name in build_dependencies()]:
        if component := package(name):
            add(component, scope)
    product = {"type": "application", "bom-ref": "kist", "name": "kist", "version": version(), "components": built}
    edges.insert(0, {"ref": "kist", "dependsOn": sorted(program["bom-ref"] for program in built)})
    text = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"timestamp": time(), "component": product},
        "components": [components[name] for name in sorted(components)],
        "dependencies": edges,
    }
    text["serialNumber"] = "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(text, sort_keys=True)))
    return text


if __name__ == "__main__":
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        sys.exit(0)
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    json.dump(bill([Path(word) for word in sys.argv[1:]]), sys.stdout, indent=2, sort_keys=True)
    print()
