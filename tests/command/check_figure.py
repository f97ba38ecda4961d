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


def quantile(values, share):
    values = sorted(values)
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


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
    for x, y, *band in series[0]:
        values = [value_at(run, x, free) for run in runs]
        wanted = [sum(values) / len(values)] + ([quantile(values, 0.05), quantile(values, 0.95)] if len(runs) > 1 else [])
        if len(wanted) != 1 + len(band) or not all(map(near, wanted, [y] + band)):
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
