"""kist-claimd and PostgreSQL: what becomes of claims when each of them is killed or cut off. Each test returns a few words on how it went."""

import json
import os
import signal
import threading
import time

from checker import Ledger
from claims import NONE, TODAY, Daemon
from process import at_once, eventually, expect

PASSWORD = "of-the-test"


def rights(fleet):
    """[FLEET-STORE-1] [FLEET-STORE-9] the role of kist-claimd may insert and read, and nothing else; neither time nor key are its to say."""
    row = "(%d, '\\x%s', 'shop-1', '\\x%s', '\\x%s', 7" % (TODAY, "07" * 32, "00" * 32, "00" * 16)
    refused = [
        "DELETE FROM kist.claim", "UPDATE kist.claim SET host = 'shop-2'", "TRUNCATE kist.claim", "DROP TABLE kist.claim",
        "INSERT INTO kist.claim (day, claim, host, retry, id, run, at) VALUES %s, now())" % row,
        "SELECT * FROM kist.make_partitions(7, 35)", "SELECT * FROM kist.fleet_key", "SELECT kist.change_key('0102030405', interval '0')",
        "INSERT INTO kist.fleet_key (number, key, since) VALUES (9, '\\x%s', now())" % ("07" * 32), "CREATE TABLE kist.mine ()", "SELECT * FROM kist.claim_%d" % TODAY,
        "INSERT INTO kist.claim (day, claim, host, retry, id, run) VALUES %s)" % row.replace("shop-1", "Shop 1"),
        "INSERT INTO kist.claim (day, claim, host, retry, id, run) VALUES %s)" % row.replace("07" * 32, "07" * 31),
    ]
    for query in refused:
        try:
            fleet.one.sql("SET ROLE kist_claimd; " + query, "kist")
        except RuntimeError as error:
            expect("permission denied" in str(error) or "must be owner" in str(error) or "check constraint" in str(error), str(error))
            continue
        raise AssertionError("kist_claimd may: " + query)
    fleet.one.sql("SET ROLE kist_claimd; INSERT INTO kist.claim (day, claim, host, retry, id, run) VALUES %s)" % row, "kist")
    return "%d statements refused" % len(refused)


def row(fleet):
    """[FLEET-STORE-1] a claim is one row, with its host, its retry digest, an id that no other claim's transaction has, and the store's time, wherever that is set; no second
    one of its day goes in, and one of another day does."""
    first, second = fleet.daemons
    claims, digest = [os.urandom(32) for _ in range(2)], os.urandom(32)

    def rows(claim):
        columns = "day, encode(claim, 'hex'), host, encode(retry, 'hex'), encode(id, 'hex'), extract(epoch FROM at)::bigint"
        text = fleet.primary.sql("SELECT %s FROM kist.claim WHERE claim = '\\x%s' ORDER BY day" % (columns, claim.hex()), "kist")
        return [line.split("|") for line in text.splitlines()]

    begin = int(time.time())
    first.claim_soon(claims[0], digest)
    fleet.primary.clock.set(1000)
    second.claim_soon(claims[1])
    fleet.primary.clock.set(0)
    (old,), (new,) = rows(claims[0]), rows(claims[1])
    expect(old[:4] == [str(TODAY), claims[0].hex(), "shop-1", digest.hex()] and new[:4] == [str(TODAY), claims[1].hex(), "shop-2", NONE.hex()], str((old, new)))
    expect(len(old[4]) == len(new[4]) == 32 and old[4] != new[4], "no ids: %s" % [old, new])
    expect(begin <= int(old[5]) <= time.time() + 1 and begin + 1000 <= int(new[5]) <= time.time() + 1001, "another clock's time")
    values = "'\\x%s', 'shop-2', '\\x%s', '\\x%s', 7)" % (claims[0].hex(), NONE.hex(), bytes(16).hex())
    insert = "SET ROLE kist_claimd; INSERT INTO kist.claim (day, claim, host, retry, id, run) VALUES (%d, " + values
    try:
        fleet.primary.sql(insert % TODAY, "kist")
        raise AssertionError("a second row")
    except RuntimeError as error:
        expect("duplicate key value violates unique constraint" in str(error), str(error))
    fleet.primary.sql(insert % (TODAY + 3), "kist")
    expect([[line[0], line[2]] for line in rows(claims[0])] == [[str(TODAY), "shop-1"], [str(TODAY + 3), "shop-2"]], "the day is no part of what is unique")
    expect(fleet.holder(second, claims[0]).host == "shop-1", "another holder")


def race(fleet):
    """[FLEET-F1] [FLEET-STORE-2] 16 callers of two hosts want the same 200 claims at once: each has one holder, whom everybody is told."""
    def run_once():
        claims = [os.urandom(32) for _ in range(200)]

        def caller(daemon, number):
            for claim in sorted(claims, key=lambda claim: hash((daemon.host, number, claim))):
                fleet.holder(daemon, claim)

        at_once([lambda daemon=daemon, number=number: caller(daemon, number) for daemon in fleet.daemons for number in range(8)])
        wanted = set(claims)
        first, second = ({claim for name, claim, _, ours, _, _ in fleet.ledger.answers if ours and name == host} & wanted for host in fleet.hosts)
        expect(not first & second, "claims with two holders")
        expect(first | second == wanted, "claims without a holder")
        # Where one host's store was away for long enough, the other got them all.
        return min(len(first), len(second)) > 0 and "%d for one host, %d for the other" % (len(first), len(second))

    return eventually("both hosts get some", run_once)


def batches(fleet):
    """[FLEET-STORE-2] asks of many claims in opposite orders do not block each other, and one claim can stand in asks of two callers."""
    claims = [os.urandom(32) for _ in range(512)]

    def caller(daemon, ordered):
        held = daemon.claim_all_soon([(claim, NONE, TODAY + place % 2) for place, claim in enumerate(ordered)])
        for claim, answer in zip(ordered, held):
            fleet.ledger.note(daemon.host, claim, NONE, answer)

    first, second = fleet.daemons
    even = claims[::2] + claims[1::2]
    pairs = [claim for pair in zip(even[:256], even[256:]) for claim in pair]
    reverse = [claim for pair in zip(even[255::-1], even[:255:-1]) for claim in pair]
    at_once([lambda: caller(first, pairs), lambda: caller(second, reverse), lambda: caller(first, reverse), lambda: caller(second, pairs)])
    return "4 asks of 512 claims"


def repetition(fleet):
    """A claim keeps its first holder and retry digest, and its age grows by the store's clock."""
    first, second = fleet.daemons
    claim, digest = os.urandom(32), os.urandom(32)
    expect(fleet.holder(first, claim, digest).ours, "new, and not ours")
    time.sleep(0.3)
    for daemon, ours in ((first, True), (second, False)):
        held = fleet.holder(daemon, claim, os.urandom(32))
        expect(held.ours == ours and held.host == "shop-1" and held.retry == digest, "another holder or digest")
        expect(300 <= held.age < 60_000, "an age of %d ms" % held.age)
    other_day = first.claim_soon(claim, day=TODAY + 2)
    expect(other_day.ours and other_day.retry == NONE, "the day is no part of the claim")


def missing_partition(fleet):
    """[FLEET-STORE-7] a claim whose day has no partition is away; others that travel with it are not."""
    first, _ = fleet.daemons
    claims = [os.urandom(32) for _ in range(8)]
    answers = {}

    def caller(number):
        answers[number] = first.claim_one(claims[number], day=TODAY + (400 if number % 2 else 0))

    def travel_together():
        at_once([lambda number=number: caller(number) for number in range(8)])
        expect(all(answers[number] is None for number in range(1, 8, 2)), "held for a day without a partition: %s" % answers)
        return all(answers[number] for number in range(0, 8, 2)) and first.state

    # A store that was too slow for all eight of them is asked again.
    eventually("those whose day has a partition are held", travel_together)
    expect(first.claim([(claims[0], NONE, TODAY), (claims[1], NONE, TODAY + 400)]) is None, "half an ask was answered")


def partitions(fleet):
    """kist-claimd --make-partitions makes what is missing and drops what is old, and does it as the owner alone."""
    owner = fleet.hosts["shop-1"][1]
    fleet.one.sql("CREATE TABLE kist.claim_%d PARTITION OF kist.claim FOR VALUES FROM (%d) TO (%d)" % (TODAY - 99, TODAY - 99, TODAY - 98), "kist", "kist_owner")
    fleet.one.sql("DROP TABLE kist.claim_%d" % (TODAY + 7), "kist", "kist_owner")
    done = owner.call("--make-partitions")
    expect(done.returncode == 0 and "made=1 dropped=1" in done.stderr, done.stderr)
    again = owner.call("--make-partitions")
    expect(again.returncode == 0 and "made=0 dropped=0" in again.stderr, again.stderr)


def same_name(fleet):
    """[FLEET-STORE-8] a second kist-claimd for a host of the same name is refused as long as the first is connected."""
    place = fleet.place / "second"
    place.mkdir()
    daemon = Daemon(place, "shop-1")
    claimd = fleet.claimd("shop-1-again", daemon.path).start()
    claimd.wait_for("another session is connected for a host of this name")
    expect(daemon.state is False and daemon.claim_one(os.urandom(32), anyway=True) is None, "two speak for one host")
    first = fleet.hosts["shop-1"][1]
    first.stop()
    eventually("the second takes over", lambda: daemon.state)
    claimd.kill()
    daemon.close()
    first.start()
    eventually("the first is back", lambda: fleet.daemons[0].state)


def refused_configurations(fleet):
    """Another certificate authority, a role without rights, a wrong password, a weaker sslmode, a password in the file: each is refused and said."""
    fleet.one.sql("CREATE ROLE kist_weak LOGIN PASSWORD '%s'; GRANT CONNECT ON DATABASE kist TO kist_weak" % PASSWORD)
    fleet.one.sql("GRANT USAGE ON SCHEMA kist TO kist_weak; GRANT SELECT ON kist.claim TO kist_weak", "kist")
    place = fleet.place / "refused"
    place.mkdir()
    rows = [
        ("ca", fleet.connection(authority="other"), None, "certificate verify failed"),
        ("rights", fleet.connection("kist_weak"), PASSWORD, "permission denied for table claim"),
        ("password", fleet.connection(), "wrong", "password authentication failed"),
    ]
    daemons = []
    for name, store, password, words in rows:
        daemon = Daemon(place, name)
        claimd = fleet.claimd(name, daemon.path, store, password).start()
        claimd.wait_for(words)
        expect(daemon.state is False, name)
        claimd.kill()
        daemons.append(daemon)
    for text, words in (("host=127.0.0.1 sslmode=require", "sslmode is to be verify-full"), ("password=secret", "no password may stand here"),
                        ("target_session_attrs=any", "not for the configuration"), ("nonsense", "no connection string")):
        done = fleet.claimd("wrong", place / "none", 'connection = "%s"' % text).call("--check-config")
        expect(done.returncode == 78 and words in done.stderr, done.stderr)
    for daemon in daemons:
        daemon.close()


def no_standby(fleet):
    """[FLEET-STORE-6] a store without the promise of a standby is not used, and one that loses it no longer, unless the configuration says so."""
    first, _ = fleet.daemons
    claimd = fleet.hosts["shop-1"][1]
    fleet.one.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
    fleet.one.sql("SELECT pg_reload_conf()")
    claim = os.urandom(32)
    eventually("the store is refused", lambda: first.claim_one(claim) is None)
    claimd.wait_for("synchronous_standby_names is empty")
    time.sleep(0.3)
    expect(first.state is False and first.claim_one(claim, anyway=True) is None, "it is used without a standby")
    place = fleet.place / "alone"
    place.mkdir()
    daemon = Daemon(place, "alone")
    alone = fleet.claimd("alone", daemon.path, fleet.connection() + "\nstandby = false").start()
    eventually("it is used where there is to be no standby", lambda: daemon.state)
    expect(daemon.claim_soon(os.urandom(32)).ours, "not ours")
    alone.kill()
    daemon.close()
    fleet.one.sql("ALTER SYSTEM RESET synchronous_standby_names")
    fleet.one.sql("ALTER ROLE kist_claimd SET synchronous_commit = local")
    fleet.one.sql("SELECT pg_reload_conf()")
    claimd.wait_for("synchronous_commit is neither on nor remote_apply")
    fleet.one.sql("ALTER ROLE kist_claimd RESET synchronous_commit")
    eventually("the store is back", lambda: first.state)
    fleet.holder(first, claim)


def killed_claimd(fleet):
    """kill -9 of kist-claimd under load: asks in hand are away, and what was answered stays."""
    first, second = fleet.daemons
    claims, stop = [os.urandom(32) for _ in range(400)], threading.Event()

    def caller(daemon, number):
        while not stop.is_set():
            for claim in claims[number::8]:
                fleet.claim(daemon, claim)

    def killer():
        for _ in range(3):
            time.sleep(0.4)
            claimd = fleet.hosts["shop-1"][1]
            claimd.kill()
            claimd.start()
            eventually("the store is back", lambda: first.state)
        stop.set()

    before = len(fleet.ledger.answers)
    at_once([killer] + [lambda daemon=daemon, number=number: caller(daemon, number) for daemon in (first, second) for number in range(4)])
    fleet.check()
    return "%d answers" % (len(fleet.ledger.answers) - before)


def killed_primary(fleet):
    """kill -9 of the primary under load, and its restart: away meanwhile, and nothing that was answered is lost."""
    claims, stop = [os.urandom(32) for _ in range(400)], threading.Event()

    def caller(daemon, number):
        while not stop.is_set():
            for claim in claims[number::8]:
                if fleet.claim(daemon, claim) is None:
                    time.sleep(0.01)

    def killer():
        time.sleep(0.5)
        fleet.one.kill()
        eventually("the store counts as away", lambda: not any(daemon.state for daemon in fleet.daemons))
        fleet.one.start()
        for daemon in fleet.daemons:
            eventually("the store is back", lambda daemon=daemon: daemon.state)
        time.sleep(0.3)
        stop.set()

    before = len(fleet.ledger.answers)
    at_once([killer] + [lambda daemon=daemon, number=number: caller(daemon, number) for daemon in fleet.daemons for number in range(4)])
    fleet.check()
    return "%d answers" % (len(fleet.ledger.answers) - before)


def parted_servers(fleet):
    """[FLEET-STORE-3] [FLEET-STORE-4] without the standby nothing is held, not even what stands in the primary's table; afterwards each claim has one holder."""
    first, second = fleet.daemons
    old, new = os.urandom(32), os.urandom(32)
    expect(fleet.holder(first, old).ours, "not ours")
    fleet.network.part_servers(True)
    started = time.monotonic()
    expect(fleet.claim(first, new) is None, "held without the standby")
    expect(time.monotonic() - started < 10, "the wait is %g s" % (time.monotonic() - started))
    expect(fleet.claim(first, old, anyway=True) is None, "repeated without the standby")
    expect(fleet.claim(second, old, anyway=True) is None, "answered without the standby")
    expect(fleet.claim(second, new, anyway=True) is None, "held by the second without the standby")
    eventually("the store counts as away", lambda: not first.state and not second.state)
    time.sleep(0.5)
    waiting = int(fleet.one.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'kist-claimd shop%' AND wait_event = 'SyncRep'"))
    expect(waiting <= 2, "%d sessions wait for the standby" % waiting)
    fleet.network.part_servers(False)
    eventually("the standby is back", fleet.one.has_standby)
    owner = [fleet.holder(daemon, new).host for daemon in (second, first)][0]
    fleet.check()
    return "the claim in doubt is %s's" % owner


def cancelled_wait(fleet):
    """[FLEET-STORE-5] a wait for the standby that an administrator cancels reports success with a warning, and is no holding."""
    place = fleet.place / "patient"
    place.mkdir()
    daemon = Daemon(place, "patient")
    claimd = fleet.claimd("patient", daemon.path, fleet.connection() + '\ntimeout = "8s"').start()
    eventually("the store is there", lambda: daemon.state)
    fleet.network.part_servers(True)
    claim, answers = os.urandom(32), []
    caller = threading.Thread(target=lambda: answers.append(daemon.claim_one(claim, anyway=True)))
    caller.start()
    mine = "FROM pg_stat_activity WHERE application_name = 'kist-claimd patient' AND wait_event = 'SyncRep'"
    eventually("it waits for the standby", lambda: fleet.one.sql("SELECT count(*) " + mine) == "1")
    fleet.one.sql("SELECT pg_cancel_backend(pid) " + mine)
    caller.join()
    expect(answers == [None], "a cancelled wait counts as a commit")
    claimd.wait_for("canceling wait for synchronous replication")
    expect(claim in fleet.rows(), "the row was to be in the primary's table")
    fleet.network.part_servers(False)
    eventually("the standby is back", fleet.one.has_standby)
    expect(daemon.claim_soon(claim).ours, "not ours")
    claimd.kill()
    daemon.close()
    for each in fleet.daemons:
        eventually("the store is back", lambda each=each: each.state)


def slow_standby(fleet):
    """[FLEET-SOCK-2] a store that is too slow is away; what it did in the end is found when it is asked for again."""
    first, second = fleet.daemons

    def asked():
        claim = os.urandom(32)
        writer = int(eventually("the standby receives", lambda: fleet.standby.sql("SELECT pid FROM pg_stat_wal_receiver")))
        first.claim_soon(os.urandom(32))
        os.kill(writer, signal.SIGSTOP)
        expect(fleet.claim(first, claim) is None, "held while the standby stood still")
        os.kill(writer, signal.SIGCONT)
        # Its session has ended once another speaks for the host. If the store was away before, it was not asked.
        first.claim_soon(os.urandom(32))
        return claim in fleet.rows() and claim

    claim = eventually("the primary was asked", asked)
    held = second.claim_soon(claim)
    expect(not held.ours and held.host == "shop-1", "what the first host asked for is lost")
    expect(first.claim_soon(claim).ours, "not ours")


def failover(fleet):
    """[FLEET-F1] the primary is cut off from the hosts and the standby promoted: nothing is held until it has a standby of its own, and nothing is forgotten."""
    first, second = fleet.daemons
    claims, stop = [os.urandom(32) for _ in range(300)], threading.Event()

    def caller(daemon, number):
        while not stop.is_set():
            for claim in claims[number::8]:
                if fleet.claim(daemon, claim) is None:
                    time.sleep(0.01)

    def without_standby():
        eventually("the store counts as away", lambda: not first.state and not second.state)
        answers = len(fleet.ledger.answers)
        time.sleep(0.7)
        expect(len(fleet.ledger.answers) == answers and not first.state and not second.state, "held by a server without a standby")

    def fail_over():
        time.sleep(0.4)
        fleet.fail_over(without_standby)
        for daemon in (first, second):
            eventually("the store is back for " + daemon.host, lambda daemon=daemon: daemon.state)
        time.sleep(0.3)
        stop.set()

    before = len(fleet.ledger.answers)
    at_once([fail_over] + [lambda daemon=daemon, number=number: caller(daemon, number) for daemon in (first, second) for number in range(4)])
    fleet.check()
    return "%d answers" % (len(fleet.ledger.answers) - before)


def status(fleet):
    """The status file says how it goes, and lists the hosts."""
    def read():
        return json.loads(fleet.hosts["shop-1"][1].status.read_text())

    eventually("the file says that the store is there", lambda: read()["store"] == "there")
    told = read()
    expect(told["host"] == "shop-1" and told["store"] == "there" and told["kistd"] is True, str(told))
    expect({"shop-1", "shop-2"} <= {host["host"] for host in told["hosts"]}, str(told))
    expect(abs(told["clock_difference_ms"]) < 10_000 and 0 < told["round_trip_us"] < 2_000_000, str(told))
    return "a round trip of %d us" % told["round_trip_us"]


def planted(fleet):
    """The checker finds a second opening: one that a history claims, and one that a store which forgot a row allows."""
    claim = os.urandom(32)
    for daemon in fleet.daemons:
        fleet.holder(daemon, claim)
        fleet.primary.sql("DELETE FROM kist.claim WHERE claim = '\\x%s'" % claim.hex(), "kist")
    fleet.holder(fleet.daemons[1], claim)
    wrong = fleet.ledger.check(fleet.rows())
    expect(any("hold it" in line for line in wrong), "the checker finds nothing: " + str(wrong))
    ledger = Ledger()
    ledger.answers = [("a", b"1" * 32, NONE, True, "a", NONE)]
    expect(not ledger.check({b"1" * 32: ("a", NONE)}), "it finds what is not there")
    expect(ledger.check({}), "it does not miss a lost row")
    ledger.answers.append(("b", b"1" * 32, NONE, True, "b", NONE))
    expect(len(ledger.check({b"1" * 32: ("a", NONE)})) == 2, "it does not find a second holder")
    return "%d lines" % len(wrong)
