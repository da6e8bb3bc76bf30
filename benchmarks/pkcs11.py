#!/usr/bin/env python3
"""Measures signatures and TLS handshakes by Kist's PKCS#11 module, beside SoftHSM2 in-process, SoftHSM2 behind p11-kit's server, and a key in a file.

usage: pkcs11.py PROGRAMS [--seconds N] [--rounds N]      PROGRAMS is a folder with the release build; the packages softhsm2, p11-kit, nginx-light and
libengine-pkcs11-openssl must be there. SoftHSM2 writes no record of a use; Kist's are on the disk before an answer. Everything shares this machine.
"""

import argparse
import contextlib
import itertools
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import programs
from peers import SOFTHSM, P11_CLIENT, Peers

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "clients/python/src")]
from cryptography.hazmat.primitives.asymmetric import ec, rsa  # noqa: E402
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat  # noqa: E402
from kist.testing import Sandbox  # noqa: E402

MODULE = ROOT / "clients/pkcs11/build/kist-pkcs11.so"
POLICY = f"""
[[grant]]
id = "bench"
users = [{os.getuid()}]
operations = ["who", "list-keys", "describe-key", "sign"]
keys = ["bench/*"]
"""
NGINX = """
user root;
env PKCS11_MODULE_PATH;
env KIST_ENDPOINT;
env KIST_PKCS11_KEYS;
env SOFTHSM2_CONF;
{engine}
worker_processes {workers};
pid nginx.pid;
events {{}}
http {{
    access_log off;
    server {{
        listen 127.0.0.1:18445 ssl;
        ssl_session_cache off;
        ssl_session_tickets off;
        ssl_certificate cert.pem;
        ssl_certificate_key "{key}";
        location = / {{ return 200; }}
    }}
}}
"""
#: Workers of nginx, and clients. A worker does nothing else while it waits for a signature.
LOADS = ((2, 2), (4, 8))
URI = "pkcs11:{more}object=bench%2Fec;type=private"


def der(key):
    return key.private_bytes(Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption())


def threads(module, operation, seconds, count, environment):
    return programs.measure("pkcs11", module, operation, seconds, count, environment=environment)["rate"]


def processes(module, operation, seconds, count, environment):
    words = [programs.BUILD / "pkcs11", module, operation, str(seconds), "1"]
    running = [subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(count)]
    outputs = [process.communicate() for process in running]
    if any(process.returncode for process in running):
        return None
    return sum(programs.parsed(said)["rate"] for said, _ in outputs)


def signatures(kist, peers, seconds, rounds):
    """Who, operation and load, and each round's rate; in turns, so that what the machine does meets all."""
    plan = [(("kist", MODULE, kist), threads, count) for count in (1, 8, 64)] + [(("kist", MODULE, kist), processes, 8)]
    if peers.softhsm:
        plan += [(("softhsm", SOFTHSM, peers.softhsm), threads, count) for count in (1, 8, 64)] + [(("softhsm", SOFTHSM, peers.softhsm), processes, 8)]
    if peers.p11_kit:
        plan += [(("p11-kit", P11_CLIENT, peers.p11_kit), processes, count) for count in (1, 8)]
    found = {}
    for _ in range(rounds):
        for operation in ("sign-p256", "sign-rsa"):
            for (name, module, environment), how, count in plan:
                for _ in range(8 if name == "p11-kit" else 1):  # its server fails now and then while several connect at once
                    if rate := how(module, operation, seconds, count, environment):
                        break
                found.setdefault((name, operation, f"{count} {how.__name__}"), []).append(rate or 0)
    return found


@contextlib.contextmanager
def nginx(folder, key, engine, environment, workers):
    (folder / "nginx.conf").write_text(NGINX.format(key=key, engine=engine, workers=workers))
    words = ["/usr/sbin/nginx", "-p", f"{folder}/", "-c", "nginx.conf", "-e", "errors.log", "-g", "daemon off;"]
    server = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    try:
        yield
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


def handshakes(seconds, count):
    """A second, by so many clients at once."""
    words = ["openssl", "s_time", "-connect", "127.0.0.1:18445", "-new", "-time", str(seconds)]
    clients = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in range(count)]
    return sum(int(re.search(r"(\d+) connections in \d+ real", client.communicate()[0])[1]) for client in clients) / seconds


def tls(folder, kist, peers, seconds, rounds):
    """Of a P-256 key. A certificate of another key's would end the handshake, so each key signs its own."""
    subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", folder / "key.pem"], check=True)
    plan = {"key file": ("key.pem", "", dict(os.environ)), "kist": ("engine:pkcs11:" + URI.format(more=""), "ssl_engine pkcs11;", dict(kist, PKCS11_MODULE_PATH=str(MODULE)))}
    if peers.softhsm:
        more = "token=bench;pin-value=1234;"
        plan["softhsm"] = ("engine:pkcs11:" + URI.format(more=more), "ssl_engine pkcs11;", dict(peers.softhsm, PKCS11_MODULE_PATH=str(SOFTHSM)))
    found = {(name, load): [] for load in LOADS for name in plan}
    for _, (workers, clients), (name, (key, engine, environment)) in itertools.product(range(rounds), LOADS, plan.items()):
        form = ["-engine", "pkcs11", "-keyform", "engine", "-key", key.removeprefix("engine:pkcs11:")] if engine else ["-key", folder / key]
        words = ["openssl", "req", "-x509", "-subj", "/CN=localhost", "-days", "9", "-out", folder / "cert.pem", *form]
        subprocess.run(words, env=environment, check=True, capture_output=True)
        with nginx(folder, key, engine, environment, workers):
            found[name, (workers, clients)].append(handshakes(seconds, clients))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    programs.build()
    subprocess.run(["make", "--silent", "--directory", ROOT / "clients/pkcs11"], check=True)
    with tempfile.TemporaryDirectory() as place, Sandbox(program=arguments.programs / "kist", policy=POLICY) as sandbox, Peers(pathlib.Path(place)) as peers:
        sandbox.import_key("bench/ec", "signing-ecdsa", der(ec.generate_private_key(ec.SECP256R1())))
        sandbox.import_key("bench/rsa", "signing-rsa", der(rsa.generate_private_key(65537, 2048)))
        kist = dict(os.environ, KIST_ENDPOINT=sandbox.endpoint, KIST_PKCS11_KEYS="bench/*")
        print("| who | operation | load | each second | ± |\n|---|---|---|---|---|")
        for (name, operation, load), rates in signatures(kist, peers, arguments.seconds, arguments.rounds).items():
            print(f"| {name} | {operation} | {load} | {statistics.median(rates):,.0f} | {(max(rates) - min(rates)) / 2:,.0f} |")
        for (name, (workers, clients)), rates in tls(pathlib.Path(place), kist, peers, arguments.seconds, arguments.rounds).items():
            print(f"| {name} | TLS 1.3 handshake by nginx, P-256 | {workers} workers, {clients} clients | {statistics.median(rates):,.0f} | {(max(rates) - min(rates)) / 2:,.0f} |")
        print("\n".join(peers.skipped))


if __name__ == "__main__":
    main()
