"""What an operation costs as keys, grants, connections and the log grow: the sizes of one kind alternate."""

import contextlib
import os
import socket
import sys
import time

import imports
import programs
from results import Results
from stage import GRANT, Stage

# Of all operations on a key the one that computes least, so that what is around it shows.
OPERATION = "unseal-1k"
CLIENTS, DEPTH = 1, 16
SIZES = {
    "full": {"keys": (10, 1_000, 10_000), "grants": (1, 100, 10_000), "records": (0, 10_000_000), "connections": (1, 64, 512)},
    "quick": {"keys": (10, 1_000), "grants": (1, 100, 10_000), "records": (0, 100_000), "connections": (1, 64, 512)},
    "smoke": {"keys": (10, 20), "grants": (1, 100), "records": (0, 1_000), "connections": (1, 8)},
}
RECORDS_EACH_SECOND = 40_000


def measure(programs_directory, mode, rounds, seconds, progress):
    """(results, facts): start-up in seconds and MiB resident of each row; under "memory", with 1,000 keys and 64 connections."""
    results, facts = Results(), {}
    kinds = {"keys": _with_keys, "grants": _with_grants, "records": _with_records, "connections": None}
    for kind, make in kinds.items():
        sizes = SIZES[mode][kind]
        progress(f"growth: {kind} {', '.join(f'{size:,}' for size in sizes)}")
        with contextlib.ExitStack() as stack:
            if make:
                stages = {size: stack.enter_context(make(programs_directory, size)) for size in sizes}
            else:
                stages = dict.fromkeys(sizes, stack.enter_context(Stage(programs_directory)))
            for _ in range(rounds):
                for size, stage in stages.items():
                    with contextlib.nullcontext() if make else _idle(stage, size - CLIENTS):
                        results.add((kind, size), _load(stage, OPERATION, seconds, CLIENTS, DEPTH))
                        facts[f"{kind} {size}"] = (None, stage.memory()[0])
            for size, stage in stages.items() if make else ():
                facts[f"{kind} {size}"] = (min(restart(stage) for _ in range(3)), stage.memory()[0])
            if kind == "keys" and 1_000 in stages:
                facts["memory"] = _memory(stages[1_000], seconds)
    return results, facts


def _memory(stage, seconds):
    """MiB: the most that was resident while 64 connections were at work."""
    for operation in (OPERATION, "ecdh", "open"):
        _load(stage, operation, seconds, 64, 1)
    return stage.memory()[1]


def _load(stage, operation, seconds, clients, depth):
    return programs.measure("load", stage.directory, operation, seconds, clients, depth, stage.pid, environment=stage.environment)


def restart(stage):
    stage.stop()
    return stage.start()


@contextlib.contextmanager
def _with_keys(programs_directory, count):
    """The first three are the sandbox's, the next the benchmark's."""
    with Stage(programs_directory) as stage:
        with stage.operator() as operator:
            imports.fill(operator, count - 7)
        yield stage


@contextlib.contextmanager
def _with_grants(programs_directory, count):
    """All for the user that asks, and none for the key that is asked for, but the last."""
    with Stage(programs_directory) as stage:
        others = (_other_grant(number) for number in range(count - 1))
        text = "".join(others)
        half = text.find("\n[[grant]]", len(text) // 2)
        (stage.directory / "policy.d/11-others.toml").write_text(text[:half] if half > 0 else text)
        (stage.directory / "policy.d/12-others.toml").write_text(text[half:] if half > 0 else "")
        restart(stage)
        yield stage


def _other_grant(number):
    return GRANT.format(id=f"other-{number}", user=os.getuid(), operations=["unseal", "ecdh"]) + f'keys = ["shop-{number}/*"]\n'


@contextlib.contextmanager
def _with_records(programs_directory, count):
    """The window is short so that a start-up reads the end of the log alone, as it does of a log that grew in months."""
    with Stage(programs_directory, 'apple_pay.freshness_window = "1s"') as stage:
        grow(stage, count)
        time.sleep(3 if count else 0)
        yield stage


def grow(stage, records):
    while (missing := records - stage.log_size()[0]) > 0:
        _load(stage, "random", min(20, missing / RECORDS_EACH_SECOND + 0.1), 8, 16)
        print(f"  {stage.log_size()[0]:,} records", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _idle(stage, count):
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            one = stack.enter_context(socket.socket(socket.AF_UNIX))
            one.connect(f"{stage.directory}/run/kist.sock")
        yield
