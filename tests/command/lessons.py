# SPDX-License-Identifier: MIT
"""Tests lessons: runs each experiment with the changes that its text proposes, and compares what the checks state. Every
number of a text must be in a check or an option, and every command of a text must succeed.
    lessons.py COMMAND FILE...         prints what is wrong, then "N checks hold, N faults"
    lessons.py --experiments FILE...   prints the experiments, as tests/web/experiments.txt has them
    lessons.py --changes FILE...       prints the experiments with the changes that the texts propose, in the same form"""
import json
import os
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from types import SimpleNamespace

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../docs/site"))
from lesson import Lesson  # noqa: E402

WORDS_LEAST, WORDS_MOST = 80, 150
NUMBER = r"\d+(?:\.\d+)?(?:/\d+)?"


def measure(command, options):
    """Every name that a check can use: the fields of the run, and those of the record."""
    words = [word for pair in options.items() for word in pair]
    run = subprocess.run([command, "run", *words, "--carrier", "pool", "--format", "json", "--trace", "--final"],
                         capture_output=True, text=True)
    if run.returncode not in (0, 3):
        raise ValueError(f"`run {shlex.join(words)}` has the exit status {run.returncode}: {run.stderr.splitlines()[0]}")
    record = json.loads(run.stdout, object_hook=lambda fields: SimpleNamespace(**fields))
    facts = getattr(getattr(record, "theory", None), "facts", [])
    return {**vars(record), **vars(record.runs[0]), "facts": SimpleNamespace(**{fact.name: fact.value for fact in facts})}


def holds(check, names):
    functions = {"len": len, "max": max, "min": min, "range": range, "sum": sum}
    found = eval(check.expression, {"__builtins__": functions, **names})
    if check.value[0] == '"' or check.value in ("True", "False"):
        return str(found) == check.value.strip('"'), found
    wanted = Fraction(check.value)
    if check.operator != "=":
        return found < wanted if check.operator == "<" else found > wanted, found
    # A number in a text is rounded to its digits, a fraction is not.
    half = Fraction(1, 10**9) if "/" in check.value else Fraction(1, 2 * 10 ** len(check.value.partition(".")[2]))
    return abs(Fraction(found) - wanted) <= half, found


def faults_of_checks(command, lesson):
    measured = {}
    for check in lesson.checks:
        try:
            if check.changes not in measured:
                measured[check.changes] = measure(command, lesson.options(check.changes))
            right, found = holds(check, measured[check.changes])
            if not right:
                yield f"`{check.line}`: measured {found}"
        except (ValueError, AttributeError, NameError, TypeError) as error:
            yield f"`{check.line}`: {error}"


def faults_of_text(command, lesson):
    stated = " ".join([lesson.experiment, *(f"{check.changes} {check.value}" for check in lesson.checks)])
    known = set(re.findall(NUMBER, stated))
    for number in re.findall(NUMBER, re.sub("`[^`]*`", "", lesson.text)):
        if number not in known:
            yield f"the text has the number {number}, and no check states it"
    words = len(re.sub("`evenkeel [^`]*`", "", lesson.text).split())
    if not WORDS_LEAST <= words <= WORDS_MOST:
        yield f"the text has {words} words, not {WORDS_LEAST} to {WORDS_MOST}"
    if not lesson.commands():
        yield "the text has no command `evenkeel ...` for more"
    for text in lesson.commands():
        if subprocess.run([command, *shlex.split(text)[1:]], capture_output=True, stdin=subprocess.DEVNULL).returncode not in (0, 3):
            yield f"the command `{text}` fails"
    for change in re.findall("`(--[^`]*)`", lesson.text):
        if not any(change in check.changes for check in lesson.checks):
            yield f"the text proposes `{change}`, and no check runs it"


def main(arguments):
    if arguments[0] in ("--experiments", "--changes"):
        for lesson in map(Lesson, arguments[1:]):
            changed = dict.fromkeys(check.changes for check in lesson.checks if check.changes)
            for changes in changed if arguments[0] == "--changes" else [""]:
                print(" ".join(f"{option[2:]}={value}" for option, value in lesson.options(changes).items()))
        return 0
    try:
        lessons = [Lesson(path) for path in arguments[1:]]
    except ValueError as error:
        print(error)
        return 1
    faults = [(lesson, fault) for lesson in lessons for of in (faults_of_checks, faults_of_text) for fault in of(arguments[0], lesson)]
    for lesson, fault in faults:
        print(f"{os.path.basename(lesson.path)}: {fault}")
    print(f"{sum(len(lesson.checks) for lesson in lessons)} checks, {len(faults)} faults")
    return 1 if faults else 0


sys.exit(main(sys.argv[1:]))
