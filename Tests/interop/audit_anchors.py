#!/usr/bin/env python3
"""The anchors of docs/AUDIT.md, played through: two witnesses, an RFC 3161 authority of OpenSSL's, syslog.

The witnesses are packaging/witness: they check growth with their own code and sign with Python's cryptography; kist must take their lines, and only theirs.

usage: audit_anchors.py [BUILD]   (default: the debug build of this checkout)
"""
import pathlib, socket, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lib"))
from witness import Log, Refused, Witness  # noqa: E402

BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / ".build/debug")


def kist(*words, code=0):
    done = subprocess.run([BUILD / "kist", "audit", *map(str, words)], capture_output=True)
    check(done.returncode == code, "%s: %d %s" % (words[0], done.returncode, done.stderr.decode()))
    return done.stdout


def check(condition, what):
    if not condition:
        sys.exit("audit_anchors: " + what)


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

        def witness_called(name, place):
            (folder / place).mkdir()
            return Witness(folder / place, name, [Log.of(vkey)])

        ours, theirs = witness_called("witness.example.org/kist", "ours"), witness_called("witness.example.net/w1", "theirs")
        policy = folder / "policy"
        policy.write_text(f"witness ours {ours.vkey}\nwitness theirs {theirs.vkey}\ngroup both all ours theirs\nquorum both\n")
        options = ["--key", vkey, "--witnesses", policy]
        cosigned = folder / "cosigned"
        for witness in (ours, theirs):
            witness.answer(b"old 0\n\n" + old.read_bytes())
            growth = kist("prove", log, "--from", old, "--checkpoint", new, "--key", vkey)
            lines_file.write_text(witness.answer(growth))
            try:
                check(not witness.answer(growth), "the witness takes it twice")
            except Refused as refusal:
                check(refusal.status == 409, str(refusal))
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
        lines_file.write_text(witness_called(ours.name, "another").answer(b"old 0\n\n" + new.read_bytes()))
        kist("cosign", new, lines_file, *options, code=1)

        timestamp(folder, new)
        syslog(folder, log)
        print("good: two witnesses of a quorum, an RFC 3161 timestamp, a record over syslog")


main()
