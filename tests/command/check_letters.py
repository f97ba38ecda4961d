#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs of methods by letters against another machine (tests/property/letters.py), field by field, for drawn seeds. The
last line is 'N passed, N failed'.

EVENKEEL is the command, SEED what is drawn, COUNT how many runs each method has."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "property"))
import graphs
import letters

EVENKEEL = os.environ.get("EVENKEEL", "build/evenkeel")
SEED = int(os.environ.get("SEED", "1"))
COUNT = int(os.environ.get("COUNT", "12"))

METHODS = {"steal:random": lambda: letters.Steal(),
           "steal:neighbour": lambda: letters.Steal(near=True),
           "steal:direct": lambda: letters.Steal(direct=True),
           "steal:lifeline": lambda: letters.Steal(tries=2),
           "steal:lifeline:0": lambda: letters.Steal(tries=0),
           "place:random": lambda: letters.Place(),
           "place:random --hops 3": lambda: letters.Place(3),
           "central": lambda: letters.Central(),
           "gradient": lambda: letters.Gradient(),
           "gradient:2:4": lambda: letters.Gradient(2, 4),
           "cwn": lambda: letters.Contracting(),
           "cwn:1": lambda: letters.Contracting(1),
           "cwn:4:2": lambda: letters.Contracting(4, 2),
           "initiated:receiver": lambda: letters.Receiver(),
           "initiated:receiver:2:1": lambda: letters.Receiver(2, 1),
           "initiated:sender": lambda: letters.Sender(),
           "initiated:sender:3:2": lambda: letters.Sender(3, 2)}
HUBS = ("complete:7", "star:6", "chain:2")  # graphs with a processor linked to all others
GRAPHS = {"ring:9": lambda: graphs.box((9,), True), "chain:2": lambda: graphs.box((2,), False),
          "mesh:3x4": lambda: graphs.box((3, 4), False), "torus:4x5": lambda: graphs.box((4, 5), True),
          "torus:2x3x4": lambda: graphs.box((2, 3, 4), True), "hypercube:4": lambda: graphs.box((2,) * 4, False),
          "complete:7": lambda: graphs.complete(7), "star:6": lambda: graphs.star(6),
          "otis(ring:4)": lambda: graphs.swapped(graphs.box((4,), True))}


def draw_tree(random_numbers, path):
    """Writes a file of a few hundred tasks of drawn costs."""
    lines = [(random_numbers.randint(1, 9), None) for _ in range(random_numbers.choice((1, 1, 5, 40)))]
    for _ in range(random_numbers.randint(20, 300)):
        parent = random_numbers.randrange(len(lines))
        lines.append((random_numbers.randint(1, 9), parent if random_numbers.random() < 0.95 else lines[parent][1]))
    with open(path, "w", encoding="utf-8") as file:
        for cost, parent in lines:
            file.write("%d\n" % cost if parent is None else "%d %d\n" % (cost, parent))
    return letters.Tree(lines)


def draw_program(random_numbers, path):
    kind = random_numbers.randrange(5)
    if kind < 2:
        return "file:" + path, draw_tree(random_numbers, path)
    number = random_numbers.randint(4, 7)
    if kind == 2:
        return "queens:%d" % number, letters.Queens(number)
    seed = random_numbers.randint(1, 999)
    return "tsp:%d:%d" % (number, seed), letters.Tour(number, seed)


def measured(words):
    try:
        done = subprocess.run([EVENKEEL, "run", *words, "--format", "json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=60)
    except subprocess.TimeoutExpired:
        return "it does not end"
    return json.loads(done.stdout)["runs"][0] if done.returncode == 0 else done.stderr.decode()


def differs(found, expected):
    if isinstance(found, str):
        return found
    for name, value in expected.items():
        got = found.get(name)
        if value is not None and (got is None or abs(got - value) > 1e-12 * max(1.0, abs(value))):
            return "%s is %s, not %s" % (name, got, value)
    return None


def main():
    passed = failed = 0
    random_numbers = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        for spec, make in METHODS.items():
            for _ in range(COUNT):
                seed, grain = random_numbers.randint(1, 1000), random_numbers.choice((1, 1, 2, 5))
                topology = random_numbers.choice(HUBS if spec == "central" else list(GRAPHS))
                path = os.path.join(folder, "tree")
                tasks, program = draw_program(random_numbers, path)
                words = ["--topology", topology, "--method", *spec.split(" "), "--seed", str(seed), "--grain",
                         str(grain), "--carrier", "pool:%d" % random_numbers.randint(1, 3), "--tasks", tasks]
                expected = letters.Machine(GRAPHS[topology](), program, make(), seed, grain).run().report()
                wrong = differs(measured(words), expected)
                passed += not wrong
                failed += bool(wrong)
                if wrong:
                    print("evenkeel run %s: %s" % (" ".join(words), wrong))
    print("%d passed, %d failed" % (passed, failed))
    return int(failed > 0)


sys.exit(main())
