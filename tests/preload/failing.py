#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails what the command asks the system for, one at a time: it must end with status 2 and a sentence, or with all that
it says otherwise. Never by a signal, never without end, never with half a result, nor with files that look whole.

usage: tests/preload/failing.py allocation LIBRARY [EVERY [COMMAND]]: every EVERY-th allocation; of one command alone
       tests/preload/failing.py calls [EVERY [COMMAND]]: its system calls, by strace: threads, mappings, writes, ...

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

EVENKEEL = os.path.abspath(os.environ.get("EVENKEEL", "build/evenkeel"))
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
CALLING = (RUN + "--method ade --runs 40 --format json --trace --final",
           RUN + "--method ade --runs 3 --trace --out o --plot p.svg",
           "run --topology torus:4x4 --method adf --format csv",
           "run --topology ring:6 --method adf --timing free --faults link:5 --invoke below:400 --operations 9 --stop never",
           "run --topology complete:300 --method fos --carrier pool:2 --steps 2 --stop never --format json",
           "theory --topology torus:3x5 --method odf --format json", "list", "doctor")
CALLS = {"clone3": "EAGAIN", "mmap": "ENOMEM", "mprotect": "ENOMEM", "pipe2": "EMFILE",
         "mkdir": "ENOSPC", "write": "ENOSPC", "fsync": "EIO", "rename": "EACCES"}
ALWAYS = ("topology", "method", "machine", "stop", "variance", "loads", "traffic", "ledger", "turns")
TIMES = re.compile(r"[-+]?[0-9][0-9.,]*(e[-+]?[0-9]+)?")


class Allocations:
    """They fail by a library that is preloaded (short_memory.c)."""
    what = "allocation"

    def __init__(self, library):
        self.library = library

    def words(self, at, log):
        return [EVENKEEL], {"LD_PRELOAD": self.library, "SHORT_MEMORY_AT": str(at), "SHORT_MEMORY_COUNT": log}

    def numbers(self, log):
        with open(log) as file:
            return range(1, int(file.read()) + 1)


class Calls:
    """System calls of one name, of the main thread, fail by strace. The loader's come before the first fcntl, by which
    the command looks whether its standard streams are open, and are not ours."""

    def __init__(self, name):
        self.what = name

    def words(self, at, log):
        fails = ["-e", "inject=%s:error=%s:when=%d" % (self.what, CALLS[self.what], at)] if at else []
        return ["strace", "-o", log, "-e", "trace=fcntl," + self.what] + fails + [EVENKEEL], {}

    def numbers(self, log):
        with open(log) as file:
            made = [line.split("(")[0] for line in file]
        return range(1 + made[:made.index("fcntl")].count(self.what), 1 + made.count(self.what))


def call(command, way, at=0):
    """Status, output, errors, the files that it left, and the numbers of what can fail; None for one that does not end."""
    with tempfile.TemporaryDirectory() as folder:
        log, files = os.path.join(folder, "log"), os.path.join(folder, "files")
        os.mkdir(files)
        words, env = way.words(at, log)
        try:
            done = subprocess.run(words + command.split(), capture_output=True, timeout=SECONDS, cwd=files,
                                  env=dict(os.environ, COLUMNS="100", **env))
        except subprocess.TimeoutExpired:
            return None
        return done.returncode, done.stdout.decode(), done.stderr.decode(), dict(left(files)), way.numbers(log)


def left(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name)) as file:
                yield name, file.read()


def is_whole(name, text):
    """Perhaps of fewer runs, of those before the one that failed; that is said then."""
    if name.endswith(".json"):
        try:
            return bool(json.loads(text))
        except ValueError:
            return False
    if name.endswith(".csv"):
        return text.endswith("\n") and len({line.count(",") for line in text.splitlines()}) == 1
    return name.endswith(".svg") and text.endswith("</svg>\n\n")


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


def wrong(command, wanted, way, at):
    """What is wrong when this one fails, or None."""
    done = call(command, way, at)
    if done is None:
        return "it does not end"
    status, text, errors, files, _ = done
    cut = [name for name, written in files.items() if not is_whole(name, written)]
    if cut:
        return "status %d with files that are not whole: %s" % (status, cut)
    if status == 2:
        return None if re.match("evenkeel: .*\n", errors) else "it says no sentence: %r" % errors
    if status != wanted[0]:
        return "status %d instead of %d: %s" % (status, wanted[0], errors.strip()[:200])
    try:
        found = shape(command, text)
    except (ValueError, KeyError) as error:
        return "status %d with half a result: %s" % (status, error)
    if files.keys() == wanted[2] and (found == wanted[1] or
                               ("no memory" in text and without_theory(found) == without_theory(wanted[1]))):
        return None
    return "status %d with another result" % status


def look(command, way, every):
    status, text, _, files, numbers = call(command, way)
    wanted = status, shape(command, text), files.keys()
    numbers = numbers[::every]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda at: wrong(command, wanted, way, at), numbers))
    bad = [(at, sentence) for at, sentence in zip(numbers, found) if sentence]
    for at, sentence in bad[:12]:
        print("%s %d of evenkeel %s: %s" % (way.what, at, command, sentence))
    return len(found) - len(bad), len(bad)


def main():
    if sys.argv[1] == "allocation":
        ways, commands, rest = [Allocations(sys.argv[2])], COMMANDS, sys.argv[3:]
    else:
        ways, commands, rest = [Calls(name) for name in CALLS], CALLING, sys.argv[2:]
    every = int(rest[0]) if rest else 1
    counts = [look(command, way, every) for way in ways for command in rest[1:] or commands]
    good, bad = (sum(part) for part in zip(*counts))
    print("%d passed, %d failed" % (good, bad))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
