"""Starting and ending the sandbox daemon, in order and otherwise."""

from __future__ import annotations

import base64
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

import kist
import pytest
from kist.testing import Sandbox, SandboxError

SLEEPS = ("sh", "-c", "sleep 1000")


def test_started_twice(program: pathlib.Path) -> None:
    with Sandbox(program=program) as sandbox, sandbox.client() as client:
        sandbox.start()
        client.ping()
        assert client.describe().rehearsal
        sandbox.kill()
        sandbox.start()
        client.ping()


def test_a_daemon_that_ended_by_itself_is_started_again(program: pathlib.Path) -> None:
    with Sandbox(program=program) as sandbox, sandbox.client() as client:
        assert sandbox._daemon is not None and sandbox._daemon._process is not None
        os.kill(sandbox._daemon._process.pid, signal.SIGKILL)
        sandbox._daemon._process.wait()
        sandbox.start()
        client.ping()


def test_one_that_does_not_start(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", os.fspath(tmp_path))
    with pytest.raises(SandboxError, match="KIST_PROGRAM"):
        Sandbox(program=tmp_path / "nothing").start()
    assert list(tmp_path.iterdir()) == []


def test_one_that_takes_too_long(program: pathlib.Path) -> None:
    with Sandbox(program=program) as sandbox:
        sandbox.kill()
        sandbox._wrapper = SLEEPS
        with pytest.raises(SandboxError, match="did not start: it said nothing in time"):
            sandbox.start(timeout=0.5)
        with pytest.raises(ValueError, match="time-out"):
            sandbox.start(timeout=0)


def test_options_that_are_left_out(program: pathlib.Path) -> None:
    """False and None say what no option says; 0 says something."""
    with Sandbox(program=program) as sandbox, sandbox.client() as client:
        for options in ({"stale": False}, {"stale": None, "amount": None, "defect": None}, {"amount": 0}):
            client.verify_payment_token(sandbox.token(**options))
        assert client.open_payment_token(sandbox.token(stale=False, amount=0)).amount == 0
        with pytest.raises(kist.Rejected):
            client.verify_payment_token(sandbox.token(stale=True))


def test_settings_and_grants(program: pathlib.Path, tmp_path: pathlib.Path) -> None:
    files = [tmp_path / "one.toml", tmp_path / "two.toml"]
    for file in files:
        file.write_text(f'[[grant]]\nid = "{file.stem}"\nusers = [{os.getuid()}]\noperations = ["random"]\n')
    with Sandbox(program=program, config="[limits]\nconnections = 40\n", policy=files) as sandbox, sandbox.client() as client:
        assert [right.grant for right in client.who().rights][:2] == ["one", "two"]
        assert "connections = 40" in (sandbox.directory / "kist.toml").read_text()
    with Sandbox(program=program, config=_written(tmp_path, "[audit]\n"), policy=files[0]) as sandbox, sandbox.client() as client:
        assert client.who().rights[0].grant == "one"


def _written(folder: pathlib.Path, text: str) -> pathlib.Path:
    (folder / "settings.toml").write_text(text)
    return folder / "settings.toml"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"config": '\n[service]\nsocket = "/a"\n'}, r"config\.toml:3:1: 'socket' in \[service\] is the sandbox's own; leave it out"),
        ({"config": "[limits]\nconections = 4\n"}, r"config\.toml:2:1: unknown key 'conections'"),
        ({"policy": '[[grant]]\nid = "shop"\nusers = [1]\noperations = ["random"]\n'}, r"policy\.toml:2:6: 'id' is \"shop\" as at"),
        ({"policy": pathlib.Path("/none.toml")}, r"/none\.toml: cannot be read: No such file"),
    ],
)  # fmt: skip
def test_what_does_not_fit(program: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], why: str) -> None:
    monkeypatch.setattr(tempfile, "tempdir", os.fspath(tmp_path))
    with pytest.raises(SandboxError, match=why):
        Sandbox(program=program, **options).start()
    assert list(tmp_path.iterdir()) == []


def test_a_phone_and_the_networks(program: pathlib.Path) -> None:
    with Sandbox(program=program) as sandbox, sandbox.client() as client:

        def provision(request: dict[str, Any], name: str = "Bob") -> kist.ProvisionedPass:
            return client.provision_pass(
                certificates=[base64.b64decode(certificate) for certificate in request["certificates"]], nonce=base64.b64decode(request["nonce"]),
                nonce_signature=base64.b64decode(request["nonceSignature"]), configuration=kist.PassConfiguration.ACCOUNT_NUMBER,
                primary_account_number="4111111111111111", expiration="12/30", name=name, visa=kist.VisaInput(kist.VisaType.MBPAD),
                key=client.keys("issuer/visa/")[0].id,
            )  # fmt: skip

        request = sandbox.pass_request()
        assert list(request) == ["certificates", "nonce", "nonceSignature"] and sandbox.pass_request() != request
        made = provision(request)
        found = sandbox.pass_open(made)
        assert found["pass"]["name"] == "Bob" and found["pass"]["nonce"] == base64.b64decode(request["nonce"]).hex()
        assert found["activation"]["checked"] and found["activation"]["text"].startswith("pan=4111111111111111;expiry=1230;datetime=")

        octets = {"encryptedPassData": made.encrypted_pass_data, "ephemeralPublicKey": made.ephemeral_public_key, "activationData": b"another network's"}
        answer = {name: base64.b64encode(data).decode() for name, data in octets.items()}
        with pytest.raises(SandboxError, match="the network refuses activationData: it has neither"):
            sandbox.pass_open(answer)
        assert sandbox.pass_open(answer, unchecked=True)["activation"] == {"checked": False, "value": "another network's"}
        with pytest.raises(SandboxError, match="encryptedPassData does not open"):
            sandbox.pass_open({**answer, "ephemeralPublicKey": base64.b64encode(provision(request).ephemeral_public_key).decode()})
        for defect in ("other-root", "no-leaf-marker", "expired"):
            with pytest.raises(kist.Rejected):
                provision(sandbox.pass_request(defect=defect))
        with pytest.raises(SandboxError, match="nonce and nonceSignature"):
            sandbox.pass_open(provision(sandbox.pass_request(defect="bad-nonce-signature")))
        with pytest.raises(SandboxError, match="--defect takes one of"):
            sandbox.pass_request(defect="all")


def test_a_killed_pytest_leaves_no_daemon(program: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import time\n"
        "from kist.testing import Sandbox\n"
        "def test_it():\n"
        "    with Sandbox() as sandbox:\n"
        "        print('pid', sandbox._daemon._process.pid, flush=True)\n"
        "        time.sleep(1000)\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", os.fspath(tmp_path)]
    # What the killed one leaves goes with this directory; below tmp_path a socket's path could pass 107 bytes.
    with tempfile.TemporaryDirectory(prefix="kist-") as directory:
        environment = dict(os.environ) | {"KIST_PROGRAM": os.fspath(program), "TMPDIR": directory}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as session:
            assert session.stdout is not None
            said = ""
            while "pid " not in said:
                line = session.stdout.readline()
                assert line, said
                said += line
            daemon = int(said.split("pid ")[1])
            os.kill(daemon, 0)
            session.kill()
        for _ in range(500):
            if not is_running(daemon):
                return
            time.sleep(0.01)
        os.kill(daemon, signal.SIGKILL)
        pytest.fail("the daemon outlived the test run")


def is_running(process: int) -> bool:
    """A process that nobody has reaped yet has ended, too."""
    try:
        status = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
