#!/usr/bin/env python3
"""The anchors of docs/AUDIT.md, played through: two witnesses written here, an RFC 3161 authority of OpenSSL's, syslog.

The witnesses check growth with their own code and sign with Python's cryptography; kist must take their lines, and only theirs.

usage: audit_anchors.py [BUILD]   (default: the debug build of this checkout)
"""
import base64, hashlib, pathlib, socket, struct, subprocess, sys, tempfile, time

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / ".build/debug")


def kist(*words, code=0):
    done = subprocess.run([BUILD / "kist", "audit", *map(str, words)], capture_output=True)
    check(done.returncode == code, "%s: %d %s" % (words[0], done.returncode, done.stderr.decode()))
    return done.stdout


def check(condition, what):
    if not condition:
        sys.exit("audit_anchors: " + what)


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def grew(old_size, old_root, new_size, new_root, path):
    """RFC 9162 2.1.4.2."""
    if old_size == new_size:
        return not path and old_root == new_root
    path = list(path)
    if old_size & (old_size - 1) == 0:
        path.insert(0, old_root)
    if not path:
        return False
    fn, sn = old_size - 1, new_size - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = path[0]
    for c in path[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = node(c, fr), node(c, sr)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node(sr, c)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and fr == old_root and sr == new_root


class Witness:
    def __init__(self, name):
        self.name, self.key, self.size, self.root = name, Ed25519PrivateKey.generate(), 0, None
        raw = self.key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        self.id = hashlib.sha256(name.encode() + b"\n\4" + raw).digest()[:4]
        self.vkey = "%s+%s+%s" % (name, self.id.hex(), base64.b64encode(b"\4" + raw).decode())

    def add_checkpoint(self, body):
        """The status and the answer of C2SP tlog-witness."""
        head, note = body.split(b"\n\n", 1)
        old, *path = head.decode().split("\n")
        text = note.split(b"\n\n")[0] + b"\n"
        _, size, root = text.decode().split("\n")[:3]
        size, root = int(size), base64.b64decode(root)
        if int(old.removeprefix("old ")) != self.size:
            return 409, b"%d\n" % self.size
        if self.size and not grew(self.size, self.root, size, root, map(base64.b64decode, path)):
            return 422, b""
        self.size, self.root = size, root
        now = int(time.time())
        signature = self.key.sign(b"cosignature/v1\ntime %d\n" % now + text)
        return 200, ("\u2014 %s %s\n" % (self.name, base64.b64encode(self.id + struct.pack(">Q", now) + signature).decode())).encode()


def timestamp(folder, checkpoint):
    """The recipe with an authority made on the spot."""
    def openssl(*words):
        return subprocess.run(["openssl", *map(str, words)], capture_output=True, cwd=folder)

    (folder / "tsa.cnf").write_text(
        "[tsa]\ndefault_tsa=it\n[it]\nserial=serial\nsigner_digest=sha256\ndefault_policy=1.2.3.4\ndigests=sha256\n"
        "[req]\ndistinguished_name=dn\n[dn]\n[ext]\nextendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature\n")
    (folder / "serial").write_text("01\n")
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "tsa.key", "-out", "tsa.pem", "-subj", "/CN=tsa",
            "-config", "tsa.cnf", "-extensions", "ext")
    openssl("ts", "-query", "-data", checkpoint, "-sha256", "-cert", "-out", "tsq")
    openssl("ts", "-reply", "-queryfile", "tsq", "-signer", "tsa.pem", "-inkey", "tsa.key", "-config", "tsa.cnf", "-out", "tsr")
    good = openssl("ts", "-verify", "-data", checkpoint, "-in", "tsr", "-CAfile", "tsa.pem")
    check(good.returncode == 0, "openssl ts refuses: " + good.stderr.decode())
    check(openssl("ts", "-verify", "-data", "vkey", "-in", "tsr", "-CAfile", "tsa.pem").returncode != 0, "the timestamp is of anything")


def syslog(folder, log):
    """One record over a local socket, and its hash."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(str(folder / "dev-log"))
    listener.settimeout(20)
    line = kist("tail", log, "-n", 1, "--json")
    subprocess.run(["logger", "--rfc5424", "--socket", folder / "dev-log", "--tag", "kist-audit", "--size", "65600"], input=line, check=True)
    message = listener.recv(70_000)
    check(message.endswith(line.rstrip(b"\n")), "syslog changed the record")


def main():
    with tempfile.TemporaryDirectory(prefix="kist-") as folder:
        folder = pathlib.Path(folder)
        log = folder / "log"
        vkey = subprocess.run([sys.executable, HERE / "lib/make_audit_log.py", log, "1"], check=True, capture_output=True, text=True).stdout.strip()
        (folder / "vkey").write_text(vkey + "\n")
        (segment,) = log.glob("*.log")
        lines = segment.read_bytes().split(b"\n")
        notes = [place for place, line in enumerate(lines) if line == b"kist.test/audit"]
        old, new, lines_file = folder / "october", folder / "november", folder / "lines"
        old.write_bytes(b"\n".join(lines[notes[20]:notes[20] + 5]) + b"\n")
        new.write_bytes(kist("checkpoint", log, "--key", vkey))

        ours, theirs = Witness("witness.example.org/kist"), Witness("witness.example.net/w1")
        policy = folder / "policy"
        policy.write_text(f"witness ours {ours.vkey}\nwitness theirs {theirs.vkey}\ngroup both all ours theirs\nquorum both\n")
        options = ["--key", vkey, "--witnesses", policy]
        cosigned = folder / "cosigned"
        for witness in (ours, theirs):
            status, _ = witness.add_checkpoint(b"old 0\n\n" + old.read_bytes())
            check(status == 200, "first contact")
            growth = kist("prove", log, "--from", old, "--checkpoint", new, "--key", vkey)
            status, answer = witness.add_checkpoint(growth)
            check(status == 200, "a witness refuses the growth: %d" % status)
            check(witness.add_checkpoint(growth)[0] == 409, "the witness takes it twice")
            lines_file.write_bytes(answer)
            before = cosigned if witness is theirs else new
            cosigned_bytes = kist("cosign", before, lines_file, *options, code=0 if witness is theirs else 5)
            cosigned.write_bytes(cosigned_bytes)
        good = kist("verify", log, "--checkpoint", cosigned, "--json", *options)
        check(b'"newer_records":0' in good, "records are unwitnessed")
        kist("verify", log, "--checkpoint", new, *options, code=5)
        proof = folder / "proof"
        proof.write_bytes(kist("prove", log, 17, "--checkpoint", cosigned, "--key", vkey))
        kist("verify", proof, *options)
        # Another witness of the same name is nobody.
        lines_file.write_bytes(Witness(ours.name).add_checkpoint(b"old 0\n\n" + new.read_bytes())[1])
        kist("cosign", new, lines_file, *options, code=1)

        timestamp(folder, new)
        syslog(folder, log)
        print("good: two witnesses of a quorum, an RFC 3161 timestamp, a record over syslog")


main()
