"""A fleet: its store, and the hosts that claim there."""

import functools
import os
import sys
import time

import page
from checker import Ledger
from claims import NONE, TODAY, Claimd, Daemon
from shops import Shops
from postgres import ADDRESSES, Certificates, Network, Server
from process import eventually, expect, run

ISOLATED = "KIST_FLEET_ISOLATED"


def isolate():
    """Starts this program again where nobody else sees its network and its namespaces' names."""
    if os.geteuid() != 0:
        sys.exit("fleet: run as root: it makes network namespaces")
    if ISOLATED not in os.environ:
        os.environ[ISOLATED] = "1"
        os.execvp("unshare", ["unshare", "--net", "--mount", "--propagation", "private", sys.executable, *sys.argv])
    os.makedirs("/run/netns", exist_ok=True)
    run("mount", "-t", "tmpfs", "tmpfs", "/run/netns")


class Fleet:
    """A primary, a standby, and two hosts without keys; besides, if a test asks for them, two real ones."""

    def __init__(self, build, place):
        self.build, self.place = build, place
        self.ledger, self.others = Ledger(), []
        self.network = Network()
        self.certificates = Certificates(place)
        self.one, self.two = (Server(name, place, self.certificates, self.network) for name in ADDRESSES)
        self.primary = self.one
        self.one.make()
        self.one.start()
        self.one.sql("CREATE ROLE replicator REPLICATION LOGIN", "postgres")
        self.two.copy(self.one)
        eventually("the standby is synchronous", self.one.has_standby)
        page.follow("The store", place, build, PGHOST=self.one.folder, PGOPTIONS="-c synchronous_commit=local")
        # Again, as an administrator would by mistake.
        self.one.script(run(build / "kist-claimd", "--print-schema"), "kist")
        self.credentials = {"store": (place / "kist_claimd.pgpass").read_text(), "owner": (place / "kist_owner.pgpass").read_text()}
        self.hosts = {}
        for host in ("shop-1", "shop-2"):
            daemon = Daemon(place, host)
            self.hosts[host] = (daemon, self.claimd(host, daemon.path).start())
        for daemon, _ in self.hosts.values():
            eventually("the store is there for " + daemon.host, lambda daemon=daemon: daemon.state)

    def connection(self, role="kist_claimd", authority="ca", servers=("one", "two")):
        return 'connection = "host=%s dbname=kist user=%s sslrootcert=%s"' % (
            ",".join(ADDRESSES[server][1] for server in servers), role, self.certificates.folder / (authority + ".crt"))

    @functools.cached_property
    def shops(self):
        return Shops(self)

    def claimd(self, name, socket_path, store=None, password=None, **options):
        partitions = '[partitions]\n%s\ncredential = "owner"\n' % self.connection("kist_owner")
        credentials = {**self.credentials, "store": "*:*:*:*:%s\n" % password} if password else self.credentials
        store = store or self.connection() + '\nconnect_timeout = "1s"'
        claimd = Claimd(self.build / "kist-claimd", self.place, name, socket_path, store, partitions, credentials, **options)
        # Also where a test ends before it has ended what it started.
        self.others.append(claimd)
        return claimd

    @property
    def daemons(self):
        return [daemon for daemon, _ in self.hosts.values()]

    def claim(self, daemon, claim, retry=NONE, **options):
        """Asks once, and the store may be away: on a machine that is busy enough, any ask can be too slow."""
        held = daemon.claim_one(claim, retry, **options)
        self.ledger.note(daemon.host, claim, retry, held)
        return held

    def holder(self, daemon, claim, retry=NONE):
        """Asks until the store answers."""
        held = daemon.claim_soon(claim, retry=retry)
        self.ledger.note(daemon.host, claim, retry, held)
        return held

    def rest(self):
        """What a test begins with, whatever the one before it left: a standby, and a store that is there for both hosts."""
        eventually("the standby is synchronous", self.primary.has_standby)
        for daemon in self.daemons:
            daemon.claim_soon(os.urandom(32))

    def rows(self):
        """What the store has, markers among it; a test that claims something for two days takes a later one."""
        lines = self.primary.sql("SELECT encode(claim, 'hex'), host, encode(retry, 'hex') FROM kist.claim WHERE day < %d" % (TODAY + 2), "kist").splitlines()
        return {bytes.fromhex(claim): (host, bytes.fromhex(retry)) for claim, host, retry in (line.split("|") for line in lines)}

    def check(self):
        wrong = self.ledger.check(self.rows())
        expect(not wrong, "\n".join(wrong))

    @property
    def standby(self):
        return self.two if self.primary is self.one else self.one

    def fail_over(self, without_standby=lambda: None):
        """The primary is cut off and goes on, knowing of nothing, and the standby is promoted; then the old primary becomes its standby."""
        old, new = self.primary, self.standby
        self.network.cut_off(old.name, True)
        self.network.part_servers(True)
        page.follow("Fail-over", self.place, self.build, PGHOST=new.folder)
        time.sleep(1)
        self.primary = new
        self.network.part_servers(False)
        self.network.cut_off(old.name, False)
        without_standby()
        # Whatever it alone had is gone with it.
        old.copy(new)
        eventually("it is synchronous", new.has_standby)

    def stop(self):
        for daemon in self.daemons:
            daemon.close()
        for other in self.others:
            other.kill()
        for server in (self.one, self.two):
            server.kill()
