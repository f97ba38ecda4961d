#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether two builds compute the same, to the last bit: runs every known answer with both and compares what they say.

usage: tests/house/compare_builds.py OLD NEW [--cases FOLDER] [--carrier NAME] [--only TEXT] [--jobs N] [--runs]

OLD and NEW are evenkeel commands. The cases are those of tests/data/*.json (FOLDER/*.json); the fields are final,
operations, steps, moved and the exit status, as the text of the JSON report has them. With --runs also the cases over
many seeds, which take minutes. The last line is 'N alike, N differ'; the exit status is 1 where any differ.
For a change that must not change results; `make test` does not call it, for it needs an older build.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile

FIELDS = ["operations", "steps", "moved", "final"]


def words_of(case, folder):
    """The case's command line, with the files that it brings written into the folder."""
    for name, text in case.get("files", {}).items():
        with open(os.path.join(folder, name), "w") as out:
            out.write(text)
    for word in case["args"]:
        for mark in ("file:@", "@"):
            if word.startswith(mark):
                word = "file:" + os.path.join(folder, word[len(mark):])
                break
        yield word


def answer(command, words):
    """What a build says: the exit status, and of each run the text of each field. Numbers are not converted."""
    done = subprocess.run([command, *words, "--format", "json", "--final"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    report = json.loads(done.stdout, parse_float=str, parse_int=str) if done.stdout else {"runs": []}
    return done.returncode, [[run.get(field) for field in FIELDS] for run in report["runs"]]


def compare(case, options):
    """None, or what differs."""
    with tempfile.TemporaryDirectory() as folder:
        words = list(words_of(case, folder))
        if options.carrier:
            words += ["--carrier", options.carrier]
        old, new = answer(options.old, words), answer(options.new, words)
    if old == new:
        return None
    if old[0] != new[0]:
        return "status %d, %d" % (old[0], new[0])
    for before, after in zip(old[1], new[1]):
        for field, a, b in zip(FIELDS, before, after):
            if a != b:
                return "%s: %.60s, %.60s" % (field, a, b)
    return "%d runs, %d" % (len(old[1]), len(new[1]))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--cases", default=os.path.join(os.path.dirname(here), "data"))
    parser.add_argument("--carrier")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--runs", action="store_true")
    options = parser.parse_args()
    cases = []
    for path in sorted(glob.glob(os.path.join(options.cases, "*.json"))):
        with open(path) as text:
            cases += json.load(text)
    cases = [case for case in cases if options.only in case["id"] or options.only in " ".join(case["args"])]
    cases = [case for case in cases if options.runs or "--runs" not in case["args"]]
    differ = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, what in zip(cases, pool.map(lambda case: compare(case, options), cases)):
            if what:
                differ += 1
                print("%s: %s\n    %s" % (case["id"], what, " ".join(case["args"])))
    print("%d alike, %d differ" % (len(cases) - differ, differ))
    return 1 if differ or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
