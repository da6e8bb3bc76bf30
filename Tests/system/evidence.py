"""docs/AUDIT.md and docs/REVIEW.md, as the auditor, with what root and an operator do for them."""

import re

from machine import expect
from page import ROOT, commands
from people import unlock

AUDIT, REVIEW = ((ROOT / f"docs/{name}.md").read_text() for name in ("AUDIT", "REVIEW"))
NUMBER = "4111111111111111"


def checked(machine):
    """AUDIT.md: the log checked, exported, proved, and compared with what is kept elsewhere"""
    machine.run("install -d -o frank /media /mnt/elsewhere && cp -r /var/lib/kist/ceremony ~frank/ceremony-2026 && chown -R frank ~frank/ceremony-2026")
    _as_frank(machine, "kist audit key > audit.vkey && kist audit checkpoint /var/log/kist/audit --key audit.vkey > october.checkpoint")
    for section in ("What you need once", "Checking", "What to keep outside"):
        for _, command in commands(AUDIT, section):
            if "logger" in command:
                command = f"timeout 5 sh -c '{command}' || test $? = 124"
            _as_frank(machine, _fitted(command))
    for tag in ("kist-audit", "kist-checkpoint"):
        machine.run(f"journalctl --sync && journalctl --no-pager --output=cat | grep --quiet ' {tag} - - '")


def followed(machine):
    """AUDIT.md: what follows the log with a cursor misses no record, though it is killed again and again"""
    follow = "kist audit tail /var/log/kist/audit --json --cursor followed"
    load = machine.start("for _ in $(seq 200); do kist key list >/dev/null; done", "alice")
    for _ in range(6):
        machine.run(f"cd ~ && timeout --signal KILL 1.2 {follow} --follow >>shipped", "frank", code=137)
    load.communicate(timeout=60)
    _as_frank(machine, f"{follow} >>shipped")
    came = [int(seq) for seq in _as_frank(machine, "jq .seq shipped").text.split()]
    newest = int(_as_frank(machine, "kist audit tail --lines 1 --json | jq .seq").text)
    expect(sorted(set(came)) == list(range(min(came), newest + 1)), f"{len(came)} records up to {newest}")
    return f"{len(set(came))} records, {len(came) - len(set(came))} of them twice"


def witnessed(machine):
    """AUDIT.md: a witness signs every ten minutes, and refuses a host that has lost its history"""
    machine.run("useradd --create-home witness && cp ~frank/audit.vkey ~witness/")
    (_, start), *rest = commands(AUDIT, "A witness in five minutes")
    start = start.replace("python3 ", "exec python3 /usr/share/doc/kistd/examples/witness/").replace("192.0.2.7", "127.0.0.1")
    running = machine.start(f"cd ~ && {start}", "witness")
    try:
        vkey = running.stdout.readline()
        expect(vkey.startswith("witness.example.org/kist+"), vkey)
        machine.put("/home/frank/witness.vkey", vkey)
        for user, command in rest:
            machine.run(f"cd ~frank && {command.replace('https://witness.example.org', 'http://127.0.0.1:8467')}", user)
        machine.run("kist key list", "alice")
        machine.run("systemctl start kist-cosign.service")
        records = [int(size) for size in machine.run("sed -n 2p /var/lib/kist-cosign/cosigned && kist audit tail --lines 1 --json | jq .seq").text.split()]
        expect(records[0] == records[1] + 1, f"{records}")
        machine.run("grep --quiet '^kist_cosigned_timestamp_seconds [1-9]' /var/lib/prometheus/node-exporter/cosign.prom")
        machine.run("find /var/lib/kist-cosign/ -type f -delete")
        machine.run("kist key list", "alice")
        machine.run("systemctl start kist-cosign.service", code=1)
        said = machine.run("journalctl --unit=kist-cosign --output=cat --no-pager").text
        expect("did not sign: 409" in said, said)
    finally:
        machine.run("pkill --uid witness; systemctl disable --now kist-cosign.timer; systemctl reset-failed kist-cosign.service; rm /etc/kist/witnesses.env", code=None)


def kept(machine):
    """AUDIT.md: compressed, pruned, and the kept checkpoint made anew"""
    for section in ("Keeping, compressing and removing", "Which attack is found by what"):
        for user, command in commands(AUDIT, section):
            machine.run(f"cd ~frank && {command}", user)
    machine.run("kist audit verify /var/log/kist/audit --key /etc/kist/audit.vkey --checkpoint /var/lib/kist/audit.checkpoint")


def reviewed(machine):
    """REVIEW.md: records found, a number looked for, a report, the keys, a sign-off"""
    machine.put("/etc/kist/policy.d/40-auditor.toml", re.search(r"^    (\[\[grant\]\]\n(?:    .*\n)+)", REVIEW, re.M).group(1).replace("    ", ""))
    machine.run("usermod --append --groups kist-clients frank && systemctl restart kistd")
    unlock(machine)
    machine.run("printf 'merchant/acme/*    ACME Ltd, treasury\\naudit/*            Platform security\\n' > ~alice/owners.txt")
    machine.put("/home/alice/test-keys.json", '{"keys":[{"label":"merchant/acme/processing","kcv":"000000"}]}')
    digest = None
    for section in ("One record", "Many records", "One transaction or account number", "A period", "The keys", "Signing off"):
        for user, command in commands(REVIEW, section):
            if command == "kist audit digest":
                digest = re.search(r"hmac-sha256:[0-9a-f]{64}", machine.type(command, [NUMBER], user).text).group()
            else:
                command = _fitted(command).replace("hmac-sha256:4bd0…", str(digest))
                said = machine.run(f"cd ~ && {command}", user).text
                expect(not command.startswith("comm ") or not said, said)
    machine.run("cd ~ && test -s keys.values && comm -12 keys.values keys.values | cmp - keys.values", "alice")
    expect("audit-digest" in machine.run(f"kist audit show --digest {digest}", "frank").text, "the search is not on the record")
    machine.run("jq --exit-status '.components | length > 1' ~alice/keys.cdx.json")
    for file in ("~frank/november.html", "~alice/keys.html"):
        expect("<html" in machine.run(f"cat {file}").text, file)


def packed(machine):
    """REVIEW.md: one directory for an assessor, good on any machine, and none of a log that is not"""
    machine.run("install -o frank ~alice/keys.html ~alice/keys.cdx.json ~frank/")
    ((_, command),) = commands(REVIEW, "For an assessor")
    _as_frank(machine, command)
    _as_frank(machine, "cd evidence-2026 && sha256sum --check --quiet SHA256SUMS && kist audit verify log --key ../audit.vkey")
    _as_frank(machine, "kist audit verify evidence-2026/growth --key audit.vkey --checkpoint october.checkpoint")
    page = _as_frank(machine, "cat evidence-2026/index.html").text
    named = re.findall(r'href="([^"]+)"', page)
    expect(len(named) == 11 and "There is no" not in page, page)
    _as_frank(machine, f"cd evidence-2026 && ls --directory {' '.join(named)}")
    machine.run("cd ~ && : >empty", "frank")
    for option in ("--inventory keys.html", "--cbom keys.cdx.json"):
        wrong = command.replace("evidence-2026", "evidence-changed").replace(option, option.split()[0] + " empty")
        expect("empty: not " in machine.run(f"cd ~ && {wrong}", "frank", code=1).text, wrong)
    _as_frank(machine, "cp --recursive evidence-2026/log/log changed && sed --in-place 's/unlock/UNLOCK/' changed/*.log")
    machine.run(f"cd ~ && {command.replace('evidence-2026', 'evidence-changed')} --log changed", "frank", code=1)
    machine.run(f"cd ~ && {command}", "frank", code=1)
    expect(_as_frank(machine, "ls --almost-all | grep --count 'kist-audit-pack\\|evidence' || true").text.strip() == "1", "something is left over")


def _as_frank(machine, command):
    return machine.run(f"cd ~ && {command}", "frank")


def _fitted(command):
    """With a record that this log has, in place of the page's."""
    return re.sub(r"\b(4711|12345|48211)\b", "3", command)
