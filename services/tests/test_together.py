"""All services, each its own user, while the daemon is killed and started again and again.

`KIST_SERVICES_REQUESTS` says how many requests there are (300), and there is a restart for each thousand, but two at least.
"""

from __future__ import annotations

import base64
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from customer import CRYPTOGRAM, OPERATIONS, PAN, Answer, customer
from everyone import CARD, Everyone, user
from running import LOGGED, in_memory

REQUESTS = int(os.environ.get("KIST_SERVICES_REQUESTS", "300"))
RESTARTS = max(2, REQUESTS // 1000)
#: Each in the forms that a program could have it in.
SECRETS = {
    "number of a payment": [PAN.encode()],
    "cryptogram": [CRYPTOGRAM.encode(), base64.b64decode(CRYPTOGRAM)],
    "number of a card": [CARD["primaryAccountNumber"].encode()],
    "nonce": [bytes.fromhex(CARD["nonce"]), base64.b64encode(bytes.fromhex(CARD["nonce"]))],
    "signature of the nonce": [bytes.fromhex(CARD["nonceSignature"]), base64.b64encode(bytes.fromhex(CARD["nonceSignature"]))],
}
_PAYMENT, _PHONE = {"number of a payment", "cryptogram"}, {"nonce", "signature of the nonce"}
#: What a service's grant, or its caller, gives it.
GIVEN: dict[str, set[str]] = {"decryptblob": _PAYMENT, "redeem": _PAYMENT, "tokens": _PAYMENT, "issuer": _PHONE, "activation": _PHONE}


@pytest.fixture(scope="module")
def answers(all_services: Everyone) -> list[Answer]:
    """What customers were answered while the daemon was killed, or stopped in order, in turns."""
    found, is_over = list[Answer](), threading.Event()

    def shop_on() -> None:
        with customer(all_services) as someone:
            while not is_over.is_set():
                someone.answers = []
                someone.lap()
                found.extend(someone.answers)

    with ThreadPoolExecutor(4) as threads:
        shopping = [threads.submit(shop_on) for _ in range(4)]
        try:
            for number in range(RESTARTS + 1):
                while len(found) < REQUESTS * (number + 1) // (RESTARTS + 1) and not any(future.done() for future in shopping):
                    time.sleep(0.05)
                if number < RESTARTS:
                    all_services.sandbox.kill() if number % 2 else all_services.sandbox.stop()
                    time.sleep(0.5)  # somebody asks meanwhile
                    all_services.sandbox.start()
        finally:
            is_over.set()
    assert [future.exception() for future in shopping] == [None] * 4
    return found


def test_restarts_of_the_daemon_are_told(answers: list[Answer]) -> None:
    assert len(answers) >= REQUESTS
    away = [answer.response for answer in answers if answer.response.status_code == 503]
    assert away and all(int(response.headers["retry-after"]) > 0 for response in away)
    # Only a machine that is busy with other things lets the ten seconds of a request pass.
    late = [answer for answer in answers if answer.response.status_code == 504]
    assert len(late) <= len(answers) // 50, late
    assert {answer.step for answer in answers if answer.is_success} == {*OPERATIONS, "describe", "check"}
    print(f"together: {len(answers)} requests, {len(away)} of them 503, {len(late)} late, {RESTARTS} restarts")


def test_what_was_answered_is_on_the_record(all_services: Everyone, answers: list[Answer]) -> None:
    """The log verifies, and has a record of each success, by the service's user and under its grant."""
    records = all_services.records()
    lines = {(name, line["request"]): line for name, member in all_services.members.items() for line in member.lines()}
    successes = [answer for answer in answers if answer.is_success]
    for answer in successes:
        line = lines[answer.service, answer.response.headers["x-request-id"]]
        assert line["status"] == answer.response.status_code and set(line) <= LOGGED
        if answer.step in OPERATIONS:
            record = records[line["audit"]]
            assert (record["op"], record["result"], record["actor"]["uid"]) == (OPERATIONS[answer.step], "ok", user(answer.service))
            assert record["policy"]["grant"].startswith(answer.service)
    checked = sum(answer.step == "check" for answer in successes)
    for operation in ("verify-otp", "sign"):
        assert sum(record["op"] == operation and record["result"] == "ok" for record in records.values()) >= checked


def test_nothing_that_is_not_given_is_anywhere(all_services: Everyone, answers: list[Answer]) -> None:
    """Memory of each service, the logs of services and daemon, the audit log, and every file of theirs."""
    for name, member in all_services.members.items():
        for process in member.processes:
            found = in_memory(process.pid, b"kist_services", *(form for forms in SECRETS.values() for form in forms))
            assert b"kist_services" in found, "the memory was not read"
            held = {secret for secret, forms in SECRETS.items() if found & set(forms)}
            assert held <= GIVEN.get(name, set()), (name, held)
    files = [file for place in (all_services.place, all_services.sandbox.directory) for file in place.rglob("*") if file.is_file()]
    assert len(files) > 20 and any(file.name == "kistd.log" for file in files)
    forms = [form for forms in SECRETS.values() for form in forms if len(form) > 8]
    assert not [(file, form) for file in files for form in forms if form in file.read_bytes()]
