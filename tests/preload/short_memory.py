#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails each allocation of the command in turn: it must end with status 2 and a sentence, or with all that it says
otherwise. Never by a signal, never without end, never with half a result.

usage: tests/preload/short_memory.py LIBRARY [EVERY [COMMAND]]: every EVERY-th allocation; of one command alone

The last line is 'N passed, N failed'.
"""
import concurrent.futures
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

EVENKEEL = os.environ.get("EVENKEEL", "build/evenkeel")
SECONDS = 60
RUN = "run --topology torus:4x4 --carrier pool:1 "
COMMANDS = (RUN + "--method adf --steps 3 --stop never --format json --trace --final",
            RUN + "--method dde --units tokens --load peak:100 --format csv",
            RUN + "--method ade --work normal:9:3:9 --steps 3 --runs 2",
            "run --topology random:20:3 --carrier pool:2 --method sender:0.1 --delay uniform:0:3 --steps 4 --stop never",
            RUN + "--method ade --timing free --invoke at:1,2 --operations 2 --stop never --format json --links",
            RUN + "--method adf --timing free --faults link:5 --invoke below:400 --operations 9 --stop never",
            "rank --topology ring:6 -m ade,liquid:c5,odf,local-average --carrier pool:1 --runs 2 --steps 9 --stop never --format json",
            "theory --topology torus:3x5 --method odf --format json",
            "theory --topology star:7 --method opt --format csv",
            "list", "list methods --format json", "list --topology ring:5 --links", "explain gde", "doctor", "help run")
ALWAYS = ("topology", "method", "machine", "stop", "variance", "loads", "traffic", "ledger", "turns")
TIMES = re.compile(r"[-+]?[0-9][0-9.,]*(e[-+]?[0-9]+)?")


def call(command, library, at=None, count=None):
    """Status, output and errors; None for one that does not end."""
    env = dict(os.environ, LD_PRELOAD=library, COLUMNS="100")
    env.update({"SHORT_MEMORY_AT": str(at)} if at else {}, **({"SHORT_MEMORY_COUNT": count} if count else {}))
    try:
        done = subprocess.run([EVENKEEL] + command.split(), capture_output=True, env=env, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def keys(value, path=""):
    """What a JSON value has, without its numbers."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from keys(part, path + "." + key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield from keys(value[0], path + "[]")
    yield path


def shape(command, text):
    """What must not change: in free timing numbers do, and times in any."""
    if "--format json" in command:
        value = json.loads(text)
        if "free" not in command:
            for run in value.get("runs", []):
                run.pop("elapsed_s")
            for method in value.get("methods", []):
                method.get("summary", {}).pop("elapsed_s", None)
            value.pop("summary", None)
            return value
        return sorted(set(keys(value)))
    if "--format csv" in command and "free" not in command:
        head, *rows = csv.reader(text.splitlines())
        return [[cell for name, cell in zip(head, row) if name != "elapsed_s"] for row in rows]
    if command.startswith("run"):  # the labels of its lines, for times and what takes time change the rest
        labels = [line.split()[0] for line in text.splitlines() if line[:2] == "  " and line[2:3].isalpha()]
        return labels if "free" not in command else [label for label in labels if label in ALWAYS]
    return TIMES.sub("#", text)


def without_theory(found):
    """The theory says itself what it had no memory for, where it would stand. Of a run, all else must be there."""
    return {key: part for key, part in found.items() if key not in ("theory", "methods")} if isinstance(found, dict) else None


def wrong(command, wanted, library, at):
    """What is wrong when this allocation fails, or None."""
    done = call(command, library, at)
    if done is None:
        return "it does not end"
    status, text, errors = done
    if status == 2:
        return None if errors.startswith("evenkeel: ") and errors.endswith("\n") else "it says no sentence: %r" % errors
    if status != wanted[0]:
        return "status %d instead of %d: %s" % (status, wanted[0], errors.strip()[:200])
    try:
        found = shape(command, text)
    except (ValueError, KeyError) as error:
        return "status %d with half a result: %s" % (status, error)
    if found == wanted[1] or ("no memory" in text and without_theory(found) == without_theory(wanted[1])):
        return None
    return "status %d with another result" % status


def look(command, library, every):
    with tempfile.NamedTemporaryFile() as count:
        status, text, _ = call(command, library, count=count.name)
        allocations = int(open(count.name).read())
    wanted = status, shape(command, text)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda at: wrong(command, wanted, library, at), range(1, allocations + 1, every)))
    bad = [(1 + i * every, sentence) for i, sentence in enumerate(found) if sentence]
    for at, sentence in bad[:12]:
        print("allocation %d of %d of evenkeel %s: %s" % (at, allocations, command, sentence))
    return len(found) - len(bad), len(bad)


def main():
    library, every = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    counts = [look(command, library, every) for command in (sys.argv[3:] or COMMANDS)]
    good, bad = (sum(part) for part in zip(*counts))
    print("%d passed, %d failed" % (good, bad))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
