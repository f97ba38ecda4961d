# SPDX-License-Identifier: MIT
"""Recomputes the curve of --plot from a record: `figure.py RUN.json SCRIPT.gp` prints what differs."""
import json
import math
import re
import sys


def value_at(run, x, free):
    """The variance of one run at x: a run that has ended keeps its last, one in free timing begins before its trace."""
    points = [(row["time" if free else "step"], row["variance"]) for row in run["trace"]]
    if free:
        points.insert(0, (0.0, run["variance_initial"]))
    before = [p for p in points if p[0] <= x][-1]
    after = [p for p in points if p[0] > x][:1]
    if not after or before[0] == x:
        return before[1]
    (x0, y0), (x1, y1) = before, after[0]
    part = (x - x0) / (x1 - x0)
    return y0 * (y1 / y0) ** part if y0 > 0 and y1 > 0 else y0 + part * (y1 - y0)


def density(t, freedom):
    """Student's, from its definition."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    return scale * (1 + t * t / freedom) ** (-(freedom + 1) / 2)


def t_of(freedom, share=0.95):
    """The t within which this share of the distribution lies. The integral is Simpson's over an angle: t = tan(angle)."""
    def within(t, parts=2000):
        step = math.atan(t) / parts
        value = lambda k: density(math.tan(k * step), freedom) / math.cos(k * step) ** 2
        return 2 * step / 3 * sum((1 if k in (0, parts) else 4 if k % 2 else 2) * value(k) for k in range(parts + 1))
    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < share else (low, middle)
    return (low + high) / 2


def interval(values, t):
    """The mean and the bounds of its interval by Student's t."""
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return [mean]
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    half = t * deviation / math.sqrt(len(values))
    return [mean, mean - half, mean + half]


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def main():
    record = json.load(open(sys.argv[1]))
    script = open(sys.argv[2]).read()
    runs, free = record["runs"], record["timing"] == "free"
    series = [[[float(v) for v in line.split()] for line in block.splitlines()[1:]]
              for block in re.findall(r"\$series\d+ << END\n(.*?)END\n", script, re.S)]
    last = max(run["trace"][-1]["time" if free else "step"] for run in runs)
    if not near(series[0][-1][0], last):
        print("the axis ends at", series[0][-1][0], "not", last)
    t = t_of(len(runs) - 1) if len(runs) > 1 else None
    for x, y, *band in series[0]:
        values = [value_at(run, x, free) for run in runs]
        wanted = interval(values, t)
        scale = max(map(abs, values))  # a bound is a difference, whose rounding is that of the values
        if len(wanted) != 1 + len(band) or not all(
            math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9 * scale) for a, b in zip(wanted, [y] + band)):
            print("at", x, "wanted", wanted, "found", [y] + band)
    gamma = record["theory"]["gamma_exact"] if record.get("theory") else None
    if free or gamma is None:
        if len(series) != 1:
            print("a theory of nothing")
        return
    steps = sum(run["steps"] for run in runs) / sum(run["operations"] for run in runs)
    for x, y in series[1]:
        if not near(y, series[0][0][1] * gamma ** (2 * x / steps)):
            print("theory at", x, "is", y)


main()
