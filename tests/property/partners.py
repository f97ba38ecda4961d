# SPDX-License-Identifier: MIT
"""The method partners on random objects that communicate, computed again from its definition: the links between
partners, then the loads, the moves of objects and the bytes between processors after some operations."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

import indivisible

EVENKEEL = os.environ.get("EVENKEEL", "build/evenkeel")
COUNT = int(os.environ.get("COUNT", "140")) // int(os.environ.get("TESTS_PART", "1"))
ROUNDS = 20


class Graph:
    """Partners of processors, by the bytes that each two of them exchange."""

    def __init__(self, processors, bytes_between, most):
        self.most, self.bytes = most, bytes_between
        self.partners = {p: set() for p in range(processors)}
        self.rank = {p: sorted((q for q in range(processors) if bytes_between.get(frozenset((p, q)), 0) > 0),
                               key=lambda q, p=p: (-bytes_between[frozenset((p, q))], q)) for p in range(processors)}
        self.grow(processors)
        waiting = {p: list(rank) for p, rank in self.rank.items()}
        for _ in range(ROUNDS):
            self.round(waiting)

    def places(self, p):
        return self.most - len(self.partners[p])

    def link(self, p, q):
        self.partners[p].add(q)
        self.partners[q].add(p)

    def grow(self, processors):
        joined = [0]
        while len(joined) < processors:
            outside = [q for q in range(processors) if q not in joined]
            open_ = [p for p in joined if self.places(p) > 0]
            offers = [(self.bytes[frozenset((p, q))], p, q) for p in open_ for q in self.rank[p] if q in outside]
            most = max((offer[0] for offer in offers), default=None)
            if most is None:
                p, q = open_[0], outside[0]
            else:
                _, p, q = next(offer for offer in offers if offer[0] == most)
            self.link(p, q)
            joined.append(q)

    def round(self, waiting):
        asked, agreed, new = set(), set(), set()
        for p, rank in waiting.items():
            left = math.ceil(self.places(p) / 2)
            while left > 0 and rank:
                q = rank.pop(0)
                if q not in self.partners[p]:
                    asked.add((p, q))
                    left -= 1
        for q in self.partners:
            askers = [p for p in self.rank[q] if (p, q) in asked]
            agreed.update((p, q) for p in askers[:self.places(q)])
        for p in self.partners:
            held = {q for q, other in agreed if other == p}
            room = self.places(p) - len(held)
            for q in self.rank[p]:
                if (p, q) in agreed and (q in held or room > 0):
                    room -= q not in held
                    new.add(frozenset((p, q)))
        for pair in new:
            self.link(*pair)

    def links(self):
        return sorted((p, q) for p, others in self.partners.items() for q in others if p < q)


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


def simulate(graph, objects, most, operations):
    """Diffusion with 1/(1+most) over the links, each step from the loads at its start."""
    place, moves, rest = list(objects.home), 0, {}
    for _ in range(operations):
        held = {p: [i for i, at in enumerate(place) if at == p] for p in graph.partners}
        load = {p: objects.load(own) for p, own in held.items()}
        for p, partners in graph.partners.items():
            for q in sorted(partners):
                amount = 1.0 / (1.0 + most) * (load[p] - load[q])
                left = [i for i in held[p] if place[i] == p]
                going, rest[p, q] = give(objects, left, amount, load[p], load[q], rest.get((p, q), 0.0))
                for i in going:
                    place[i] = q
                moves += len(going)
    return place, moves


def give(objects, left, amount, own, other, rest):
    """As Objects.give, for the objects that are left after those of earlier ports. The difference of the loads remains
    that at the start of the step."""
    if amount <= 0.0:
        return [], 0.0
    below = round((own - other) * objects.scale)
    wanted = amount * objects.scale + rest
    slack = 1e-9 + 16 * indivisible.EPSILON * own * objects.scale
    going = []
    for i in objects.order(left):
        if objects.weight[i] < below and objects.weight[i] <= wanted - objects.units(going) + slack:
            going.append(i)
    return going, wanted - objects.units(going)


def wrong_with(rng, folder):
    processors, drawn, pairs = draw(rng)
    write(folder, processors, drawn, pairs)
    most, operations = rng.randint(2, 6), rng.randint(1, 12)
    words = ["run", "--topology", f"complete:{processors}", "--objects", f"vt:{folder}/%p.json", "--method",
             f"partners:{most}", "--stop", "never", "--operations", str(operations), "--links", "--final", "--format",
             "json", "--carrier", "pool:1"]
    done = subprocess.run([EVENKEEL, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"status {done.returncode}: {done.stderr}"
    run = json.loads(done.stdout)["runs"][0]
    between = {}
    for a, b, size in pairs:
        ends = frozenset((drawn[a][0], drawn[b][0]))
        if len(ends) == 2:
            between[ends] = between.get(ends, 0) + size
    graph = Graph(processors, between, most)
    order = order_read(processors, drawn)
    objects = indivisible.Objects("".join("%d,%.1f,%d\n" % (drawn[i][0], drawn[i][1] / 10, drawn[i][2]) for i in order),
                                  "fit", True)
    place, moves = simulate(graph, objects, most, operations)
    at = {i: place[line] for line, i in enumerate(order)}
    expected = {
        "links": graph.links(),
        "final": [objects.load(i for i, p in enumerate(place) if p == q) for q in range(processors)],
        "objects_moved": moves,
        "edge_cut": sum(size for a, b, size in pairs if at[a] != at[b]),
    }
    found = dict(run, links=[(link["from"], link["to"]) for link in run["links"]])
    for name, value in expected.items():
        if found[name] != value:
            return f"{name} is {found[name]}, not {value}: evenkeel {' '.join(words)}, {drawn}, {pairs}"
    return None


def main():
    passed = failed = 0
    for number in range(COUNT):
        with tempfile.TemporaryDirectory(prefix="partners-") as folder:
            wrong = wrong_with(random.Random(number), folder)
        passed, failed = passed + (wrong is None), failed + (wrong is not None)
        if wrong:
            print(f"FAIL {number}: {wrong}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
