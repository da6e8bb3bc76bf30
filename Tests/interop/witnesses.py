#!/usr/bin/env python3
"""packaging/witness: what the witness refuses to sign, and that kist-cosign keeps a good checkpoint whatever is lost, late or wrong on the way.

usage: witnesses.py [BUILD]   (default: the debug build of this checkout)
"""
import base64, hashlib, http.server, os, pathlib, socket, subprocess, sys, tempfile, threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE / "lib"))
from witness import Handler, Log, Refused, Witness, has_grown  # noqa: E402

BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/debug").resolve()
NAME = "witness.example.org/kist"


def check(condition, what):
    if not condition:
        sys.exit(f"witnesses: {what}")


def kist(*words, code=0):
    done = subprocess.run([BUILD / "kist", "audit", *map(str, words)], capture_output=True)
    check(done.returncode == code, f"{words[0]}: {done.returncode} {done.stderr.decode()}")
    return done.stdout


def tree(leaves):
    """RFC 6962, 2.1: straight from the definition, beside what is tested."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256(b"").digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + tree(leaves[:split]) + tree(leaves[split:])).digest()


def proof(old, leaves, whole=True):
    """RFC 6962, 2.1.2."""
    if old == len(leaves):
        return [] if whole else [tree(leaves)]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    if old <= split:
        return [*proof(old, leaves[:split], whole), tree(leaves[split:])]
    return [*proof(old - split, leaves[split:], False), tree(leaves[:split])]


def check_growth():
    """Every growth up to 40 leaves, and that nothing else is one."""
    leaves = [hashlib.sha256(bytes([number])).digest() for number in range(40)]
    other = [hashlib.sha256(leaf).digest() for leaf in leaves]
    for new in range(1, 41):
        for old in range(1, new + 1):
            path, before, after = proof(old, leaves[:new]), (old, tree(leaves[:old])), (new, tree(leaves[:new]))
            check(has_grown(before, after, path), f"{old} to {new} is refused")
            wrong = [(before, after, [*path, bytes(32)]), ((old, tree(other[:old])), after, path), (before, (new, tree(other[:new])), path)]
            wrong += [(before, after, path[:place] + [bytes(32)] + path[place + 1:]) for place in range(len(path))]
            wrong += [(before, after, path[:-1])] if path else []
            for case in wrong:
                check(not has_grown(*case), f"{old} to {new} is taken with {case}")


class Box:
    """A log of many checkpoints, and a forked one under the same key."""

    def __init__(self, folder):
        self.folder, self.log = folder, folder / "log"
        made = subprocess.run([sys.executable, HERE / "lib/make_audit_log.py", self.log, "1"], check=True, capture_output=True, text=True)
        self.vkey = made.stdout.strip()
        (folder / "vkey").write_text(self.vkey + "\n")
        (segment,) = self.log.glob("*.log")
        lines = segment.read_bytes().split(b"\n")
        self.notes = [b"\n".join(lines[place:place + 5]) + b"\n" for place, line in enumerate(lines) if line == b"kist.test/audit"]
        self.newest = kist("checkpoint", self.log, "--key", self.vkey)

    def witness(self, place, name=NAME):
        (self.folder / place).mkdir(exist_ok=True)
        return Witness(self.folder / place, name, [Log.of(self.vkey)])

    def growth(self, old, new):
        (self.folder / "old").write_bytes(old)
        (self.folder / "new").write_bytes(new)
        return kist("prove", self.log, "--from", self.folder / "old", "--checkpoint", self.folder / "new", "--key", self.vkey)


def refused(witness, body, status, what):
    kept = sorted((path.name, path.read_bytes()) for path in witness.directory.iterdir())
    try:
        check(not witness.answer(body), f"signed: {what}")
    except Refused as refusal:
        check(refusal.status == status, f"{what}: {refusal.status} {refusal}")
    check(sorted((path.name, path.read_bytes()) for path in witness.directory.iterdir()) == kept, f"{what}: something was kept")


def check_refusals(box):
    witness = box.witness("refusals")
    first, second, third = box.notes[20], box.notes[30], box.notes[40]
    head, signature = first.split(b"\n\n")
    for body, status, what in (
        (b"", 400, "nothing"), (first, 400, "no old size"), (b"old 0\n" + first, 400, "no empty line"), (b"old 0\n\n" + head + b"\n\n", 400, "no signature"),
        (b"old 0\n\n" + first[:-1], 400, "no newline"), (b"old 00\n\n" + first, 400, "a zero in front"), (b"old -1\n\n" + first, 400, "a sign"),
        ("old \u0661\n\n".encode() + first, 400, "a digit of another script"), (b"old 99999999\n\n" + first, 400, "shrunk"), (b"new 0\n\n" + first, 400, "another word"),
        (b"old 0\n" + b"A" * 43 + b"=\n" * 64 + b"\n" + first, 400, "a proof too long"), (b"old 0\nAAAA\n\n" + first, 400, "a short hash"),
        (b"old 0\n" + b"A" * 42 + b"B=\n\n" + first, 400, "base64 with bits left over"), (b"\xff\n\n" + first, 400, "no UTF-8"),
        (b"old 0\n\n" + first.replace(b"kist.test/audit", b"kist.test/other"), 404, "another log"),
        (b"old 0\n\n" + head + b"\n\n" + signature.replace(b"kist.test", b"kist.tesu"), 403, "another signer"),
        (b"old 0\n\n" + head.replace(b"\n", b"\n1", 1) + b"\n\n" + signature, 403, "another size"),
        (b"old 0\n" + base64.b64encode(bytes(32)) + b"\n\n" + first, 422, "a proof of nothing"),
    ):
        refused(witness, body, status, what)
    witness.answer(b"old 0\n\n" + first)
    good = box.growth(first, second)
    refused(witness, b"old 0\n\n" + second, 409, "history from the beginning")
    refused(witness, box.growth(second, third), 409, "growth from what it has not signed")
    lines = good.split(b"\n")
    refused(witness, b"\n".join([lines[0], base64.b64encode(bytes(32)), *lines[2:]]), 422, "a wrong proof")
    refused(witness, b"\n".join([lines[0], *lines[2:]]), 422, "a proof cut short")
    # What it signed it knows again after a restart, and signs anew for a log at rest.
    witness = box.witness("refusals")
    check(witness.answer(box.growth(first, first)) != "", "the same again")
    witness.answer(good)
    refused(witness, good, 409, "the same growth twice")
    check((witness.directory / "key").stat().st_mode & 0o777 == 0o600, "others may read the key")


def check_race(box):
    """Of two growths from the same checkpoint one is signed, whoever comes first."""
    witness = box.witness("race")
    witness.answer(b"old 0\n\n" + box.notes[20])
    signed = []
    growths = [box.growth(box.notes[20], box.notes[place]) for place in (30, 40, 50, 60)]

    def ask(body):
        try:
            signed.append(witness.answer(body))
        except Refused as refusal:
            check(refusal.status == 409, str(refusal))

    threads = [threading.Thread(target=ask, args=(body,)) for body in growths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(len(signed) == 1, f"{len(signed)} growths were signed")


class Server:
    """A witness behind HTTP that can be told to sign and say nothing."""

    def __init__(self, witness):
        outer = self

        class Told(Handler):
            def reply(self, status, text, kind="text/plain"):
                if not outer.is_silent:
                    super().reply(status, text, kind)

            def log_message(self, *_):
                pass

        Told.witness, self.is_silent = witness, False
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Told)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/kist"

    def raw(self, request):
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as one:
            one.sendall(request)
            return one.recv(4096).split(b" ")[1]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def check_http(server):
    post = b"POST /kist/%s HTTP/1.1\r\nHost: w\r\nContent-Length: %s\r\n\r\n"
    for request, status in (
        (b"GET /kist/add-checkpoint HTTP/1.1\r\n\r\n", b"501"), (post % (b"sign", b"0"), b"404"), (post % (b"add-checkpoint", b"65537"), b"413"),
        (post % (b"add-checkpoint", b"-1"), b"413"), (post % (b"add-checkpoint", b"0" * 10 + b"999999999"), b"413"), (b"POST /add-checkpoint HTTP/1.1\r\n\r\n", b"413"), (post % (b"add-checkpoint", b"0"), b"400"),
    ):
        check(server.raw(request) == status, f"{request}: not {status}")


def check_cosign(box):
    state, run = box.folder / "state", box.folder / "run"
    state.mkdir()
    run.mkdir()
    ours, theirs = Server(box.witness("cosign-ours")), Server(box.witness("cosign-theirs", "witness.example.net/w1"))
    check_http(ours)
    policy = box.folder / "policy"
    names = [f"witness {name} {Witness(box.folder / place, whole, []).vkey}\n"
             for name, place, whole in (("a", "cosign-ours", NAME), ("b", "cosign-theirs", "witness.example.net/w1"))]
    environment = dict(os.environ, PATH=f"{BUILD}:{os.environ['PATH']}", RUNTIME_DIRECTORY=str(run))
    shown = [box.notes[20]]

    # What the log's newest checkpoint is, the test says.
    kist_of_the_test = box.folder / "bin"
    kist_of_the_test.mkdir()
    (kist_of_the_test / "kist").write_text(f'#!/bin/sh\n[ "$2" = checkpoint ] && exec cat {box.folder}/shown\nexec {BUILD}/kist "$@"\n')
    (kist_of_the_test / "kist").chmod(0o755)
    environment["PATH"] = f"{kist_of_the_test}:{environment['PATH']}"

    def cosign(place, code=0, quorum="all"):
        shown[0] = box.notes[place]
        (box.folder / "shown").write_bytes(shown[0])
        policy.write_text("".join(names) + f"group g {quorum} a b\nquorum g\n")
        words = [ROOT / "packaging/witness/kist-cosign", state, box.log, box.folder / "vkey", policy, ours.url, theirs.url]
        done = subprocess.run(words, capture_output=True, text=True, env=environment)
        check(done.returncode == code, f"kist-cosign: {done.returncode} {done.stderr}")
        told = (run / "cosign.prom").read_text().splitlines()[-1]
        check(told.startswith("kist_cosigned_timestamp_seconds "), told)
        return done.stderr, int(told.split()[1])

    def signatures():
        return (state / "cosigned").read_bytes().count(b"\xe2\x80\x94 witness.example")

    theirs.is_silent = True
    said, when = cosign(20, code=5)
    check("did not sign" in said and when == 0 and not (state / "cosigned").exists(), f"one silent witness: {said}")
    # It signed without saying so; the log goes on, and so does it.
    theirs.is_silent = False
    _, when = cosign(30)
    check(signatures() == 2 and when > 0, "an answer that was lost is not made up for")
    ours.is_silent = True
    for place in (31, 32, 33):
        cosign(place, code=5)
    check((state / "cosigned").read_bytes().startswith(box.notes[30].split(b"\n\n")[0]), "a checkpoint without its quorum replaced a good one")
    # One of two is enough for another policy; the other has signed 31 and then nothing, since it was asked from 30 on.
    cosign(34, quorum="any")
    ours.is_silent = False
    cosign(35)
    check(signatures() == 2 and not list((state / "witnesses").glob("*.*")), "what was lost is left over")
    # A log that is shorter, or another, is told as such.
    said, _ = cosign(25, code=1)
    check("fewer records than the older checkpoint" in said, said)
    theirs.stop()
    said, _ = cosign(36, code=5)
    check(theirs.url in said and "curl's exit code 7" in said, said)
    ours.stop()


def main():
    check_growth()
    with tempfile.TemporaryDirectory(prefix="kist-") as folder:
        box = Box(pathlib.Path(folder))
        check_refusals(box)
        check_race(box)
        check_cosign(box)
    print("good: 820 growths and what is none, refusals, a race, lost answers, a quorum that is missed")


main()
