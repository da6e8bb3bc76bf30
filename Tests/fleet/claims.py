"""kistd's side of claims.sock (proto/FLEET.md, section 3), written from the specification; and a kist-claimd to go with it."""

import os
import socket
import struct
import subprocess
import threading
import time

from process import PATIENCE, Process, eventually

NONE = bytes(32)
# Under which hosts without keys claim: [hash of its check value].
KEY = [b"\1" * 32]
TODAY = int(time.time()) // 86400


class Held:
    """What an answer says of one claim."""

    def __init__(self, ours, age, retry, host):
        self.ours, self.age, self.retry, self.host = ours, age, retry, host


class Daemon:
    """A kistd that has no keys: it listens, says its name, asks."""

    def __init__(self, place, host):
        self.host, self.path, self.run = host, place / (host + "-claims.sock"), os.urandom(8)
        self.lock = threading.Condition()
        self.peer, self.state, self.answers, self.next = None, None, {}, 1
        self.listener = socket.socket(socket.AF_UNIX)
        self.path.unlink(missing_ok=True)
        self.listener.bind(str(self.path))
        self.listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            name = self.host.encode()
            peer.sendall(struct.pack(">IBB", 10 + len(name), 1, 2) + self.run + name)
            with self.lock:
                self.peer, self.state = peer, None
            self._read(peer)
            with self.lock:
                self.peer, self.state = None, None
                for ask in self.answers:
                    self.answers[ask] = self.answers[ask] or "away"
                self.lock.notify_all()
            peer.close()

    def _read(self, peer):
        stream = peer.makefile("rb")
        try:
            while True:
                head = stream.read(4)
                if len(head) < 4:
                    return
                (length,) = struct.unpack(">I", head)
                body = stream.read(length)
                if len(body) < length:
                    return
                with self.lock:
                    self._take(body[0], body[1:])
                    self.lock.notify_all()
        except OSError:
            return

    def _take(self, kind, body):
        if kind == 5:
            assert body in (b"\0", b"\1"), body
            self.state = body == b"\1"
            return
        assert self.state is not None, "the state is not the first frame"
        (ask,) = struct.unpack(">Q", body[:8])
        assert self.answers.get(ask, "none") is None, "an answer to nothing, or a second one: %d" % ask
        if kind == 4:
            assert len(body) == 8
            self.answers[ask] = "away"
            return
        assert kind == 3, kind
        (count,) = struct.unpack(">H", body[8:10])
        rest, held = body[10:], []
        for _ in range(count):
            holder, age, retry, length = struct.unpack(">BQ32sB", rest[:42])
            assert holder in (1, 2)
            held.append(Held(holder == 1, age, retry, rest[42:42 + length].decode()))
            rest = rest[42 + length:]
        assert not rest
        self.answers[ask] = held

    def claim(self, claims, anyway=False):
        """Asks for [(claim, retry digest, day)]; returns what is held, or None if the store is away.

        With `anyway` it asks although the state says that nobody is to.
        """
        with self.lock:
            if self.peer is None or not (self.state or anyway):
                return None
            ask, self.next = self.next, self.next + 1
            self.answers[ask] = None
            body = struct.pack(">BQ", 2, ask) + KEY[0] + struct.pack(">H", len(claims)) + b"".join(claim + retry + struct.pack(">I", day) for claim, retry, day in claims)
            try:
                self.peer.sendall(struct.pack(">I", len(body)) + body)
            except OSError:
                return None
            self.lock.wait_for(lambda: self.answers[ask] is not None, PATIENCE)
            held = self.answers[ask]
        assert held is not None, "an ask without any answer: %d" % ask
        if held == "away":
            return None
        assert len(held) == len(claims)
        return held

    def claim_one(self, claim, retry=NONE, day=TODAY, **options):
        held = self.claim([(claim, retry, day)], **options)
        return held and held[0]

    def claim_all_soon(self, claims):
        """Asks until the store answers."""
        return eventually("the store of %s answers" % self.host, lambda: self.claim(claims))

    def claim_soon(self, claim, retry=NONE, day=TODAY):
        return self.claim_all_soon([(claim, retry, day)])[0]

    def close(self):
        # A thread that waits in accept is woken by nothing else.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.lock:
            if self.peer:
                self.peer.shutdown(socket.SHUT_RDWR)


class Claimd(Process):
    """A kist-claimd as a process of its own, on the host that this is, or in a namespace with a clock of its own."""

    def __init__(self, program, place, name, socket_path, store, partitions="", credentials=(), namespace=(), environment=()):
        self.folder = place / ("claimd-" + name)
        super().__init__(self.folder)
        self.folder.mkdir(exist_ok=True)
        self.status = self.folder / "status.json"
        self.configuration = self.folder / "claimd.toml"
        self.configuration.write_text('[kistd]\nsocket = "%s"\n\n[store]\ncredential = "store"\n%s\n%s\n[status]\nfile = "%s"\n'
                                      % (socket_path, store, partitions, self.status))
        self.configuration.chmod(0o644)
        for credential, text in dict(credentials).items():
            (self.folder / credential).write_text(text)
            (self.folder / credential).chmod(0o600)
        self.words = [*namespace, program, "--config", self.configuration]
        self.environment = {"CREDENTIALS_DIRECTORY": self.folder, **dict(environment)}

    def start(self):
        return self.launch(*self.words, **self.environment)

    def call(self, *words):
        environment = {name: str(value) for name, value in self.environment.items()}
        return subprocess.run([*self.words, *words], env={**os.environ, **environment}, capture_output=True, text=True, check=False)
