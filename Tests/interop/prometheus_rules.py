#!/usr/bin/env python3
"""packaging/prometheus under Prometheus' own promtool.

The alerts have cases, in which each fires on one host and not on another; docs/OPERATE.md has a heading for each, to which its runbook_url leads, and both
name only metrics that docs/METRICS.md has. Every query of the dashboard gives something on what a sandbox's kistd says of itself.

usage: prometheus_rules.py [BUILD]   (default: the debug build of this checkout)
"""
import json, os, pathlib, re, signal, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/debug")
PACKAGED = ROOT / "packaging/prometheus"
#: How the links of the alerts begin, until somebody has the pages elsewhere.
RUNBOOKS = "https://kist.invalid/docs/"
#: What node-exporter adds.
OTHERS = {"node_textfile_mtime_seconds", "node_textfile_scrape_error"}


def check(condition, what):
    if not condition:
        sys.exit(f"prometheus_rules: {what}")


def run(*words, text="", **options):
    done = subprocess.run([str(word) for word in words], input=text, capture_output=True, text=True, **options)
    check(done.returncode == 0, f"{words}: {done.stdout}{done.stderr}")
    return done.stdout


def promtool(*words, text=""):
    return run(PROMTOOL, *words, text=text)


def section(page, heading):
    return re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", (ROOT / page).read_text(), re.M | re.S).group(1)


def first_cells(text):
    return re.findall(r"^\| `([^`]+)`", text, re.M)


def check_alerts():
    promtool("check", "rules", PACKAGED / "kist.rules.yml")
    promtool("test", "rules", PACKAGED / "kist.rules.test.yml")
    rules, cases = ((PACKAGED / name).read_text() for name in ("kist.rules.yml", "kist.rules.test.yml"))
    alerts = re.findall(r"^ +- alert: (\w+)$", rules, re.M)
    check(len(alerts) == len(set(alerts)) > 9, f"alerts: {alerts}")
    # `absent` names no host.
    tested = set(re.findall(r"alertname: (\w+)\n +eval_time: \w+\n +exp_alerts:\n +- exp_labels: {(?:instance: bad|severity)", cases))
    check(tested == set(alerts), f"alerts without a case: {set(alerts) ^ tested}")
    check_silences(cases)
    pages = re.split(r"^### ", section("docs/OPERATE.md", "What an alert means"), flags=re.M)[1:]
    explained = [page.partition("\n")[0] for page in pages if re.fullmatch(r"\w+\n\n(?:.+\n)+\nDo: (?:.+\n)+\n*", page)]
    check(explained == alerts, f"docs/OPERATE.md explains {explained}, and the alerts are {alerts}")
    check_runbooks(rules, alerts)
    check_service_level(rules)
    check_names(re.findall(r"expr: (.*)", rules), set(re.findall(r"^ +- record: (\S+)$", rules, re.M)))


def check_runbooks(rules, alerts):
    """Each alert has a link, to its own heading of a page that is there, and every link between the pages' headings leads somewhere."""
    links = re.findall(r"^ +runbook_url: (\S+)$", rules, re.M)
    check(len(links) == len(alerts), f"{len(links)} links of {len(alerts)} alerts")
    for alert, link in zip(alerts, links):
        page, _, anchor = link.removeprefix(RUNBOOKS).partition("#")
        check(link.startswith(RUNBOOKS) and anchor in anchors(page) and anchor == alert.lower(), f"{alert}: {link}")
    check(RUNBOOKS in section("docs/METRICS.md", "Alerts and a dashboard"), "docs/METRICS.md does not say how the links begin")
    for page, anchor in re.findall(r"\]\((?:([A-Z]+[.]md))?#([\w-]+)\)", section("docs/OPERATE.md", "What an alert means") + section("docs/OPERATE.md", "The service level")):
        check(anchor in anchors(page or "OPERATE.md"), f"docs/OPERATE.md: no heading {page}#{anchor}")


def anchors(page):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", (ROOT / "docs" / page).read_text(), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_service_level(rules):
    """It is of every operation for services that does the work of a key, and of no other."""
    numbers = re.findall(r"OPCODE_(\w+) = (0x\w+);", (ROOT / "proto/kist.proto").read_text())
    names = {name.lower().replace("_", "-"): int(number, 16) for name, number in numbers}
    (pattern,) = set(re.findall(r'- record: .*\n +expr: .*?operation=~"([^"]*)"', rules))
    measured = {name for name in names if re.fullmatch(pattern, name)}
    check(measured == {name for name, number in names.items() if 0x0010 <= number < 0x0100}, f"the service level is of {measured}")
    promised = section("docs/OPERATE.md", "The service level")
    check("99.9 %" in promised and "99 %" in promised and "100 ms" in promised and 'le="0.1"' in rules, "another service level")


def check_silences(cases):
    """Monitoring that dies is seen however it died."""
    names = re.findall(r"- name: (.*)", cases)
    for way in ("the file vanished", "never scraped", "after a reboot"):
        check(any(way in name for name in names), f"no case of: {way}")


def check_names(queries, recorded=frozenset()):
    known = set(first_cells((ROOT / "docs/METRICS.md").read_text())) | OTHERS
    known |= {name + suffix for name in known for suffix in ("_bucket", "_sum", "_count")}
    used = {name for query in queries for name in re.findall(r"(?<!:)\b(?:kist|node)_[a-z_]+", query)}
    check(used <= known, f"no such metric: {used - known}")
    of_rules = {name for query in queries for name in re.findall(r"\binstance:[\w:]+", query)}
    check(of_rules <= recorded, f"no rule records {of_rules - recorded}")


def queries():
    board = json.loads((PACKAGED / "kist-dashboard.json").read_text())
    check(len({panel["id"] for panel in board["panels"]}) == len(board["panels"]), "two panels of one id")
    found = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    check_names(found)
    return [query.replace("$instance", ".*").replace("$__rate_interval", "5m") for query in found]


def scrape():
    """What the metrics of a sandbox with a key in use are."""
    with tempfile.TemporaryDirectory() as folder:
        box = pathlib.Path(folder) / "box"
        run(BUILD / "kist", "sandbox", "init", box)
        # As under systemd, where it says beside its sockets how the last load went.
        environment = dict(os.environ, RUNTIME_DIRECTORY=box / "run")
        daemon = subprocess.Popen([BUILD / "kistd", "--config", box / "kist.toml"], stderr=subprocess.PIPE, text=True, env=environment)
        try:
            check(any("event=ready" in line for line in daemon.stderr), "kistd is not ready")
            environment = dict(os.environ, KIST_ENDPOINT=f"unix:{box}/run/kist.sock", KIST_ADMIN_ENDPOINT=f"unix:{box}/run/admin.sock")
            run(BUILD / "kist", "token", "open", "-", text=run(BUILD / "kist", "sandbox", "token", "--dir", box), env=environment)
            counted = run(BUILD / "kist", "status", "--metrics", "--keys", env=environment)
            found = run(BUILD / "kist", "doctor", "--metrics", "--config", box / "kist.toml", env=environment)
            check('kist_doctor_finding{id="rehearsal"' in found and "kist_last_" not in found, found)
            # Nobody has done any of these in a sandbox.
            deeds = [f"kist_last_{deed}_timestamp_seconds" for deed in ("backup", "drill", "review", "witness")]
            return counted + found + "".join(f"# HELP {deed} Of another host.\n# TYPE {deed} gauge\n{deed} 1\n" for deed in deeds)
        finally:
            daemon.send_signal(signal.SIGTERM)
            daemon.wait()


def check_dashboard():
    metrics = scrape()
    promtool("check", "metrics", text=metrics)
    series = []
    for line in metrics.splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            # A host of which every promise is broken, so that the panel that lists those lists something.
            value = "0" if name.startswith("kist_memory_promise_held") else value
            labelled = name[:-1] + ',instance="a"}' if name.endswith("}") else name + '{instance="a"}'
            series.append({"series": labelled, "values": f"{value}x10"})
    found = queries()
    rules = [{"alert": f"Query{number}", "expr": f"count({query}) > 0", "labels": {"query": query}} for number, query in enumerate(found)]
    cases = [{"eval_time": "5m", "alertname": rule["alert"], "exp_alerts": [{"exp_labels": rule["labels"]}]} for rule in rules]
    with tempfile.TemporaryDirectory() as folder:
        # JSON is YAML.
        (pathlib.Path(folder) / "rules.yml").write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
        test = {"rule_files": ["rules.yml"], "evaluation_interval": "1m", "tests": [{"interval": "1m", "input_series": series, "alert_rule_test": cases}]}
        (pathlib.Path(folder) / "test.yml").write_text(json.dumps(test))
        promtool("check", "rules", pathlib.Path(folder) / "rules.yml")
        promtool("test", "rules", pathlib.Path(folder) / "test.yml")
    return len(found)


PROMTOOL = run(ROOT / "scripts/promtool.sh").strip()
check_alerts()
print(f"prometheus_rules: ok, {check_dashboard()} queries")
