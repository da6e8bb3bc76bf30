"""The provider for OpenSSL against a real daemon: programs that know nothing of Kist sign, and make TLS connections, with keys that they do not have."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import datetime
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from kist.testing import Sandbox

PROVIDER = pathlib.Path(__file__).parents[2] / "openssl"
POLICY = f"""
[[grant]]
id = "tls"
users = [{os.getuid()}]
operations = ["list-keys", "describe-key", "sign"]
keys = ["tls/*"]

[[grant]]
id = "seen"
users = [{os.getuid()}]
operations = ["list-keys", "describe-key"]
keys = ["seen/*"]
"""
CONFIGURATION = """
openssl_conf = init
[init]
providers = providers
[providers]
default = openssl
kist = kist
[openssl]
activate = 1
[kist]
activate = 1
module = {module}
"""
PSS = ("-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:-1")
#: Client and server in memory: the version of TLS, the files of certificate and key of both, and how many handshakes.
HANDSHAKE = """
import ssl, sys
version, certificate, key, count = sys.argv[1:5]
version = ssl.TLSVersion[version]
server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
client.check_hostname = False
server.verify_mode = ssl.CERT_REQUIRED
for context in (server, client):
    context.load_cert_chain(certificate, key)
    context.load_verify_locations(certificate)
    context.minimum_version = context.maximum_version = version
def handshake():
    a, b, c, d = (ssl.MemoryBIO() for _ in range(4))
    sides = {client.wrap_bio(a, b): (b, c), server.wrap_bio(c, d, server_side=True): (d, a)}
    for _ in range(8):
        for side, (out, other) in sides.items():
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                pass
            other.write(out.read())
    assert all(side.version() for side in sides)
    assert list(sides)[1].getpeercert()["serialNumber"] == "07"
"""
ONCE = HANDSHAKE + "handshake()\n"
THREADED = HANDSHAKE + "import concurrent.futures as f\nwith f.ThreadPoolExecutor(8) as pool: [one.result() for one in [pool.submit(handshake) for _ in range(int(count))]]\n"
FORKED = (
    HANDSHAKE
    + "import os\nhandshake()\nchildren = [os.fork() for _ in range(1)]\nhandshake()\nif children[0]: assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 0\n"
)
#: After a line of input it tries again, which has to fail at first.
KILLED = HANDSHAKE + "handshake()\nprint('up', flush=True)\ninput()\ntry: handshake()\nexcept ssl.SSLError as error: print('away', flush=True)\ninput()\nhandshake()\n"


def reference(text: str) -> str:
    return f"-----BEGIN KIST KEY-----\n{base64.encodebytes(text.encode()).decode()}-----END KIST KEY-----\n"


def self_signed(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> str:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 7, now - datetime.timedelta(1), now + datetime.timedelta(9))
    signed = builder.add_extension(x509.BasicConstraints(True, None), True).sign(key, hashes.SHA256())
    return signed.public_bytes(Encoding.PEM).decode()


@dataclass(frozen=True)
class Stage:
    sandbox: Sandbox
    place: pathlib.Path
    module: pathlib.Path

    @property
    def environment(self) -> dict[str, str]:
        """In which OpenSSL loads the provider, as openssl.cnf of a machine would say it."""
        sections = CONFIGURATION.format(module=self.module)
        (self.place / "openssl.cnf").write_text(sections)
        more = {"OPENSSL_CONF": f"{self.place}/openssl.cnf", "KIST_ENDPOINT": self.sandbox.endpoint}
        if self.module.parent.name == "sanitized":
            library = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout.strip()
            more |= {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"}
        return {**os.environ, **more}

    def add(self, label: str, role: str, key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> None:
        merchant = {"merchant_identifier": "merchant.com.example.sandbox"} if role == "merchant-identity-rsa" else {}
        self.sandbox.import_key(label, role, key.private_bytes(Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption()), **merchant)
        name = label.replace("/", "-")
        self.write(f"{name}.key", reference(f"kist:{label}"))
        self.write(f"{name}.crt", self_signed(key))
        self.write(f"{name}.pub", key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode())

    def write(self, name: str, text: str) -> None:
        (self.place / name).write_text(text)

    def openssl(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["openssl", *words], cwd=self.place, env=self.environment, capture_output=True, text=True)

    def sign(self, key: str, *options: str) -> subprocess.CompletedProcess[str]:
        self.write("message", "hello")
        return self.openssl("dgst", "-sign", key, *options, "-out", "signature", "message")

    def python(self, text: str, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-c", text, *words], cwd=self.place, env=self.environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def built() -> pathlib.Path:
    subprocess.run(["make", "--silent", "tests"], cwd=PROVIDER, check=True)
    return PROVIDER / "build"


@pytest.fixture(scope="module", params=["kist.so", "sanitized/kist.so"])
def stage(request: pytest.FixtureRequest, built: pathlib.Path, program: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with Sandbox(program=program, policy=POLICY) as sandbox:
        stage = Stage(sandbox, tmp_path_factory.mktemp("openssl"), built / request.param)
        stage.add("tls/rsa", "merchant-identity-rsa", rsa.generate_private_key(65537, 2048))
        stage.add("tls/p256", "signing-ecdsa", ec.generate_private_key(ec.SECP256R1()))
        stage.add("tls/p384", "signing-ecdsa", ec.generate_private_key(ec.SECP384R1()))
        stage.add("seen/rsa", "signing-rsa", rsa.generate_private_key(65537, 2048))
        yield stage


@pytest.mark.parametrize(
    "key, options",
    [("rsa", ("-sha256",)), ("rsa", ("-sha384",)), ("rsa", ("-sha512",)), ("rsa", ("-sha256", *PSS)), ("rsa", ("-sha384", *PSS)), ("rsa", ("-sha512", *PSS)),
     *((curve, (hash,)) for curve in ("p256", "p384") for hash in ("-sha256", "-sha384", "-sha512"))],
)  # fmt: skip
def test_signatures(stage: Stage, key: str, options: Sequence[str]) -> None:
    done = stage.sign(f"tls-{key}.key", *options)
    assert done.returncode == 0, done.stderr
    verified = stage.openssl("dgst", "-verify", f"tls-{key}.pub", *options, "-signature", "signature", "message")
    assert verified.stdout == "Verified OK\n", verified.stderr
    stage.write("message", "hellp")
    assert stage.openssl("dgst", "-verify", f"tls-{key}.pub", *options, "-signature", "signature", "message").returncode == 1


@pytest.mark.parametrize(
    "key, options, said",
    [("tls-rsa", ("-sha1",), "no such signature"), ("tls-rsa", ("-sha3-256",), "no such signature"), ("tls-p256", ("-sha1",), "no such signature"),
     ("tls-p384", ("-sha3-256",), "no such signature"), ("tls-rsa", ("-sha256", *PSS[:2], "-sigopt", "rsa_pss_saltlen:20"), "salt of another length"),
     ("tls-rsa", ("-sha256", "-sigopt", "rsa_padding_mode:x931"), "a padding"), ("tls-rsa", ("-sha256", *PSS, "-sigopt", "rsa_mgf1_md:sha512"), "MGF1"),
     ("seen-rsa", ("-sha256",), "sign: denied (audit record ")],
)  # fmt: skip
def test_refused(stage: Stage, key: str, options: Sequence[str], said: str) -> None:
    done = stage.sign(f"{key}.key", *options)
    assert done.returncode == 1 and said in done.stderr, done.stderr


BROKEN = {
    "no text": "", "no scheme": "tls/rsa", "no label": "kist:", "pattern": "kist:tls/*", "another": "kist:tls/r?a", "option": "kist:tls/rsa;user=root",
    "scheme": "kist:tls/rsa;endpoint=tcp:127.0.0.1", "nobody": "kist:tls/rsa;endpoint=unix:/nowhere", "unknown": "kist:tls/none", "zero": "kist:tls/rsa\0",
    "secret": "kist:merchant/sandbox/processing-ec", "long": "kist:" + "a" * 508, "longer": "kist:" + "a" * 5000,
}  # fmt: skip


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_reference(stage: Stage, text: str) -> None:
    stage.write("broken.key", reference(text))
    assert stage.sign("broken.key", "-sha256").returncode == 1
    done = stage.python("import ssl, sys; ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain('tls-rsa.crt', 'broken.key')")
    assert done.returncode == 1 and "ssl.SSLError" in done.stderr and "Sanitizer" not in done.stderr, done.stderr


@pytest.mark.parametrize("cut", range(1, 80, 7))
def test_a_reference_that_is_cut(stage: Stage, cut: int) -> None:
    stage.write("broken.key", reference("kist:tls/rsa")[:-cut])
    done = stage.sign("broken.key", "-sha256")
    # What the last line has after "-----END " is not looked at.
    assert done.returncode == (0 if cut <= len("KIST KEY-----\n") else 1) and "Sanitizer" not in done.stderr, done.stderr


@pytest.mark.parametrize("size", [*range(508, 516), 2000])
@pytest.mark.parametrize("width", [1, 3, 127, 4000])
def test_a_long_reference_on_lines_of_any_width(stage: Stage, size: int, width: int) -> None:
    digits = base64.b64encode(b"kist:tls/none;" + b"a" * (size - 14)).decode()
    lines = [digits[at : at + width] for at in range(0, len(digits), width)]
    stage.write("broken.key", "\n".join(["-----BEGIN KIST KEY-----", *lines, "-----END KIST KEY-----", ""]))
    done = stage.sign("broken.key", "-sha256")
    assert done.returncode == 1 and "Sanitizer" not in done.stderr and "smashing" not in done.stderr, done.stderr


@pytest.mark.parametrize("version", ["TLSv1_2", "TLSv1_3"])
@pytest.mark.parametrize("key", ["rsa", "p256", "p384"])
def test_tls(stage: Stage, version: str, key: str) -> None:
    done = stage.python(ONCE, version, f"tls-{key}.crt", f"tls-{key}.key", "1")
    # Before 1.3 OpenSSL takes SHA-256 for each curve.
    assert done.returncode == 0, done.stderr


@contextlib.contextmanager
def server(stage: Stage, version: str, scheme: str) -> Iterator[str]:
    """OpenSSL's own, which answers one connection whose client signs by this scheme and has the certificate of tls-rsa; its address."""
    words = ["s_server", version, "-accept", "127.0.0.1:0", "-cert", "tls-p256.crt", "-key", "tls-p256.key", "-Verify", "1", "-verify_return_error"]
    words += ["-CAfile", "tls-rsa.crt", "-client_sigalgs", scheme, "-naccept", "1", "-www"]
    with subprocess.Popen(["openssl", *words], cwd=stage.place, env=stage.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout
        try:
            yield next(line.split()[1] for line in process.stdout if line.startswith("ACCEPT "))
            process.wait(60)
        finally:
            process.kill()


@pytest.mark.parametrize(
    "version, scheme",
    [("-tls1_2", "RSA+SHA256"), ("-tls1_2", "RSA-PSS+SHA256"), ("-tls1_2", "RSA+SHA512"), ("-tls1_3", "RSA-PSS+SHA256"), ("-tls1_3", "RSA-PSS+SHA384")],
)  # fmt: skip
def test_a_client_certificate_by_the_scheme_that_the_server_takes(stage: Stage, version: str, scheme: str) -> None:
    with server(stage, version, scheme) as address:
        asked = ["s_client", version, "-connect", address, "-cert", "tls-rsa.crt", "-key", "tls-rsa.key", "-CAfile", "tls-p256.crt", "-ign_eof"]
        done = subprocess.run(["openssl", *asked], cwd=stage.place, env=stage.environment, input="GET / HTTP/1.0\r\n\r\n", capture_output=True, text=True, timeout=60)
        assert "HTTP/1.0 200 ok" in done.stdout, done.stdout + done.stderr


def test_curl(stage: Stage) -> None:
    stage = dataclasses.replace(stage, module=PROVIDER / "build/kist.so")  # curl hangs under the sanitizer, also without the provider
    with server(stage, "-tls1_3", "RSA-PSS+SHA256") as address:
        asked = ["curl", "--silent", "--show-error", "--insecure", "--max-time", "30", "--cert", "tls-rsa.crt", "--key", "tls-rsa.key", f"https://{address}/"]
        done = subprocess.run(asked, cwd=stage.place, env=stage.environment, capture_output=True, text=True, timeout=60)
        assert "TLSv1.3" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("text", [THREADED, FORKED], ids=["threads", "forked"])
def test_one_context_shared(stage: Stage, text: str) -> None:
    done = stage.python(text, "TLSv1_3", "tls-rsa.crt", "tls-rsa.key", "64")
    assert done.returncode == 0, done.stderr


def test_certificate_of_another_key(stage: Stage) -> None:
    done = stage.python(ONCE, "TLSv1_3", "seen-rsa.crt", "tls-rsa.key", "1")
    assert done.returncode == 1 and "KEY_VALUES_MISMATCH" in done.stderr, done.stderr


def test_other_keys_and_blocks(stage: Stage) -> None:
    """Keys in files serve as before, and a reference may stand behind a certificate in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    stage.write("file.key", key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode())
    stage.write("file.crt", self_signed(key))
    both = (stage.place / "tls-rsa.crt").read_text() + (stage.place / "tls-rsa.key").read_text()
    stage.write("both.pem", both)
    for words in (("file.crt", "file.key"), ("both.pem", "both.pem")):
        done = stage.python(ONCE, "TLSv1_3", *words, "1")
        assert done.returncode == 0, done.stderr


def test_no_private_key_comes_out(stage: Stage) -> None:
    for form in ("PEM", "DER"):
        done = stage.openssl("pkey", "-in", "tls-rsa.key", "-outform", form, "-out", "out")
        assert done.returncode == 1 and not (stage.place / "out").read_bytes(), done.stdout
    public = stage.openssl("pkey", "-in", "tls-rsa.key", "-pubout")
    assert public.stdout == (stage.place / "tls-rsa.pub").read_text(), public.stderr


def test_a_daemon_that_is_killed_and_comes_back(stage: Stage) -> None:
    words = [sys.executable, "-c", KILLED, "TLSv1_3", "tls-rsa.crt", "tls-rsa.key", "1"]
    with subprocess.Popen(words, cwd=stage.place, env=stage.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin and program.stdout
        for word, step in (("up", stage.sandbox.kill), ("away", stage.sandbox.start)):
            assert program.stdout.readline().strip() == word
            step()
            print("go on", file=program.stdin, flush=True)
        assert program.wait() == 0
