#!/usr/bin/env python3
"""`kist audit report` on a daemon's log, against a count over the raw lines that knows nothing of Kist's code.

Openings, replays, broken tokens, refused operations, a stop and a start; then the same page in a headless browser, which
must paint it: no script, nothing fetched, and every link leads somewhere.

usage: audit_report.py [BUILD]   (default: the debug build of this checkout)
"""
import collections, datetime, html.parser, json, os, pathlib, shutil, signal, socket, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / ".build/debug")
SINCE = "2020-01-01T00:00:00Z"


def kist(*words, code=0, **options):
    done = subprocess.run([BUILD / "kist", *map(str, words)], capture_output=True, text=True, **options)
    check(done.returncode == code, "%s ended with %d: %s" % (" ".join(map(str, words)), done.returncode, done.stderr))
    return done.stdout


def check(condition, what):
    if not condition:
        sys.exit("audit_report: " + what)


class Daemon:
    def __init__(self, box):
        self.process = subprocess.Popen([BUILD / "kistd", "--config", box / "kist.toml"], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "event=ready" in line:
                return
        sys.exit("audit_report: kistd is not ready")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        check(self.process.wait() == 0, "kistd did not stop in order")


def traffic(box, pages):
    environment = dict(os.environ, KIST_ENDPOINT=f"unix:{box}/run/kist.sock", KIST_ADMIN_ENDPOINT=f"unix:{box}/run/admin.sock")
    daemon = Daemon(box)
    for place in (box.parent, box, box / "run"):
        place.chmod(0o755)
    (box / "run/kist.sock").chmod(0o666)
    for number in range(12):
        token = kist("sandbox", "token", "--dir", box)
        kist("token", "open", "-", input=token, env=environment)
        if number % 3 == 0:
            kist("token", "open", "-", input=token, env=environment, code=1)
        if number % 4 == 1:
            broken = json.loads(kist("sandbox", "token", "--dir", box))
            data = broken["data"]
            broken["data"] = ("B" if data[0] != "B" else "C") + data[1:]
            kist("token", "open", "-", input=json.dumps(broken), env=environment, code=1)
        kist("primitive", "mac", "-", "--key", "merchant/sandbox/processing-ec", input="x", env=environment, code=1)
        if os.geteuid() == 0:
            # Another caller, whom no grant names.
            kist("token", "verify", "-", input=token, env=environment, code=1, user=65534 - number % 2, group=65534, extra_groups=[])
    owners = pages / "owners.txt"
    owners.write_text("# whose\nmerchant/sandbox/*  Sandbox <b>Ltd</b>  \n")
    words = ("inventory", "--owners", owners, "--html", pages / "inventory.html", "--json")
    inventory, listed = (json.loads(kist(*words, env=environment)) for words in (words, ("key", "list", "--json")))
    daemon.stop()
    Daemon(box).stop()
    return inventory, listed["keys"]


def count(directory):
    """What the tables should say, from the lines alone."""
    found = collections.defaultdict(collections.Counter)
    for segment in sorted(pathlib.Path(directory).glob("*.log")):
        for line in segment.read_bytes().rstrip(b"\0").split(b"\n"):
            if not line.startswith(b"{"):
                continue
            record = json.loads(line)
            found["records"][()] += 1
            if "result" not in record:
                if record["op"] != "segment":
                    found["events"][(record["op"],)] += 1
                continue
            found["requests"][()] += 1
            result, actor = record["result"], record["actor"]
            caller = ", ".join(part for part in (actor.get("name"), "uid %d" % actor["uid"], actor.get("unit")) if part)
            found["results"][(result,)] += 1
            found["days"][(record["ts"][:10], "all")] += 1
            found["hours"][(record["ts"][11:13] + ":00",)] += 1
            if result != "ok":
                found["days"][(record["ts"][:10], "refused")] += 1
                why = record.get("stage", record.get("policy", {}).get("denial", ""))
                found["refusals"][(record["op"], result, why)] += 1
            key = record.get("label", record.get("key"))
            if key is not None:
                found["uses"][(caller, key, record["op"])] += 1
    return found


def compare(report, found):
    check(report["records"] == found["records"][()] and report["requests"] == found["requests"][()], "records or requests differ")
    for name in ("results", "uses", "refusals", "events", "hours"):
        rows = {tuple(row[:-1]): row[-1] for row in report["sections"][name]}
        check(rows == dict(found[name]), "%s: %s, counted %s" % (name, rows, dict(found[name])))
    days = {row[0]: (row[1], row[2]) for row in report["sections"]["days"]}
    counted = {day: (found["days"][(day, "all")], found["days"][(day, "refused")]) for day, _ in found["days"]}
    check(days == counted, "days: %s, counted %s" % (days, counted))
    check(len(report["sections"]["gaps"]) == 1, "the stop between two starts is not the one gap")


def compare_inventory(inventory, listed):
    check([key["id"] for key in inventory["keys"]] == [key["id"] for key in listed] and listed, "the inventory has other keys than key list")
    for key, other in zip(inventory["keys"], listed):
        for name in ("label", "role", "state", "algorithm", "uses", "spki_sha256", "kcv", "created", "activated", "not_after", "last_use"):
            check(key.get(name) == other.get(name), "%s of %s: %s and %s" % (name, key["label"], key.get(name), other.get(name)))
        check(key["header"] == other["usage"] and key["strength"] >= 80, "header or strength of " + key["label"])
        if key["label"].startswith("merchant/sandbox/"):
            check(key["owner"] == "Sandbox <b>Ltd</b>", "owner of " + key["label"])
    check(inventory["keys_in_daemon"] >= len(listed) and inventory["rehearsal"] and inventory["attention"], "the daemon's own facts")


class Page(html.parser.HTMLParser):
    """Links, anchors and whatever would load something."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.loads, self.cells = set(), set(), [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.add(values.get("id"))
        self.cells += tag == "td"
        if tag == "a":
            self.links.add(values["href"].removeprefix("#"))
        if tag in ("script", "link", "img", "iframe", "object") or "src" in values:
            self.loads.append(tag)


def look(page):
    text = page.read_text()
    parsed = Page(text)
    check(parsed.links <= parsed.anchors and not parsed.loads and parsed.cells > 10, "a link leads nowhere, or something is loaded")
    browser = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    check(browser is not None, "there is no chromium: make deps installs it")
    picture = page.with_suffix(".png")
    subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1200,2400", f"--screenshot={picture}",
         f"--user-data-dir={page.parent}/profile", f"file://{page}"], check=True, capture_output=True, timeout=120)
    check(picture.stat().st_size > 20_000, "the browser painted nothing")
    return "painted by " + pathlib.Path(browser).name


def main():
    with tempfile.TemporaryDirectory(prefix="kist-") as folder:
        box = pathlib.Path(folder) / "box"
        kist("sandbox", "init", box)
        inventory, listed = traffic(box, pathlib.Path(folder))
        vkey, page = (box / "audit.vkey").read_text().strip(), pathlib.Path(folder) / "report.html"
        words = ("audit", "report", box / "audit", "--since", SINCE, "--key", vkey, "--html", page, "--json")
        check(json.loads(kist(*words))["verification"].startswith("Verified, except for its end: "), "the end was believed without a checkpoint")
        kept = pathlib.Path(folder) / "kept"
        kept.write_text(kist("audit", "checkpoint", box / "audit", "--key", vkey))
        report = json.loads(kist(*words, "--checkpoint", kept))
        check(report["verification"].startswith("Verified: ") and report["verdict"] == "good", report["verification"])
        made = (report["host"], report["log"], report["verifier_key"], "kist " + report["version"])
        check(made == (socket.gethostname(), str(box / "audit"), vkey, kist("--version").strip()), f"the report says {made}")
        age = time.time() - datetime.datetime.fromisoformat(report["made"]).timestamp()
        check(-2 < age < 600, "made " + report["made"])
        found = count(box / "audit")
        check(len(found["refusals"]) > 1 and len(found["events"]) > 2, "the traffic has too little in it: %s" % dict(found))
        compare(report, found)
        (first, *_) = [line for line in kist("audit", "show", box / "audit", "--result", "rejected", "--json").splitlines()]
        sequence = json.loads(first)["seq"]
        check(kist("audit", "show", box / "audit", sequence, "--json").strip() == first, "a quoted sequence finds another record")
        where = look(page)
        compare_inventory(inventory, listed)
        look(pathlib.Path(folder) / "inventory.html")
        if "KIST_KEEP_PAGE" in os.environ:
            shutil.copytree(folder, os.environ["KIST_KEEP_PAGE"], ignore=shutil.ignore_patterns("box", "profile"))
        print(f"good: {report['records']} records counted alike; page {where}")


main()
