"""What was measured: for every row one measurement for each round, and the ratios within the rounds."""

import statistics


def middle(values):
    """(median, half of the distance between the least and the greatest)."""
    values = list(values)
    return statistics.median(values), (max(values) - min(values)) / 2


class Results:
    """Rows by name, such as ("kistd", "ecdh", "8x16")."""

    def __init__(self):
        self.rounds = {}

    def add(self, row, measured):
        self.rounds.setdefault(row, []).append(measured)

    def extend(self, measurements):
        for row, measured in measurements:
            self.add(row, measured)

    def __contains__(self, row):
        return row in self.rounds

    def figure(self, row, name):
        return middle(one[name] for one in self.rounds[row])

    def mean(self, row, name):
        """Of the rounds that have it; None where none has."""
        known = [one[name] for one in self.rounds[row] if one.get(name) is not None]
        return statistics.mean(known) if known else None

    def cost(self, row):
        """User and system time of an operation, in us: of the server where there is one."""
        return middle(map(_cost, self.rounds[row]))

    def cost_ratio(self, row, base):
        return self._ratio(row, base, _cost)

    def cost_difference(self, row, base):
        """How much more of user and system time an operation takes, in us; None where either was not measured."""
        return self._compare(row, base, lambda one, other: _cost(one) - _cost(other))

    def ratio(self, row, base, name):
        return self._ratio(row, base, lambda one: one[name])

    def _ratio(self, row, base, value):
        """The median of the rounds' ratios; None where either was not measured."""
        return self._compare(row, base, lambda one, other: value(one) / value(other))

    def _compare(self, row, base, compared):
        if row not in self or base not in self:
            return None
        return middle(compared(one, other) for one, other in zip(self.rounds[row], self.rounds[base]))

    def sum(self, rows, name):
        """The sum of a figure's medians over rows; None where one was not measured."""
        return sum(self.figure(row, name)[0] for row in rows) if all(row in self for row in rows) else None

    def as_json(self):
        return [{"row": list(row), "rounds": rounds} for row, rounds in self.rounds.items()]

    @classmethod
    def from_json(cls, rows):
        results = cls()
        results.rounds = {tuple(one["row"]): one["rounds"] for one in rows}
        return results


def _cost(one):
    return one["server_us"] or one["client_us"]
