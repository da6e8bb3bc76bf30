"""What a run of `renew` tells Prometheus, in the text format that node-exporter's textfile collector reads."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from .hosts import Heard
from .rotation import Key

#: In these states a key is here as it is to be, though another host still has it active.
_IN_ORDER = frozenset({"active", "retired"})


def text(now: datetime, failures: int, left: int, heard: Heard | None, keys: Iterable[Key] | None, ended_early: str) -> str:
    """
    Args:
        left: how many steps wait for people.
        heard: None for a host that is alone.
        keys: all of this host; None if kistd did not say.
        ended_early: why the run ended before its end; empty if it did not.
    """
    lines: list[str] = []

    def gauge(name: str, meaning: str, values: Iterable[tuple[str, int]]) -> None:
        lines.extend((f"# HELP kist_renew_{name} {meaning}", f"# TYPE kist_renew_{name} gauge"))
        lines.extend(f"kist_renew_{name}{labels} {value}" for labels, value in values)

    gauge("run_timestamp_seconds", "When kist-renew last ended.", [("", int(now.timestamp()))])
    gauge("failures", "Lines of keys with which something failed in the last run.", [("", failures)])
    if ended_early:
        why = ended_early.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        gauge("ended_early", "Why kistd let the last run do no more.", [(f'{{why="{why}"}}', 1)])
    gauge("steps_left", "Steps that are due and wait for people.", [("", left)])
    if heard:
        gauge("host_heard", "Whether the host has said within three days which keys serve there.", [(_of(host), int(host in heard.said)) for host in heard.others])
    if heard and keys is not None:
        here = {key.id for key in keys if key.state in _IN_ORDER}
        missing = {host: sum(word.state == "active" and id not in here for id, word in said.keys.items()) for host, said in heard.said.items() if said.makes}
        gauge("keys_missing", "Keys that serve on the host that makes them and not here.", [(_of(host), missing[host]) for host in sorted(missing)])
    return "\n".join(lines) + "\n"


def _of(host: str) -> str:
    return f'{{host="{host}"}}'
