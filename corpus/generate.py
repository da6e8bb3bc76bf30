#!/usr/bin/env python3
"""Usage: generate.py [--check]

Writes the corpus, the same bytes each time; with --check, says whether it is what this would write. It needs `cryptography` 45 or later.
"""

from __future__ import annotations

import base64
import hashlib
import json
import pathlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from der import (
    CONTENT_TYPE, DATA, EARLY, ECDSA_SHA384, INTERMEDIATE, LATE, LEAF, MESSAGE_DIGEST, RSA, SHA1, SHA384, SIGNED_DATA, Certificate, PrivateKey, SignedData, algorithm, der, oid, sequence, spki,
)  # fmt: skip

HERE = pathlib.Path(__file__).resolve().parent
MERCHANT = "merchant.example.corpus"
#: The moment at which the tokens are judged; Apple signed the usual one a minute before.
NOW, SIGNED = "2026-11-01T12:00:00Z", "261101115900Z"
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
#: Payments of each case.
VARIANTS = 2


def seeded(*words: object) -> bytes:
    return hashlib.sha256(" ".join(map(str, ("corpus", *words))).encode()).digest()


def ec_key(name: str, curve: ec.EllipticCurve | None = None) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(seeded("key", name), "big") % (ORDER - 1) + 1, curve or ec.SECP256R1())


def rsa_key(name: str) -> rsa.RSAPrivateKey:
    key = ser.load_pem_private_key((HERE / f"keys/{name}.pem").read_bytes(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    return key


ROOT = Certificate.make("Corpus Root CA", ec_key("root"), 1, None, is_authority=True)
INTER = Certificate.make("Corpus Application Integration CA", ec_key("intermediate"), 2, ROOT, markers=[INTERMEDIATE], is_authority=True)
LEAVES = {
    "EC_v1": Certificate.make("corpus-smp-broker-sign", ec_key("leaf"), 3, INTER, markers=[LEAF]),
    "RSA_v1": Certificate.make("corpus-smp-broker-sign-rsa", rsa_key("leaf"), 4, INTER, markers=[LEAF]),
}
MERCHANT_KEYS: dict[str, PrivateKey] = {"EC_v1": ec_key("merchant"), "RSA_v1": rsa_key("merchant")}
OTHER_KEYS: dict[str, PrivateKey] = {"EC_v1": ec_key("other merchant"), "RSA_v1": rsa_key("other")}


def payment(seed: bytes) -> dict[str, Any]:
    """What Apple encrypts."""
    number = "4" + "".join(str(octet % 10) for octet in seed[:14])
    doubled = [int(digit) * 2 - 9 * (int(digit) > 4) if index % 2 == 0 else int(digit) for index, digit in enumerate(number)]
    return {
        "applicationPrimaryAccountNumber": number + str(-sum(doubled) % 10), "applicationExpirationDate": "301231", "currencyCode": "840",
        "transactionAmount": int.from_bytes(seed[14:16], "big") + 1, "deviceManufacturerIdentifier": "040010030273", "paymentDataType": "3DSecure",
        "paymentData": {"onlinePaymentCryptogram": base64.b64encode(seed[:20]).decode(), "eciIndicator": "7"},
    }  # fmt: skip


@dataclass
class Draft:
    """A token on its way: what a case changes before or after Apple signs it."""

    version: str
    seed: bytes
    payment: dict[str, Any]
    plaintext: bytes = b""
    transaction: bytes = b""
    application_data: bytes = b""
    merchant_key: PrivateKey | None = None
    identifier: str = MERCHANT
    key_part: bytes = b""  # the ephemeral key's SubjectPublicKeyInfo, or the wrapped key
    data: bytes = b""
    hash_of: PrivateKey | None = None
    signature: bytes = b""
    flips_tag: bool = False
    has_leading_zero: bool = False

    def encrypt(self) -> Draft:
        self.plaintext = self.plaintext or json.dumps(self.payment, separators=(",", ":")).encode()
        self.transaction = self.transaction or seeded("transaction", self.seed.hex())
        key = self.merchant_key or MERCHANT_KEYS[self.version]
        if isinstance(key, rsa.RSAPrivateKey):
            content_key = self.seed[:16]
            self.key_part = self.key_part or oaep(key.public_key().public_numbers(), content_key, self.seed)
        else:
            ephemeral, shared = self.agreed(key)
            party = hashlib.sha256(self.identifier.encode()).digest()
            content_key = hashlib.sha256(b"\0\0\0\1" + shared + b"\x0did-aes256-GCM" + b"Apple" + party).digest()
            self.key_part = self.key_part or spki(ephemeral)
        data = bytearray(AESGCM(content_key).encrypt(bytes(16), self.plaintext, None))
        data[-1] ^= self.flips_tag
        self.data = bytes(data)
        return self

    def agreed(self, key: ec.EllipticCurvePrivateKey) -> tuple[ec.EllipticCurvePrivateKey, bytes]:
        """The ephemeral key and the shared secret, which begins with a zero byte where that is the case, and nowhere else."""
        scalar = int.from_bytes(self.seed, "big") % (ORDER - 2**32) + 1
        while True:
            ephemeral = ec.derive_private_key(scalar, ec.SECP256R1())
            shared = ephemeral.exchange(ec.ECDH(), key.public_key())
            if (shared[0] == 0) == self.has_leading_zero:
                return ephemeral, shared
            scalar += 1

    @property
    def message(self) -> bytes:
        return self.key_part + self.data + self.transaction + self.application_data

    def sign(self, **changes: Any) -> Draft:
        leaf = changes.pop("leaf", LEAVES[self.version])
        options = {"certificates": [leaf, INTER], "message": self.message, "time": SIGNED} | changes
        self.signature = SignedData(leaf, **options).encoded()
        return self

    def token(self) -> dict[str, Any]:
        key = self.hash_of or MERCHANT_KEYS[self.version]
        named = "ephemeralPublicKey" if self.version == "EC_v1" else "wrappedKey"
        header = {
            named: base64.b64encode(self.key_part).decode(), "publicKeyHash": base64.b64encode(hashlib.sha256(spki(key)).digest()).decode(),
            "transactionId": self.transaction.hex(),
        }  # fmt: skip
        if self.application_data:
            header["applicationData"] = self.application_data.hex()
        data, signature = (base64.b64encode(octets).decode() for octets in (self.data, self.signature))
        return {"version": self.version, "data": data, "signature": signature, "header": header}


def oaep(public: rsa.RSAPublicNumbers, message: bytes, seed: bytes) -> bytes:
    """RSAES-OAEP with SHA-256 and a seed that is known (RFC 8017 §7.1.1), for the same bytes each time."""
    size = (public.n.bit_length() + 7) // 8
    block = hashlib.sha256(b"").digest() + bytes(size - len(message) - 66) + b"\1" + message
    masked = xor(block, mask(seed, len(block)))
    octets = b"\0" + xor(seed, mask(masked, 32)) + masked
    return pow(int.from_bytes(octets, "big"), public.e, public.n).to_bytes(size, "big")


def mask(seed: bytes, count: int) -> bytes:
    blocks = (hashlib.sha256(seed + number.to_bytes(4, "big")).digest() for number in range(count // 32 + 1))
    return b"".join(blocks)[:count]


def xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


@dataclass(frozen=True)
class Case:
    """A way in which tokens are, and what a verifier has to make of it: `stage` is the check that fails, as Kist names it."""

    name: str
    comment: str
    make: Callable[[Draft], Draft]
    result: str = "invalid"
    stage: str = ""
    flags: tuple[str, ...] = ()
    only: str = ""
    repeats: bool = False


def changed(**fields: Any) -> Callable[[Draft], Draft]:
    """Signed by Apple as it is, with other fields."""

    def make(draft: Draft) -> Draft:
        for name, value in fields.items():
            setattr(draft, name, value)
        return draft.encrypt().sign()

    return make


def paying(**members: Any) -> Callable[[Draft], Draft]:
    def make(draft: Draft) -> Draft:
        draft.payment |= members
        return draft.encrypt().sign()

    return make


def lacking(member: str) -> Callable[[Draft], Draft]:
    def make(draft: Draft) -> Draft:
        del draft.payment[member]
        return draft.encrypt().sign()

    return make


def signing(**options: Any) -> Callable[[Draft], Draft]:
    return lambda draft: draft.encrypt().sign(**options)


def afterwards(change: Callable[[Draft], None]) -> Callable[[Draft], Draft]:
    """Changed when it had been signed."""

    def make(draft: Draft) -> Draft:
        draft.encrypt().sign()
        change(draft)
        return draft

    return make


def flip(name: str, index: int) -> Callable[[Draft], None]:
    def change(draft: Draft) -> None:
        octets = bytearray(getattr(draft, name))
        octets[index] ^= 1
        setattr(draft, name, bytes(octets))

    return change


def other_chain(*, root_key: str = "", self_signed: bool = False, leaf_markers: tuple[str, ...] = (LEAF,), inter_markers: tuple[str, ...] = (INTERMEDIATE,),
                more: tuple[str, ...] = (), leaf_times: tuple[str, str] | None = None, leaf_key: PrivateKey | None = None) -> Callable[[Draft], Draft]:  # fmt: skip
    """Signed under certificates of its own, under the names of the right ones."""

    def make(draft: Draft) -> Draft:
        root = Certificate.make("Corpus Root CA", ec_key(root_key), 1, None, is_authority=True) if root_key else ROOT
        inter = INTER
        if root_key or self_signed or inter_markers != (INTERMEDIATE,):
            own = ec_key("own intermediate") if root_key or self_signed else INTER.key
            inter = Certificate.make("Corpus Application Integration CA", own, 2, None if self_signed else root, markers=inter_markers, is_authority=True)
        begin, end = leaf_times or (EARLY, LATE)
        key = leaf_key or LEAVES[draft.version].key
        leaf = Certificate.make("corpus-smp-broker-sign", key, 5, inter, markers=leaf_markers, begin=begin, end=end)
        others = {"leaf": LEAVES[draft.version], "root": root, "stranger": Certificate.make("Somebody", ec_key("somebody"), 6, ROOT),
                  "intermediate": Certificate.make("Another CA", ec_key("another"), 7, ROOT, markers=[INTERMEDIATE], is_authority=True)}  # fmt: skip
        return draft.encrypt().sign(leaf=leaf, certificates=[leaf, inter, *(others[each] for each in more)])

    return make


def shift(draft: Draft) -> None:
    """Apple's digest is over one text without lengths, so it does not tell where one field ends and the next begins."""
    draft.transaction, draft.application_data = draft.data[-32:], draft.transaction
    draft.data = draft.data[:-32]


def point(kind: str) -> Callable[[Draft], Draft]:
    """An ephemeral key that is none."""

    def make(draft: Draft) -> Draft:
        draft.encrypt()
        good = draft.key_part
        compressed = bytes([2 + (good[-1] & 1)]) + good[-64:-32]
        draft.key_part = {
            "off the curve": good[:-1] + bytes([good[-1] ^ 1]), "P-384": spki(ec_key("P-384", ec.SECP384R1())), "infinity": good[:-65] + bytes(65),
            "compressed": sequence(good[2:23], der(3, b"\0", compressed)), "cut": good[:-1],
        }[kind]  # fmt: skip
        return draft.sign()

    return make


def wrapped(kind: str) -> Callable[[Draft], Draft]:
    def make(draft: Draft) -> Draft:
        key = rsa_key("other" if kind == "other" else "merchant")
        whole = oaep(key.public_key().public_numbers(), draft.seed[:16], draft.seed)
        draft.key_part = {"other": whole, "zero": bytes(256), "cut": whole[:-1]}[kind]
        return draft.encrypt().sign()

    return make


def attribute(name: str, value: bytes) -> bytes:
    return sequence(oid(name), der(0x31, value))


VALID, ODD = "valid", "acceptable"
CASES = [
    Case("plain", "a token as Apple makes it", signing(), VALID),
    Case("zero-amount", "a payment of nothing", paying(transactionAmount=0), VALID, flags=("Amount",)),
    Case("large-amount", "an amount beyond 32 bits", paying(transactionAmount=5_000_000_000), VALID, flags=("Amount",)),
    Case("application-data", "signed over application data, too", changed(application_data=seeded("application data")), VALID, flags=("ApplicationData",)),
    Case("another-currency", "a currency that begins with a zero", paying(currencyCode="036"), VALID),
    Case("no-eci", "no ECI indicator", paying(paymentData={"onlinePaymentCryptogram": "AAAAAAAAAAAAAAAAAAAAAAAAAAA="}), VALID),
    Case("cardholder", "a cardholder's name beyond ASCII", paying(cardholderName="Jürgen Ωmega"), VALID),
    Case("null-member", "a member whose value is null", paying(cardholderName=None), VALID),
    Case("emv", "EMV data in place of 3-D Secure's", paying(paymentDataType="EMV", paymentData={"emvData": "nyYI7wq0E1Wlgg==", "encryptedPINData": "a1b2"}), VALID),
    Case("root-too", "the pinned root comes along", other_chain(more=("root",)), ODD, "extra-certificate", flags=("Certificates",)),
    Case("indefinite", "BER with indefinite lengths around the signature, as Apple sends it", signing(is_indefinite=True), VALID, flags=("CmsOddity",)),
    Case("window-begin", "signed 299 s before", signing(time="261101115501Z"), VALID, flags=("Time",)),
    Case("window-end", "signed 299 s later than the clock says", signing(time="261101120459Z"), ODD, "signing-time", flags=("Time",)),
    Case("leading-zero", "a shared secret whose first byte is zero, which some libraries drop", changed(has_leading_zero=True), VALID, flags=("LeadingZero",), only="EC_v1"),
    Case("digest-null", "the digest algorithm with parameters NULL, as in older tokens", signing(digest_has_null=True), VALID, flags=("CmsOddity",)),
    Case("no-protection", "no CMSAlgorithmProtection (RFC 6211), as in tokens of before 2018", signing(has_protection=False), VALID, flags=("CmsOddity",)),
    Case("other-protection", "CMSAlgorithmProtection names SHA-384, and nothing else does", signing(protected=algorithm(SHA384)), ODD, "signed-attributes",
         flags=("Algorithm", "CmsOddity")),
    Case("no-number", "no account number inside: opened without one, or refused", lacking("applicationPrimaryAccountNumber"), ODD, "plaintext", flags=("Plaintext",)),
    Case("rsa-encryption", "rsaEncryption in place of sha256WithRSAEncryption, which RFC 3370 allows", signing(signature_algorithm=RSA), ODD, "algorithm", flags=("CmsOddity",), only="RSA_v1"),
    Case("altered-data", "the first byte of the ciphertext was changed", afterwards(flip("data", 0)), stage="message-digest", flags=("Altered",)),
    Case("altered-amount-place", "a byte in the middle of the ciphertext was changed", afterwards(flip("data", 100)), stage="message-digest", flags=("Altered",)),
    Case("altered-tag", "the last byte of the tag was changed", afterwards(flip("data", -1)), stage="message-digest", flags=("Altered",)),
    Case("altered-transaction", "the transaction id was changed", afterwards(flip("transaction", 31)), stage="message-digest", flags=("Altered",)),
    Case("altered-key", "the ephemeral or wrapped key was changed", afterwards(flip("key_part", -1)), stage="message-digest", flags=("Altered",)),
    Case("added-application-data", "application data was added", afterwards(lambda draft: setattr(draft, "application_data", seeded("added"))), stage="message-digest",
         flags=("Altered", "ApplicationData")),
    Case("shifted", "the last 32 bytes of the data became the transaction id, and that the application data: the signature holds", afterwards(shift), stage="tag",
         flags=("Shifted",)),
    Case("signed-wrong-tag", "signed with a tag that is not the ciphertext's", changed(flips_tag=True), stage="tag", flags=("Tag",)),
    Case("other-merchant-identifier", "encrypted for another merchant identifier", changed(identifier="merchant.example.other"), stage="tag", flags=("Swapped",), only="EC_v1"),
    Case("swapped-key", "encrypted for another merchant's key, with this one's hash", lambda draft: changed(merchant_key=OTHER_KEYS[draft.version])(draft), stage="",
         flags=("Swapped",)),
    Case("other-hash", "the hash is another key's", lambda draft: changed(hash_of=OTHER_KEYS[draft.version])(draft), result=ODD, stage="key", flags=("Swapped",)),
    Case("no-leaf-marker", "the leaf has no marker", other_chain(leaf_markers=()), stage="leaf-marker", flags=("Marker",)),
    Case("two-leaf-markers", "two certificates have the leaf's marker", other_chain(inter_markers=(INTERMEDIATE, LEAF)), stage="leaf-marker", flags=("Marker",)),
    Case("two-leaves", "another leaf of Apple's comes along", other_chain(more=("leaf",)), stage="leaf-marker", flags=("Marker",)),
    Case("no-intermediate-marker", "the intermediate has no marker", other_chain(inter_markers=()), stage="intermediate-marker", flags=("Marker",)),
    Case("two-intermediate-markers", "leaf and intermediate have the intermediate's marker", other_chain(leaf_markers=(LEAF, INTERMEDIATE)), stage="intermediate-marker",
         flags=("Marker",)),
    Case("two-intermediates", "another intermediate of Apple's comes along", other_chain(more=("intermediate",)), stage="intermediate-marker", flags=("Marker",)),
    Case("stranger", "a third certificate that is not the root", other_chain(more=("stranger",)), result=ODD, stage="extra-certificate", flags=("Certificates",)),
    Case("self-made-intermediate", "an intermediate that signs itself, with Apple's marker and name", other_chain(self_signed=True), stage="chain", flags=("Chain",)),
    Case("test-root", "a whole chain of somebody's own under Apple's names", other_chain(root_key="own root"), stage="chain", flags=("Chain",)),
    Case("test-root-too", "the same, and its root comes along", other_chain(root_key="own root", more=("root",)), stage="extra-certificate", flags=("Chain",)),
    Case("other-signer-name", "the signer is named as another certificate", signing(signer_name=INTER), stage="signer", flags=("Signer",)),
    Case("other-signer-key", "signed by another key than the leaf's", lambda draft: signing(signer_key=OTHER_KEYS[draft.version])(draft), stage="signature", flags=("Signer",)),
    Case("wrong-curve", "the leaf's key is on P-384", other_chain(leaf_key=ec_key("P-384 leaf", ec.SECP384R1())), stage="algorithm", flags=("Algorithm",), only="EC_v1"),
    Case("sha384", "ECDSA with SHA-384", signing(signature_algorithm=ECDSA_SHA384, hash=hashes.SHA384()), stage="algorithm", flags=("Algorithm",), only="EC_v1"),
    Case("digest-sha384", "a digest algorithm that is not SHA-256", signing(digest_algorithm=SHA384), stage="algorithm", flags=("Algorithm",)),
    Case("digest-sha1", "SHA-1 as digest algorithm", signing(digest_algorithm=SHA1), stage="algorithm", flags=("Algorithm",)),
    Case("other-version-leaf", "signed by the leaf of the other version", lambda draft: signing(leaf=LEAVES["RSA_v1" if draft.version == "EC_v1" else "EC_v1"])(draft),
         stage="algorithm", flags=("Algorithm",)),
    Case("no-signing-time", "no signing time", signing(has_time=False), stage="signed-attributes", flags=("SignedAttributes",)),
    Case("no-digest", "no message digest", signing(has_digest=False), stage="signed-attributes", flags=("SignedAttributes",)),
    Case("no-content-type", "no content type", signing(content_type=None), stage="signed-attributes", flags=("SignedAttributes",)),
    Case("wrong-content-type", "a content type that is not data", signing(content_type=SIGNED_DATA), stage="signed-attributes", flags=("SignedAttributes",)),
    Case("two-signing-times", "two signing times", signing(more_attributes=[attribute("1.2.840.113549.1.9.5", der(0x17, b"261101115900Z"))]), stage="signed-attributes",
         flags=("SignedAttributes",)),
    Case("two-digests", "two message digests", signing(more_attributes=[attribute(MESSAGE_DIGEST, der(4, bytes(32)))]), stage="signed-attributes", flags=("SignedAttributes",)),
    Case("two-content-types", "two content types", signing(more_attributes=[attribute(CONTENT_TYPE, oid(DATA))]), stage="signed-attributes", flags=("SignedAttributes",)),
    Case("wrong-digest", "the digest of something else, signed", signing(digest=seeded("another text")), stage="message-digest", flags=("SignedAttributes",)),
    Case("flipped-signature", "the signature's last bit was changed", signing(flips=True), stage="signature", flags=("Signature",)),
    Case("implicit-attributes", "signed over the attributes as they are sent, not as a SET", signing(signs_implicit=True), stage="signature", flags=("Signature",)),
    Case("attached", "the content is inside", signing(content=der(0xA0, der(4, b"content"))), result=ODD, stage="cms", flags=("Cms",)),
    Case("no-signer", "nobody signed", signing(signers=0), stage="cms", flags=("Cms",)),
    Case("two-signers", "two signers", signing(signers=2), result=ODD, stage="cms", flags=("Cms",)),
    Case("version-3", "SignedData of version 3", signing(version=3), result=ODD, stage="cms", flags=("CmsOddity",)),
    Case("key-identifier", "the signer is named by key identifier", signing(by_key_identifier=True, signer_version=3), result=ODD, stage="cms", flags=("CmsOddity",)),
    Case("unsigned-attribute", "an attribute that is not signed", signing(unsigned_attributes=der(0xA1, attribute("1.2.840.113549.1.9.6", der(4, b"x")))), result=ODD, stage="cms",
         flags=("CmsOddity",)),
    Case("revocation-list", "a revocation list comes along", signing(lists=der(0xA1, sequence())), result=ODD, stage="cms", flags=("CmsOddity",)),
    Case("trailing", "a byte behind the signature", signing(trailing=b"\0"), stage="cms", flags=("Cms",)),
    Case("no-certificates", "no certificates", signing(certificates=[]), stage="cms", flags=("Certificates",)),
    Case("leaf-alone", "no intermediate", lambda draft: signing(certificates=[LEAVES[draft.version]])(draft), stage="cms", flags=("Certificates",)),
    Case("stale", "signed two days before", signing(time="261030115900Z"), stage="signing-time", flags=("Time",)),
    Case("before-window", "signed 301 s before", signing(time="261101115459Z"), stage="signing-time", flags=("Time",)),
    Case("behind-window", "signed 301 s later than the clock says", signing(time="261101120501Z"), stage="signing-time", flags=("Time",)),
    Case("leaf-ended", "the leaf had ended when it signed", other_chain(leaf_times=("200101000000Z", "261101000000Z")), stage="certificate-validity", flags=("Time",)),
    Case("leaf-early", "the leaf was not valid yet when it signed", other_chain(leaf_times=("261102000000Z", "491231235959Z")), stage="certificate-validity", flags=("Time",)),
    Case("not-json", "what was encrypted is no JSON", changed(plaintext=b"no JSON"), stage="plaintext", flags=("Plaintext",)),
    Case("doubled-member", "the amount stands inside twice", changed(plaintext=b'{"applicationPrimaryAccountNumber":"4109370251004320","applicationExpirationDate":"301231",'
         b'"currencyCode":"840","transactionAmount":1,"transactionAmount":2,"deviceManufacturerIdentifier":"040010030273","paymentDataType":"3DSecure","paymentData":'
         b'{"onlinePaymentCryptogram":"AAAA"}}'), stage="plaintext", flags=("Plaintext",)),
    Case("off-the-curve", "the ephemeral key is not on the curve", point("off the curve"), stage="key-agreement", flags=("KeyAgreement",), only="EC_v1"),
    Case("ephemeral-p384", "the ephemeral key is on P-384", point("P-384"), stage="format", flags=("KeyAgreement",), only="EC_v1"),
    Case("infinity", "the ephemeral key is the point at infinity", point("infinity"), stage="key-agreement", flags=("KeyAgreement",), only="EC_v1"),
    Case("compressed", "the ephemeral key is compressed", point("compressed"), result=ODD, stage="format", flags=("KeyAgreement",), only="EC_v1"),
    Case("ephemeral-cut", "the ephemeral key lacks its last byte", point("cut"), stage="format", flags=("KeyAgreement",), only="EC_v1"),
    Case("wrapped-for-other", "the content key is wrapped for another RSA key", wrapped("other"), stage="key-agreement", flags=("KeyAgreement",), only="RSA_v1"),
    Case("wrapped-zero", "a wrapped key of zeros", wrapped("zero"), stage="key-agreement", flags=("KeyAgreement",), only="RSA_v1"),
    Case("wrapped-cut", "the wrapped key lacks its last byte", wrapped("cut"), stage="format", flags=("KeyAgreement",), only="RSA_v1"),
    Case("replayed", "a token that was opened before", signing(), stage="replay", flags=("Replay",), repeats=True),
]  # fmt: skip


def tests(version: str) -> Iterator[dict[str, Any]]:
    number = 0
    for case in CASES:
        if case.only not in ("", version):
            continue
        for variant in range(VARIANTS):
            number += 1
            seed = seeded(version, case.name, variant)
            draft = case.make(Draft(version, seed, payment(seed)))
            test: dict[str, Any] = {"tcId": number, "comment": case.comment, "case": case.name, "flags": list(case.flags), "result": case.result}
            if case.repeats:
                yield test | {"case": "first-of-replayed", "comment": "a token that is opened again by the next test", "result": VALID, "flags": [], "token": draft.token(),
                              "payment": draft.payment}  # fmt: skip
                number += 1
                yield test | {"tcId": number, "stage": case.stage, "previous": number - 1, "token": draft.token()}
                continue
            if case.result != VALID:
                test["stage"] = case.stage or ("tag" if version == "EC_v1" else "key-agreement")
            if case.result != "invalid":
                test["payment"] = draft.payment
            yield test | {"token": draft.token()}


def pem(octets: bytes) -> str:
    text = base64.b64encode(octets).decode()
    return "-----BEGIN CERTIFICATE-----\n" + "\n".join(text[at : at + 64] for at in range(0, len(text), 64)) + "\n-----END CERTIFICATE-----\n"


def corpus(version: str) -> str:
    key = MERCHANT_KEYS[version]
    kind = ser.PrivateFormat.TraditionalOpenSSL
    merchant = Certificate.make("Apple Pay Payment Processing:" + MERCHANT, key, 10, INTER, uid=MERCHANT, merchant=MERCHANT)
    found = list(tests(version))
    flags = sorted({flag for test in found for flag in test["flags"]})
    whole = {
        "schema": "schema.json", "corpusVersion": 1, "version": version, "now": NOW, "windowSeconds": 300, "numberOfTests": len(found), "notes": {flag: NOTES[flag] for flag in flags},
        "rootCertificate": pem(ROOT.der), "merchantIdentifier": MERCHANT, "merchantCertificate": pem(merchant.der),
        "merchantPrivateKey": key.private_bytes(ser.Encoding.PEM, kind, ser.NoEncryption()).decode(), "tests": found,
    }  # fmt: skip
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


NOTES = {
    "Algorithm": "algorithms other than those of the token's version", "Altered": "changed after Apple signed", "Amount": "amounts at the ends of their range",
    "ApplicationData": "the hash of the request's application data", "Certificates": "other certificates than leaf and intermediate", "Chain": "not under the pinned root",
    "Cms": "not what CMS allows, or not one detached signer", "CmsOddity": "legal CMS in another form than most of Apple's tokens have", "KeyAgreement": "a key that gives no content key",
    "LeadingZero": "a shared secret that begins with zeros, which are kept", "Marker": "Apple's marker extensions are missing or doubled", "Plaintext": "what was encrypted is no payment",
    "Replay": "a transaction opens once", "Shifted": "the same signature over other fields", "Signature": "the signature does not verify",
    "SignedAttributes": "attributes that are missing, doubled or wrong", "Signer": "signed by somebody else", "Swapped": "made for another merchant", "Tag": "AES-GCM's tag does not verify",
    "Time": "signing time and validity",
}  # fmt: skip


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print((__doc__ or "").splitlines()[0], file=sys.stderr)
        return 64
    is_good = True
    for version in LEAVES:
        path = HERE / f"apple_pay_{version.lower()}.json"
        text = corpus(version)
        if not arguments:
            path.write_text(text)
        elif path.read_text() != text:
            is_good = False
            print(f"{path.name} is not what generate.py writes", file=sys.stderr)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
