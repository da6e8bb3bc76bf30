"""The same packages under another version."""

import shutil
import subprocess


def reversioned(machine, packages, folder, version, names=("kist", "kistd")):
    """Puts the packages of these names into a folder of the machine, as `version`; returns the files' names."""
    place = machine.root / folder.lstrip("/")
    place.mkdir(parents=True, exist_ok=True)
    files = []
    for name in names:
        (old,) = packages.glob(f"{name}_*.deb")
        unpacked = place / name
        shutil.rmtree(unpacked, ignore_errors=True)
        subprocess.run(["dpkg-deb", "--raw-extract", old, unpacked], check=True)
        control = unpacked / "DEBIAN/control"
        was = old.name.split("_")[1]
        control.write_text(control.read_text().replace(f"Version: {was}\n", f"Version: {version}\n").replace(f"(= {was})", f"(= {version})"))
        files.append(f"{name}_{version}.deb")
        subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "--build", unpacked, place / files[-1]], check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(unpacked)
    return files
