"""docs/SERVICES.md: one of the HTTP services, deployed behind nginx."""

import json
import re

from machine import expect
from page import ROOT, commands
from people import approved
from reversioned import reversioned

PAGE = (ROOT / "docs/SERVICES.md").read_text()
METRICS = (ROOT / "docs/METRICS.md").read_text()
HOSTS = "decrypt", "cardsecure", "sessions", "keys", "issuer"
SAMPLE = "/root/radial-request.xml"
#: As the authoriser asks, through nginx.
ASK = (
    "curl --silent --insecure --resolve decrypt.example.com:8443:127.0.0.1 --write-out ' %{http_code}' --header 'x-api-key: example' "
    f"--data-binary @{SAMPLE} https://decrypt.example.com:8443/payments/services/1.0/DecryptBlob"
)
READY = "curl --silent --unix-socket /run/kist-services/decryptblob.sock http://localhost/ready"
CARDS = "var/lib/kist-cards/cards.sqlite"
CLIENT = "--cert /etc/ssl/kist/authoriser.pem --key /etc/ssl/kist/authoriser.key"


def deployed(machine):
    """SERVICES.md: a service of a user, a socket and a grant of its own, with nginx in front"""
    machine.put(SAMPLE, (ROOT / "services/tests/samples/radial-request.xml").read_text())
    _certificates(machine)
    for user, command in commands(PAGE, "Deploy"):
        if command.startswith("systemctl enable"):
            _take_policy(machine)
        said = machine.run(f"cd /root/packages && {command.replace('MESSENGER', 'mail')}", user, patience=120).text
    expect('"ready":true' in said.replace(" ", ""), said)


def asked(machine):
    """The service answers the authoriser, through nginx, and nobody else"""
    said = machine.run(ASK.replace("curl ", f"curl {CLIENT} ")).text
    expect(said.endswith(" 400") and "not well-formed" in said, said)
    expect(" 400" in (said := machine.run(ASK).text) and "SSL certificate" in said, said)
    said = machine.run(ASK.replace("curl ", f"curl {CLIENT} ").replace("example'", "another'")).text
    expect(said.endswith(" 401"), said)
    expect("Permission denied" in machine.run("cat /run/kist-services/decryptblob.sock", "mallory", code=1).text, "the socket is open")
    expect(machine.run("ps -o user= -C python3").text.split() == ["kist-decryptblob"], "another user")
    said = machine.run("systemd-analyze security --no-pager kist-service@decryptblob.service | tail -n 1").text
    return said.strip("→ \n")


def cards(machine):
    """SERVICES.md: a card is added to the issuer's, its number sealed"""
    machine.run("cp /usr/share/doc/kist-services/examples/policy/issuer.toml /etc/kist/policy.d/30-issuer.toml")
    _take_policy(machine)
    machine.run("kist key generate --label issuer/cards/2026 --role sealing --algorithm AES-256", "alice")
    for user, command in commands(PAGE, "issuer and activation"):
        machine.run(f"cd /root && {command}", user)
    kept = (machine.root / CARDS).read_bytes()
    expect(b"Tester Bob" in kept and b"4111111111111111" not in kept, "no card, or its number")


def sessions(machine):
    """SERVICES.md: sessions starts with the provider for OpenSSL and a network, and says that it has no identity yet; it serves Apple's file to everybody"""
    machine.run("cp /usr/share/doc/kist-services/examples/sessions.toml /etc/kist-services/")
    machine.run("sed -i 's|^# domain_association|domain_association|' /etc/kist-services/sessions.toml && printf 7B7D >/etc/kist-services/domain-association")
    machine.run("kist doctor --domain-association /etc/kist-services/domain-association | grep domain-association", code=1)
    machine.run("cp /usr/share/doc/kist-services/examples/policy/sessions.toml /etc/kist/policy.d/30-sessions.toml")
    _take_policy(machine)
    machine.run("systemctl enable --now kist-service@sessions.socket")
    said = machine.run("curl --silent --unix-socket /run/kist-services/sessions.sock http://localhost/ready").text
    expect("no merchant identity key is active" in said, said)
    path = "/.well-known/apple-developer-merchantid-domain-association"
    served = machine.run(f"curl --silent --unix-socket /run/kist-services/sessions.sock http://localhost{path}").text
    expect(served == "7B7D", served)
    shown = machine.run("systemctl show --property=PrivateNetwork,Environment kist-service@sessions.service").text
    expect("PrivateNetwork=no" in shown and "OPENSSL_CONF=/usr/share/kist-services/openssl.cnf" in shown, shown)
    found = machine.run("OPENSSL_CONF=/usr/share/kist-services/openssl.cnf openssl list -providers").text
    expect("name: Kist" in found, found)
    machine.run("systemctl disable --now kist-service@sessions.socket kist-service@sessions.service")


def keys(machine):
    """SERVICES.md: keys is an operator of its own, makes a merchant's key and its request, and nothing else of theirs is open to it"""
    machine.run("cp /usr/share/doc/kist-services/examples/keys.toml /etc/kist-services/")
    machine.run("cp /usr/share/doc/kist-services/examples/policy/keys.toml /etc/kist/policy.d/30-keys.toml")
    _take_policy(machine)
    machine.run("systemctl enable --now kist-service@keys.socket")
    ask = "curl --silent --unix-socket /run/kist-services/keys.sock --header 'x-api-key: example' http://localhost/v1/merchants/merchant.com.acme/keys"
    made = machine.run(f"{ask} --header 'content-type: application/json' --header 'idempotency-key: 0123456789abcdef' --data '{{\"kind\":\"processing-ec\"}}'").text
    expect("BEGIN CERTIFICATE REQUEST" in made and '"pre-active"' in made, made)
    expect('"processing-ec"' in machine.run(ask).text, "no key")
    said = machine.run("kist audit show --op generate-key --user kist-keys --json | jq -r .policy.grant", "frank").text
    expect(said == "keys\n", said)
    for command in ("kist status", "kist lock"):
        machine.run(command, "kist-keys", code=1)
    machine.run("systemctl disable --now kist-service@keys.socket kist-service@keys.service")


def renewed(machine):
    """SERVICES.md: the timer's run makes no second key, signs for Apple with a key in kistd, and tells people what it cannot do here, where no network is"""
    machine.run("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out /tmp/AuthKey_2X9R4HXF34.p8 && chmod 644 /tmp/AuthKey_2X9R4HXF34.p8")
    for user, command in commands(PAGE, "Renewal"):
        machine.run(f"cd /tmp && {command}", user)
        if "policy.d" in command:
            _take_policy(machine)
    machine.run("systemctl start kist-renew", code=1)
    told = "cat /var/spool/kist-services/renew/*.json"
    expect(json.loads(machine.run(told, "kist-renew").text)["why"].startswith("Apple did not answer"), "not told")
    said = machine.run("journalctl --unit=kist-renew --output=cat --no-pager").text
    expect("merchant.com.acme processing-ec: Apple did not answer" in said and "make: done" not in said, said)
    signed = machine.run("kist audit show --op sign --user kist-renew --json | jq -r '.policy.grant + .label'", "frank").text
    expect(signed == "renew-appleapple/app-store-connect\n", signed)
    machine.run("kist key generate --label others/key --role sealing", "kist-renew", code=1)
    machine.run("mkdir -p /var/lib/prometheus/node-exporter")
    ((_, link),) = commands(METRICS, "What becomes of merchants' keys")
    machine.run(link)
    counted = machine.run("cat /var/lib/prometheus/node-exporter/renew.prom", "alice").text
    expect("\nkist_renew_failures 1\n" in counted, counted)
    machine.run("rm /var/lib/prometheus/node-exporter/renew.prom")
    _says_what_it_has(machine)
    machine.run("systemctl disable --now kist-renew.timer && rm -r /etc/kist-services/renew.toml /var/spool/kist-services/renew /var/lib/kist-services/renew")


def _says_what_it_has(machine):
    """As a fleet of one host: signed with its key in kistd, and read again under the unit's restrictions."""
    said = [machine.run(f"cd /tmp && {command}", user).text for user, command in commands(PAGE, "On several hosts")]
    (own,) = [text.strip() for text in said if text.startswith("MFkw")]
    expect(re.search(r"\ta\tkey-generated\tmerchant/merchant\.com\.acme/processing-ec-\w+\tkistd\n", said[-1]), said[-1])
    file = machine.root / "etc/kist-services/renew.toml"
    fleet = {"exchange": "fleet/exchange", "bundles": "/var/lib/kist-bundles", "host": "a", "host_key": "fleet/host"}
    file.write_text("".join(f'{name} = "{value}"\n' for name, value in fleet.items()) + file.read_text() + f'\n[hosts]\na = "{own}"\n')
    machine.run("systemctl start kist-renew", code=1)
    signed, _, content = machine.run("cat /var/lib/kist-bundles/a.host").text.partition("\n")
    expect(signed.count(".") == 2 and json.loads(content)["makes"] is True, signed + content)
    signed = machine.run("kist audit show --op sign --user kist-renew --json | jq -r '.policy.grant + .label'", "frank").text
    expect(signed.endswith("renew-hostfleet/host\n"), signed)
    machine.run("rm -r /var/lib/kist-bundles")


def upgraded(machine):
    """An upgrade of the package restarts the service that runs, whose callers wait; settings and cards stay"""
    before = _process(machine)
    settings = machine.run("cat /etc/kist-services/decryptblob.toml").text
    files = reversioned(machine, machine.packages, "/root/upgrade", "0.1.0+1", ("kist-services", "python3-kist"))
    callers = machine.start(f"for _ in $(seq 40); do {READY}; sleep 0.2; done")
    machine.run(f"cd /root/upgrade && apt-get install --yes {' '.join('./' + file for file in files)}", patience=120)
    said = callers.communicate()[0]
    expect(said.count('"ready":true') == 40, said)
    expect(_process(machine) not in (before, "0"), "not restarted")
    expect(machine.run("cat /etc/kist-services/decryptblob.toml").text == settings, "other settings")
    expect((machine.root / CARDS).exists(), "no cards")


def purged(machine):
    """A purge ends the service, and keeps settings and cards; installed again, it answers"""
    said = machine.run("apt-get purge --yes kist-services", patience=120).text
    expect("/etc/kist-services is kept" in said and "/var/lib/kist-cards is kept" in said, said)
    expect("is kept" not in said.replace("/etc/kist-services is kept", "").replace("/var/lib/kist-cards is kept", ""), said)
    machine.run("test ! -e /run/kist-services/decryptblob.sock")
    # Nobody reads for ever what it said last.
    machine.run("test ! -e /run/kist-renew/renew.prom")
    machine.run("test ! -e /var/lib/kist-cardsecure")
    machine.run("ps -C python3", code=1)
    expect((machine.root / CARDS).exists(), "no cards")
    machine.run("cd /root/packages && apt-get install --yes --allow-downgrades ./python3-kist_*.deb ./kist-services_*.deb", patience=120)
    machine.run("systemctl enable --now kist-service@decryptblob.socket")
    expect('"ready":true' in machine.run(READY).text, "not ready")


def _process(machine):
    return machine.run("systemctl show --property=MainPID --value kist-service@decryptblob.service").text.strip()


def _take_policy(machine):
    """The policy in the files is approved and taken."""
    approved(machine, "kist policy swap --wait")
    machine.run("systemctl reload kistd")


def _certificates(machine):
    """For nginx, signed by nobody but themselves, and one for the authoriser."""
    machine.run("mkdir /etc/ssl/kist")
    for name in (*HOSTS, "authoriser", "backend"):
        machine.run(
            f"cd /etc/ssl/kist && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 -subj /CN={name}.example.com "
            f"-keyout {name}.key -out {name}.pem")
    for name in ("authoriser", "backend"):
        machine.run(f"cp /etc/ssl/kist/{name}.pem /etc/ssl/kist/{name}-ca.pem")
