"""A Debian machine with systemd as PID 1, in a container."""

import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import time

#: nspawn's own list of system calls lacks these, which kistd cannot do without, nor kist doctor.
CALLS = "memfd_secret seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self @keyring adjtimex clock_adjtime"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Failure(Exception):
    """A step of the test that did not go as it must."""


class Answer:
    """How a command ended, and what it said."""

    def __init__(self, words, code, text):
        self.words, self.code, self.text = words, code, text

    def __str__(self):
        return f"{self.words}: exit code {self.code}\n{self.text}"


class Machine:
    def __init__(self, folder, archive):
        """Unpacks the root file system `archive` into a new `folder`."""
        self.root, self._log = folder, open(folder.with_suffix(".log"), "wb")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        subprocess.run(["tar", "--extract", "--numeric-owner", "--xattrs", "--file", archive, "--directory", folder], check=True)
        self._container = self._leader = None
        #: The words of each custodian's share, once they share the key store.
        self.sheets = {}

    def boot(self):
        self._container = subprocess.Popen(
            ["systemd-nspawn", "--quiet", f"--directory={self.root}", "--register=no", "--keep-unit", "--private-network", "--machine=kist-system-test",
             "--capability=CAP_IPC_LOCK", f"--system-call-filter={CALLS}", "--boot"], stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        self._leader = until("systemd runs", self._find_leader)
        until("the machine has booted", lambda: self.run("systemctl is-system-running", code=None).text.strip() in ("running", "degraded"))

    def power_off(self):
        if self._leader:
            os.kill(self._leader, signal.SIGRTMIN + 4)
        else:
            self._container.kill()
        try:
            self._container.wait(60)
        except subprocess.TimeoutExpired:
            self._container.kill()
            self._container.wait()
        self._container = None

    def close(self):
        if self._container:
            self.power_off()
        self._log.close()

    def run(self, command, user="root", code=0, patience=60):
        """Runs a line of shell as this user, with nothing to read; fails unless it ends with `code` (None for any)."""
        words = self._words(command, user)
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=patience)
        except subprocess.TimeoutExpired as late:
            raise Failure(f"{user}: {command}: no end within {patience} s\n{(late.stdout or b'').decode()}") from None
        return self._checked(Answer(f"{user}: {command}", done.returncode, done.stdout.decode()), code)

    def start(self, command, user="root"):
        """Starts a line of shell as this user; its output is the process's."""
        return subprocess.Popen(self._words(command, user), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def type(self, command, lines, user="root", code=0, patience=60):
        """Runs it on a terminal, and types one of `lines` at each prompt."""
        lines = list(lines)
        child, terminal = pty.fork()
        if child == 0:
            os.execvp("nsenter", self._words(command, user))
        shown, end = b"", time.monotonic() + patience
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                try:
                    shown += os.read(terminal, 4096)
                except OSError:
                    break
            elif lines and re.search(rb": ?\Z", shown):
                os.write(terminal, lines.pop(0).encode() + b"\n")
                shown += b"\n"
        else:
            os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        os.close(terminal)
        return self._checked(Answer(f"{user}: {command}", os.waitstatus_to_exitcode(status), shown.decode()), code)

    def status(self):
        """What systemctl status says of the daemon."""
        return self.run("systemctl status --no-pager --full kistd", code=None).text

    def put(self, path, text, mode=0o644):
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(mode)

    def _words(self, command, user):
        words = ["nsenter", "--target", str(self._leader), "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--root", "--wd"]
        words += ["env", "-i", f"PATH={PATH}", "LANG=C.UTF-8", "TERM=dumb", "DEBIAN_FRONTEND=noninteractive"]
        if user != "root":
            words += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--inh-caps=-all"]
        return words + ["bash", "-c", command]

    @staticmethod
    def _checked(answer, code):
        if code is not None and answer.code != code:
            raise Failure(f"{answer}\nexpected exit code {code}")
        return answer

    def _find_leader(self):
        """The container's PID 1 among the descendants of nspawn."""
        if self._container.poll() is not None:
            raise Failure(f"systemd-nspawn ended; see {self._log.name}")
        rest = [self._container.pid]
        while rest:
            process = rest.pop()
            try:
                namespaces = re.search(r"^NSpid:\s+(.*)$", pathlib.Path(f"/proc/{process}/status").read_text(), re.M).group(1).split()
                if len(namespaces) > 1 and namespaces[-1] == "1" and "systemd" in pathlib.Path(f"/proc/{process}/comm").read_text():
                    return process
                rest += map(int, pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split())
            except FileNotFoundError:
                continue
        return None


def until(what, holds, patience=60):
    """Waits until `holds` gives something true, and returns that."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if found := holds():
            return found
        time.sleep(0.1)
    raise Failure(f"not within {patience} s: {what}")


def expect(condition, what):
    if not condition:
        raise Failure(str(what))
