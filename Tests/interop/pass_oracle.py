#!/usr/bin/env python3
"""Verifies what `kist sandbox pass-request` makes, and seals passes for `kist sandbox pass-open`, with a program that shares no code with them.

Usage: pass_oracle.py [KIST]   (default: the debug build of this checkout)
The oracle is oracle/oracle.py in KIST_SHARED, or in ../shared.
"""
import base64, json, os, pathlib, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from mint_oracle import KIST, NOW, ORACLE, Sandbox, check, kist, load_oracle

NUMBER = "4109370251004320"
# What the oracle calls the check at which each defect fails; it does not know the phone.
DEFECTS = {"other-root": "chain-intermediate", "no-leaf-marker": "leaf-oid", "expired": "cert-expired", "bad-nonce-signature": None}
CARDS = {
    1: dict(primaryAccountNumber=NUMBER, name="Zoë", expiration="12/30"),
    2: dict(primaryAccountIdentifier="FPAN-1"),
    3: dict(primaryAccountNumberPrefix=NUMBER[:6], networkName="Visa", name="Zoë"),
}


def encoded(data):
    return base64.b64encode(data).decode()


class Phone(Sandbox):
    def request(self, *words):
        """Certificates, nonce and signature."""
        request = json.loads(kist("sandbox", "pass-request", "--dir", self.directory, *words))
        check(list(request) == ["certificates", "nonce", "nonceSignature"], f"members {list(request)}")
        return [base64.b64decode(der, validate=True) for der in request["certificates"]], *map(base64.b64decode, list(request.values())[1:])

    def verified(self, *words, root=None):
        """The leaf's public key, or the oracle's word for the check that failed."""
        try:
            return self.oracle.verify_issuer_chain(self.request(*words)[0], root or self.root, NOW).public_key()
        except self.oracle.Reject as refused:
            return refused.code

    def open(self, sealed, activation):
        answer = {
            "encryptedPassData": encoded(sealed["encryptedPassData"]), "ephemeralPublicKey": encoded(sealed["ephemeralPublicKey"]),
            "activationData": encoded(activation.encode()),
        }
        command = [KIST, "sandbox", "pass-open", "-", "--dir", self.directory]
        done = subprocess.run(command, input=json.dumps(answer, indent=1), capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def is_signed(oracle, phone, nonce, signature):
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        oracle.load_cert(phone.file("phone.cer")).public_key().verify(signature, nonce, ec.ECDSA(hashes.SHA256()))
        return True
    except InvalidSignature:
        return False


def main():
    if not ORACLE.exists():
        check(os.environ.get("CI") != "true", f"there is no {ORACLE}")
        print(f"skipped: there is no {ORACLE}")
        return
    oracle = load_oracle()
    opened = 0
    with tempfile.TemporaryDirectory() as folder:
        phone = Phone(oracle, pathlib.Path(folder) / "sandbox")
        for defect, expected in DEFECTS.items():
            found = phone.verified("--defect", defect)
            check(found == expected or expected is None and not isinstance(found, str), f"{defect}: {found}, not {expected}")
        check(not is_signed(oracle, phone, *phone.request("--defect", "bad-nonce-signature")[1:]), "bad-nonce-signature is good")
        check(phone.verified(root=oracle.apple_root()) == "chain-intermediate", "Apple's root vouches for it")

        visa, mastercard = phone.file("issuer-visa.key"), oracle.load_key(phone.file("issuer-mastercard.key"))
        for configuration, card in CARDS.items():
            _, nonce, signature = phone.request()
            check(is_signed(oracle, phone, nonce, signature), "the phone did not sign its nonce")
            account = f"pan={NUMBER};expiry=1230;datetime=20261120093000"
            values = {
                "": None, oracle.visa_otp("MBPAD", visa, "sandbox.1", account): account,
                oracle.visa_otp("MBPAC", visa, "sandbox.1", code := f"nonce={nonce.hex()};authcode=A1"): code,
            }
            if configuration != 2:
                until = "2026-11-20T10:00:00Z"
                values[oracle.make_tav("2", mastercard, NUMBER, "1230")] = f"{NUMBER}Y1230N"
                values[oracle.make_tav("3", mastercard, NUMBER, "1230", until=until)] = f"{NUMBER}|1230|{until}"
            inside = dict(card, nonce=nonce, nonceSignature=signature)
            if configuration == 3:
                inside["encryptedPrimaryAccountNumber"] = encoded(oracle.visa_otp("MPAD", visa, "sandbox.1", account).encode())
            for value, text in values.items():
                data = oracle.pass_data(configuration, **inside)
                found = phone.open(oracle.provision_encrypt(phone.verified(), data), value)
                check(isinstance(found, dict) and found["pass"] == json.loads(data), f"configuration {configuration}, {value}: {found}")
                check(found.get("activation", {}).get("text") == text, f"configuration {configuration}, {value}: {found}")
                check(found.get("encrypted_number") == (account if configuration == 3 else None), f"encrypted number: {found}")
                opened += 1
            other = oracle.visa_otp("MBPAC", visa, "sandbox.1", "nonce=00000000;authcode=A1")
            refused = phone.open(oracle.provision_encrypt(phone.verified(), data), other)
            check("another card or nonce" in refused, f"another nonce: {refused}")
    print(f"good: {opened} passes open, {len(DEFECTS)} defects are as they should be")


if __name__ == "__main__":
    main()
