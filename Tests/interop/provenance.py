"""The provenance beside the packages is an in-toto statement with SLSA's predicate, and names these packages and no others."""

import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
# From in-toto's Statement v1 and SLSA's provenance v1: what each object must have, and what else it may have.
STATEMENT = ({"_type", "subject", "predicateType", "predicate"}, set())
PREDICATE = ({"buildDefinition", "runDetails"}, set())
DEFINITION = ({"buildType", "externalParameters"}, {"internalParameters", "resolvedDependencies"})
DETAILS = ({"builder"}, {"metadata", "byproducts"})
DESCRIPTOR = (set(), {"name", "uri", "digest", "mediaType", "annotations"})
DIGESTS = {"sha256": 64, "gitCommit": 40}

BUILDINFO = """\
Format: 1.0
Build-Tainted-By:
 usr-local-has-programs (= 9)
Installed-Build-Depends:
 g++ (= 4:12.2.0-3),
 libssl-dev (= 3.0.17-1~deb12u2),
 libc6:i386 (= 2.36-9+deb12u14)
Environment:
 LANG="C (= 1)"
"""


def members(value, required_and_allowed):
    required, allowed = required_and_allowed
    assert required <= value.keys() <= required | allowed, value


def descriptor(value):
    members(value, DESCRIPTOR)
    assert "uri" in value or "digest" in value, value
    for name, digest in value.get("digest", {}).items():
        assert re.fullmatch("[0-9a-f]{%d}" % DIGESTS[name], digest), value
    assert re.match("pkg:(deb|github|pypi)/[^/ ]+[^ +]*@[^ +]+$", value.get("uri", "pkg:deb/a@1")), value


def check(document):
    members(document, STATEMENT)
    assert document["_type"] == "https://in-toto.io/Statement/v1"
    assert document["predicateType"] == "https://slsa.dev/provenance/v1"
    members(document["predicate"], PREDICATE)
    definition, details = document["predicate"]["buildDefinition"], document["predicate"]["runDetails"]
    members(definition, DEFINITION)
    members(details, DETAILS)
    assert all(re.match("https://[^ ]+$", name) for name in (definition["buildType"], details["builder"]["id"]))
    for each in (*document["subject"], *definition["resolvedDependencies"], *details["byproducts"]):
        descriptor(each)
    assert all(set(subject["digest"]) == {"sha256"} for subject in document["subject"])


def digests(descriptors):
    return {each["name"]: each["digest"]["sha256"] for each in descriptors}


def matches(document, folder):
    """The digests are those of the files in the folder."""
    of = lambda pattern: {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob(pattern)}
    assert digests(document["subject"]) == of("*.deb"), document["subject"]
    assert digests(document["predicate"]["runDetails"]["byproducts"]) == of("kist.cdx.json")


def provenance(*words):
    return subprocess.run([sys.executable, ROOT / "scripts/provenance.py", *words], capture_output=True, text=True)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        refused = provenance(folder)
        assert refused.returncode == 1 and "no packages in" in refused.stderr, refused.stderr
        for file, text in {"kist_1_all.deb": "one", "kistd_1_all.deb": "two", "kist.cdx.json": "{}", "kist.buildinfo": BUILDINFO}.items():
            (folder / file).write_text(text)
        run = provenance(folder)
        assert run.returncode == 0, run.stderr
        assert provenance(folder).stdout == run.stdout, "two runs differ"
        document = json.loads(run.stdout)
        check(document)
        matches(document, folder)
        (folder / "kistd_1_all.deb").write_text("three")
        assert digests(json.loads(provenance(folder).stdout)["subject"]) != digests(document["subject"])
    dependencies = document["predicate"]["buildDefinition"]["resolvedDependencies"]
    if (ROOT / ".git").exists():
        git = ["git", "-c", "safe.directory=*", "rev-parse", "HEAD"]
        head = subprocess.run(git, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
        commit = dependencies.pop(0)
        assert commit["digest"] == {"gitCommit": head}, commit
    swift, wheel, *packages = dependencies
    assert (swift["name"], wheel["name"]) == ("swift", "flit_core"), (swift, wheel)
    assert [each["uri"] for each in packages] == ["pkg:deb/debian/g++@4:12.2.0-3".replace("+", "%2B"), "pkg:deb/debian/libssl-dev@3.0.17-1~deb12u2", "pkg:deb/debian/libc6@2.36-9%2Bdeb12u14"], packages
    refused = provenance()
    assert refused.returncode == 1 and "usage: provenance.py FOLDER" in refused.stderr, refused.stderr


if __name__ == "__main__":
    main()
