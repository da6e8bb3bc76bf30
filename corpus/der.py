"""DER, certificates and CMS by hand, so that each part can be made wrong on its own."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization as ser
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

PrivateKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

LEAF = "1.2.840.113635.100.6.29"
INTERMEDIATE = "1.2.840.113635.100.6.2.14"
MERCHANT = "1.2.840.113635.100.6.32"
SHA256, SHA384, SHA1 = "2.16.840.1.101.3.4.2.1", "2.16.840.1.101.3.4.2.2", "1.3.14.3.2.26"
ECDSA_SHA256, ECDSA_SHA384, RSA, RSA_SHA256 = "1.2.840.10045.4.3.2", "1.2.840.10045.4.3.3", "1.2.840.113549.1.1.1", "1.2.840.113549.1.1.11"
DATA, SIGNED_DATA = "1.2.840.113549.1.7.1", "1.2.840.113549.1.7.2"
CONTENT_TYPE, MESSAGE_DIGEST, SIGNING_TIME = "1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4", "1.2.840.113549.1.9.5"
ALGORITHM_PROTECTION = "1.2.840.113549.1.9.52"
#: From 2020 on, for certificates whose time is not the case.
EARLY, LATE = "200101000000Z", "491231235959Z"


def der(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    size = len(content)
    if size < 0x80:
        return bytes([tag, size]) + content
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(octets)]) + octets + content


def indefinite(tag: int, *parts: bytes) -> bytes:
    """BER's other way to say where something ends."""
    return bytes([tag, 0x80]) + b"".join(parts) + b"\0\0"


def sequence(*parts: bytes) -> bytes:
    return der(0x30, *parts)


def set_of(*parts: bytes) -> bytes:
    return der(0x31, *sorted(parts))


def integer(value: int) -> bytes:
    return der(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def oid(name: str) -> bytes:
    first, second, *others = map(int, name.split("."))
    octets = [40 * first + second]
    for number in others:
        part = [number & 0x7F]
        while number := number >> 7:
            part.insert(0, number & 0x7F | 0x80)
        octets += part
    return der(6, bytes(octets))


def algorithm(name: str, has_null: bool = False) -> bytes:
    return sequence(oid(name), der(5) if has_null else b"")


def name(common: str, uid: str = "") -> bytes:
    parts = [("0.9.2342.19200300.100.1.1", uid)] * bool(uid) + [("2.5.4.3", common)]
    return sequence(*(set_of(sequence(oid(kind), der(0x0C, text.encode()))) for kind, text in parts))


def signed(key: PrivateKey, message: bytes, digest: hashes.HashAlgorithm | None = None) -> bytes:
    """A signature that is the same each time."""
    digest = digest or hashes.SHA256()
    if isinstance(key, rsa.RSAPrivateKey):
        return key.sign(message, padding.PKCS1v15(), digest)
    return key.sign(message, ec.ECDSA(digest, deterministic_signing=True))


def spki(key: PrivateKey) -> bytes:
    return key.public_key().public_bytes(ser.Encoding.DER, ser.PublicFormat.SubjectPublicKeyInfo)


@dataclass(frozen=True)
class Certificate:
    """A certificate that can be issued; `markers` are Apple's extensions."""

    subject: bytes
    key: PrivateKey
    serial: int
    der: bytes
    issuer: bytes

    @staticmethod
    def make(
        common: str, key: PrivateKey, serial: int, issuer: Certificate | None, *, markers: Sequence[str] = (), is_authority: bool = False, uid: str = "",
        merchant: str = "", begin: str = EARLY, end: str = LATE,
    ) -> Certificate:  # fmt: skip
        subject = name(common, uid)
        usage = der(3, bytes([1, 0x06]) if is_authority else bytes([7, 0x80]))
        extensions = [sequence(oid("2.5.29.19"), der(1, b"\xff"), der(4, sequence(der(1, b"\xff") if is_authority else b"")))]
        extensions.append(sequence(oid("2.5.29.15"), der(1, b"\xff"), der(4, usage)))
        extensions += [sequence(oid(marker), der(4, der(5))) for marker in markers]
        if merchant:
            digits = hashlib.sha256(merchant.encode()).hexdigest().upper().encode()
            extensions.append(sequence(oid(MERCHANT), der(4, der(0x0C, digits))))
        content = sequence(
            der(0xA0, integer(2)), integer(serial), algorithm(ECDSA_SHA256), issuer.subject if issuer else subject,
            sequence(der(0x17, begin.encode()), der(0x17, end.encode())), subject, spki(key), der(0xA3, sequence(*extensions)),
        )  # fmt: skip
        signature = signed(issuer.key if issuer else key, content)
        whole = sequence(content, algorithm(ECDSA_SHA256), der(3, b"\0", signature))
        return Certificate(subject, key, serial, whole, issuer.subject if issuer else subject)


@dataclass
class SignedData:
    """CMS SignedData as Apple sends it; what a case changes is a field."""

    leaf: Certificate
    certificates: Sequence[Certificate]
    message: bytes
    time: str
    content_type: str | None = DATA
    digest: bytes | None = None
    has_digest: bool = True
    has_time: bool = True
    has_protection: bool = True
    protected: bytes = b""
    more_attributes: Sequence[bytes] = ()
    unsigned_attributes: bytes = b""
    digest_algorithm: str = SHA256
    digest_has_null: bool = False
    signature_algorithm: str = ""
    hash: hashes.HashAlgorithm = field(default_factory=hashes.SHA256)
    signer_key: PrivateKey | None = None
    signer_name: Certificate | None = None
    signers: int = 1
    version: int = 1
    signer_version: int = 1
    content: bytes = b""
    by_key_identifier: bool = False
    signs_implicit: bool = False
    flips: bool = False
    lists: bytes = b""
    is_indefinite: bool = False
    trailing: bytes = b""

    @property
    def scheme(self) -> tuple[str, bool]:
        """The signature's algorithm, and whether it has parameters NULL."""
        is_rsa = isinstance(self.signer_key or self.leaf.key, rsa.RSAPrivateKey)
        return self.signature_algorithm or (RSA_SHA256 if is_rsa else ECDSA_SHA256), is_rsa

    def attributes(self) -> list[bytes]:
        found = []
        if self.content_type:
            found.append(sequence(oid(CONTENT_TYPE), der(0x31, oid(self.content_type))))
        if self.has_time:
            found.append(sequence(oid(SIGNING_TIME), der(0x31, der(0x17, self.time.encode()))))
        if self.has_protection:
            name, has_null = self.scheme
            digest = self.protected or algorithm(self.digest_algorithm, self.digest_has_null)
            found.append(sequence(oid(ALGORITHM_PROTECTION), der(0x31, sequence(digest, der(0xA1, oid(name), der(5) if has_null else b"")))))
        if self.has_digest:
            found.append(sequence(oid(MESSAGE_DIGEST), der(0x31, der(4, self.digest or hashlib.sha256(self.message).digest()))))
        return found + list(self.more_attributes)

    def encoded(self) -> bytes:
        attributes = sorted(self.attributes())
        key = self.signer_key or self.leaf.key
        signature = bytearray(signed(key, der(0xA0 if self.signs_implicit else 0x31, *attributes), self.hash))
        if self.flips:
            signature[-1] ^= 1
        who = self.signer_name or self.leaf
        identifier = der(0x80, hashlib.sha1(who.der).digest()) if self.by_key_identifier else sequence(who.issuer, integer(who.serial))
        digest = algorithm(self.digest_algorithm, self.digest_has_null)
        signer = sequence(
            integer(self.signer_version), identifier, digest, der(0xA0, *attributes), algorithm(*self.scheme), der(4, bytes(signature)), self.unsigned_attributes
        )
        wrap = indefinite if self.is_indefinite else der
        inner = wrap(
            0x30, integer(self.version), set_of(digest), wrap(0x30, oid(DATA), self.content),
            wrap(0xA0, *(each.der for each in self.certificates)), self.lists, der(0x31, *[signer] * self.signers),
        )  # fmt: skip
        return wrap(0x30, oid(SIGNED_DATA), wrap(0xA0, inner)) + self.trailing
