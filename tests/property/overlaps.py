# SPDX-License-Identifier: MIT
"""What operations that begin and end together do to the variance of their domains, by how these overlap."""
from measures import sum_of

PARTS = ("alone", "adjacent", "one_shared", "two_shared", "many")  # spheres; each processor is in one or none


def spheres(domains):
    """Lists of operations whose domains hang together by shared processors."""
    left = list(range(len(domains)))
    while left:
        sphere, rest = [left.pop(0)], True
        while rest:
            rest = [k for k in left if any(domains[k] & domains[m] for m in sphere)]
            sphere += rest
            left = [k for k in left if k not in rest]
        yield sphere


def kind_of(invokers, domains):
    if len(invokers) == 1:
        return "alone"
    shared = domains[0] & domains[1]
    if len(invokers) > 2 or (len(shared) > 2 and not shared & set(invokers)):
        return "many"
    return "adjacent" if shared & set(invokers) else ("one_shared", "two_shared")[len(shared) - 1]


class Effects:
    """Counts and sums by kind, over the operations so far."""

    def __init__(self):
        self.sums = {}

    def add_to(self, kind, domain, before, after, mean):
        count, first, last = self.sums.get(kind, (0, 0.0, 0.0))
        self.sums[kind] = (count + 1, first + sum_of((before[p] - mean) ** 2 for p in domain),
                           last + sum_of((after[p] - mean) ** 2 for p in domain))

    def add(self, graph, invoking, before, after):
        mean = sum_of(before) / len(before)
        invokers = [i for i in range(graph.n) if invoking[i]]
        domains = [{i} | {j for j, _ in graph.neighbours[i]} for i in invokers]
        for sphere in spheres(domains):
            for k in sphere if len(sphere) > 1 else ():
                self.add_to("overlapped", domains[k], before, after, mean)
            kind = kind_of([invokers[k] for k in sphere], [domains[k] for k in sphere])
            self.add_to(kind, set().union(*(domains[k] for k in sphere)), before, after, mean)


def taken(effects):
    """What all spheres took from the variance."""
    return sum_of(effects[part]["count"] * (effects[part]["before"] - effects[part]["after"])
                  for part in PARTS if effects[part]["count"])


def whole(run, noise):
    """Where nothing but balancing changes loads, that is what the variance fell by. The last operation may be cut."""
    effects = run["effects"]
    fell = run["variance_initial"] - run["variance_final"]
    if effects["unknown"] == 0 and abs(taken(effects) - fell) > noise:
        yield "spheres took %r of the variance, which fell by %r" % (taken(effects), fell)


def shares(effects):
    """The share that is left is what is left, divided by what was there."""
    for part in PARTS + ("overlapped",):
        effect = effects[part]
        if effect["count"] and effect["before"] and abs(effect["left"] - effect["after"] / effect["before"]) > 1e-9:
            yield "%s has %r left, and %r of %r" % (part, effect["left"], effect["after"], effect["before"])


def compare(run, sums, noise):
    for part in PARTS + ("overlapped",):
        count, before, after = sums.get(part, (0, 0.0, 0.0))
        said = run["effects"][part]
        if said["count"] != count:
            yield "%s counts %d, recomputed %d" % (part, said["count"], count)
        elif count and (abs(said["before"] - before / count) > noise or abs(said["after"] - after / count) > noise):
            yield "%s goes from %r to %r, recomputed %r to %r" % (part, said["before"], said["after"], before / count,
                                                                  after / count)
