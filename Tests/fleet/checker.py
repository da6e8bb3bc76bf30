"""What must be true of a history of claims, whoever made it."""


class Ledger:
    """Every answer that any host got, in any order; safe for threads, since appending is."""

    def __init__(self):
        self.answers = []

    def note(self, host, claim, retry, held):
        """`held` is None where the store was away."""
        if held is not None:
            self.answers.append((host, claim, retry, held.ours, held.host, held.retry))

    def check(self, rows):
        """What is wrong, one line each; `rows` is what the store has: {claim: (host, retry digest)}."""
        wrong = []
        for host, claim, _, ours, holder, digest in self.answers:
            name = claim.hex()[:12]
            if claim not in rows:
                wrong.append("%s: %s was answered, and the store has no row" % (name, host))
                continue
            if ours != (holder == host):
                wrong.append("%s: %s was told that it is %s, whose holder is %s" % (name, host, "its own" if ours else "another's", holder))
            if (holder, digest) != rows[claim]:
                wrong.append("%s: %s was told %s, and the store has %s" % (name, host, holder, rows[claim][0]))
        for claim in {answer[1] for answer in self.answers}:
            holders = {host for host, other, _, ours, _, _ in self.answers if other == claim and ours}
            if len(holders) > 1:
                wrong.append("%s: %s hold it" % (claim.hex()[:12], " and ".join(sorted(holders))))
        return wrong


class Openings:
    """Every reply that any caller got to a token, and what must be true of it together with the hosts' logs and the store."""

    def __init__(self):
        self.replies = []

    def note(self, token, host, retry_key, sequence):
        """An opened token: which, where, by what request, under which record of that host's log."""
        self.replies.append((token, host, retry_key or object(), sequence))

    def check(self, records, rows, reported=()):
        """`records` is {host: {sequence: record of an opened token}}; `rows` as for Ledger; `reported` are the openings, as (host, sequence), that a log itself calls
        duplicates."""
        wrong, claims = [], {}
        for token, host, _, sequence in self.replies:
            record = records[host].get(sequence)
            if record is None:
                wrong.append("token %d: acknowledged by %s, and its log has no record %d" % (token, host, sequence))
                continue
            # A repetition that the host itself remembers is not claimed again.
            record = records[host].get(record["in"].get("retry_of"), record)
            claim = record["in"].get("claim", "none")
            if claims.setdefault(token, claim) != claim:
                wrong.append("token %d: two claims" % token)
            holder = rows.get(bytes.fromhex(claim) if claim != "none" else b"", (None, None))[0]
            if holder != record["in"].get("retry_host", host):
                wrong.append("token %d: opened by %s, and held by %s" % (token, host, holder))
        for token in {reply[0] for reply in self.replies}:
            requests = {request for other, _, request, _ in self.replies if other == token}
            if len(requests) > 1:
                wrong.append("token %d: opened for %d requests" % (token, len(requests)))
        # Also what nobody was told of.
        firsts = {}
        for host, log in records.items():
            for sequence, record in log.items():
                claim = record["in"].get("claim")
                holder, digest = rows.get(bytes.fromhex(claim or ""), (None, b""))
                # Without the store a host does not know that it repeats another's opening.
                repeats = {"retry_of", "retry_host"} & record["in"].keys() or (record["in"].get("local", {}).get("retry") == digest.hex() and holder != host)
                if (host, sequence) not in reported and not repeats:
                    firsts.setdefault(claim, []).append("%s %d" % (host, sequence))
        wrong += ["claim %s: opened %s" % (str(claim)[:12], " and ".join(sorted(places))) for claim, places in firsts.items() if len(places) > 1]
        return wrong
