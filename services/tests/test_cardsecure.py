"""CardPointe, "Apple Pay Developer Guide": tokenize, and what the acquirer's side makes of a token."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import json
import pathlib
import re
import sqlite3
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import kist
import pytest
from emv import emv_token
from kist.testing import Sandbox
from kist_services.cardsecure import PATH
from kist_services.devicedata import CardSecureError, parse
from kist_services.redeem import PATH as REDEEM
from kist_services.vault import Entry, Vault, draw
from running import API_KEY, PROGRAM, Service, api_keys, client, locked, refusal, sample, serving
from sandboxed import merchant_sandbox, merchant_settings
from shop import device_parts
from shop import devicedata as joined

PAN = "4109370251004320"
CRYPTOGRAM = "Af9x/QwAA/DjmU65oyc1MAABAAA="
REQUEST, REPLY = json.loads(sample("cardpointe-request.json")), json.loads(sample("cardpointe-reply.json"))


@dataclass
class Shop:
    """Both services, and the daemon between them."""

    tokenizer: Service
    acquirer: Service

    @property
    def sandbox(self) -> Sandbox:
        return self.tokenizer.sandbox

    def payload(self, **options: object) -> dict[str, Any]:
        """Apple's token as an app has it."""
        token: dict[str, Any] = json.loads(self.sandbox.token_json(**options))
        return token

    def post(self, devicedata: object, key: str | None = None, **more: object) -> Any:
        headers = {} if key is None else {"idempotency-key": key}
        return self.tokenizer.http.post(PATH, json={"encryptionhandler": "EC_APPLE_PAY", "devicedata": devicedata, **more}, headers=headers)

    def tokenized(self, **options: object) -> str:
        answer = self.post(devicedata(self.payload(**options))).json()
        assert answer == {"message": "No Error", "errorcode": 0, "token": answer.get("token")}, answer
        return str(answer["token"])

    def redeem(self, token: object, key: str | None = None) -> Any:
        headers = {} if key is None else {"idempotency-key": key}
        return self.acquirer.http.post(REDEEM, json={"token": token}, headers=headers)


def devicedata(token: dict[str, Any], **changes: str | None) -> str:
    """The string that the guide asks for; a part that is None is left out."""
    changed: dict[str, str | None] = {**device_parts(token), **changes}
    return joined({name: value for name, value in changed.items() if value is not None})


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    place = tmp_path_factory.mktemp("cardsecure")
    with merchant_sandbox() as sandbox:
        settings = {name: api_keys() + text for name, text in merchant_settings(place).items()}
        with (
            serving("cardsecure", sandbox, settings["cardsecure"], place) as tokenizer,
            serving("redeem", sandbox, settings["redeem"], place) as acquirer,
        ):
            yield Shop(tokenizer, acquirer)
            for service in (tokenizer, acquirer):
                service.assert_unsaid(PAN, PAN[:6] + "|", CRYPTOGRAM, "491231", API_KEY)


def error(response: Any) -> tuple[int, str]:
    """CardSecure's number and text; there is no token with it."""
    assert response.status_code == 200 and set(response.json()) == {"message", "errorcode"}, response.text
    return response.json()["errorcode"], response.json()["message"]


def test_the_documents_sample(shop: Shop) -> None:
    """It never was a token: its parts are filler, and its base64 does not decode."""
    assert REQUEST["encryptionhandler"] == "EC_APPLE_PAY" and "&echash=&ecpublickeyhash=" in REQUEST["devicedata"]
    body = sample("cardpointe-request.json")
    response = shop.tokenizer.http.post(PATH, content=body, headers={"content-type": "application/json"})
    assert rb"\/" in body and error(response) == (19, "base64 decode failure")


def test_a_token_for_one_authorization(shop: Shop) -> None:
    token = shop.tokenized(amount=1499)
    assert re.fullmatch(f"9{PAN[:2]}[0-9]{{9}}{PAN[-4:]}", token) and len(token) == len(REPLY["token"])
    redeemed = shop.redeem(token)
    assert redeemed.status_code == 200 and redeemed.json() == {
        "account": PAN, "expiry": "491231", "cryptogram": CRYPTOGRAM, "eci": "5", "currency": "840", "amount": 1499,
    }  # fmt: skip
    assert refusal(shop.redeem(token), 404)


def test_a_lost_answer_and_one_authorization_still(shop: Shop) -> None:
    """The same request has the same token, and after that was redeemed there is no other."""
    data, key = devicedata(shop.payload()), "payment-0001-a7f3c1"
    first, second = (shop.post(data, key).json()["token"] for _ in range(2))
    assert first == second
    assert shop.redeem(first).status_code == 200
    assert error(shop.post(data, key))[0] == 24
    assert error(shop.post(data, "payment-0002-a7f3c1"))[0] == 24 and error(shop.post(data))[0] == 24
    assert refusal(shop.redeem(first), 404)


def test_a_lost_answer_of_redeem(shop: Shop) -> None:
    """The same request has the same number again, and nobody else has it; also after the daemon was killed."""
    token, key = shop.tokenized(amount=1499), "redeem-0001-a7f3c1"
    first, second = (shop.redeem(token, key) for _ in range(2))
    assert first.status_code == 200 and first.json() == second.json() and first.json()["account"] == PAN
    shop.sandbox.kill()
    shop.sandbox.start()
    assert refusal(shop.redeem(token), 404) and refusal(shop.redeem(token, "redeem-0002-a7f3c1"), 422)
    assert shop.redeem(token, key).json() == first.json()
    other = shop.tokenized()
    assert shop.redeem(other).json()["account"] == PAN and refusal(shop.redeem(other, key), 422)


def test_a_payment_that_is_tokenized_again_while_it_is_redeemed(shop: Shop) -> None:
    """The envelope stays, so that the acquirer's request stays the same."""
    data = devicedata(shop.payload())
    token = shop.post(data, "payment-0007-a7f3c1").json()["token"]
    with locked(shop.tokenizer.log.parent / "vault.sqlite"):
        first = shop.redeem(token, "redeem-0003-a7f3c1")
    assert "not noted as redeemed" in str(shop.acquirer.log_lines()[-1]["error"])
    again = shop.post(data, "payment-0007-a7f3c1")
    assert again.json().get("token") == token, (again.status_code, again.text, shop.tokenizer.log_lines()[-1])
    assert shop.redeem(token, "redeem-0003-a7f3c1").json() == first.json()


def test_many_repetitions_of_redeem_at_once(shop: Shop) -> None:
    token = shop.tokenized()
    with ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(lambda _: shop.redeem(token, "redeem-0004-a7f3c1"), range(10)))
    numbers = [answer.json()["account"] for answer in answers if answer.status_code == 200]
    assert set(numbers) == {PAN} and {answer.status_code for answer in answers} <= {200, 503}


def test_the_same_request_many_times_at_once(shop: Shop) -> None:
    """Whichever answer a caller keeps, its token is the payment's."""
    data, key = devicedata(shop.payload()), "payment-0003-a7f3c1"
    with ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(lambda _: shop.post(data, key), range(10)))
    assert {answer.status_code for answer in answers} <= {200, 503}  # 503 while the first is under way
    tokens = {answer.json()["token"] for answer in answers if answer.status_code == 200}
    assert len(tokens) == 1
    (token,) = tokens
    assert shop.redeem(token).json()["account"] == PAN
    assert refusal(shop.redeem(token), 404)


def test_two_processes_and_one_vault(tmp_path: pathlib.Path) -> None:
    file, transaction = str(tmp_path / "vault.sqlite"), bytes(32)

    async def share() -> None:
        vaults = [Vault(file) for _ in range(8)]
        kept = await asyncio.gather(*(vault.put("41", "0000", Entry(transaction, b"envelope %d" % at), 60) for at, vault in enumerate(vaults)))
        (token,) = set(kept)
        assert token is not None and (found := await vaults[0].find(token)) is not None and found.envelope.startswith(b"envelope ")
        assert await vaults[0].put("41", "0000", Entry(bytes(31) + b"\1", b"other"), 60) not in (token, None)
        await vaults[0].spend(transaction)
        assert await vaults[1].put("41", "0000", Entry(transaction, b"again"), 60) is None and await vaults[1].find(token) is None
        for vault in vaults:
            vault.database.close()

    asyncio.run(share())


def test_one_authorization_among_many(shop: Shop) -> None:
    token = shop.tokenized()
    with ThreadPoolExecutor(10) as threads:
        answers = sorted(response.status_code for response in threads.map(lambda _: shop.redeem(token), range(10)))
    assert answers.count(200) == 1 and set(answers) <= {200, 404, 422}


def test_an_older_copy_of_the_vault(shop: Shop) -> None:
    """The daemon, and no file, knows that a token was redeemed, also after a restart."""
    token = shop.tokenized()
    with contextlib.closing(sqlite3.connect(shop.tokenizer.log.parent / "vault.sqlite")) as vault:
        with contextlib.closing(sqlite3.connect(":memory:")) as copy:
            vault.backup(copy)
            assert shop.redeem(token).status_code == 200
            copy.backup(vault)
    shop.sandbox.kill()
    shop.sandbox.start()
    again = shop.redeem(token)
    assert refusal(again, 422) and again.json()["auditSequence"]


def test_each_token_is_another(shop: Shop) -> None:
    assert shop.tokenized() != shop.tokenized()
    drawn = {draw("41", "1111") for _ in range(50)}
    assert len(drawn) == 50 and REPLY["token"][:3] == "941" and all(token[:3] + token[-4:] == "9411111" for token in drawn)
    assert all(sum(int(d) if at % 2 else sum(divmod(2 * int(d), 10)) for at, d in enumerate(token)) % 10 == 0 for token in drawn)


def test_parts_in_any_order(shop: Shop) -> None:
    data, *parts = devicedata(shop.payload()).split("&")
    assert shop.post("&".join([data, *reversed(parts)])).json()["errorcode"] == 0


def test_version_1_0_has_neither_hash(shop: Shop) -> None:
    assert shop.post(devicedata(shop.payload(), echash=None, ecpublickeyhash=None)).json()["errorcode"] == 0


def test_the_hash_of_application_data(shop: Shop) -> None:
    payload = shop.payload(application_data="ab" * 32)
    assert error(shop.post(devicedata(payload, echash=""))) == (24, "decryption failure")
    assert shop.post(devicedata(payload)).json()["errorcode"] == 0


def test_a_payment_that_redeem_could_not_give_out(shop: Shop) -> None:
    """EMV data in place of a cryptogram: refused, and the token is as good as before."""
    token = emv_token(shop.sandbox, PAN)
    for _ in range(2):
        assert error(shop.post(devicedata(token))) == (24, "decryption failure")
        sequence = shop.tokenizer.log_lines()[-1]["audit"]
        command = [str(PROGRAM), "audit", "show", str(shop.sandbox.directory / "audit"), str(sequence), "--json"]
        record = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        assert (record["stage"], record["in"]["required"]) == ("not-released", "cryptogram")
    with shop.sandbox.client() as client:
        opened = client.open_payment_token(kist.Token.from_apple(json.dumps(token)))
        assert opened.last4 == PAN[-4:] and opened.cryptogram is None


def test_two_minutes(shop: Shop) -> None:
    def at(seconds: int) -> str:
        return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")

    assert error(shop.post(devicedata(shop.payload(at=at(150))))) == (24, "decryption failure")
    assert shop.post(devicedata(shop.payload(at=at(60)))).json()["errorcode"] == 0


def test_a_new_payload_for_each_attempt(shop: Shop) -> None:
    payload = devicedata(shop.payload())
    assert shop.post(payload).json()["errorcode"] == 0
    assert error(shop.post(payload)) == (24, "decryption failure")
    line = shop.tokenizer.log_lines()[-1]
    assert (line["endpoint"], line["error"]) == ("tokenize", "CardSecureError 24") and line["audit"]


@pytest.mark.parametrize("defect", ["wrong-key", "bad-signature", "no-leaf-marker", "bad-tag"])
def test_wrong_tokens_look_alike_here_too(shop: Shop, defect: str) -> None:
    assert error(shop.post(devicedata(shop.payload(defect=defect)))) == (24, "decryption failure")


def test_another_merchants_token(shop: Shop) -> None:
    assert error(shop.post(devicedata(shop.payload(key="merchant/other/processing-ec")))) == (24, "decryption failure")


GOOD = f"AAAA&ectype=apple&ecsig=AAAA&eckey=AAAA&ectid={'00' * 32}&echash=&ecpublickeyhash={'A' * 43}="


@pytest.mark.parametrize(
    ("devicedata", "code"),
    [
        ("", 14), ("&" + GOOD, 14), (GOOD.removeprefix("AAAA&"), 14), (GOOD.replace("AAAA&ectype=apple", "ectype=apple&AAAA"), 14),
        (GOOD.replace("&ectype=apple", ""), 74), (GOOD.replace("apple", "google"), 75), (GOOD.replace("&ecsig=AAAA", ""), 74),
        (GOOD.replace("&eckey=AAAA", ""), 74), (GOOD.replace(f"&ectid={'00' * 32}", ""), 74), (GOOD.replace("&echash=", ""), 74),
        (GOOD + "&ectype=apple", 38), (GOOD + "&other=1", 38), (GOOD + "&", 38), (GOOD.replace("AAAA&", "AA%3D%3D&", 1), 19),
        (GOOD.replace("ecsig=AAAA", "ecsig="), 19), (GOOD.replace("ecsig=AAAA", "ecsig=308202a0"), 19), (GOOD.replace("ecsig=AAAA", "ecsig=AAA"), 19), (GOOD.replace("ecsig=AAAA", "ecsig=A A="), 19),
        (GOOD.replace("0" * 64, "0" * 62), 20), (GOOD.replace("0" * 64, "x" * 64), 38), (GOOD.replace("echash=", "echash=ab"), 20),
        (GOOD.replace("A" * 43 + "=", "AAAA"), 20), (GOOD.replace("=AAAA", "=AR=="), 19), (GOOD.replace("=AAAA", "=ÄÄÄÄ"), 19),
    ],
)  # fmt: skip
def test_device_data_of_another_form(devicedata: str, code: int) -> None:
    with pytest.raises(CardSecureError) as refused:
        parse(devicedata, bytes(32))
    assert refused.value.code == code
    assert parse(GOOD, b"").public_key_hash == bytes(32)


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"encryptionhandler": "RSA"}, 16), ({"encryptionhandler": ""}, 74), ({"devicedata": ""}, 74), ({"devicedata": GOOD}, 24),
        ({"devicedata": "AQID" * 1000 + GOOD}, 24), ({"devicedata": GOOD.replace("eckey=AAAA", f"eckey={'AQID' * 1000}")}, 13),
        ({"devicedata": 5}, 77), ({"devicedata": [GOOD]}, 77), ({"encryptionhandler": True}, 77), ({"account": "4111111111111111"}, 77),
        ({"encryptionhandler": "E" * 200}, 16), ({"devicedata": None}, 74), ({"encryptionhandler": None}, 74),
    ],
)  # fmt: skip
def test_errors(shop: Shop, members: dict[str, object], code: int) -> None:
    good: dict[str, object] = {"encryptionhandler": "EC_APPLE_PAY", "devicedata": GOOD}
    assert error(shop.tokenizer.http.post(PATH, json=good | members))[0] == code


def test_hostile_requests(shop: Shop) -> None:
    post = shop.tokenizer.http.post
    for body in (b"", b"[]", b"{", b'{"a": ' * 5000, b"\xff"):
        assert error(post(PATH, content=body, headers={"content-type": "application/json"}))[0] == 77
    assert refusal(post(PATH, content=b"{}"), 415) and refusal(post(PATH, content=b" " * 70_000), 413)
    with client(shop.tokenizer.socket) as stranger:
        assert refusal(stranger.post(PATH, json=REQUEST), 401)


@pytest.mark.parametrize("token", ["9410000000001111", "", "9" * 17, 9410000000001111, "' OR 1=1", None])
def test_tokens_that_were_not_given(shop: Shop, token: object) -> None:
    assert shop.redeem(token).status_code in (400, 404)


def test_the_vault_tells_nothing(shop: Shop) -> None:
    token = shop.tokenized()
    octets = b"".join(file.read_bytes() for file in shop.tokenizer.log.parent.glob("vault.sqlite*"))
    assert token.encode() in octets and not [text for text in (PAN, CRYPTOGRAM, "491231") if text.encode() in octets]
    assert not [text for text in (PAN, CRYPTOGRAM) if shop.tokenizer.remembers(text.encode())]


def test_a_token_outlives_a_restart_and_is_not_lost(shop: Shop) -> None:
    """While the daemon is away a token is not used up: nothing of it was told."""
    token = shop.tokenized()
    shop.sandbox.kill()
    away = shop.redeem(token)
    assert refusal(away, 503) and away.headers["retry-after"]
    shop.sandbox.start()
    assert shop.redeem(token).json()["account"] == PAN
