"""The shop of ``make shop``, in a browser."""

from __future__ import annotations

import contextlib
import html.parser
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest
from running import SERVICES
from test_cardsecure import CRYPTOGRAM, PAN

EXPIRY = "491231"


class Page(html.parser.HTMLParser):
    """The text of each element that has an id; of the innermost, for what is nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self._open: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "link", "br"):
            self._open.append((tag, dict(attributes).get("id") or (self._open[-1][1] if self._open else "")))

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, text: str) -> None:
        if self._open:
            identifier = self._open[-1][1]
            self.texts[identifier] = self.texts.get(identifier, "") + text + " "


@dataclass
class OpenShop:
    address: str
    process: subprocess.Popen[bytes]
    place: pathlib.Path

    def look(self, query: str = "", *more: str) -> Page:
        """The page as the browser has it once nothing more happens on it."""
        browser = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        assert browser, "there is no chromium: make deps installs it"
        words = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,900", "--virtual-time-budget=30000", *more]
        done = subprocess.run(
            [browser, *words, f"--user-data-dir={self.place}/profile", "--dump-dom", self.address + query], check=True, capture_output=True, timeout=120
        )
        return Page(done.stdout.decode())

    def post(self, path: str, body: object) -> httpx.Response:
        return httpx.post(self.address + path, json=body, timeout=30)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenShop]:
    place = tmp_path_factory.mktemp("shop")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(SERVICES / "shop/shop.py"), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | {"TMPDIR": str(place)}) as process:
        try:
            shop = OpenShop(f"http://127.0.0.1:{port}/", process, place)
            _wait(shop)
            yield shop
        finally:
            process.terminate()


def _wait(shop: OpenShop) -> None:
    for _ in range(600):
        with contextlib.suppress(httpx.ConnectError):
            httpx.get(shop.address)
            return
        assert shop.process.poll() is None
        time.sleep(0.1)
    raise AssertionError("the shop did not open within a minute")


def test_what_each_side_has_of_a_payment(shop: OpenShop) -> None:
    picture = shop.place / "shop.png"
    texts = shop.look("?pay=1", f"--screenshot={picture}").texts
    assert texts["status"].strip() == "Paid. Thank you."
    assert f"Card •••• {PAN[-4:]}" in texts["merchant"] and '"errorcode": 0' in texts["merchant"]
    assert not [secret for secret in (PAN, PAN[:6], CRYPTOGRAM, EXPIRY) if secret in texts["merchant"] + texts["audit"]]
    assert f"Account {PAN} Expiry {EXPIRY} Cryptogram {CRYPTOGRAM} ECI 5 Amount 14900 in minor units Currency 840" in texts["acquirer"]
    assert "open-payment-token ok cardsecure-tokens last4, bin, envelope" in texts["audit"]
    assert "open-envelope ok redeem-envelopes dpan, expiry, currency, amount, cryptogram, eci" in texts["audit"]
    assert picture.stat().st_size > 50_000, "the browser painted nothing"
    if keep := os.environ.get("KIST_KEEP_PAGE"):
        shutil.copy(picture, keep)


def test_nothing_is_paid_before_the_button_is_pressed(shop: OpenShop) -> None:
    texts = shop.look().texts
    assert not texts.get("status", "").strip() and all("Nothing yet." in texts[name] for name in ("merchant", "acquirer", "audit"))


def test_a_payment_and_a_token_that_were_used(shop: OpenShop) -> None:
    payment = shop.post("phone/token", {"amount": "14900"}).json()
    token = shop.post("merchant/payments", payment).json()["answer"]["token"]
    assert shop.post("acquirer/authorizations", {"token": token}).json()["answer"]["account"] == PAN
    again = shop.post("merchant/payments", payment).json()
    assert again["answer"] == {"message": "decryption failure", "errorcode": 24} and again["record"]["result"] == "rejected"
    assert shop.post("acquirer/authorizations", {"token": token}).json()["answer"]["status"] == 404


def test_the_page_loads_nothing_and_is_for_this_machine(shop: OpenShop) -> None:
    page = httpx.get(shop.address)
    rules = page.headers["content-security-policy"]
    assert rules.startswith("default-src 'none'; script-src 'sha256-") and "unsafe" not in rules
    assert not [mark for mark in ("src=", "url(", "<link", "style=", "onclick=") if mark in page.text]
    assert httpx.get(shop.address, headers={"host": "example.com"}).status_code == 400


def test_ctrl_c_ends_all(shop: OpenShop) -> None:
    """The last test of the shop: the daemon and both services end with it, and nothing of them is left."""
    family = descendants(shop.process.pid)
    assert len(family) >= 3 and list(shop.place.glob("kist-*"))
    shop.process.send_signal(signal.SIGINT)
    assert shop.process.wait(60) == 0
    assert not [pid for pid in family if pathlib.Path(f"/proc/{pid}").exists()] and not list(shop.place.glob("kist-*"))


def descendants(parent: int) -> list[int]:
    children = [int(pid) for file in pathlib.Path(f"/proc/{parent}/task").glob("*/children") for pid in file.read_text().split()]
    return children + [pid for child in children for pid in descendants(child)]
