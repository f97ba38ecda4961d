#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether the property test can fail: each field of a true report is changed, and the checks must object.

usage: tests/property/false_reports.py

The reports are of rounds, turns and virtual time.

The last line is 'N passed, N failed': a field counts as passed where its change was noticed in every report that has it.
"""
import copy
import json
import os
import sys
import tempfile

import checks
import draws
import runner
import reports
import virtual_draws

REPORTS = 30
WORDY = ("dde", "splitting", "liquid:c2r", "liquid:c4r")  # their words are not recomputed
UNTOLD = {"elapsed_s", "workers", "reduction_steps", "seed", "hopeless", "factor"}  # no check can know
# Of the computer, of the log of operations, and of surveys, which the engine makes when they are worth it.
UNTOLD_FREE = {"switches_voluntary", "switches_forced", "migrations", "sleeps", "logged", "log_lost", "spheres_sampled",
               "audits", "audit_interval", "reached_s", "reached_window_s", "reached_operations", "fault_lag",
               "longest_wait", "mailbox_capacity"}


def true_report(draw, number, folder):
    """An experiment's record and table, if it is recomputed and all is well."""
    experiment = draw("lies", number)
    out = os.path.join(folder, draw.__module__ + str(number))
    os.mkdir(out)
    status, table, _ = runner.call("run", *experiment.words(out), "--out", os.path.join(out, "out"))
    if status not in (0, 3):
        return None
    record = json.loads(runner.read(os.path.join(out, "out", "run.json")))
    run, wrong = record["runs"][0], []
    known = runner.gather(checks.recomputed(experiment, record, run), wrong)
    sound = known and not wrong and len(record["runs"]) == 1 and checks.scale_of(run) < 1e6  # a lie is not lost in it
    return (experiment, record, table) if sound else None


def objected(experiment, record):
    """Whether a check objects. The first objection is enough."""
    run = record["runs"][0]
    return any(True for check in (checks.laws, checks.recomputed) for _ in check(experiment, record, run))


def changed(value):
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else (value or 0.0) * 1.01 + 1.0


def lie_of(whole, *path, change=changed):
    """The record, or a part of it, with a change at the end of the path. It shares the parts that are the same."""
    if not path:
        return change(whole)
    lie = copy.copy(whole)
    lie[path[0]] = lie_of(whole[path[0]], *path[1:], change=change)
    return lie


def has_end(run):
    """Whether the last row of the trace is the end of the run, in rounds."""
    return bool(run.get("trace")) and run["trace"][-1]["step"] == run["steps"]


def unknown(experiment, record):
    """Fields that are not recomputed of such an experiment."""
    run = record["runs"][0]
    return UNTOLD | (set() if "free" in run or has_end(run) else {"virtual_s"}) | ({"stayed", "local_fraction"} if experiment.get("work") else set()) | \
        ({"messages"} if experiment.get("invoke") or experiment.get("method").startswith(WORDY) else set())


def lies(experiment, record):
    """(what was changed, the record with that change), of each field of the run and of the last row of its trace."""
    run = record["runs"][0]
    for name, value in run.items():
        if isinstance(value, (bool, int, float)) and name not in unknown(experiment, record):
            yield name, lie_of(record, "runs", 0, name)
    for name, value in run["free"].items() if "windows" in run else ():
        if isinstance(value, (bool, int, float)) and name not in UNTOLD_FREE:
            yield "free." + name, lie_of(record, "runs", 0, "free", name)
    for part, effect in run.get("effects", {}).items():
        for name in effect if part != "unknown" and effect["count"] else ():
            if name != "left_error":
                yield "effects.%s.%s" % (part, name), lie_of(record, "runs", 0, "effects", part, name)
    for name, value in run["trace"][-1].items() if record["every"] == 1 and run.get("trace") else ():
        untold = ("local_fraction", "invokers") if "windows" in run else \
            () if has_end(run) else ("time",)
        if value is not None and name not in untold:
            yield "trace." + name, lie_of(record, "runs", 0, "trace", -1, name)
    yield "final", lie_of(record, "runs", 0, "final", -1, change=lambda load: load + 1.0)


def table_lies(record):
    """A record that the table does not show: each number of the table's lines."""
    run = record["runs"][0]
    for _, _, fields, when in reports.LINES:
        for name in fields:
            if when is None or when(run):
                yield "table." + name, lie_of(record, "runs", 0, name)


def main():
    missed, told = {}, set()
    with tempfile.TemporaryDirectory() as folder:
        found = [report for draw in (draws.draw, virtual_draws.draw) for number in range(REPORTS)
                 for report in [true_report(draw, number, folder)] if report]
    for experiment, record, table in found:
        for name, lie in lies(experiment, record):
            told.add(name)
            if not objected(experiment, lie):
                missed.setdefault(name, experiment.shell())
        for name, lie in table_lies(record):
            told.add(name)
            if not list(reports.check_table(lie, table)):
                missed.setdefault(name, experiment.shell())
    for name, line in missed.items():
        print("a change of %s was not noticed, of\n  %s" % (name, line))
    print("%d passed, %d failed" % (len(told - set(missed)), len(missed)))
    return bool(missed) or not told


if __name__ == "__main__":
    sys.exit(main())
