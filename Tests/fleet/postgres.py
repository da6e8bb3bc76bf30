"""PostgreSQL as a fleet has it: a primary and a synchronous standby, each in a network namespace of its own, with TLS."""

import os
import pathlib
import shutil
import signal
import subprocess

from clock import Clock
from network import Cables
from process import Process, eventually, run

BINARIES = pathlib.Path(subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True, check=True).stdout.strip())
USER = "postgres"
# The hosts' own side, then each server's: its link to the hosts, and that to the other server.
ADDRESSES = {"one": ("10.231.1.1", "10.231.1.2", "10.231.3.1"), "two": ("10.231.2.1", "10.231.2.2", "10.231.3.2")}

SETTINGS = """
listen_addresses = '*'
unix_socket_directories = '{folder}'
port = 5432
ssl = on
ssl_cert_file = '{folder}/server.crt'
ssl_key_file = '{folder}/server.key'
wal_level = replica
max_wal_senders = 8
max_connections = 90
shared_buffers = 16MB
# A killed process loses nothing that the kernel has.
fsync = off
autovacuum = off
synchronous_standby_names = '*'
synchronous_commit = on
primary_conninfo = 'host={other} user=replicator'
wal_retrieve_retry_interval = 200ms
log_line_prefix = '%m [%p] %a '
"""
ACCESS = """
local   all         all                       trust
hostssl kist        kist_claimd,kist_owner,kist_weak all  scram-sha-256
host    replication replicator  10.231.3.0/24 trust
"""


class Network(Cables):
    """Cables between the hosts, which are in this process's namespace or behind it, and the servers."""

    def __init__(self):
        super().__init__()
        self.hosts = 0
        for name, (near, far, _) in ADDRESSES.items():
            self.lay(name, near, far)
        self.inside("one", "ip", "link", "add", "other", "type", "veth", "peer", "name", "other", "netns", "two")
        for name, (_, _, between) in ADDRESSES.items():
            self.inside(name, "ip", "address", "add", between + "/24", "dev", "other")
            self.inside(name, "ip", "link", "set", "other", "up")

    def add_host(self, name):
        """A namespace of a host's own, so that the host can be cut off alone."""
        self.hosts += 1
        self.lay(name, "10.231.%d.1" % (9 + self.hosts), "10.231.%d.2" % (9 + self.hosts))

    def part_servers(self, parted):
        self.inside("one", "ip", "link", "set", "other", "down" if parted else "up")


class Certificates:
    KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")

    def __init__(self, folder):
        self.folder = folder
        # They are valid for a host whose clock is behind, too.
        self.clock = Clock(folder, "certificates")
        self.clock.set(-3600)
        for name, subject in (("ca", "test CA"), ("other", "another CA")):
            self._openssl("req", "-x509", *self.KEY, "-days", "2", "-subj", "/CN=" + subject, "-keyout", folder / (name + ".key"), "-out", folder / (name + ".crt"))

    def make(self, server):
        extension = self.folder / "san"
        extension.write_text("subjectAltName=IP:%s\n" % ADDRESSES[server.name][1])
        request = self.folder / "request"
        self._openssl("req", *self.KEY, "-subj", "/CN=" + server.name, "-keyout", server.folder / "server.key", "-out", request)
        self._openssl("x509", "-req", "-in", request, "-CA", self.folder / "ca.crt", "-CAkey", self.folder / "ca.key", "-days", "2",
                      "-extfile", extension, "-out", server.folder / "server.crt")
        for name in ("server.key", "server.crt"):
            shutil.chown(server.folder / name, USER, USER)
        (server.folder / "server.key").chmod(0o600)

    def _openssl(self, *words):
        run("openssl", *words, env={**os.environ, **self.clock.environment})


class Server(Process):
    def __init__(self, name, place, certificates, network):
        super().__init__(place / name)
        self.name, self.certificates, self.network = name, certificates, network
        self.folder = place / name
        self.data = self.folder / "data"
        self.folder.mkdir()
        shutil.chown(self.folder, USER, USER)
        certificates.make(self)
        self.clock = Clock(place, name)

    @property
    def address(self):
        return ADDRESSES[self.name][1]

    def as_user(self, *words):
        return ["setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups", "env", "-C", str(self.folder), *map(str, words)]

    def _configure(self):
        other = next(addresses[2] for name, addresses in ADDRESSES.items() if name != self.name)
        (self.data / "postgresql.conf").write_text(SETTINGS.format(folder=self.folder, other=other))
        (self.data / "pg_hba.conf").write_text(ACCESS)

    def make(self):
        run(*self.as_user(BINARIES / "initdb", "--auth=trust", "--no-sync", "--no-instructions", "--username=postgres", self.data))
        self._configure()

    def copy(self, primary):
        """Becomes a new standby of another server, whatever it was before."""
        self.kill()
        shutil.rmtree(self.data, ignore_errors=True)
        between = ADDRESSES[primary.name][2]
        self.network.inside(self.name, *self.as_user(BINARIES / "pg_basebackup", "--no-sync", "--checkpoint=fast", "--write-recovery-conf",
            "--pgdata", self.data, "--dbname", "host=%s user=replicator" % between))
        self._configure()
        (self.data / "postgresql.auto.conf").write_text("")
        self.start()

    def start(self):
        self.launch(*self.network.words_inside(self.name), *self.as_user(BINARIES / "postgres", "-D", self.data), **self.clock.environment)
        eventually(self.name + " takes connections", self.is_up)

    def is_up(self):
        return subprocess.run([BINARIES / "pg_isready", "--quiet", "--host", self.folder, "--username", "postgres"], check=False).returncode == 0

    def kill(self):
        """kill -9, for all of its processes."""
        super().kill()
        # Its children have sessions of their own.
        for child in self._children():
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        eventually("%s is gone" % self.name, lambda: not self._children())
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def _children(self):
        """Its processes: those whose working directory is the data directory."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if os.readlink(entry / "cwd") == str(self.data):
                        found.append(int(entry.name))
                except OSError:
                    pass
        return found

    def sql(self, query, database="postgres", user="postgres"):
        """The answer's rows, with '|' between values."""
        return self._psql(database, "--tuples-only", "--no-align", "--username", user, "--command", query).strip()

    def script(self, text, database):
        self._psql(database, "--username", "postgres", input=text)

    def _psql(self, database, *words, **options):
        # What a test does to a server does not wait for the standby.
        return run("env", "PGOPTIONS=-c synchronous_commit=local", "psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--host", self.folder,
                   "--dbname", database, *words, **options)

    def has_standby(self):
        return self.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'") == "1"
