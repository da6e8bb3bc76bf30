#!/usr/bin/env python3
"""Unattended unlocking as docs/UNLOCK.md has it, with a TPM in software: its commands and the units in packaging/systemd are run as they stand.

usage: tpm_unlock.py [BUILD]   (default: the debug build of this checkout)
"""
import contextlib, os, pathlib, re, shlex, socket, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/debug").resolve()
PAGE = (ROOT / "docs/UNLOCK.md").read_text()
UNIT = (ROOT / "packaging/systemd/kist-unseal@.service").read_text()


def check(condition, what):
    if not condition:
        sys.exit("tpm_unlock: " + what)


def run(*words, code=0, **options):
    done = subprocess.run([*map(str, words)], capture_output=True, **options)
    check(done.returncode == code, "%s: %d %s" % (words[0], done.returncode, done.stderr.decode()))
    return done.stdout


@contextlib.contextmanager
def software_tpm(folder):
    """A TPM of its own on a free port, and its name for tpm2-tools."""
    state = folder / "tpm"
    state.mkdir()
    # swtpm wants the port after its own for commands to itself.
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    where = "port=%d,bindaddr=127.0.0.1,disconnect" % port
    control = "type=tcp,port=%d,bindaddr=127.0.0.1" % (port + 1)
    tpm = subprocess.Popen(["swtpm", "socket", "--tpm2", "--tpmstate", "dir=%s" % state, "--server", "type=tcp," + where, "--ctrl", control,
                            "--flags", "not-need-init,startup-clear"])
    name = "swtpm:host=127.0.0.1,port=%d" % port
    try:
        for _ in range(200):
            if subprocess.run(["tpm2_getrandom", "--tcti", name, "1", "-o", "/dev/null"], capture_output=True).returncode == 0:
                break
            time.sleep(0.05)
        else:
            check(False, "swtpm does not answer")
        yield name
    finally:
        tpm.kill()
        tpm.wait()


def commands(word):
    """The indented block of the page that has this word."""
    blocks = re.findall(r"(?:^ {4}.*\n)+", PAGE, re.M)
    (block,) = [block for block in blocks if word in block]
    return "".join(line[4:] for line in block.splitlines(keepends=True))


def flush(tpm):
    """What the kernel's resource manager does for /dev/tpmrm0 between two commands."""
    for what in ("--transient-object", "--loaded-session"):
        subprocess.run(["tpm2_flushcontext", what], env={"PATH": os.environ["PATH"], "TPM2TOOLS_TCTI": tpm}, capture_output=True)


def unsealed(tpm, code=0):
    """What the unit gives to whom it serves."""
    flush(tpm)
    (line,) = re.findall(r"^ExecStart=(.*)$", UNIT, re.M)
    done = subprocess.run(shlex.split(line), capture_output=True, env={"TPM2TOOLS_TCTI": tpm})
    check((done.returncode == 0) == (code == 0), "tpm2_unseal: %d %s" % (done.returncode, done.stderr.decode()))
    return done.stdout


def start(folder, credential):
    """How a daemon that is handed this credential is, a second later at the most: its state, or the code that it ended with."""
    place = folder / "credentials"
    place.mkdir(exist_ok=True)
    (place / "kist-kek").write_bytes(credential)
    environment = {"SWIFT_BACKTRACE": "enable=no", "CREDENTIALS_DIRECTORY": str(place)}
    daemon = subprocess.Popen([BUILD / "kistd", "--config", folder / "kist.toml"], env=environment, stderr=subprocess.PIPE, text=True)
    try:
        for _ in range(400):
            status = subprocess.run([BUILD / "kist", "status", "--socket", folder / "admin.sock"], capture_output=True, text=True)
            if status.returncode == 0:
                return re.search(r"locked|serving", status.stdout).group()
            if daemon.poll() is not None:
                return daemon.returncode
            time.sleep(0.05)
        check(False, "kistd does not answer")
    finally:
        daemon.terminate()
        daemon.communicate()


def configure(folder):
    for name in ("audit", "policy.d"):
        (folder / name).mkdir(mode=0o700)
    policy = folder / "policy.d/10.toml"
    policy.write_text('[[grant]]\nid = "me"\nusers = [%d]\noperations = ["status"]\n' % os.getuid())
    policy.chmod(0o600)
    configuration = folder / "kist.toml"
    configuration.write_text(
        'state_directory = "%(f)s/state"\n[service]\nsocket = "%(f)s/kist.sock"\n[admin]\nsocket = "%(f)s/admin.sock"\n[policy]\ndirectory = "%(f)s/policy.d"\n'
        '[audit]\ndirectory = "%(f)s/audit"\norigin = "kist-test"\nreserve = "2MiB"\nlow_space = "1MiB"\n'
        '[memory]\narena_size = "16MiB"\nallow_mlock_fallback = true\n[unlock]\ncredential = "kist-kek"\n' % {"f": folder})
    configuration.chmod(0o600)


def main():
    with tempfile.TemporaryDirectory(prefix="kist-") as folder, software_tpm(pathlib.Path(folder)) as tpm:
        folder = pathlib.Path(folder)
        (folder / "state").mkdir(mode=0o700)
        configure(folder)
        run(BUILD / "kist", "keystore", "init", folder / "state", "--credential-out", folder / "kek", "--no-passphrase")
        kek = (folder / "kek").read_bytes()

        credential = folder / "encrypted"
        key = ("--name=kist-kek", "--with-key=tpm2", "--tpm2-device=" + tpm)
        run("systemd-creds", "encrypt", *key, folder / "kek", credential)
        check(kek not in credential.read_bytes(), "the credential is in clear")
        check(run("systemd-creds", "decrypt", *key[:1], key[2], credential, "-") == kek, "systemd gives back another key")
        check(start(folder, run("systemd-creds", "decrypt", *key[:1], key[2], credential, "-")) == "serving", "a credential of systemd's does not unlock")

        for command in commands("tpm2_createprimary").replace("/run/kist/kek", str(folder / "kek")).splitlines():
            flush(tpm)
            run("sh", "-c", command, cwd=folder, env={"PATH": os.environ["PATH"], "TPM2TOOLS_TCTI": tpm})
        check(not (folder / "kek").exists(), "the key is still there")
        check(unsealed(tpm) == kek, "the TPM gives back another key")
        check(start(folder, unsealed(tpm)) == "serving", "what the TPM gives does not unlock")

        run("tpm2_pcrextend", "--tcti", tpm, "7:sha256=" + "5a" * 32)
        nothing = unsealed(tpm, code=1)
        check(nothing == b"", "the TPM gives something in another state")
        check(start(folder, nothing) == 65, "the daemon starts without its credential")
        run("systemd-creds", "decrypt", *key[:1], key[2], credential, "-", code=1)
        check(start(folder, bytes(32)) == 65, "another key unlocks")
        check(start(folder, kek) == "serving", "the key itself does not unlock any more")
    print("good: unlocked by a systemd credential and by an object sealed in a TPM, and refused in another state")


main()
