"""The bill of materials has what CycloneDX 1.5 requires, and every library that the linker loads."""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
PROGRAMS = [ROOT / ".build/debug" / name for name in ("kistd", "kistd-keys", "kist")]
# From the schema bom-1.5: what each object must have, and what else it may have.
DOCUMENT = ({"bomFormat", "specVersion"}, {"serialNumber", "version", "metadata", "components", "dependencies"})
COMPONENT = ({"type", "name"}, {"bom-ref", "version", "purl", "scope", "hashes", "components"})
DEPENDENCY = ({"ref"}, {"dependsOn"})


def bill(*words):
    return subprocess.run([sys.executable, ROOT / "scripts/sbom.py", *words], capture_output=True, text=True)


def members(value, required_and_allowed):
    required, allowed = required_and_allowed
    assert required <= value.keys() <= required | allowed, value


def every(component):
    yield component
    for inner in component.get("components", []):
        yield from every(inner)


def check(document):
    members(document, DOCUMENT)
    assert (document["bomFormat"], document["specVersion"], document["version"]) == ("CycloneDX", "1.5", 1)
    assert re.fullmatch("urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", document["serialNumber"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["metadata"]["timestamp"])
    components = [*every(document["metadata"]["component"]), *(inner for one in document["components"] for inner in every(one))]
    for component in components:
        members(component, COMPONENT)
        assert component["type"] in ("application", "library") and component["name"] and component["version"], component
        assert component.get("scope") in (None, "required", "optional", "excluded"), component
        for digest in component.get("hashes", []):
            assert digest["alg"] == "SHA-256" and re.fullmatch("[0-9a-f]{64}", digest["content"]), digest
    names = [component["bom-ref"] for component in components]
    assert len(names) == len(set(names)), names
    for edge in document["dependencies"]:
        members(edge, DEPENDENCY)
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
