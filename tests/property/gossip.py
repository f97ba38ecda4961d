# SPDX-License-Identifier: MIT
"""Gossip that computes the mean load: push-sum (Kempe, Dobra & Gehrke) and broadcast gossip (Aysal et al.), in rounds,
from their papers' formulas. The neighbours and the speakers are drawn anew from the seed."""
import math

import threefry
from measures import squares, sum_of
from systems import System


class Gossip(System):
    tokens = False

    def __init__(self, graph, loads, operations, seed):
        super().__init__(graph, loads)
        self.operations, self.seed = operations, seed
        self.announcements = 0
        self.noise = 1e-9 * max(1.0, max(map(abs, self.held)))

    def drawn(self, owner, count):
        return threefry.Moment(self.seed, owner, threefry.NEIGHBOURS, self.operation).below(count)

    def ended(self):
        return self.operation >= self.operations

    def estimate_fields(self):
        mean, values = sum_of(self.held) / len(self.held), self.estimates()
        return {"estimate_mean": sum_of(values) / len(values), "estimate_spread": max(values) - min(values),
                "estimate_error": math.sqrt(squares(x - mean for x in values))}


class PushSum(Gossip):
    """Half of the load and half of the weight stay, the other halves go to a neighbour drawn by each processor."""

    def __init__(self, graph, loads, operations, seed):
        self.weights = [1.0] * graph.n
        super().__init__(graph, loads, operations, seed)

    def advance(self):
        n = self.graph.n
        chosen = [self.graph.neighbours[i][self.drawn(i, len(self.graph.neighbours[i]))][0] for i in range(n)]
        weights = [w / 2.0 for w in self.weights]
        for i, j in enumerate(chosen):
            weights[j] += self.weights[i] / 2.0
        self.weights = weights
        self.transfer({(i, j): self.held[i] / 2.0 for i, j in enumerate(chosen)})
        self.announcements += n
        self.count_step(0, 1)

    def estimates(self):
        return [load / weight for load, weight in zip(self.held, self.weights)]


class Broadcast(Gossip):
    """The processor that is drawn tells its estimate; its neighbours keep a share of theirs."""

    def __init__(self, graph, loads, operations, seed, kept):
        self.kept = kept
        self.known = list(map(float, loads))
        super().__init__(graph, loads, operations, seed)

    def advance(self):
        speaker = self.drawn(0, self.graph.n)
        for j, _ in self.graph.neighbours[speaker]:
            self.known[j] = self.kept * self.known[j] + (1.0 - self.kept) * self.known[speaker]
        self.announcements += len(self.graph.neighbours[speaker])
        self.count_step(0, 1)

    def estimates(self):
        return self.known
