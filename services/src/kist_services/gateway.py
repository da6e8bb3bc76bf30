"""HTTPS to Apple's payment gateway with a client certificate whose key stays in kistd.

The TLS library is Python's own. Its key file is a reference, by which OpenSSL's provider of the package kist-openssl asks kistd for each signature; `OPENSSL_CONF` loads it.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import http.client
import ipaddress
import os
import re
import socket
import ssl
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .common.problems import Problem

#: Apple's, for the world and China, for production and for testing ("cert"): "Setting Up Your Server", and the pods that it named until 2024.
HOSTS = frozenset(
    f"{name}.apple.com"
    for name in (
        "apple-pay-gateway", "cn-apple-pay-gateway", "apple-pay-gateway-cert", "cn-apple-pay-gateway-cert",
        *(f"apple-pay-gateway-{place}-pod{number}" for place in ("nc", "pr") for number in range(1, 6)),
        *(f"cn-apple-pay-gateway-{place}-pod{number}" for place in ("sh", "tj") for number in range(1, 4)),
    )
)  # fmt: skip
PORT = 443
_URL = re.compile(r"https://([a-z0-9.-]+)(/paymentservices/(?:paymentSession|startSession))")
#: A session has some 4 KiB.
ANSWER_MOST = 64 * 1024
#: Which wait for gateways; they outlive a change of the certificate, whose requests may still be under way.
_THREADS = ThreadPoolExecutor(64, "gateway")
#: A connection that serves nobody for so long is ended.
_IDLE_SECONDS = 15.0


def target(url: str) -> tuple[str, str]:
    """Host and path of a validation URL.

    Raises:
        Problem: it is anything but ``https://``, one of Apple's hosts, and one of the two paths, exactly.
    """
    match = _URL.fullmatch(url)
    if not match or match[1] not in HOSTS:
        raise Problem(400, "validationURL is not one of Apple's gateways'")
    return match[1], match[2]


def reference(label: str, endpoint: str | None) -> str:
    """PEM in place of a private key: kist-provider(7)."""
    text = f"kist:{label}" + (f";endpoint={endpoint}" if endpoint else "")
    return f"-----BEGIN KIST KEY-----\n{base64.encodebytes(text.encode()).decode()}-----END KIST KEY-----\n"


def context(certificate: bytes, key: str, authorities: str = "") -> ssl.SSLContext:
    """TLS 1.2 or later, with this certificate. It asks kistd for the key's public half.

    Args:
        certificate: DER.
        key: what `reference` makes.
        authorities: a file of certificates that gateways' are checked with, in place of the machine's.

    Raises:
        ssl.SSLError: kistd does not answer or refuses, the provider is not there, or certificate and key are not of one another.
    """
    made = ssl.create_default_context(cafile=authorities or None)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    with os.fdopen(os.memfd_create("identity"), "w") as file:
        file.write(ssl.DER_cert_to_PEM_cert(certificate) + key)
        file.flush()
        made.load_cert_chain(f"/proc/self/fd/{file.fileno()}")
    return made


class Unusable(Exception):
    """The gateway answered something else than a session; the text says what, in our words."""


class Connection(http.client.HTTPSConnection):
    """To an address that was looked up and checked before; a thread uses it, and any other may end it."""

    def __init__(self, host: str, addresses: list[tuple[Any, ...]], tls: ssl.SSLContext, seconds: float) -> None:
        super().__init__(host, timeout=seconds, context=tls)
        self._addresses, self._tls, self._is_over = addresses, tls, False
        self.idle_since = 0.0

    def connect(self) -> None:
        error: OSError | None = None
        for address in self._addresses:
            try:
                self.sock = socket.create_connection(address[:2], self.timeout)
                break
            except OSError as failed:
                error = failed
        else:
            raise error or OSError("no address")
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = self._tls.wrap_socket(self.sock, server_hostname=self.host)
        if self._is_over:
            raise ConnectionAbortedError

    def ask(self, path: str, body: bytes) -> bytes:
        """The answer; after any error the connection is closed."""
        try:
            return self._ask(path, body)
        except BaseException:
            self.close()
            raise

    def _ask(self, path: str, body: bytes) -> bytes:
        self.request("POST", path, body, {"content-type": "application/json", "accept": "application/json"})
        response = self.getresponse()
        answer = response.read(ANSWER_MOST + 1)
        if response.status != 200:
            raise Unusable(f"the gateway answered {response.status}")
        if len(answer) > ANSWER_MOST:
            raise Unusable("the gateway's answer is too large")
        return answer

    def end(self) -> None:
        """Wakes the thread that waits at it."""
        self._is_over = True
        connected = self.sock
        if connected:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(connected, socket.SHUT_RDWR)


class Gateway:
    """Connections to Apple's hosts by one certificate, which are kept for further requests.

    Args:
        tls: of `context`.
        instead: host and port that take the place of every gateway, for trying it out: then no address is refused.
    """

    def __init__(self, tls: ssl.SSLContext, instead: tuple[str, int] | None = None) -> None:
        self._tls, self._instead = tls, instead
        self._idle: dict[str, list[Connection]] = defaultdict(list)

    async def ask(self, host: str, path: str, body: bytes, seconds: float) -> bytes:
        """The gateway's answer to a POST.

        Raises:
            TimeoutError, OSError, http.client.HTTPException, ssl.SSLError, Unusable
            Problem: the name leads to an address that is not public.
        """
        async with asyncio.timeout(seconds):
            while self._idle[host]:
                # The gateway may have ended it meanwhile. A session that was made and not heard of does no harm.
                with contextlib.suppress(ConnectionError, ssl.SSLError):
                    return await self._ask(self._idle[host].pop(), path, body)
            return await self._ask(Connection(host, await self._addresses(host), self._tls, seconds), path, body)

    async def _ask(self, connection: Connection, path: str, body: bytes) -> bytes:
        try:
            answer = await asyncio.get_running_loop().run_in_executor(_THREADS, connection.ask, path, body)
        except BaseException:
            connection.end()
            raise
        if connection.sock:
            self._idle[connection.host].append(connection)
            connection.idle_since = time.monotonic()
            asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._end_idle, connection)
        return answer

    def _end_idle(self, connection: Connection) -> None:
        """Unless it has been used meanwhile: then a later call comes."""
        idle = self._idle[connection.host]
        if connection in idle and time.monotonic() >= connection.idle_since + _IDLE_SECONDS:
            idle.remove(connection)
            connection.close()

    async def _addresses(self, host: str) -> list[tuple[Any, ...]]:
        if self._instead:
            return [self._instead]
        found = await asyncio.get_running_loop().getaddrinfo(host, PORT, type=socket.SOCK_STREAM)
        addresses = [address for *_, address in found]
        if not addresses or not all(ipaddress.ip_address(address[0]).is_global for address in addresses):
            raise Problem(502, "the gateway's name leads to an address that is not public")
        return addresses

    def close(self) -> None:
        """Ends what is idle; requests that are under way end by themselves."""
        for connections in self._idle.values():
            for connection in connections:
                connection.close()
        self._idle.clear()
