#!/usr/bin/env python3
"""A small witness (C2SP tlog-witness): it signs a log's checkpoint if the log's key did, and if nothing that it signed before is missing from it.

usage: kist-witness.py DIRECTORY NAME LOG-VKEY... [--listen ADDRESS:PORT]      (default: 127.0.0.1:8467)

DIRECTORY keeps its key, made at the first start, and what it signed last.  NAME is what it signs as, such as witness.example.org/kist.
LOG-VKEY is the line that `kist audit key` prints.  Needs Python and Debian's python3-cryptography; runs on another machine than the log's,
behind a web server that does TLS, as a user of its own.
"""

import argparse
import base64
import binascii
import contextlib
import dataclasses
import hashlib
import http.server
import os
import pathlib
import struct
import sys
import threading
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

BODY_LIMIT, PROOF_LIMIT, PATIENCE = 1 << 16, 63, 10
RAW = serialization.Encoding.Raw
ED25519, COSIGNATURE = b"\1", b"\4"
TEXT, SIZE = "text/plain; charset=utf-8", "text/x.tlog.size"


class Refused(Exception):
    """A request that gets no signature, with its status and what the answer says."""

    def __init__(self, status, text, kind=TEXT):
        super().__init__(text)
        self.status, self.text, self.kind = status, text, kind


def node(left, right):
    """RFC 6962, 2.1."""
    return hashlib.sha256(b"\1" + left + right).digest()


def has_grown(old, new, proof):
    """Whether the tree `new` begins with the tree `old`, each with its size and root: RFC 9162, 2.1.4.2."""
    (old_size, old_root), (new_size, new_root) = old, new
    if old_size == new_size or old_size == 0:
        return not proof and (old_size == 0 or old_root == new_root)
    path = list(proof)
    if old_size & (old_size - 1) == 0:
        path.insert(0, old_root)
    if not path:
        return False
    first, second = old_size - 1, new_size - 1
    while first & 1:
        first, second = first >> 1, second >> 1
    before = after = path[0]
    for hashed in path[1:]:
        if second == 0:
            return False
        if first & 1 or first == second:
            before, after = node(hashed, before), node(hashed, after)
            while not first & 1 and first:
                first, second = first >> 1, second >> 1
        else:
            after = node(after, hashed)
        first, second = first >> 1, second >> 1
    return second == 0 and before == old_root and after == new_root


def key_id(name, kind, raw):
    """C2SP signed-note: the first four bytes of a hash."""
    return hashlib.sha256(name.encode() + b"\n" + kind + raw).digest()[:4]


def decoded(text):
    """Base64 in its one right form."""
    found = base64.b64decode(text, validate=True)
    if base64.b64encode(found).decode() != text:
        raise ValueError("base64 with bits left over")
    return found


def number(text):
    """A size in decimal, without signs or zeros in front."""
    if not (text.isascii() and text.isdecimal() and str(int(text[:20])) == text):
        raise ValueError(f"no size: {text[:20]}")
    return int(text)


@dataclasses.dataclass(frozen=True)
class Log:
    """A log that this witness knows: its origin, and the key that signs its checkpoints."""

    origin: str
    id: bytes
    key: Ed25519PublicKey

    @classmethod
    def of(cls, vkey):
        origin, digits, text = vkey.split("+", 2)
        raw = decoded(text)
        if raw[:1] != ED25519 or bytes.fromhex(digits) != key_id(origin, ED25519, raw[1:]):
            raise ValueError("not a verifier key of Ed25519")
        return cls(origin, bytes.fromhex(digits), Ed25519PublicKey.from_public_bytes(raw[1:]))

    def has_signed(self, text, lines):
        for line in lines:
            dash, name, signature = line.split(" ")
            blob = decoded(signature)
            if dash == "\u2014" and name == self.origin and blob[:4] == self.id:
                with contextlib.suppress(InvalidSignature):
                    self.key.verify(blob[4:], text)
                    return True
        return False


class Witness:
    def __init__(self, directory, name, logs):
        self.directory, self.name, self.logs = directory, name, {log.origin: log for log in logs}
        self.lock = threading.Lock()
        file = directory / "key"
        if not file.exists():
            made = Ed25519PrivateKey.generate()
            self.keep(file, made.private_bytes(RAW, serialization.PrivateFormat.Raw, serialization.NoEncryption()), 0o600)
        self.key = Ed25519PrivateKey.from_private_bytes(file.read_bytes())
        self.raw = self.key.public_key().public_bytes(RAW, serialization.PublicFormat.Raw)
        self.id = key_id(name, COSIGNATURE, self.raw)

    @property
    def vkey(self):
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(COSIGNATURE + self.raw).decode()}"

    def answer(self, body):
        """The signature line for a request to add a checkpoint.

        Raises: `Refused`, and then nothing is signed and nothing kept.
        """
        try:
            head, note = body.decode().split("\n\n", 1)
            old, *proof = head.split("\n")
            text, signatures = note.split("\n\n", 1)
            origin, size, root = text.split("\n")[:3]
            size, root, proof = number(size), decoded(root), [decoded(line) for line in proof]
            old = number(old.removeprefix("old ")) if old.startswith("old ") else -1
            if old < 0 or old > size or len(proof) > PROOF_LIMIT or {len(one) for one in [root, *proof]} != {32} or not signatures.endswith("\n"):
                raise ValueError("not a request to add a checkpoint")
            log = self.logs.get(origin)
            if log is None:
                raise Refused(404, "this witness does not know the log\n")
            if not log.has_signed(f"{text}\n".encode(), signatures[:-1].split("\n")):
                raise Refused(403, "the log's key did not sign this\n")
        except (ValueError, binascii.Error) as error:
            raise Refused(400, f"{error}\n") from None
        with self.lock:
            return self.signed(origin, old, (size, root), proof, f"{text}\n".encode())

    def signed(self, origin, old, new, proof, text):
        file = self.directory / f"{hashlib.sha256(origin.encode()).hexdigest()}.checkpoint"
        last = self.last(file)
        if old != last[0] or old == new[0] > 0 and last != new:
            raise Refused(409, f"{last[0]}\n", SIZE)
        if not has_grown(last, new, proof):
            raise Refused(422, "the proof does not show that the log has only grown\n")
        # Durable before anybody has the signature: after a crash it must not sign another history.
        self.keep(file, text, 0o644)
        now = int(time.time())
        signature = self.key.sign(f"cosignature/v1\ntime {now}\n".encode() + text)
        return f"\u2014 {self.name} {base64.b64encode(self.id + struct.pack('>Q', now) + signature).decode()}\n"

    @staticmethod
    def last(file):
        """Size and root of the checkpoint that was signed last; of an empty log if there is none."""
        if not file.exists():
            return 0, b""
        _, size, root = file.read_text().split("\n")[:3]
        return number(size), decoded(root)

    @staticmethod
    def keep(file, content, mode):
        new = file.with_suffix(".new")
        new.unlink(missing_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as writer:
            writer.write(content)
            writer.flush()
            os.fsync(writer.fileno())
        new.rename(file)
        folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = PATIENCE
    witness: Witness

    def do_POST(self):
        try:
            if not self.path.endswith("/add-checkpoint"):
                raise Refused(404, "there is only add-checkpoint here\n")
            length = self.headers.get("Content-Length", "")
            if not (length.isascii() and length.isdecimal() and len(length) < 10) or int(length) > BODY_LIMIT:
                raise Refused(413, f"a request has at most {BODY_LIMIT} bytes, and says how many\n")
            self.reply(200, self.witness.answer(self.rfile.read(int(length))))
        except Refused as refusal:
            self.reply(refusal.status, refusal.text, refusal.kind)

    def reply(self, status, text, kind=TEXT):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("name")
    parser.add_argument("logs", nargs="+", type=Log.of)
    parser.add_argument("--listen", default="127.0.0.1:8467")
    given = parser.parse_args()
    given.directory.mkdir(mode=0o700, exist_ok=True)
    address, port = given.listen.rsplit(":", 1)
    Handler.witness = Witness(given.directory, given.name, given.logs)
    print(Handler.witness.vkey, flush=True)
    http.server.ThreadingHTTPServer((address, int(port)), Handler).serve_forever()


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as problem:
        sys.exit(f"kist-witness: {problem}")
    except KeyboardInterrupt:
        sys.exit(0)
