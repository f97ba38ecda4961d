# SPDX-License-Identifier: MIT
"""Sweeps, rankings and records, which the command `evenkeel` makes and reads."""
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile

from .native import Error


def command():
    """Returns the path of the command: EVENKEEL, that of the build folder, or the one in PATH."""
    beside = pathlib.Path(__file__).resolve().parent.parent.parent / "evenkeel"
    found = os.environ.get("EVENKEEL") or (str(beside) if beside.is_file() else shutil.which("evenkeel"))
    if not found:
        raise Error("the command evenkeel is not there: install the package evenkeel, or set EVENKEEL to its path")
    return found


def _words(values):
    """Returns options of the command: topology="ring:8" is --topology ring:8, and a list is one value after another."""
    words = []
    for name, value in values.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            several = isinstance(value, (list, tuple, range))
            words += [option, ",".join(map(str, value)) if several else str(value)]
    return words


def _call(words):
    """Carries out the command. Returns what it printed. Statuses 0 and 3, a criterion that was not reached, are good."""
    done = subprocess.run([command(), *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 3) or not done.stdout:
        raise Error(done.stderr.strip().removeprefix("evenkeel: ") or f"the command ended with {done.returncode}")
    return done.stdout


def sweep(*, store=None, **values):
    """Carries out all combinations of the given values, and returns a pandas DataFrame with a row for each run.

    sweep(topology=["ring:8", "ring:16"], method=["ade", "adf"], seed="1..20", store="runs.sqlite"). Runs that are in the
    store already are not repeated. Without `store` the runs are forgotten.
    """
    import pandas

    with tempfile.TemporaryDirectory() as folder:
        path = store or os.path.join(folder, "sweep.sqlite")
        swept = json.loads(_call(["sweep", "--store", str(path), "--format", "json", *_words(values)]))
        if swept["refused"]:
            raise Error(swept["refusals"][0]["why"])
        marks = ",".join("?" * len(swept["keys"]))
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as rows:
            return pandas.read_sql_query(f"SELECT * FROM runs WHERE key IN ({marks}) ORDER BY id", rows,
                                         params=swept["keys"]).dropna(axis=1, how="all")


def rank(**values):
    """Runs several methods on one topology and load, and returns them best first, as a pandas DataFrame."""
    import pandas

    return pandas.DataFrame(json.loads(_call(["rank", "--format", "json", *_words(values)]))["methods"])


def read(path):
    """Reads what the command has left behind: a store (as a DataFrame of its runs), a recording, a record, or the folder
    of `run --out` (each as a dict)."""
    path = pathlib.Path(path)
    if path.is_dir():
        path = path / "run.json"
    with open(path, "rb") as file:
        begin = file.read(16)
    if begin.startswith(b"SQLite format 3"):
        import pandas

        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as rows:
            return pandas.read_sql_query("SELECT * FROM runs ORDER BY id", rows)
    if begin.lstrip().startswith(b"{"):
        return json.loads(path.read_text())
    return json.loads(_call(["replay", str(path), "--format", "json"]))
