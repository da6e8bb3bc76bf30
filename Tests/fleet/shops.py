"""Real kistd on two hosts of a fleet: sandboxes with the same keys, each with a log, a clock and a cable of its own."""

import hashlib
import json
import os
import pathlib
import secrets
import shutil
import subprocess
import sys

import claims
import page
from clock import Clock
from process import Process, at_last, eventually, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "clients/python/src"))
import kist  # pylint: disable=wrong-import-position

CONFIGURATION = '[fleet]\nhost = "%s"\nkey = "fleet/claims-2026"\nuser = "root"\nsocket = "%s/run/claims.sock"\nhome_keys = ["codes/hotp"]\n' \
    '\n[[merchant]]\nidentifier = "merchant.com.example.envelopes"\nenvelope_key = "envelopes/2026"\nenvelope_one_use = true\n'
LOCAL = '\n[[merchant]]\nidentifier = "merchant.com.example.sandbox"\nclaims = "local"\n'
POLICY = '[[grant]]\nid = "codes"\nusers = [%d]\noperations = ["list-keys", "sign-otp", "verify-otp"]\nkeys = ["codes/*"]\nstages = true\nrate = "1000/s"\n' \
    '[[grant]]\nid = "envelopes"\nusers = [%d]\noperations = ["list-keys", "tokenise", "open-envelope"]\nkeys = ["envelopes/*"]\nrelease = ["dpan"]\n' \
    'stages = true\nrate = "1000/s"\n'


class Shop(Process):
    """A host: its directory, its kistd and its kist-claimd."""

    def __init__(self, fleet, host):
        self.build, self.directory, self.host = fleet.build, fleet.place / host, host
        super().__init__(self.directory)
        self.clock = Clock(fleet.place, host)
        fleet.network.add_host(host)
        self.claimd = fleet.claimd(host, self.directory / "run/claims.sock", namespace=fleet.network.words_inside(host), environment=self.clock.environment)
        fleet.others.append(self)

    def make(self, place):
        """A sandbox with the key under which keys travel, and with keys of one-time codes, those by counter at home here."""
        (place / "fleet.toml").write_text(CONFIGURATION % (self.host, self.directory))
        (place / "codes.toml").write_text(POLICY % (os.getuid(), os.getuid()))
        run(self.build / "kist", "sandbox", "init", "--config", place / "fleet.toml", "--policy", place / "codes.toml", self.directory)
        self.start()
        exchange = place / "exchange"
        exchange.write_text(secrets.token_hex(32) + "\n")
        self.kist("key", "import", exchange, "--label", "fleet/exchange", "--role", "key-exchange")
        for role in ("otp-totp", "otp-hotp"):
            self.kist("key", "generate", "--label", "codes/" + role[4:], "--role", role)
        self.kist("key", "generate", "--label", "envelopes/2026", "--role", "sealing")
        self.stop()

    def copy(self, other):
        """The same keys; as of a backup that is restored here, but with a log that goes on apart, and another home for its codes."""
        shutil.copytree(other.directory, self.directory, ignore=shutil.ignore_patterns("*.sock", "log"))
        self.configure(str(other.directory), str(self.directory), '"%s"' % other.host, '"%s"' % self.host, 'home_keys = ["codes/hotp"]\n', "")

    def configure(self, *words):
        """Puts every second one in the place of the one before it."""
        file = self.directory / "kist.toml"
        text = file.read_text()
        for old, new in zip(words[::2], words[1::2]):
            text = text.replace(old, new)
        file.write_text(text)

    def claim_under(self, old, new):
        """Claims under another key, from a restart on."""
        self.stop()
        self.configure(old, new)
        self.start()

    def open_locally(self, is_local):
        """Whether the merchant is served while the store is away."""
        file = self.directory / "kist.toml"
        file.write_text(file.read_text().replace(LOCAL, "") + (LOCAL if is_local else ""))
        run(self.build / "kistd", "--config", self.directory / "kist.toml", "--reload", self.process.pid, env={**os.environ, **self.clock.environment})

    def start(self):
        self.launch(self.build / "kistd", "--config", self.directory / "kist.toml", **self.clock.environment)
        eventually("kistd of %s serves" % self.host, self.serves)

    def serves(self):
        if self.process.poll() is not None:
            raise RuntimeError("kistd of %s ended" % self.host)
        try:
            with self.client() as client:
                client.ping()
            return True
        except kist.KistError:
            return False

    def is_ready(self):
        """Whether tokens can be opened."""
        try:
            with self.client() as client:
                client.ready()
            return True
        except kist.Busy:
            return False

    @property
    def environment(self):
        return {**os.environ, "KIST_SANDBOX": str(self.directory)}

    def client(self):
        return kist.Client("unix:%s/run/kist.sock" % self.directory, timeout=30)

    def open(self, token, retry_key=b""):
        """How one request ends, and the sequence of its record if the token is opened."""
        try:
            with self.client() as client:
                return "opened", client.open_payment_token(token, retry_key=retry_key).audit_sequence
        except kist.Rejected:
            return "rejected", None
        except kist.Busy:
            return "busy", None
        except (kist.Disconnected, kist.Timeout, kist.Unreachable):
            return "lost", None

    def open_soon(self, token, retry_key=b""):
        """The same, once the store answers."""
        def answer():
            ended = self.open(token, retry_key)
            return ended[0] != "busy" and ended

        return eventually("the store of %s answers" % self.host, answer)

    def status(self):
        """What kist fleet status --json prints, which fails while the store is away."""
        words = [self.build / "kist", "fleet", "status", "--json"]
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False).stdout

    def kist(self, *words):
        return run(self.build / "kist", *words, env=self.environment)

    def token(self, *words):
        return kist.Token.from_apple(run(self.build / "kist", "sandbox", "token", "--dir", self.directory, *words))

    def records(self, operation="open-payment-token", *words):
        """Those of an operation by their sequence; the log is verified first."""
        self.kist("audit", "verify", str(self.directory / "audit"), "--key", str(self.directory / "audit.vkey"))
        lines = self.kist("audit", "show", "--op", operation, *words, "--json").splitlines()
        return {record["seq"]: record for record in map(json.loads, lines)}


class Shops:
    """Two of them, which share a merchant; their keys travel as docs/FLEET.md says."""

    def __init__(self, fleet):
        self.fleet = fleet
        self.one, self.two = (Shop(fleet, host) for host in ("paris-1", "paris-2"))
        self.one.make(fleet.place)
        self.two.copy(self.one)
        for shop in self:
            shop.start()
            shop.claimd.start()
        self.follow("Keys", self.one, "kist key generate")
        self.follow("Keys", self.one, "kist key export")
        self.follow("Keys", self.two, "kist key import")
        check = json.loads(self.one.kist("key", "show", "fleet/claims-2026", "--json"))["kcv"]
        fleet.primary.sql("SELECT kist.change_key('%s', interval '0')" % check, "kist")
        fleet.primary.sql("UPDATE kist.fleet_key SET since = '-infinity'", "kist")
        self.claim_as(check)
        self.rest()
        # Both fail while the store is away, which it may be for a moment on a busy machine.
        (fleet.place / "paris-2.json").write_text(at_last(lambda: self.two.kist("fleet", "status", "--json")))
        at_last(lambda: self.follow("Looking after it", self.one))

    @staticmethod
    def claim_as(check):
        """Has the hosts without keys claim under the key with this check value, too."""
        claims.KEY[0] = hashlib.sha256(bytes.fromhex(check)).digest()

    def __iter__(self):
        return iter((self.one, self.two))

    def follow(self, section, shop, containing=""):
        page.follow(section, self.fleet.place, self.fleet.build, containing, KIST_SANDBOX=shop.directory)

    def rest(self):
        for shop in self:
            eventually("tokens of %s can be opened" % shop.host, shop.is_ready)

    def records(self, *words):
        """{host: {sequence: record}}"""
        return {shop.host: shop.records(*words) for shop in self}

    def stop(self):
        for shop in self:
            shop.stop()
