# SPDX-License-Identifier: MIT
"""Tables of a page whose rows are runs: `measured_tables.py PAGE` runs each row again and compares its numbers. A comment
`measured: OPTIONS` before a table has the options that all its rows share. With `--runs` a number is the mean of the runs. `measured_tables.py PAGE update` writes the
numbers anew. The last line is 'N passed, N failed'."""
import json
import os
import re
import shlex
import subprocess
import sys

EVENKEEL = os.environ.get("EVENKEEL", "build/evenkeel")
COLUMNS = {"imbalance": "imbalance", "bytes between processors": "edge_cut", "objects moved": "objects_moved",
           "bytes moved": "bytes_moved"}


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def number(value):
    return "%.0f" % value if value == round(value) or value >= 1000 else "%.4g" % value


def measured(words):
    """The cells of a run's row."""
    done = subprocess.run([EVENKEEL, "run", "--carrier", "pool:1", "--format", "json", *words], capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 3):
        return {name: "status %d: %s" % (done.returncode, done.stderr) for name in COLUMNS}
    runs = json.loads(done.stdout)["runs"]
    return {name: number(sum(run[field] for run in runs) / len(runs)) for name, field in COLUMNS.items()}


def rows(lines):
    """The measured rows of a page: number of the line, options, names of the columns."""
    shared = names = None
    for number, line in enumerate(lines):
        comment = re.match(r"<!-- measured: (.*) -->", line)
        shared = comment.group(1) if comment else shared
        if shared and line.startswith("| run "):
            names = cells(line)[1:]
        elif names and line.startswith("| `"):
            yield number, shlex.split(shared + " " + cells(line)[0].strip("`")), names
        elif names and not line.startswith("|"):
            shared = names = None


def main():
    page, update = sys.argv[1], sys.argv[2:] == ["update"]
    with open(page, encoding="utf-8") as file:
        lines = file.read().split("\n")
    passed = failed = 0
    for number, words, names in rows(lines):
        values = measured(words)
        first = cells(lines[number])[0]
        line = "| %s |" % " | ".join([first] + [values[name] for name in names])
        if not update and line != lines[number]:
            print("FAIL %s:%d: %s" % (page, number + 1, line))
        passed, failed = passed + (line == lines[number]), failed + (line != lines[number])
        lines[number] = line
    if update:
        with open(page, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    print("%d passed, %d failed" % (passed, failed if passed + failed > 0 else 1))
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
