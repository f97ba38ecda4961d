# SPDX-License-Identifier: MIT
"""Virtual time, turn by turn, with methods whose processors write letters. Each processor on the path of a letter
forwards it; the letters of a turn that leave over the same link leave with one message."""
import collections

import letters
import threefry
import virtual


class Contracting(letters.Contracting):
    """A processor knows the loads that its neighbours have announced, and 0 before."""

    def known(self, p, q):
        return self.m.announced(p, q) + self.sent[p][q]


class Loads:
    """The tasks of each processor, the oldest first."""

    def __init__(self, processors):
        self.processors = processors

    def __getitem__(self, p):
        return self.processors[p].tasks


def pair(kind, rest):
    return kind(*map(int, filter(None, rest.split(":"))))


def method_of(spec, hops):
    """The method of a spec, None if it writes no letters."""
    name, _, rest = spec.partition(":")
    side, _, numbers = rest.partition(":")
    if name == "steal" and side != "direct":
        tries = int(numbers or 2) if side == "lifeline" else None
        return letters.Steal(near=side == "neighbour", tries=tries)
    if name == "initiated":
        return pair(letters.Sender if side == "sender" else letters.Receiver, numbers)
    if name == "gradient":
        low, _, high = rest.partition(":")
        return letters.Gradient(int(low or 1), int(high or low or 1))
    if name == "cwn":
        return pair(Contracting, rest)
    return {"place": lambda: letters.Place(hops), "central": letters.Central}.get(name, lambda: None)()


class Run(virtual.Run):
    """Also the machine that a method sees."""

    def run(self):
        graph = self.setting.graph
        self.n = graph.n
        self.near = [[q for q, _ in row] for row in graph.neighbours]
        self.distance = [self.search(p) for p in range(self.n)]
        self.held = Loads(self.processors)
        self.budget = [0] * self.n
        self.draws = [0] * self.n
        self.leaving = collections.defaultdict(list)  # by port
        self.stopped = [[] for _ in range(self.n)]
        self.method = self.setting.method
        self.method.begin(self)
        super().run()

    search = letters.Machine.search

    @property
    def created(self):
        return [own.created for own in self.processors]

    # What methods call.

    def load(self, p):
        return len(self.held[p])

    def draw(self, p, bound):
        self.draws[p] += 1
        return threefry.Moment(self.setting.seed, p, letters.LETTERS, self.draws[p] - 1).below(bound)

    other = letters.Machine.other
    neighbour = letters.Machine.neighbour

    def announced(self, p, q):
        port = next(port for port in self.processors[p].ports if port.neighbour == q)
        return 0.0 if port.known != port.known else port.known

    def post(self, kind, p, receiver, number=0, tasks=0, newest=False):
        own = self.processors[p]
        tasks = min(tasks, len(own.tasks))
        split = len(own.tasks) - tasks if newest or self.setting.gives_newest else tasks
        older, newer = own.tasks[:split], own.tasks[split:]
        taken, own.tasks = (newer, older) if newest or self.setting.gives_newest else (older, newer)
        own.created -= tasks if newest else 0
        self.send_letter(p, letters.Letter(kind, p, None, receiver, number, taken))

    def send(self, what, *more, **named):
        """A method sends a letter on; the machine sends a message."""
        if isinstance(what, letters.Letter):
            self.send_letter(what.sender, what)
        else:
            super().send(what, *more, **named)

    # Paths.

    def send_letter(self, p, letter):
        far = self.distance[p][letter.receiver]
        nearer = [port for port in self.processors[p].ports if far is not None and self.usable(port) and
                  self.distance[port.neighbour][letter.receiver] == far - 1]
        if not nearer:
            self.hold(self.processors[p], letter)
            letter.kind = letters.REFUSAL if letter.tasks else letter.kind
            letter.tasks = []
            self.stopped[p].append(letter)
            return
        self.count["requests"] += letter.kind == letters.REQUEST and letter.sender == p
        self.count["requests_failed"] += letter.kind == letters.REFUSAL and letter.sender == p
        self.count["letter_hops"] += 1
        self.count["parcels"] += bool(letter.tasks)
        self.leaving[nearer[0].number].append(letter)

    def hold(self, own, letter):
        own.tasks = letter.tasks + own.tasks
        self.count["most_held"] = max(self.count["most_held"], len(own.tasks))

    def receive_letters(self, own, port, message):
        for letter in message.tasks:
            if letter.receiver != own.number:
                self.send_letter(own.number, letter)
                continue
            if letter.kind != letters.PASSING:
                self.hold(own, letter)
            if not self.method.read(own.number, letter) and letter.kind == letters.PASSING:
                self.hold(own, letter)
        port.load += message.amount
        self.amount["moved"] += message.amount
        self.settle_held(own)

    def settle_held(self, own):
        own.held = float(len(own.tasks))
        own.minimum = min(own.minimum, own.held)

    def act(self, own):
        p, method = own.number, self.method
        pauses = type(method) is letters.Receiver and self.load(p) < method.threshold and method.pause[p] > 0
        method.ask(p)
        method.give(p)
        own.created = 0
        self.settle_held(own)
        self.awake = self.awake or pauses
        return pauses or any(self.leaving[port.number] for port in own.ports)

    def leave(self, own):
        found = False
        if self.draining is None:
            stopped, self.stopped[own.number] = self.stopped[own.number], []
            for letter in stopped:
                self.send_letter(own.number, letter)
        for port in own.ports:
            going = self.leaving[port.number]
            if going and not port.kept:
                self.leaving[port.number] = []
                self.send(port, "letters", float(sum(len(letter.tasks) for letter in going)), tasks=going)
                found = True
            before = 0.0 if port.announced != port.announced else port.announced
            if self.method.announces and self.draining is None and not port.kept and before != own.held and \
                    self.usable(port):
                port.announced = own.held
                self.send(port, "announce", own.held)
                found = True
        return found

    def in_flight(self):
        waiting = sum(len(letter.tasks) for going in self.leaving.values() for letter in going)
        return super().in_flight() + waiting
