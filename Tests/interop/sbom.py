"""The bill of materials is what CycloneDX's schema says, and has every library that the linker loads."""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "Tests/interop/lib"))
from cyclonedx_schema import errors

PROGRAMS = [ROOT / ".build/debug" / name for name in ("kistd", "kistd-keys", "kist")]


def bill(*words):
    return subprocess.run([sys.executable, ROOT / "scripts/sbom.py", *words], capture_output=True, text=True)


def every(component):
    yield component
    for inner in component.get("components", []):
        yield from every(inner)


def check(document):
    assert not errors(document), errors(document)
    assert (document["bomFormat"], document["specVersion"], document["version"]) == ("CycloneDX", "1.5", 1)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["metadata"]["timestamp"])
    components = [*every(document["metadata"]["component"]), *(inner for one in document["components"] for inner in every(one))]
    for component in components:
        assert component["type"] in ("application", "library") and component["name"] and component["version"], component
        for digest in component.get("hashes", []):
            assert digest["alg"] == "SHA-256" and re.fullmatch("[0-9a-f]{64}", digest["content"]), digest
    names = [component["bom-ref"] for component in components]
    assert len(names) == len(set(names)), names
    for edge in document["dependencies"]:
        assert {edge["ref"], *edge["dependsOn"]} <= set(names), edge


def loaded(document, program):
    """The names of what a program cannot run without."""
    edge = next(edge for edge in document["dependencies"] if edge["ref"].startswith(f"kist/{program}@"))
    by_reference = {component["bom-ref"]: component for component in document["components"]}
    assert all(by_reference[name]["scope"] == "required" for name in edge["dependsOn"]), edge
    return {by_reference[name]["name"] for name in edge["dependsOn"]}


def main():
    run = bill(*PROGRAMS)
    assert run.returncode == 0, run.stderr
    assert bill(*PROGRAMS).stdout == run.stdout, "two runs differ"
    document = json.loads(run.stdout)
    check(document)
    common, cryptography, toml = {"libc6", "libstdc++6", "swift"}, {"libssl3", "libsodium23"}, {"libtomlplusplus-dev"}
    for program, needed in (("kistd", toml), ("kistd-keys", cryptography | {"libseccomp2"}), ("kist", cryptography | toml)):
        found = loaded(document, program)
        others = (cryptography | toml | {"libseccomp2"}) - needed
        assert common | needed <= found and not found & others, (program, found)
    assert next(one for one in document["components"] if one["name"] == "zstd")["scope"] == "optional"
    refused = bill()
    assert refused.returncode == 1 and "usage: sbom.py PROGRAM" in refused.stderr, refused.stderr


if __name__ == "__main__":
    main()
