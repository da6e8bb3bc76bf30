"""A shop whose checkout has Apple Pay, out of a sandbox: ``make shop``.

A page on 127.0.0.1 stands for the shop's. A stub of Apple Pay gives it tokens of the sandbox's, `cardsecure` and `redeem` handle them,
and the page shows what the merchant has of a payment, what the acquirer has, and the audit records of both.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import hashlib
import json
import pathlib
import re
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn
from furnished import add_identity, sessions_settings
from gateway import Authority, fake_gateway
from kist.testing import Sandbox, SandboxError
from kist_services import cardsecure, redeem, sessions
from kist_services.common.members import Members
from sandboxed import PROGRAM, end_undisturbed, merchant_sandbox, merchant_settings, orderly_end, process
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

PAGE = pathlib.Path(__file__).with_name("checkout.html")


class Failed(Exception):
    """Something behind the page did not do its part; the text is a sentence for the page."""


@dataclass(frozen=True)
class Service:
    """A service that runs, by its socket; and where it logs."""

    name: str
    socket: pathlib.Path
    api_key: str
    log: pathlib.Path

    async def post(self, path: str, body: object) -> tuple[Any, int | None]:
        """The answer, and the sequence of the daemon's record, which the service's log has.

        Raises:
            Failed
        """
        transport = httpx.AsyncHTTPTransport(uds=str(self.socket))
        try:
            async with httpx.AsyncClient(transport=transport, base_url="http://service", headers={"x-api-key": self.api_key}, timeout=15) as http:
                response = await http.post(path, json=body)
            answer = response.json()
        except (httpx.HTTPError, ValueError):
            raise Failed(f"The service {self.name} does not answer.") from None
        if response.status_code >= 500:
            raise Failed(f"The service {self.name} cannot serve now: {answer.get('detail', response.status_code)}.")
        lines = map(json.loads, self.log.read_text().splitlines())
        wanted = response.headers["x-request-id"]
        return answer, next((line.get("audit") for line in lines if line.get("request") == wanted), None)


@dataclass(frozen=True)
class Shop:
    """What the page asks for: its phone's part, the merchant's back end and the acquirer's program."""

    sandbox: Sandbox
    validator: Service
    tokenizer: Service
    acquirer: Service

    async def page(self, request: Request) -> Response:
        text = PAGE.read_text()
        script, style = (_source(text, element) for element in ("script", "style"))
        headers = {
            "content-security-policy": f"default-src 'none'; script-src {script}; style-src {style}; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "cache-control": "no-store", "referrer-policy": "no-referrer",
        }  # fmt: skip
        return HTMLResponse(text, headers=headers)

    async def phone(self, request: Request) -> Response:
        """The phone's part: a token for this amount, as Apple would make it."""
        members = await Members.of(request)
        amount = members.text("amount", 9)
        members.end()
        try:
            token = await asyncio.to_thread(self.sandbox.token_json, amount=amount)
        except SandboxError:
            raise Failed("The phone gave no payment.") from None
        return Response(token, media_type="application/json")

    async def validate(self, request: Request) -> Response:
        """The merchant's back end: gets a session from the gateway, to show that the page is the merchant's."""
        sent = await request.json()
        answer, _ = await self.validator.post(sessions.PATH, {"validationURL": sent["validationURL"]})
        return JSONResponse(answer)

    async def pay(self, request: Request) -> Response:
        """The merchant's back end: passes on what the phone gave, and has a token of sixteen digits from then on."""
        sent = {"encryptionhandler": "EC_APPLE_PAY", "devicedata": devicedata(device_parts(await request.json()))}
        answer, sequence = await self.tokenizer.post(cardsecure.PATH, sent)
        return JSONResponse({"sent": sent, "answer": answer, "record": await self._record(sequence)})

    async def authorize(self, request: Request) -> Response:
        """The acquirer's program: takes the merchant's token, and has what an authorization needs."""
        sent = await request.json()
        answer, sequence = await self.acquirer.post(redeem.PATH, sent)
        return JSONResponse({"sent": sent, "answer": answer, "record": await self._record(sequence)})

    async def _record(self, sequence: int | None) -> object:
        """Without which a payment is no worse: there is none where the log cannot be read now."""
        try:
            return None if sequence is None else await asyncio.to_thread(self._show, str(sequence))
        except (OSError, ValueError, subprocess.CalledProcessError):
            return None

    def _show(self, sequence: str) -> object:
        command = [str(PROGRAM), "audit", "show", str(self.sandbox.directory / "audit"), sequence, "--json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


async def _failed(request: Request, error: Exception) -> Response:
    return JSONResponse({"detail": str(error)}, 503)


def device_parts(token: dict[str, Any]) -> dict[str, str]:
    """The parts of CardPointe's devicedata, by name, of Apple's JSON."""
    header = token["header"]
    return {
        "": token["data"], "ectype": "apple", "ecsig": token["signature"], "eckey": header["ephemeralPublicKey"], "ectid": header["transactionId"],
        "echash": header.get("applicationData", ""), "ecpublickeyhash": header["publicKeyHash"],
    }  # fmt: skip


def devicedata(parts: dict[str, str]) -> str:
    """The data has no name; nothing is URL-encoded."""
    return "&".join(f"{name}={value}" if name else value for name, value in parts.items())


def _source(page: str, element: str) -> str:
    """What a content security policy calls the one script or style of a page."""
    (text,) = re.findall(f"<{element}>(.*?)</{element}>", page, re.DOTALL)
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@contextlib.contextmanager
def opened(place: pathlib.Path) -> Iterator[Starlette]:
    """The shop's application, with the sandbox and both services behind it."""
    with merchant_sandbox() as sandbox, contextlib.ExitStack() as stack:
        authority = Authority()
        (place / "gateway").mkdir()
        gateway = stack.enter_context(fake_gateway(place / "gateway", authority))
        add_identity(sandbox, authority, "merchant/sandbox/identity/2026")
        texts = merchant_settings(place) | {"sessions": sessions_settings(gateway)}
        services = {name: stack.enter_context(_serving(name, sandbox, text, place)) for name, text in texts.items()}
        shop = Shop(sandbox, services["sessions"], services["cardsecure"], services["redeem"])
        routes = [
            Route("/", shop.page), Route("/phone/token", shop.phone, methods=["POST"]), Route("/merchant/payments", shop.pay, methods=["POST"]),
            Route("/merchant/sessions", shop.validate, methods=["POST"]), Route("/acquirer/authorizations", shop.authorize, methods=["POST"]),
        ]  # fmt: skip
        middleware = [Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])]
        yield Starlette(routes=routes, middleware=middleware, exception_handlers={Failed: _failed})


@contextlib.contextmanager
def _serving(name: str, sandbox: Sandbox, settings: str, place: pathlib.Path) -> Iterator[Service]:
    service = Service(name, place / f"{name}.sock", secrets.token_urlsafe(), place / f"{name}.log")
    digest, file = hashlib.sha256(service.api_key.encode()).hexdigest(), place / f"{name}.toml"
    file.write_text(f'api_keys = ["{digest}"]\nendpoint = "{sandbox.endpoint}"\n{settings}')
    with socket.socket(socket.AF_UNIX) as listener, service.log.open("w") as log:
        listener.bind(str(service.socket))
        listener.listen()
        with process(name, file, listener, log):
            listener.close()  # so that a service that has ended refuses, and nobody waits for it
            yield service


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8080, help="of 127.0.0.1")
    port = parser.parse_args().port
    try:
        with orderly_end(), tempfile.TemporaryDirectory(prefix="kist-shop-") as place, opened(pathlib.Path(place)) as app:
            print(f"The shop is open: http://127.0.0.1:{port}/   Ctrl-C closes it.", flush=True)
            try:
                uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", ws="none")
            finally:
                end_undisturbed()  # uvicorn took the signals, and gives them back
    except SandboxError as error:
        print(f"shop: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
