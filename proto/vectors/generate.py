#!/usr/bin/env python3
"""Writes the golden wire vectors beside this file; ../PROTOCOL.md says how to read them.

Accepted messages are encoded by the official protobuf runtime from ../kist.proto, refused ones and
frames by hand, nothing by Kist.  Needs `protoc` and Python's `protobuf` (4.21 or newer); the output is
the same on every run.

usage: generate.py          write the vectors
       generate.py --check  only compare them with what would be written; exit 1 where they differ
"""

import hashlib
import importlib
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VARINT, FIXED64, DELIMITED, GROUP, FIXED32 = 0, 1, 2, 3, 5

vectors = {}


# What a file looks like


def vector(name, head, fields, body):
    assert name not in vectors, name
    lines = [f"{key}: {value}" for key, value in head]
    lines += [f"field: {field} = {value}" for field, value in fields]
    lines += [f"bytes: {body[i:i + 32].hex()}" for i in range(0, len(body), 32)] or ["bytes:"]
    vectors[name + ".txt"] = "\n".join(lines) + "\n"


def accept(name, message, comment):
    """One message that every decoder takes and encodes back to the same bytes."""
    head = [("message", message.DESCRIPTOR.name), ("expect", "ok"), ("comment", comment)]
    vector(name, head, list(listing(message)), message.SerializeToString(deterministic=True))


def refuse(name, message, error, body, comment):
    """One message that every decoder refuses; `error` may end in the number of the field at fault."""
    vector(name, [("message", message), ("expect", "malformed"), ("error", error), ("comment", comment)], [], body)


def accept_primitives(pb):
    handle = pattern("handle", 16)
    accept("ecdh-request-point", pb.EcdhRequest(peer=b"\x04" + pattern("peer", 64)), "a point on P-256, for a handle")
    accept("ecdh-request-spki-release", pb.EcdhRequest(peer=pattern("spki", 120), release=True), "the longest peer, for Z itself")
    accept("ecdh-reply-handle", pb.EcdhReply(handle=handle), "a handle")
    accept("ecdh-reply-secret", pb.EcdhReply(shared_secret=pattern("z", 48)), "Z of P-384")
    info = pb.OtherInfo(algorithm_id=b"\x0did-aes256-GCM", party_u_info=b"Apple", party_v_info=pattern("merchant", 32))
    accept("other-info", info, "as Apple Pay has it")
    accept("kdf-request-parts", pb.KdfRequest(handle=handle, derivation=pb.ONE_STEP_SHA256, count=32, other_info=info), "OtherInfo in parts")
    accept("kdf-request-hkdf", pb.KdfRequest(handle=handle, derivation=pb.HKDF_SHA512, count=256, info=b"info", salt=pattern("salt", 64), release=True), "the last derivation, with salt, for the key itself")
    accept("kdf-reply-handle", pb.KdfReply(handle=handle), "a handle")
    accept("kdf-reply-key", pb.KdfReply(derived_key=pattern("derived", 256)), "the longest key")
    accept("seal-request", pb.SealRequest(plaintext=b"text", associated_data=b"data"), "under the stored key")
    accept("seal-request-handle", pb.SealRequest(handle=handle, plaintext=b"text"), "under a handle")
    refuse("seal-request-iv", "SealRequest", "unexpected-field 2", delimited(2, pattern("iv", 12)), "a nonce of the caller's, whose number is not used again")
    accept("seal-request-nothing", pb.SealRequest(), "nothing at all can be sealed")
    accept("seal-reply", pb.SealReply(sealed=pattern("sealed", 49)), "an envelope of 4 bytes")
    accept("unseal-request", pb.UnsealRequest(sealed=pattern("sealed", 49), associated_data=b"data"), "an envelope")
    accept("unseal-request-foreign", pb.UnsealRequest(handle=handle, iv=pattern("iv", 12), sealed=pattern("sealed", 20)), "what others sealed, under a handle")
    accept("unseal-reply", pb.UnsealReply(plaintext=b"text"), "what was sealed")
    accept("unseal-reply-empty", pb.UnsealReply(), "nothing was sealed")
    accept("sign-request", pb.SignRequest(scheme=pb.RSA_PSS_SHA256, message=b"message"), "a message")
    accept("sign-request-digest", pb.SignRequest(scheme=pb.ECDSA_P384_SHA384_FIXED, digested=True, message=pattern("digest", 48)), "a digest")
    accept("sign-reply", pb.SignReply(signature=pattern("signature", 512)), "the longest signature")
    accept("verify-request", pb.VerifyRequest(scheme=pb.ED25519, message=b"message", signature=pattern("signature", 64)), "the last scheme")
    accept("mac-request", pb.MacRequest(message=b"message"), "the whole code under a stored key")
    accept("mac-request-handle", pb.MacRequest(handle=handle, algorithm=pb.AES_CMAC, length=8, message=b"message"), "a short code under a handle")
    accept("mac-reply", pb.MacReply(mac=pattern("mac", 64)), "the longest code")
    accept("verify-mac-request", pb.VerifyMacRequest(length=16, message=b"message", mac=pattern("mac", 16)), "a code of half its length")
    accept("verify-mac-request-handle", pb.VerifyMacRequest(handle=handle, algorithm=pb.HMAC_SHA512, message=b"message", mac=pattern("mac", 64)), "under a handle")
    accept("unwrap-request", pb.UnwrapRequest(wrapped_key=pattern("wrapped", 256)), "for RSA-2048")
    accept("unwrap-reply", pb.UnwrapReply(handle=handle), "a handle")
    accept("release-handle-request", pb.ReleaseHandleRequest(handle=handle), "a handle")


def refuse_primitives(pb):
    handle = pattern("handle", 16)
    derive = delimited(1, handle) + number(2, 1)
    refuse("size-peer", "EcdhRequest", "too-long 1", delimited(1, pattern("peer", 121)), "121 bytes where 120 may be")
    refuse("size-handle", "ReleaseHandleRequest", "bad-value 1", delimited(1, handle[:15]), "15 bytes where 16 must be")
    refuse("size-handle-absent", "ReleaseHandleRequest", "bad-value 1", b"", "no handle")
    refuse("size-handle-of-reply", "UnwrapReply", "bad-value 1", b"", "a handle must be there")
    refuse("size-handle-optional", "SealRequest", "bad-value 1", delimited(1, handle[:1]), "1 byte where 16 or none must be")
    refuse("size-derived-few", "KdfRequest", "bad-value 3", derive + number(3, 15), "15 bytes where 16 must be")
    refuse("size-derived-many", "KdfRequest", "bad-value 3", derive + number(3, 257), "257 bytes where 256 may be")
    refuse("size-derived-absent", "KdfRequest", "bad-value 3", derive, "no count")
    refuse("info-twice", "KdfRequest", "bad-value 5", derive + number(3, 32) + delimited(4, b"info") + delimited(5, delimited(1, b"id")), "OtherInfo as one and in parts")
    refuse("size-info", "KdfRequest", "too-long 4", derive + number(3, 32) + delimited(4, bytes([1]) * 1025), "1025 bytes where 1024 may be")
    refuse("size-info-part", "OtherInfo", "too-long 2", delimited(2, bytes([1]) * 1025), "1025 bytes where 1024 may be")
    refuse("size-iv", "UnsealRequest", "bad-value 2", delimited(2, pattern("iv", 13)), "13 bytes where 12, 16 or none must be")
    refuse("size-iv-long", "UnsealRequest", "too-long 2", delimited(2, pattern("iv", 17)), "17 bytes where 12, 16 or none must be")
    refuse("size-message", "SignRequest", "too-long 3", number(1, 1) + delimited(3, bytes(64 * 1024 + 1)), "one byte more than a message may have")
    refuse("size-signature", "VerifyRequest", "too-long 4", number(1, 1) + delimited(4, bytes([1]) * 513), "513 bytes where 512 may be")
    refuse("size-mac-length", "MacRequest", "bad-value 3", number(3, 65), "longer than any code")
    refuse("size-mac", "VerifyMacRequest", "too-long 5", delimited(5, bytes([1]) * 65), "65 bytes where 64 may be")
    refuse("algorithm-without-handle", "MacRequest", "bad-value 2", number(2, 1), "a stored key has its own algorithm")
    refuse("handle-without-algorithm", "VerifyMacRequest", "bad-value 2", delimited(1, handle), "a handle has none")
    refuse("enum-derivation-unknown", "KdfRequest", "bad-value 2", delimited(1, handle) + number(2, 10), "a derivation that does not exist")
    refuse("enum-derivation-absent", "KdfRequest", "bad-value 2", delimited(1, handle) + number(3, 32), "no derivation")
    refuse("enum-scheme-unknown", "SignRequest", "bad-value 1", number(1, 12), "a scheme that does not exist")
    refuse("enum-scheme-absent", "VerifyRequest", "bad-value 1", b"", "no scheme")
    refuse("enum-mac-unknown", "MacRequest", "bad-value 2", delimited(1, handle) + number(2, 5), "an algorithm that does not exist")
    refuse("default-release", "EcdhRequest", "explicit-default 2", number(2, 0), "false is left out")


def accept_stand_ins(pb):
    acme, transaction, envelope = "merchant.com.acme", pattern("transaction", 32), pattern("envelope", 110)
    accept("tokenise-request-surrogate", pb.TokeniseRequest(pan="4109370251004320", merchant_identifier=acme), "for a surrogate")
    accept("tokenise-request-envelope", pb.TokeniseRequest(pan="6304000000000000000", merchant_identifier=acme, transaction_id=transaction, lifetime=31622400), "for an envelope")
    accept("tokenise-request-nothing", pb.TokeniseRequest(), "no PAN: it is rejected, and not malformed")
    accept("tokenise-reply-surrogate", pb.TokeniseReply(surrogate="8311940275624320"), "a surrogate")
    accept("tokenise-reply-envelope", pb.TokeniseReply(envelope=envelope), "an envelope")
    accept("detokenise-request-surrogate", pb.DetokeniseRequest(surrogate="8311940275624320", merchant_identifier=acme), "a surrogate")
    accept("detokenise-reply", pb.DetokeniseReply(pan="4109370251004320"), "a PAN")
    accept("open-payment-token-reply-stand-ins", pb.OpenPaymentTokenReply(last4="4320", signing_time=1748779200, surrogate="8311940275624320", envelope=envelope), "what is made with other keys comes behind the signing time")
    accept("open-payment-token-reply-partner", pb.OpenPaymentTokenReply(signing_time=1748779200, jwe="eyJhbGciOiJFQ0RILUVTIn0..AAAA.AAAA.AAAA"), "what is released to a partner")
    accept("open-envelope-request", pb.OpenEnvelopeRequest(envelope=envelope, merchant_identifier=acme, transaction_id=transaction), "for all that is granted")
    accept("open-envelope-request-full", pb.OpenEnvelopeRequest(envelope=pattern("envelope", 300), merchant_identifier=acme, transaction_id=transaction, release=[pb.DPAN, pb.EXPIRY, pb.CRYPTOGRAM], required=[pb.DPAN, pb.CRYPTOGRAM]), "every field")
    accept("open-envelope-request-retry", pb.OpenEnvelopeRequest(envelope=envelope, merchant_identifier=acme, transaction_id=transaction, required=[pb.DPAN], retry_key=pattern("retry key", 16)), "with a retry key, the last field")
    accept("open-envelope-request-nobody", pb.OpenEnvelopeRequest(envelope=b"e", transaction_id=transaction), "no merchant: it is rejected, and not malformed")


def refuse_stand_ins(pb):
    transaction, envelope = pattern("transaction", 32), pattern("envelope", 110)
    refuse("tokenise-pan", "TokeniseRequest", "too-long 1", delimited(1, b"4" * 33), "33 digits where 32 may be")
    refuse("tokenise-merchant", "TokeniseRequest", "too-long 2", delimited(2, b"m" * 256), "256 bytes where 255 may be")
    refuse("tokenise-transaction", "TokeniseRequest", "bad-value 3", delimited(3, transaction[:31]) + number(4, 900), "31 bytes where 32 or none must be")
    refuse("tokenise-without-lifetime", "TokeniseRequest", "bad-value 4", delimited(3, transaction), "a transaction, and no lifetime")
    refuse("tokenise-without-transaction", "TokeniseRequest", "bad-value 4", number(4, 900), "a lifetime, and no transaction")
    refuse("tokenise-reply-both", "TokeniseReply", "bad-value 3", delimited(1, b"8311940275624320") + delimited(3, envelope), "surrogate and envelope")
    refuse("tokenise-reply-nothing", "TokeniseReply", "bad-value 3", b"", "neither surrogate nor envelope")
    refuse("tokenise-reply-old", "TokeniseReply", "unexpected-field 2", delimited(2, envelope), "an envelope of the form that nobody opens any more")
    refuse("detokenise-nothing", "DetokeniseRequest", "bad-value 1", delimited(3, b"merchant.com.acme"), "no surrogate")
    refuse("detokenise-envelope", "DetokeniseRequest", "unexpected-field 2", delimited(1, b"8311940275624320") + delimited(2, envelope), "an envelope, which another operation opens")
    refuse("detokenise-transaction", "DetokeniseRequest", "unexpected-field 4", delimited(1, b"8311940275624320") + delimited(4, transaction), "a transaction, which is an envelope's")
    opened = delimited(1, envelope) + delimited(2, b"merchant.com.acme")
    refuse("open-envelope-without", "OpenEnvelopeRequest", "bad-value 1", delimited(3, transaction), "no envelope")
    refuse("open-envelope-long", "OpenEnvelopeRequest", "too-long 1", delimited(1, b"e" * 66049) + delimited(3, transaction), "66049 bytes where 66048 may be")
    refuse("open-envelope-transaction", "OpenEnvelopeRequest", "bad-value 3", opened + delimited(3, transaction[:31]), "31 bytes where 32 must be")
    refuse("open-envelope-without-transaction", "OpenEnvelopeRequest", "bad-value 3", opened, "no transaction")
    refuse("open-envelope-merchant", "OpenEnvelopeRequest", "too-long 2", delimited(1, envelope) + delimited(2, b"m" * 256) + delimited(3, transaction), "256 bytes where 255 may be")
    refuse("open-envelope-release-order", "OpenEnvelopeRequest", "bad-value 4", opened + delimited(3, transaction) + delimited(4, b"\x02\x01"), "fields that do not ascend")
    refuse("open-envelope-required-unknown", "OpenEnvelopeRequest", "bad-value 5", opened + delimited(3, transaction) + delimited(5, b"\x13"), "a field whose number is not used any more")
    refuse("open-envelope-required-jwe", "OpenEnvelopeRequest", "bad-value 5", opened + delimited(3, transaction) + delimited(5, b"\x16"), "a JWE follows from the grant and is not asked for")
    refuse("open-envelope-retry-key", "OpenEnvelopeRequest", "bad-value 6", opened + delimited(3, transaction) + delimited(6, b"k" * 15), "15 bytes where 16 or none must be")
    refuse("detokenise-reply-nothing", "DetokeniseReply", "bad-value 1", b"", "no PAN")
    refuse("stand-ins-before-time", "OpenPaymentTokenReply", "unexpected-field 18", delimited(20, b"8311940275624320") + number(18, 1), "the signing time comes before them")
    refuse("stand-in-order", "OpenPaymentTokenReply", "unexpected-field 20", number(18, 1) + delimited(21, envelope) + delimited(20, b"8311940275624320"), "envelope before surrogate")
    refuse("partner-order", "OpenPaymentTokenReply", "unexpected-field 21", number(18, 1) + delimited(22, b"e30") + delimited(21, envelope), "a JWE before an envelope")
    refuse("partner-text", "OpenPaymentTokenReply", "text 22", number(18, 1) + delimited(22, b"\xff"), "a JWE that is no text")
    refuse("stand-in-old", "OpenPaymentTokenReply", "unexpected-field 19", number(18, 1) + delimited(19, envelope), "an envelope of the form that nobody opens any more")


def accept_frames(name, kind, frames, comment):
    fields = [(f"frame[{i}].{key}", value) for i, (listed, _) in enumerate(frames) for key, value in listed]
    vector(name, [("frame", kind), ("expect", "ok"), ("comment", comment)], fields, b"".join(f for _, f in frames))


def refuse_frames(name, kind, error, body, comment):
    vector(name, [("frame", kind), ("expect", "malformed"), ("error", error), ("comment", comment)], [], body)


def listing(message, prefix=""):
    """The present fields by number, nested ones by path."""
    for field, value in message.ListFields():
        path = prefix + field.name
        if field.label != field.LABEL_REPEATED:
            yield from listed(field, path, value)
            continue
        for i, element in enumerate(value):
            yield from listed(field, f"{path}[{i}]", element)


def listed(field, path, value):
    if field.type == field.TYPE_MESSAGE:
        yield from listing(value, path + ".")
    elif field.type == field.TYPE_BYTES:
        yield path, "hex:" + value.hex()
    elif field.type == field.TYPE_STRING:
        yield path, "text:" + value
    elif field.type == field.TYPE_BOOL:
        yield path, "true" if value else "false"
    else:
        yield path, str(value)


# Bytes by hand


def varint(value, width=0):
    """`value` in base 128, padded to `width` bytes, which is more than it needs only in refused vectors."""
    out = []
    while True:
        out.append(value & 0x7F)
        value >>= 7
        if not value and len(out) >= width:
            break
    return bytes(b | 0x80 for b in out[:-1]) + bytes(out[-1:])


def tag(number, wire_type, width=0):
    return varint(number << 3 | wire_type, width)


def number(field, value):
    return tag(field, VARINT) + varint(value)


def delimited(field, value):
    return tag(field, DELIMITED) + varint(len(value)) + value


def request(opcode, request_id, key_id, body, length=None, version=1, flags=0):
    frame = struct.pack(">BBHQ", version, flags, opcode, request_id) + key_id + body
    fields = [("flags", flags), ("opcode", opcode), ("request_id", request_id), ("key_id", "hex:" + key_id.hex()), ("body", "hex:" + body.hex())]
    return fields, struct.pack(">I", len(frame) if length is None else length) + frame


def reply(status, opcode, request_id, audit_sequence, body, length=None, version=1):
    frame = struct.pack(">BBHQQ", version, status, opcode, request_id, audit_sequence) + body
    fields = [("status", status), ("opcode", opcode), ("request_id", request_id), ("audit_sequence", audit_sequence), ("body", "hex:" + body.hex())]
    return fields, struct.pack(">I", len(frame) if length is None else length) + frame


def pattern(label, count):
    """Bytes that look like nothing and are the same on every run."""
    out = b""
    while len(out) < count:
        out += hashlib.sha256(f"{label} {len(out)}".encode()).digest()
    return out[:count]


# The vectors

NO_KEY = bytes(16)
KEY = pattern("key id", 16)
UNAUDITED = 2**64 - 1

TOKEN = dict(
    data=pattern("data", 48),
    signature=pattern("signature", 40),
    public_key_hash=pattern("public key hash", 32),
    transaction_id=pattern("transaction id", 32),
)


def ec_token(pb, **more):
    return pb.PaymentToken(version=pb.EC_V1, ephemeral_public_key=pattern("ephemeral key", 91), **TOKEN, **more)


def rsa_token(pb, **more):
    return pb.PaymentToken(version=pb.RSA_V1, wrapped_key=pattern("wrapped key", 256), **TOKEN, **more)


def accepted_messages(pb):
    accept("payment-token-ec", ec_token(pb), "EC_v1, no application data")
    accept("payment-token-ec-application-data", ec_token(pb, application_data=pattern("application data", 32)), "EC_v1 with application data")
    accept("payment-token-rsa", rsa_token(pb), "RSA_v1, a 2048-bit key")
    accept("payment-token-largest-key", pb.PaymentToken(version=pb.RSA_V1, wrapped_key=pattern("wrapped key", 1024), **TOKEN), "the longest wrapped key there may be")
    accept("payment-token-sparse", pb.PaymentToken(version=pb.EC_V1, public_key_hash=TOKEN["public_key_hash"], transaction_id=TOKEN["transaction_id"]), "what no token has is absent: the operation refuses it, not the decoder")

    accept("malformation", pb.Malformation(why="transaction_id has 31 bytes; it takes 32"), "which field broke which bound")
    accept("busy", pb.Busy(retry_after=250), "a quarter of a second")
    accept("busy-longest", pb.Busy(retry_after=1209600000), "two weeks")
    accept("rejection-first", pb.Rejection(stage=pb.FORMAT), "the first stage")
    accept("rejection-last", pb.Rejection(stage=pb.CLAIMS), "the last stage")
    accept("rejection-required", pb.Rejection(stage=pb.NOT_RELEASED, released_field=pb.SURROGATE), "a required field that is not released")
    accept("rejection-field", pb.Rejection(stage=pb.MISSING_FIELD, field=pb.ACCOUNT_SURROGATE), "a stage that is about a field, the last one")

    accept("operation-description", pb.OperationDescription(opcode=0x11, name="open-payment-token", request_cap=84508), "one operation")
    accept("operation-description-empty", pb.OperationDescription(), "every field at its default is an empty message")

    operations = [
        pb.OperationDescription(opcode=1, name="ping", request_cap=28),
        pb.OperationDescription(opcode=0x11, name="open-payment-token", request_cap=84508),
        pb.OperationDescription(opcode=2**32 - 1, name="the largest uint32", request_cap=2**32 - 1),
    ]
    accept("describe-reply", pb.DescribeReply(product_version="0.1.0", wire_version=1, operations=operations, in_flight=32, rehearsal=True), "three operations of a sandbox")
    accept("describe-reply-production", pb.DescribeReply(product_version="1.2.3", wire_version=1, operations=operations[:1], in_flight=256), "rehearsal is absent, not false")

    key = dict(id=KEY, label="merchant/acme/processing-2026", role="merchant-processing-ec", state="active", algorithm="P-256", usage="K3 E X")
    accept(
        "key-description-full",
        pb.KeyDescription(
            **key, merchant_identifier="merchant.com.acme", public_key=pattern("spki", 91), check_value=pattern("check value", 32),
            certificate=pattern("certificate", 200), created=1767225600, activated=1767225601, not_after=1830297600, last_use=1767312000, uses=2**64 - 1,
        ),
        "every field; uses is the largest uint64",
    )
    accept("key-description-id-only", pb.KeyDescription(id=KEY), "the one field that must be there")
    accept("key-description-symmetric", pb.KeyDescription(id=pattern("symmetric", 16), label="audit/digest", role="audit-digest", state="active", algorithm="HMAC", check_value=pattern("kcv", 5), created=1), "a symmetric key has a 5-byte check value")
    accept("key-description-unicode-label", pb.KeyDescription(id=KEY, label="merchant/caf\u00e9-\u6771\u4eac-\U0001f511"), "UTF-8 of two, three and four bytes")

    right = dict(grant="acme", operations=["describe", "open-payment-token"], keys=["merchant/acme/*", "issuer/one"])
    full = pb.Right(**right, released=["last4", "network"], stages=True, rate="200/s", quota="5000/d", key_quota="20000/w", until=1798761600, hours=["mon-fri 08:00-18:00", "22:00-24:00"])
    accept("right-full", full, "every field")
    accept("right-empty", pb.Right(), "every field at its default is an empty message")
    accept("who-reply", pb.WhoReply(uid=1001, gid=100, unit="acme.service", rights=[full, pb.Right(**right)], more=True), "two rights, and more that did not fit")
    accept("review-log-request", pb.ReviewLogRequest(size=4711, root=pattern("root", 32), outcome=pb.REVIEW_FOLLOW_UP, note="two denied unlocks on the 3rd — ticket 12"), "a sign-off")
    accept("review-log-request-note-absent", pb.ReviewLogRequest(size=1, root=pattern("root", 32), outcome=pb.REVIEW_CLEAN), "no note: it is rejected, and not malformed")
    accept("audit-digest-request-transaction", pb.AuditDigestRequest(field=pb.DIGEST_TRANSACTION, value=TOKEN["transaction_id"]), "of a transaction")
    accept("audit-digest-request-pan", pb.AuditDigestRequest(field=pb.DIGEST_PAN, value=b"4109370251004320"), "of an account number")
    accept("audit-digest-request-subject", pb.AuditDigestRequest(field=pb.DIGEST_SUBJECT, value=b"s" * 128), "the longest subject of codes")
    accept("audit-digest-request-nothing", pb.AuditDigestRequest(field=pb.DIGEST_PAN), "no value: it is rejected, and not malformed")
    accept("audit-digest-reply", pb.AuditDigestReply(digest="hmac-sha256:" + pattern("digest", 32).hex()), "as the log has it")
    accept("who-reply-root", pb.WhoReply(), "root, in no unit, without a right")

    accept("list-keys-request", pb.ListKeysRequest(prefix="merchant/acme/", after="merchant/acme/processing-2025"), "a further page")
    accept("list-keys-request-empty", pb.ListKeysRequest(), "all keys from the first on")
    accept("list-keys-request-longest", pb.ListKeysRequest(prefix="p" * 127, after="a" * 128), "lengths of 127 and 128 bytes: one and two bytes long")
    accept("list-keys-request-pattern", pb.ListKeysRequest(after="merchant/acme/processing-2025", pattern="merchant/acme/*"), "a further page of the keys under a prefix")
    accept("list-keys-reply", pb.ListKeysReply(keys=[pb.KeyDescription(**key), pb.KeyDescription(id=pattern("second", 16), label="b", public_key=pattern("long", 300))], more=True), "two keys, one with a length of two bytes, and more to come")
    accept("list-keys-reply-empty", pb.ListKeysReply(), "no keys")

    accept("random-request-least", pb.RandomRequest(count=1), "one byte")
    accept("random-request-most", pb.RandomRequest(count=1024), "1024 bytes")
    accept("random-reply", pb.RandomReply(random=pattern("random", 32)), "32 bytes")
    accept("random-reply-most", pb.RandomReply(random=pattern("random", 1024)), "1024 bytes")

    accept("verify-payment-token-request", pb.VerifyPaymentTokenRequest(token=rsa_token(pb)), "RSA_v1, nothing expected")
    accept("verify-payment-token-request-full", pb.VerifyPaymentTokenRequest(token=ec_token(pb, application_data=pattern("application data", 32)), expected_application_data=pattern("application data", 32)), "every field")
    accept("verify-payment-token-reply", pb.VerifyPaymentTokenReply(signing_time=1767225600), "a signing time")

    everything = list(range(1, 18))
    accept("open-payment-token-request", pb.OpenPaymentTokenRequest(token=ec_token(pb)), "only the token: all that is granted is asked for")
    accept(
        "open-payment-token-request-full",
        pb.OpenPaymentTokenRequest(
            token=ec_token(pb, application_data=pattern("application data", 32)), release=everything, expected_currency="840", expected_amount=1499,
            expected_application_data=pattern("application data", 32), required=[pb.DPAN, pb.CRYPTOGRAM],
        ),
        "every field; release and required are packed",
    )
    accept("open-payment-token-request-zero-amount", pb.OpenPaymentTokenRequest(token=rsa_token(pb), release=[pb.LAST4, pb.CRYPTOGRAM, pb.ECI], expected_amount=0), "an expected amount of zero is present and zero")
    accept("open-payment-token-request-required", pb.OpenPaymentTokenRequest(token=ec_token(pb), required=[pb.DPAN, pb.EXPIRY, pb.CRYPTOGRAM]), "nothing but fields that the caller cannot do without")
    accept("open-payment-token-request-retry", pb.OpenPaymentTokenRequest(token=ec_token(pb), required=[pb.DPAN], retry_key=pattern("retry key", 16)), "with a retry key, the last field")
    accept(
        "open-payment-token-reply-full",
        pb.OpenPaymentTokenReply(
            dpan="4817499130000000", last4="0000", bin="481749", network="visa", expiry="291231", currency="840", amount=1499,
            cryptogram="AAAAAAAAAAAAAAAAAAAAAAAAAAA=", eci="07", payment_data_type="3DSecure", device_manufacturer="040010030273", emv_data="nyYI",
            encrypted_pin="0011aabb", cardholder_name="Ren\u00e9 D\u00fcrer", authentication_responses='[{"merchantIdentifier":"merchant.com.acme"}]',
            merchant_token='{"merchantTokenIdentifier":"DM4MMC"}', raw=b'{"applicationPrimaryAccountNumber":"4817499130000000"}\xff', signing_time=1767225600,
        ),
        "every field; raw need not be UTF-8",
    )
    accept("open-payment-token-reply-usual", pb.OpenPaymentTokenReply(dpan="4817499130000000", expiry="291231", currency="978", amount=0, cryptogram="AAAAAAAAAAAAAAAAAAAAAAAAAAA=", signing_time=1767225600), "what most grants release; an amount of zero is present and zero")
    accept("open-payment-token-reply-amount-withheld", pb.OpenPaymentTokenReply(last4="0000", signing_time=1767225600), "an amount that is absent was not released")

    accept(
        "status-report-full",
        pb.StatusReport(
            state="serving", product_version="0.1.0", rehearsal=True, started=1767225600, keys=12, connections=3, audit_size=2**40, audit_root=pattern("root", 32),
            audit_verifier_key="kist.example+0b1d2c3a+AYVfGq8=", policy_hash=pattern("policy", 32), arena="memfd_secret", arena_capacity=67108864, arena_used=300000,
            arena_peak=400000, dumpable=True, locked_bytes=67112960, swapped_bytes=4096, core_dumps=True, ptrace_scope=1, seccomp=2, landlock=True, audit_condition="low", audit_free=2**33,
            stack_capacity=17825792, resident_bytes=31457280, unmatched_grants="shop till", next_key_end=1798761600,
            code_intact=True, store_fill=76,
        ),
        "every field",
    )
    accept("status-report-locked", pb.StatusReport(state="locked", product_version="0.1.0", started=1767225600, arena="mlock", arena_capacity=67108864), "before unlocking")
    accept("status-report-scope-zero", pb.StatusReport(state="locked", ptrace_scope=0), "a scope of zero is present and zero")
    figures = [pb.Figure(metric=pb.METRIC_REQUESTS, labels=["random", "ok"], value=7), pb.Figure(metric=pb.METRIC_DENIALS, labels=["", "no-grant"], value=2**40)]
    buckets = [pb.Figure(metric=pb.METRIC_ANSWER_TIMES, labels=["random"], bound=bound, value=value) for bound, value in ((10000, 0), (25000, 6), (2**64 - 1, 1), (0, 5000090000))]
    accept("figure", figures[1], "a counter; of two labels the first is empty")
    accept("figure-bucket", buckets[2], "the last bucket of a histogram, which has no bound")
    accept("figure-sum", buckets[3], "the sum of what a histogram counted")
    accept("figure-zero", pb.Figure(metric=pb.METRIC_CLAIMS_AWAY), "without labels, and zero")
    accept("metrics-reply", pb.MetricsReply(figures=figures + buckets), "two counters and a histogram")
    accept("metrics-reply-none", pb.MetricsReply(), "nothing")
    accept("unlock-request", pb.UnlockRequest(passphrase=b"correct horse battery staple"), "a passphrase")
    accept("unlock-request-bytes", pb.UnlockRequest(passphrase=b"\xff\x00\n"), "a passphrase is bytes, not text")
    accept("import-key-request-full", pb.ImportKeyRequest(label="merchant/acme/processing-2026", role="merchant-processing-ec", private_key=pattern("private key", 121), certificate=pattern("certificate", 200), merchant_identifier="merchant.com.acme", activate=True), "every field")
    accept("submit-share-request", pb.SubmitShareRequest(share=bytes(range(37))), "header and value")
    accept("share-progress-reply", pb.ShareProgressReply(present=1, needed=2, until=1767225600), "one of two")
    accept("share-progress-reply-unlocked", pb.ShareProgressReply(unlocked=True), "the store is open")
    accept("share-progress-reply-none", pb.ShareProgressReply(), "a key that is not split")
    drilled = [pb.DrilledKey(id=pattern("drilled 1", 16), check_value=pattern("spki", 32)), pb.DrilledKey(id=pattern("drilled 2", 16), check_value=pattern("kcv", 5))]
    accept("drilled-key", drilled[1], "a symmetric key")
    accept("record-drill-request", pb.RecordDrillRequest(generation=12, kek=pattern("kek", 5), keys=drilled), "two keys")
    accept("record-drill-request-none", pb.RecordDrillRequest(generation=1, kek=pattern("kek", 5)), "a store without keys")
    accept("record-drill-request-part", pb.RecordDrillRequest(generation=12, kek=pattern("kek", 5), keys=drilled, after=pattern("drilled 0", 16), more=True), "neither the first keys of a large store nor the last")
    accept("record-drill-reply", pb.RecordDrillReply(matched=5), "all are the same")
    accept("record-drill-reply-bad", pb.RecordDrillReply(matched=2, surplus=1, missing=["merchant/acme/processing-2027"], different=["mac/a", "mac/b"]), "every way to differ")
    accept("certificate-request-request", pb.CertificateRequestRequest(organization="Acme Inc.", country="US"), "every field")
    accept("certificate-request-request-empty", pb.CertificateRequestRequest(), "the merchant alone")
    accept("certificate-request-reply", pb.CertificateRequestReply(request=pattern("request", 300)), "a request")
    accept("export-key-request", pb.ExportKeyRequest(exchange_key=KEY), "under which key")
    accept("export-key-reply", pb.ExportKeyReply(block="D0144D0AB00N0200KP0C012331550BC9PB04" + "0" * 108), "a block's characters")
    accept("import-key-request-block", pb.ImportKeyRequest(label="bank/zone-2027", role="key-exchange", private_key=b"D0144K1AB00E0000" + b"0" * 128, activate=True, exportable=True), "a key in a block, that may leave again")
    accept("import-key-request-partner", pb.ImportKeyRequest(label="partner/acquirer", role="partner-encryption-rsa", private_key=pattern("spki", 294), activate=True, not_after=1893456000, jwe_members="kid=acquirer-1 typ=JOSE iat=number"), "a partner's public key, and what its JWEs have in their headers")
    accept("import-key-request-waiting", pb.ImportKeyRequest(label="audit/signing", role="audit-signing", private_key=pattern("private key", 48)), "no certificate, not active at once")
    accept("approval-needed", pb.ApprovalNeeded(request="1a2b3c4d", until=1767225600), "the short name of a request that waits, and until when")
    accept("generate-key-request-full", pb.GenerateKeyRequest(label="merchant/acme/processing-2027", role="merchant-processing-ec", algorithm="P-256", merchant_identifier="merchant.com.acme", pre_active=True, not_before=1767225600, not_after=1833062400, use_limit=2**40, exportable=True), "all but the parameters of one-time values")
    accept("generate-key-request-otp", pb.GenerateKeyRequest(label="issuer/codes", role="otp-totp", otp=pb.OtpParameters(digits=6, step=30)), "a key of timed codes")
    accept("attach-certificate-request", pb.AttachCertificateRequest(certificate=pattern("certificate", 200)), "a certificate")
    accept("approve-request", pb.ApproveRequest(request="1a2b3c4d"), "the short name of a request that waits")
    waiting = pb.PendingRequest(id="1a2b3c4d", uid=1001, operation="destroy-key", key=KEY, label="merchant/acme/processing-2026", digest=pattern("digest", 32), until=1767225600)
    accept("pending-request", waiting, "nobody has approved")
    accept("pending-request-approved", pb.PendingRequest(id="00000000", uid=1001, operation="generate-key", until=1767225600, approved_by=0), "root approved; no key, no digest")
    accept("pending-request-export", pb.PendingRequest(id="0badcafe", uid=1001, operation="export-key", key=KEY, label="issuer/codes", digest=pattern("digest", 32), until=1767225600, exchange_key=pattern("exchange key", 16), exchange_label="bank/zone-2027", exchange_check_value=bytes.fromhex("1cf741727c")), "a key that would leave under an exchange key")
    accept("pending-request-reset", pb.PendingRequest(id="c0dec0de", uid=1001, operation="reset-otp-lockout", key=KEY, label="issuer/codes", digest=pattern("digest", 32), until=1767225600, subject="cardholder-7"), "whose lock-out it is")
    accept("list-requests-reply", pb.ListRequestsReply(requests=[waiting, pb.PendingRequest(id="5e6f7081", uid=0, operation="swap-policy", until=1767225601, approved_by=1002)]), "two requests")
    accept("list-requests-reply-none", pb.ListRequestsReply(), "nothing waits")
    accept("back-up-reply", pb.BackUpReply(name="2026-11-20T093000Z-g12", digest=pattern("copy", 32), generation=12, keys=9, needs=48210), "a copy of nine keys")
    accept("swap-policy-request", pb.SwapPolicyRequest(policy_hash=pattern("policy", 32)), "the hash of a policy")


def issuer_messages(pb):
    """Provisioning and one-time values."""
    certificates = [pattern("leaf", 300), pattern("intermediate", 250), pattern("root", 200)]
    apple = dict(scheme=pb.EV_ECC_V2, certificates=certificates[:2], nonce=pattern("nonce", 4), nonce_signature=pattern("nonce signature", 84))
    numbered = dict(configuration=pb.ACCOUNT_NUMBER, primary_account_number="4111111111111111", expiration="12/30", name="Tester Bob")
    visa = pb.VisaInput(type=pb.MBPAC, authentication_code="ZZLGEZ")
    accept("otp-parameters-visa", pb.OtpParameters(key_set="123456.1"), "a key set of Visa's")
    accept("otp-parameters-mastercard", pb.OtpParameters(key_alias="issuer.2026"), "a key by its name at MDES")
    accept("otp-parameters-codes", pb.OtpParameters(digits=8, hash=pb.OTP_SHA512, step=60, window=0, failures=3, lockout=3600), "timed codes; a window of zero is there")
    accept("otp-parameters-empty", pb.OtpParameters(), "all as usual")
    accept("key-description-exportable", pb.KeyDescription(id=KEY, role="otp-visa", exportable=True), "a key that operators may send elsewhere")
    accept("key-description-limited", pb.KeyDescription(id=KEY, role="sealing", state="pre-active", uses=3, not_before=1767225600, use_limit=2**40), "a key with a beginning and a limit")
    accept("key-description-otp", pb.KeyDescription(id=KEY, role="otp-hotp", otp=pb.OtpParameters(digits=6, hash=pb.OTP_SHA1, window=10, failures=5, lockout=900)), "a key of counted codes")
    accept("import-key-request-otp", pb.ImportKeyRequest(label="issuer/visa", role="otp-visa", private_key=pattern("tdea", 16), activate=True, not_after=1893456000, otp=pb.OtpParameters(key_set="123456.1")), "a symmetric key with its end and its key set")
    surrogate = pb.AccountSurrogate(surrogate="8311940275624320", key=KEY, merchant_identifier="issuer.example")
    accept("account-surrogate", surrogate, "a number by its surrogate")
    refuse("account-surrogate-without", "AccountSurrogate", "bad-value 1", delimited(2, KEY), "no surrogate")
    refuse("account-surrogate-key", "AccountSurrogate", "bad-value 2", delimited(1, b"8311940275624320") + delimited(2, KEY[:15]), "15 bytes where 16 must be")
    refuse("account-surrogate-long", "AccountSurrogate", "too-long 1", delimited(1, b"8" * 33) + delimited(2, KEY), "33 digits where 32 may be")
    accept("sign-otp-request-envelope", pb.SignOtpRequest(mastercard=pb.MastercardInput(version=3, expiry="1230"), account_envelope=pattern("envelope", 61), envelope_context=b"card 7"), "a number in an envelope")
    accept("sign-otp-request-surrogate", pb.SignOtpRequest(visa=pb.VisaInput(type=pb.MBPAD, expiry="1230"), account_surrogate=surrogate), "a number by its surrogate")
    accept("provision-pass-surrogate", pb.ProvisionPassRequest(scheme=pb.EV_ECC_V2, configuration=pb.ENCRYPTED_ACCOUNT_NUMBER, expiration="12/30", account_surrogate=surrogate, network_key=KEY), "a number by its surrogate, for the network's key")
    refuse("provision-pass-network-key", "ProvisionPassRequest", "bad-value 20", number(1, 1) + number(3, 3) + delimited(20, KEY[:15]), "15 bytes where 16 must be")
    accept("visa-input-activation", pb.VisaInput(type=pb.MBPAC, nonce=pattern("nonce", 64), authentication_code="A" * 32), "the longest nonce and code")
    accept("visa-input-account", pb.VisaInput(type=pb.MPAD, account_number="4" * 19, expiry="1230"), "the newer name, the longest number")
    accept("visa-input-type-only", visa.__class__(type=pb.MPAC), "what is absent is the pass's")
    accept("mastercard-input-2", pb.MastercardInput(version=2, account_number="5204240499131816", expiry="0430", token_reference="DWSPMC000000000132d72d4fcb2f4136a0532d3093ff1a45"), "version 2 with a token's reference")
    accept("mastercard-input-3", pb.MastercardInput(version=3, account_number="5204240499131816", expiry="0430", valid_until=1893456000), "version 3 with its end")
    accept("mastercard-input-version-only", pb.MastercardInput(version=4), "what is absent is the pass's")
    accept("provision-pass-number", pb.ProvisionPassRequest(**apple, **numbered, visa=visa), "configuration 1, Visa")
    accept("provision-pass-identifier", pb.ProvisionPassRequest(**dict(apple, certificates=certificates), configuration=pb.ACCOUNT_IDENTIFIER, primary_account_identifier="FAPLMC0000", product_type="X", activation_data=pattern("activation", 70)), "configuration 2, three certificates, activation data passed through")
    accept("provision-pass-encrypted", pb.ProvisionPassRequest(**apple, configuration=pb.ENCRYPTED_ACCOUNT_NUMBER, encrypted_primary_account_number="TUJQQUQ=", name="Zo\u00eb \"B\"", primary_account_number_prefix="483692046", network_name="Visa"), "configuration 3; text is not escaped on the wire")
    accept("provision-pass-envelope", pb.ProvisionPassRequest(**apple, configuration=pb.ENCRYPTED_ACCOUNT_NUMBER_UNNAMED, expiration="12/30", account_envelope=pattern("envelope", 61), envelope_context=b"order 7", mastercard=pb.MastercardInput(version=3)), "a sealed number")
    accept("provision-pass-empty", pb.ProvisionPassRequest(scheme=pb.EV_RSA_V2, configuration=pb.ACCOUNT_NUMBER), "what must be there is the operation's business")
    accept("provision-pass-reply", pb.ProvisionPassReply(encrypted_pass_data=pattern("pass", 300), ephemeral_public_key=b"\x04" + pattern("point", 64), activation_data=b"MBPAC-1-FK-123456.1--TDEA-00"), "all three")
    accept("provision-pass-reply-without-activation", pb.ProvisionPassReply(encrypted_pass_data=pattern("pass", 17), ephemeral_public_key=b"\x04" + pattern("point", 64)), "no activation data")
    accept("provision-trace-request", pb.ProvisionTraceRequest(recipient=b"\x04" + pattern("recipient", 64), ephemeral_private_key=pattern("scalar", 32), pass_data=b"Data to encrypt"), "the inputs of a log")
    accept("provision-trace-reply", pb.ProvisionTraceReply(public_key_hash=pattern("hash", 32), ephemeral_public_key=b"\x04" + pattern("point", 64), shared_secret=pattern("z", 32), other_info=pattern("info", 84), shared_key=pattern("key", 32), encrypted_pass_data=pattern("pass", 31)), "every value")
    accept("sign-otp-request-code", pb.SignOtpRequest(subject="customer-7", counter=0), "a counter of zero is there")
    accept("sign-otp-request-own", pb.SignOtpRequest(), "the key's own next code")
    accept("sign-otp-request-visa", pb.SignOtpRequest(visa=pb.VisaInput(type=pb.MBPAD, account_number="4111111111111111", expiry="1230")), "a value for Visa")
    accept("sign-otp-request-mastercard", pb.SignOtpRequest(mastercard=pb.MastercardInput(version=4, account_number="5204240499131816", expiry="0430")), "a value for Mastercard")
    accept("sign-otp-reply", pb.SignOtpReply(otp="755224", counter=0), "the first counted code")
    accept("sign-otp-reply-network", pb.SignOtpReply(otp="MBPAD-1-FK-123456.1--TDEA-00"), "a network's value has no counter")
    accept("verify-otp-request", pb.VerifyOtpRequest(subject="s" * 128, code="94287082"), "the longest subject and code")
    accept("verify-otp-reply", pb.VerifyOtpReply(counter=37037036), "a time step")
    accept("verify-otp-reply-first", pb.VerifyOtpReply(), "counter zero")
    accept("enrol-authenticator-request", pb.EnrolAuthenticatorRequest(subject="cardholder-7", retry_key=pattern("retry", 16)), "a person's authenticator")
    accept("enrol-authenticator-reply", pb.EnrolAuthenticatorReply(secret=pattern("secret", 20), number=2, otp=pb.OtpParameters(digits=6, hash=pb.OTP_SHA1, step=30, window=1, failures=5, lockout=900)), "a second authenticator, for codes of time")
    accept("reset-otp-lockout-request", pb.ResetOtpLockoutRequest(subject="cardholder-7"), "somebody's codes")
    accept("reset-otp-lockout-request-own", pb.ResetOtpLockoutRequest(), "the key's own codes")
    accept("reset-otp-lockout-reply", pb.ResetOtpLockoutReply(failures=12), "wrong codes that are forgotten")
    accept("reset-otp-lockout-reply-none", pb.ResetOtpLockoutReply(), "there were none")

    refuse("enum-released-field-unknown", "Rejection", "bad-value 3", number(1, 28) + number(3, 18), "the signing time is no field that can be required")
    refuse("enum-pass-field-unknown", "Rejection", "bad-value 2", number(1, 51) + number(2, 14), "a field that does not exist")
    refuse("enum-scheme-unknown", "ProvisionPassRequest", "bad-value 1", number(1, 3), "a scheme that does not exist")
    refuse("enum-configuration-absent", "ProvisionPassRequest", "bad-value 3", number(1, 1), "no configuration")
    refuse("enum-visa-type-absent", "VisaInput", "bad-value 1", delimited(2, b"n"), "no type")
    refuse("enum-otp-hash-unknown", "OtpParameters", "bad-value 4", number(4, 4), "a hash that does not exist")
    refuse("size-tav-version", "MastercardInput", "bad-value 1", number(1, 5), "a version that does not exist")
    refuse("size-tav-version-absent", "MastercardInput", "bad-value 1", b"", "no version")
    refuse("size-recipient", "ProvisionTraceRequest", "bad-value 1", delimited(1, pattern("recipient", 64)), "64 bytes where 65 must be")
    refuse("too-many-certificates", "ProvisionPassRequest", "too-long 2", number(1, 1) + delimited(2, b"c") * 4, "four where three may be")
    refuse("too-long-nonce", "ProvisionPassRequest", "too-long 8", number(1, 1) + number(3, 1) + delimited(8, pattern("nonce", 65)), "65 bytes where 64 may be")
    refuse("too-long-account-number", "ProvisionPassRequest", "too-long 11", number(1, 1) + number(3, 1) + delimited(11, b"4" * 20), "20 digits where 19 may be")
    refuse("too-long-subject", "VerifyOtpRequest", "too-long 1", delimited(1, b"s" * 129), "129 bytes where 128 may be")
    refuse("too-long-reset", "ResetOtpLockoutRequest", "too-long 1", delimited(1, b"s" * 129), "129 bytes where 128 may be")
    refuse("size-enrolled-subject", "EnrolAuthenticatorRequest", "bad-value 1", delimited(2, pattern("retry", 16)), "nobody's authenticator")
    refuse("size-enrolment-retry-key", "EnrolAuthenticatorRequest", "bad-value 2", delimited(1, b"s") + delimited(2, pattern("retry", 15)), "15 bytes where 16 must be")
    refuse("size-enrolment-secret", "EnrolAuthenticatorReply", "bad-value 1", number(2, 1), "no secret")
    refuse("too-long-enrolment-secret", "EnrolAuthenticatorReply", "too-long 1", delimited(1, pattern("secret", 65)), "65 bytes where 64 may be")
    refuse("too-long-code", "VerifyOtpRequest", "too-long 2", delimited(2, b"1" * 9), "nine digits")
    refuse("varint-window", "OtpParameters", "varint", number(6, 2**32), "33 bits in a uint32")
    refuse("text-name", "ProvisionPassRequest", "text 6", number(1, 1) + number(3, 1) + delimited(6, b"\xff"), "a name that is not UTF-8")
    refuse("default-input", "SignOtpRequest", "explicit-default 3", delimited(3, b""), "an empty input")
    refuse("unexpected-nested-input", "SignOtpRequest", "unexpected-field 6", delimited(3, number(1, 1) + number(6, 1)), "an input's unknown field")


def refused_messages(pb):
    random = "RandomRequest"
    refuse("unknown-field", random, "unexpected-field 2", number(1, 16) + number(2, 1), "a field that the schema does not have")
    refuse("unknown-field-alone", "ListKeysRequest", "unexpected-field 4", delimited(4, b"x"), "the same before any known field")
    refuse("unknown-field-largest", random, "unexpected-field 536870911", number(1, 16) + number(2**29 - 1, 1), "the largest field number there can be")
    refuse("unknown-field-between", "OpenPaymentTokenReply", "unexpected-field 23", delimited(1, b"4817") + number(23, 1), "a field behind the last")
    refuse("unknown-field-nested", "VerifyPaymentTokenRequest", "unexpected-field 9", delimited(1, ec_token(pb).SerializeToString() + number(9, 1)), "a field that the nested schema does not have")
    refuse("unknown-field-in-element", "DescribeReply", "unexpected-field 4", delimited(3, number(1, 1) + number(4, 1)), "the same in an element of a list")
    refuse("field-zero", random, "unexpected-field 0", tag(0, VARINT) + varint(1), "no field has the number zero")
    refuse("field-too-large", random, "varint", varint(2**32 | 1 << 3) + varint(1), "a tag of more than 32 bits")

    refuse("out-of-order", "ListKeysRequest", "unexpected-field 1", delimited(2, b"b") + delimited(1, b"a"), "descending field numbers")
    refuse("out-of-order-list", "DescribeReply", "unexpected-field 3", number(4, 32) + delimited(3, number(1, 1)), "an element of a list behind a later field")
    refuse("out-of-order-nested", "OpenPaymentTokenRequest", "unexpected-field 2", delimited(1, number(1, 1) + delimited(6, TOKEN["public_key_hash"]) + delimited(2, b"d")), "descending field numbers in a nested message")
    refuse("repeated", "ListKeysRequest", "unexpected-field 1", delimited(1, b"a") + delimited(1, b"a"), "a field twice")
    refuse("repeated-last", random, "unexpected-field 1", number(1, 16) + number(1, 16), "the last field twice")
    refuse("repeated-optional", "OpenPaymentTokenReply", "unexpected-field 7", number(7, 0) + number(7, 0) + number(18, 1), "an optional field twice")
    refuse("repeated-list-split", "OpenPaymentTokenRequest", "unexpected-field 2", delimited(1, ec_token(pb).SerializeToString()) + delimited(2, b"\x01") + delimited(2, b"\x02"), "a packed list in two parts")

    refuse("default-number", random, "explicit-default 1", number(1, 0), "a number at its default")
    refuse("default-bool", "ListKeysReply", "explicit-default 2", number(2, 0), "false")
    refuse("default-string", "ListKeysRequest", "explicit-default 1", delimited(1, b""), "empty text")
    refuse("default-bytes", "RandomReply", "explicit-default 1", delimited(1, b""), "no bytes")
    refuse("default-enum", "Rejection", "explicit-default 1", number(1, 0), "the unspecified stage")
    refuse("default-list", "OpenPaymentTokenRequest", "explicit-default 2", delimited(1, ec_token(pb).SerializeToString()) + delimited(2, b""), "an empty packed list")
    refuse("default-message", "VerifyPaymentTokenRequest", "explicit-default 1", delimited(1, b""), "an empty token")

    refuse("varint-padded", random, "varint", tag(1, VARINT) + varint(16, 2), "16 in two bytes")
    refuse("varint-padded-zero", "OpenPaymentTokenReply", "varint", tag(7, VARINT) + varint(0, 2), "zero in two bytes, where zero may be present")
    refuse("varint-padded-tag", random, "varint", tag(1, VARINT, 2) + varint(16), "a tag in two bytes")
    refuse("varint-padded-length", "RandomReply", "varint", tag(1, DELIMITED) + varint(3, 2) + b"abc", "a length in two bytes")
    refuse("varint-padded-longest", random, "varint", tag(1, VARINT) + varint(16, 10), "16 in ten bytes")
    refuse("varint-padded-element", "OpenPaymentTokenRequest", "varint", delimited(1, ec_token(pb).SerializeToString()) + delimited(2, varint(1, 2)), "1 in two bytes in a packed list")
    refuse("varint-overlong", random, "varint", tag(1, VARINT) + varint(16, 11), "eleven bytes")
    refuse("varint-overflow", "VerifyPaymentTokenReply", "varint", tag(1, VARINT) + b"\xff" * 9 + b"\x02", "65 bits")
    refuse("varint-uint32-overflow", random, "varint", number(1, 2**32 + 16), "33 bits in a uint32")
    refuse("varint-uint32-negative", random, "varint", number(1, 2**64 - 16), "-16 as some languages encode it")
    refuse("varint-bool-two", "ListKeysReply", "varint", number(2, 2), "a bool that is neither 0 nor 1")

    refuse("wire-type-delimited", random, "wire-type 1", delimited(1, b"\x10"), "bytes for a number")
    refuse("wire-type-varint", "ListKeysRequest", "wire-type 1", number(1, 7), "a number for text")
    refuse("wire-type-fixed32", random, "wire-type 1", tag(1, FIXED32) + struct.pack("<I", 16), "fixed32 for a number")
    refuse("wire-type-fixed64", random, "wire-type 1", tag(1, FIXED64) + struct.pack("<Q", 16), "fixed64 for a number")
    refuse("wire-type-group", "VerifyPaymentTokenRequest", "wire-type 1", tag(1, GROUP) + number(1, 1) + tag(1, 4), "a group for a message")
    refuse("wire-type-reserved", random, "wire-type 1", tag(1, 7) + b"\x10", "a wire type that does not exist")
    refuse("wire-type-unpacked", "OpenPaymentTokenRequest", "wire-type 2", delimited(1, ec_token(pb).SerializeToString()) + number(2, 1) + number(2, 8), "a list of numbers that is not packed")
    refuse("wire-type-element", "DescribeReply", "wire-type 3", number(3, 1), "a number for an element")

    unlock = delimited(1, b"passphrase")
    refuse("truncated-value", "UnlockRequest", "truncated", unlock[:-1], "one byte short")
    refuse("truncated-after-length", "UnlockRequest", "truncated", unlock[:2], "nothing behind the length")
    refuse("truncated-after-tag", "UnlockRequest", "truncated", unlock[:1], "nothing behind the tag")
    refuse("truncated-tag", "UnlockRequest", "truncated", b"\x8a", "inside the first tag")
    refuse("truncated-length", "RandomReply", "truncated", tag(1, DELIMITED) + b"\x80", "inside a length")
    refuse("truncated-number", random, "truncated", tag(1, VARINT) + b"\x90", "inside a number")
    refuse("truncated-nested", "VerifyPaymentTokenRequest", "truncated", delimited(1, ec_token(pb).SerializeToString()[:-1]), "the outer length is right, the nested message one byte short")
    refuse("truncated-element", "OpenPaymentTokenRequest", "truncated", delimited(1, ec_token(pb).SerializeToString()) + delimited(2, b"\x81"), "inside a number of a packed list")
    refuse("truncated-huge-length", "RandomReply", "truncated", tag(1, DELIMITED) + varint(2**64 - 1) + b"abc", "a length of 2^64 - 1")
    refuse("truncated-large-length", "RandomReply", "truncated", tag(1, DELIMITED) + varint(2**63) + b"abc", "a length of 2^63")
    refuse("trailing-byte", random, "trailing-bytes", number(1, 16) + b"\x80", "half a tag behind the last field")
    refuse("trailing-padding", random, "trailing-bytes", number(1, 16) + b"\x90\x00", "a padded tag behind the last field")
    refuse("trailing-zero", random, "unexpected-field 0", number(1, 16) + b"\x00", "a zero behind the last field reads as the tag of field 0")

    refuse("wait-absent", "Busy", "bad-value 1", b"", "no wait")
    refuse("wait-too-long", "Busy", "bad-value 1", number(1, 1209600001), "a millisecond more than two weeks")
    refuse("too-long-label", "ListKeysRequest", "too-long 1", delimited(1, b"p" * 129), "129 bytes where 128 may be")
    refuse("too-long-pattern", "ListKeysRequest", "too-long 3", delimited(3, b"p" * 129), "129 bytes where 128 may be")
    refuse("too-long-passphrase", "UnlockRequest", "too-long 1", delimited(1, b"p" * 1025), "1025 bytes where 1024 may be")
    refuse("too-long-random", "RandomReply", "too-long 1", delimited(1, pattern("random", 1025)), "1025 bytes where 1024 may be")
    refuse("too-long-wrapped-key", "PaymentToken", "too-long 5", number(1, 2) + delimited(5, pattern("wrapped key", 1025)), "1025 bytes where 1024 may be")
    refuse("too-long-id", "KeyDescription", "too-long 1", delimited(1, KEY + b"\x00"), "17 bytes where 16 must be")
    refuse("too-long-currency", "OpenPaymentTokenRequest", "too-long 3", delimited(1, ec_token(pb).SerializeToString()) + delimited(3, b"8400"), "four characters")
    refuse("too-long-list", "OpenPaymentTokenRequest", "too-long 2", delimited(1, ec_token(pb).SerializeToString()) + delimited(2, bytes(range(1, 66))), "65 bytes of packed list")
    refuse("too-many-rights", "WhoReply", "too-long 4", delimited(4, b"") * 25, "25 rights where 24 may be")
    refuse("metric-absent", "Figure", "bad-value 1", number(4, 1), "no metric")
    refuse("metric-unknown", "Figure", "bad-value 1", number(1, 33), "a metric that does not exist")
    refuse("too-many-labels", "Figure", "too-long 2", number(1, 1) + delimited(2, b"l") * 3, "three labels where two may be")
    refuse("too-long-metric-label", "Figure", "too-long 2", number(1, 1) + delimited(2, b"l" * 129), "129 bytes where 128 may be")
    refuse("too-long-figure", "MetricsReply", "too-long 1", delimited(1, number(1, 1) + delimited(2, b"l" * 513)), "more than 512 bytes of a figure")
    refuse("too-many-keys-of-a-right", "Right", "too-long 3", delimited(3, b"k") * 129, "129 keys where 128 may be")
    refuse("text-of-a-list", "Right", "text 2", delimited(2, b"who") + delimited(2, b"\xff"), "the second text of a list is no UTF-8")
    refuse("too-long-digested", "AuditDigestRequest", "too-long 2", number(1, 1) + delimited(2, b"t" * 129), "129 bytes where 128 may be")
    refuse("too-long-digest", "AuditDigestReply", "too-long 1", delimited(1, b"h" * 77), "77 bytes where 76 may be")
    refuse("digest-absent", "AuditDigestReply", "bad-value 1", b"", "no digest")
    refuse("enum-digest-field-absent", "AuditDigestRequest", "bad-value 1", delimited(2, b"4"), "no field")
    refuse("enum-digest-field-unknown", "AuditDigestRequest", "bad-value 1", number(1, 4), "a field that does not exist")
    signed = number(1, 9) + delimited(2, pattern("root", 32))
    refuse("review-root", "ReviewLogRequest", "bad-value 2", number(1, 9) + delimited(2, pattern("root", 31)) + delimited(3, b"clean"), "31 bytes where 32 must be")
    refuse("review-outcome-absent", "ReviewLogRequest", "bad-value 3", signed + delimited(4, b"n"), "no outcome")
    refuse("review-outcome-unknown", "ReviewLogRequest", "bad-value 3", signed + number(3, 4), "an outcome that does not exist")
    refuse("review-note-long", "ReviewLogRequest", "too-long 4", signed + number(3, 1) + delimited(4, b"n" * 501), "501 bytes where 500 may be")
    refuse("too-many-keys", "ListKeysReply", "too-long 1", delimited(1, delimited(1, KEY)) * 65, "65 keys where 64 may be")

    token = ec_token(pb)
    refuse("size-transaction-id", "PaymentToken", "bad-value 7", number(1, 1) + delimited(6, TOKEN["public_key_hash"]) + delimited(7, b"t" * 31), "31 bytes where 32 must be")
    refuse("size-public-key-hash-absent", "PaymentToken", "bad-value 6", number(1, 1) + delimited(7, TOKEN["transaction_id"]), "a field that must be there is not")
    refuse("size-application-data", "PaymentToken", "bad-value 8", token.SerializeToString() + delimited(8, b"a" * 31), "31 bytes where 32 or none must be")
    refuse("size-expected-application-data", "VerifyPaymentTokenRequest", "bad-value 2", delimited(1, token.SerializeToString()) + delimited(2, b"a" * 20), "20 bytes where 32 or none must be")
    refuse("size-retry-key", "OpenPaymentTokenRequest", "bad-value 7", delimited(1, token.SerializeToString()) + delimited(7, b"k" * 15), "15 bytes where 16 or none must be")
    refuse("unknown-field-later", "OpenPaymentTokenRequest", "unexpected-field 8", delimited(1, token.SerializeToString()) + delimited(7, b"k" * 16) + number(8, 1), "a field that a later client may have")
    refuse("size-id", "KeyDescription", "bad-value 1", delimited(1, KEY[:15]), "15 bytes where 16 must be")
    refuse("size-id-absent", "KeyDescription", "bad-value 1", b"", "a key without its id")
    refuse("size-drilled-id", "DrilledKey", "bad-value 1", delimited(1, b"i" * 15) + delimited(2, b"c"), "an id of 15 bytes")
    refuse("size-drilled-check-absent", "DrilledKey", "bad-value 2", delimited(1, b"i" * 16), "no check value")
    refuse("size-drill-after", "RecordDrillRequest", "bad-value 4", delimited(2, b"k" * 5) + delimited(4, b"i" * 15), "an id of 15 bytes")
    refuse("size-drill-kek", "RecordDrillRequest", "bad-value 2", delimited(2, b"k" * 4), "a check value of 4 bytes")
    refuse("too-long-share", "SubmitShareRequest", "too-long 1", delimited(1, b"w" * 38), "38 bytes where 37 may be")
    refuse("size-share-absent", "SubmitShareRequest", "bad-value 1", b"", "no share")
    refuse("size-certificate-absent", "AttachCertificateRequest", "bad-value 1", b"", "no certificate")
    refuse("too-long-certificate", "AttachCertificateRequest", "too-long 1", delimited(1, b"c" * 8193), "8193 bytes where 8192 may be")
    refuse("size-request-absent", "ApproveRequest", "bad-value 1", b"", "no request")
    refuse("too-long-request", "ApproveRequest", "too-long 1", delimited(1, b"r" * 17), "17 bytes where 16 may be")
    refuse("size-copy-digest", "BackUpReply", "bad-value 2", delimited(1, b"n") + delimited(2, b"h" * 31), "31 bytes where 32 must be")
    refuse("too-long-copy-name", "BackUpReply", "too-long 1", delimited(1, b"n" * 65) + delimited(2, b"h" * 32), "a name of 65 bytes")
    refuse("size-policy-hash", "SwapPolicyRequest", "bad-value 1", delimited(1, b"h" * 31), "31 bytes where 32 must be")
    refuse("size-passphrase-absent", "UnlockRequest", "bad-value 1", b"", "no passphrase")
    refuse("size-count-absent", random, "bad-value 1", b"", "no count")
    refuse("size-count", random, "bad-value 1", number(1, 1025), "more than a request may ask for")
    refuse("size-token-absent", "OpenPaymentTokenRequest", "bad-value 1", b"", "no token: it is read as an empty one, whose version is not there")

    refuse("enum-version-absent", "PaymentToken", "bad-value 1", b"", "no version")
    refuse("enum-version-unknown", "PaymentToken", "bad-value 1", number(1, 3), "a version that does not exist")
    refuse("enum-version-folded", "PaymentToken", "bad-value 1", number(1, 257) + token.SerializeToString()[2:], "257 is not 1")
    refuse("enum-stage-absent", "Rejection", "bad-value 1", b"", "no stage")
    refuse("enum-stage-unknown", "Rejection", "bad-value 1", number(1, 29), "a stage that does not exist")
    refuse("enum-stage-folded", "Rejection", "bad-value 1", number(1, 256 + 12), "268 is not 12")
    outer = delimited(1, token.SerializeToString())
    refuse("enum-release-unknown", "OpenPaymentTokenRequest", "bad-value 2", outer + delimited(2, b"\x12"), "a released field that does not exist")
    refuse("enum-release-zero", "OpenPaymentTokenRequest", "bad-value 2", outer + delimited(2, b"\x00"), "the unspecified field")
    refuse("enum-release-jwe", "OpenPaymentTokenRequest", "bad-value 2", outer + delimited(2, b"\x01\x16"), "a JWE follows from the grant and is not asked for")
    refuse("enum-release-folded", "OpenPaymentTokenRequest", "bad-value 2", outer + delimited(2, varint(257)), "257 is not 1")
    refuse("release-descending", "OpenPaymentTokenRequest", "bad-value 2", outer + delimited(2, b"\x08\x01"), "cryptogram before dpan")
    refuse("release-duplicate", "OpenPaymentTokenRequest", "bad-value 2", outer + delimited(2, b"\x01\x01"), "dpan twice")

    refuse("text-invalid", "ListKeysRequest", "text 1", delimited(1, b"a\xff"), "a byte that UTF-8 does not have")
    refuse("text-overlong", "ListKeysRequest", "text 1", delimited(1, b"\xc0\xaf"), "a slash in two bytes")
    refuse("text-surrogate", "ListKeysRequest", "text 2", delimited(2, b"\xed\xa0\x80"), "half a surrogate pair")
    refuse("text-cut", "ListKeysRequest", "text 1", delimited(1, "caf\u00e9".encode()[:-1]), "the last character is cut")
    refuse("text-beyond-unicode", "ListKeysRequest", "text 1", delimited(1, b"\xf4\x90\x80\x80"), "behind the last code point")
    refuse("text-currency", "OpenPaymentTokenRequest", "text 3", outer + delimited(3, b"84\xb0"), "text that is only compared must be text, too")
    refuse("text-released", "OpenPaymentTokenReply", "text 1", delimited(1, b"\xff") + number(18, 1), "so must a released field")


def frames(pb):
    ping = request(1, 1, NO_KEY, b"")
    random = request(5, 2, NO_KEY, pb.RandomRequest(count=16).SerializeToString())
    accept_frames("request-ping", "request", [ping], "the shortest frame: length 28, no body")
    accept_frames("request-ready", "request", [request(8, 1, NO_KEY, b"")], "whether the daemon serves; no body")
    accept_frames("request-describe-key", "request", [request(4, 2**64 - 1, KEY, b"")], "a key id, no body, the largest request id")
    accept_frames("request-open-payment-token", "request", [request(0x11, 7, TOKEN["public_key_hash"][:16], pb.OpenPaymentTokenRequest(token=ec_token(pb)).SerializeToString())], "the key id is the first half of the token's public key hash")
    accept_frames("request-unknown-opcode", "request", [request(0xFFFF, 3, NO_KEY, b"\xff")], "a well-formed frame; the answer is the status unsupported")
    accept_frames("request-pipelined", "request", [ping, random, request(1, 3, NO_KEY, b"")], "three requests in one write")
    accept_frames("request-wait", "request", [request(5, 2, NO_KEY, b"\x08\x10", flags=1)], "a busy reply is to say for how long")
    refuse_frames("request-version-0", "request", "version", request(1, 1, NO_KEY, b"", version=0)[1], "version 0")
    refuse_frames("request-version-2", "request", "version", request(1, 1, NO_KEY, b"", version=2)[1], "version 2")
    refuse_frames("request-flags-low", "request", "reserved-bits", request(1, 1, NO_KEY, b"", flags=2)[1], "the lowest reserved flag")
    refuse_frames("request-flags-high", "request", "reserved-bits", request(1, 1, NO_KEY, b"", flags=0x80)[1], "the highest reserved flag")
    refuse_frames("request-length-0", "request", "frame-size", struct.pack(">I", 0), "an empty frame")
    refuse_frames("request-length-27", "request", "frame-size", ping[1].replace(b"\x00\x00\x00\x1c", b"\x00\x00\x00\x1b", 1)[:-1], "shorter than a header")
    refuse_frames("request-length-largest", "request", "frame-size", b"\xff\xff\xff\xff" + ping[1][4:], "4 GiB: refused before a byte is given room")
    refuse_frames("request-length-sign", "request", "frame-size", b"\x80\x00\x00\x1c" + ping[1][4:], "the sign bit")
    refuse_frames("request-length-over", "request", "frame-size", struct.pack(">I", 128 * 1024 + 1) + ping[1][4:], "one byte more than any request may have")
    refuse_frames("request-length-little-endian", "request", "frame-size", struct.pack("<I", 28) + ping[1][4:], "28 in the wrong byte order")
    refuse_frames("request-length-lies-long", "request", "truncated", request(5, 2, NO_KEY, b"\x08\x10", length=31)[1], "the connection ends one byte before the frame")
    refuse_frames("request-length-lies-short", "request", "frame-size", request(5, 2, NO_KEY, b"\x08\x10\x00\x00\x00\x00", length=30)[1], "what is left is read as the next frame, whose length is 0")
    refuse_frames("request-cut-length", "request", "truncated", ping[1][:3], "the connection ends inside the length")
    refuse_frames("request-cut-header", "request", "truncated", ping[1][:31], "the connection ends inside the header")

    body = pb.RandomReply(random=pattern("random", 16)).SerializeToString()
    accept_frames("reply-ping", "reply", [reply(0, 1, 1, UNAUDITED, b"")], "the shortest frame; a ping has no audit record")
    accept_frames("reply-ready", "reply", [reply(status, 8, 1 + status, UNAUDITED, b"") for status in (0, 6, 7)], "served, locked, and without a log: the status alone, and no audit record")
    accept_frames("reply-random", "reply", [reply(0, 5, 2, 41, body)], "a body")
    accept_frames("reply-denied", "reply", [reply(3, 0x11, 7, 42, b"")], "no body, and the record to quote")
    accept_frames("reply-rejected-silent", "reply", [reply(4, 0x11, 7, 43, b"")], "no stage for this caller")
    accept_frames("reply-malformed-body", "reply", [reply(1, 0x11, 7, 44, pb.Malformation(why="count is 1025; it takes 1 to 1024").SerializeToString())], "what is wrong with the request")
    accept_frames("reply-rejected-stage", "reply", [reply(4, 0x11, 7, 44, pb.Rejection(stage=pb.SIGNATURE).SerializeToString())], "the stage, where the grant shows it")
    accept_frames("reply-busy", "reply", [reply(5, 5, 2, 45, pb.Busy(retry_after=250).SerializeToString())], "for how long, where the request asks")
    accept_frames("reply-every-status", "reply", [reply(status, 1, status, UNAUDITED, b"") for status in range(10)], "each status once")
    refuse_frames("reply-version-2", "reply", "version", reply(0, 1, 1, UNAUDITED, b"", version=2)[1], "version 2")
    refuse_frames("reply-status-unknown", "reply", "bad-value 0", reply(10, 1, 1, UNAUDITED, b"")[1], "a status that does not exist")
    refuse_frames("reply-status-largest", "reply", "bad-value 0", reply(255, 1, 1, UNAUDITED, b"")[1], "another one")
    refuse_frames("reply-length-19", "reply", "frame-size", reply(0, 1, 1, UNAUDITED, b"", length=19)[1][:-1], "shorter than a header")
    refuse_frames("reply-length-over", "reply", "frame-size", reply(0, 1, 1, UNAUDITED, b"", length=1024 * 1024 + 1)[1], "one byte more than any reply may have")
    refuse_frames("reply-cut-body", "reply", "truncated", reply(0, 5, 2, 41, body)[1][:-1], "the connection ends inside the body")


# Where they go


def schema():
    """The module that `protoc` makes of ../kist.proto."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", f"--proto_path={HERE.parent}", f"--python_out={folder}", "kist.proto"], check=True)
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        return importlib.import_module("kist_pb2")


def main():
    pb = schema()
    accepted_messages(pb)
    issuer_messages(pb)
    refused_messages(pb)
    accept_primitives(pb)
    refuse_primitives(pb)
    accept_stand_ins(pb)
    refuse_stand_ins(pb)
    frames(pb)
    present = {path.name: path.read_text(encoding="utf-8") for path in HERE.glob("*.txt")}
    if sys.argv[1:] == ["--check"]:
        differing = sorted(name for name in present.keys() | vectors.keys() if present.get(name) != vectors.get(name))
        print("\n".join(differing) or f"{len(vectors)} vectors: as generated")
        sys.exit(1 if differing else 0)
    for name in present.keys() - vectors.keys():
        (HERE / name).unlink()
    for name, text in vectors.items():
        (HERE / name).write_text(text, encoding="utf-8")
    print(f"{len(vectors)} vectors")


main()
