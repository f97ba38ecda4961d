# SPDX-License-Identifier: MIT
"""answers.py EVENKEEL FOLDER: prints what `results` prints of stores with runs that were cut or failed, with values that
were not measured, with ties, and with names that begin alike."""
import os
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
from new_lines import print_new

EVENKEEL, FOLDER = sys.argv[1:]


def path(name):
    return f"{FOLDER}/{name}.sqlite"


def sweep(name, *words):
    subprocess.run([EVENKEEL, "sweep", "--store", path(name), "--quiet", "--jobs", "1", *words], capture_output=True, check=False)


def ask(name, *words, formats=("table", "json", "csv")):
    for form in formats:
        line = [EVENKEEL, "results", "--store", path(name), "--format", form, *words]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        print(f"\n== {name} {' '.join(words)}, {form}: status {done.returncode}")
        print_new((done.stdout + done.stderr).replace(FOLDER, "FOLDER"))


def fill(name, *statements):
    """Times, the computer and the order of the runs are the same everywhere."""
    with sqlite3.connect(path(name)) as store:
        for statement in ("CREATE TEMP TABLE own AS SELECT id, row_number() OVER (ORDER BY seed, topology, method) AS place FROM runs",
                          "UPDATE runs SET id = -(SELECT place FROM own WHERE own.id = runs.id)",
                          "UPDATE records SET run = -(SELECT place FROM own WHERE own.id = run)",
                          "UPDATE runs SET id = -id", "UPDATE records SET run = -run",
                          "UPDATE runs SET elapsed_s = 0.001 * seed, duration_s = 0.002 * seed, host = 'a computer', "
                          "version = '0.0.1', started = '2000-01-01T00:00:' || (10 + seed) || '.000Z', checksum = NULL",
                          *statements):
            store.execute(statement)


def ask_whole():
    sweep("whole", "--method", "ade,ode,gde:0.7", "--topology", "ring:8,ring:10,ring:16", "--seed", "1..6", "--trace")
    fill("whole")
    ask("whole", "--columns", "method,topology,seed,steps,variance_final,moved/messages,converged,ended", "--limit", "7")
    ask("whole", "--where", "seed=1", formats=["table"])
    ask("whole", "--where", "topology=ring:8 and seed<3", formats=["table"])
    ask("whole", "--group", "topology,method")
    ask("whole", "--group", "method", "--columns", "steps,steps/theory_steps,variance_final,idle", "--sort", "steps:desc")
    ask("whole", "--group", "topology", "--columns", "steps,converged", "--interval", "bootstrap:0.9")
    ask("whole", "--group", "topology,method", "--columns", "steps,moved", "--best", "steps")
    ask("whole", "--where", "method=ade", "--best", "moved", "--columns", "topology,seed,moved", formats=["table", "csv"])
    ask("whole", "--compare", "method=ade vs method=ode", "--columns", "steps,moved,messages")
    ask("whole", "--compare", "topology=ring:8 vs topology=ring:16", "--group", "method", "--columns", "steps")
    ask("whole", "--compare", "method=ade and seed<4 vs method=ode and seed>3", "--columns", "steps,moved")
    ask("whole", "--compare", "method=ade vs method=ade", "--columns", "steps", formats=["table", "json"])
    ask("whole", "--compare", "method=ade vs method=ode", "--columns", "idle,moved", "--interval", "bootstrap:0.95")
    ask("whole", "--trace-of", "variance", "--where", "topology=ring:8", "--group", "method", "--limit", "9")
    ask("whole", "--trace-of", "spread", "--where", "topology=ring:8 and method=ade", formats=["table", "csv"])
    for wrong in (["--where", "stepz>1"], ["--where", "method=aed"], ["--where", "steps>"], ["--where", "(seed=1"],
                  ["--columns", "steps/"], ["--group", "methd"], ["--sort", "nothing"], ["--best", "nothing"],
                  ["--trace-of", "nothing"], ["--compare", "method=ade"], ["--compare", "method=ade vs method=aed"],
                  ["--interval", "t:1"], ["--interval", "student"], ["--limit", "0"], ["--where", "seed>99"],
                  ["--group", "method", "--columns", "method"], ["--where", "seed='one'"]):
        ask("whole", *wrong, formats=["table"])


def ask_rare():
    sweep("rare", "--method", "ade,adf,gde:0.7", "--topology", "ring:8,ring:16", "--seed", "1..7")
    fill("rare",
         "UPDATE runs SET converged = 0, ended = 'steps', steps = 30, status = 3 WHERE method = 'adf' AND seed IN (2, 5)",
         "UPDATE runs SET converged = 0, ended = 'diverges', status = 3 WHERE method = 'ade' AND seed = 3",
         "UPDATE runs SET converged = 0, ended = 'frozen', status = 3 WHERE method = 'gde:0.7' AND seed = 4",
         "UPDATE runs SET converged = 0, ended = 'interrupt', status = 3 WHERE method = 'adf' AND seed = 7 AND topology = 'ring:8'",
         "UPDATE runs SET moved = NULL WHERE method = 'ade' AND seed IN (1, 6)",
         "UPDATE runs SET messages = 100",
         "UPDATE runs SET diameter = NULL WHERE topology = 'ring:8'",
         "DELETE FROM runs WHERE method = 'gde:0.7' AND topology = 'ring:16' AND seed > 2")
    ask("rare", formats=["table"])
    ask("rare", "--where", "seed=3", formats=["json", "csv"])
    ask("rare", "--columns", "method,topology,seed,steps,moved,diameter,ended", "--sort", "moved:desc", formats=["table", "csv"])
    ask("rare", "--columns", "moved,seed", "--sort", "moved", "--limit", "3", formats=["table"])
    ask("rare", "--group", "topology,method", "--columns", "steps,moved,messages,variance_final,converged")
    ask("rare", "--group", "topology,method", "--columns", "steps,messages", "--best", "messages")
    ask("rare", "--group", "topology,method", "--columns", "steps", "--best", "steps")
    ask("rare", "--group", "diameter,ended", "--columns", "steps,moved")
    ask("rare", "--compare", "method=ade vs method=adf", "--columns", "steps,moved,messages,variance_final")
    ask("rare", "--compare", "method=adf vs method=gde:0.7", "--columns", "steps,moved")
    ask("rare", "--group", "method", "--columns", "steps,2*steps,steps-operations,100/steps", formats=["json"])
    ask("rare", "--where", "not moved>=0", "--columns", "method,seed,moved", formats=["table", "csv"])


def ask_others():
    sweep("free", "--timing", "free", "--method", "adf", "--topology", "ring:4", "--stop", "never", "--operations", "3",
          "--seed", "1..2")
    ask("free", "--columns", "seed,timing,free.turns/free.turns", formats=["table", "csv"])
    ask("free", "--trace-of", "variance", formats=["table"])
    sweep("one", "--topology", "ring:4", "--seed", "7")
    fill("one")
    ask("one", "--columns", "seed,steps", formats=["table"])
    ask("one", "--group", "method", "--columns", "steps", formats=["table", "csv"])


ask_whole()
ask_rare()
ask_others()
