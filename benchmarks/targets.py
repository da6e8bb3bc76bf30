"""What Kist is to reach, each as a ratio within the run."""

import math


#: Of a processor with AVX-512 and of one without: OpenSSL's part of a signature is another there, and so is what surrounds it.
OWN_MICROSECONDS = {True: 7, False: 20}
SIGNATURE_TO_LIMIT = {True: 1.35, False: 1.75}


def targets(results, growth, mebibytes, avx512):
    """(what, figure, target, whether it is held) of all that was measured; figures and targets as text."""
    yield from _against_limit(results, avx512)
    yield from _against_peers(results)
    for kind in dict.fromkeys(kind for kind, _ in growth.rounds):
        sizes = [size for other, size in growth.rounds if other == kind]
        # Linear growth would be a factor of thousands; logarithmic growth is so much for each doubling.
        most = 1 + 0.05 * math.log2(sizes[-1] / max(sizes[0], 1))
        what = f"growth: CPU with {sizes[-1]:,} {kind} / with {sizes[0]:,}: at most 5 % more for each doubling"
        yield from _at_most(what, growth.cost_ratio((kind, sizes[-1]), (kind, sizes[0])), most)
    if mebibytes:
        yield from _at_most("MiB resident, 1,000 keys, 64 connections at work", (mebibytes, 0), 40)


def _against_limit(results, avx512):
    for operation in ("ecdh", "sign-p256"):
        own = results.cost_difference(("kistd", operation, "8x16"), ("limit", operation, "2"))
        yield from _at_most(f"{operation}: own CPU beside the limit, 8 clients 16 deep, µs", own, OWN_MICROSECONDS[avx512])
    if ("kistd", "unseal-1k", "8x16") in results:
        yield from _at_most("unseal-1k: CPU, 8 clients 16 deep, µs", results.cost(("kistd", "unseal-1k", "8x16")), 8)
    for operation, most in (("ecdh", 1.15), ("open", 1.00), ("sign-p256", SIGNATURE_TO_LIMIT[avx512])):
        row = ("kistd", operation, "8x16")
        yield from _at_most(f"{operation}: server CPU, 8 clients 16 deep / limit on two threads", results.cost_ratio(row, ("limit", operation, "2")), most)
    for operation, least in (("ecdh", 0.80), ("open", 0.85)):
        row = ("kistd", operation, "8x16")
        yield from _at_least(f"{operation}: rate, 8 clients 16 deep / limit on two threads", results.ratio(row, ("limit", operation, "2"), "rate"), least)
    naive = results.ratio(("kistd", "open", "8x1"), ("limit", "open-naively", "1"), "rate")
    yield from _at_least("open: rate, 8 clients / naive CMS in-process on one thread", naive, 13)
    for operation in ("ecdh", "sign-p256", "open"):
        parts = results.sum([("limit", operation, "1"), ("transport", "frame", "1x1"), ("disk", "append", "1x1"), ("limit", "sign-ed25519", "1")], "p50")
        row = ("kistd", operation, "1x1")
        if parts and row in results:
            figure = results.figure(row, "p50")[0] / parts
            yield from _at_most(f"{operation}: p50 of one client / (limit + round trip + append and sync + Ed25519)", (figure, 0), 1.25)


def _against_peers(results):
    for peer, least in (("p11-kit", 1.8), ("ssh-agent", 6)):
        row = ("kistd", "sign-p256", "8x1")
        yield from _at_least(f"sign-p256: rate, 8 clients / {peer}", results.ratio(row, (peer, "sign-p256", "8x1"), "rate"), least)


def _at_most(what, pair, most):
    if pair:
        yield what, f"{pair[0]:.2f}", f"≤ {most:.2f}", pair[0] <= most


def _at_least(what, pair, least):
    if pair:
        yield what, f"{pair[0]:.2f}", f"≥ {least:.2f}", pair[0] >= least
