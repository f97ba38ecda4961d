#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Everything that `evenkeel results` says of a store, once more: from the store's rows by the module sqlite3, and from
the runs themselves, run again. Quantiles of t are those of finite series, the bootstrap is drawn from Threefry written
out, Fieller's interval is found by what defines it.

  results.py STORE    ends with "N passed, N failed"
"""
import csv
import io
import json
import math
import os
import re
import shlex
import shutil
import sqlite3
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
from expect import check, end, near

EVENKEEL = os.environ.get("EVENKEEL", "build/evenkeel")
STORE = sys.argv[1]


def ask(*words):
    done = subprocess.run([EVENKEEL, "results", "--store", STORE, *words], capture_output=True, text=True)
    check(" ".join(words) + ": status", done.returncode == 0, done.stderr)
    return done.stdout


def ask_json(*words):
    return [json.loads(line) for line in ask(*words, "--format", "json").splitlines()]


database = sqlite3.connect(f"file:{STORE}?mode=ro", uri=True)
database.row_factory = sqlite3.Row
# In the order of `results`, not in the order in which they ended, since resamples are drawn by position.
RUNS = [dict(row) for row in database.execute("SELECT * FROM runs ORDER BY seed, key")]


# Statistics.
def t_probability(t, n):
    """Of n degrees of freedom, that its amount is at most t (Abramowitz & Stegun 26.7.3, 26.7.4)."""
    theta = math.atan2(t, math.sqrt(n))
    cosine, sine = math.cos(theta), math.sin(theta)
    if n % 2:
        term, series = cosine, cosine if n > 1 else 0.0
        for k in range(3, n - 1, 2):
            term *= (k - 1) / k * cosine**2
            series += term
        return 2.0 / math.pi * (theta + sine * series)
    term, series = 1.0, 1.0
    for k in range(2, n - 1, 2):
        term *= (k - 1) / k * cosine**2
        series += term
    return sine * series


def bisect(low, high, below):
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2


def t_of(n, level):
    return bisect(0.0, 1e5, lambda t: t_probability(t, n) < level)


def mean_of(values):
    return math.fsum(values) / len(values)


def deviation_of(values):
    mean = mean_of(values)
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)) if len(values) > 1 else 0.0


def quantile(values, share):
    values = sorted(values)
    place = share * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def threefry(key, counter):
    mask = (1 << 64) - 1
    keys = [*key, 0x1BD11BDAA9FC1A22 ^ key[0] ^ key[1]]
    a, b = (counter[0] + keys[0]) & mask, (counter[1] + keys[1]) & mask
    for turn in range(20):
        by = (16, 42, 12, 31, 16, 32, 24, 21)[turn % 8]
        a = (a + b) & mask
        b = ((b << by | b >> (64 - by)) & mask) ^ a
        if turn % 4 == 3:
            inject = turn // 4 + 1
            a = (a + keys[inject % 3]) & mask
            b = (b + keys[(inject + 1) % 3] + inject) & mask
    return a


def bootstrap(level, count, statistic):
    found = []
    for resample in range(2000):
        drawn = [(threefry((0, 0), (resample, i)) >> 32) * count >> 32 for i in range(count)]
        found.append(statistic(drawn))
    return quantile(found, 0.5 - level / 2), quantile(found, 0.5 + level / 2)


def samples_of(runs, value):
    """Independent samples: runs of one experiment that begin and end alike are one, runs with one seed as well."""
    names = ("variance_initial", "total_initial", "variance_final", "maximum", "moved", "messages", "operations")
    first = {}
    for run in sorted(runs, key=lambda r: r["seed"]):
        first.setdefault((run["key"], value(run), *(run[name] for name in names)), run["seed"])
    return len(set(first.values()))


def interval(values, level=0.95, way="t", certain=True):
    if len(values) < 5 or not certain:
        return None, None
    if way == "bootstrap":
        return bootstrap(level, len(values), lambda drawn: mean_of([values[i] for i in drawn]))
    reach = t_of(len(values) - 1, level) * deviation_of(values) / math.sqrt(len(values))
    return mean_of(values) - reach, mean_of(values) + reach


def ratio_ends(first, second, level=0.95):
    """Where the mean of first - r second is t standard errors from 0, searched on both sides of the ratio."""
    t = t_of(len(first) - 1, level)
    ratio = mean_of(first) / mean_of(second)

    def errors(r):
        rest = [a - r * b for a, b in zip(first, second)]
        spread = deviation_of(rest) / math.sqrt(len(rest))
        return abs(mean_of(rest)) / spread if spread > 1e-13 * (1 + abs(ratio)) else (0.0 if near(r, ratio) else 1e9)

    return (-bisect(-ratio, -ratio + abs(ratio) * 20, lambda r: errors(-r) < t),
            bisect(ratio, ratio + abs(ratio) * 20, lambda r: errors(r) < t))


def t_of_any(n, level):
    """The same for any n: the density, with x = sqrt(n) tan(theta), by Simpson's rule."""
    scale = 2.0 * math.exp(math.lgamma((n + 1) / 2) - math.lgamma(n / 2)) / math.sqrt(math.pi)

    def probability(t):
        end, parts = math.atan2(t, math.sqrt(n)), 400
        at = [math.cos(end * i / parts) ** (n - 1) for i in range(parts + 1)]
        return scale * end / parts / 3 * (at[0] + at[-1] + 4 * sum(at[1::2]) + 2 * sum(at[2:-1:2]))

    return bisect(0.0, 1e3, lambda t: probability(t) < level)


def apart(first, second, ratio, level, way):
    """Of two sets without pairs, what is off by less than t of the errors of first - r second, with Welch's freedom."""
    estimate = mean_of(first) / mean_of(second) if ratio else mean_of(first) - mean_of(second)
    if way == "bootstrap":
        found = []
        for resample in range(2000):
            draw = lambda i, n: (threefry((0, 0), (resample, i)) >> 32) * n >> 32
            a = mean_of([first[draw(i, len(first))] for i in range(len(first))])
            b = mean_of([second[draw(len(first) + i, len(second))] for i in range(len(second))])
            found.append(a / b if ratio else a - b)
        return quantile(found, 0.5 - level / 2), quantile(found, 0.5 + level / 2)
    v = [deviation_of(values) ** 2 / len(values) for values in (first, second)]
    r = estimate if ratio else 1.0
    parts = [v[0], r * r * v[1]]
    if not any(parts):
        return estimate, estimate
    freedom = sum(parts) ** 2 / sum(part**2 / (len(values) - 1) for part, values in zip(parts, (first, second)))
    t = t_of_any(freedom, level)
    if not ratio:
        return estimate - t * math.sqrt(sum(v)), estimate + t * math.sqrt(sum(v))
    errors = lambda q: abs(mean_of(first) - q * mean_of(second)) / math.sqrt(v[0] + q * q * v[1])
    return (-bisect(-estimate, -estimate + abs(estimate) * 20, lambda q: errors(-q) < t),
            bisect(estimate, estimate + abs(estimate) * 20, lambda q: errors(q) < t))


# Conditions, each also in Python. A value that was not measured (None) satisfies no comparison.
CONDITIONS = {
    "method=ode": lambda r: r["method"] == "ode",
    "method=ode and processors>4": lambda r: r["method"] == "ode" and r["processors"] > 4,
    "processors<=4 or seed=2 and method!=ade": lambda r: r["processors"] <= 4 or r["seed"] == 2 and r["method"] != "ade",
    "(processors<=4 or seed=2) and method!=ade":
        lambda r: (r["processors"] <= 4 or r["seed"] == 2) and r["method"] != "ade",
    "not (method=ade or method=ode)": lambda r: r["method"] not in ("ade", "ode"),
    "not not seed>=3": lambda r: r["seed"] >= 3,
    "topology~:1": lambda r: ":1" in r["topology"],
    "topology='ring:8'": lambda r: r["topology"] == "ring:8",
    'topology = "ring:8" and(seed<3)': lambda r: r["topology"] == "ring:8" and r["seed"] < 3,
    "steps/theory_steps > 1": lambda r: r["steps"] / r["theory_steps"] > 1,
    "steps>theory_steps": lambda r: r["steps"] > r["theory_steps"],
    "moved - 2*messages+1 < 0.5e3": lambda r: r["moved"] - 2 * r["messages"] + 1 < 500,
    "-seed>-3": lambda r: -r["seed"] > -3,
    "converged=true": lambda r: r["converged"] == 1,
    "hopeless=false": lambda r: r["hopeless"] == 0,
    "stayed>=0": lambda r: r["stayed"] is not None and r["stayed"] >= 0,
    "not stayed>=0": lambda r: r["stayed"] is None or not r["stayed"] >= 0,
    "ended=criterion": lambda r: r["ended"] == "criterion",
    "ended=steps": lambda r: r["ended"] == "steps",
    "method<b": lambda r: r["method"] < "b",
}


def check_conditions():
    for condition, fits in CONDITIONS.items():
        found = sorted(line["id"] for line in ask_json("--where", condition, "--columns", "id"))
        check(f"--where {condition}", found == sorted(r["id"] for r in RUNS if fits(r)), len(found))
    some = [len([r for r in RUNS if fits(r)]) for fits in CONDITIONS.values()]
    check("most conditions take some and leave some", sum(0 < n < len(RUNS) for n in some) > 12, some)


TERMS = {
    "steps": lambda r: r["steps"],
    "variance_final": lambda r: r["variance_final"],
    "steps/theory_steps": lambda r: r["steps"] / r["theory_steps"] if r["theory_steps"] is not None else None,
    "messages-moved": lambda r: r["messages"] - r["moved"],
    "stayed": lambda r: r["stayed"],
}


def groups_of(runs, names):
    groups = {}
    for run in sorted(runs, key=lambda r: (r["seed"], r["key"])):
        groups.setdefault(tuple(run[name] for name in names), []).append(run)
    return groups


def median_interval(values, level):
    """Brookmeyer and Crowley's for n values that are all known: k of them are passed at a step, and Greenwood's sum is
    k / (n (n - k))."""
    n, z, ends = len(values), statistics.NormalDist().inv_cdf(0.5 + level / 2), {}
    for value in sorted(set(values)):
        k = sum(v <= value for v in values)
        for end, sign in (("low", 1), ("high", -1)):
            if k < n and math.exp(-math.exp(math.log(-math.log(1 - k / n)) + sign * z * math.sqrt(k / (n * (n - k))) /
                                            -math.log(1 - k / n))) <= 0.5:
                ends.setdefault(end, value)
    return ends.get("low"), ends.get("high")


def check_spread(what, found, values, level=0.95, way="t", certain=True):
    values = [v for v in values if v is not None]
    check(f"{what}: count", found["count"] == len(values), found)
    if not values:
        check(f"{what}: nothing", all(found[part] is None or part in ("count", "cut", "failed", "samples") and found[part] == 0
                                        for part in found), found)
        return
    low, high = interval(values, level, way, certain)
    median_low, median_high = median_interval(values, level) if certain else (None, None)
    wanted = {"mean": mean_of(values), "low": low, "high": high, "median_low": median_low, "median_high": median_high, "sd": deviation_of(values),
              "median": quantile(values, 0.5), "min": min(values), "max": max(values), "at_least": mean_of(values),
              "cut": 0, "failed": 0}
    for part, value in wanted.items():
        check(f"{what}: {part}", near(found[part], value, 1e-7 if part in ("low", "high") else 1e-9),
               f"{found[part]}, not {value}")


def check_groups():
    for names, seeds, words, level, way in ((["method"], 99, [], 0.95, "t"), (["topology", "method"], 99, [], 0.95, "t"),
                                            (["method", "processors"], 99, ["--interval", "t:0.8"], 0.8, "t"),
                                            (["topology"], 1, [], 0.95, "t"), (["units"], 99, [], 0.95, "t"),
                                            (["topology"], 2, ["--interval", "bootstrap:0.9"], 0.9, "bootstrap")):
        lines = ask_json("--where", f"seed<={seeds}", "--group", ",".join(names), "--columns", ",".join(TERMS), *words)
        groups = groups_of([r for r in RUNS if r["seed"] <= seeds], names)
        check(f"{names}: groups", {tuple(line[n] for n in names) for line in lines} == set(groups))
        for line in lines:
            runs = groups[tuple(line[n] for n in names)]
            check(f"{names}: runs", line["runs"] == len(runs))
            said = {"t": f"{100 * level:g} % by Student's t", "bootstrap": f"{100 * level:g} % by bootstrap (2000 resamples)"}
            check(f"{names}: which interval is said", line["interval"] == said[way], line["interval"])
            for term, value in TERMS.items():
                there = [r for r in runs if value(r) is not None]
                samples = samples_of(there, value)
                alone = len({r["seed"] for r in there}) == len(there)
                check(f"{names} {term}: samples", line[term]["samples"] == samples, (line[term], samples))
                check_spread(f"{names} {runs[0]['topology']} {term}", line[term], [value(r) for r in runs], level, way,
                             samples >= 5 and alone)


def check_order():
    """Groups are sorted, with the numbers in their names as numbers."""
    found = [line["topology"] for line in ask_json("--group", "topology", "--columns", "steps")]
    check("natural order", found == sorted(found, key=lambda s: int(s.split(":")[1])) and len(found) > 2, found)


def check_comparison():
    first, second = "method=ade", "method=ode or method=adf and seed>1000"
    lines = ask_json("--compare", f"{first} vs {second}", "--columns", "steps,moved,steps/theory_steps")
    terms = {**TERMS, "moved": lambda r: r["moved"]}
    topologies = {r["topology"] for r in RUNS}
    check("comparison: a line a column and topology, by which it groups itself", len(lines) == 3 * len(topologies))
    for line in lines:
        term = terms[line["column"]]
        sets = [{r["seed"]: term(r) for r in RUNS if r["method"] == m and r["topology"] == line["topology"]}
                for m in ("ade", "ode")]
        seeds = sorted(set(sets[0]) & set(sets[1]))
        a, b = ([s[seed] for seed in seeds] for s in sets)
        what = f"comparison {line['topology']} {line['column']}"
        check(f"{what}: pairs", line["pairs"] == len(seeds) > 2)
        check(f"{what}: means", near(line["first"], mean_of(a)) and near(line["second"], mean_of(b)), line)
        gaps = [x - y for x, y in zip(a, b)]
        low, high = interval(gaps)
        check(f"{what}: difference", near(line["difference"]["value"], mean_of(gaps)) and
               near(line["difference"]["low"], low, 1e-7) and near(line["difference"]["high"], high, 1e-7), line)
        low, high = ratio_ends(a, b)
        check(f"{what}: ratio", near(line["ratio"]["value"], mean_of(a) / mean_of(b)) and
               near(line["ratio"]["low"], low, 1e-6) and near(line["ratio"]["high"], high, 1e-6), (line, low, high))
    # Runs without a partner are counted: the second set lacks half of the seeds.
    table = ask("--compare", "method=ade vs method=ode and seed<=3", "--columns", "steps")
    alone = sum(1 for r in RUNS if r["method"] == "ade" and r["seed"] > 3)
    check("comparison: runs without a partner", f"{alone} runs of the first set and 0 of the second" in table, table)


def check_apart():
    """Sets that share no seed: as wholes, and that is said."""
    seeds = sorted({r["seed"] for r in RUNS})
    middle = seeds[len(seeds) // 2]
    compare = f"method=ade and seed<{middle} vs method=ode and seed>={middle}"
    for way, level in (("t", 0.9), ("bootstrap", 0.9)):
        lines = ask_json("--compare", compare, "--columns", "steps,moved", "--interval", f"{way}:{level}")
        topologies = {r["topology"] for r in RUNS}
        check("apart: a line a column and topology", len(lines) == 2 * len(topologies), len(lines))
        said = "90 % by Welch's t" if way == "t" else "90 % by bootstrap (2000 resamples)"
        check("apart: how, in each line", {line["interval"] for line in lines} == {said}, lines[0]["interval"])
        for line in lines:
            of = lambda m, fits: [r[line["column"]] for r in RUNS
                                  if (r["method"], r["topology"]) == (m, line["topology"]) and fits(r["seed"])]
            a, b = of("ade", lambda seed: seed < middle), of("ode", lambda seed: seed >= middle)
            what = f"apart {way} {line['topology']} {line['column']}"
            check(f"{what}: pairs", line["pairs"] == 0 and len(a) > 2 and len(b) > 2, (len(a), len(b)))
            check(f"{what}: means", near(line["first"], mean_of(a)) and near(line["second"], mean_of(b)), line)
            for name, ratio in (("difference", False), ("ratio", True)):
                low, high = apart(a, b, ratio, level, way)
                check(f"{what}: {name}", near(line[name]["low"], low, 1e-6) and near(line[name]["high"], high, 1e-6),
                       (line[name], low, high))
    table = " ".join(ask("--compare", compare, "--columns", "steps").split())
    lines = len({r["topology"] for r in RUNS})
    check("apart: the table says so", f"in {lines} lines no seed is in both sets, and 'pairs' is 0: all runs count, "
           "95 % by Welch's t" in table, table)
    table = " ".join(ask("--compare", compare, "--columns", "steps", "--interval", "bootstrap:0.9").split())
    check("apart: the table says which interval was asked for", "and 'pairs' is 0: all runs count, 90 % by bootstrap" in
           table, table)
    table = ask("--compare", "method=ade vs method=ode", "--columns", "steps")
    check("apart: where there are pairs it does not", "no seed is in both" not in table, table)


def trace_of(run, field):
    words = shlex.split(run["command"])[1:]
    done = subprocess.run([EVENKEEL, *words, "--trace", "--format", "json"], capture_output=True, text=True)
    record = json.loads(done.stdout)
    return ([(row["step"], row[field]) for row in record["runs"][0]["trace"]], record["theory"]["gamma_exact"],
            record["runs"][0])


def check_traces():
    where = "processors=8 and seed<6"
    runs = [r for r in RUNS if r["processors"] == 8 and r["seed"] < 6]
    for field in ("variance", "moved"):
        lines = ask_json("--where", where, "--trace-of", field)
        for method in sorted({r["method"] for r in runs}):
            traces = [trace_of(r, field) for r in runs if r["method"] == method]
            last = max(trace[-1][0] for trace, _, _ in traces)
            mine = [line for line in lines if line["method"] == method]
            check(f"trace of {method}: its axis", [line["place"] for line in mine] == list(range(last + 1)), len(mine))
            check(f"trace of {method}: its runs", {line["runs"] for line in mine} == {len(traces)})
            # Each run has a row per step, and keeps its last value after its end.
            for line in mine:
                step = int(line["place"])
                values = [trace[min(step, len(trace) - 1)][1] for trace, _, _ in traces]
                check_spread(f"trace of {method}, {field} at {step}", line[field], values)
                if field == "variance":
                    theory = mean_of([run["variance_initial"] * gamma ** (2 * step * run["operations"] / run["steps"])
                                      for _, gamma, run in traces])
                    check(f"theory of {method} at {step}", near(line["theory"], theory), (line["theory"], theory))
                else:
                    check("theory is of the variance only", "theory" not in line)
            check(f"trace of {method}: some end before others",
                   len({len(trace) for trace, _, _ in traces}) > 1 or method != "adf")


def flatten(line):
    flat = {}
    for name, value in line.items():
        parts = {f"{name}.{part}": v for part, v in value.items()} if isinstance(value, dict) else {name: value}
        flat.update(parts)
    return flat


def same_text(text, value):
    if value is None or isinstance(value, bool):
        return text == {None: "", True: "true", False: "false"}[value]
    return text == value if isinstance(value, str) else near(float(text), value, 1e-15)


def check_formats():
    """CSV says what JSON says, and the table's numbers are the same to six digits."""
    for words in ([], ["--group", "method", "--columns", "steps,stayed"], ["--compare", "method=ade vs method=ode"],
                  ["--where", "processors=4 and seed=1", "--trace-of", "spread"]):
        rows = list(csv.DictReader(io.StringIO(ask(*words, "--format", "csv"))))
        lines = [flatten(line) for line in ask_json(*words)]
        check(f"{words}: lines", len(rows) == len(lines) > 0)
        for row, line in zip(rows, lines):
            check(f"{words}: columns", list(row) == list(line), set(row) ^ set(line))
            check(f"{words}: values", all(same_text(row[name], line[name]) for name in line), (row, line))
    words = ["--where", "processors=16", "--group", "method", "--columns", "steps"]
    table = ask(*words).splitlines()
    for line in ask_json(*words):
        row = next(row for row in table if row.split() and row.split()[0] == line["method"])
        numbers = [float(n.replace(",", "")) for n in re.findall(r"[-0-9.e+,]*[0-9]", row.split(None, 1)[1])]
        wanted = [line["runs"], line["steps"]["mean"], line["steps"]["low"], line["steps"]["high"]]
        check("the table separates numbers by semicolons", re.search(r"\[[^],]*; [^],]*\]", row), row)
        check("table", len(numbers) == 4 and all(near(a, b, 1e-5) for a, b in zip(numbers, wanted)), (row, wanted))
    check("the table says which interval", "95 % by Student's t" in "\n".join(table))


def check_like_run():
    """A line of the list is the line that `run --format csv` has, but for the time it took."""
    one = RUNS[-1]
    words = shlex.split(one["command"])[1:]
    wanted = subprocess.run([EVENKEEL, *words, "--format", "csv"], capture_output=True, text=True).stdout
    found = ask("--where", f"id={one['id']}", "--format", "csv")
    wanted, found = (next(csv.DictReader(io.StringIO(text))) for text in (wanted, found))
    check("the columns of run --format csv", list(wanted) == list(found), set(wanted) ^ set(found))
    for name in wanted:
        check(f"run --format csv: {name}", wanted[name] == found[name] or name == "elapsed_s",
               (wanted[name], found[name]))


def drawn(*words):
    """The series of a picture, from gnuplot's script: rows of numbers each."""
    script = os.path.join(os.path.dirname(STORE), "results.gp")
    ask(*words, "--quiet", "--plot", script[:-3] + ".svg", "--plot-script", script)
    with open(script, encoding="utf-8") as text:
        blocks = re.findall(r"^\$series\d+ << END\n(.*?)^END$", text.read(), re.M | re.S)
    return [[[float(n) for n in row.split()] for row in block.splitlines() if row[:1] != "#"] for block in blocks]


def check_pictures():
    """Measured and theory for each method in turn, over the sizes; and the average of traces."""
    if not shutil.which("gnuplot"):
        return
    series = drawn("--x", "processors", "--y", "steps")
    methods = sorted({r["method"] for r in RUNS})
    check("a picture has two lines a method", len(series) == 2 * len(methods), len(series))
    for i, method in enumerate(methods):
        for row, theory in zip(series[2 * i], series[2 * i + 1]):
            runs = [r for r in RUNS if r["method"] == method and r["processors"] == row[0]]
            steps = [r["steps"] for r in runs]
            wanted = [row[0], mean_of(steps), *interval(steps)]
            check(f"drawn: {method} at {row[0]}", all(near(a, b, 1e-7) for a, b in zip(row, wanted)), (row, wanted))
            check(f"drawn: theory of {method}", theory[0] == row[0] and
                   near(theory[1], mean_of([r["theory_steps"] for r in runs])), theory)
        check(f"drawn: all sizes of {method}", [row[0] for row in series[2 * i]] ==
               sorted({r["processors"] for r in RUNS}))
    words = ["--where", "processors=8", "--trace-of", "variance", "--group", "method"]
    lines = ask_json(*words)
    for i, rows in enumerate(drawn(*words)):
        mine = [line for line in lines if line["method"] == methods[i // 2]]
        wanted = [[line["place"], line["theory"]] if i % 2 else
                  [line["place"], *(line["variance"][part] for part in ("mean", "low", "high"))] for line in mine]
        check(f"drawn: trace {i}", len(rows) == len(wanted) and all(
            near(a, b, 1e-12) for row, line in zip(rows, wanted) for a, b in zip(row, line)), rows[:2])


for part in (check_conditions, check_groups, check_order, check_comparison, check_apart, check_traces, check_formats,
              check_like_run, check_pictures):
    part()
end()
