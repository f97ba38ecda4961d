# SPDX-License-Identifier: MIT
"""Methods whose processors write letters, in rounds: a machine that moves each letter link by link over a shortest path.
The library computes instead when a letter arrives, so both must agree."""
import collections
import math

import threefry

LETTERS = 20  # the purpose of these random numbers
REQUEST, NOTICE, ANSWER, REFUSAL, PASSING = range(5)


class Program:
    """A program whose tasks do not depend on what is known elsewhere."""

    def execute(self, task, best):
        """The children, the best value that is known then, and whether the task was dropped."""
        return self.children(task), best, False


class Queens(Program):
    """Placements of n queens: a task is the tuple of columns so far, and has cost 1."""

    def __init__(self, n):
        self.n = n
        self.first = [()]

    def cost(self, task):
        return 1

    def children(self, task):
        row = len(task)
        return [task + (c,) for c in range(self.n) if row < self.n and
                all(c != d and abs(c - d) != row - r for r, d in enumerate(task))]


class Tree(Program):
    """Tasks of a file: (cost, parent or None)."""

    def __init__(self, lines):
        self.costs = [cost for cost, _ in lines]
        self.first = [i for i, (_, parent) in enumerate(lines) if parent is None]
        self.below = collections.defaultdict(list)
        for i, (_, parent) in enumerate(lines):
            if parent is not None:
                self.below[parent].append(i)

    def cost(self, task):
        return self.costs[task]

    def children(self, task):
        return self.below[task]


class Tour:
    """The shortest tour of drawn cities by branch and bound: a task is (bound, path)."""

    def __init__(self, cities, seed):
        self.n = cities
        places = []
        for _ in range(2 * cities):
            seed = 16807 * seed % (2 ** 31 - 1)
            places.append(1000 * seed // (2 ** 31 - 1))
        points = list(zip(places[::2], places[1::2]))
        self.apart = [[int(math.dist(a, b) + 0.5) for b in points] for a in points]
        self.first = [(self.bound((0,)), (0,))]

    def cost(self, task):
        return 1

    def tree(self, cities):
        """The length of a minimum spanning tree: the shortest edges that join two parts (Kruskal)."""
        part = {city: city for city in cities}
        length = 0
        for apart, a, b in sorted((self.apart[a][b], a, b) for a in cities for b in cities if a < b):
            if part[a] != part[b]:
                length += apart
                old = part[a]
                part = {city: part[b] if name == old else name for city, name in part.items()}
        return length

    def bound(self, path):
        length = sum(self.apart[a][b] for a, b in zip(path, path[1:]))
        left = [city for city in range(self.n) if city not in path]
        if not left:
            return length + self.apart[path[-1]][0]
        ends = sorted((self.apart[path[-1]][city], city) for city in left)
        starts = [self.apart[0][city] for city in left if len(path) > 1 or city != ends[0][1]]
        return length + self.tree(left) + ends[0][0] + min(starts)

    def execute(self, task, best):
        bound, path = task
        if best is not None and bound >= best:
            return [], best, True
        if len(path) == self.n:
            return [], bound, False
        children = [path + (city,) for city in range(self.n) if city not in path]
        return sorted(((self.bound(child), child) for child in children), reverse=True), best, False


def better(a, b):
    return min((value for value in (a, b) if value is not None), default=None)


class Letter:
    def __init__(self, kind, sender, place, receiver, number, tasks):
        self.kind, self.sender, self.place, self.receiver, self.number, self.tasks = (
            kind, sender, place, receiver, number, tasks)
        self.left = 0  # links that it has still to cross
        self.due = 0


class Machine:
    def __init__(self, graph, program, method, seed=1, grain=1):
        self.graph, self.program, self.method, self.seed, self.grain = graph, program, method, seed, grain
        self.n = graph.n
        self.near = [[q for q, _ in row] for row in graph.neighbours]
        self.distance = [self.search(p) for p in range(self.n)]
        self.held = [[] for _ in range(self.n)]  # (task, creator), oldest first
        self.budget = [0] * self.n
        self.created = [0] * self.n
        self.best, self.said, self.nodes = [None] * self.n, [None] * self.n, 0
        self.busy = [0] * self.n
        self.on_the_way, self.arrived = [], [[] for _ in range(self.n)]
        self.step = self.ticks = self.shared = self.executed = self.native = self.cost = 0
        self.moved = self.transfers = self.hops = self.requests = self.refused = 0
        self.announcements = self.most_held = self.posted = 0
        self.asking, self.passing = False, []
        self.place()
        method.begin(self)

    def place(self):
        first, n = self.program.first, self.n
        if len(first) == 1:
            self.held[0] = [(first[0], 0)]
        else:
            for p in range(n):
                part = first[p * len(first) // n:(p + 1) * len(first) // n]
                self.held[p] = [(task, p) for task in part]
        self.note_most()

    def search(self, start):
        distance = [None] * self.n
        distance[start] = 0
        queue = collections.deque([start])
        while queue:
            p = queue.popleft()
            for q in self.near[p]:
                if distance[q] is None:
                    distance[q] = distance[p] + 1
                    queue.append(q)
        return distance

    def note_most(self):
        self.most_held = max(self.most_held, max(map(len, self.held)))

    # ---- what methods call ----

    def load(self, p):
        return len(self.held[p]) + (self.budget[p] < 0)

    def draw(self, p, bound):
        moment = (2 * self.step + (not self.asking)) << 24 | self.draws
        self.draws += 1
        return threefry.Moment(self.seed, p, LETTERS, moment).below(bound)

    def other(self, p):
        drawn = self.draw(p, self.n - 1)
        return drawn + (drawn >= p)

    def neighbour(self, p):
        return self.near[p][self.draw(p, len(self.near[p]))]

    def post(self, kind, p, receiver, number=0, tasks=0, newest=False):
        held = self.held[p]
        tasks = min(tasks, len(held))
        if newest:
            taken, self.held[p] = held[len(held) - tasks:], held[:len(held) - tasks]
        else:
            taken, self.held[p] = held[:tasks], held[tasks:]
        self.send(Letter(kind, p, None, receiver, number, taken))

    def send(self, letter):
        links = self.distance[letter.sender][letter.receiver]
        letter.left = 1 if self.method.direct else links
        letter.place = (self.step, not self.asking, self.posted)
        self.posted += 1
        self.hops += links
        letter.best = self.said[letter.sender]
        self.requests += letter.kind == REQUEST
        self.refused += letter.kind == REFUSAL
        self.moved += len(letter.tasks) * links
        self.transfers += links if letter.tasks else 0
        self.on_the_way.append(letter)

    def hold(self, p, letter):
        self.held[p] = letter.tasks + self.held[p]
        self.note_most()

    # ---- a step ----

    def cross(self, kinds):
        """Letters of these kinds cross a link. Returns those that have arrived, in the order of reading."""
        arrived = []
        for letter in [each for each in self.on_the_way if each.kind in kinds]:
            letter.left -= 1
            if letter.left == 0:
                arrived.append(letter)
        self.on_the_way = [letter for letter in self.on_the_way if letter.left > 0]
        return sorted(arrived, key=lambda letter: (letter.sender, letter.place))

    def tick(self):
        busy = 0
        for p in range(self.n):
            works = self.budget[p] < 0
            self.budget[p] += self.grain
            self.created[p] = 0
            while self.budget[p] >= 1 and self.held[p]:
                works = True
                task, creator = self.held[p].pop()
                self.created[p] -= self.created[p] > 0
                children, self.best[p], dropped = self.program.execute(task, self.best[p])
                self.nodes += not dropped
                self.held[p] += [(child, p) for child in children]
                self.created[p] += len(children)
                self.executed += 1
                self.native += creator == p
                self.cost += self.program.cost(task)
                self.budget[p] -= self.program.cost(task)
                self.most_held = max(self.most_held, len(self.held[p]))
            self.budget[p] = min(self.budget[p], 0)
            self.busy[p] += works
            busy += works
        self.ticks += 1
        if not self.shared and 100 * busy >= 95 * self.n:
            self.shared = self.ticks
        return not any(self.held) and min(self.budget) == 0 and not any(
            each.tasks for each in self.on_the_way + self.passing)

    def run(self):
        while True:
            if self.step > 0 and self.tick():
                return self
            self.asking = True
            self.said = self.best[:]
            for p in range(self.n):
                self.draws = 0
                for letter in self.arrived[p]:
                    self.method.read(p, letter)
                self.arrived[p] = []
                self.method.ask(p)
            self.loads = [len(held) for held in self.held]
            self.announcements += self.method.announces * sum(map(len, self.near))
            read = [[] for _ in range(self.n)]
            for letter in self.passing + self.cross((REQUEST, NOTICE)):
                read[letter.receiver].append(letter)
            self.asking = False
            for p in range(self.n):
                self.draws = 0
                for value in [letter.best for letter in read[p]] + [
                        self.said[q] for q in self.near[p] if self.method.announces]:
                    self.best[p] = better(self.best[p], value)
                for letter in sorted(read[p], key=lambda letter: (letter.sender, letter.place)):
                    if not self.method.read(p, letter):
                        self.hold(p, letter)
                self.method.give(p)
                self.created[p] = 0
            self.step += 1
            self.passing = []
            for letter in self.cross((ANSWER, REFUSAL, PASSING)):
                if letter.kind == PASSING:
                    self.passing.append(letter)
                else:
                    self.hold(letter.receiver, letter)
                    self.best[letter.receiver] = better(self.best[letter.receiver], letter.best)
                    self.arrived[letter.receiver].append(letter)

    def report(self):
        idle = [self.ticks - busy for busy in self.busy]
        return {"executed": self.executed, "nodes": self.nodes, "ticks": self.ticks, "tasks_moved": self.moved, "transfers": self.transfers,
                "messages": self.hops + self.announcements, "native_fraction": self.native / self.executed,
                "most_held": self.most_held, "cost": self.cost, "idle_ticks": sum(idle) / self.n,
                "idle_ticks_most": max(idle), "shared_tick": self.shared or None, "requests": self.requests,
                "requests_failed": self.refused, "letter_hops": self.hops,
                "speedup": self.cost / (self.ticks * self.grain)}


class Method:
    announces = direct = False

    def begin(self, machine):
        self.m = machine

    def ask(self, p):
        pass

    def give(self, p):
        pass


class Steal(Method):
    """Requests to drawn victims; with `tries`, lifelines after so many refusals."""

    def __init__(self, near=False, tries=None, direct=False):
        self.near, self.tries, self.direct = near, tries, direct

    def begin(self, machine):
        self.m = machine
        self.waits = [False] * machine.n
        self.failed = [0] * machine.n
        self.asked = [set() for _ in range(machine.n)]
        self.askers = [set() for _ in range(machine.n)]

    def half(self, p):
        return self.m.load(p) // 2

    def read(self, p, letter):
        if letter.kind == REQUEST and letter.number:
            self.askers[p].add(letter.sender)
        elif letter.kind == REQUEST:
            half = self.half(p)
            self.m.post(ANSWER if half else REFUSAL, p, letter.sender, 0, half)
        else:
            self.failed[p] = 0 if letter.tasks else self.failed[p] + 1
            if letter.number:
                self.asked[p].remove(letter.sender)
            else:
                self.waits[p] = False

    def ask(self, p):
        if self.m.load(p) or self.waits[p]:
            return
        if self.tries is not None and self.failed[p] >= self.tries:
            bit = 1
            while bit < self.m.n:
                if p ^ bit < self.m.n and p ^ bit not in self.asked[p]:
                    self.asked[p].add(p ^ bit)
                    self.m.post(REQUEST, p, p ^ bit, 1)
                bit *= 2
            return
        self.waits[p] = True
        self.m.post(REQUEST, p, self.m.neighbour(p) if self.near else self.m.other(p))

    def give(self, p):
        for asker in sorted(self.askers[p], key=lambda asker: asker ^ p):
            if self.half(p):
                self.askers[p].remove(asker)
                self.m.post(ANSWER, p, asker, 1, self.half(p))


class Place(Method):
    """Each new task walks over `hops` links."""

    def __init__(self, hops=1):
        self.hops = hops

    def read(self, p, letter):
        if letter.kind != PASSING:
            return False
        letter.sender, letter.receiver, letter.number = p, self.m.neighbour(p), letter.number - 1
        letter.kind = PASSING if letter.number else ANSWER
        self.m.send(letter)
        return True

    def give(self, p):
        for _ in range(self.m.created[p]):
            self.m.post(PASSING if self.hops > 1 else ANSWER, p, self.m.neighbour(p), self.hops - 1, 1, newest=True)


class Central(Method):
    """One processor, linked to all others, holds the queue."""

    def begin(self, machine):
        self.m = machine
        self.hub = [len(row) for row in machine.near].index(machine.n - 1)
        self.waits = [False] * machine.n

    def ask(self, p):
        if p != self.hub and self.m.budget[p] >= 0 and not self.waits[p]:
            self.waits[p] = True
            self.m.post(REQUEST, p, self.hub)

    def read(self, p, letter):
        if letter.kind == REQUEST:
            gives = self.m.load(p) > 1
            self.m.post(ANSWER if gives else REFUSAL, p, letter.sender, 0, int(gives))
        else:
            self.waits[p] = False

    def give(self, p):
        if p != self.hub and self.m.held[p]:
            self.m.post(ANSWER, p, self.hub, 0, len(self.m.held[p]))


class Gradient(Method):
    """Proximities to the next light processor; heavy ones send a task downhill."""

    def __init__(self, low=1, high=1):
        self.low, self.high = low, high

    def begin(self, machine):
        self.m = machine
        self.far = max(map(max, machine.distance)) + 1
        self.told = [self.far] * machine.n
        self.heard = [{q: self.far for q in row} for row in machine.near]

    def ask(self, p):
        light = self.m.load(p) < self.low
        proximity = 0 if light else min(self.far, 1 + min(self.heard[p].values(), default=self.far))
        if proximity != self.told[p]:
            for q in self.m.near[p]:
                self.m.post(NOTICE, p, q, proximity)
        self.told[p] = proximity

    def read(self, p, letter):
        if letter.kind == NOTICE:
            self.heard[p][letter.sender] = letter.number

    def give(self, p):
        if self.m.load(p) > self.high and self.m.held[p] and min(self.heard[p].values(), default=self.far) < self.far:
            nearest = min(self.m.near[p], key=lambda q: (self.heard[p][q], q))
            self.m.post(ANSWER, p, nearest, 0, 1)


class Contracting(Method):
    """Each new task goes to the least loaded neighbour, and on, until no neighbour has less."""
    announces = True

    def __init__(self, radius=5, horizon=1):
        self.radius, self.horizon = radius, horizon

    def begin(self, machine):
        self.m = machine
        self.sent = [collections.Counter() for _ in range(machine.n)]

    def known(self, p, q):
        return self.m.loads[q] + self.sent[p][q]

    def least(self, p):
        return min(self.m.near[p], key=lambda q: (self.known(p, q), q))

    def read(self, p, letter):
        links = letter.number
        if letter.kind != PASSING or (
                links >= self.horizon and len(self.m.held[p]) <= self.known(p, self.least(p))):
            return False
        letter.sender, letter.receiver, letter.number = p, self.least(p), links + 1
        letter.kind = ANSWER if links + 1 == self.radius else PASSING
        self.sent[p][letter.receiver] += 1
        self.m.send(letter)
        return True

    def give(self, p):
        for _ in range(self.m.created[p]):
            least = self.least(p)
            self.sent[p][least] += 1
            self.m.post(ANSWER if self.radius == 1 else PASSING, p, least, 1, 1, newest=True)
        self.sent[p].clear()


class Receiver(Method):
    """Processors with few tasks ask random ones, at most `probes` in a row, and then pause."""

    def __init__(self, threshold=1, probes=3):
        self.threshold, self.probes = threshold, probes

    def begin(self, machine):
        self.m = machine
        self.waits = [False] * machine.n
        self.made = [0] * machine.n  # requests of the row
        self.pause = [0] * machine.n

    def ask(self, p):
        if self.m.load(p) >= self.threshold:
            self.made[p] = self.pause[p] = 0
        elif self.pause[p]:
            self.pause[p] -= 1
        elif not self.waits[p]:
            self.waits[p] = True
            self.made[p] += 1
            self.m.post(REQUEST, p, self.m.other(p))

    def read(self, p, letter):
        if letter.kind == REQUEST:
            gives = self.m.load(p) > self.threshold and len(self.m.held[p]) > 0
            self.m.post(ANSWER if gives else REFUSAL, p, letter.sender, 0, int(gives))
            return
        self.waits[p] = False
        if letter.kind == ANSWER or self.made[p] in (0, self.probes):
            self.pause[p] = self.probes if letter.kind == REFUSAL else 0
            self.made[p] = 0


class Sender(Receiver):
    """Processors that create tasks and have many ask random ones for leave to send one."""

    def ask(self, p):
        many = self.m.load(p) > self.threshold and self.m.held[p]
        if self.waits[p]:
            return
        if not many:
            self.made[p] = 0
        elif self.made[p] == 0 and self.m.created[p] or 0 < self.made[p] < self.probes:
            self.waits[p] = True
            self.made[p] += 1
            self.m.post(REQUEST, p, self.m.other(p))

    def read(self, p, letter):
        if letter.kind == REQUEST:
            takes = self.m.load(p) < self.threshold
            self.m.post(ANSWER if takes else REFUSAL, p, letter.sender)
        elif not letter.tasks:
            self.waits[p] = False
            if letter.kind == ANSWER or self.made[p] == self.probes:
                self.made[p] = 0
            if letter.kind == ANSWER and self.m.load(p) > self.threshold and self.m.held[p]:
                self.m.post(ANSWER, p, letter.sender, 0, 1)
