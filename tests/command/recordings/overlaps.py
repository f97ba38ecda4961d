# SPDX-License-Identifier: MIT
# Recomputes the effects of operations by their overlaps from the printed events of a replay, in the slow way that
# follows the definitions: every two parts at a processor are compared, and spheres grow until no more join.
import itertools
import re

TURN = re.compile(r"  turn (\S+)  .*  processor (\d+), worker \d+, load (\S+)")


class Operation:
    def __init__(self, invoker, turn):
        self.invoker, self.begin, self.end = invoker, turn, turn
        self.parts = {}  # by processor: (begin, end, before, after), moments and loads
        self.counts = False  # it has ended, with somebody


# Returns the operations of a run in tokens, whose loads are printed exactly, from the printed events and the initial
# loads.
def operations(words, held):
    held, own, entered, done, moment = list(held), {}, {}, [], 0
    for line in words.splitlines():
        begins = TURN.match(line)
        if begins:
            turn, p = int(begins[1].replace(",", "")), int(begins[2])
            continue
        event = line.strip()
        moment += 1
        if event == "begins an operation":
            own[p] = Operation(p, turn)
            entered[p, p] = own[p], moment, held[p]
        elif found := re.match(r"sends tell \S+ to (\d+)", event):
            entered[p, int(found[1])] = own[int(found[1])], moment, held[p]
        elif found := re.match(r"(takes|sends) (?:give|return) (\S+) ", event):
            held[p] += float(found[2]) * (1 if found[1] == "takes" else -1)
        elif found := re.match(r"works: its load grows by (\S+)", event):
            held[p] += float(found[1])
        elif event.startswith("gives up its operation"):
            del entered[p, p]
        elif found := re.match(r"(?:ends its operation|is released by the operation of (\d+))", event):
            operation, since, before = entered.pop((p, int(found[1]) if found[1] else p))
            if "no part" not in event:
                operation.parts[p] = since, moment, before, held[p]
                operation.end = max(operation.end, turn)
            if not found[1]:
                operation.counts = True
                done.append(operation)
    assert not entered, "nothing is open at the end"
    return done, held


def at_once(a, b):
    return any(p in b.parts and a.parts[p][0] < b.parts[p][1] and b.parts[p][0] < a.parts[p][1] for p in a.parts)


def kind_of(a, b):
    shared = set(a.parts) & set(b.parts)
    if a.invoker in shared or b.invoker in shared:
        return "adjacent"
    return {1: "one_shared", 2: "two_shared"}.get(len(shared), "many")


# At each processor, no other operation may occur between the sphere's first begin and its last end.
def meets(one, other):
    for p in {p for a in one for p in a.parts} & {p for b in other for p in b.parts}:
        mine = [a.parts[p] for a in one if p in a.parts]
        its = [b.parts[p] for b in other if p in b.parts]
        if min(x[0] for x in mine) < max(x[1] for x in its) and min(x[0] for x in its) < max(x[1] for x in mine):
            return True
    return False


def spheres(done):
    groups = [[operation] for operation in done]
    joined = True
    while joined:
        joined = False
        for one, other in itertools.combinations(groups, 2):
            if meets(one, other):
                one.extend(other)
                groups.remove(other)
                joined = True
                break
    return groups


def variance_of(parts, mean):
    return sum((w - mean) ** 2 for w in parts)


def describe(sphere, mean):
    before, after = {}, {}
    for p in {p for a in sphere for p in a.parts}:
        parts = [a.parts[p] for a in sphere if p in a.parts]
        before[p] = min(parts)[2]
        after[p] = max(parts, key=lambda part: part[1])[3]
    kind = "alone" if len(sphere) == 1 else kind_of(*sphere) if len(sphere) == 2 else "many"
    return {"begin": min(a.begin for a in sphere), "end": max(a.end for a in sphere), "kind": kind,
            "operations": len(sphere), "processors": len(before), "before": variance_of(before.values(), mean),
            "after": variance_of(after.values(), mean)}


def pairs(done):
    counts = {"adjacent": 0, "one_shared": 0, "two_shared": 0, "many": 0}
    for a, b in itertools.combinations(done, 2):
        if at_once(a, b):
            counts[kind_of(a, b)] += 1
    return counts
