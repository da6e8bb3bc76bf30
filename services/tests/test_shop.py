"""The shop of ``make shop``, in a browser."""

from __future__ import annotations

import contextlib
import html
import html.parser
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest
from running import SERVICES
from test_cardsecure import CRYPTOGRAM, PAN

EXPIRY = "491231"


class Page(html.parser.HTMLParser):
    """The text of each element that has an id, of the innermost for what is nested; and which of them are disabled."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self.disabled: set[str | None] = set()
        self._open: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "link", "br"):
            if "disabled" in dict(attributes):
                self.disabled.add(dict(attributes).get("id"))
            self._open.append((tag, dict(attributes).get("id") or (self._open[-1][1] if self._open else "")))

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, text: str) -> None:
        if self._open:
            identifier = self._open[-1][1]
            self.texts[identifier] = self.texts.get(identifier, "") + text + " "


def in_browser(address: str, place: pathlib.Path, *more: str, size: str = "1280,900") -> Page:
    browser = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert browser, "there is no chromium: make deps installs it"
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={size}", "--virtual-time-budget=30000", *more]
    done = subprocess.run([browser, *words, f"--user-data-dir={place}/profile", "--dump-dom", address], check=True, capture_output=True, timeout=120)
    return Page(done.stdout.decode())


@dataclass
class OpenShop:
    address: str
    process: subprocess.Popen[bytes]
    place: pathlib.Path

    def look(self, query: str = "", *more: str) -> Page:
        """The page as the browser has it once nothing more happens on it."""
        return in_browser(self.address + query, self.place, *more)

    def processes(self, *words: str) -> list[int]:
        """Of those that it started, the ones with these words in a row."""
        wanted = "\0".join(words).encode()
        return [pid for pid in descendants(self.process.pid) if wanted in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()]

    def post(self, path: str, body: object) -> httpx.Response:
        return httpx.post(self.address + path, json=body, timeout=30)


@pytest.fixture(scope="module")
def shop() -> Iterator[OpenShop]:
    with tempfile.TemporaryDirectory(prefix="kist-") as place, _opened(pathlib.Path(place)) as shop:
        yield shop


@pytest.fixture
def own(short_path: pathlib.Path) -> Iterator[OpenShop]:
    """A shop of the test's own, whose parts it may break."""
    with _opened(short_path) as shop:
        yield shop


@contextlib.contextmanager
def _opened(place: pathlib.Path) -> Iterator[OpenShop]:
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


FAILED = " Nobody was charged; you can try again."


def test_a_phone_that_fails_is_told_and_tried_again(own: OpenShop) -> None:
    (pki,) = own.place.glob("kist-*/box/pki")
    away = pki.rename(pki.with_name("away"))
    page = own.look("?pay=1")
    assert page.texts["status"].strip() == "The phone gave no payment." + FAILED and "pay" not in page.disabled
    away.rename(pki)
    assert own.look("?pay=1").texts["status"].strip() == "Paid. Thank you."


@pytest.mark.parametrize("words, sentence", [
    (("sandbox", "run"), "The service sessions cannot serve now: "), (("kist_services", "cardsecure"), "The service cardsecure does not answer."),
    (("kist_services", "redeem"), "The service redeem does not answer."),
])  # fmt: skip
def test_a_daemon_or_service_that_ended_is_told(own: OpenShop, words: tuple[str, ...], sentence: str) -> None:
    found = own.processes(*words) or own.processes("kistd")
    assert found
    for pid in found:
        os.kill(pid, signal.SIGKILL)
    page = own.look("?pay=1")
    status = page.texts["status"].strip()
    assert status.startswith(sentence) and status.endswith(FAILED) and "pay" not in page.disabled, status


#: A frame may do everything that the page may, but for scripts. What is seen in it goes into an element of the outer page.
WITHOUT_SCRIPTS = """<!doctype html><iframe sandbox="allow-same-origin" srcdoc="{page}"></iframe><p id="seen"></p><script>
document.querySelector("iframe").onload = event => {{
  const inner = event.target.contentDocument;
  document.querySelector("#seen").textContent = `${{inner.querySelector("#order").innerText}} disabled: ${{inner.querySelector("#pay").disabled}}`;
}};
</script>"""


def test_without_scripts_the_page_says_so(shop: OpenShop, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "outer.html"
    file.write_text(WITHOUT_SCRIPTS.format(page=html.escape((SERVICES / "shop/checkout.html").read_text())))
    seen = in_browser(file.as_uri(), tmp_path).texts["seen"]
    assert "This page needs JavaScript" in seen and "disabled: true" in seen
    assert "pay" not in shop.look().disabled


#: Added to the page: records of the usual lengths, and then what is wider than the window.
MEASURING = """<script>
const records_ = ["open-payment-token", "open-envelope"].map((op, at) => ({
  seq: 1234 + at, op, result: "ok", policy: {grant: "cardsecure-tokens"}, released: ["dpan", "expiry", "currency", "amount", "cryptogram", "eci"],
}));
show("#audit", records(records_));
const wide = [...document.querySelectorAll("#audit *")].filter(each => each.getBoundingClientRect().right > innerWidth || each.scrollWidth > innerWidth);
const labels = [...document.querySelectorAll("#audit td")].map(each => getComputedStyle(each, "::before").content);
say(JSON.stringify({width: innerWidth, wide: wide.map(each => each.tagName), labels}));
</script>"""


@pytest.mark.parametrize("width, labels", [(390, ["Record", "Operation", "Result", "Grant", "Let out"] * 2), (1280, ["none"] * 10)])
def test_the_audit_records_fit_a_phone(tmp_path: pathlib.Path, width: int, labels: list[str]) -> None:
    """Each is a block with the names of the columns there, and the row of a table elsewhere."""
    file = tmp_path / "page.html"
    file.write_text((SERVICES / "shop/checkout.html").read_text().replace("</body>", MEASURING + "</body>"))
    found = json.loads(in_browser(file.as_uri(), tmp_path, size=f"{width},844").texts["status"])
    assert found["width"] == width and found["wide"] == []
    assert [label.strip('"') for label in found["labels"]] == labels


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_all(own: OpenShop, number: signal.Signals) -> None:
    """The daemon and both services end with the shop, and nothing of them is left, even if another signal follows."""
    family = descendants(own.process.pid)
    assert len(family) >= 3 and list(own.place.glob("kist-*"))
    own.process.send_signal(number)
    own.process.send_signal(signal.SIGTERM)
    assert own.process.wait(60) == 0
    assert not [pid for pid in family if pathlib.Path(f"/proc/{pid}").exists()] and not list(own.place.glob("kist-*"))


def descendants(parent: int) -> list[int]:
    children = [int(pid) for file in pathlib.Path(f"/proc/{parent}/task").glob("*/children") for pid in file.read_text().split()]
    return children + [pid for child in children for pid in descendants(child)]
