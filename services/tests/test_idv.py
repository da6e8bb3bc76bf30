"""Thales, "Apple Pay in-app ID&V"."""

from __future__ import annotations

import base64
import hmac
import json
import pathlib
import sqlite3
import stat
import struct
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import kist
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from kist import OtpHash, OtpParameters
from kist.testing import Sandbox
from kist_services import idv
from kist_services.common.settings import SettingsError, load
from kist_services.deep_link import is_deep_link
from kist_services.idv import CODES_MOST, FAILED_MOST, SENT_MOST, WRONG_MOST
from running import PROGRAM, Service, api_keys, locked, policy, refusal, sample, serving
from stage import HOTP, der

LINK = sample("d1-deep-link.txt").decode().strip()
SCHEME = LINK.partition("?")[0]
TOTP = bytes(range(20))
SIGNING = ec.generate_private_key(ec.SECP256R1())


@dataclass
class Bank:
    """The service, its file of cards and its outbox."""

    service: Service
    place: pathlib.Path
    cards: int = 0

    def card(self, channel: str = "sms", suffix: str = "4320", holder: str | None = None) -> str:
        """Another digital card, of a cardholder of its own unless another is named."""
        self.cards += 1
        name = f"card-{self.cards}"
        with sqlite3.connect(self.place / "idv.sqlite") as database:
            database.execute("INSERT INTO digital_cards VALUES (?, ?, ?, ?, ?)", (name, holder or f"holder-{self.cards}", suffix, f"{name}.png", channel))
        database.close()
        return name

    def ask(self, path: str, **members: object) -> Any:
        return self.service.http.post(f"/idv/v1/verifications{path}", json=members)

    def begin(self, card: str, link: str = LINK, suffix: str = "4320") -> Any:
        return self.ask("", deepLink=link, digitalCardId=card, primaryAccountNumberSuffix=suffix)

    def begun(self, card: str) -> str:
        response = self.begin(card)
        assert response.status_code == 201, response.text
        return str(response.json()["verification"])

    def codes(self, verification: str) -> list[str]:
        """What the messenger finds for a verification, oldest first."""
        found = sorted((self.place / "outbox").glob(f"{verification}-*.json"), key=lambda file: int(file.stem.rpartition("-")[2]))
        assert all(stat.S_IMODE(file.stat().st_mode) == 0o640 for file in found)
        return [json.loads(file.read_text())["code"] for file in found]

    def check(self, verification: str, code: str) -> Any:
        return self.ask(f"/{verification}/code", code=code)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(program=PROGRAM, policy=policy("idv")) as sandbox:
        codes = OtpParameters(digits=6, hash=OtpHash.SHA1, window=3, failures=3, lockout=60)
        sandbox.import_key("idv/codes/2026", "otp-hotp", HOTP, otp=codes)
        sandbox.import_key("idv/authenticators/2026", "otp-totp", TOTP, otp=OtpParameters(digits=6, hash=OtpHash.SHA1, step=30, window=1))
        sandbox.import_key("idv/signing/2026", "signing-ecdsa", der(SIGNING))
        yield sandbox


@pytest.fixture(scope="module")
def bank(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    place = tmp_path_factory.mktemp("idv")
    with serving("idv", sandbox, settings(place), place) as service:
        service.http.get("/ready")  # the file is there then
        bank = Bank(service, place)
        yield bank
        service.assert_unsaid("card-", "holder-", "4320", "passTypeIdentifier", SCHEME, *{f'"{code}"' for code in outbox(place)})


def outbox(place: pathlib.Path) -> list[str]:
    return [json.loads(file.read_text())["code"] for file in (place / "outbox").iterdir()]


def settings(place: pathlib.Path, **more: int) -> str:
    (place / "outbox").mkdir(exist_ok=True)
    texts = {
        "file": place / "idv.sqlite", "outbox": place / "outbox", "deep_link": SCHEME, "codes": "idv/codes/2026",
        "authenticators": "idv/authenticators/2026", "signing": "idv/signing/2026", "issuer": "https://issuer.example", "audience": "d1",
    }  # fmt: skip
    return api_keys() + "".join(f'{name} = "{text}"\n' for name, text in texts.items()) + "".join(f"{name} = {number}\n" for name, number in more.items())


def claims(token: str, key: ec.EllipticCurvePrivateKey = SIGNING) -> dict[str, Any]:
    """What a verified token says."""
    header, body, signature = token.split(".")
    octets = decoded(signature)
    der_signature = encode_dss_signature(int.from_bytes(octets[:32], "big"), int.from_bytes(octets[32:], "big"))
    key.public_key().verify(der_signature, f"{header}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
    head = json.loads(decoded(header))
    assert len(octets) == 64 and (head["alg"], head["typ"], len(head["kid"])) == ("ES256", "JWT", 32)
    members: dict[str, Any] = json.loads(decoded(body))
    return members


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def totp(cardholder: str, at: float) -> str:
    """RFC 6238 under the cardholder's own key [OP-OTP-5]."""
    key = hmac.digest(TOTP, b"kist/otp-subject/v1\0" + cardholder.encode(), "sha1")
    digest = hmac.digest(key, struct.pack(">Q", int(at) // 30), "sha1")
    offset = digest[-1] & 15
    return f"{(int.from_bytes(digest[offset : offset + 4], 'big') & 0x7FFFFFFF) % 10**6:06}"


def test_a_code_activates_the_card(bank: Bank) -> None:
    card = bank.card()
    begun = bank.begin(card).json()
    assert begun == {"verification": begun["verification"], "method": "code", "cardArt": f"{card}.png"}
    (code,) = bank.codes(begun["verification"])
    answer = bank.check(begun["verification"], code)
    assert answer.status_code == 200, answer.text
    said = claims(answer.json()["activationToken"])
    assert (said["iss"], said["aud"], said["sub"], said["jti"]) == ("https://issuer.example", "d1", card, begun["verification"])
    assert abs(said["iat"] - time.time()) < 60 and said["exp"] == said["iat"] + 300
    assert refusal(bank.check(begun["verification"], code), 410)


def test_an_authenticator_activates_the_card(bank: Bank) -> None:
    card = bank.card(channel="")
    begun = bank.begin(card).json()
    assert begun["method"] == "authenticator" and bank.codes(begun["verification"]) == []
    assert refusal(bank.ask(f"/{begun['verification']}/resend"), 409)
    answer = bank.check(begun["verification"], totp(f"holder-{bank.cards}", time.time()))
    assert claims(answer.json()["activationToken"])["sub"] == card


def changed(**changes: str | None) -> str:
    parameters = {"passTypeIdentifier": "paymentpass.com.apple", "serialNumber": "123", "action": "verify"} | changes
    return f"{SCHEME}?" + "&".join(f"{name}={value}" for name, value in parameters.items() if value is not None)


def test_the_documents_deep_link() -> None:
    assert LINK == "myscheme://mypath?passTypeIdentifier=paymentpass.com.apple&serialNumber=123&action=verify" == changed()
    assert is_deep_link(LINK, SCHEME)


@pytest.mark.parametrize(
    "link",
    [
        SCHEME, SCHEME + "?", changed(passTypeIdentifier=None), changed(serialNumber=None), changed(action=None), changed(serialNumber=""),
        changed(other="1"), changed(action="activate"), changed(action="Verify"), changed(passTypeIdentifier="pass.com.example"), changed() + "&action=verify",
        changed() + "#a", changed() + "&", changed(serialNumber="1 2"), changed(serialNumber="1%00"), changed(serialNumber="9" * 65),
        changed().replace("mypath", "other"), changed().replace("myscheme", "MYSCHEME"), "https://example.com/?" + changed().partition("?")[2],
        changed().replace("://", "://user@"), changed().replace("action", "Action"), changed().replace("&", ";"),
    ],
)  # fmt: skip
def test_other_deep_links(link: str) -> None:
    assert not is_deep_link(link, SCHEME)


def test_a_wrong_deep_link_is_a_failed_attempt(bank: Bank) -> None:
    """It counts, and after a few of them the card is refused for an hour, with right parameters too."""
    card = bank.card()
    assert refusal(bank.begin(card, suffix="4321"), 422).startswith("ID&V failed")
    for _ in range(FAILED_MOST - 1):
        assert refusal(bank.begin(card, link=changed(other="1")), 422).startswith("ID&V failed")
    late = bank.begin(card)
    assert refusal(late, 429) and late.headers["retry-after"] == "3600"
    assert bank.begun(bank.card())


def test_a_clock_that_was_ahead(bank: Bank) -> None:
    """Its attempts do not count once it is right, and its codes have expired."""
    card = bank.card()
    begun = [bank.begun(card) for _ in range(CODES_MOST)][-1]
    with sqlite3.connect(bank.place / "idv.sqlite") as database:
        database.execute("UPDATE attempts SET began = began + 86400, code_until = code_until + 86400 WHERE digital_card = ?", (card,))
    database.close()
    assert "expired" in refusal(bank.check(begun, bank.codes(begun)[-1]), 410)
    later = bank.begun(card)
    assert claims(bank.check(later, bank.codes(later)[-1]).json()["activationToken"])


@pytest.mark.parametrize("change", [{"deepLink": text} for text in (None, "", "x" * 513, "x" * 60_000, "a\nb")] + [{"deepLink": LINK, "suffix": None}])
def test_what_the_phone_left_out_is_a_failed_attempt(bank: Bank, change: dict[str, str | None]) -> None:
    """A parameter that is missing, empty or far too long is as wrong as another one."""
    card = bank.card()
    members = {"digitalCardId": card, "deepLink": change["deepLink"], "primaryAccountNumberSuffix": change.get("suffix", "4320")}
    for given in (members, {name: value for name, value in members.items() if value is not None}) * FAILED_MOST:
        told = bank.ask("", **given)
        if told.status_code == 429:
            break
        assert refusal(told, 422).startswith("ID&V failed")
    assert refusal(bank.begin(card), 429)


def test_attempts_that_were_not_finished_have_not_failed(bank: Bank) -> None:
    card = bank.card(channel="")
    for _ in range(2 * FAILED_MOST):
        bank.begun(card)


def test_a_right_code_while_the_file_is_locked(bank: Bank) -> None:
    """The daemon accepted it, and accepts it no second time."""
    verification = bank.begun(bank.card())
    with locked(bank.place / "idv.sqlite"):
        answer = bank.check(verification, bank.codes(verification)[0])
    assert claims(answer.json()["activationToken"])["jti"] == verification
    assert "not noted as passed" in str(bank.service.log_lines()[-1]["error"])


@pytest.mark.parametrize("channel", ["sms", ""])
def test_a_right_code_of_which_no_token_came(sandbox: Sandbox, tmp_path: pathlib.Path, channel: str) -> None:
    """It is right again, and no other is."""
    label = f"idv/signing/later-{channel}"
    with serving("idv", sandbox, settings(tmp_path).replace("idv/signing/2026", label), tmp_path) as service:
        service.http.get("/ready")
        bank = Bank(service, tmp_path, cards=2000 + len(channel))
        verification = bank.begun(bank.card(channel))
        code = bank.codes(verification)[0] if channel else totp(f"holder-{bank.cards}", time.time())
        told = bank.check(verification, code)
        assert refusal(told, 503) and told.headers["retry-after"]
        key = ec.generate_private_key(ec.SECP256R1())
        sandbox.import_key(label, "signing-ecdsa", der(key))
        assert refusal(bank.check(verification, f"{(int(code) + 1) % 10**6:06}"), 422)
        assert claims(bank.check(verification, code).json()["activationToken"], key)["jti"] == verification
        assert refusal(bank.check(verification, code), 410)


def test_ready_knows_a_locked_file(bank: Bank) -> None:
    with locked(bank.place / "idv.sqlite"):
        told = bank.service.http.get("/ready")
        assert refusal(told, 503) and told.headers["retry-after"]
        begun = bank.begin("card-1")
        assert refusal(begun, 503) and begun.headers["retry-after"]
    assert bank.service.http.get("/ready").status_code == 200


def test_an_outbox_that_is_full(sandbox: Sandbox, tmp_path: pathlib.Path) -> None:
    with serving("idv", sandbox, settings(tmp_path), tmp_path) as service:
        service.http.get("/ready")
        bank = Bank(service, tmp_path, cards=3000)
        (tmp_path / "outbox").rmdir()
        told = bank.begin(bank.card())
        assert refusal(told, 503) and told.headers["retry-after"]


def test_codes_are_not_sent_without_end(bank: Bank) -> None:
    card = bank.card()
    for _ in range(CODES_MOST):
        bank.begun(card)
    assert refusal(bank.begin(card), 429)


def test_another_code_replaces_the_first(bank: Bank) -> None:
    verification = bank.begun(bank.card())
    for _ in range(SENT_MOST - 1):
        assert bank.ask(f"/{verification}/resend").status_code == 202
    assert refusal(bank.ask(f"/{verification}/resend"), 429)
    first, *_, last = bank.codes(verification)
    assert refusal(bank.check(verification, first), 422) == "the code is wrong"
    assert claims(bank.check(verification, last).json()["activationToken"])


def test_a_code_of_an_earlier_verification(bank: Bank) -> None:
    card = bank.card()
    (first,), second = bank.codes(bank.begun(card)), bank.begun(card)
    assert refusal(bank.check(second, first), 422) and claims(bank.check(second, bank.codes(second)[0]).json()["activationToken"])


def test_a_code_of_anothers(bank: Bank) -> None:
    mine, theirs = bank.begun(bank.card()), bank.begun(bank.card())
    assert bank.codes(mine) != bank.codes(theirs)
    assert refusal(bank.check(mine, bank.codes(theirs)[0]), 422)


def test_wrong_codes_lock_out(bank: Bank) -> None:
    """The daemon's lock-out, of three here, holds against the right code too, and in a later verification."""
    card = bank.card()
    verification = bank.begun(card)
    (code,) = bank.codes(verification)
    wrong = f"{(int(code) + 1) % 10**6:06}"
    assert [bank.check(verification, wrong).status_code for _ in range(3)] == [422] * 3
    locked = bank.check(verification, code)
    assert "locked out" in refusal(locked, 423) and locked.json()["auditSequence"]
    later = bank.begun(card)
    assert refusal(bank.check(later, bank.codes(later)[0]), 423)
    for _ in range(WRONG_MOST - 4):
        bank.check(verification, code)
    assert refusal(bank.check(verification, code), 410)


def at_once(bank: Bank, verification: str, code: str, times: int) -> list[int]:
    with ThreadPoolExecutor(times) as threads:
        return sorted(answer.status_code for answer in threads.map(lambda _: bank.check(verification, code), range(times)))


@pytest.mark.parametrize("times", [2, 10])
@pytest.mark.parametrize("channel", ["sms", ""])
def test_a_right_code_that_comes_many_times_at_once(bank: Bank, times: int, channel: str) -> None:
    """One passes, and none of the others is a wrong code."""
    verification = bank.begun(bank.card(channel))
    code = bank.codes(verification)[0] if channel else totp(f"holder-{bank.cards}", time.time())
    assert at_once(bank, verification, code, times) == [200] + [410] * (times - 1)


def test_a_wrong_code_that_comes_many_times_at_once(bank: Bank) -> None:
    """Each counts."""
    verification = bank.begun(bank.card())
    (code,) = bank.codes(verification)
    assert at_once(bank, verification, f"{(int(code) + 1) % 10**6:06}", 10) == [410] * 5 + [422] * 3 + [423] * 2


@pytest.mark.parametrize("newer_first", [True, False])
def test_two_cards_of_one_cardholder(bank: Bank, newer_first: bool) -> None:
    """The code of one card leaves that of the other as it is, and is not right for it."""
    older, newer = (bank.begun(bank.card(holder="of-two")) for _ in range(2))
    codes = {verification: bank.codes(verification)[0] for verification in (older, newer)}
    assert refusal(bank.check(older, codes[newer]), 422)
    for verification in (newer, older) if newer_first else (older, newer):
        assert claims(bank.check(verification, codes[verification]).json()["activationToken"])


def test_codes_expire(sandbox: Sandbox, tmp_path: pathlib.Path) -> None:
    with serving("idv", sandbox, settings(tmp_path, code_seconds=0), tmp_path) as service:
        service.http.get("/ready")
        bank = Bank(service, tmp_path, cards=1000)
        verification = bank.begun(bank.card())
        assert "expired" in refusal(bank.check(verification, bank.codes(verification)[0]), 410)


def test_an_outbox_that_is_not_there(tmp_path: pathlib.Path) -> None:
    (tmp_path / "idv.toml").write_text(settings(tmp_path))
    (tmp_path / "outbox").rmdir()
    with pytest.raises(SettingsError, match="outbox"):
        idv.service(kist.AsyncClient("unix:/nowhere"), load(idv.IdvSettings, str(tmp_path / "idv.toml")))


def test_card_art(bank: Bank) -> None:
    card = bank.card(suffix="7777")
    holder = f"holder-{bank.cards}"
    get = bank.service.http.get
    assert get(f"/idv/v1/cardholders/{holder}/card-art/7777").json() == {"cards": [{"digitalCardId": card, "cardArt": f"{card}.png"}]}
    for path in (f"{holder}/card-art/7778", "other/card-art/7777", f"{holder}/card-art/%25", f"{holder}/card-art/' OR ''='"):
        assert refusal(get(f"/idv/v1/cardholders/{path}"), 404)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"digitalCardId": None}, "digitalCardId is missing"), ({"digitalCardId": "x" * 129}, "1 to 128"), ({"digitalCardId": "a\nb"}, "printed"),
        ({"digitalCardId": 1}, "another type"), ({"deepLink": 1}, "another type"), ({"pan": "1"}, "pan is not expected"),
    ],
)  # fmt: skip
def test_hostile_requests(bank: Bank, change: dict[str, object], why: str) -> None:
    members: dict[str, object] = {"deepLink": LINK, "digitalCardId": bank.card(), "primaryAccountNumberSuffix": "4320"}
    assert why in refusal(bank.ask("", **(members | change)), 400)


@pytest.mark.parametrize("code", ["", "1" * 11, 123456, None, "12345\n"])
def test_hostile_codes(bank: Bank, code: object) -> None:
    assert refusal(bank.ask(f"/{bank.begun(bank.card())}/code", code=code), 400)


@pytest.mark.parametrize("code", ["12345", "1234567", "12345a", "١٢٣٤٥٦", "      "])
def test_codes_of_another_form(bank: Bank, code: str) -> None:
    assert bank.check(bank.begun(bank.card()), code).status_code in (400, 422)


def test_what_is_not_there(bank: Bank) -> None:
    assert refusal(bank.begin("none"), 404) and refusal(bank.check("none", "123456"), 404) and refusal(bank.ask("/none/resend"), 404)


def test_a_daemon_that_is_away(bank: Bank) -> None:
    """A verification that was begun goes on afterwards."""
    verification = bank.begun(bank.card())
    (code,) = bank.codes(verification)
    bank.service.sandbox.kill()
    away = bank.check(verification, code)
    assert refusal(away, 503) and away.headers["retry-after"]
    bank.service.sandbox.start()
    assert claims(bank.check(verification, code).json()["activationToken"])
