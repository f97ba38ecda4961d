# SPDX-License-Identifier: MIT
"""Methods whose processors write letters, in rounds: a machine that moves each letter link by link over a shortest path.
The library computes instead when a letter arrives, so both must agree."""
import collections

import threefry

LETTERS = 20  # the purpose of these random numbers
REQUEST, ANSWER, REFUSAL, PASSING = range(4)


class Queens:
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


class Tree:
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
        self.busy = [0] * self.n
        self.on_the_way, self.arrived = [], [[] for _ in range(self.n)]
        self.step = self.ticks = self.shared = self.executed = self.native = self.cost = 0
        self.moved = self.transfers = self.hops = self.requests = self.refused = 0
        self.announcements = self.most_held = self.posted = 0
        self.asking = False
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
        letter.left = self.distance[letter.sender][letter.receiver]
        letter.place = (self.step, not self.asking, self.posted)
        self.posted += 1
        self.hops += letter.left
        self.requests += letter.kind == REQUEST
        self.refused += letter.kind == REFUSAL
        self.moved += len(letter.tasks) * letter.left
        self.transfers += letter.left if letter.tasks else 0
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
                children = self.program.children(task)
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
        return not any(self.held) and min(self.budget) == 0 and not any(each.tasks for each in self.on_the_way)

    def run(self):
        while True:
            if self.step > 0 and self.tick():
                return self
            self.asking = True
            for p in range(self.n):
                self.draws = 0
                for letter in self.arrived[p]:
                    self.method.read(p, letter)
                self.arrived[p] = []
                self.method.ask(p)
            self.loads = [len(held) for held in self.held]
            self.announcements += self.method.announces * sum(map(len, self.near))
            read = [[] for _ in range(self.n)]
            for letter in self.passing + self.cross((REQUEST,)) if self.step else self.cross((REQUEST,)):
                read[letter.receiver].append(letter)
            self.asking = False
            for p in range(self.n):
                self.draws = 0
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
                    self.arrived[letter.receiver].append(letter)

    def report(self):
        idle = [self.ticks - busy for busy in self.busy]
        return {"executed": self.executed, "ticks": self.ticks, "tasks_moved": self.moved, "transfers": self.transfers,
                "messages": self.hops + self.announcements, "native_fraction": self.native / self.executed,
                "most_held": self.most_held, "cost": self.cost, "idle_ticks": sum(idle) / self.n,
                "idle_ticks_most": max(idle), "shared_tick": self.shared or None, "requests": self.requests,
                "requests_failed": self.refused, "letter_hops": self.hops,
                "speedup": self.cost / (self.ticks * self.grain)}


class Method:
    announces = False

    def begin(self, machine):
        self.m = machine

    def ask(self, p):
        pass

    def give(self, p):
        pass


class Steal(Method):
    """Requests to drawn victims; with `tries`, lifelines after so many refusals."""

    def __init__(self, near=False, tries=None):
        self.near, self.tries = near, tries

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
