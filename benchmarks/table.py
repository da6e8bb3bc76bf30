"""The one table, and the targets, as text that is Markdown as well."""

ROWS = ("who", "operation", "clients", "each second", "±", "p50 µs", "p99", "p99.9", "CPU µs", "own µs", "log bytes", "syncs", "futex", "CPU ×", "rate ×")


GROWTH = ("what", "how many", "p50 µs", "CPU µs", "CPU ×", "start-up ms", "MiB")
TARGETS = ("target", "figure", "asked", "")


def number(value):
    """Three figures, or whole."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio(pair):
    return f"{pair[0]:.2f} ± {pair[1]:.2f}" if pair else ""


def base(row):
    """The limit on as many threads as the clients can keep busy."""
    threads = "1" if row[2].startswith("1x") or row[2] == "1" else "2"
    return ("limit", row[1], threads)


def rows(results):
    for row in results.rounds:
        rate, spread = results.figure(row, "rate")
        latencies = [number(results.figure(row, name)[0]) for name in ("p50", "p99", "p999")]
        own = base(row)
        ratios = ("", "") if own == row else (ratio(results.cost_ratio(row, own)), ratio(results.ratio(row, own, "rate")))
        yield (*row, number(rate), f"{100 * spread / rate:.0f} %", *latencies, number(results.cost(row)[0]), *beside(results, row, own), *ratios)


def beside(results, row, own):
    """What kistd takes for an operation beside the limit's CPU: CPU, bytes of the log, syncs, calls of futex."""
    if row[0] != "kistd":
        return ("", "", "", "")
    cost, futexes = results.cost_difference(row, own), results.mean(row, "futexes")
    calls = "" if futexes is None else f"{futexes:.2f}"
    return (number(cost[0]) if cost else "", number(results.figure(row, "log_bytes")[0]), f"{results.figure(row, 'syncs')[0]:.2f}", calls)


def growth_rows(growth, facts):
    for kind, size in growth.rounds:
        first = next(row for row in growth.rounds if row[0] == kind)
        grown = "" if (kind, size) == first else ratio(growth.cost_ratio((kind, size), first))
        start, mebibytes = facts[f"{kind} {size}"]
        p50, cost = growth.figure((kind, size), "p50")[0], growth.cost((kind, size))[0]
        yield (kind, f"{size:,}", number(p50), number(cost), grown, number(1000 * start) if start else "", number(mebibytes))


def markdown(head, lines, words):
    """Aligned: the first `words` columns left, the others right."""
    lines = [list(head), *([str(cell) for cell in line] for line in lines)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]

    def text(line):
        return "| " + " | ".join(cell.ljust(w) if i < words else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i < words else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([text(lines[0]), rule, *map(text, lines[1:])])
