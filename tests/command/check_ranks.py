#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random experiments of tests/property/ in rounds and turns, and searches in rounds, turns and virtual time, carried by
a pool and by 1 to 4 ranks of mpirun: the reports must be the same but for what names the carrier. In free timing the
results of the searches must be. The last line is 'N passed, N failed'.

EVENKEEL is the command, SEED what is drawn, COUNT how many."""
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "property"))
import draws

EVENKEEL = os.environ.get("EVENKEEL", "build/evenkeel")
SEED = os.environ.get("SEED", "1")
COUNT = int(os.environ.get("COUNT", "6"))
HELP = subprocess.run([EVENKEEL, "run", "--help"], stdout=subprocess.PIPE, check=True).stdout.decode()
AXES = re.findall(r"^  --([a-z-]+)", HELP, re.MULTILINE)
ITS_OWN = ("elapsed_s", "carrier", "barrier", "command", "host", "workers", "given", "unpinned",
           "blocks", "cut", "cut_in_order")
SEARCHES = ("--method adf --tasks uts:geo:fixed:7:3:1 --grain 3", "--method adf --tasks tsp:9:4 --invoke below:2",
            "--method adf --tasks queens:7 --give newest", "--method steal:random --tasks queens:7 --profile 20",
            "--method place:random --tasks tsp:7:4 --hops 3")
TIMINGS = ("rounds", "turns", "turns:random")
WITHOUT_ROUNDS = ("", "--detect safra", "--detect mattern --faults none --delay exponential:2us",
                  "--faults link:2000,processor:400,repair:50us", "--detect safra")


def without_its_own(value):
    """A report without what differs by carrier."""
    if isinstance(value, dict):
        return {key: without_its_own(inner) for key, inner in value.items() if key not in ITS_OWN}
    return [without_its_own(inner) for inner in value] if isinstance(value, list) else value


def report(before, words):
    done = subprocess.run([*before, EVENKEEL, "run", *words, "--format", "json", "--final", "--trace"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=200)
    try:
        return done.returncode, without_its_own(json.loads(done.stdout)), done.stderr.decode()
    except ValueError:
        return done.returncode, None, done.stderr.decode()


@functools.lru_cache(maxsize=None)
def on_a_pool(words):
    return report([], [*words, "--carrier", "pool:2"])


def drawn():
    """Experiments that ranks carry."""
    for number in range(20 * COUNT):
        experiment = draws.draw(SEED, number, AXES)
        if experiment.get("timing", "rounds") not in TIMINGS or experiment.get("overlaps"):
            continue
        for option in ("carrier", "mailbox", "barrier", "unpinned", "for", "trace", "final", "format"):
            experiment.options.pop(option, None)
        yield experiment


def agree(words, ranks):
    """None, or how a pool and so many ranks differ; '' where the experiment is refused anyway."""
    status, one, _ = on_a_pool(tuple(words))
    if one is None or one["topology"]["processors"] < ranks:
        return ""
    other_status, other, errors = report(["mpirun", "-n", str(ranks)], words + ["--carrier", "mpi"])
    if other is None or status != other_status:
        return "status %d and %d: %s" % (status, other_status, errors[:400])
    names = [name for name in one if one[name] != other.get(name)]
    return "they differ in " + ", ".join(names) if names else None


def same_result(words, ranks):
    """None, or how free timing on a pool and on so many ranks differ in what depends on no schedule."""
    status, one, _ = on_a_pool(tuple(words))
    other_status, other, errors = report(["mpirun", "-n", str(ranks)], words + ["--carrier", "mpi"])
    if status or other_status:
        return "status %d and %d: %s" % (status, other_status, errors[:400])
    names = ["result"] + ["executed"] * ("tsp" not in " ".join(words))
    found = [[run["runs"][0][name] for name in names] for run in (one, other)]
    return None if found[0] == found[1] else "%s and %s" % tuple(found)


def searches():
    """Searches in each timing: words, ranks, and the function that compares them."""
    for number, search in enumerate(SEARCHES):
        words = ("--topology torus:4x4 " + search).split()
        clocked = words + WITHOUT_ROUNDS[number].split()
        for ranks in (1 + number % 3, 4):
            yield words, ranks, agree
            always = search.replace("--invoke below:2", "")
            in_turns = ("--topology torus:4x4 --timing %s %s" % (TIMINGS[1 + number % 2], always)).split()
            yield in_turns, ranks, agree
            yield clocked + ["--timing", "virtual"], ranks, agree
            yield clocked + ["--timing", "free"], ranks, same_result


def main():
    passed = failed = 0
    # Two at a time, because mpirun waits for most of the time.
    with ThreadPoolExecutor(2) as threads:
        found = [(words, ranks, threads.submit(compare, words, ranks)) for words, ranks, compare in searches()]
    for words, ranks, comparison in found:
        difference = comparison.result()
        passed += difference is None
        failed += difference is not None
        if difference is not None:
            print("%s on %d ranks: %s" % (" ".join(words), ranks, difference))
    before = passed + failed
    for experiment in drawn():
        ranks = 1 + (passed + failed) % 4
        with tempfile.TemporaryDirectory() as folder:
            difference = agree(experiment.words(folder), ranks)
        if difference == "":
            continue
        passed += difference is None
        failed += difference is not None
        if difference:
            print("%s on %d ranks: %s\n  %s" % (experiment.label, ranks, difference, experiment.shell()))
        if passed + failed == before + COUNT:
            break
    failed += passed + failed < before + COUNT  # too many were refused
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


sys.exit(main())
