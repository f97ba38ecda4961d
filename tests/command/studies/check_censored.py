#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `evenkeel results` says of runs that a limit cut short, of failed runs and of repetitions. Kaplan and Meier's
median with its interval, the log-rank test, Holm's correction and the probability of superiority are computed again by
their formulas.

  check_censored.py FOLDER    keeps its stores there; ends with "N passed, N failed"
"""
import csv
import json
import math
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
from expect import check, end, near

EVENKEEL = os.environ.get("EVENKEEL", "build/evenkeel")
FOLDER = sys.argv[1]


def command(*words, environment=None):
    done = subprocess.run([EVENKEEL, *words], capture_output=True, text=True, env={**os.environ, **(environment or {})})
    check(" ".join(words) + ": status", done.returncode == 0, done.stderr)
    return done.stdout


def path(name):
    return os.path.join(FOLDER, name + ".sqlite")


def sweep(name, *words):
    # Unreached criteria make the exit status 1.
    subprocess.run([EVENKEEL, "sweep", "--store", path(name), "--quiet", *words], capture_output=True, check=False)


def change(name, *statements):
    with sqlite3.connect(path(name)) as store:
        for statement in statements:
            store.execute(statement)
        store.execute("UPDATE runs SET checksum = NULL")


def rows(name):
    with sqlite3.connect(path(name)) as store:
        store.row_factory = sqlite3.Row
        return [dict(row) for row in store.execute("SELECT * FROM runs ORDER BY seed")]


def table(name, *words):
    """The answer, without the next command."""
    lines = command("results", "--store", path(name), *words).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("next: "))


def flat(text):
    return " ".join(text.split())


def ask(name, *words):
    return [json.loads(line) for line in table(name, *words, "--format", "json").splitlines()]


# Statistics. A value is a pair: the number, and whether the run finished.
def median_of(values):
    share = 1.0
    for time in sorted({value for value, finished in values if finished}):
        risk = sum(value >= time for value, _ in values)
        share *= 1 - sum(value == time and finished for value, finished in values) / risk
        if share <= 0.5 + 1e-9:
            return time
    return None


def bounds_of_median(values, level=0.95):
    """Brookmeyer and Crowley's interval: where the bounds of log(-log S) cross log(log 2)."""
    z, share, greenwood, ends = statistics.NormalDist().inv_cdf(0.5 + level / 2), 1.0, 0.0, {}
    for time in sorted({value for value, finished in values if finished}):
        risk = sum(value >= time for value, _ in values)
        ended = sum(value == time and finished for value, finished in values)
        if ended < risk:
            share *= 1 - ended / risk
            greenwood += ended / risk / (risk - ended)
            middle, reach = math.log(-math.log(share)), z * math.sqrt(greenwood) / abs(math.log(share))
            for end, bound in (("low", middle + reach), ("high", middle - reach)):
                if bound >= math.log(math.log(2)):
                    ends.setdefault(end, time)
    return ends.get("low"), ends.get("high")


def log_rank(first, second):
    excess = variance = 0.0
    for time in sorted({value for value, finished in first + second if finished}):
        risk = [sum(value >= time for value, _ in values) for values in (first, second)]
        ended = [sum(value == time and finished for value, finished in values) for values in (first, second)]
        n, d = sum(risk), sum(ended)
        excess += ended[0] - d * risk[0] / n
        variance += d * risk[0] / n * risk[1] / n * (n - d) / (n - 1) if n > 1 else 0.0
    return math.erfc(math.sqrt(excess**2 / variance / 2)) if variance > 0 else None


def holm(ps):
    adjusted, least = {}, 0.0
    for i, p in enumerate(sorted(p for p in ps if p is not None)):
        least = max(least, min(1.0, (len([q for q in ps if q is not None]) - i) * p))
        adjusted[p] = least
    return [adjusted.get(p) for p in ps]


def censored(runs, method, column):
    return [(run[column], run["ended"] == "criterion") for run in runs if run["method"] == method]


def check_all_cut():
    """No run reached its criterion: nothing is known but lower bounds."""
    sweep("all", "--method", "ade,adf", "--topology", "ring:32", "--seed", "1..6", "--steps", "100")
    [line] = ask("all", "--compare", "method=adf vs method=ade", "--columns", "steps")
    for name in ("first", "second", "median_first", "median_second", "superiority", "p", "p_holm", "test"):
        check(f"all cut: no {name}", line[name] is None, line)
    for name in ("difference", "ratio"):
        check(f"all cut: no {name}", set(line[name].values()) == {None}, line)
    check("all cut: counts", (line["pairs"], line["cut_first"], line["cut_second"], line["failed_first"],
                               line["samples"]) == (6, 6, 6, 0, 6), line)
    text = flat(table("all", "--compare", "method=adf vs method=ade", "--columns", "steps"))
    check("all cut: the table", "steps 6 >100 (6 cut) >100 (6 cut) - -" in text, text)
    check("all cut: the note", "a limit cut 12 runs short" in text and not re.search("Holm|brackets|medians", text), text)
    check("all cut: the result", text.endswith(
        "result steps: the data do not tell which set has smaller values (1 case)"), text)
    for line in ask("all", "--group", "method", "--columns", "steps,variance_final,steps-operations,steps/operations,"
                    "999-steps,999/steps,2*steps"):
        steps = line["steps"]
        check("all cut: a group has no mean", all(steps[name] is None for name in
                                                   ("mean", "low", "high", "sd", "median", "median_low", "median_high",
                                                    "min", "max")), steps)
        check("all cut: a group's bound", (steps["at_least"], steps["cut"], steps["count"]) == (100, 6, 6), steps)
        check("all cut: counts are whole numbers", all(type(steps[name]) is int for name in
                                                        ("count", "cut", "failed", "samples")), steps)
        check("all cut: a multiple is a bound, too", (line["2*steps"]["at_least"], line["2*steps"]["cut"]) == (200, 6), line)
        for name in ("variance_final", "steps-operations", "steps/operations", "999-steps", "999/steps"):
            value = line[name]
            check(f"all cut: {name} is as measured", value["cut"] == 0 and value["mean"] is not None, value)
    text = flat(table("all", "--group", "method", "--columns", "steps"))
    check("all cut: the group's result", "ade 6 >100 (6 cut) adf 6 >100 (6 cut)" in text and text.endswith(
        "result steps: the data do not tell which option has the smallest value (1 case)"), text)
    text = table("all")
    check("all cut: a list marks bounds", re.search(r"ade +1 +steps +>100 +>50 +[0-9][^ ]* +>[0-9]", text), text)
    check("all cut: a list's result", flat(text).endswith("12 runs: 0 finished, 12 cut short, 0 failed"), text[-80:])
    check("all cut: --best", ask("all", "--group", "method", "--columns", "steps", "--best", "steps") == [])
    check("all cut: --best of runs", ask("all", "--columns", "steps", "--best", "steps") == [])


def check_some_cut():
    """Most runs of one method are cut: medians, and a log-rank test, corrected for all columns."""
    sweep("some", "--method", "ade,adf", "--topology", "ring:32", "--seed", "1..10", "--steps", "481")
    runs = rows("some")
    cut = sum(run["ended"] == "steps" for run in runs)
    check("some cut: some are", 3 <= cut <= 7 and {run["method"] for run in runs if run["ended"] == "steps"} == {"adf"})
    columns = ("steps", "operations", "moved")
    lines = ask("some", "--compare", "method=adf vs method=ade", "--columns", ",".join(columns))
    ps = [log_rank(censored(runs, "adf", column), censored(runs, "ade", column)) for column in columns]
    for line, column, p, adjusted in zip(lines, columns, ps, holm(ps)):
        first, second = censored(runs, "adf", column), censored(runs, "ade", column)
        check(f"some cut: the median of {column}", near(line["median_first"], median_of(first)), line)
        check(f"some cut: the other median of {column}", near(line["median_second"], mean_of_middle(second)), line)
        for name, values in (("first", first), ("second", second)):
            found = line[f"median_{name}_low"], line[f"median_{name}_high"]
            check(f"some cut: the interval of the {name} median of {column}", all(map(near, found,
                   bounds_of_median(values))), (found, values))
        check(f"some cut: {column}: no mean of the first set", line["first"] is None and line["second"] is not None)
        check(f"some cut: {column}: p", near(line["p"], p) and near(line["p_holm"], adjusted), (line, p, adjusted))
        check(f"some cut: {column}: how", (line["test"], line["cut_first"], line["cut_second"], line["ratio"]["value"])
               == ("log-rank", cut, 0, None), line)
    check("some cut: the correction changes p", lines[1]["p_holm"] > lines[1]["p"] * 1.5, lines[1])
    text = flat(table("some", "--compare", "method=adf vs method=ade", "--columns", ",".join(columns)))
    check("some cut: the table", f"steps 10 median {lines[0]['median_first']:.0f} ({cut} cut)" in text, text)
    check("some cut: the result", "Holm's correction for 3 tests" in text and text.endswith(
        "result steps: method=ade has smaller values in 1 of 1 case, in 1 of them with p at most 0.05; method=adf in 0, "
        "0 of them with such a p"), text)
    line = ask("some", "--compare", "method=ade vs method=adf", "--columns", "steps")[0]
    check("some cut: in the second set alone", (line["test"], line["cut_first"], line["cut_second"], line["second"],
                                                 line["ratio"]["value"]) == ("log-rank", 0, cut, None, None) and
           near(line["p"], ps[0]), line)
    growing = ("operations", "invocations", "messages", "parcels", "moved", "idle", "normalised_cost", "elapsed_s",
               "duration_s")
    line = ask("some", "--where", "method=adf", "--group", "method", "--columns", ",".join(growing))[0]
    for column in growing:
        check(f"some cut: {column} is a lower bound", line[column]["cut"] == cut, line[column])
    groups = {line["method"]: line["steps"] for line in ask("some", "--group", "method", "--columns", "steps")}
    adf = censored(runs, "adf", "steps")
    check("some cut: a group", all(groups["adf"][name] is None for name in ("mean", "sd", "max")) and
           near(groups["adf"]["median"], median_of(adf)) and groups["adf"]["cut"] == cut and
           near(groups["adf"]["at_least"], sum(value for value, _ in adf) / 10) and
           groups["adf"]["min"] == min(value for value, _ in adf), groups["adf"])
    for order, methods in (("steps", ["ade", "adf"]), ("steps:desc", ["adf", "ade"])):
        check(f"some cut: --sort {order} takes the median for the mean", [line["method"] for line in ask(
            "some", "--group", "method", "--columns", "steps", "--sort", order)] == methods)
    check("some cut: --best", [line["method"] for line in ask("some", "--group", "method", "--columns", "steps",
                                                               "--best", "steps")] == ["ade"])


def check_median_interval():
    """In table, JSON and CSV, at the level of --interval. At 0.1 both bounds are known, at 0.95 the lower one is."""
    name = "median"
    sweep(name, "--method", "adf", "--topology", "ring:32", "--seed", "1..10", "--steps", "490")
    values = censored(rows(name), "adf", "steps")
    cut = sum(not finished for _, finished in values)
    words = ("--group", "method", "--columns", "steps", "--where", "method=adf", "--interval")
    known = []
    for level in (0.95, 0.1):
        low, high = bounds_of_median(values, level)
        known.append((low is not None, high is not None))
        [line] = ask(name, *words, f"bootstrap:{level}")
        check(f"an interval of the median at {level}", (line["steps"]["median_low"], line["steps"]["median_high"]) ==
               (low, high), line)
        [row] = csv.DictReader(table(name, *words, f"t:{level}", "--format", "csv").splitlines())
        check(f"an interval of the median at {level} in CSV", [row["steps.median"], row["steps.median_low"], row[
            "steps.median_high"]] == [str(median_of(values)), str(low), "" if high is None else str(high)], row)
        text = flat(table(name, *words, f"t:{level}"))
        check(f"an interval of the median at {level} in a table", f"adf {len(values)} median {median_of(values)} [{low}; "
               f"{'-' if high is None else high}] ({cut} cut)" in text and "marked >; medians are Kaplan and Meier's" in
               text and f"in brackets: {100 * level:g} % by Brookmeyer and Crowley for medians; - is" in text, text)
    check("an interval of the median: one end is open", known == [(True, False), (True, True)], known)
    text = flat(table(name, *words[:-2], "seed>1 and seed<6"))
    check("no interval of the median of four runs", "[" not in text and "adf 4 median" in text and "brackets" not in text, text)


def check_bounds():
    """The smallest value may be a bound; a median is no smaller than a bound below it."""
    shutil.copy(path("done"), path("bounds"))
    runs = [run for run in rows("bounds") if run["method"] == "ade"]
    least = min(runs, key=lambda run: run["steps"])
    for ended in ("operations", "time", "interrupt"):
        change("bounds", f"UPDATE runs SET converged = 0, ended = '{ended}' WHERE id = {least['id']}")
        steps = ask("bounds", "--where", "method=ade", "--group", "method", "--columns", "steps")[0]["steps"]
        check(f"the smallest is cut by {ended}", (steps["min"], steps["cut"], steps["failed"]) == (None, 1, 0) and
               near(steps["median"], median_of([(run["steps"], run is not least) for run in runs])), steps)
        check(f"a run that is cut by {ended} is not the best", ask(
            "bounds", "--where", "method=ade", "--columns", "steps", "--best", "steps") == [])
    change("bounds", f"UPDATE runs SET steps = {least['steps']} WHERE id = {next(run['id'] for run in runs if run is not least)}")
    steps = ask("bounds", "--where", "method=ade", "--group", "method", "--columns", "steps")[0]["steps"]
    check("a run finished at the smallest bound", (steps["min"], steps["cut"]) == (least["steps"], 1), steps)
    median = mean_of_middle([(run["steps"], True) for run in rows("bounds") if run["method"] == "adf"])
    for bound, best in ((1, []), (median, []), (9999, ["adf"])):
        change("bounds", f"UPDATE runs SET converged = 0, ended = 'steps', steps = {bound} WHERE method = 'ade'")
        found = ask("bounds", "--group", "method", "--columns", "steps", "--best", "steps")
        check(f"a bound of {bound} and a median", [line["method"] for line in found] == best, found)
        text = flat(table("bounds", "--compare", "method=ade vs method=adf", "--columns", "steps"))
        check(f"a bound of {bound}, compared", ("method=adf has smaller values in 1 of 1 case" in text) == bool(best) and
               ("do not tell which set" in text) != bool(best), text[-200:])


def mean_of_middle(values):
    ordered = sorted(value for value, _ in values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def check_failed():
    """Failed runs are no lower bounds: they are counted, and their partners do not count."""
    shutil.copy(path("done"), path("failed"))
    change("failed", "UPDATE runs SET converged = 0, ended = 'diverges', steps = 1 WHERE method = 'ade' AND seed IN (2, 3, 7)",
           "UPDATE runs SET converged = 0, ended = 'frozen', steps = 1 WHERE method = 'adf' AND seed = 3",
           "UPDATE runs SET converged = 0, ended = 'itself' WHERE method = 'adf' AND seed = 4",
           "UPDATE runs SET converged = 0, ended = 'given_up' WHERE method = 'adf' AND seed = 5",
           "UPDATE runs SET converged = 0, ended = 'time', stop = 'never' WHERE method = 'adf' AND seed = 6")
    lines = ask("failed", "--compare", "method=adf vs method=ade", "--columns", "steps,variance_final", "--group", "units")
    check("failed: counts", [lines[0][name] for name in ("pairs", "failed_first", "failed_second", "cut_first")] ==
           [8, 2, 3, 1], lines[0])
    check("failed: other columns have all values but those of broken runs", [lines[1][name] for name in (
        "pairs", "failed_first", "failed_second", "cut_first")] == [9, 0, 3, 0] and lines[1]["first"] is not None, lines[1])
    groups = {line["method"]: line["steps"] for line in ask("failed", "--group", "method", "--columns", "steps")}
    check("failed: a group", (groups["ade"]["count"], groups["ade"]["failed"], groups["adf"]["failed"]) == (9, 3, 2) and
           groups["ade"]["min"] > 1, groups)
    text = flat(table("failed", "--group", "method", "--columns", "steps"))
    check("failed: the table", "(3 failed)" in text and "(1 cut) (2 failed)" in text and
           "5 runs diverged, froze or ended otherwise without balance" in text, text)
    text = table("failed", "--where", "seed=3")
    check("failed: a list has no bounds", "diverges" in text and "frozen" in text and ">" not in text, text)
    text = table("failed")
    check("failed: a list counts", flat(text).endswith("24 runs: 18 finished, 1 cut short, 5 failed"), text[-80:])
    for first, second in (("seed=2", "seed=2"), ("seed>7", "seed=7")):
        found = ask("failed", "--compare", f"method=adf and {first} vs method=ade and {second}", "--columns", "steps")
        check(f"failed: no run of a set is left: {first} vs {second}", [
            (line["pairs"], line["failed_first"], line["failed_second"], line["second"], line["p"]) for line in found] ==
               [(0, 0, 1, None, None)], found)
    text = flat(table("failed", "--group", "method", "--columns", "steps"))
    check("failed: a method with failed runs is not the best", text.endswith(
        "the data do not tell which option has the smallest value (1 case)"), text)
    text = flat(table("failed", "--where", "method=adf and seed>7 or method=ade and seed=7", "--group", "method", "--columns",
                      "steps"))
    check("failed: a method with finished runs is better than one without", "steps: adf has the smallest value in 1 of 1 "
           "case" in text, text)


def check_broken():
    """Runs that diverged, got stuck or violated an invariant have no numbers. A comparison says that they failed."""
    sweep("diverged", "--method", "diffusion:0.6,adf", "--topology", "ring:16", "--load", "uniform:0:100", "--seed", "1..6",
          "--steps", "500")
    columns = ["steps", "variance_final", "factor"]
    compared = ["--compare", "method=adf vs method=diffusion:0.6", "--columns", ",".join(columns)]
    lines = ask("diverged", *compared)
    check("diverged: each column has a line", [line["column"] for line in lines] == columns, lines)
    for line in lines:
        check(f"diverged: {line['column']}", (line["pairs"], line["failed_first"], line["failed_second"]) == (0, 0, 6), line)
        check(f"diverged: no effect on {line['column']}", all(line[name] is None for name in (
            "second", "p", "p_holm", "superiority", "test")) and set(line["difference"].values()) == {None} and
            set(line["ratio"].values()) == {None}, line)
    text = flat(table("diverged", *compared))
    check("diverged: the table", all(re.search(f"{column} 0 - - [(]6 failed[)] - - -", text) for column in columns), text)
    text = flat(table("diverged", "--compare", "method=adf vs method=diffusion:0.6", "--columns", "variance_final"))
    check("diverged: the result", text.endswith("variance_final: the data do not tell which set has smaller values (1 case)"),
           text)
    shutil.copy(path("done"), path("broken"))
    for ended, broken in (("diverges", True), ("stuck", True), ("violation", True), ("frozen", False), ("repeats", False),
                          ("itself", False)):
        change("broken", f"UPDATE runs SET converged = 0, ended = '{ended}' WHERE method = 'ade' AND seed < 4")
        [line] = ask("broken", "--where", "method=ade", "--group", "method", "--columns", "steps,error_final,converged")
        check(f"{ended}: a column that grows", (line["steps"]["count"], line["steps"]["failed"]) == (9, 3), line)
        check(f"{ended}: another column", (line["error_final"]["count"], line["error_final"]["failed"]) ==
               ((9, 3) if broken else (12, 0)), line)
        check(f"{ended}: the share of runs that converged", line["converged"]["count"] == 12 and
               near(line["converged"]["mean"], 0.75), line)


def check_repetitions():
    """Runs that draw nothing are one sample, however many there are. Fewer than five samples have no interval."""
    sweep("same", "--method", "ade,adf", "--topology", "ring:8", "--load", "peak:1000", "--seed", "1..20")
    line = ask("same", "--compare", "method=ade vs method=adf", "--columns", "steps")[0]
    check("repetitions: one sample", (line["pairs"], line["samples"], line["p"], line["difference"]["low"],
                                       line["ratio"]["high"]) == (20, 1, None, None, None), line)
    check("repetitions: the difference is known", line["difference"]["value"] is not None, line)
    for line in ask("same", "--group", "method", "--columns", "steps"):
        steps = line["steps"]
        check("repetitions: a group", (steps["count"], steps["samples"], steps["low"]) == (20, 1, None), steps)
    text = flat(table("same", "--group", "method", "--columns", "steps"))
    check("repetitions: the note", "a line has 1 independent sample;" in text and
           "no interval and no p in 2 lines: fewer than 5 independent samples" in text, text)
    text = flat(table("done", "--where", "method=ade or seed<5", "--group", "method", "--columns", "steps"))
    check("samples of several lines", "a line has 4 to 12 independent samples" in text, text)
    change("same", "UPDATE runs SET elapsed_s = 1.0 / seed")
    line = ask("same", "--group", "method", "--columns", "steps,elapsed_s")[0]
    check("what differs between repetitions is a sample", (line["steps"]["samples"], line["elapsed_s"]["samples"]) ==
           (1, 20) and line["elapsed_s"]["low"] is not None, line)
    for seeds, known in ((4, False), (5, True)):
        words = ["--where", f"seed<={seeds}", "--compare", "method=ade vs method=adf", "--columns", "steps"]
        line = ask("done", *words)[0]
        check(f"{seeds} seeds", line["samples"] == seeds and (line["p"] is not None) == known and
               (line["difference"]["low"] is not None) == known, line)
        check(f"{seeds} seeds: the note", ("fewer than 5 independent samples" in flat(table("done", *words))) != known)


def check_pooled():
    """A line that pools several topologies names them, and has no interval if they share seeds."""
    sweep("pooled", "--method", "ade", "--topology", "ring:4,ring:6,ring:8,ring:10,ring:12,ring:14", "--seed", "1..5")
    line = ask("pooled", "--group", "method", "--columns", "steps")[0]["steps"]
    check("pooled: no interval", (line["samples"], line["low"], line["count"]) == (5, None, 30), line)
    text = flat(table("pooled", "--group", "method", "--columns", "steps"))
    check("pooled: the note", "a line may hold several values of topology (ring:4; ring:6; ring:8; ring:10; ring:12; and 1 "
           "more)" in text and "no interval in 1 line: several values have the same seed" in text, text)
    text = flat(table("pooled", "--where", "processors<14", "--group", "method", "--columns", "steps"))
    check("pooled: five values have their names", "(ring:4; ring:6; ring:8; ring:10; ring:12)" in text, text)
    text = flat(table("pooled", "--where", "processors<=6", "--group", "method", "--columns", "steps"))
    check("pooled: only the chosen runs", "several values of topology (ring:4; ring:6) result" in text, text)
    text = table("pooled", "--x", "processors", "--y", "steps", "--group", "method")
    check("pooled: places are apart", "pooled" not in text, text)
    shutil.copy(path("pooled"), path("limits"))
    change("limits", "UPDATE runs SET steps_max = 99 WHERE seed = 1")
    text = flat(table("limits", "--where", "processors=4", "--group", "method", "--columns", "steps"))
    check("pooled: an axis that is not always given", "several values of steps_max (none; 99) result" in text, text)
    text = flat(table("limits", "--x", "processors", "--y", "steps", "--group", "method"))
    check("pooled: at a place, too", "several values of steps_max (none; 99) result" in text, text)
    lines = ask("limits", "--where", "processors=4", "--group", "steps_max", "--columns", "steps")
    check("runs without a value are a group", [(line["steps_max"], line["runs"]) for line in lines] == [(None, 4), (99, 1)],
           lines)
    text = table("pooled", "--group", "topology", "--columns", "steps")
    check("pooled: nothing is", "pooled" not in text and "same seed" not in text, text)
    text = flat(table("pooled", "--group", "topology", "--columns", "steps"))
    check("one option is no case of several", text.endswith("the smallest value in 1 of 1 case; its interval lies below "
                                                             "all others in 1"), text)


def check_superiority():
    runs = rows("done")
    steps = {method: [run["steps"] for run in runs if run["method"] == method] for method in ("ade", "adf")}
    wins = sum((a < b) + 0.5 * (a == b) for a, b in zip(steps["ade"], steps["adf"]))
    line = ask("done", "--compare", "method=ade vs method=adf", "--columns", "steps")[0]
    check("superiority of pairs", near(line["superiority"], wins / 12) and line["test"] == "Student's t of the pairs", line)
    line = ask("done", "--compare", "method=ade and seed<7 vs method=adf and seed>=7", "--columns", "steps")[0]
    wins = sum((a < b) + 0.5 * (a == b) for a in steps["ade"][:6] for b in steps["adf"][6:])
    check("superiority of sets", near(line["superiority"], wins / 36) and line["test"] == "Welch's t" and
           line["samples"] == 6, line)
    for column in ("steps", "moved"):
        values = [run[column] for run in runs if run["method"] == "ade"]
        line = ask("done", "--compare", "seed<7 vs seed>=7", "--where", "method=ade", "--columns", column)[0]
        wins = sum((a < b) + 0.5 * (a == b) for a in values[:6] for b in values[6:])
        check(f"superiority of sets that overlap: {column}", near(line["superiority"], wins / 36) and 0 < wins < 36, line)
    for compare in ("method=ade and seed<5 vs method=adf and seed>=5", "method=ade and seed>=5 vs method=adf and seed<5"):
        line = ask("done", "--compare", compare, "--columns", "steps")[0]
        check("the smaller set has the samples", (line["samples"], line["p"], line["ratio"]["low"]) == (4, None, None), line)


def check_rare_rows():
    """A column that one partner lacks; a paired group before an unpaired one."""
    shutil.copy(path("done"), path("rare"))
    change("rare", "UPDATE runs SET moved = NULL WHERE method = 'ade' AND seed = 3",
           "UPDATE runs SET moved = NULL WHERE method = 'adf' AND seed = 5")
    runs = rows("rare")
    moved = {(run["method"], run["seed"]): run["moved"] for run in runs}
    line = ask("rare", "--compare", "method=ade vs method=adf", "--columns", "moved")[0]
    seeds = [seed for seed in range(1, 13) if seed not in (3, 5)]
    check("a value without a partner does not count", line["pairs"] == 10 and
           near(line["first"], sum(moved["ade", seed] for seed in seeds) / 10) and
           near(line["second"], sum(moved["adf", seed] for seed in seeds) / 10), line)
    steps = {(run["method"], run["seed"]): run["steps"] for run in runs}
    for first, second in (("seed>0", "seed>3 and seed<9"), ("seed>3 and seed<9", "seed>0")):
        line = ask("rare", "--compare", f"method=ade and {first} vs method=adf and {second}", "--columns", "steps")[0]
        check(f"only partners count: {first} vs {second}", line["pairs"] == 5 and
               near(line["first"], sum(steps["ade", seed] for seed in range(4, 9)) / 5) and
               near(line["second"], sum(steps["adf", seed] for seed in range(4, 9)) / 5), line)
    change("rare", "UPDATE runs SET ports = 'one'", "UPDATE runs SET seed = seed + 100, ports = 'two' WHERE seed > 6",
           "UPDATE runs SET seed = seed + 100 WHERE seed > 6 AND method = 'ade'")
    lines = ask("rare", "--compare", "method=ade vs method=adf", "--columns", "steps", "--group", "ports")
    check("a group with pairs, then one without", [line["pairs"] for line in lines] == [6, 0] and
           lines[1]["first"] is not None, lines)


def check_traces():
    """A mean ends where a run was cut, and goes on where runs converged."""
    for seeds, steps in (("1..5", "20"), ("6..10", "50")):
        sweep("traces", "--method", "adf", "--topology", "ring:64", "--seed", seeds, "--steps", steps, "--trace")
    lines = ask("traces", "--trace-of", "variance", "--group", "method")
    check("a mean ends where runs are cut", [line["place"] for line in lines] == list(range(21)) and
           lines[-1]["runs"] == 10, lines[-1:])
    text = flat(table("traces", "--trace-of", "variance", "--group", "method"))
    whole = flat(table("traces", "--trace-of", "variance"))
    check("how traces are grouped is said, unless it was asked for", "grouped by steps_max" in whole and
           "grouped by" not in text, whole[-300:])
    check("the end is said", "the mean of 1 group ends before the longest trace" in text, text[-400:])
    shutil.copy(path("traces"), path("traceless"))
    sweep("traceless", "--method", "adf", "--topology", "ring:64", "--seed", "11", "--steps", "20")
    words = ["--trace-of", "variance", "--group", "seed"]
    lines = ask("traceless", *words)
    check("a run without a trace", [line["seed"] for line in lines if line["place"] == 0] == list(range(1, 11)), lines[:1])
    text = flat(table("traceless", *words))
    check("a run without a trace is said, and no sample", "1 run without a trace" in text and
           "a line has 1 independent sample;" in text, text[-900:])
    line = ask("traces", "--trace-of", "variance", "--group", "method", "--where", "seed<5")[0]["variance"]
    check("few traces have no interval", (line["count"], line["samples"], line["low"]) == (4, 4, None), line)
    sweep("work", "--method", "adf", "--topology", "ring:8", "--seed", "1..6", "--trace", "--work", "constant:0=3", "--stop",
          "variance:500", "--steps", "500")
    sweep("eaten", "--method", "adf", "--topology", "ring:8", "--seed", "1..6", "--trace", "--work", "constant:0=-3", "--stop",
          "variance:500", "--steps", "500")
    for store in ("work", "eaten"):
        ends = sorted(run["steps"] for run in rows(store) if run["converged"])
        lines = ask(store, "--trace-of", "variance")
        check(f"a mean ends where processors work on: {store}", len(ends) == 6 and ends[0] < ends[-1] and
               lines[-1]["place"] == ends[0], (ends, lines[-1:]))
    sweep("converged", "--method", "adf", "--topology", "ring:8", "--seed", "1..6", "--trace")
    lines = ask("converged", "--trace-of", "variance")
    check("a converged run keeps its last value", lines[-1]["place"] == max(run["steps"] for run in rows("converged")) and
           lines[-1]["variance"]["count"] == 6 and "ends before" not in table("converged", "--trace-of", "variance"))


def check_verdict():
    """The last line, computed from the lines."""
    sweep("tie", "--method", "ade,ode", "--topology", "ring:4", "--seed", "1..6")
    check("a tie has no best line", ask("tie", "--group", "topology,method", "--columns", "steps", "--best", "steps") == [])
    check("a tie is noted", "no best 1 case without a line: several share the smallest value, or it is unknown" in flat(
        table("tie", "--group", "topology,method", "--columns", "steps", "--best", "steps")))
    check("a tie is said", "the data do not tell which option" in table("tie", "--group", "topology,method", "--columns",
                                                                        "steps"))
    for column in ("steps", "moved", "variance_final"):
        cases, wins, certain = {}, {}, {}
        for line in ask("cases", "--group", "topology,method", "--columns", column):
            cases.setdefault(line["topology"], []).append((line[column]["mean"], line["method"], line[column]))
        for lines in cases.values():
            best, other = sorted(lines)[0], sorted(lines)[1]
            wins[best[1]] = wins.get(best[1], 0) + 1
            certain[best[1]] = certain.get(best[1], 0) + (best[2]["high"] < other[2]["low"])
        most = max(wins.values())
        tie = ", and another option in as many" if list(wins.values()).count(most) > 1 else ""
        text = flat(table("cases", "--group", "topology,method", "--columns", column)).split("result ")[1]
        check(f"the verdict on {column}", any(text == f"{column}: {name} has the smallest value in {most} of 2 cases{tie}; its "
                                               f"interval lies below all others in {certain[name]}"
                                               for name in wins if wins[name] == most), (text, wins, certain))
    apart = []
    for column in ("steps", "moved"):
        sets = sorted((median_of(censored(rows("some"), method, column)),
                       bounds_of_median(censored(rows("some"), method, column), 0.5), method) for method in ("ade", "adf"))
        (_, (_, high), best), (_, (low, _), _) = sets
        apart.append(int(high is not None and high < low))
        text = flat(table("some", "--group", "method", "--columns", column, "--interval", "t:0.5")).split("result ")[1]
        check(f"the verdict on medians of {column}", text == f"{column}: {best} has the smallest value in 1 of 1 case; its "
               f"interval lies below all others in {apart[-1]}", (text, sets))
    check("medians apart and not apart", apart == [1, 0], apart)
    shutil.copy(path("done"), path("touching"))
    change("touching", "UPDATE runs SET steps = 10 WHERE method = 'ade' OR seed > 1")
    groups = ask("touching", "--group", "method", "--columns", "steps", "--interval", "bootstrap:0.95")
    text = flat(table("touching", "--group", "method", "--columns", "steps", "--interval", "bootstrap:0.95"))
    check("intervals that touch are not apart", groups[0]["steps"]["high"] == groups[1]["steps"]["low"] == 10 and
           text.endswith("ade has the smallest value in 1 of 1 case; its interval lies below all others in 0"), text[-200:])
    shutil.copy(path("cases"), path("tied"))
    change("tied", "UPDATE runs SET steps = 1000 + seed WHERE topology = 'ring:8' AND method = 'ode'")
    text = flat(table("tied", "--group", "topology,method", "--columns", "steps"))
    check("two options are best equally often", text.endswith(
        "steps: ade has the smallest value in 1 of 2 cases, and another option in as many; its interval lies below all "
        "others in 1"), text[-200:])
    for column in ("steps", "moved", "variance_final", "operations-variance_final"):
        lines = ask("cases", "--compare", "method=ade vs method=ode", "--columns", column)
        smaller = [[line for line in lines if line[a] < line[b]] for a, b in (("first", "second"), ("second", "first"))]
        certain = [[line for line in found if line["p_holm"] <= 0.05] for found in smaller]
        best = int(len(smaller[1]) > len(smaller[0]))
        names = ("method=ade", "method=ode")
        wanted = (f"{column}: {names[best]} has smaller values in {len(smaller[best])} of 2 cases, in {len(certain[best])} of "
                  f"them with p at most 0.05; {names[not best]} in {len(smaller[not best])}, {len(certain[not best])} of them "
                  "with such a p")
        text = flat(table("cases", "--compare", "method=ade vs method=ode", "--columns", f"{column},steps")).split("result ")[1]
        alone = flat(table("cases", "--compare", "method=ade vs method=ode", "--columns", column)).split("result ")[1]
        check(f"the verdict of a comparison of {column}", alone == wanted and text.startswith(f"{column}: "), (alone, wanted))
    text = flat(table("pooled", "--group", "seed", "--columns", "steps", "--where", "topology=ring:14")).split("result ")[1]
    best = min((run for run in rows("pooled") if run["topology"] == "ring:14"), key=lambda run: run["steps"])["seed"]
    check("an option that is a number has its name", text.startswith(f"steps: seed {best} has the smallest value in 1"),
           text)


    # Two options with one case each, and a later one with two, which no other option has.
    sweep("wins", "--method", "ade,adf,ode", "--topology", "ring:{8..14+2}", "--seed", "1..6")
    change("wins", "UPDATE runs SET steps = 9", *(f"UPDATE runs SET steps = 1 WHERE method = '{method}' AND topology = '{at}'"
           for method, at in (("ade", "ring:8"), ("adf", "ring:10"), ("ode", "ring:12"), ("ode", "ring:14"))))
    text = flat(table("wins", "--group", "topology,method", "--columns", "steps"))
    check("the option that is best most often", text.endswith(
        "result steps: ode has the smallest value in 2 of 4 cases; its interval lies below all others in 2"), text)
    for words in (["--x", "processors", "--y", "steps"], ["--x", "processors", "--y", "steps", "--group", "method"]):
        text = flat(table("cases", *words))
        check("places on an axis are no options", text.endswith("result 24 runs: 24 finished, 0 cut short, 0 failed"), text)
    for place in ("processors", "links", "colours", "degree_min", "degree_max", "diameter"):
        lines = ask("cases", "--x", place, "--y", "steps")
        check(f"a line over {place} runs over topologies", lines and all(
            "topology" not in line and line["method"] in ("ade", "ode") for line in lines), lines[:1])
    for limit in ([], ["--steps", "9999"]):
        sweep("limited", "--method", "ade", "--topology", "ring:8", "--seed", "1..3", *limit)
    lines = ask("limited", "--x", "processors", "--y", "steps")
    check("an axis varies that only some runs have", [line.get("steps_max") for line in lines] == [None, 9999], lines)
    text = flat(table("cases", "--group", "method,processors,topology", "--columns", "steps"))
    check("no options, no verdict", text.endswith("result 24 runs: 24 finished, 0 cut short, 0 failed"), text[-200:])
    text = flat(table("cases", "--compare", "method=ade vs method=ode and seed>99", "--columns", "steps"))
    check("no line, no samples", "independent sample" not in text and "lines 0 of 12 runs" in text, text)


def check_verdict_of_medians():
    """The best median's interval ends below the other median, but not below that median's interval."""
    shutil.copy(path("done"), path("near"))
    change("near", "UPDATE runs SET steps = 10 * seed WHERE method = 'ade'",
           "UPDATE runs SET steps = 10 * seed + 25 WHERE method = 'adf'",
           "UPDATE runs SET ended = 'steps', converged = 0 WHERE seed = 12")
    for above, apart in ((25, 0), (30, 0), (135, 1)):
        change("near", f"UPDATE runs SET steps = 10 * seed + {above} WHERE method = 'adf'")
        (best, other) = ([(median_of(values), *bounds_of_median(values, 0.5)) for values in (
            censored(rows("near"), "ade", "steps"), censored(rows("near"), "adf", "steps"))])
        check(f"medians {above} apart: the bounds", best[2] < other[0] and (best[2] < other[1]) == apart, (best, other))
        text = flat(table("near", "--group", "method", "--columns", "steps", "--interval", "t:0.5"))
        check(f"medians {above} apart", text.endswith("result steps: ade has the smallest value in 1 of 1 case; its interval "
                                                      f"lies below all others in {apart}"), (text[-200:], best, other))


def check_verdict_of_several():
    """What is certain is counted by Holm's p. Of sets that are smaller equally often, the first is named first."""
    sweep("several", "--method", "ade,ode", "--topology", "ring:{8..12+2}", "--seed", "1..6")
    words = ["--compare", "method=ade vs method=ode", "--columns", "steps"]
    more = "CASE seed WHEN 1 THEN 1 WHEN 2 THEN 2 WHEN 3 THEN 3 WHEN 4 THEN 1 WHEN 5 THEN 2 ELSE 0 END"
    change("several", f"UPDATE runs SET steps = 20 + CASE method WHEN 'ode' THEN {more} ELSE 0 END")
    lines = ask("several", *words)
    check("Holm's p is above 5 %, p is not", len(lines) == 3 and all(line["p"] < 0.05 < line["p_holm"] for line in lines),
          lines)
    text = flat(table("several", *words))
    check("certain by Holm's p", text.endswith(
        "result steps: method=ade has smaller values in 3 of 3 cases, in 0 of them with p at most 0.05; method=ode in 0, 0 of "
        "them with such a p"), text[-200:])
    change("several", "DELETE FROM runs WHERE topology = 'ring:12'",
           "UPDATE runs SET steps = 40 - steps WHERE topology = 'ring:10'")
    text = flat(table("several", *words))
    check("equally often", text.endswith(
        "result steps: method=ade has smaller values in 1 of 2 cases, in 1 of them with p at most 0.05; method=ode in 1, 1 of "
        "them with such a p"), text[-200:])


def check_place_in_group():
    """A column of --x is no group, also if --group names it; other names stay."""
    for group in ("processors,method", "method,processors", " method , processors "):
        lines = ask("cases", "--group", group, "--x", "processors", "--y", "steps")
        check(f"--x processors, --group {group}", [(line["method"], line["processors"]) for line in lines] ==
               [("ade", 8), ("ade", 16), ("ode", 8), ("ode", 16)] and list(lines[0])[:3] == ["method", "processors", "runs"],
               lines)
    lines = ask("cases", "--group", "processors", "--x", "processors", "--y", "steps")
    check("--x alone forms no group", [(line["processors"], line["runs"]) for line in lines] == [(8, 12), (16, 12)], lines)
    lines = ask("cases", "--group", "topology,method,processors/2", "--x", "processors", "--y", "steps")
    check("--group keeps what only begins alike, and the topology", list(lines[0])[:4] == [
        "topology", "method", "processors/2", "processors"], lines[0])


def check_names():
    """A value that only the store knows, as a method of a plugin; names that begin with each other."""
    shutil.copy(path("done"), path("named"))
    change("named", "UPDATE runs SET method = 'owned' WHERE method = 'adf'")
    check("a value of the store", len(ask("named", "--where", "method=owned", "--columns", "seed")) == 12)
    done = subprocess.run([EVENKEEL, "results", "--store", path("named"), "--where", "method=ownes"], capture_output=True,
                          text=True)
    check("near a value of the store", done.returncode == 2 and
           "method has no value 'ownes'; the nearest is 'owned'" in done.stderr, done.stderr)
    sweep("gde", "--method", "gde:0.7,gde:0.65", "--topology", "ring:8", "--seed", "1..4")
    change("gde", "UPDATE runs SET method = 'gde' WHERE seed > 2")
    check("groups whose names begin alike", [line["method"] for line in ask("gde", "--group", "method", "--columns", "steps")]
           == ["gde", "gde:0.7", "gde:0.65"])
    for condition, count in (("9999999999999999999>9300000000000000000", 8), ("100000000000000001=100000000000000000", 0),
                             ("seed<99999999999999999999", 8), ("999999999999999999=999999999999999998", 0)):
        check(condition, len(ask("gde", "--where", condition, "--columns", "seed")) == count)


def check_order():
    steps = [run["steps"] for run in rows("done")]
    check("--sort", [line["steps"] for line in ask("done", "--columns", "steps", "--sort", "steps")] == sorted(steps))
    check("--sort, descending, --limit", [line["steps"] for line in ask(
        "done", "--columns", "steps", "--sort", "steps:desc", "--limit", "3")] == sorted(steps)[:-4:-1])
    check("a quotient keeps its remainder", [line["steps/4"] for line in ask(
        "done", "--columns", "steps/4", "--sort", "steps/4")] == [number / 4 for number in sorted(steps)])
    found = [line["topology"] for line in ask("pooled", "--columns", "topology,seed", "--sort", "topology:desc")]
    check("--sort of names", found == sorted(found, key=lambda name: -int(name.split(":")[1])), found)
    check("--sort of means", [line["method"] for line in ask("done", "--group", "method", "--columns", "steps",
                                                              "--sort", "steps:desc")] == ["adf", "ade"])
    shutil.copy(path("done"), path("null"))
    change("null", "UPDATE runs SET steps = NULL WHERE seed = 1")
    for order in ("steps", "steps:desc"):
        check(f"--sort {order}: nothing comes last", [line["steps"] for line in ask(
            "null", "--columns", "steps", "--sort", order)][-2:] == [None, None])
    found = [(line["method"], line["id"]) for line in ask("done", "--columns", "id,method", "--sort", "method")]
    check("--sort keeps the order of equal lines", found == sorted(found), found)
    check("--best of runs", [line["steps"] for line in ask("done", "--columns", "steps", "--where", "method=ade", "--best",
                                                            "steps")] == sorted(steps)[:1])
    check("--best of each case", [(line["topology"], line["method"]) for line in ask(
        "cases", "--group", "topology,method", "--columns", "steps", "--best", "steps")] ==
        [("ring:8", "ode"), ("ring:16", "ode")])
    check("--best of each case, then --sort", [line["topology"] for line in ask(
        "cases", "--group", "topology,method", "--columns", "steps", "--best", "steps", "--sort", "topology:desc")] ==
        ["ring:16", "ring:8"])
    check("--sort does not change the cases of --best", len(ask(
        "cases", "--group", "topology,method", "--columns", "steps", "--best", "steps", "--sort", "method")) == 2)
    text = flat(table("cases", "--group", "topology,method", "--columns", "steps"))
    check("the result of cases", "steps: ode has the smallest value in 2 of 2 cases; its interval lies below all others "
           "in 2" in text, text[-200:])
    text = flat(table("cases", "--group", "topology,method", "--columns", "steps", "--limit", "1"))
    check("--limit: lines", "lines 1 of 24 runs" in text, text)


def check_best_of_text():
    for words in (["--columns", "steps,topology"], ["--group", "topology,method", "--columns", "steps"]):
        done = subprocess.run([EVENKEEL, "results", "--store", path("cases"), *words, "--best", "topology"],
                              capture_output=True, text=True, check=False)
        check(f"--best of a text, {words}", done.returncode == 2 and
               "topology is a text and has no smallest value: name a column of numbers" in flat(done.stderr), done)


def check_none():
    """No run satisfies the condition: its axes have other values."""
    for words, has in ((["--where", "topology=torus:8x8"], "; the store has topology (ring:8; ring:16)"),
                       (["--where", "topology=torus:8x8 and method=ade", "--group", "method"],
                        "; the store has topology (ring:8; ring:16), method (ade; ode)"),
                       (["--compare", "method=adf vs method=ade and steps<0"], "; the store has method (ade; ode)"),
                       (["--where", "steps<0"], "")):
        text = flat(table("cases", *words))
        check(f"none: {words}", text.endswith(f"result no run satisfies the condition{has}"), text)
    shutil.copy(path("cases"), path("empty"))
    change("empty", "DELETE FROM runs")
    text = flat(table("empty", "--where", "method=ade"))
    check("none: an empty store", text.endswith("result no run satisfies the condition"), text)
    text = flat(table("cases", "--where", "method=ade"))
    check("none: some", "no run satisfies" not in text, text)


def check_width():
    """At 80 columns the effect and its p stay; the rest is named."""
    text = command("results", "--store", path("cases"), "--compare", "method=ade vs method=ode", "--columns", "steps",
                   environment={"COLUMNS": "80"})
    heading = text.splitlines()[0].split()
    check("80 columns", heading[:2] == ["topology", "column"] and heading[-5:] == ["first", "second", "difference",
           "ratio", "p_holm"], heading)
    check("80 columns: the others", "superiority" not in heading and
           re.search(r"do not fit: .*samples, superiority, .*; --format csv shows them", flat(text)), text)
    for columns, intervals, named in ((62, 0, "the interval of difference, the interval of ratio, "),
                                      (79, 1, "the interval of difference, "), (120, 2, "")):
        text = command("results", "--store", path("cases"), "--compare", "method=ade vs method=ode", "--columns", "steps",
                       "--where", "processors=8", environment={"COLUMNS": str(columns)})
        lines = text.splitlines()
        check(f"{columns} columns: effects", lines[0].split()[-5:] == ["first", "second", "difference", "ratio", "p_holm"]
               or columns > 79, lines[0])
        check(f"{columns} columns: intervals", lines[1].count("[") == intervals and len(lines[1]) <= columns and
               len(lines[0].rstrip()) == len(lines[1].rstrip()), lines[:2])
        check(f"{columns} columns: what is left out", ("interval of difference" in flat(text)) == (intervals < 2) and
               named in flat(text), text)
    text = command("results", "--store", path("cases"), "--columns", "steps,topology,why,moved", "--limit", "2",
                   environment={"COLUMNS": "40"})
    check("columns are left out from the end", text.splitlines()[0].split() == ["steps", "topology", "why", "moved"] and
           "do not fit" not in text, text)
    text = command("results", "--store", path("cases"), environment={"COLUMNS": "52"})
    check("a list", text.splitlines()[0].split() == ["topology", "method", "seed", "ended", "steps"], text.splitlines()[0])


def check_layout():
    """Texts stand to the left and numbers to the right, also where one is missing. A table as wide as the terminal fits."""
    shutil.copy(path("cases"), path("layout"))
    change("layout", "UPDATE runs SET load = NULL WHERE seed = (SELECT max(seed) FROM runs)")
    names = ("topology", "seed", "load", "method", "processors")
    words = ("--columns", ",".join(names), "--sort", "seed")
    lines = ask("layout", *words)
    check("the layout: one is missing at the end", lines[0]["load"] is not None and lines[-1]["load"] is None, lines[-1])
    cells = [names] + [["-" if line[name] is None else str(line[name]) for name in names] for line in lines]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    left = [isinstance(lines[0][name], str) for name in names]
    wanted = ["".join("  " + (cell.ljust(width) if to_left else cell.rjust(width))
                      for cell, width, to_left in zip(row, widths, left)).rstrip() for row in cells]
    found = table("layout", *words).splitlines()[: len(cells)]
    check("the layout", found == wanted, found[:3] + wanted[:3])
    for columns, shown in ((len(wanted[0]), 5), (len(wanted[0]) - 1, 4)):
        text = command("results", "--store", path("layout"), *words, environment={"COLUMNS": str(columns)})
        check(f"the layout in {columns} columns", len(text.splitlines()[0].split()) == shown, text.splitlines()[0])


def check_figure():
    if not shutil.which("gnuplot"):
        return
    script = os.path.join(FOLDER, "cut.gp")
    table("some", "--x", "processors", "--y", "steps", "--quiet", "--plot", script[:-3] + ".svg", "--plot-script", script)
    with open(script, encoding="utf-8") as file:
        text = file.read()
    adf = [value for value, _ in censored(rows("some"), "adf", "steps")]
    label = "adf, runs cut: at least this"
    check("a figure marks cut runs", label in text and "ade, runs cut" not in text, text[-500:])
    colours = dict((label, colour) for colour, label in re.findall(r"rgb '(#\w+)' title '([^']*)'", text))
    check("a figure marks cut runs in the colour of their method", colours[label] == colours["adf: no value to draw"] !=
           colours["ade"], colours)
    blocks = re.findall(r"^\$series\d+ << END\n(.*?)^END$", text, re.M | re.S)
    check("a figure: where", any(near(float(row.split()[1]), sum(adf) / 10, 1e-6) for block in blocks
                                  for row in block.splitlines() if row.split()[:1] == ["32"] and row.split()[1] != "NaN"),
           blocks)
    table("failed", "--where", "method=ade", "--x", "processors", "--y", "steps", "--quiet", "--plot", script[:-3] + ".svg",
          "--plot-script", script)
    with open(script, encoding="utf-8") as file:
        text = flat(re.sub(r"' at .*|set label \d* *'|\n", " ", file.read()))
    check("a figure counts failed runs", "A limit cut 0 runs short; 3 failed" in text, text[:900])
    table("traces", "--trace-of", "variance", "--group", "method", "--quiet", "--plot", script[:-3] + ".svg",
          "--plot-script", script)
    with open(script, encoding="utf-8") as file:
        text = flat(re.sub(r"' at .*|set label \d* *'|\n", " ", file.read()))
    check("a figure says where its mean ends", "A mean ends where a run ended" in text and
           "A limit cut 10 runs short; 0 failed" in text, text[:900])


def check_curve():
    """The figure of `run`: its mean ends where processors work on."""
    if not shutil.which("gnuplot"):
        return
    script = os.path.join(FOLDER, "curve.gp")
    for words, wanted in (([], "a finished run counts with its last value"),
                          (["--work", "constant:0=3", "--stop", "variance:500", "--steps", "500"],
                           "the mean ends where the loads of a run that ended were still to change")):
        command("run", "--topology", "ring:8", "--method", "adf", "--runs", "4", "--quiet", *words, "--plot",
                script[:-3] + ".svg", "--plot-script", script)
        with open(script, encoding="utf-8") as file:
            text = flat(re.sub(r"' at .*|set label \d* *'|\n", " ", file.read()))
        check(f"a curve: {wanted}", wanted in text, text[:900])


sweep("done", "--method", "ade,adf", "--topology", "ring:16", "--seed", "1..12")
sweep("cases", "--method", "ade,ode", "--topology", "ring:8,ring:16", "--seed", "1..6")
for part in (check_all_cut, check_some_cut, check_median_interval, check_bounds, check_failed, check_broken, check_repetitions, check_pooled, check_superiority,
              check_rare_rows, check_traces, check_verdict, check_verdict_of_medians, check_verdict_of_several,
              check_place_in_group, check_names, check_order, check_best_of_text, check_none, check_width, check_layout, check_figure, check_curve):
    part()
end()
