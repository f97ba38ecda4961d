# SPDX-License-Identifier: MIT
"""The method tempered (TemperedLB), from its definition in docs/objects.md. Peers are drawn anew from the seed."""
import math

import threefry

CRITERIA = ("modified", "grapevine")
SHARES = ("max", "original", "self", "eligible")


def draw_rule(rng):
    """Criterion, shares, iterations, trials, fanout, rounds; the last ones may be left out."""
    rule = [rng.choice(CRITERIA), rng.choice(SHARES), rng.randint(1, 5), rng.randint(1, 3), rng.randint(1, 5),
            rng.randint(1, 4)]
    return rule[:rng.randint(0, len(rule))]


def spec(rule):
    return ":".join(["tempered", *map(str, rule)])


class Tempered:
    def __init__(self, objects, processors, seed, rule):
        self.objects, self.processors = objects, range(processors)
        whole = list(rule) + [None] * (6 - len(rule))
        self.criterion, self.share = whole[0] or "modified", whole[1] or "max"
        self.iterations, self.trials = whole[2] or 4, whole[3] or 1
        self.fanout, self.rounds = whole[4], whole[5]
        if self.fanout is None:
            self.rounds = max(1, round(math.sqrt(math.log2(processors))))
            self.fanout = next(f for f in range(1, processors + 1) if f ** self.rounds >= processors)
        if self.rounds is None:
            self.rounds = next((r for r in range(1, 64) if self.fanout ** r >= processors), 64)
        self.all_steps = self.trials * self.iterations * (self.rounds + 1)
        self.mean = sum(objects.weight) / processors
        self.random = [threefry.Moment(seed, p, threefry.PEERS, 0) for p in self.processors]
        self.messages = self.steps = self.scan_steps = 0

    def loads(self, place):
        return [self.objects.units(i for i, p in enumerate(place) if p == q) for q in self.processors]

    def gossip(self, load, rounds):
        """Of which loads each processor knows in the end."""
        low = {p for p in self.processors if load[p] < self.mean}
        known, speakers = {p: set() for p in self.processors}, low
        for _ in range(rounds):
            heard = {p: set(own) for p, own in known.items()}
            receivers = set()
            for p in sorted(speakers):
                left = [q for q in self.processors if q != p and q not in known[p] & low]
                for _ in range(min(self.fanout, len(left))):
                    q = left.pop(self.random[p].below(len(left)))
                    heard[q] |= known[p] | {p}
                    receivers.add(q)
                    self.messages += 1
            known, speakers = heard, receivers
        return known, low

    def accepts(self, own, peer, weight):
        return weight < own - peer if self.criterion == "modified" else peer + weight <= self.mean

    def order(self, held, above):
        """The lightest object that suffices alone, the lighter ones downwards, the heavier ones upwards."""
        enough = [self.objects.weight[i] for i in held if self.objects.weight[i] > above]
        first = min(enough, default=math.inf)
        down = self.objects.order(held)
        return [i for i in down if self.objects.weight[i] <= first] + \
            [i for i in reversed(down) if self.objects.weight[i] > first]

    def draw(self, p, peers, view, own):
        norm = own if self.share == "self" else self.mean
        if self.share in ("max", "eligible"):
            norm = max([norm] + [view[q] for q in peers])
        shares = [1.0 - view[q] / norm for q in peers] if len(peers) > 1 else [1.0]
        mark = self.random[p].unit()
        total = sum(shares)
        so_far = 0.0
        for q, share in zip(peers, shares):
            so_far += share
            if so_far > mark * total:
                return q
        return None

    def offer(self, p, place, load, known, low):
        """Where the objects of an overloaded processor go."""
        own, view, going = load[p], list(load), {}
        for i in self.order([i for i, at in enumerate(place) if at == p], own - self.mean):
            if not own > self.mean:
                break
            weight = self.objects.weight[i]
            peers = sorted(known[p] - {p})
            if self.share == "original":
                peers = [q for q in peers if view[q] < self.mean]
            elif self.share == "eligible":
                peers = [q for q in peers if self.accepts(own, view[q], weight)]
            else:
                peers = [q for q in peers if q in low]
            q = self.draw(p, peers, view, own) if peers else None
            if q is not None and self.accepts(own, view[q], weight):
                going[i] = q
                own -= weight
                view[q] += weight
        self.messages += len(set(going.values()))
        return going

    def place(self, steps):
        first = list(self.objects.home)
        best, lowest = first, max(self.loads(first))
        for _ in range(self.trials):
            now = list(first)
            for _ in range(self.iterations):
                load = self.loads(now)
                rounds = min(self.rounds, steps - self.steps)
                known, low = self.gossip(load, rounds)
                self.steps += rounds
                self.scan_steps += rounds
                if self.steps == steps:
                    return best
                moves = {}
                for p in self.processors:
                    if load[p] > self.mean:
                        moves.update(self.offer(p, now, load, known, low))
                for i, q in moves.items():
                    now[i] = q
                self.steps += 1
                if max(self.loads(now)) < lowest:
                    best, lowest = list(now), max(self.loads(now))
        return best
