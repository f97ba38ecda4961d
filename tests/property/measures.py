# SPDX-License-Identifier: MIT
"""What is measured of loads, and when a stop criterion holds."""
import math


def sum_of(values):
    """Rounded once; infinite where it leaves what numbers can say."""
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):
        return math.inf


def squares(values):
    return sum_of(x * x for x in values)


class Measure:
    """Of the loads held, beside what is in flight: the mean is that of all load."""

    def __init__(self, held, in_flight=0.0):
        self.total = sum_of(held) + in_flight
        mean = self.total / len(held)
        self.variance = squares(w - mean for w in held)
        self.minimum = min(held)
        self.maximum = max(held)
        self.spread = self.maximum - self.minimum
        self.in_flight = in_flight
        self.idle = sum(w <= 0.0 for w in held)


def passed(held, in_flight, capacity, moved, there, stayed):
    """What a row of the trace says beside the loads' own measures, by name; a share of nothing is None."""
    total = sum_of(held) + in_flight
    capacity = capacity or [1.0] * len(held)
    share, mean = total / sum_of(capacity), total / len(held)
    return {"error": math.sqrt(squares(w - c * share for w, c in zip(held, capacity))),
            "mean": sum_of(held) / len(held),
            "deviation": max(abs(w - mean) for w in held),
            "normalised_cost": moved / there if there else None,
            "local_fraction": stayed / there if there and stayed is not None else None}


def compares(stop):
    """Whether it is a criterion on loads: not never, and not the method's own end."""
    return stop.partition(":")[0] in ("variance", "spread", "neighbours", "error", "shared")


def terms(stop, held, in_flight, graph, capacity=None):
    """What a criterion compares, as pairs (value, limit): it holds where no value is above its limit."""
    name, _, number = stop.partition(":")
    limit = float(number) if number else 0.0
    measure = Measure(held, in_flight)
    if name == "variance":
        return [(measure.variance, limit), (in_flight * in_flight, limit)]
    if name == "spread":
        return [(measure.spread, limit), (in_flight, limit)]
    if name == "discrepancy":
        levels = [w / c for w, c in zip(held, capacity or [1.0] * len(held))]
        return [(max(levels) - min(levels), limit), (in_flight, limit)]
    if name == "neighbours":
        gradient = max((abs(held[i] - held[j]) for i, j, _ in graph.links), default=0.0)
        return [(gradient, limit), (in_flight, limit)]
    if name == "error":
        capacity = capacity or [1.0] * len(held)
        share = measure.total / math.fsum(capacity)
        distance = math.sqrt(squares(w - c * share for w, c in zip(held, capacity)))
        return [(distance, limit), (in_flight, limit)]
    if name == "shared":
        return [(float(measure.idle), 0.0), (in_flight, measure.total / len(held))]
    raise ValueError(stop)


def verdict(pairs, noise):
    """Whether a criterion holds: True, False, or None where rounding decides. `noise` is what a load may be off by."""
    doubt = False
    for value, limit in pairs:
        slack = noise * max(1.0, 2.0 * math.sqrt(max(value, limit)) if value > 1.0 else 1.0)
        if value > limit + slack:
            return False
        doubt = doubt or value > limit - slack
    return None if doubt and noise > 0.0 else True
