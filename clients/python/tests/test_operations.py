"""Every operation against a real daemon, by both clients of this package."""

from __future__ import annotations

import asyncio
import hashlib
import os
import hmac
import inspect
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import kist
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from kist import Client, Opcode, Request, operations
from stage import SYMMETRIC, Stage

PAN = "4109370251004320"
MERCHANT = "merchant.com.acme"
carried_out: set[Opcode] = set()


class Blocking:
    """The two clients behind one face, so that every test is one for both."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return getattr(self._client, name)  # type: ignore[no-any-return]


class Looping:
    def __init__(self, client: kist.AsyncClient, loop: asyncio.AbstractEventLoop) -> None:
        self._client, self._loop = client, loop

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method: Callable[..., Coroutine[Any, Any, Any]] = getattr(self._client, name)
        return lambda *args, **kwargs: self._loop.run_until_complete(method(*args, **kwargs))


@pytest.fixture(params=["Client", "AsyncClient"])
def client(request: pytest.FixtureRequest, staged: Stage, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    frame = Request.frame

    def noted(self: Request[Any], number: int) -> bytearray:
        carried_out.add(self.opcode)
        return frame(self, number)

    monkeypatch.setattr(Request, "frame", noted)
    if request.param == "Client":
        with staged.sandbox.client() as blocking:
            yield Blocking(blocking)
        return
    loop = asyncio.new_event_loop()
    looping = staged.sandbox.async_client()
    yield Looping(looping, loop)
    loop.run_until_complete(looping.close())
    loop.close()


def test_general(client: Any, staged: Stage) -> None:
    client.ping()
    client.ready()
    description = client.describe()
    assert description.rehearsal and description.wire_version == 1
    named = {(operation.opcode, operation.name) for operation in description.operations}
    assert named >= {(opcode.value, opcode.name.lower().replace("_", "-")) for opcode in Opcode}
    assert [len(client.random(count)) for count in (1, 16, 1024)] == [1, 16, 1024]
    rights = client.who()
    assert rights.uid == os.getuid() and not rights.more
    assert any("who" in right.operations and right.keys for right in rights.rights)
    digests = {client.audit_digest(kist.DigestField.PAN, PAN), client.audit_digest(kist.DigestField.TRANSACTION, bytes(32))}
    assert len(digests) == 2 and all(digest.startswith("hmac-sha256:") and len(digest) == 76 for digest in digests)
    labels = [key.label for key in client.keys("test/")]
    assert labels == sorted(f"test/{name}" for name in staged.keys)
    page = client.list_keys("test/", "test/mac")
    assert [key.label for key in page.keys] == [label for label in labels if label > "test/mac"] and not page.more
    assert [key.label for key in client.keys("test/m", pattern="test/*")] == [label for label in labels if label.startswith("test/m")]
    assert client.find_key("test/hotp").id == staged.keys["hotp"]
    with pytest.raises(kist.SeveralKeys) as several:
        client.find_key("test/*")
    assert several.value.labels == labels and str(several.value) == f"'test/*' covers several keys: {', '.join(labels)}"
    with pytest.raises(kist.NoSuchKey, match="no key has the label 'test/none', or policy"):
        client.find_key("test/none")
    with pytest.raises(kist.Rejected):
        client.find_key("no pattern")
    for pattern, flaw in (("", "pattern is missing"), ("a" * 129, "pattern has 129 bytes; it takes at most 128")):
        with pytest.raises(kist.RequestError, match=flaw):
            client.find_key(pattern)
    key = client.describe_key(staged.keys["agreement"])
    assert (key.label, key.role, key.state, key.algorithm) == ("test/agreement", "agreement", "active", "P-256")
    assert hashlib.sha256(key.public_key).digest()[:16] == key.id
    otp = client.describe_key(staged.keys["hotp"]).otp
    assert otp == kist.OtpParameters(digits=6, hash=kist.OtpHash.SHA1, window=3, failures=3, lockout=60)


@pytest.mark.parametrize("version", ["EC_v1", "RSA_v1"])
def test_tokens(client: Any, staged: Stage, version: str) -> None:
    token = staged.sandbox.token(version=version, amount=1499, pan=PAN)
    now = time.time()
    assert abs(client.verify_payment_token(token) - now) < 300
    with pytest.raises(kist.Rejected) as unopened:
        client.open_payment_token(token, fields=[kist.ReleasedField.LAST4], required=[kist.ReleasedField.LAST4, kist.ReleasedField.DPAN])
    assert (unopened.value.stage, unopened.value.released_field) == ("not-released", kist.ReleasedField.DPAN)
    assert "(dpan)" in str(unopened.value)
    fields = [kist.ReleasedField.LAST4, kist.ReleasedField.DPAN, kist.ReleasedField.AMOUNT]
    with client.open_payment_token(token, fields=fields, required=fields[1:], currency="840", amount=1499) as opened:
        assert (opened.dpan.text(), opened.last4, opened.amount, opened.cryptogram) == (PAN, PAN[-4:], 1499, None)
        assert opened.audit_sequence is not None
        secret = opened.dpan
    assert secret == bytes(len(PAN))
    with pytest.raises(kist.Rejected) as replay:
        client.open_payment_token(token)
    assert replay.value.audit_sequence > opened.audit_sequence and replay.value.stage is None
    assert client.open_payment_token(staged.sandbox.token(version=version, amount=0)).amount == 0


def test_passes(client: Any, staged: Stage) -> None:
    made = client.provision_pass(
        certificates=staged.certificates, configuration=kist.PassConfiguration.ACCOUNT_NUMBER, nonce=b"nonce", nonce_signature=b"signature",
        primary_account_number=PAN, expiration="12/30", name="A. Card", key=staged.keys["visa"],
        visa=kist.VisaInput(kist.VisaType.MBPAC, authentication_code="abc123"),
    )  # fmt: skip
    peer = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), made.ephemeral_public_key)
    shared = staged.leaf.exchange(ec.ECDH(), peer)
    info = b"\x0did-aes256-GCM" + b"Apple" + made.ephemeral_public_key
    opened = AESGCM(hashlib.sha256(b"\0\0\0\1" + shared + info).digest()).decrypt(bytes(12), made.encrypted_pass_data, None)
    assert PAN.encode() in opened and made.activation_data.startswith(b"MBPAC-1-FK-123456.1--TDEA-") and made.audit_sequence
    trace = client.provision_trace(made.ephemeral_public_key, bytes(31) + b"\7", b"pass data")
    assert len(trace.other_info) == 84 and len(trace.encrypted_pass_data) == 9 + 16


def test_one_time_values(client: Any, staged: Stage) -> None:
    visa = client.sign_otp(staged.keys["visa"], visa=kist.VisaInput(kist.VisaType.MBPAC, b"nonce", "abc123"))
    assert visa.otp.text().startswith("MBPAC-1-FK-123456.1--TDEA-") and visa.counter is None
    value = client.sign_otp(staged.keys["mastercard"], mastercard=kist.MastercardInput(3, PAN, "1230"))
    assert '"signature"' in value.otp.text()
    subject = f"person {time.monotonic_ns()}"
    first = client.sign_otp(staged.keys["hotp"], subject=subject)
    assert (first.counter, len(first.otp)) == (0, 6)
    assert client.verify_otp(staged.keys["hotp"], first.otp, subject=subject) == 0
    with pytest.raises(kist.Rejected) as twice:
        client.verify_otp(staged.keys["hotp"], first.otp.text(), subject=subject)
    assert twice.value.stage == "otp-code"
    enrolled = client.enrol_authenticator(staged.keys["hotp"], subject)
    assert (enrolled.number, len(enrolled.secret), enrolled.otp.digits) == (1, 20, 6) and "secret" not in repr(enrolled.secret)
    uri = enrolled.uri("anna@acme", "Acme Bank")
    assert uri.startswith("otpauth://hotp/Acme%20Bank:anna%40acme?secret=") and uri.endswith("&issuer=Acme%20Bank&algorithm=SHA1&digits=6&counter=0")
    with pytest.raises(ValueError, match="colon"):
        enrolled.uri("a:b")


def test_agreement(client: Any, staged: Stage) -> None:
    key, (peer, point) = staged.keys["agreement"], staged.peer()
    shared = peer.exchange(ec.ECDH(), staged.agreement.public_key())
    assert client.shared_secret(key, point) == shared
    info = kist.OtherInfo(b"\x0did-aes256-GCM", b"Apple", b"party")
    derived = hashlib.sha256(b"\0\0\0\1" + shared + b"\x0did-aes256-GCMAppleparty").digest()
    assert client.derived_key(client.ecdh(key, point), kist.Derivation.ONE_STEP_SHA256, 32, other_info=info) == derived
    held = client.kdf(client.ecdh(key, point), kist.Derivation.ONE_STEP_SHA256, 32, info=b"\x0did-aes256-GCMAppleparty")
    assert client.mac(held, b"message", algorithm=kist.MacAlgorithm.HMAC_SHA256) == hmac.digest(derived, b"message", "sha256")
    client.verify_mac(held, b"message", hmac.digest(derived, b"message", "sha256")[:16], algorithm=kist.MacAlgorithm.HMAC_SHA256, length=16)
    assert client.unseal(held, client.seal(held, b"text")) == b"text"
    assert client.unseal(held, AESGCM(derived).encrypt(bytes(12), b"theirs", b"data"), iv=bytes(12), associated_data=b"data") == b"theirs"
    sealed = client.seal(held, b"ours", associated_data=b"data")
    assert AESGCM(derived).decrypt(sealed[17:29], sealed[29:], sealed[:29] + b"data") == b"ours"
    unwrapped = client.unwrap(staged.keys["unwrapping"], staged.wrap(SYMMETRIC))
    sealed = client.seal(unwrapped, b"x")
    assert AESGCM(SYMMETRIC).decrypt(sealed[17:29], sealed[29:], sealed[:29]) == b"x"
    other = client.unwrap(staged.keys["unwrapping"], staged.wrap(SYMMETRIC))
    client.release_handle(other)
    with pytest.raises(kist.Denied):
        client.release_handle(other)


def test_sealing(client: Any, staged: Stage) -> None:
    key = staged.keys["sealing"]
    for plaintext in (b"", b"secret", bytes(65536)):
        envelope = client.seal(key, plaintext, associated_data=b"data")
        with client.unseal(key, envelope, associated_data=b"data") as opened:
            assert opened == plaintext
    with pytest.raises(kist.Rejected) as other:
        client.unseal(key, envelope, associated_data=b"other")
    assert other.value.stage == "tag"
    foreign = AESGCM(SYMMETRIC[::-1]).encrypt(bytes(12), b"theirs", None)
    assert client.unseal(staged.keys["unsealing"], foreign, iv=bytes(12)) == b"theirs"


def test_signing(client: Any, staged: Stage) -> None:
    key, scheme = staged.keys["signing"], kist.SignatureScheme.ECDSA_P256_SHA256
    public = ser.load_der_public_key(client.describe_key(key).public_key)
    assert isinstance(public, ec.EllipticCurvePublicKey)
    signature = client.sign(key, scheme, b"message")
    public.verify(signature, b"message", ec.ECDSA(hashes.SHA256()))
    client.verify(key, scheme, b"message", signature)
    client.verify(key, scheme, hashlib.sha256(b"message").digest(), signature, digested=True)
    with pytest.raises(kist.Rejected) as wrong:
        client.verify(key, scheme, b"other", signature)
    assert wrong.value.stage == "signature"
    code = client.mac(staged.keys["mac"], b"message", length=16)
    assert code == hmac.digest(SYMMETRIC[::2] + SYMMETRIC[1::2], b"message", "sha256")[:16]
    client.verify_mac(staged.keys["mac"], b"message", code, length=16)
    with pytest.raises(kist.Rejected):
        client.verify_mac(staged.keys["mac"], b"other", code, length=16)


def test_stand_ins(client: Any, staged: Stage) -> None:
    surrogate = client.tokenise(staged.keys["surrogate"], PAN, MERCHANT)
    assert len(surrogate) == len(PAN) and surrogate[-4:] == PAN[-4:] and surrogate != PAN
    assert client.detokenise(staged.keys["surrogate"], surrogate, MERCHANT).text() == PAN
    envelope = client.tokenise_envelope(staged.keys["sealing"], PAN, MERCHANT, bytes(31) + b"\1", 60)
    dpan, eci = kist.ReleasedField.DPAN, kist.ReleasedField.ECI
    with client.open_envelope(staged.keys["sealing"], envelope, MERCHANT, bytes(31) + b"\1", required=[dpan]) as opened:
        assert opened.dpan.text() == PAN and opened.last4 is None and opened.signing_time == 0
    for _ in range(2):
        with client.open_envelope(staged.keys["sealing"], envelope, MERCHANT, bytes(31) + b"\1", retry_key=bytes(16)) as again:
            assert again.dpan.text() == PAN
    with pytest.raises(kist.Rejected) as other:
        client.open_envelope(staged.keys["sealing"], envelope, MERCHANT, bytes(32))
    assert other.value.stage == "envelope"
    with pytest.raises(kist.Rejected) as lacking:
        client.open_envelope(staged.keys["sealing"], envelope, MERCHANT, bytes(31) + b"\1", required=[dpan, eci])
    assert (lacking.value.stage, lacking.value.released_field) == ("not-released", eci)


def test_operators(staged: Stage) -> None:
    with staged.sandbox.operator() as operator:
        report = operator.status()
        assert report.state == "serving" and report.rehearsal and report.audit_size > 0 and len(report.audit_root) == 32
        carried_out.update({Opcode.STATUS, Opcode.IMPORT_KEY, Opcode.UNLOCK})
        with pytest.raises(kist.Rejected) as open_already:
            operator.unlock(b"passphrase")
        assert open_already.value.stage == "passphrase"
    with staged.sandbox.client() as client, pytest.raises(kist.Denied):
        client.status()


def test_every_operation_was_carried_out() -> None:
    """The statuses' tests carry out `lock`."""
    assert carried_out == set(Opcode) - {Opcode.LOCK}
    for kind in (Client, kist.AsyncClient):
        made = {name for name, made in vars(operations).items() if inspect.isfunction(made) and made.__module__ == operations.__name__}
        public = {name for name in made if not name.startswith("_")}
        assert len(public) == 35 and public <= set(dir(kind))
