# SPDX-License-Identifier: MIT
"""Systems whose processors act on more than one neighbour's load: DDE (Wu & Shu), and the liquid model, nearest-
neighbour averaging and splitting as in Henrich. Tokens all (but for gossip.py), in rounds."""
from fractions import Fraction
import math

import graphs
from measures import Measure, passed


class Row:
    def __init__(self, system):
        measure = Measure(system.held)
        self.step, self.operation, self.between = system.step, system.operation, system.place == 0
        self.held = system.held[:]
        self.variance, self.spread = measure.variance, measure.spread
        self.minimum, self.maximum = measure.minimum, measure.maximum
        self.moved, self.in_flight = system.moved, 0.0
        self.invokers = len(system.held) if system.step > 0 else 0
        self.invocations = len(system.held) * (system.operation + (system.place > 0))
        stayed = math.fsum(system.native) if system.tokens else None
        self.passed = passed(system.held, 0.0, None, system.moved, math.fsum(system.held), stayed)


class System:
    """The counts that all have in common, named as in rounds.Run."""
    announcements = None  # not recomputed
    tokens = True
    invokes = None
    noise = 0.0
    close = False
    faint = 0
    generated = consumed = unmet = at_home = 0.0
    invocations = None

    def __init__(self, graph, loads):
        self.graph = graph
        self.held = list(map(float, loads))
        self.native = self.held[:]
        self.step = self.operation = self.place = self.parcels = 0
        self.moved = 0.0
        self.sent = {}
        self.minimum_ever = min(self.held)
        self.counts = {}
        self.rows = [Row(self)]

    def in_flight(self):
        return 0.0

    def estimate_fields(self):
        return {}

    def flows(self):
        net = [self.sent.get((i, j), 0.0) - self.sent.get((j, i), 0.0) for i, j, _ in self.graph.links]
        return math.fsum(map(abs, net)), math.sqrt(math.fsum(x * x for x in net))

    def transfer(self, amounts):
        """All at once: {(i, j): amount}; tokens that came from elsewhere leave first."""
        for (i, j), amount in amounts.items():
            self.moved += amount
            if i != j:
                self.held[i] -= amount
                self.sent[i, j] = self.sent.get((i, j), 0.0) + amount
                self.parcels += amount > 0
        self.native = [min(n, max(w, 0.0)) for n, w in zip(self.native, self.held)]
        for (i, j), amount in amounts.items():
            self.held[j] += amount if i != j else 0.0
        self.minimum_ever = min(self.minimum_ever, min(self.held))

    def count_step(self, place, period):
        self.step += 1
        self.place = (place + 1) % period
        self.operation += self.place == 0
        self.rows.append(Row(self))

    def ended(self):
        return False


RECURSIVE = ("c2r", "c4r")  # of the liquid model's conditions


class Liquid(System):
    """One dimension a step: i shifts a token to i+1 where the condition holds."""

    def __init__(self, graph, loads, condition):
        super().__init__(graph, loads)
        self.condition = condition
        if condition not in RECURSIVE:  # which tell more than loads
            self.announcements = 0

    def shifts(self, line):
        """Which places of a ring of loads shift; the recursive conditions are the least fixed point."""
        k = len(line)
        kind = self.condition
        limited = kind in ("c3", "c4", "c4r", "c5")
        own = [line[x] > (0 if kind in ("c0", "c5") else 1) for x in range(k)]
        high = [not limited or line[x] >= line[(x + 1) % k] for x in range(k)]
        shift = [a and b for a, b in zip(own, high)]
        if kind in ("c2", "c4"):
            shift = [(own[x] or (line[x] == 1 and line[x - 1] > 1)) and high[x] for x in range(k)]
        while kind in RECURSIVE:
            more = [shift[x] or (line[x] == 1 and shift[x - 1] and high[x]) for x in range(k)]
            if more == shift:
                break
            shift = more
        return shift

    def advance(self):
        graph, dimension = self.graph, self.place
        amounts = {}
        for p in range(graph.n):
            if graph.coordinates(p)[dimension] == 0:
                line = [graph.step_along(p, dimension, x) for x in range(graph.sides[dimension])]
                shift = self.shifts([self.held[q] for q in line])
                amounts.update({(q, graph.step_along(q, dimension, 1)): 1.0 for q, s in zip(line, shift) if s})
        if self.announcements is not None:
            self.announcements += graph.n * min(graph.sides[dimension] - 1, 2)
        self.transfer(amounts)
        self.count_step(dimension, len(graph.sides))


class Averaging(System):
    """nna on a ring: Eq. (4) without a variant, Eq. (5) as portion, its differences as net."""

    def __init__(self, graph, loads, variant):
        super().__init__(graph, loads)
        self.variant = variant
        self.announcements = 0
        self.counts["shifts"] = 0.0

    def amounts_of(self, load, left, right):
        """(to the right, to the left), in whole tokens: rounded up to the right and down to the left."""
        if self.variant == "portion":
            return -(-load // 3), load // 3
        if self.variant == "net":
            return -(-max(0, load - right) // 3), max(0, load - left) // 3
        total = load + left + right
        above = 3 * load - total
        wants = [max(0, total - 3 * right), max(0, total - 3 * left)]
        whole = 3 * sum(wants)
        if above <= 0 or whole == 0:
            return 0, 0
        return -(-wants[0] * above // whole), wants[1] * above // whole

    def advance(self):
        n = len(self.held)
        amounts = {}
        most = [0, 0]
        for i in range(n):
            left, right = (i - 1) % n, (i + 1) % n
            shares = self.amounts_of(int(self.held[i]), int(self.held[left]), int(self.held[right]))
            for side, (to, amount) in enumerate(zip((right, left), shares)):
                most[side] = max(most[side], amount)
                if amount > 0:
                    amounts[i, to] = amounts.get((i, to), 0.0) + amount
        self.transfer(amounts)
        self.counts["shifts"] += sum(most)
        self.announcements += n * min(n - 1, 2)
        self.count_step(0, 1)


class Splitting(System):
    """An idle processor is given floor((1 - A) L) of its predecessor's load."""

    def __init__(self, graph, loads, share):
        super().__init__(graph, loads)
        self.rest = 1 - Fraction(share)

    def amounts(self):
        n = len(self.held)
        found = {}
        for i in range(n):
            amount = math.floor(self.rest * int(self.held[i - 1]))
            if self.held[i] == 0 and amount > 0:
                found[(i - 1) % n, i] = float(amount)
        return found

    def advance(self):
        self.transfer(self.amounts())
        self.count_step(0, 1)

    def ended(self):
        return not self.amounts()


class Rotor(System):
    """Each processor deals its tokens one by one to its neighbours and its self-loops."""

    announcements = 0  # it sends parcels only

    def __init__(self, graph, loads, loops):
        super().__init__(graph, loads)
        self.places = max(map(len, graph.neighbours)) + loops
        self.rotor = [0] * graph.n

    def advance(self):
        found = {}
        for i, held in enumerate(self.held):
            dealt = [0] * self.places
            for token in range(int(held)):
                dealt[(self.rotor[i] + token) % self.places] += 1
            self.rotor[i] = int(self.rotor[i] + held) % self.places
            found.update({(i, j): float(dealt[k]) for k, (j, _) in enumerate(self.graph.neighbours[i])})
        self.transfer(found)
        self.count_step(0, 1)


def chain_flows(loads, quotas, ring):
    """Along the links (e, e+1) of a line, and of a ring its wrap link last; of a ring with the least moved."""
    flows = []
    sum_ = 0
    for load, quota in zip(loads, quotas):
        sum_ += load - quota
        flows.append(sum_)
    if not ring:
        return flows[:-1]
    above, below = sorted((f for f in flows if f > 0), reverse=True), sorted(f for f in flows if f < 0)
    none = len(flows) - len(above) - len(below)
    middle = -(-len(flows) // 2)
    if len(below) + none < len(above):
        flows = [f - above[middle - 1] for f in flows]
    elif len(above) + none < len(below):
        flows = [f - below[middle - 1] for f in flows]
    return flows


def line_flows(graph, loads):
    """Along the links (e, e+1) of a path or a ring: [(from, to, amount)] by places on the line."""
    k = len(loads)
    total = sum(loads)
    quotas = [total // k + (x < total % k) for x in range(k)]
    flows = chain_flows(loads, quotas, graph.wraps and k >= 3)
    return [(e, (e + 1) % k, flow) if flow > 0 else ((e + 1) % k, e, -flow) for e, flow in enumerate(flows)]


def tree_flows(graph, loads):
    """Along the tree of another graph, whose preorder says who has the extra tasks."""
    parent, order, _ = graphs.walk_tree(graph)
    total = sum(loads)
    surplus = list(loads)
    for rank, x in enumerate(order):
        surplus[x] -= total // graph.n + (rank < total % graph.n)
    found = []
    for x in reversed(order[1:]):
        found.append((x, parent[x], surplus[x]) if surplus[x] > 0 else (parent[x], x, -surplus[x]))
        surplus[parent[x]] += surplus[x]
    return found


def is_line(graph):
    return graph.n <= 2 or len(graph.sides) == 1


class DirectExchange(System):
    """dde with all ports: dimension after dimension, each line to its quotas."""

    def __init__(self, graph, loads, send_first):
        super().__init__(graph, loads)
        self.send_first = send_first
        self.counts = {"scan_steps": 0, "exchange_steps": 0}

    def wanted(self, dimension):
        """What each processor is to send along the dimension: {p: [(q, amount), lower neighbours first]}."""
        graph = self.graph
        along = graph.line(dimension)
        out = {p: [] for p in range(graph.n)}
        for p in range(graph.n):
            if graph.coordinates(p)[dimension] == 0:
                line = [graph.step_along(p, dimension, x) for x in range(along.n)]
                loads = [int(self.held[q]) for q in line]
                for giver, taker, amount in (line_flows if is_line(along) else tree_flows)(along, loads):
                    if amount > 0:
                        out[line[giver]].append((line[taker], amount))
        return {p: sorted(items) for p, items in out.items()}

    def sends(self, p, out, inflows):
        """What p sends in this step, of what it has to send."""
        if not self.send_first:
            return out[p] if inflows[p] == 0 else []
        load = self.held[p]
        sent = []
        for to, amount in out[p]:
            if load >= amount:
                load -= amount
                sent.append((to, amount))
        return sent

    def lines(self):
        """One after the other: the steps of the scan, and what each processor is to send."""
        for dimension in range(len(self.graph.sides)):
            line = self.graph.line(dimension)
            yield 2 * (line.n - 1 if is_line(line) else graphs.walk_tree(line)[2]), self.wanted(dimension)

    def advance(self):
        """The one operation."""
        for scan_steps, out in self.lines():
            self.counts["scan_steps"] += scan_steps
            inflows = [0] * self.graph.n
            for to, _ in (item for items in out.values() for item in items):
                inflows[to] += 1
            while any(out.values()):
                now = {p: self.sends(p, out, inflows) for p in out if out[p]}
                self.transfer({(p, to): float(amount) for p, items in now.items() for to, amount in items})
                for p, items in now.items():
                    out[p] = [item for item in out[p] if item not in items]
                    for to, _ in items:
                        inflows[to] -= 1
                self.counts["exchange_steps"] += 1
        self.step = sum(self.counts.values())
        self.operation = 1
        self.rows.append(Row(self))

    def ended(self):
        return self.operation > 0


class TreeWalk(DirectExchange):
    """twa on a tree: all its processors are one line, whose root is processor 0."""

    def __init__(self, graph, loads):
        super().__init__(graph, loads, False)

    def lines(self):
        out = {p: [] for p in range(self.graph.n)}
        for giver, taker, amount in tree_flows(self.graph, [int(load) for load in self.held]):
            if amount > 0:
                out[giver].append((taker, amount))
        self.announcements = 2 * (self.graph.n - 1)  # sums go up, the total comes back
        yield 2 * graphs.walk_tree(self.graph)[2], out


class MeshWalk(DirectExchange):
    """mwa with all ports: between rows first, then along them. A row passes on the tokens that come from the row before.
    It adds, or keeps, the same share of what each column has, rounded down from the last column on."""

    def __init__(self, graph, loads):
        super().__init__(graph, loads, False)
        self.columns = graph.sides[0]
        self.of_rows = [range(p, p + self.columns) for p in range(0, graph.n, self.columns)]

    def deal(self, row, amount, have):
        """Takes the amount from what the columns have: by column."""
        whole, part, given, taken = sum(map(int, have.values())), 0, 0, {}
        for p in reversed(row):
            part += int(have[p])
            upto = part * int(amount) // whole if whole else 0
            taken[p], given = upto - given, upto
            have[p] -= taken[p]
        assert given == amount
        return [taken[p] for p in row]

    def between_rows(self, quotas):
        """By pair of rows: what each column carries down; negative where it goes up."""
        over = [sum(self.held[p] - quotas[p] for p in row) for row in self.of_rows]
        down = [sum(over[:i + 1]) for i in range(len(over) - 1)]
        surplus = [max(0.0, w - q) for w, q in zip(self.held, quotas)]
        none = [0] * self.columns
        split = [none for _ in down]
        order = [i for i in range(len(down) - 1, -1, -1) if down[i] < 0] + [i for i in range(len(down)) if down[i] > 0]
        for i in order:
            row = self.of_rows[i if down[i] > 0 else i + 1]
            before = i - 1 if down[i] > 0 else i + 1
            same = 0 <= before < len(down) and down[before] * down[i] > 0
            arrived = dict(zip(row, split[before] if same else none))
            stays = max(0, abs(down[before]) - abs(down[i])) if same else 0
            self.deal(row, stays, arrived)
            rest = self.deal(row, abs(down[i]) - sum(arrived.values()), {p: surplus[p] for p in row})
            for p, x in zip(row, rest):
                surplus[p] -= x
            split[i] = [arrived[p] + x for p, x in zip(row, rest)]
        return [[x if y > 0 else -x for x in row] for row, y in zip(split, down)]

    def lines(self):
        n, columns, rows = self.graph.n, self.columns, len(self.of_rows)
        total = int(sum(self.held))
        quotas = [total // n + (p < total % n) for p in range(n)]
        out = {p: [] for p in range(n)}
        load = self.held[:]

        def give(p, q, amount):
            giver, taker = (p, q) if amount > 0 else (q, p)
            if amount:
                out[giver].append((taker, abs(amount)))
        for i, split in enumerate(self.between_rows(quotas)):
            for p, x in zip(self.of_rows[i], split):
                give(p, p + columns, x)
                load[p] -= x
                load[p + columns] += x
        for row in self.of_rows:
            flows = chain_flows([load[p] for p in row], [quotas[p] for p in row], False)
            for p, x in zip(row, flows):
                give(p, p + 1, x)
        along, across = columns - 1, rows - 1
        yield 2 * along + 2 * across + (2 * along + across + 2 if along and across else 0), out

    def sends(self, p, out, inflows):
        """What goes to another row waits for what comes from one, and the rest for all."""
        across = [q for q in (p - self.columns, p + self.columns) if 0 <= q < self.graph.n and self.columns > 1]
        if any(to == p for q in across for to, _ in out[q]):
            return []
        return out[p] if inflows[p] == 0 else [item for item in out[p] if item[0] in across]
