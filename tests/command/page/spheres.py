# SPDX-License-Identifier: MIT
"""A recorded run's time line in the data of a page, and what follows from it by its definition: at each processor a sphere
lasts from its first part there to its last, and two that are at one at once are one; until there are no such two."""


def operations_of(timeline):
    """Of each operation the processor, and the parts: (processor, begun, ended) of all who are in it."""
    found = []
    for processor, start, end, begun, ended, got, left in timeline["operations"]:
        parts = [(processor, begun, float("inf") if ended is None else ended)]
        found.append({"processor": processor, "from": start, "to": end, "got": got, "left": left, "parts": parts})
    for operation, processor, _, _, begun, ended in timeline["stays"]:
        found[operation]["parts"].append((processor, begun, float("inf") if ended is None else ended))
    return [operation for operation in found if not operation["left"]]


def intervals(operations, sphere):
    """By processor, when the sphere's operations are there."""
    found = {}
    for i in sphere:
        for p, begun, ended in operations[i]["parts"]:
            low, high = found.get(p, (begun, ended))
            found[p] = min(low, begun), max(high, ended)
    return found


def meet(a, b):
    return any(p in b and a[p][0] < b[p][1] and b[p][0] < a[p][1] for p in a)


def spheres(operations):
    """For each operation the operations of its sphere, by their numbers."""
    left = [({i}, intervals(operations, {i})) for i in range(len(operations))]
    whole = []
    while left:
        sphere, lasts = left.pop()
        met = [other for other in left + whole if meet(lasts, other[1])]
        if met:
            sphere = sphere.union(*(other for other, _ in met))
            left = [one for one in left if one not in met]
            whole = [one for one in whole if one not in met]
            left.append((sphere, intervals(operations, sphere)))
        else:
            whole.append((sphere, lasts))
    return [next(sphere for sphere, _ in whole if i in sphere) for i in range(len(operations))]
