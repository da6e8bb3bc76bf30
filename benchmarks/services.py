#!/usr/bin/env python3
"""Measures cardsecure and redeem, beside a route that does nothing and beside the daemon alone.

usage: services.py PROGRAMS [--tokens N] [--rounds N]      N is how many live tokens the vault has in the second part (180,000)
Each service is one process on a Unix socket, as it is shipped. Everything shares this machine and its disk.
"""

import argparse
import asyncio
import base64
import contextlib
import itertools
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import programs
from stage import GRANT, ROOT, Stage

sys.path[:0] = [str(ROOT / "services/src"), str(ROOT / "services/shop")]
import sandboxed  # noqa: E402
from kist_services import cardsecure, redeem  # noqa: E402
from kist_services.vault import Vault  # noqa: E402

#: How many requests a figure is of, by the number of clients.
REQUESTS = {1: 400, 16: 4000}
#: SHA-256 of the key "example".
API_KEYS = 'api_keys = ["50d858e0985ecc7f60418aaf0cc5ab587f42c2570a884095a9e8ccacd0f6545c"]\n'
ENVELOPE_BYTES = 250
BARE = """
import sys
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from kist_services.common.http import serve
async def bare(request):
    return JSONResponse({"size": len(await request.body())})
app = Starlette(routes=[Route("/", bare, methods=["POST"])])
serve(app, uds=sys.argv[1])
"""


class ServicesStage(Stage):
    """With the merchant's rules and the grants of both services."""

    def __init__(self, place):
        super().__init__(place, sandboxed.MERCHANT)

    def write_policy(self):
        policies = self.directory / "policy.d"
        operator = GRANT.format(
            id="operator", user=os.getuid(), operations=["status", "import-key", "random"]
        )
        operator += 'keys = ["*"]\n'
        (policies / "10-sandbox.toml").write_text(operator)
        (policies / "20-services.toml").write_text(sandboxed.policy("cardsecure", "redeem"))


class Service:
    """A service that runs, by its socket."""

    def __init__(self, process, path):
        self.process, self.path = process, path
        while True:
            with contextlib.suppress(OSError):
                self.connect().close()
                return
            assert process.poll() is None, "it does not start"
            time.sleep(0.05)

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(self.path))
        except OSError:
            connection.close()
            raise
        return connection

    def seconds(self):
        """Of processor time."""
        return time.clock_gettime(~self.process.pid << 3 | 2)

    def ask(self, path, bodies, clients):
        """Asks each once; what was answered, and the figures."""
        answers, times, turn, lock = [], [], iter(bodies), threading.Lock()

        def client():
            with self.connect() as connection:
                while True:
                    with lock:
                        body = next(turn, None)
                    if body is None:
                        return
                    began = time.perf_counter()
                    connection.sendall(request(path, body))
                    answer = received(connection)
                    times.append(time.perf_counter() - began)
                    answers.append(answer)

        threads = [threading.Thread(target=client) for _ in range(clients)]
        before, began = self.seconds(), time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        length = time.perf_counter() - began
        spent = self.seconds() - before
        figures = {
            "rate": len(times) / length, "p50": 1000 * statistics.median(times),
            "p99": 1000 * statistics.quantiles(times, n=100)[98], "us": 1e6 * spent / len(times),
        }  # fmt: skip
        return answers, figures


def request(path, body):
    head = f"POST {path} HTTP/1.1\r\nhost: a\r\nx-api-key: example\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n{body}".encode()


def received(connection):
    """The body of one answer, which has a length."""
    octets = b""
    while b"\r\n\r\n" not in octets:
        octets += connection.recv(65536)
    head, _, body = octets.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), octets
    length = int(re.search(rb"content-length: (\d+)", head)[1])
    while len(body) < length:
        body += connection.recv(65536)
    return json.loads(body)


def payments(stage, count):
    """Requests for cardsecure, with tokens that are signed now."""
    words = [programs.BUILD / "tokens", stage.directory / "pki", str(count)]
    for line in subprocess.run(
        words, check=True, capture_output=True, text=True
    ).stdout.splitlines():
        data, signature, ephemeral, transaction, key = map(bytes.fromhex, line.split())
        named = {"ecsig": signature, "eckey": ephemeral, "ecpublickeyhash": key}
        parts = [
            base64.b64encode(data).decode(),
            "ectype=apple",
            f"ectid={transaction.hex()}",
            "echash=",
        ]
        parts += [f"{name}={base64.b64encode(value).decode()}" for name, value in named.items()]
        yield json.dumps({"encryptionhandler": "EC_APPLE_PAY", "devicedata": "&".join(parts)})


def fill(file, count):
    """Live tokens, behind which is nothing."""
    until = time.time() + 3600
    rows = (
        (os.urandom(32), f"0{number:015}", os.urandom(ENVELOPE_BYTES), until)
        for number in range(count)
    )
    insert = "INSERT INTO payments (transaction_id, token, envelope, until) VALUES (?, ?, ?, ?)"
    vault = Vault(str(file))
    asyncio.run(vault.database.write(lambda database: database.executemany(insert, rows).rowcount))
    vault.database.close()


@contextlib.contextmanager
def services(stage, place):
    with contextlib.ExitStack() as stack:
        found = {}
        for name, text in sandboxed.merchant_settings(place).items():
            settings, path = place / f"{name}.toml", place / f"{name}.sock"
            settings.write_text(
                f'{API_KEYS}endpoint = "unix:{stage.directory}/run/kist.sock"\n{text}'
            )
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            path.unlink(missing_ok=True)
            listener.bind(str(path))
            listener.listen(128)
            log = stack.enter_context(open(place / f"{name}.log", "w"))
            found[name] = Service(
                stack.enter_context(sandboxed.process(name, settings, listener, log)), path
            )
        yield found


@contextlib.contextmanager
def bare(place):
    with subprocess.Popen([sys.executable, "-c", BARE, str(place / "bare.sock")]) as process:
        try:
            yield Service(process, place / "bare.sock")
        finally:
            process.terminate()


def measured(stage, place, clients):
    """Of both services, with fresh payments."""
    with services(stage, place) as found:
        found["cardsecure"].ask(cardsecure.PATH, payments(stage, 20), 1)
        answers, tokenize = found["cardsecure"].ask(
            cardsecure.PATH, list(payments(stage, REQUESTS[clients])), clients
        )
        tokens = [answer["token"] for answer in answers]
        bodies = [json.dumps({"token": token}) for token in tokens]
        answers, redeemed = found["redeem"].ask(redeem.PATH, bodies, clients)
        assert len(set(tokens)) == len(tokens) and all(
            len(answer["account"]) == 16 for answer in answers
        )
    return {"cardsecure": tokenize, "redeem": redeemed}


def table(rounds):
    print("| | clients | requests a second | p50 ms | p99 ms | CPU µs of its process |")
    print("|---|--:|--:|--:|--:|--:|")
    for what, clients in rounds[0]:

        def middle(figure):
            return statistics.median(one[what, clients][figure] for one in rounds)

        cells = f"{middle('rate'):,.0f} | {middle('p50'):.1f} | {middle('p99'):.1f} | {middle('us'):,.0f}"
        print(f"| {what} | {clients} | {cells} |")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--tokens", type=int, default=180_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join(
        str(ROOT / each) for each in ("services/src", "clients/python/src")
    )
    programs.build()
    rounds = []
    with Stage(given.programs) as alone, ServicesStage(given.programs) as stage:
        with stage.operator() as operator:
            operator.import_key("merchant/sandbox/envelope-2026", "sealing", os.urandom(32))
        for _ in range(given.rounds):
            with tempfile.TemporaryDirectory(prefix="kist-bench-services-") as folder:
                rounds.append(one_round(alone, stage, pathlib.Path(folder), given.tokens))
    table(rounds)


def one_round(alone, stage, place, tokens):
    found = {}
    for clients in REQUESTS:
        load = programs.measure(
            "load", alone.directory, "open", 1, clients, 1, alone.pid, environment=alone.environment
        )
        found["kistd alone, open-payment-token", clients] = {
            "rate": load["rate"], "p50": load["p50"] / 1000, "p99": load["p99"] / 1000, "us": load["server_us"],
        }  # fmt: skip
    with bare(place) as service:
        for clients, count in REQUESTS.items():
            body = "a" * 3000
            found["a route that does nothing", clients] = service.ask(
                "/", itertools.repeat(body, count), clients
            )[1]
    for label in ("an empty vault", f"{tokens:,} tokens"):
        for clients in REQUESTS:
            both = measured(stage, place, clients)
            found |= {(f"{name}, {label}", clients): figures for name, figures in both.items()}
        if label == "an empty vault":
            fill(place / "vault.sqlite", tokens)
    return found


if __name__ == "__main__":
    main()
