"""What else keeps keys out of a process, from Debian; none of them writes an audit record."""

import base64
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import time

import programs

SOFTHSM = pathlib.Path("/usr/lib/softhsm/libsofthsm2.so")
MODULES = pathlib.Path("/usr/lib") / (os.uname().machine + "-linux-gnu") / "pkcs11"
P11_CLIENT = MODULES / "p11-kit-client.so"


class Peers:
    """Those that are there, until the with statement ends; `skipped` says what is not."""

    def __init__(self, folder, none=False):
        self.folder = folder
        self.skipped = []
        self.processes = []
        self.agent = self.softhsm = self.p11_kit = None
        if none:
            return self._skip("all peers: not wanted")
        self.agent = self._start_agent()
        self.softhsm = self._make_token()
        self.p11_kit = self._serve_token() if self.softhsm else None

    def measure(self, operation, seconds):
        if self.agent and operation == "sign-p256":
            for clients in (1, 8):
                yield ("ssh-agent", operation, f"{clients}x1"), programs.measure("raw", "ask", *self.agent, seconds, clients, 1, self.processes[0].pid)
        if not self.softhsm or operation not in ("sign-p256", "ecdh", "seal-1k"):
            return
        for threads in (1, 2):
            yield ("softhsm", operation, str(threads)), programs.measure("pkcs11", SOFTHSM, operation, seconds, threads, environment=self.softhsm)
        for clients in (1, 8):
            measured = self._through_p11_kit(operation, seconds, clients) if self.p11_kit else None
            if measured:
                yield ("p11-kit", operation, f"{clients}x1"), measured

    def _start_agent(self):
        """(socket, file of a request to sign, code of the reply)"""
        if not shutil.which("ssh-agent"):
            return self._skip("ssh-agent: not installed (openssh-client)")
        place, key, frame = (self.folder / name for name in ("agent.sock", "agent-key", "agent.frame"))
        subprocess.run(["ssh-keygen", "-q", "-t", "ecdsa", "-b", "256", "-N", "", "-f", key], check=True)
        self.processes.append(subprocess.Popen(["ssh-agent", "-D", "-a", place], stdout=subprocess.DEVNULL))
        _await(place)
        subprocess.run(["ssh-add", "-q", key], env=dict(os.environ, SSH_AUTH_SOCK=str(place)), check=True)
        blob = base64.b64decode((self.folder / "agent-key.pub").read_text().split()[1])
        body = b"\x0d" + _string(blob) + _string(bytes(32)) + bytes(4)  # SSH2_AGENTC_SIGN_REQUEST
        frame.write_bytes(_string(body))
        return place, frame, 14  # SSH2_AGENT_SIGN_RESPONSE

    def _make_token(self):
        """The environment in which SoftHSM has the token."""
        if not SOFTHSM.exists() or not (programs.BUILD / "pkcs11").exists():
            return self._skip("SoftHSM2: not installed (softhsm2, p11-kit, libp11-kit-dev)")
        (self.folder / "tokens").mkdir()
        configuration = self.folder / "softhsm2.conf"
        configuration.write_text(f"directories.tokendir = {self.folder}/tokens\nobjectstore.backend = file\nlog.level = ERROR\n")
        environment = dict(os.environ, SOFTHSM2_CONF=str(configuration))
        words = ["softhsm2-util", "--init-token", "--free", "--label", "bench", "--pin", "1234", "--so-pin", "1234"]
        subprocess.run(words, env=environment, check=True, capture_output=True)
        subprocess.run([programs.BUILD / "pkcs11", SOFTHSM, "prepare"], env=environment, check=True)
        return environment

    def _serve_token(self):
        """The environment in which p11-kit's client finds its server."""
        if not P11_CLIENT.exists():
            return self._skip("p11-kit server: not installed (p11-kit, p11-kit-modules)")
        place = self.folder / "p11.sock"
        words = ["p11-kit", "server", "--foreground", "--provider", SOFTHSM, "--name", place, "pkcs11:token=bench"]
        self.processes.append(subprocess.Popen(words, env=self.softhsm, stdout=subprocess.DEVNULL))
        _await(place)
        return dict(os.environ, P11_KIT_SERVER_ADDRESS=f"unix:path={place}")

    def _through_p11_kit(self, operation, seconds, clients):
        """One process and one connection for each client, since its client library has but one; the server forks for each."""
        words = [programs.BUILD / "pkcs11", P11_CLIENT, operation, str(seconds), "1"]
        for _ in range(8):  # Client library and server fail now and then while several connect at once.
            before = _ended_children(self.processes[-1].pid)
            running = [subprocess.Popen(words, env=self.p11_kit, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(clients)]
            outputs = [process.communicate() for process in running]
            if not any(process.returncode for process in running):
                used = _ended_children(self.processes[-1].pid) - before
                return programs.together([programs.parsed(output) for output, _ in outputs], used)
        why = outputs[0][1].strip() or "it ended without a word"
        if why.endswith(": 0x70"):  # CKR_MECHANISM_INVALID
            why += ", its protocol does not carry this mechanism"
        return self._skip(f"p11-kit server: {operation}: {why}")

    def _skip(self, line):
        if line not in self.skipped:
            self.skipped.append(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
            process.wait()


def _string(data):
    """RFC 4251, section 5."""
    return len(data).to_bytes(4, "big") + data


def _await(path):
    """Until somebody listens there."""
    until = time.monotonic() + 10
    while True:
        with socket.socket(socket.AF_UNIX) as one, contextlib.suppress(OSError):
            one.connect(str(path))
            return
        assert time.monotonic() < until, f"nobody listens at {path}"
        time.sleep(0.01)


def _ended_children(pid):
    """Seconds of user and system time of a process' children, once all have ended and were waited for."""
    until = time.monotonic() + 5
    while pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().strip() and time.monotonic() < until:
        time.sleep(0.005)
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
