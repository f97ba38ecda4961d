# SPDX-License-Identifier: MIT
"""Virtual time with this computer's costs beside real threads: the same experiments and seeds, in turn. Needs the costs
(evenkeel contention --keep). Prints a table of ratios, and writes it into a page if it is told to."""
import argparse
import json
import os
import statistics
import subprocess
import sys

import page

EVENKEEL = os.environ.get("EVENKEEL", "build/evenkeel")
SIZES = {4: "hypercube:2", 16: "hypercube:4", 64: "hypercube:6"}
METHODS = ("adf", "ade")
KINDS = ("alone", "overlapped", "adjacent", "one_shared", "two_shared", "many")
TIMINGS = {"threads": ["--timing", "free", "--carrier", "threads"],
           "virtual": ["--timing", "virtual", "--host", "measured", "--overlaps"]}
CRITERION = "error:0.01"
OPERATIONS = "200000"  # at most
# Few processors invoke at a time, so that operations overlap in all ways.
SPARSE = ["--topology", "torus:5x5", "--invoke", "probability:0.003", "--stop", "never", "--operations", "500"]
PAIRS = ("adjacent", "one_shared", "two_shared")  # the kinds of two operations that overlap


def run(timing, method, seed, experiment):
    words = [EVENKEEL, "run", *TIMINGS[timing], *experiment, "--method", method, "--load", "uniform:0:1000", "--seed",
             str(seed), "--no-flows", "--format", "json", "--quiet"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):  # 3: the criterion was not reached
        sys.exit(done.stderr.strip())
    return json.loads(done.stdout)["runs"][0]


def values_of(outcome):
    """What is compared, by name; None if the run has no such value."""
    reached = outcome["converged"]
    seconds = outcome["free"]["reached_s"] if reached else None
    effects = outcome.get("effects") or {}
    kinds = {kind: (effects.get(kind) or {}).get("count") for kind in KINDS}
    return {"messages": outcome["messages"], "operations": outcome["operations"],
            "messages an operation": outcome["messages"] / max(1, outcome["operations"]),
            "overlaps an engagement": outcome["free"]["overlaps"] / max(1, outcome["free"]["engagements"]),
            "time until the criterion, s": seconds, **kinds}


def shares_of(outcome):
    """The share of operations that overlap in each way; the rest overlap with several others."""
    effects = outcome["effects"]
    known = effects["alone"]["count"] + effects["overlapped"]["count"]
    pairs = {kind: 2 * effects[kind]["count"] / known for kind in PAIRS}
    alone = effects["alone"]["count"] / known
    return {"alone": alone, **pairs, "with several": 1 - alone - sum(pairs.values())}


def shown(values):
    there = [value for value in values if value is not None]
    return f"{statistics.median(there):.3g}" if there else ""


def ratio(virtual, threads):
    """Median and range of the ratios of runs with the same seed that both have a value."""
    ratios = [v / t for v, t in zip(virtual, threads) if v and t]
    return (f"{statistics.median(ratios):.3g}", f"{min(ratios):.3g} .. {max(ratios):.3g}") if ratios else ("", "")


def runs_of(method, seeds, experiment):
    """All runs by timing, taken in turn."""
    runs = {timing: [] for timing in TIMINGS}
    for seed in range(1, seeds + 1):
        for timing, outcomes in runs.items():
            outcomes.append(run(timing, method, seed, experiment))
    return runs


def rows_of(processors, method, seeds):
    runs = runs_of(method, seeds, ["--topology", SIZES[processors], "--stop", CRITERION, "--operations", OPERATIONS])
    head = (method, str(processors))
    rows = [(*head, "runs that reached the criterion",
             *(str(sum(outcome["converged"] for outcome in runs[timing])) for timing in TIMINGS), "", "")]
    return rows + compared(head, runs, values_of)


def compared(head, runs, read):
    """A row for each value that is read from an outcome and that some run has."""
    rows = []
    values = {timing: [read(outcome) for outcome in outcomes] for timing, outcomes in runs.items()}
    for name in values["threads"][0]:
        threads, virtual = ([value[name] for value in values[timing]] for timing in ("threads", "virtual"))
        if any(threads) or any(virtual):
            rows.append((*head, name.replace("_", " "), shown(threads), shown(virtual), *ratio(virtual, threads)))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="4,16,64", help=f"processors, of {','.join(map(str, SIZES))} [all]")
    parser.add_argument("--seeds", type=int, default=9, help="runs of each experiment in each timing [9]")
    parser.add_argument("--into", default="", help="a page whose table this replaces: bench/RESULTS.md")
    options = parser.parse_args()
    lines = [f"{page.machine('make bench-validate')} Medians of {options.seeds} seeds; the ratio is of runs with the "
             f"same seed. Criterion: {CRITERION}; at most {OPERATIONS} operations.", "",
             "| method | N | what | threads | virtual time | virtual/threads | smallest .. largest |", "|---|---|---|---|---|---|---|"]
    for method in METHODS:
        for processors in map(int, options.sizes.split(",")):
            lines += ["| " + " | ".join(row) + " |" for row in rows_of(processors, method, options.seeds)]
    lines += ["", f"The share of operations by how they overlap, with `{' '.join(SPARSE)}`.", "",
              "| method | N | operations | threads | virtual time | virtual/threads | smallest .. largest |",
              "|---|---|---|---|---|---|---|"]
    for method in METHODS:
        rows = compared((method, "25"), runs_of(method, options.seeds, SPARSE), shares_of)
        lines += ["| " + " | ".join(row) + " |" for row in rows]
    print("\n".join(lines))
    if options.into:
        page.put(options.into, "bench-validate", "\n".join(lines))


if __name__ == "__main__":
    main()
