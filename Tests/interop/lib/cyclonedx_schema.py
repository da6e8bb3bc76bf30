"""CycloneDX's own schema, as the project that keeps it packs it for its validator."""

import importlib.resources
import json

import jsonschema_rs

FILES = importlib.resources.files("cyclonedx.schema._res")


def _schema(name):
    return json.loads(FILES.joinpath(f"{name}.SNAPSHOT.schema.json").read_text())


def errors(document):
    """What is wrong with a bill of materials; empty if nothing is. Formats count: dates, serial numbers, references."""
    validator = jsonschema_rs.validator_for(
        _schema(f"bom-{document['specVersion']}"), validate_formats=True,
        retriever=lambda uri: _schema(uri.rpartition("/")[2].removesuffix(".schema.json").removesuffix(".SNAPSHOT")))
    return [f"{error.instance_path}: {error.message[:200]}" for error in validator.iter_errors(document)]
