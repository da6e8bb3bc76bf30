"""docs/INSTALL.md, line by line."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from machine import expect
from page import ROOT, commands
from people import PASSPHRASE

PAGE, README = ((ROOT / name).read_text() for name in ("docs/INSTALL.md", "README.md"))
PEOPLE = "alice bob carol dave erin grace heidi frank acme-gateway acme-orders acme-web mallory"

#: The machine that the tests run on allows little locked memory and nobody may raise it; this capability lifts the limit. Nothing else is changed.
LIMITS = "[Service]\nAmbientCapabilities=CAP_IPC_LOCK\nCapabilityBoundingSet=CAP_IPC_LOCK\n"


def _processor():
    """What OpenSSL is to take the processor for, if whoever runs the tests said it."""
    mask = os.environ.get("OPENSSL_ia32cap")
    return f"Environment=OPENSSL_ia32cap={mask}\n" if mask else ""


def people(machine):
    """Real users, one for each role, and one whom nobody knows."""
    for name in PEOPLE.split():
        machine.run(f"useradd --create-home --shell /bin/bash {name}")
    machine.put("/etc/systemd/system/kistd.service.d/50-limits.conf", LIMITS + _processor())


def packages(machine):
    """The packages install with apt, and nothing runs yet."""
    shutil.copytree(machine.packages, machine.root / "root/packages")
    for user, command in commands(PAGE, "1. Install"):
        machine.run(f"cd /root/packages && {command}", user, patience=120)
    machine.run("cd /root/packages && apt-get install --yes ./libkist*.deb ./python3-kist*.deb ./kist-doc*.deb ./kist-claimd*.deb ./kist-openssl*.deb ./kist-pkcs11*.deb", patience=120)
    for unit in ("kistd.service", "kist.socket", "kist-admin.socket", "kist-claimd.service", "kist-claimd-partitions.timer"):
        expect(machine.run(f"systemctl is-active {unit}", code=3).text == "inactive\n", unit)
        expect(machine.run(f"systemctl is-enabled {unit}", code=1).text == "disabled\n", unit)
    machine.run("kist --version && kistd --version && man --where kist kistd kistd-keys kist.toml kist-claimd kist-provider kist-pkcs11")
    machine.run("runuser -u kist-claimd -- env CREDENTIALS_DIRECTORY=/run kist-claimd --check-config --config /usr/share/doc/kist-claimd/examples/claimd.toml")
    found = machine.run("openssl list -providers -provider default -provider kist").text
    expect("name: Kist" in found, found)
    load = "import ctypes, glob; (module,) = glob.glob('/usr/lib/*/pkcs11/kist-pkcs11.so'); ctypes.CDLL(module).C_GetInterface"
    machine.run(f'python3 -c "{load}" && grep kist-pkcs11.so /usr/share/p11-kit/modules/kist.module')
    machine.run("python3 -c 'import kist, importlib.metadata; assert importlib.metadata.version(\"kist\")'")


def statements(machine):
    """The provenance names these packages, and the bill of materials the programs and libraries that are in them"""
    subjects = {each["name"]: each["digest"]["sha256"] for each in _beside(machine, "kist.provenance.json")["subject"]}
    expect(subjects == {path.name: _sha256(path) for path in machine.packages.glob("*.deb")}, subjects)
    built = {each["name"]: each["hashes"][0]["content"] for each in _beside(machine, "kist.cdx.json")["metadata"]["component"]["components"]}
    places = ("bin/kist", "sbin/kistd", "sbin/kistd-keys", "sbin/kist-claimd", "lib/*/libkist.so.0", "lib/*/ossl-modules/kist.so", "lib/*/pkcs11/kist-pkcs11.so")
    files = [file for place in places for file in (machine.root / "usr").glob(place)]
    expect(built == {file.name: _sha256(file) for file in files} and len(files) == len(places), built)


def released(machine):
    """INSTALL.md: a release's signature and checksums are right, and wrong when a byte of it, the notes or the signer is another"""
    with tempfile.TemporaryDirectory() as place:
        key, folder = f"{place}/key", f"{place}/release"
        for name in (key, f"{place}/other"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", name], check=True)
        subprocess.run([ROOT / "scripts/assemble.sh", key, folder], check=True, env=os.environ | {"TRIAL": "1"})
        shutil.copytree(folder, machine.root / "opt/release")
        for name, made in (("signers", key), ("others", f"{place}/other")):
            machine.put(f"/opt/{name}", f"maintainers@kist.invalid {pathlib.Path(f'{made}.pub').read_text()}")
    signature, sums = (f"cd /opt/release && {command}" for _, command in commands(PAGE, "Check what you install"))
    machine.run(f"chmod -R go=rX /opt/release /opt/signers /opt/others && {signature}")
    machine.run(sums, "alice")
    listed = machine.run("cut -c 67- /opt/release/SHA256SUMS").text.split()
    expect(sorted(listed + ["SHA256SUMS", "SHA256SUMS.sig"]) == sorted(path.name for path in (machine.root / "opt/release").iterdir()), listed)
    machine.run(signature.replace("signers", "others"), code=255)
    machine.run("echo >>/opt/release/NOTES.md")
    machine.run(sums, code=1)
    machine.run("echo >>/opt/release/SHA256SUMS")
    machine.run(signature, code=255)
    machine.run("rm -r /opt/release")


def readme(machine):
    """README's commands are this page's"""
    for _, command in commands(README, "Set it up"):
        command = command.split("  #")[0].rstrip()
        expect(command.startswith("[") or " = " in command or command in PAGE, f"README.md: {command}: not in INSTALL.md")


def roles(machine):
    """INSTALL.md 2: who has which role."""
    _follow(machine, "2. Say who has which role")


def configuration(machine):
    """INSTALL.md 3: configuration and policy, from the examples."""
    _follow(machine, "3. Configure")


def keys(machine):
    """INSTALL.md 4: the key store."""
    ((user, command),) = commands(PAGE, "4. Make the key store")
    machine.type(command, [PASSPHRASE, PASSPHRASE], user)


def start(machine):
    """INSTALL.md 5: started and unlocked."""
    for user, command in commands(PAGE, "5. Start and unlock"):
        if command == "kist unlock":
            machine.type(command, [PASSPHRASE], user)
        else:
            machine.run(command, user)


def use(machine):
    """INSTALL.md 6: a key is made and used."""
    _follow(machine, "6. Put a key in, and use it")


def _beside(machine, name):
    return json.loads((machine.packages / name).read_text())


def _sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _follow(machine, section):
    for user, command in commands(PAGE, section):
        machine.run(command, user)
