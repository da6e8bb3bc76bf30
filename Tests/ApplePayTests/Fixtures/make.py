#!/usr/bin/env python3
"""Makes the fixtures beside this file with the independent oracle; run once, the files are checked in.

  python3 make.py ../shared/oracle

Each file: the token, the root it is verified against, the merchant's key, the clock, and the stage at which it must be
refused ("ok" where it opens to "plaintext").
"""
import datetime as dt, json, os, secrets, sys
sys.path.insert(0, sys.argv[1])
import oracle as o
from oracle import b64d, b64e, der, der_oid, ec, hashes, padding, rsa, ser, sha256, x509

HERE = os.path.dirname(os.path.abspath(__file__))
NOW = dt.datetime(2026, 11, 20, 9, 30, 0, tzinfo=o.UTC)
BODY = json.dumps(o.SAMPLE, separators=(",", ":")).encode()
DER = lambda c: c.public_bytes(ser.Encoding.DER)
P256 = lambda: ec.generate_private_key(ec.SECP256R1())
NULL = b"\5\0"
EC_KEY, EC_CERT = o.make_merchant("EC_v1")
RSA_KEY, RSA_CERT = o.make_merchant("RSA_v1")
HASH = o.merchant_id_hash(EC_CERT)
PKI, RSA_PKI = o.test_pki(), o.test_pki(leaf_rsa=True)
ECDSA_SHA384, SHA384 = "1.2.840.10045.4.3.3", "2.16.840.1.101.3.4.2.2"


def cms(content, pki, certs=None, attrs=None, drop=(), time=None, ctype=o.C_DATA, digest_alg=der(0x30, der_oid(o.SHA256), NULL),
        sig_alg=None, issuer=None, serial=None, signers=1, signed=True, key=None, tail=b"", after_certs=b"", inside=b""):
    leaf, lk = pki["leaf"], key or pki["leaf_key"]
    is_rsa = isinstance(lk, rsa.RSAPrivateKey)
    attribute = lambda oid, *values: der(0x30, der_oid(oid), der(0x31, *values))
    known = {"type": attribute(o.A_CTYPE, der_oid(ctype)), "digest": attribute(o.A_MDIGEST, der(4, sha256(content))),
             "time": attribute(o.A_STIME, time or der(0x17, NOW.strftime("%y%m%d%H%M%SZ").encode()))}
    body = b"".join(sorted([v for k, v in known.items() if k not in drop] + list(attrs or [])))
    tbs = der(0x31, body) if signed else content
    sig = lk.sign(tbs, padding.PKCS1v15(), hashes.SHA256()) if is_rsa else lk.sign(tbs, ec.ECDSA(hashes.SHA256()))
    number = leaf.serial_number if serial is None else serial
    sid = der(0x30, issuer or leaf.issuer.public_bytes(), der(2, number.to_bytes(number.bit_length() // 8 + 1, "big")))
    sig_alg = sig_alg or (der(0x30, der_oid(o.RSA_SHA256), NULL) if is_rsa else der(0x30, der_oid(o.ECDSA_SHA256)))
    si = der(0x30, der(2, b"\1"), sid, digest_alg, der(0xA0, body) if signed else b"", sig_alg, der(4, sig), tail)
    certs = [pki["leaf"], pki["inter"]] if certs is None else certs
    sd = der(0x30, der(2, b"\1"), der(0x31, digest_alg), der(0x30, der_oid(o.C_DATA), inside),
             der(0xA0, *map(DER, certs)), after_certs, der(0x31, *([si] * signers)))
    return der(0x30, der_oid(o.C_SIGNED), der(0xA0, sd))


def save(name, stage, token, pki, key=EC_KEY, plaintext=BODY, merchant_hash=HASH):
    v = dict(id=name, stage=stage, clock=NOW.isoformat(), root=b64e(DER(pki["root"])), merchantIdHash=merchant_hash.hex(),
             privateKey=b64e(key.private_bytes(ser.Encoding.DER, ser.PrivateFormat.PKCS8, ser.NoEncryption())), token=token)
    if stage == "ok": v["plaintext"] = plaintext.decode()
    with open(os.path.join(HERE, name + ".json"), "w") as f: json.dump(v, f, indent=1); f.write("\n")


def ec_case(name, stage, pki=PKI, make=o.make_token, version="EC_v1", **kw):
    key = EC_KEY if version == "EC_v1" else RSA_KEY
    token = make(version, BODY, key, HASH, pki, NOW)
    token["signature"] = b64e(cms(o.signed_bytes(token), pki, **kw))
    save(name, stage, token, pki, key)
    return token


def chain(leaf_exts=(), inter_exts=(), leaf_ca=None, inter_ca=0, root=None, leaf_ku=None, inter_ku=None, inter_nb=None):
    mark = lambda oid: (oid, NULL, False)
    base = o.test_pki()
    ik, lk = P256(), P256()
    root, rk = root or (base["root"], base["root_key"])
    inter = o.make_cert("TEST Application Integration CA - G3", ik, root, rk, [mark(o.OID_PAY_INTERMEDIATE), *inter_exts], ca=inter_ca, ku=inter_ku, nb=inter_nb)
    leaf = o.make_cert("TEST ecc-smp-broker-sign_UC4", lk, inter, ik, [mark(o.OID_PAY_LEAF), *leaf_exts], ca=leaf_ca, ku=leaf_ku)
    return dict(root=base["root"], inter=inter, leaf=leaf, leaf_key=lk, inter_key=ik, root_key=base["root_key"])


def usage(**on):
    names = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only")
    return x509.KeyUsage(**{n: on.get(n, False) for n in names})


# --- must open
ec_case("ec", "ok")
ec_case("rsa", "ok", RSA_PKI, version="RSA_v1")
ec_case("ec-with-root", "ok", certs=[PKI["root"], PKI["inter"], PKI["leaf"]])
ec_case("ec-generalized-time", "ok", time=der(0x18, NOW.strftime("%Y%m%d%H%M%SZ").encode()))
ec_case("ec-unknown-attribute", "ok", attrs=[der(0x30, der_oid("1.2.3.4"), der(0x31, NULL, NULL))])
ec_case("ec-digest-without-parameters", "ok", digest_alg=der(0x30, der_oid(o.SHA256)))
save("ec-application-data", "ok", o.make_token("EC_v1", BODY, EC_KEY, HASH, PKI, NOW, b"order-42"), PKI)
good_usage = chain(leaf_ku=usage(digital_signature=True), inter_ku=usage(key_cert_sign=True))
ec_case("ec-key-usage", "ok", good_usage)
while True:  # [a Z whose first byte is zero: one in 256]
    t = o.make_token("EC_v1", BODY, EC_KEY, HASH, PKI, NOW)
    if o.decrypt_token(t, EC_KEY, HASH)[1]["sharedSecret"].startswith("00"): break
save("ec-leading-zero-z", "ok", t, PKI)

# --- cms
ec_case("two-signers", "cms", signers=2)
ec_case("no-signer", "cms", signers=0)
ec_case("attached", "cms", inside=der(0xA0, der(4, b"content")))
ec_case("unsigned-attributes", "cms", tail=der(0xA1, der(0x30, der_oid("1.2.3.4"), der(0x31, NULL))))
ec_case("revocation-list", "cms", after_certs=der(0xA1))
ec_case("one-certificate", "cms", certs=[PKI["leaf"]])
ec_case("four-certificates", "cms", certs=[PKI["leaf"], PKI["inter"], PKI["root"], PKI["root"]])

# --- certificates
ec_case("no-leaf-marker", "leaf-marker", o.test_pki(leaf_oid=None))
ec_case("two-leaves", "leaf-marker", certs=[PKI["leaf"], PKI["leaf"], PKI["inter"]])
ec_case("no-intermediate-marker", "intermediate-marker", o.test_pki(inter_oid=None))
ec_case("two-intermediates", "intermediate-marker", certs=[PKI["leaf"], PKI["inter"], o.test_pki()["inter"]])
ec_case("extra-certificate", "extra-certificate", certs=[PKI["leaf"], PKI["inter"], EC_CERT])
other = o.test_pki()
ec_case("own-root-sent-along", "extra-certificate", dict(other, root=PKI["root"]), certs=[other["leaf"], other["inter"], other["root"]])
ec_case("own-intermediate", "chain", dict(other, root=PKI["root"]))
ec_case("leaf-of-another-intermediate", "chain", dict(PKI, inter=chain(root=(PKI["root"], PKI["root_key"]))["inter"]))
renamed = x509.CertificateBuilder().subject_name(x509.Name([x509.NameAttribute(o.NameOID.COMMON_NAME, "TEST Other Root")])).issuer_name(
    x509.Name([x509.NameAttribute(o.NameOID.COMMON_NAME, "TEST Other Root")])).public_key(PKI["root_key"].public_key()).serial_number(
    1).not_valid_before(NOW).not_valid_after(NOW + dt.timedelta(1)).sign(PKI["root_key"], hashes.SHA256())
ec_case("root-key-of-another-name", "chain", dict(chain(root=(renamed, PKI["root_key"])), root=PKI["root"]))
ec_case("intermediate-is-no-ca", "chain", chain(inter_ca=None))
ec_case("leaf-is-ca", "chain", chain(leaf_ca=0))
ec_case("leaf-with-unknown-critical", "chain", chain(leaf_exts=[("1.2.3.4", NULL, True)]))
ec_case("intermediate-with-unknown-critical", "chain", chain(inter_exts=[("1.2.3.4", NULL, True)]))
ec_case("leaf-may-not-sign", "chain", chain(leaf_ku=usage(key_agreement=True)))
ec_case("intermediate-may-not-sign", "chain", chain(inter_ku=usage(digital_signature=True)))
ec_case("signer-of-other-serial", "signer", serial=PKI["inter"].serial_number)
ec_case("signer-of-other-issuer", "signer", issuer=PKI["root"].subject.public_bytes())

# --- algorithms
ec_case("rsa-leaf-on-ec", "algorithm", RSA_PKI)
ec_case("ec-leaf-on-rsa", "algorithm", PKI, version="RSA_v1")
ec_case("digest-sha384", "algorithm", digest_alg=der(0x30, der_oid(SHA384), NULL))
ec_case("signature-sha384", "algorithm", sig_alg=der(0x30, der_oid(ECDSA_SHA384)))
ec_case("signature-parameters", "algorithm", sig_alg=der(0x30, der_oid(o.ECDSA_SHA256), NULL))

# --- attributes and signature
twice = lambda oid, *values: [der(0x30, der_oid(oid), der(0x31, *values))]
utc = der(0x17, NOW.strftime("%y%m%d%H%M%SZ").encode())
ec_case("no-signed-attributes", "signed-attributes", signed=False)
ec_case("no-signing-time", "signed-attributes", drop=("time",))
ec_case("no-message-digest", "signed-attributes", drop=("digest",))
ec_case("no-content-type", "signed-attributes", drop=("type",))
ec_case("two-signing-times", "signed-attributes", attrs=twice(o.A_STIME, utc))
ec_case("two-valued-digest", "signed-attributes", drop=("digest",), attrs=twice(o.A_MDIGEST, der(4, bytes(32)), der(4, bytes(32))))
ec_case("other-content-type", "signed-attributes", ctype=o.C_SIGNED)
ec_case("time-with-zone", "signed-attributes", time=der(0x17, b"261120093000+0000"))
ec_case("time-that-is-none", "signed-attributes", time=der(0x17, b"261320093000Z"))
ec_case("other-message-digest", "message-digest", drop=("digest",), attrs=twice(o.A_MDIGEST, der(4, bytes(32))))
ec_case("forged", "signature", key=P256())
ec_case("forged-rsa", "signature", RSA_PKI, version="RSA_v1", key=rsa.generate_private_key(65537, 2048))
ec_case("expired-leaf", "certificate-validity", o.test_pki(na=dt.datetime(2026, 1, 1, tzinfo=o.UTC)))
ec_case("intermediate-not-yet-valid", "certificate-validity", chain(inter_nb=dt.datetime(2027, 1, 1, tzinfo=o.UTC)))
ec_case("stale", "signing-time", time=der(0x17, (NOW - dt.timedelta(seconds=301)).strftime("%y%m%d%H%M%SZ").encode()))
ec_case("from-the-future", "signing-time", time=der(0x17, (NOW + dt.timedelta(seconds=301)).strftime("%y%m%d%H%M%SZ").encode()))


# --- behind a good signature
def resigned(name, stage, version, change):
    key, pki = (EC_KEY, PKI) if version == "EC_v1" else (RSA_KEY, RSA_PKI)
    token = o.make_token(version, BODY, key, HASH, pki, NOW)
    change(token)
    token["signature"] = b64e(cms(o.signed_bytes(token), pki))
    save(name, stage, token, pki, key)


def edit(field, f):
    def change(t):
        holder = t if field == "data" else t["header"]
        holder[field] = b64e(f(b64d(holder[field])))
    return change


flip_last = lambda b: b[:-1] + bytes([b[-1] ^ 1])
mgf1_sha1 = lambda _: RSA_KEY.public_key().encrypt(secrets.token_bytes(16), padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA256(), None))
long_key = lambda _: RSA_KEY.public_key().encrypt(secrets.token_bytes(32), padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None))
resigned("other-public-key", "public-key-hash", "EC_v1", edit("publicKeyHash", flip_last))
resigned("ephemeral-off-curve", "key-agreement", "EC_v1", edit("ephemeralPublicKey", flip_last))
resigned("ephemeral-hybrid", "key-agreement", "EC_v1", edit("ephemeralPublicKey", lambda b: b[:26] + bytes([6 | b[-1] & 1]) + b[27:]))
resigned("ephemeral-other-curve", "key-agreement", "EC_v1", edit("ephemeralPublicKey", lambda b: b[:22] + b"\x01" + b[23:]))
resigned("wrapped-garbage", "key-agreement", "RSA_v1", edit("wrappedKey", flip_last))
resigned("wrapped-mgf1-sha1", "key-agreement", "RSA_v1", edit("wrappedKey", mgf1_sha1))
resigned("wrapped-32-bytes", "key-agreement", "RSA_v1", edit("wrappedKey", long_key))
resigned("wrong-tag", "tag", "EC_v1", edit("data", flip_last))
resigned("wrong-tag-rsa", "tag", "RSA_v1", edit("data", flip_last))
EC_OTHER = sha256(b"merchant.com.example.other")
save("other-merchant", "tag", o.make_token("EC_v1", BODY, EC_KEY, EC_OTHER, PKI, NOW), PKI)
