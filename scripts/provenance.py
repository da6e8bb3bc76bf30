#!/usr/bin/env python3
"""Writes where built packages come from: an in-toto statement (v1) with SLSA's provenance (v1) as its predicate, unsigned.

usage: provenance.py FOLDER        such as .build-deb

FOLDER has the packages, their bill of materials and kist.buildinfo, in which dpkg lists what was installed. The statement has no time of its own: the
same packages, built from the same commit with the same tools, give the same bytes.
"""

import hashlib
import json
import os
import re
import sys
from pathlib import Path

from sbom import ROOT, output, toolchain

# Nobody owns a name below `invalid`: the project has no address yet.
BUILD_TYPE = "https://kist.invalid/build/make-deb/v1"
BUILDER = "https://kist.invalid/builder/unattested"


def sha256(path):
    with open(path, "rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest()}


def source():
    """The commit, and which files were not those of the commit; nothing of an unpacked archive."""
    if not (ROOT / ".git").exists():
        return
    commit = {"name": "kist", "digest": {"gitCommit": git("rev-parse", "HEAD").strip()}}
    changed = git("status", "--porcelain", "--untracked-files=no").split("\n")[:-1]
    yield commit | {"annotations": {"uncommittedChanges": sorted(line[3:] for line in changed)}}


def git(*words):
    # The checkout may be another user's than who builds.
    return output("git", "-c", "safe.directory=*", *words)


def compiler():
    swift, folder = toolchain()
    return {"name": swift["name"], "uri": swift["purl"], "digest": sha256(folder / "bin/swift-frontend")}


def wheel_builder():
    """What `make clients` packs the Python client with."""
    number = output(ROOT / ".venv/bin/python", "-c", "import flit_core; print(flit_core.__version__)").strip()
    return {"name": "flit_core", "uri": f"pkg:pypi/flit-core@{number}"}


def installed(buildinfo):
    """Every Debian package that the build could use, with its version."""
    lines = re.search(r"^Installed-Build-Depends:\n((?: .*\n)+)", buildinfo, re.MULTILINE)[1]
    for name, number in re.findall(r"^ ([^ :]+)\S* \(= ([^)]+)\)", lines, re.MULTILINE):
        yield {"name": name, "uri": f"pkg:deb/debian/{name}@{number}".replace("+", "%2B")}


def statement(folder):
    subjects = [{"name": path.name, "digest": sha256(path)} for path in sorted(folder.glob("*.deb"))]
    if not subjects:
        sys.exit(f"provenance: no packages in {folder}: run 'make deb'")
    dependencies = [*source(), compiler(), wheel_builder(), *installed((folder / "kist.buildinfo").read_text())]
    bill = {"name": "kist.cdx.json", "digest": sha256(folder / "kist.cdx.json"), "mediaType": "application/vnd.cyclonedx+json"}
    definition = {
        "buildType": BUILD_TYPE,
        "externalParameters": {"target": "deb"},
        "internalParameters": {
            "architecture": output("dpkg", "--print-architecture").strip(),
            "sourceDateEpoch": int(os.environ.get("SOURCE_DATE_EPOCH") or output("dpkg-parsechangelog", "--show-field", "Timestamp")),
        },
        "resolvedDependencies": dependencies,
    }
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {"buildDefinition": definition, "runDetails": {"builder": {"id": BUILDER}, "byproducts": [bill]}},
    }


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    json.dump(statement(Path(sys.argv[1])), sys.stdout, indent=2, sort_keys=True)
    print()
