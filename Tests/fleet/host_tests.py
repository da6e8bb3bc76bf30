"""Two real hosts: what becomes of tokens and codes when one is cut off, its clock is set, or it serves without the store; and under fire."""

import json
import os
import random
import secrets
import shutil
import subprocess
import time

import page
from process import at_last, at_once, eventually, expect
from shops import kist
from traffic import Traffic

# The tokens of the long form; each wave of the short one's size brings every event.
TOKENS = int(os.environ.get("KIST_SOAK_TOKENS", "0"))
WAVE = 50


def stage_of_last(shop):
    return list(shop.records().values())[-1].get("stage")


def parted_host(fleet):
    """[FLEET-F1] [FLEET-F3] [FLEET-SOCK-3] a host that is cut off from the store opens nothing and says so; what the other opened meanwhile stays opened."""
    one, two = fleet.shops
    before, meanwhile = one.token(), one.token()
    expect(two.open_soon(before)[0] == "opened", "not opened")
    fleet.network.cut_off(two.host, True)
    eventually("it is not ready", lambda: two.open(meanwhile)[0] == "busy" and not two.is_ready())
    expect(stage_of_last(two) == "claims", "busy at another stage")
    expect(one.open_soon(meanwhile)[0] == "opened" and one.open_soon(before)[0] == "rejected", "the other host is disturbed")
    expect(two.open(before)[0] == "rejected", "its own replay guard does not stand")
    started = time.monotonic()
    fleet.network.cut_off(two.host, False)
    expect(two.open_soon(meanwhile)[0] == "rejected" and stage_of_last(two) == "replay", "opened on both")
    return "back after %.1f s" % (time.monotonic() - started)


def clock_step(fleet):
    """[FLEET-CLAIM-4] [FLEET-CLAIM-5] [FLEET-CLAIM-7] clocks of a host and of the store are set while they run: tokens are fresh by the host's clock, repetitions in time by
    the store's, and what was opened once stays opened."""
    one, two = fleet.shops

    def ends(shop, token, key=b""):
        outcome = shop.open_soon(token, key)[0]
        return outcome if outcome == "opened" else stage_of_last(shop)

    def signed(ahead):
        return one.token("--at", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + ahead)))

    # Signing times are whole seconds, and what is signed in the same second as a forgotten token is refused with it: early is older than all that follows.
    early, strange = signed(-30), one.token()
    expect(ends(two, early) == "opened", "not opened")
    # An hour ahead, twice, so that the guard forgets what has long been stale.
    for hours in (1, 2):
        two.clock.set(3600 * hours)
        expect(ends(two, strange) == "signing-time", "a stale token")
        later = signed(3600 * hours)
        expect(ends(one, later) == "signing-time" and ends(two, later) == "opened" and ends(two, later) == "replay", "a token of the future")
    two.clock.set(0)
    # The host that opened it has forgotten it, and refuses all that is as old.
    expect(ends(two, early) == "signing-time" and ends(one, early) == "replay", "opened twice")
    expect(ends(one, strange) == "opened", "what was refused had been claimed")
    one.clock.set(7200)
    expect(ends(one, later) == "replay", "opened on both")
    one.clock.set(0)
    expect(two.records("clock-step"), "the step is not on record")

    # The retry window is 120 s, and a token's 300 s.
    def repeated(ahead_there=0, store_ahead=0):
        token, key = one.token(), secrets.token_bytes(16)
        expect(ends(one, token, key) == "opened", "not opened")
        two.clock.set(ahead_there)
        fleet.primary.clock.set(store_ahead)
        end = ends(two, token, key)
        two.clock.set(0)
        fleet.primary.clock.set(0)
        return end

    for shift, right, wrong in (({"ahead_there": 200}, "opened", "a repetition was judged by the host's clock"),
                                ({"store_ahead": 200}, "replay", "a repetition was not judged by the store's clock"),
                                ({"store_ahead": -200}, "opened", "a claim of the future")):
        end = repeated(**shift)
        expect(end == right, "%s: %s" % (wrong, end))
    two.clock.set(-250)
    two.claimd.kill()
    two.claimd.start()
    eventually("the status file has the difference", lambda: 240_000 < json.loads(two.claimd.status.read_text()).get("clock_difference_ms", 0) < 260_000)
    two.clock.set(0)
    fleet.shops.rest()
    return ""


def envelopes(fleet):
    """[FLEET-CLAIM-11] [FLEET-F2] an envelope that opens once opens on one of two hosts, the same request again on the other, and without the store on none."""
    one, two = fleet.shops
    merchant, number = "merchant.com.example.envelopes", "4109370251004320"
    with one.client() as client:
        key = client.find_key("envelopes/2026").id

    def sealed():
        transaction = os.urandom(32)
        with one.client() as client:
            return transaction, client.tokenise_envelope(key, number, merchant, transaction, 600)

    def ask(shop, payment, retry_key):
        try:
            with shop.client() as client, client.open_envelope(key, payment[1], merchant, payment[0], retry_key=retry_key) as opened:
                return "opened" if opened.dpan.text() == number else "another number"
        except kist.Rejected as refusal:
            return refusal.stage
        except kist.Busy:
            return "busy"

    def ends(shop, payment, retry_key=b""):
        def answer():
            ended = ask(shop, payment, retry_key)
            return ended != "busy" and ended

        return eventually("the store of %s answers" % shop.host, answer)

    once, again, later, retry_key = sealed(), sealed(), sealed(), secrets.token_bytes(16)
    expect([ends(shop, once) for shop in (two, one, two)] == ["opened", "envelope-used", "envelope-used"], "not opened once")
    expect([ends(shop, again, retry_key) for shop in (one, two, one, two)] == ["opened"] * 4, "not opened again")
    expect([ends(shop, again, secrets.token_bytes(16)) for shop in (one, two)] == ["envelope-used"] * 2, "opened for another request")
    first = list(two.records("open-envelope").values())[-3]
    expect(first["in"].get("retry_host") == one.host, "the record does not name the first host: %s" % first)
    fleet.network.cut_off(two.host, True)
    eventually("it is busy", lambda: ask(two, later, b"") == "busy" and not two.is_ready())
    expect(ends(one, later) == "opened", "the other host is disturbed")
    fleet.network.cut_off(two.host, False)
    expect(ends(two, later) == "envelope-used", "opened on both")
    return ""


def codes(fleet):
    """[FLEET-F6] a code of time is right once on two hosts, whoever is asked first, and a claimed one counts as wrong; codes by counter are made and checked at home
    alone."""
    one, two = fleet.shops
    keys = {}
    with one.client() as client:
        keys = {key.label: key.id for key in client.list_keys(prefix="codes/").keys}

    def verify(shop, code, name="totp", subject="anna"):
        def answer():
            try:
                with shop.client() as client:
                    client.verify_otp(keys["codes/" + name], code, subject=subject)
                return "right"
            except kist.Rejected as refusal:
                return refusal.stage
            except kist.Busy:
                return None

        return eventually("the store of %s answers" % shop.host, answer)

    def sign(shop, name="totp", subject="anna"):
        with shop.client() as client:
            return bytes(client.sign_otp(keys["codes/" + name], subject=subject).otp).decode()

    code = sign(two)
    expect(verify(one, code) == "right" and verify(one, code) == "otp-code", "not right once")
    # [FLEET-F6] It was right once: who sends it again is no guesser.
    expect([verify(two, code) for _ in range(12)] == ["otp-code"] * 12, "a claimed code is right again, or counts as a wrong one")
    people = ["person %d" % number for number in range(12)]
    answers = []
    at_once([lambda shop=shop, subject=subject, code=sign(one, subject=subject): answers.append((subject, verify(shop, code, subject=subject)))
             for subject in people for shop in fleet.shops])
    expect(sorted(answers) == sorted((subject, said) for subject in people for said in ("right", "otp-code")), "not right once: %s" % answers)
    for shop in fleet.shops:
        shop.clock.set(30)
    expect(verify(two, sign(one, subject="berta"), subject="berta") == "right", "the next step's code")
    expect(verify(two, sign(one)) == "right", "whose claimed code was sent again and again is locked out")
    for shop in fleet.shops:
        shop.clock.set(0)

    counted = sign(one, "hotp")
    expect(verify(two, counted, "hotp") == "otp-home", "checked away from home")
    try:
        sign(two, "hotp")
        raise AssertionError("made away from home")
    except kist.Rejected as refusal:
        expect(refusal.stage == "otp-home", refusal.stage)
    expect(verify(one, counted, "hotp") == "right" and verify(one, counted, "hotp") == "otp-code", "not right at home")
    return "%d codes" % (len(people) + 3)


def local(fleet):
    """[FLEET-F3] [FLEET-F2] a merchant with local claims is served while the store is away, and marked; what was opened is claimed once it is back, and what both
    hosts opened is reported with both openings."""
    one, two = fleet.shops
    for shop in fleet.shops:
        shop.open_locally(True)
    alone, both, repeated, closed = (one.token() for _ in range(4))
    key = secrets.token_bytes(16)
    expect(one.open_soon(closed)[0] == "opened", "not opened")
    for shop in fleet.shops:
        fleet.network.cut_off(shop.host, True)
        eventually("the store is away for " + shop.host, lambda shop=shop: shop.open(shop.token())[0] == "opened" and '"store":false' in shop.status())
        expect(shop.is_ready(), "not ready, although it serves")
    expect(one.open(closed)[0] == "rejected", "its own replay guard does not stand")
    sequences = {}
    for shop, name, token, with_key in ((one, "alone", alone, b""), (one, "both", both, b""), (two, "both", both, b""), (one, "repeated", repeated, key),
                                        (two, "repeated", repeated, key)):
        outcome, sequences[shop.host, name] = shop.open(token, with_key)
        expect(outcome == "opened", "%s: %s" % (name, outcome))
    opened = fleet.shops.records("open-payment-token", "--result", "ok")
    marked = {(host, sequence) for host, log in opened.items() for sequence, record in log.items() if "local" in record["in"]}
    expect(marked >= {(host, sequence) for (host, _), sequence in sequences.items()}, "not marked")
    for shop in fleet.shops:
        fleet.network.cut_off(shop.host, False)

    def settled(operation):
        logs = fleet.shops.records(operation)
        return {(host, record["event"]["opening"]): record["event"] for host, log in logs.items() for record in log.values()}

    eventually("all is claimed", lambda: settled("opening-claimed").keys() | settled("duplicate-opening").keys() == marked)
    duplicates = settled("duplicate-opening")
    expect(not duplicates.keys() & settled("opening-claimed").keys() and len(duplicates) == 1, "duplicates: %s" % duplicates)
    ((host, opening), event), = duplicates.items()
    there = (shop.host for shop in fleet.shops if shop.host != host)
    expect(opening == sequences[host, "both"] and event["host"] == next(there), "another duplicate")
    record = opened[event["host"]][sequences[event["host"], "both"]]
    expect(event["claim"] == record["in"]["claim"] == opened[host][opening]["in"]["claim"], "its claim leads to no record of the other host")
    (shop,) = (shop for shop in fleet.shops if shop.host == host)
    expect(shop.said("event=duplicate-opening") == 1 and '"duplicates":1,' in shop.status(), "the duplicate is not reported")
    for shop, token in ((one, both), (two, both), (two, alone)):
        expect(shop.open_soon(token)[0] == "rejected", "opened again")
    for shop in fleet.shops:
        shop.open_locally(False)
    fleet.network.cut_off(one.host, True)
    eventually("the store is away", lambda: one.open(one.token())[0] == "busy")
    fleet.network.cut_off(one.host, False)
    fleet.shops.rest()
    return "%d opened without the store, one of them twice" % len(marked)


def changed_key(fleet):
    """[FLEET-CLAIM-9] a host with another key opens nothing; the key is changed as docs/FLEET.md says, and meanwhile and afterwards nothing opens twice."""
    one, two = fleet.shops
    section, old, new = "Changing the key", "fleet/claims-2026", "fleet/claims-2027"
    token = one.token()
    expect(one.open_soon(token)[0] == "opened", "not opened")
    for shop, words in ((one, "kist key generate"), (one, "kist key export"), (one, "kist key show"), (two, "kist key import")):
        fleet.shops.follow(section, shop, words)
    two.claim_under(old, new)
    eventually("it is ready", two.is_ready)
    for _ in range(3):
        expect(two.open(token)[0] == "busy" and two.open(one.token())[0] == "busy", "opened under another key")
    eventually("the reason is told", lambda: "another key" in json.loads(two.claimd.status.read_text()).get("refusal", ""))
    for shop in fleet.shops:
        (fleet.place / (shop.host + ".json")).write_text(at_last(lambda shop=shop: shop.kist("fleet", "status", "--json")))
    compared = subprocess.run([fleet.build / "kist", "fleet", "check", *(fleet.place / (shop.host + ".json") for shop in fleet.shops)],
                              capture_output=True, text=True, check=False)
    expect(compared.returncode == 1 and "claims under " + new in compared.stdout, compared.stdout + compared.stderr)
    expect(one.open_soon(one.token())[0] == "opened", "the other host is disturbed")
    page.follow(section, fleet.place, fleet.build, "psql", PGHOST=fleet.primary.folder)
    for shop in fleet.shops:
        expect(shop.open(one.token())[0] == "busy", "opened while the key changes")
    one.claim_under(old, new)
    eventually("it is ready", one.is_ready)
    for shop in fleet.shops:
        expect(shop.open(one.token())[0] == "busy", "opened before the time")
    expect(two.open(token)[0] == "busy", "opened before the time")
    for clock in (fleet.primary.clock, one.clock, two.clock):
        clock.set(1300)
    fleet.shops.claim_as((fleet.place / "claims-2027.kcv").read_text().strip())
    fresh = one.token("--at", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1300)))
    expect(one.open_soon(fresh)[0] == "opened" and two.open_soon(fresh)[0] == "rejected", "not opened once under the new key")
    for shop in fleet.shops:
        expect(shop.open_soon(token)[0] == "rejected", "opened under both keys")
    for clock in (fleet.primary.clock, one.clock, two.clock):
        clock.set(0)
    # The change is to come again, by a clock that was set back.
    fleet.primary.sql("UPDATE kist.fleet_key SET since = '-infinity'", "kist")
    return ""


def put_back(fleet):
    """[FLEET-CLAIM-10] a host that is put back from an image opens nothing that it opened since, and neither does another host that takes its name."""
    one, two = fleet.shops
    image, later = fleet.place / "image", fleet.place / "later"
    two.stop()
    shutil.copytree(two.directory, image, ignore=shutil.ignore_patterns("*.sock", "log"))
    two.start()
    token = one.token()
    expect(two.open_soon(token)[0] == "opened", "not opened")
    two.stop()
    two.directory.rename(later)
    shutil.copytree(image, two.directory)
    two.start()
    expect(two.open_soon(token)[0] == "rejected" and stage_of_last(two) == "replay", "opened again")
    stolen = one.token()
    expect(two.open_soon(stolen)[0] == "opened", "a new token is not opened")
    two.stop()
    shutil.rmtree(two.directory)
    later.rename(two.directory)
    two.start()
    for other in (token, stolen):
        expect(two.open_soon(other)[0] == "rejected" and stage_of_last(two) == "replay", "opened again")
    return ""


def lost_host(fleet):
    """[FLEET-F1] [FLEET-F3] each host in turn is lost at once, its programs and its cable, while both open tokens: what it acknowledged stays opened, what it owed is had
    from the other with the same retry key, and the other goes on within a second."""
    gaps = [_lose(fleet, lost, other) for lost, other in (list(fleet.shops), list(fleet.shops)[::-1])]
    return ", ".join("the longest wait %.2f s" % gap if gap else "not measured: too busy" for gap in gaps)


def _lose(fleet, lost, other, count=120, callers=4):
    """The longest that the other host answered nobody after the loss; None if it answered as slowly before."""
    tokens, answers = [None] * count, []
    at_once([lambda start=start: tokens.__setitem__(slice(start, None, callers), [other.token() for _ in range(start, count, callers)]) for start in range(callers)])

    def call(start):
        for number in range(start, count, callers):
            shop, key = (lost, other)[number // callers % 2], secrets.token_bytes(16)
            outcome, sequence = shop.open(tokens[number], key)
            if outcome != "opened":
                shop = other
                outcome, sequence = shop.open_soon(tokens[number], key)
            expect(outcome == "opened", "a payment is lost: %s" % outcome)
            answers.append((time.monotonic(), shop, sequence))
            time.sleep(0.1)

    def lose():
        eventually("payments go on", lambda: len(answers) > count // 3)
        moments.append(time.monotonic())
        fleet.network.cut_off(lost.host, True)
        lost.claimd.kill()
        lost.kill()

    moments = []
    at_once([lose, *(lambda start=start: call(start) for start in range(callers))])
    expect(len(answers) == count and answers[-1][0] > moments[0] + 1, "it went on for too short a time")
    fleet.network.cut_off(lost.host, False)
    lost.claimd.start()
    lost.start()
    fleet.shops.rest()
    for shop in (lost, other):
        opened = shop.records("open-payment-token", "--result", "ok")
        expect(all(sequence in opened for _, host, sequence in answers if host is shop), "an acknowledged payment is not on the record")
        expect(all(shop.open_soon(token)[0] == "rejected" for token in tokens), "opened twice")
    times = sorted(moment for moment, host, _ in answers if host is other)
    before, after = (_longest([each for each in times if (each > moments[0]) is is_after]) for is_after in (False, True))
    if before > 0.5:
        return None
    longest = max(after, min(each for each in times if each > moments[0]) - moments[0])
    expect(longest < 1, "the other host answered nobody for %.2f s" % longest)
    return longest


def _longest(times):
    return max((later - earlier for earlier, later in zip(times, times[1:])), default=0)


def openings(fleet):
    """[FLEET-F1] [FLEET-F2] [FLEET-F3] [FLEET-F5] 200 openings by 8 callers of two real hosts, while each program and server is killed, hosts and servers are cut off, the
    standby is slow, and promoted, and clocks are set; in the long form thousands, again and again."""
    seed = int(os.environ.get("KIST_SOAK_SEED", random.getrandbits(32) if TOKENS else 1))
    if TOKENS:
        print("fleet: openings by KIST_SOAK_SEED=%d" % seed, flush=True)
    traffic = Traffic(fleet, seed)
    while len(traffic.tokens) < max(TOKENS, WAVE):
        traffic.wave(WAVE)
        if TOKENS:
            print("fleet: %s" % traffic, flush=True)
    traffic.check()
    expect({"opened", "rejected", "busy", "lost"} <= traffic.outcomes.keys(), "nothing went wrong: %s" % traffic.outcomes)
    for name, figure in (("tokens of a fleet opened under fire", len(traffic.tokens)), ("kills, cuts and set clocks of a fleet", traffic.events)):
        print("soak: %s = %d" % (name, figure))
    said = str(traffic)
    _second_opening(fleet, traffic)
    fleet.shops.stop()
    return said


def _second_opening(fleet, traffic):
    """The checker finds the one that a store allows which forgot a row."""
    one, two = fleet.shops
    token = len(traffic.tokens)
    traffic.tokens.append(one.token())
    traffic.open(token, one, b"")
    claim = one.records()[traffic.openings.replies[-1][3]]["in"]["claim"]
    fleet.primary.sql("DELETE FROM kist.claim WHERE claim = '\\x%s'" % claim, "kist")
    traffic.open(token, two, b"")
    wrong = traffic.wrong()
    expect(any("opened for 2 requests" in line for line in wrong) and any("claim " + claim[:12] in line for line in wrong), "not found: " + str(wrong))
