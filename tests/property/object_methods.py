# SPDX-License-Identifier: MIT
"""The methods partners and tempered on random objects that communicate, computed again from their definitions
(partners.py, tempered.py): where the objects are at the end, what moved, and what the methods decided on the way."""
import json
import os
import random
import subprocess
import sys
import tempfile

import indivisible
import partners
import tempered

EVENKEEL = os.environ.get("EVENKEEL", "build/evenkeel")
COUNT = int(os.environ.get("COUNT", "280")) // int(os.environ.get("TESTS_PART", "1"))


def draw(rng):
    """Objects of some processors, each with a weight in tenths and a size, and what they exchange."""
    processors = rng.randint(2, 12)
    objects = [(rng.randrange(processors), rng.randint(1, 60), rng.randint(1, 9)) for _ in range(rng.randint(4, 50))]
    pairs = [(*rng.sample(range(len(objects)), 2), rng.randint(0, 40)) for _ in range(rng.randint(1, 60))]
    return processors, objects, pairs


def write(folder, processors, objects, pairs):
    for rank in range(processors):
        own = [i for i, (place, _, _) in enumerate(objects) if place == rank]
        tasks = [{"entity": {"type": "object", "id": i, "home": rank, "migratable": True}, "node": rank,
                  "resource": "cpu", "time": objects[i][1] / 10, "user_defined": {"task_serialized_bytes": objects[i][2]}}
                 for i in own]
        sends = [{"type": "SendRecv", "from": {"type": "object", "id": a}, "to": {"type": "object", "id": b},
                  "messages": 1, "bytes": size} for a, b, size in pairs if objects[a][0] == rank]
        with open(f"{folder}/{rank}.json", "w", encoding="utf-8") as file:
            json.dump({"metadata": {"type": "LBDatafile", "rank": rank},
                       "phases": [{"id": 0, "tasks": tasks, "communications": sends}]}, file)


def order_read(processors, objects):
    """The objects in the order in which the files list them: by rank."""
    return [i for rank in range(processors) for i, (place, _, _) in enumerate(objects) if place == rank]


def between(drawn, pairs):
    """The bytes that each two processors exchange."""
    found = {}
    for a, b, size in pairs:
        ends = frozenset((drawn[a][0], drawn[b][0]))
        if len(ends) == 2:
            found[ends] = found.get(ends, 0) + size
    return found


def of_partners(rng, processors, drawn, pairs, objects, seed):
    """The words that choose the method, and what a run must say beside the places of the objects."""
    most, operations = rng.randint(2, 6), rng.randint(1, 12)
    graph = partners.Graph(processors, between(drawn, pairs), most)
    place, moves = partners.simulate(graph, objects, most, operations)
    words = [f"partners:{most}", "--stop", "never", "--operations", str(operations), "--links"]
    return words, place, {"links": graph.links(), "objects_moved": moves}


def of_tempered(rng, processors, drawn, pairs, objects, seed):
    rule = tempered.draw_rule(rng)
    run = tempered.Tempered(objects, processors, seed, rule)
    steps = rng.choice([None, rng.randint(1, run.all_steps)])
    place = run.place(run.all_steps if steps is None else steps)
    words = [tempered.spec(rule), "--migrate", "end", *(["--steps", str(steps)] if steps else [])]
    moved = [i for i, p in enumerate(place) if p != objects.home[i]]
    return words, place, {"messages": run.messages, "objects_moved": len(moved), "bytes_moved": objects.bytes(moved),
                          "steps": run.steps, "scan_steps": run.scan_steps}


def wrong_with(number, folder):
    rng = random.Random(number)
    seed = rng.randint(1, 1000)
    processors, drawn, pairs = draw(rng)
    write(folder, processors, drawn, pairs)
    order = order_read(processors, drawn)
    objects = indivisible.Objects("".join("%d,%.1f,%d\n" % (drawn[i][0], drawn[i][1] / 10, drawn[i][2]) for i in order),
                                  "fit", True)
    method = of_partners if number % 2 == 0 else of_tempered
    words, place, expected = method(rng, processors, drawn, pairs, objects, seed)
    words = ["run", "--topology", f"complete:{processors}", "--objects", f"vt:{folder}/%p.json", "--seed", str(seed),
             "--final", "--format", "json", "--carrier", "pool:1", "--method", *words]
    done = subprocess.run([EVENKEEL, *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        return f"status {done.returncode}: {done.stderr}"
    run = json.loads(done.stdout)["runs"][0]
    at = {i: place[line] for line, i in enumerate(order)}
    expected["final"] = [objects.load(i for i, p in enumerate(place) if p == q) for q in range(processors)]
    expected["edge_cut"] = sum(size for a, b, size in pairs if at[a] != at[b])
    found = dict(run, links=[(link["from"], link["to"]) for link in run.get("links", [])])
    for name, value in expected.items():
        if found[name] != value:
            return f"{name} is {found[name]}, not {value}: evenkeel {' '.join(words)}, {drawn}, {pairs}"
    return None


def main():
    passed = failed = 0
    for number in range(COUNT):
        with tempfile.TemporaryDirectory(prefix="objects-") as folder:
            wrong = wrong_with(number, folder)
        passed, failed = passed + (wrong is None), failed + (wrong is not None)
        if wrong:
            print(f"FAIL {number}: {wrong}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
