#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Thousands of experiments, drawn over all axes, whose table, JSON and CSV must say the same, keep the laws, and agree
with another program that recomputes them.

usage: tests/property/runner.py [NUMBER]...

EVENKEEL is the command (build/evenkeel), SEED what is drawn, COUNT how much; with VIRTUAL=1 all are in virtual time,
with FAMILIES=1 on products and other families of graphs. A NUMBER draws that experiment alone, as the line of a failure
says. A failing experiment is shrunk, and printed as one line for a shell. The last line is 'N passed, N failed'.
"""
import concurrent.futures
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import checks
import draws
import reports
import theory_facts
import virtual_draws

EVENKEEL = os.environ.get("EVENKEEL", "build/evenkeel")
SEED = os.environ.get("SEED", "1")
COUNT = int(os.environ.get("COUNT", "400"))
VIRTUAL = os.environ.get("VIRTUAL", "0") == "1"
SHRINK = os.environ.get("SHRINK", "1") == "1"
SECONDS = 100
KEPT = ("topology", "method", "load", "carrier", "steps", "operations", "for")  # what shrinking leaves
AGAIN_EVERY = 4  # every so many-th experiment is run again from the command in its own report


class Outcome:
    def __init__(self):
        self.wrong = []
        self.refused = False
        self.recomputed = 0


# As root, and with more ranks than cores. Ranks open only the parts of MPI that one computer uses (tests/command/test_mpi.sh).
MPIRUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
          "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1",
          "OMPI_MCA_btl": "self,vader", "OMPI_MCA_pml": "ob1", "PMIX_MCA_gds": "hash", "PMIX_MCA_psec": "none"}


def call(*words, ranks=0):
    """Runs the command, on so many ranks of mpirun if there are any. Each mpirun has a folder of its own for its files,
    so that none removes another's."""
    if ranks:
        with tempfile.TemporaryDirectory(prefix="mpirun-") as own:
            return execute(["mpirun", "-n", str(ranks), EVENKEEL, *words], {**MPIRUN, "TMPDIR": own})
    return execute([EVENKEEL, *words], {})


def execute(words, environment):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS,
                          env={**os.environ, **environment, "LC_ALL": "C.UTF-8"}, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path) as file:
        return file.read()


def refusal(experiment, table, errors, out):
    """Bad input is one sentence on standard error, and nothing else; but a graph that is drawn anew for each run can be
    refused when others have run, and what those did is kept."""
    drawn = experiment.get("runs", "1") != "1" and experiment.get("topology").startswith("random")
    if not drawn and (table or os.path.exists(out)):
        yield "a refusal printed or wrote a report"
    if not errors.startswith("evenkeel: ") or "\n" not in errors:
        yield "a refusal says no sentence: %r" % errors


def statuses(record, status):
    """The exit status against what the runs say."""
    ends = [run["ended"] for run in record["runs"]]
    asked = ["steps", "operations", "time", "itself"]  # ends that a run without a criterion may have
    asked += ["frozen"] * (record["announce"] == "pushed")
    reached = all(run["converged"] or (record["stop"] == "never" and run["ended"] in asked) for run in record["runs"])
    wanted = 1 if "violation" in ends else 4 if "stuck" in ends else 0 if reached else 3
    if status != wanted:
        yield "the exit status is %d, and the runs say %d (%s)" % (status, wanted, ", ".join(ends))


def forms(record, table, out):
    """`show` prints what `run` printed, and the three forms carry the same values."""
    path = os.path.join(out, "run.json")
    if call("show", path)[1] != table:
        yield "show prints another table than run"
    if call("show", path, "--format", "json")[1] != read(path):
        yield "show prints other JSON than run"
    yield from reports.check_csv(record, call("show", path, "--format", "csv")[1])
    yield from reports.check_pages(record, read(os.path.join(out, "trace.csv")), read(os.path.join(out, "final.csv")))
    yield from reports.check_summary(record)
    yield from reports.check_pooled(record)
    yield from reports.check_table(record, table)


def run_again(record, folder, carrier):
    """The command in the report gives the same runs, on another carrier too."""
    other = os.path.join(folder, carrier)
    words = shlex.split(record["command"].replace(os.path.join(folder, "out"), other))[1:]
    words[words.index("--carrier") + 1] = carrier
    errors = call(*words, ranks=int(carrier[4:]) if carrier.startswith("mpi:") else 0)[2]
    text = read(os.path.join(other, "run.json"))
    if not text:
        yield "the command of the report does not run on %s: %s\n%s" % (carrier, record["command"], errors[:300])
        return
    again = json.loads(text)
    for one, two in zip(record["runs"], again["runs"]):
        for name in one:
            if name not in ("elapsed_s", "workers") and one[name] != two.get(name):
                yield "run again on %s, %s is %r and was %r" % (carrier, name, two.get(name), one[name])


def examine(experiment, again=False):
    """Runs an experiment and checks all that it says."""
    outcome = Outcome()
    folder = tempfile.mkdtemp(prefix="evenkeel-property-")
    out = os.path.join(folder, "out")
    try:
        status, table, errors = call("run", *experiment.words(folder), "--out", out)
        if status == 2:
            outcome.refused = True
            outcome.wrong += refusal(experiment, table, errors, out)
        elif status not in (0, 1, 3, 4):
            outcome.wrong.append("the exit status is %d: %s" % (status, errors))
        else:
            judge(experiment, json.loads(read(os.path.join(out, "run.json"))), status, table, folder, outcome, again)
    except subprocess.TimeoutExpired:
        outcome.wrong.append("no answer in %d s" % SECONDS)
    finally:
        shutil.rmtree(folder)
    return outcome


def judge(experiment, record, status, table, folder, outcome, again):
    outcome.wrong += statuses(record, status)
    outcome.wrong += forms(record, table, os.path.join(folder, "out"))
    outcome.wrong += checks.parameter(experiment, record)
    outcome.wrong += theory_facts.check(experiment, record)
    for run in record["runs"]:
        outcome.wrong += checks.laws(experiment, record, run)
        outcome.recomputed += gather(checks.recomputed(experiment, record, run), outcome.wrong)
    for carrier in carriers_again(record, again):
        outcome.wrong += run_again(record, folder, carrier)


@functools.lru_cache(maxsize=None)
def has_ranks():
    """Whether mpirun can start ranks here. A build with sanitizers reports what MPI loses."""
    mpi = json.loads(call("doctor", "--format", "json")[1]).get("mpi", {})
    return "/asan/" not in EVENKEEL and bool(mpi.get("built") and mpi.get("mpirun")) and call("list", ranks=2)[0] == 0


def refused_by_ranks(record, ranks):
    """Whether ranks refuse an experiment in turns or in virtual time."""
    in_turns = record["mailbox"] != "slot" or "barrier" in record["given"]
    return ranks > record["topology"]["processors"] or (record["timing"] != "virtual" and in_turns)


def carriers_again(record, again):
    """The carriers on which an experiment is run once more. Few experiments are in turns, so all of these are."""
    in_turns = record["timing"].startswith("turns")
    again = again or in_turns
    ranks = 1 + record["runs"][0]["seed"] % 4
    over_ranks = ["mpi:%d" % ranks] * (again and not refused_by_ranks(record, ranks) and has_ranks())
    if record["timing"] == "virtual":
        return ["pool:2", "pool:7"] + over_ranks
    if not again or record["timing"] == "free" or any(run["ended"] == "time" for run in record["runs"]):
        return []
    return ["pool:1"] + over_ranks if in_turns else ["pool:3"]


def gather(wrong, into):
    """What a generator yields; its value is what it returns."""
    while True:
        try:
            into.append(next(wrong))
        except StopIteration as end:
            return bool(end.value)


def shrink(experiment):
    """Leaves out options as long as it fails."""
    for option in list(experiment.options):
        if option not in KEPT:
            smaller = experiment.without(option)
            outcome = examine(smaller)
            if outcome.wrong and not outcome.refused:
                experiment = smaller
    return experiment


def report(experiment, outcome):
    smallest = shrink(experiment) if SHRINK else experiment
    wrong = examine(smallest).wrong or outcome.wrong
    print("%s:\n  %s" % (experiment.label, smallest.shell()))
    for sentence in wrong[:4]:
        print("    " + sentence)
    sys.stdout.flush()


def main():
    numbers = [int(word) for word in sys.argv[1:]] or range(COUNT)
    available = re.findall(r"^  --([a-z-]+)", call("run", "--help")[1], re.MULTILINE)
    draw = virtual_draws.draw if VIRTUAL else draws.draw
    experiments = [draw(SEED, number, available) for number in numbers]
    failed = refused = recomputed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        outcomes = pool.map(examine, experiments, (k % AGAIN_EVERY == 0 for k in numbers))
        for experiment, outcome in zip(experiments, outcomes):
            refused += outcome.refused
            recomputed += outcome.recomputed > 0
            if outcome.wrong:
                failed += 1
                report(experiment, outcome)
    print("SEED=%s: %d experiments, %d of them recomputed, %d refused" % (SEED, len(numbers), recomputed, refused))
    print("%d passed, %d failed" % (len(numbers) - failed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
