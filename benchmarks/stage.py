"""The real daemon on a throw-away directory: a sandbox's keys and test PKI, with the production defaults instead of a sandbox's sizes."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "clients/python/src"))
import kist  # noqa: E402

CONFIGURATION = """
state_directory = "{0}/state"
service.socket = "{0}/run/kist.sock"
admin.socket = "{0}/run/admin.sock"
policy.directory = "{0}/policy.d"
audit.directory = "{0}/audit"
audit.origin = "{1}"
memory.allow_mlock_fallback = true
limits.connections = 1024
limits.connections_per_user = 1024
unlock.credential = "{0}/kek"
sandbox.rehearsal = true
sandbox.trust_anchor = "{0}/pki/root.cer"
{2}
"""
GRANT = """
[[grant]]
id = "{id}"
users = [{user}]
operations = {operations}
"""
PREFIXES = ("bench/*", "merchant/sandbox/*")
OPERATIONS = ["random", "ecdh", "sign", "seal", "unseal", "provision-pass", "open-payment-token"]
RELEASE = "release = " + str(["shared-secret", "dpan", "last4", "amount", "currency", "cryptogram", "eci", "expiry"]) + "\n"
# Of the operations measured, those that name a key of the benchmark's own: (name, role, OpenSSL's way to make one).
EC = ("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-outform", "DER")
KEYS = (("agreement", "agreement", EC), ("signing-p256", "signing-ecdsa", EC), ("signing-rsa", "signing-rsa", None), ("sealing", "sealing", ()))


def openssl(*words, stdin=None):
    return subprocess.run(["openssl", *words], input=stdin, check=True, capture_output=True).stdout


def make_key(way):
    """DER: RFC 5915 or PKCS #1; or 32 bytes."""
    if way is None:
        return openssl("rsa", "-traditional", "-outform", "DER", stdin=openssl("genrsa", "2048"))
    return openssl(*way) if way else os.urandom(32)


class Stage:
    """A daemon that a with statement starts, and takes away with all it has."""

    def __init__(self, programs, settings=""):
        self.programs = pathlib.Path(programs)
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="kist-bench-")) / "box"
        self.daemon = None
        subprocess.run([self.programs / "kist", "sandbox", "init", self.directory], check=True, stdout=subprocess.DEVNULL)
        origin = next(line.split('"')[1] for line in (self.directory / "kist.toml").read_text().splitlines() if line.startswith("origin"))
        (self.directory / "kist.toml").write_text(CONFIGURATION.format(self.directory, origin, settings))
        self.write_policy()

    def write_policy(self):
        user = os.getuid()
        operator = GRANT.format(id="operator", user=user, operations=["status", "import-key", "metrics"])
        (self.directory / "policy.d/10-sandbox.toml").write_text(operator + 'keys = ["*"]\n')
        own = (GRANT.format(id=f"bench-{i}", user=user, operations=OPERATIONS) + f'keys = ["{keys}"]\nrate = "1000000/s"\n' + RELEASE for i, keys in enumerate(PREFIXES))
        (self.directory / "policy.d/20-bench.toml").write_text("".join(own))

    @property
    def pid(self):
        return self.daemon.pid

    @property
    def environment(self):
        return dict(os.environ, KIST_ENDPOINT=f"unix:{self.directory}/run/kist.sock")

    def command(self):
        return [self.programs / "kistd", "--config", self.directory / "kist.toml"]

    def start(self):
        """Gives the seconds from exec to the reply to a ping."""
        began = time.monotonic()
        log = open(self.directory / "kistd.log", "ab")
        self.daemon = subprocess.Popen(self.command(), stderr=log)
        log.close()
        while True:
            try:
                # Beside a large log, of which it has no notes, a start takes minutes.
                with kist.Client(f"unix:{self.directory}/run/kist.sock", timeout=600) as client:
                    client.random(16)
                return time.monotonic() - began
            except (kist.Unreachable, kist.Disconnected, kist.Locked):
                if self.daemon.poll() is not None:
                    sys.exit("bench: kistd did not start: " + (self.directory / "kistd.log").read_text()[-2000:])
                time.sleep(0.001)

    def stop(self):
        if self.daemon:
            self.daemon.terminate()
            self.daemon.wait()
        self.daemon = None

    def operator(self):
        return kist.Client(f"unix:{self.directory}/run/admin.sock")

    def furnish(self):
        """Imports the benchmark's keys, and writes what the load generator needs into bench/."""
        folder = self.directory / "bench"
        folder.mkdir()
        with self.operator() as operator:
            for name, role, way in KEYS:
                material = make_key(way)
                key = operator.import_key(f"bench/{name}", role, material)
                (folder / f"{name}.id").write_bytes(key.id)
                (folder / f"{name}.key").write_bytes(material)
        self.certify(folder)

    def certify(self, folder):
        """Apple's certificates for issuers, under the sandbox's root."""
        name = "/CN=Apple Worldwide Developer Relations CA - G2"
        signer = (self.directory / "pki/root.cer", self.directory / "pki/root.key")
        for file, subject, extensions in (
            ("issuer-intermediate", name, ("basicConstraints=critical,CA:TRUE,pathlen:0", "keyUsage=critical,keyCertSign", "1.2.840.113635.100.6.2.15=ASN1:NULL")),
            ("issuer-leaf", "/CN=bench", ("basicConstraints=critical,CA:FALSE", "keyUsage=critical,keyEncipherment", "1.2.840.113635.100.6.39=critical,ASN1:NULL")),
        ):
            (folder / f"{file}.key").write_bytes(openssl(*EC))
            (folder / "extensions").write_text("\n".join(extensions) + "\n")
            request = openssl("req", "-new", "-key", str(folder / f"{file}.key"), "-keyform", "DER", "-subj", subject)
            words = ["-CA", str(signer[0]), "-CAform", "DER", "-CAkey", str(signer[1]), "-CAkeyform", "DER", "-days", "30", "-sha256"]
            words += ["-extfile", str(folder / "extensions"), "-set_serial", str(int.from_bytes(os.urandom(8), "big") | 1), "-outform", "DER"]
            (folder / f"{file}.cer").write_bytes(openssl("x509", "-req", *words, stdin=request))
            signer = (folder / f"{file}.cer", folder / f"{file}.key")

    def memory(self):
        """MiB: (resident now, resident at most)."""
        fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines())
        return tuple(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))

    def log_size(self):
        """(records, bytes of the log without what is still free in the last file)."""
        with self.operator() as operator:
            records = operator.status().audit_size
        return records, self.log_bytes()

    def log_bytes(self):
        *complete, last = sorted((self.directory / "audit").glob("*.log"))
        return sum(path.stat().st_size for path in complete) + len(last.read_bytes().rstrip(b"\0"))

    def written(self):
        """(bytes of the log, commits, each of which is one sync)."""
        words = (self.programs / "kist", "status", "--metrics", "--socket", self.directory / "run/admin.sock")
        text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        return self.log_bytes(), int(next(line.split()[1] for line in text.splitlines() if line.startswith("kist_commit_records_count")))

    def __enter__(self):
        try:
            self.start()
            self.furnish()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        self.stop()
        shutil.rmtree(self.directory.parent)
