#!/usr/bin/env python3
"""Writes an OCI image (image-spec 1.1) of one layer as a tar archive, the same bytes from the same files: image.py ROOT ARCHIVE TAG VERSION

ROOT is a file system; all in it belongs to root but what below /etc/kist, /var/lib/kist, /var/log/kist and /run/kist is the user's.
"""

import datetime
import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile

#: Of the user kist in the image; a number, for who asks that no image runs as root cannot read names.
USER = 990
OWN = ("etc/kist", "var/lib/kist", "var/log/kist", "run/kist")
MOMENT = int(os.environ["SOURCE_DATE_EPOCH"])
CREATED = datetime.datetime.fromtimestamp(MOMENT, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def main():
    root, archive, tag, version = sys.argv[1:]
    layer = _layer(pathlib.Path(root))
    config = _json(
        {
            "created": CREATED,
            "architecture": {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine],
            "os": "linux",
            "config": {
                "User": f"{USER}:{USER}",
                "Env": ["PATH=/usr/sbin:/usr/bin"],
                "Entrypoint": ["/usr/sbin/kistd"],
                "Volumes": {f"/{place}": {} for place in OWN},
                "StopSignal": "SIGTERM",
                "Labels": {"org.opencontainers.image.title": "kist", "org.opencontainers.image.version": version},
            },
            "rootfs": {"type": "layers", "diff_ids": [_digest(layer)]},
            "history": [{"created": CREATED, "created_by": "scripts/image.sh"}],
        }
    )
    manifest = _json(
        {
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": _descriptor("application/vnd.oci.image.config.v1+json", config),
            "layers": [_descriptor("application/vnd.oci.image.layer.v1.tar", layer)],
        }
    )
    named = _descriptor("application/vnd.oci.image.manifest.v1+json", manifest) | {"annotations": {"org.opencontainers.image.ref.name": tag}}
    index = _json({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [named]})
    blobs = {f"blobs/sha256/{hashlib.sha256(content).hexdigest()}": content for content in (layer, config, manifest)}
    files = {"oci-layout": _json({"imageLayoutVersion": "1.0.0"}), "index.json": index} | blobs
    with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(files):
            _add(tar, name, files[name])
    print(_digest(manifest))


def _layer(root):
    """All of the file system, in order, at one moment."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(root.rglob("*")):
            entry = tar.gettarinfo(path, str(path.relative_to(root)))
            own = USER if any(path.is_relative_to(root / place) for place in OWN) else 0
            entry.uid = entry.gid = own
            entry.uname = entry.gname = ""
            entry.mtime = MOMENT
            if entry.isreg():
                with path.open("rb") as file:
                    tar.addfile(entry, file)
            else:
                tar.addfile(entry)
    return written.getvalue()


def _add(tar, name, content):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime = len(content), MOMENT
    tar.addfile(entry, io.BytesIO(content))


def _descriptor(media_type, content):
    return {"mediaType": media_type, "digest": _digest(content), "size": len(content)}


def _digest(content):
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


if __name__ == "__main__":
    main()
