"""The one table, and the targets, as text that is Markdown as well."""

HEAD = ("who", "operation", "clients", "each second", "±", "p50 µs", "p99", "p99.9", "CPU µs", "CPU ×", "rate ×")


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
        yield (*row, number(rate), f"{100 * spread / rate:.0f} %", *latencies, number(results.cost(row)[0]), *ratios)


def markdown(head, lines):
    """Aligned: text left, figures right."""
    lines = [[str(cell) for cell in line] for line in lines]
    widths = [max(len(line[i]) for line in [list(head), *lines]) for i in range(len(head))]
    words = sum(1 for i in range(len(head)) if i < 3)

    def text(line):
        return "| " + " | ".join(cell.ljust(w) if i < words else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i < words else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([text(head), rule, *map(text, lines)])
