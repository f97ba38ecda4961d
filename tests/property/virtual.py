# SPDX-License-Identifier: MIT
"""Virtual time, turn by turn: the protocol of free timing on a machine whose turns and messages cost time.

There is one queue of events: the processor with the earliest turn makes it, of two with equal times the one with the
lower number. No processor runs ahead of another. Windows matter only for their ends, at which the run may end.
"""
import collections
import math

import measures

NEVER = 1 << 62
TICKS_MAX = 16  # the most ticks of work in a turn
CARRY = ("give", "return", "letters")  # letters without tasks carry nothing

Message = collections.namedtuple("Message", "kind amount sent answer tasks best")


def carries(message):
    return message.kind in CARRY and (message.kind != "letters" or message.amount > 0.0)


class Setting:
    """All that a run is made of. Times are whole nanoseconds."""

    def __init__(self, graph, loads, flow, **more):
        self.graph = graph
        self.loads = loads
        self.flow = flow  # flow(i, j, own, known): what i would give j
        self.by_colour = more["by_colour"]  # an operation asks one neighbour after the other, by colour
        self.gives_only = more["gives_only"]
        self.pushed = more["pushed"]
        self.cost = more["cost"]  # by the names of the options
        self.turn_costs = more["turn_costs"]  # turn_costs(processor, turn): of the turn, and of a message received, sent
        self.wire_costs = more["wire_costs"]  # wire_costs(port, number, occupies, latency): both as they are drawn
        self.latency = more["latency"]  # latency(port, number, carries)
        self.lookahead = more["lookahead"]
        self.room = more["room"]  # of a mailbox
        self.slow = more["slow"]  # by processor
        self.invokes = more["invokes"]  # invokes(processor, held, turn)
        self.gradient = more["gradient"]
        self.recurs = more["recurs"]  # whether a processor may invoke at a later turn without any message
        self.limit = more["limit"]
        self.ticks = more["ticks"]  # a list of ticks, each an amount by processor
        self.repeats = more["repeats"]
        self.tick_ns = more["tick_ns"]
        self.suspends = more["suspends"]
        self.faults = more["faults"]  # (time, "fail" or "repair", the link's two ends or the processor)
        self.pause = more["pause"]  # pause(processor, degree, turn)
        self.stop = more["stop"]
        self.operations = more["operations"]
        self.end = more["end"]
        self.sample = more["sample"]
        self.program = more["program"]  # None if load consists of numbers
        self.grain = more["grain"]
        self.gives_newest = more["gives_newest"]
        self.task_ns = more["task_ns"]  # by processor: the time of a unit of cost
        self.method = more["method"]  # if it writes letters
        self.seed = more["seed"]
        self.objects = more["objects"]  # None if load does not consist of objects


class Port:
    def __init__(self, owner, number, neighbour, colour):
        self.owner, self.number, self.neighbour, self.colour = owner, number, neighbour, colour
        self.known = math.nan  # the neighbour's load
        self.announced = math.nan
        self.member = None  # of the own operation: asked, joined, pulled, settled or refused
        self.wanted = self.rest = 0.0
        self.engaged = self.gives = False
        self.kept = collections.deque()
        self.departed = 0
        self.count = collections.Counter()  # of the messages that came here
        self.load = 0.0  # that came here and stayed
        self.free_at = 0
        self.last_arrival = 0
        self.starts = []  # of messages that were put on the wire and may still wait for it
        self.inbox = collections.deque()  # (arrival, message)

    def sent(self):
        """The load that was sent here and did not return."""
        coming = [message for _, message in self.inbox] + list(self.twin.kept)
        return self.load + measures.sum_of(message.amount for message in coming if message.kind in ("give", "letters"))


class Processor:
    def __init__(self, number, held):
        self.number = number
        self.held = self.minimum = held
        self.ports = []
        self.order = []
        self.next = self.ended = self.turns = self.ticks = self.pause = 0
        self.begun_at = None  # of its operation
        self.any_joined = False
        self.cursor = self.waiting = self.engaged = 0
        self.asked = self.got = 0.0
        self.tasks = []  # the oldest first, each with the processor that created it and the cost that led to it
        self.best = math.inf
        self.created = 0  # tasks of the last tick that are still held
        self.worked = 0
        self.bytes = 0  # of the objects that it sent

    def in_operation(self):
        return self.begun_at is not None or self.engaged > 0


class Run:
    def __init__(self, setting):
        self.setting = setting
        self.processors = [Processor(p, float(w)) for p, w in enumerate(setting.loads)]
        self.count = collections.Counter()
        self.amount = collections.Counter()
        self.latencies, self.times = [], []
        self.draining = None  # the word for the end
        self.ended = None
        self.last = self.window_end = self.clock = 0
        self.whole = True
        self.cut = False
        self.down = set()
        self.faults = list(setting.faults)
        self.rows = {}  # by time: the state in the trace
        self.next_sample = self.recorded = 0
        self.place_tasks()
        number = 0
        for p, neighbours in enumerate(setting.graph.neighbours):
            for j, colour in neighbours:
                self.processors[p].ports.append(Port(p, number, j, colour))
                number += 1
        for own in self.processors:
            own.order = sorted(own.ports, key=lambda port: port.colour) if setting.by_colour else own.ports
            for port in own.ports:
                port.twin = next(q for q in self.processors[port.neighbour].ports if q.neighbour == own.number)
        self.run()

    def place_tasks(self):
        if self.setting.objects:
            self.moves = [0] * len(self.setting.objects.weight)
            for own in self.processors:
                own.tasks = [i for i, home in enumerate(self.setting.objects.home) if home == own.number]
        if self.setting.program:
            first = iter(self.setting.program.first())
            for own in self.processors:
                own.tasks = [(next(first), own.number, 0) for _ in range(int(own.held))]
                self.count["most_held"] = max(self.count["most_held"], len(own.tasks))
            self.count["done_ns"] = 0

    # Time.

    def run(self):
        while self.ended is None:
            first = min(self.processors, key=lambda own: own.next)
            fault = self.faults[0][0] if self.faults else NEVER
            if self.window_end and min(first.next, fault) >= self.window_end:
                self.end_window()
            elif first.next == NEVER and self.test(nothing_left=True):
                pass
            elif min(first.next, fault) > self.setting.end:
                self.end_in_time()
            elif first.next == fault == NEVER:
                self.ended = "frozen" if self.quiet() else "stuck"
            elif fault <= first.next:
                self.apply_faults(fault)
            else:
                self.begin_window(first.next, fault)
                self.turn(first, first.next)

    def begin_window(self, time, fault):
        if self.window_end:
            return
        natural = (time // self.setting.lookahead + 1) * self.setting.lookahead
        self.window_end = min(natural, fault, self.setting.end + 1)
        self.whole = self.window_end == natural and natural <= self.setting.end
        self.count["windows"] += 1

    def end_window(self):
        self.clock, self.window_end = min(self.window_end, self.setting.end), 0
        if self.whole:
            self.test()

    def test(self, nothing_left=False):
        """At the end of a window, or if nothing is left to come. Returns whether the run ends or begins to go on."""
        self.record()
        if self.draining is None:
            reached = self.reached()
            tasks = self.setting.program and not any(own.tasks for own in self.processors) and not self.in_flight()
            if self.setting.operations and self.count["begun"] >= self.setting.operations:
                self.draining = "operations"
            elif self.setting.program:
                self.draining = "done" if tasks else None
            elif (reached or nothing_left) and self.quiet() and not self.wanting():
                self.draining = "itself"
            elif reached:
                self.draining = "criterion"
        if not self.draining or not self.quiet():
            return False
        if self.draining != "criterion" or self.reached():
            self.ended = self.draining
            return True
        self.draining = None
        for own in self.processors:
            own.next = min(own.next, max(own.ended, self.clock))
        return True

    def record(self):
        """A row of the trace: at the first end of a window after each multiple of the sample's time, or when each
        processor had a turn on average."""
        sample, turns = self.setting.sample, self.count["turns"]
        if self.clock >= self.next_sample if sample else turns - self.recorded >= len(self.processors):
            held = [own.held for own in self.processors]
            ended = self.count["begun"] if self.setting.pushed else len(self.times)
            amount = self.amount
            self.rows[self.clock] = (held, self.in_flight(), amount["moved"], amount["generated"], ended,
                                     self.invokers())
            self.next_sample = (self.clock // sample + 1) * sample if sample else 0
            self.recorded = turns

    def end_in_time(self):
        self.cut = True
        self.ended = "criterion" if self.reached() else "time"

    def apply_faults(self, time):
        self.clock = time
        while self.faults and self.faults[0][0] <= time:
            _, event, what = self.faults.pop(0)
            self.down ^= {what}
            failures = "link_failures" if len(what) == 2 else "processor_failures"
            self.count["repairs" if event == "repair" else failures] += 1
            for own in self.processors:
                for port in own.ports:
                    if set(what) <= {own.number, port.neighbour}:
                        own.next = min(own.next, max(own.ended, time))

    def usable(self, port):
        link = (min(port.owner, port.neighbour), max(port.owner, port.neighbour))
        return not self.down & {link, (port.owner,), (port.neighbour,)}

    def cut_off(self, own):
        return not any(self.usable(port) for port in own.ports)

    # The state of the machine.

    def in_flight(self):
        ways = [port for own in self.processors for port in own.ports]
        kept = [m.amount for port in ways for m in port.kept if m.kind in CARRY]
        return measures.sum_of(kept + [m.amount for port in ways for _, m in port.inbox if m.kind in CARRY])

    def invokers(self):
        return sum(own.in_operation() for own in self.processors)

    def quiet(self):
        return not any(own.in_operation() or any(port.kept or port.inbox for port in own.ports)
                       for own in self.processors)

    def rests(self):
        """Whether no load would move over any link."""
        held = [own.held for own in self.processors]
        return self.in_flight() == 0.0 and not any(self.setting.flow(one, other, held[one], held[other]) > 0.0
                                                   for i, j, _ in self.setting.graph.links
                                                   for one, other in ((i, j), (j, i)))

    def wanting(self):
        """Whether any processor would begin an operation now or later. One that is cut off for good would not."""
        lost = self.setting.faults and not any(event == "repair" for _, event, _ in self.faults)
        later = [own for own in self.processors if not (lost and self.cut_off(own))]
        return any(self.wants(own) for own in self.processors) or \
            any(self.setting.recurs or self.works(own) for own in later)

    def reached(self):
        if not measures.compares(self.setting.stop):
            return False
        held = [own.held for own in self.processors]
        noise = 1e-9 * max(1.0, max(map(abs, held)))
        met = measures.verdict(measures.terms(self.setting.stop, held, self.in_flight(), self.setting.graph), noise)
        if met is None and not all(w == math.floor(w) for w in held):
            raise ArithmeticError("rounding decides whether the criterion holds")
        return met is not False

    # A turn.

    def turn(self, own, now):
        self.now, self.awake, self.due = now, False, NEVER
        self.sent, self.received, self.worked = [], 0, 0
        had_begun = own.begun_at is not None
        found = False
        for port in own.ports:
            found = self.send_kept(port) or found
            found = self.receive_all(own, port) or found
        found = self.work(own) or found
        if self.draining is None:
            found = self.act(own) or found
        found = self.leave(own) or found
        own.turns += 1
        self.count["turns"] += 1
        self.count["empty_turns"] += not found
        self.finish(own, now)

    def act(self, own):
        begins = self.invokes(own)
        return self.push(own, begins) if self.setting.pushed else begins and self.begin(own)

    def leave(self, _own):
        """Sends what has waited for the end of the turn."""
        return False

    def finish(self, own, now):
        factor = self.setting.slow.get(own.number, 1)
        turn, receive, send = (factor * cost for cost in self.setting.turn_costs(own.number, own.turns - 1))
        departs = now + turn + self.received * receive
        if self.worked:
            work = math.floor(self.worked * self.setting.task_ns(own.number) * factor + 0.5)
            departs += work
            own.worked += max(0, min(departs, self.setting.end) - (departs - work))
            self.count["done_ns"] = max(self.count["done_ns"], departs)
        for port, message in self.sent:
            departs += send
            self.depart(port, message, departs)
        own.ended = departs
        busy = min(departs, self.setting.end) - now  # the rest comes after the run
        self.count["busy"] += busy
        self.count["overheads"] += max(0, busy - turn - (work if self.worked else 0))
        if self.received or self.sent or self.worked:
            self.last = max(self.last, min(departs, self.setting.end))
        own.next = self.next_turn(own)

    def next_turn(self, own):
        if self.awake or (own.pause > 0 and self.draining is None):
            return own.ended
        times = [port.inbox[0][0] for port in own.ports if port.inbox] + [self.due]
        for port in own.ports:
            waiting = sorted(start for start in port.starts if start > own.ended)
            if port.kept:
                times.append(waiting[0] if len(waiting) == self.setting.room else own.ended)
        return min(NEVER, max(own.ended, min(times)))

    # Messages.

    def depart(self, port, message, departs):
        cost = self.setting.cost
        size = cost["message-bytes"] + (cost["load-bytes"] * message.amount if carries(message) else 0.0)
        if self.setting.objects:
            size = cost["message-bytes"] + self.setting.objects.bytes(message.tasks)
        occupies = cost["gap"] + math.floor(size * cost["byte-time"] + 0.5)
        latency = self.setting.latency(port, port.departed, carries(message))
        occupies, latency = self.setting.wire_costs(port.number, port.departed, occupies, latency)
        starts = max(departs, port.free_at)
        port.free_at = starts + occupies
        port.starts.append(starts)
        arrives = port.free_at + latency
        port.departed += 1
        port.last_arrival = max(port.last_arrival, arrives)
        port.twin.inbox.append((port.last_arrival, message))
        other = self.processors[port.neighbour]
        other.next = min(other.next, max(other.ended, port.last_arrival))

    def put(self, port, message):
        port.starts = [start for start in port.starts if start > self.now]
        if len(port.starts) + sum(place is port for place, _ in self.sent) >= self.setting.room:
            return False
        self.sent.append((port, message))
        return True

    def send(self, port, kind, amount=0.0, answer=False, tasks=()):
        message = Message(kind, amount, self.now, answer, tasks, self.processors[port.owner].best)
        if port.kept or not self.put(port, message):
            port.kept.append(message)
            self.count["stalls"] += 1
            port.twin.count["stalls"] += 1

    def send_kept(self, port):
        found = False
        while port.kept and self.put(port, port.kept[0]):
            port.kept.popleft()
            found = True
        return found

    def receive_all(self, own, port):
        taken = 0
        while port.inbox and port.inbox[0][0] <= self.now:
            _, message = port.inbox.popleft()
            taken += 1
            self.latencies.append(self.now - message.sent)
            own.best = min(own.best, message.best)
            getattr(self, "receive_" + message.kind)(own, port, message)
        self.received += taken
        self.count["messages"] += taken
        port.count["messages"] += taken
        for count in (self.count, port.count):
            count["depth_most"] = max(count["depth_most"], taken)
        return taken > 0

    def receive_ask(self, own, port, message):
        if port.member is None:
            port.known = message.amount
        if not self.usable(port):
            self.count["refusals"] += 1
            self.send(port, "refuse")
            return
        self.count["engagements"] += 1
        self.count["overlaps"] += own.in_operation()
        port.engaged = True
        port.gives = False
        own.engaged += 1
        self.take_part(own)
        self.send(port, "tell", own.held)

    def take_part(self, own):
        most = own.engaged + (own.begun_at is not None)
        self.count["overlap_most"] = max(self.count["overlap_most"], most)

    def receive_tell(self, own, port, message):
        port.known = message.amount
        if self.usable(port):
            port.member = "joined"
            own.any_joined = True
        else:
            port.member = "refused"
            self.send(port, "release", answer=True)  # the neighbour had no part
        self.answered(own)

    def receive_refuse(self, own, port, _message):
        port.member = "refused" if port.member == "asked" else "settled"
        self.answered(own)

    def receive_give(self, own, port, message):
        amount = message.amount
        if not self.setting.pushed and not self.usable(port) and amount > 0.0:
            self.count["returned"] += 1
            self.amount["load_returned"] += amount
            self.send(port, "return", amount, tasks=message.tasks)
            amount = 0.0
        else:
            self.take_tasks(own, message)
        own.held += amount
        if self.setting.objects:
            own.held = self.setting.objects.load(own.tasks)
        port.load += amount
        self.amount["moved"] += amount
        if message.answer:
            port.member = "settled"
            own.got += amount
            own.asked += port.wanted if self.usable(port) else 0.0
            self.answered(own)
        elif not self.setting.pushed:
            self.release(own, port, not port.gives)

    def receive_return(self, own, _port, message):
        own.held += message.amount
        self.take_tasks(own, message)
        if self.setting.objects:
            own.held = self.setting.objects.load(own.tasks)
            own.bytes -= self.setting.objects.bytes(message.tasks)
            for i in message.tasks:
                self.moves[i] -= 1

    def take_tasks(self, own, message):
        own.tasks = list(message.tasks) + own.tasks
        self.count["most_held"] = max(self.count["most_held"], len(own.tasks))

    def receive_pull(self, own, port, message):
        if self.usable(port):
            held = own.held
            port.gives = True
            given = self.give(own, port, message.amount, True)
            self.count["stale"] += (held if self.setting.objects else given) < message.amount
        else:
            self.send(port, "refuse")
        self.release(own, port, not port.gives)

    def receive_release(self, own, port, message):
        self.release(own, port, not port.gives and not message.answer)

    def receive_announce(self, _own, port, message):
        port.known = message.amount

    def release(self, own, port, forgets):
        port.engaged = False
        own.engaged -= 1
        port.rest = 0.0 if forgets else port.rest

    def give_objects(self, own, port, amount, answer):
        objects = self.setting.objects
        going, port.rest = objects.give(own.tasks, own.number, amount, port.known, port.rest)
        load = objects.load(going)
        for i in going:
            own.tasks.remove(i)
            self.moves[i] += 1
        own.bytes += objects.bytes(going)
        own.held = objects.load(own.tasks)
        if going:
            own.minimum = min(own.minimum, own.held)
            self.count["parcels"] += 1
        if going or answer:
            self.send(port, "give", load, answer, going)
        return load

    def give(self, own, port, amount, answer=False):
        if self.setting.objects:
            return self.give_objects(own, port, amount, answer)
        amount = min(amount, own.held, self.setting.limit)
        if amount > 0.0:
            own.held -= amount
            own.minimum = min(own.minimum, own.held)
            self.count["parcels"] += 1
        tasks = ()
        if amount > 0.0 and self.setting.program:
            split = len(own.tasks) - int(amount) if self.setting.gives_newest else int(amount)
            older, newer = own.tasks[:split], own.tasks[split:]
            tasks, own.tasks = (newer, older) if self.setting.gives_newest else (older, newer)
        if amount > 0.0 or answer:
            self.send(port, "give", max(amount, 0.0), answer, tasks)
        return max(amount, 0.0)

    # Work.

    def works(self, own):
        ticks = self.setting.ticks
        if self.setting.program:
            return bool(own.tasks)
        return bool(ticks) and (self.setting.repeats or own.ticks < len(ticks))

    def work(self, own):
        if self.draining is not None or not self.works(own) or (self.setting.faults and self.cut_off(own)):
            return False
        if self.setting.tick_ns == 0:
            self.tick(own)
            self.awake = self.awake or self.works(own)
            return True
        for number in range(TICKS_MAX):
            if not self.works(own):
                return number > 0
            due = self.setting.tick_ns * (own.ticks + 1)
            if due > self.now:
                self.due = due
                return number > 0
            self.tick(own)
        self.awake = True
        return True

    def execute(self, own):
        own.ticks += 1
        if self.setting.suspends and own.in_operation():
            return
        for _ in range(min(self.setting.grain, 1 << 20)):
            if not own.tasks:
                break
            task, born, path = own.tasks.pop()
            done = self.setting.program.execute(task, own.best)
            own.tasks += [(child, own.number, path + done.cost) for child in done.children]
            own.created += len(done.children) - (own.created > 0)
            own.best = min(own.best, done.best)
            self.worked += done.cost
            self.count["executed"] += 1
            self.count["nodes"] += not done.dropped
            self.count["native"] += born == own.number
            self.count["cost"] += done.cost
            self.count["result"] += done.result
            self.count["longest"] = max(self.count["longest"], path + done.cost)
            self.count["most_held"] = max(self.count["most_held"], len(own.tasks))
            self.amount["generated"] += len(done.children)
            self.amount["consumed"] += 1
        own.held = float(len(own.tasks))
        own.minimum = min(own.minimum, own.held)

    def tick(self, own):
        if self.setting.program:
            self.execute(own)
            return
        ticks = self.setting.ticks
        change = ticks[0 if self.setting.repeats else own.ticks][own.number]
        own.ticks += 1
        if self.setting.suspends and own.in_operation():
            return
        there = own.held + max(change, 0.0)
        consumed = min(max(-change, 0.0), max(there, 0.0))
        own.held = there - consumed
        own.minimum = min(own.minimum, own.held)
        self.amount["generated"] += max(change, 0.0)
        self.amount["consumed"] += consumed
        self.amount["unmet"] += max(-change, 0.0) - consumed

    # Operations.

    def wants(self, own):
        if self.setting.gradient is not None:
            return any(not abs(own.held - port.known) <= self.setting.gradient for port in own.ports)
        return self.setting.invokes(own.number, own.held, own.turns)

    def invokes(self, own):
        if own.begun_at is not None:
            return False
        if own.pause > 0:
            own.pause -= 1
            self.awake = True
            return False
        if not self.wants(own):
            self.awake = self.awake or self.setting.recurs
            return False
        return True

    def begin(self, own):
        if any(port.kept for port in own.ports) or not any(map(self.usable, own.ports)):
            return False
        own.begun_at, own.any_joined, own.cursor = self.now, False, 0
        own.asked = own.got = 0.0
        self.count["begun"] += 1
        if self.setting.by_colour:
            self.ask_next(own)
        else:
            for port in filter(self.usable, own.ports):
                self.ask(own, port)
        self.take_part(own)
        return True

    def ask(self, own, port):
        port.member = "asked"
        own.waiting += 1
        self.send(port, "ask", own.held)

    def ask_next(self, own):
        while own.cursor < len(own.order):
            own.cursor += 1
            if self.usable(own.order[own.cursor - 1]):
                self.ask(own, own.order[own.cursor - 1])
                return True
        return False

    def answered(self, own):
        own.waiting -= 1
        while own.waiting == 0 and own.begun_at is not None:
            joined = [port for port in own.ports if port.member == "joined"]
            self.settle(own, joined)
            if not joined and not (self.setting.by_colour and self.ask_next(own)):
                self.end(own)

    def settle(self, own, joined):
        flows = [self.flow_between(own, port) for port in joined]  # before anything moves
        for port, amount in zip(joined, flows):
            if amount < 0.0:
                port.wanted = min(-amount, self.setting.limit)
                port.member = "pulled"
                own.waiting += 1
                port.rest = 0.0
                self.send(port, "pull", port.wanted)
            else:
                port.member = "settled"
                if self.give(own, port, amount) == 0.0:
                    self.send(port, "release")

    def flow_between(self, own, port):
        out = self.setting.flow(own.number, port.neighbour, own.held, port.known)
        if out > 0.0 or self.setting.gives_only:
            return max(out, 0.0)
        return -max(self.setting.flow(port.neighbour, own.number, port.known, own.held), 0.0)

    def end(self, own):
        if own.any_joined:
            self.times.append(self.now - own.begun_at)
            self.amount["asked"] += own.asked
            self.amount["got"] += own.got
        else:  # abandoned
            self.count["begun"] -= 1
            self.count["abandoned"] += 1
            own.pause = self.setting.pause(own.number, len(own.ports), own.turns)
        own.begun_at = None
        for port in own.ports:
            port.member = None

    def push(self, own, begins):
        level = own.held
        is_open = [self.usable(port) and not port.kept for port in own.ports]
        flows = [self.setting.flow(own.number, port.neighbour, level, port.known)
                 if ready and not math.isnan(port.known) else 0.0 for port, ready in zip(own.ports, is_open)]
        if self.setting.objects:
            gives = begins and any(self.setting.objects.would_give(own.tasks, min(amount, level), port.known)
                                   for amount, port in zip(flows, own.ports))
        else:
            gives = begins and any(min(amount, level, self.setting.limit) > 0.0 for amount in flows)
        found = gives
        for port, ready, amount in zip(own.ports, is_open, flows):
            if ready and port.announced != level:
                port.announced = level
                self.send(port, "announce", level)
                found = True
            if ready and gives:
                self.give(own, port, amount)
        self.count["begun"] += gives
        self.awake = self.awake or gives
        return found
