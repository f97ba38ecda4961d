# SPDX-License-Identifier: MIT
"""The method partners, from its definition in docs/objects.md: the links between partners, and the objects that flow
over them."""
import math

import indivisible

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
