"""docs/PKCS11.md: TLS by nginx, whose key stays in kistd; after `restarts`, with which kistd opens its store by itself."""

import json
import os
import pathlib
import time

from machine import expect
from people import approved

#: For how long nginx is reloaded and kistd restarted under load.
SECONDS = float(os.environ.get("KIST_SYSTEM_TLS_SECONDS", "12"))
RELOADS, RESTARTS, WORKERS = 2.0, 5.0, 4
POLICY = """
[[grant]]
id = "tls"
users = ["www-data"]
operations = ["who", "list-keys", "describe-key", "sign"]
keys = ["tls/*"]

[[grant]]
id = "tls-master"
users = ["root"]
operations = ["list-keys", "describe-key"]
keys = ["tls/*"]
"""
NGINX = f"""
user www-data;
env PKCS11_MODULE_PATH;
env KIST_PKCS11_KEYS;
ssl_engine pkcs11;
worker_processes {WORKERS};
pid nginx.pid;
events {{}}
http {{
    access_log off;
    server {{
        listen 127.0.0.1:8444 ssl;
        ssl_session_tickets off;
        ssl_certificate /tmp/shop.pem;
        ssl_certificate_key "engine:pkcs11:pkcs11:object=tls%2Fshop;type=private";
        location = / {{ return 200 "served\\n"; }}
    }}
}}
"""
ENVIRONMENT = "PKCS11_MODULE_PATH=$(echo /usr/lib/*/pkcs11/kist-pkcs11.so) KIST_PKCS11_KEYS='tls/*'"
KEY = "-engine pkcs11 -keyform engine -key 'pkcs11:object=tls%2Fshop;type=private'"
#: nginx of Debian 13 does not initialise the engine by itself.
OPENSSL = """
openssl_conf = openssl_init
[openssl_init]
engines = engines
[engines]
pkcs11 = pkcs11
[pkcs11]
engine_id = pkcs11
init = 1
"""
SERVER = "OPENSSL_CONF=/root/tls/openssl.cnf /usr/sbin/nginx -p /root/tls/ -c nginx.conf -e errors.log"


def served(machine):
    """PKCS11.md: nginx's workers sign with a key that kistd made, its master only reads it"""
    machine.put("/etc/kist/policy.d/30-tls.toml", POLICY)
    approved(machine, "kist policy swap --wait")
    machine.run("systemctl reload kistd && usermod --append --groups kist-clients www-data")
    machine.run("kist key generate --label tls/shop --role signing-ecdsa --algorithm P-256", "alice")
    subject = "-subj /CN=localhost -addext subjectAltName=DNS:localhost -days 9 -out /tmp/shop.pem"
    machine.run(f"{ENVIRONMENT} openssl req -x509 {KEY} {subject}", "www-data")
    machine.run(f"{ENVIRONMENT} openssl dgst -sha256 -engine pkcs11 -keyform engine -sign 'pkcs11:object=tls%2Fshop;type=private' /etc/hostname", code=1)
    machine.run("mkdir /root/tls")
    machine.put("/root/tls/nginx.conf", NGINX)
    machine.put("/root/tls/openssl.cnf", OPENSSL)
    machine.run(f"{ENVIRONMENT} {SERVER}")
    expect(machine.run("curl --silent --show-error --cacert /tmp/shop.pem https://localhost:8444/").text == "served\n", "not served")
    users = set(machine.run("kist audit show --op sign --json | jq -r .actor.name", "frank").text.split())
    expect("www-data" in users, users)


def goes_on(machine):
    """Reloads of nginx and restarts of kistd under load: no handshake fails but those under way"""
    machine.put("/opt/handshakes.py", (pathlib.Path(__file__).parent / "handshakes.py").read_text())
    machine.run("rm -f /tmp/stop")
    load = machine.start("python3 /opt/handshakes.py /tmp/shop.pem 8444 /tmp/stop")
    began, reloads, restarts = time.monotonic(), 0, 0
    while (passed := time.monotonic() - began) < SECONDS:
        if passed > RELOADS * (reloads + 1):
            machine.run(f"{ENVIRONMENT} {SERVER} -s reload")
            reloads += 1
        if passed > RESTARTS * (restarts + 1):
            machine.run("systemctl restart kistd")
            restarts += 1
        time.sleep(0.2)
    machine.run("touch /tmp/stop")
    said = load.communicate(timeout=60)[0]
    counts = json.loads(said)
    machine.run(f"{ENVIRONMENT} {SERVER} -s quit")
    expect(counts["served"] > 20 * SECONDS and restarts >= 2 and reloads >= 4, f"{counts}, {restarts} restarts, {reloads} reloads")
    expect(counts["failed"] <= WORKERS * restarts, counts)
    return f"{counts['served']} handshakes, {counts['failed']} failed, {reloads} reloads, {restarts} restarts"
