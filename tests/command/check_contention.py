# SPDX-License-Identifier: MIT
"""Recomputes what `contention --format json` says from its samples, and prints what differs:
`contention.py NOW.json [--baseline BASE.json] [VALUE ...]`; the values are those that must be there."""
import json
import math
import sys

T = {5: 2.7764451051977987}  # Student's, 97.5 %, by the number of values


def near(a, b):
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-15)


def interval(values):
    """Mean and interval at 95 %; None where a value is none."""
    if not values or None in values:
        return None, None, None
    mean = sum(values) / len(values)
    if len(values) < 5:
        return mean, None, None
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    reach = T[len(values)] * deviation / math.sqrt(len(values))
    return mean, mean - reach, mean + reach


def ratio(first, second):
    pairs = list(zip(first, second))
    if not pairs or any(a is None or b is None or a <= 0 or b <= 0 for a, b in pairs):
        return None, None, None
    return [None if v is None else math.exp(v) for v in interval([math.log(a / b) for a, b in pairs])]


def word(low, high):
    return None if low is None else "more" if low > 1 else "less" if high < 1 else "none"


def compare(what, found, wanted):
    if not all(map(near, [found[name] for name in ("value", "low", "high")], wanted)):
        print(what, "is", found, "not", wanted)


def check_cost(what, cost, base, baseline):
    compare(what, cost["mean"], interval(cost["samples"]))
    for name, other in (("to_base", base), ("to_baseline", baseline)):
        if (cost.get(name) is None) != (other is None):
            print(what, name, "is", cost.get(name))
        elif other:
            wanted = ratio(cost["samples"], other["samples"])
            compare(what + " " + name, cost[name], wanted)
            if cost[name]["difference"] != word(*wanted[1:]):
                print(what, name, "difference", cost[name]["difference"])


def main():
    words = sys.argv[1:]
    now = json.load(open(words.pop(0)))
    then = {}
    if words[:1] == ["--baseline"]:
        then = {point["command"]: point for point in json.load(open(words[1]))["points"]}
        if then.keys() != {point["command"] for point in now["points"]}:
            print("other experiments than the baseline's")
        words = words[2:]
    values = [point["value"] for point in now["points"]]
    for value in words:
        if value not in values and value not in now["points"][0]["command"]:
            print("no", value)
    for index, point in enumerate(now["points"]):
        base = now["points"][point["base"]]
        if point["runs"] != now["runs_asked"]:
            print(point["value"], "has", point["runs"], "runs")
        for name, cost in point.items():
            if isinstance(cost, dict):
                if len(cost["samples"]) != point["runs"]:
                    print(name, "has", len(cost["samples"]), "samples")
                check_cost(f"{point['value']} {name}", cost, None if point["base"] == index else base[name],
                           then[point["command"]][name] if then else None)
    for name, limit in now["computer"].items():
        measured = [v for v in limit["samples"] if v is not None]
        if len(limit["samples"]) != now["runs_asked"]:
            print(name, "has", len(limit["samples"]), "samples")
        if len(measured) == len(limit["samples"]):
            compare(name, limit["mean"], interval(measured))
    if now["others_share"] is not None and not 0 <= now["others_share"] <= 1:
        print("others took", now["others_share"])


main()
