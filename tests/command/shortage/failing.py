#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails what the command asks the system for, one at a time: it must end with status 2 and a sentence, or with all that
it says otherwise. Never by a signal, never without end, never with half a result, nor with files that look whole: a store
can be opened and has no run twice or half, and the same command goes on with it; a recording is whole or says that it is
cut.

usage: tests/command/shortage/failing.py allocation LIBRARY [EVERY [COMMAND]]: every EVERY-th allocation; of one command alone
       tests/command/shortage/failing.py calls [EVERY [COMMAND]]: its system calls, by strace: threads, mappings, writes, ...

The last line is 'N passed, N failed'.
"""
import concurrent.futures
import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import left_behind

EVENKEEL = left_behind.EVENKEEL
SECONDS = 60
TRIED = 60  # of a long command, divided by EVERY
RUN = "run --topology torus:4x4 --carrier pool:1 "
COMMANDS = (RUN + "--method adf --steps 3 --stop never --format json --trace --final",
            RUN + "--method dde --units tokens --load peak:100 --format csv",
            RUN + "--method ade --work normal:9:3:9 --steps 3 --runs 2",
            "run --topology random:20:3 --carrier pool:2 --method sender:0.1 --delay uniform:0:3 --steps 4 --stop never",
            RUN + "--method ade --timing free --invoke at:1,2 --operations 2 --stop never --format json --links",
            RUN + "--method adf --timing free --faults link:5 --mailbox mutex --invoke below:400 --operations 9 --stop never",
            "rank --topology ring:6 -m ade,liquid:c5,odf,local-average --carrier pool:1 --runs 2 --steps 9 --stop never --format json",
            "theory --topology torus:3x5 --method odf --format json",
            "theory --topology star:7 --method opt --format csv",
            "theory --topology random:20:3 --format json", "theory --topology random:700:3 --method adf --format json",
            "list", "list methods --format json", "list --topology ring:5 --links", "explain gde", "doctor", "help run")
# These have thousands of allocations each, most of them SQLite's: of many no more are tried than of few.
LONG = ("sweep --store new.sqlite --topology ring:4,star:4 --method ade,twa --runs 2 --jobs 1 --format json --quiet",
        "sweep --store old.sqlite --topology ring:4,chain:4 --method ade --runs 3 --jobs 1",
        "sweep --store new.sqlite --topology ring:4,ring:6 --jobs 1 --trace-of variance --plot p.svg --quiet",
        "sweep --store new.sqlite --topology ring:4,ring:6 --jobs 1 --dry-run --format json",
        "results --store old.sqlite", "results --store old.sqlite --format csv",
        "results --store old.sqlite --format json --group topology,method --columns steps",
        "results --store old.sqlite --compare 'method=ade vs method=adf' --columns steps --format json",
        "results --store old.sqlite --group method --columns steps --best steps --sort method",
        "results --store old.sqlite --trace-of variance --format csv",
        "results --store old.sqlite --x processors --y steps --plot p.svg --quiet",
        "results merge old.sqlite more.sqlite", "report old.json old.sqlite --out page.html", "show old.json --format csv",
        "run --topology ring:4 --timing free --method adf --record new.ek --format json --final --trace",
        "replay old.ek --format json --final", "replay old.ek --every 5 --format csv", "replay old.ek --from 1 --to 9",
        "replay old.ek --quiet --timeline t.json", "run --topology ring:6 --method ade --plot p.svg",
        "contention --topology ring:4 --for 1ms --runs 2 --vary ports --format json --plot p.svg")
# What those find where they begin, if they name it.
FOUND = ("sweep --store old.sqlite --topology ring:4,ring:6 --method ade,adf --runs 3 --trace --final --quiet",
         "sweep --store more.sqlite --topology ring:4 --method ode --runs 3 --quiet",
         "run --topology ring:4 --timing free --method adf --record old.ek --quiet",
         "run --topology ring:4 --format json --trace")
CALLING = (RUN + "--method ade --runs 40 --format json --trace --final",
           RUN + "--method ade --runs 3 --trace --out o --plot p.svg",
           "run --topology torus:4x4 --method adf --format csv",
           "run --topology ring:6 --method adf --timing free --faults link:5 --invoke below:400 --operations 9 --stop never",
           "run --topology complete:300 --method fos --carrier pool:2 --steps 2 --stop never --format json",
           "theory --topology torus:3x5 --method odf --format json", "list", "doctor")
# And these, with those of their workers and threads.
CALLING_LONG = LONG[:2] + ("results --store old.sqlite --trace-of variance --plot p.svg --format csv",
                           "results merge old.sqlite more.sqlite", "report old.json old.sqlite --out page.html",
                           "run --topology ring:4 --timing free --method adf --record new.ek --format json --final --trace",
                           "replay old.ek --format json --timeline t.json")
CALLS = {"clone": "EAGAIN", "clone3": "EAGAIN", "mmap": "ENOMEM", "mprotect": "ENOMEM", "pipe2": "EMFILE",
         "mkdir": "ENOSPC", "write": "ENOSPC", "pwrite64": "ENOSPC", "ftruncate": "EIO",
         "fsync": "ENOSPC", "fdatasync": "EIO", "linkat": "ENOSPC", "rename": "EACCES"}
ALWAYS = ("topology", "method", "machine", "stop", "variance", "loads", "traffic", "ledger", "turns")
TIMES = re.compile(r"[-+]?[0-9][0-9.,]*(e[-+]?[0-9]+)?( [mu]?s\b)?")


class Allocations:
    """They fail by a library that is preloaded (short_memory.c)."""

    def __init__(self, library):
        self.library = library

    def words(self, command, at, log):
        return [EVENKEEL], {"LD_PRELOAD": self.library, "SHORT_MEMORY_AT": str(at[1]), "SHORT_MEMORY_COUNT": log}

    def numbers(self, log):
        with open(log) as file:
            return {"allocation": range(1, int(file.read()) + 1)}


class Calls:
    """System calls fail by strace, in all threads and processes that the command begins, but in gnuplot: the k-th of one
    name in each, for strace counts so. The loader's come before the first fcntl, by which the command looks whether its
    standard streams are open, and are not ours. What strace follows stops only where it is told to look, and so is quick."""

    def words(self, command, at, log):
        name, number = at
        traced = ["-e", "trace=fcntl," + (name or ",".join(CALLS))]
        fails = ["-e", "inject=%s:error=%s:when=%d" % (name, CALLS[name], number)] if name else []
        all_of_it = ["-f", "--seccomp-bpf"] if "--plot" not in command else []
        return ["strace", "-o", log] + all_of_it + traced + fails + [EVENKEEL], {}

    def numbers(self, log):
        made = {}
        with open(log) as file:
            for task, name in re.findall(r"^(\d+ +)?(\w+)\(", file.read(), re.M):
                made.setdefault(task, []).append(name)
        main = next(iter(made.values()))
        loading = main[:main.index("fcntl")]
        return {name: range(1 + loading.count(name), 1 + max(names.count(name) for names in made.values())) for name in CALLS}


def prepare(folder):
    """Makes what is in FOUND."""
    for command in FOUND:
        done = subprocess.run([EVENKEEL] + shlex.split(command), capture_output=True, check=True, cwd=folder)
        if "json" in command:
            with open(os.path.join(folder, "old.json"), "wb") as file:
                file.write(done.stdout)


def is_partial(status, text, errors):
    """Whether it says that not all was made. What threads are short for, a sweep and contention refuse, and go on."""
    return status == 2 or (status == 3 and "run the same command again" in errors) or "the system gave" in text


def call(command, way, at=(None, 0)):
    """Status, output, errors, the files that it left, and what can fail, with its numbers; None for one that does not end.
    `at` is what fails, and which of them. What a store lacks then is there when the same command has gone on."""
    with tempfile.TemporaryDirectory() as folder:
        log, files = os.path.join(folder, "log"), os.path.join(folder, "files")
        os.mkdir(files)
        for name in set(shlex.split(command)) & set(os.listdir(way.found)):
            shutil.copy(os.path.join(way.found, name), files)
        words, env = way.words(command, at, log)
        try:
            done = subprocess.run(words + shlex.split(command), capture_output=True, timeout=SECONDS, cwd=files,
                                  env=dict(os.environ, COLUMNS="100", **env))
        except subprocess.TimeoutExpired:
            return None
        found = left_behind.files(files)
        partial = is_partial(done.returncode, done.stdout.decode(), done.stderr.decode())
        if partial and any(name.endswith(".sqlite") for name in found):
            subprocess.run([EVENKEEL] + shlex.split(command), capture_output=True, timeout=SECONDS, cwd=files, check=True)
            again = left_behind.files(files)
            found.update((name, again[name]) for name in again if name.endswith(".sqlite"))
        return done.returncode, done.stdout.decode(), done.stderr.decode(), found, way.numbers(log) if at == (None, 0) else {}


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
    if command.startswith("results") and "--format json" in command:
        return [json.loads(line) for line in text.splitlines()]
    if "--format json" in command:
        value = json.loads(text)
        if "free" not in command and not command.startswith("contention"):
            for name in ("elapsed_s", "expected_s", "expected_bytes"):
                value.pop(name, None)
            for run in value.get("runs", []):
                run.pop("elapsed_s", None)
            for method in value.get("methods", []):
                method.get("summary", {}).pop("elapsed_s", None)
            value.pop("summary", None)
            return value
        return sorted(set(keys(value))), [point["refused"] for point in value.get("points", [])]
    if "--format csv" in command and "free" not in command:
        head, *rows = csv.reader(text.splitlines())
        return [[cell for name, cell in zip(head, row) if name != "elapsed_s"] for row in rows]
    if command.startswith("run"):  # the labels of its lines, for times and what takes time change the rest
        labels = [line.split()[0] for line in text.splitlines() if line[:2] == "  " and line[2:3].isalpha()]
        return labels if "free" not in command else [label for label in labels if label in ALWAYS]
    return TIMES.sub("#", text)


def stores(files):
    return {name: runs for name, runs in files.items() if name.endswith(".sqlite")}


def wrong(command, wanted, way, at):
    """What is wrong when this one fails, or None."""
    try:
        done = call(command, way, at)
    except (ValueError, subprocess.SubprocessError) as error:
        return "what it leaves is not whole: %s" % error
    if done is None:
        return "it does not end"
    status, text, errors, files, _ = done
    if is_partial(status, text, errors):
        if any(runs != wanted[2][name] for name, runs in stores(files).items()):
            return "status %d, and the same again makes another store" % status
        return None if status == 0 or re.match("evenkeel: .*\n", errors) else "it says no sentence: %r" % errors
    if status != wanted[0]:
        return "status %d instead of %d: %s" % (status, wanted[0], errors.strip()[:200])
    try:
        found = shape(command, text)
    except (ValueError, KeyError) as error:
        return "status %d with half a result: %s" % (status, error)
    if files == wanted[2] and found == wanted[1]:
        return None
    return "status %d with another result" % status


def look(command, way, every):
    status, text, _, files, numbers = call(command, way)
    wanted = status, shape(command, text), files
    tried = []
    for what, those in numbers.items():
        long = command in LONG + CALLING_LONG and every > 1
        some = list(those[::every * (1 + len(those) // TRIED if long else 1)])
        if what == "clone3" and those and those[-1] not in some:
            some.append(those[-1])  # the last thread of all: the others are there, and must be sent home
        tried += [(what, number) for number in some]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda at: wrong(command, wanted, way, at), tried))
    bad = [at + (command, sentence) for at, sentence in zip(tried, found) if sentence]
    for each in bad[:12]:
        print("%s %d of evenkeel %s: %s" % each)
    return len(found) - len(bad), len(bad)


def main():
    if sys.argv[1] == "allocation":
        way, commands, rest = Allocations(sys.argv[2]), COMMANDS + LONG, sys.argv[3:]
    else:
        way, commands, rest = Calls(), CALLING + CALLING_LONG, sys.argv[2:]
    every = int(rest[0]) if rest else 1
    with tempfile.TemporaryDirectory() as found:
        prepare(found)
        way.found = found
        counts = [look(command, way, every) for command in rest[1:] or commands]
    good, bad = (sum(part) for part in zip(*counts))
    print("%d passed, %d failed" % (good, bad))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
