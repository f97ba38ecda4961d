# SPDX-License-Identifier: MIT
"""Rounds and turns, step by step, from the papers' formulas: rules that compare a load with a neighbour's."""
import math

import threefry
from measures import Measure, passed, squares, sum_of
from overlaps import Effects


EXACT = 2.0 ** 53  # whole numbers up to here are exact


def nearly(amount):
    """The whole or half number that an amount is up to the rounding errors of doubles."""
    near = round(2.0 * amount) / 2.0
    return near if abs(amount - near) <= 1e-9 else amount


class Rule:
    """What one processor sends another. `by_colour`: the colours of the links follow one another."""

    exact = EXACT  # loads of tokens up to here are known to the last one
    link_of = None  # the only link of a step, link_of(step); None: all that the colours name

    def __init__(self, flow, by_colour=False, operations=None, turns=None):
        self.flow = flow  # flow(i, j, own, heard, moment), a moment being the operation and the colour
        self.by_colour = by_colour
        self.operations = operations
        self.turns = turns or (lambda operation, colours: range(colours))  # the colours of an operation, in order


class Setting:
    """All that a run is made of beside its rule."""

    def __init__(self, graph, loads, tokens=False, **more):
        self.graph = graph
        self.loads = loads
        self.tokens = tokens
        self.one_port = more.get("one_port", False)
        self.capacity = more.get("capacity")
        self.to_target = more.get("to_target", False)
        self.delay = more.get("delay")  # of announcements by (sender, receiver), or None
        self.delay_load = more.get("delay_load")  # of parcels
        self.late = bool(self.delay or self.delay_load)
        self.limit = more.get("limit", math.inf)
        self.invokes = more.get("invokes")  # of a load, or None: everybody does
        self.work = more.get("work")  # a list of ticks, each an amount by processor, or None
        self.work_repeats = more.get("work_repeats", False)
        self.bounded = more.get("bounded", False)  # work takes no more than is there
        self.working = more.get("working", "after")
        self.clock_steps = more.get("clock_steps", False)
        self.turns = more.get("turns", False)
        self.overlaps = more.get("overlaps", False)
        self.rounding = more.get("rounding", "down")
        self.seed = more.get("seed", 0)
        self.faults = more.get("faults", [])  # (step, "fail" or "repair", the link's two ends or the processor)


class DrawnWork:
    """Amounts of a Pareto distribution in every tick, drawn when they are needed."""

    def __init__(self, n, seed, shape, least, tokens):
        self.n, self.seed, self.shape, self.least, self.tokens = n, seed, shape, least, tokens

    def __len__(self):
        return 1 << 62

    def __getitem__(self, tick):
        units = (threefry.Moment(self.seed, p, threefry.WORK, tick).unit() for p in range(self.n))
        amounts = [min(self.least * (1.0 - unit) ** (-1.0 / self.shape), 1e12) for unit in units]
        return [float(math.floor(amount + 0.5)) for amount in amounts] if self.tokens else amounts


class Row:
    def __init__(self, run):
        measure = Measure(run.held, run.in_flight())
        self.step = run.step
        self.operation = run.operation
        self.between = run.place == 0
        self.held = run.held[:]
        self.variance, self.spread = measure.variance, measure.spread
        self.minimum, self.maximum = measure.minimum, measure.maximum
        self.in_flight = measure.in_flight
        self.moved = run.moved
        self.invokers = run.invokers if run.step > 0 else 0
        self.invocations = run.invocations
        there = sum_of(run.setting.loads) + run.generated
        stayed = sum_of(run.native) + run.at_home if run.setting.tokens else None
        self.passed = passed(run.held, run.in_flight(), run.setting.capacity, run.moved, there, stayed)


class Run:
    def __init__(self, setting, rule):
        graph = setting.graph
        self.setting = setting
        self.graph, self.invokes = graph, setting.invokes
        self.rule = rule
        self.held = [float(w) for w in setting.loads]
        self.native = self.held[:]
        self.step = self.operation = self.place = self.ticks = 0
        self.under_way = []  # (due, sender, receiver, amount)
        self.history = []
        self.sent = {}
        self.moved = self.generated = self.consumed = self.unmet = 0.0
        self.at_home = 0.0  # consumed where it was at first, or was generated
        self.invocations = 0
        self.partook = set()
        self.parcels = self.announcements = 0
        self.faint = 0  # parcels and non-parcels whose being sent is a matter of rounding
        self.noise = 0.0 if setting.tokens else 1e-9 * max(1.0, max(map(abs, self.held)))
        self.close = False  # rounding may have decided what happened
        self.invokers = 0
        self.minimum_ever = min(self.held)
        self.counts = {}
        self.effects = Effects()
        self.errors, self.settled = {}, {}  # by (i, j): what rounding left of the last amount, with carry
        self.faults = list(setting.faults)
        self.down = set()
        self.since = {}  # by both ends: the step since which a link that was down can be used
        self.failures = {1: 0, 2: 0}  # by how many numbers name what failed
        self.repairs = self.returned = 0
        self.load_returned = 0.0
        self.target = None
        if setting.to_target:
            capacity = setting.capacity or [1.0] * graph.n
            share = sum_of(self.held) / sum_of(capacity)
            self.target = [c * share for c in capacity]
        gathers = rule.by_colour or (setting.one_port and not setting.turns and not rule.link_of)
        self.gathers = gathers
        self.turns = [None]
        self.rows = [Row(self)]

    def in_flight(self):
        return sum_of(amount for _, _, _, amount in self.under_way)

    def levels(self):
        if self.target:
            return [w - t for w, t in zip(self.held, self.target)]
        if self.setting.capacity:
            return [w / c for w, c in zip(self.held, self.setting.capacity)]
        return self.held[:]

    def tau(self, sender, receiver):
        return self.setting.delay[sender, receiver] if self.setting.delay else 0

    def takes(self, sender, receiver):
        """The steps after which a parcel arrives."""
        return max(self.setting.delay_load[sender, receiver] if self.setting.delay_load else 0, 1)

    def began(self):
        """At the start of an operation: who invokes it, and what the rule compares until it ends."""
        test = self.setting.invokes
        self.invoking = [test is None or test(w) for w in self.held]
        if test and not self.setting.tokens:
            self.close = self.close or any(test(w - self.noise) != test(w + self.noise) for w in self.held)
        self.invokers = sum(self.invoking)
        self.invocations += self.invokers
        self.at_start = self.levels()
        self.before = self.held[:]
        if self.gathers:
            self.turns = list(self.rule.turns(self.operation, self.setting.graph.colours))

    def amount(self, i, j, own, heard, left):
        moment = self.operation, self.turns[self.place]
        raw = self.rule.flow(i, j, own, heard, moment)
        if self.setting.rounding != "down":
            by_link = self.setting.rounding == "carry" and not (self.setting.late or self.setting.turns)
            if by_link and raw <= 0.0:
                raw = -max(0.0, self.rule.flow(j, i, heard, own, moment))
            return self.rounded(i, j, raw, left, by_link) if raw > 0.0 or by_link else 0.0
        if self.setting.tokens:
            raw = float(math.floor(raw)) if raw > 0.0 else 0.0
        elif abs(raw) <= self.noise and not own == heard == raw == 0.0:
            self.faint += 1
            self.parcels -= raw > 0.0
        return min(max(raw, 0.0), self.setting.limit)

    def rounded(self, i, j, raw, left, by_link):
        """A whole amount, of what is left. By link, both ends carry the same error, with opposite signs."""
        carries = self.setting.rounding == "carry"
        due = nearly(raw + (self.errors.get((i, j), 0.0) if carries else 0.0))
        whole = max(0.0, math.ceil(due - 0.5))
        if self.setting.rounding == "random":
            port = sum(map(len, self.graph.neighbours[:i])) + [k for k, _ in self.graph.neighbours[i]].index(j)
            chance = threefry.Moment(self.setting.seed, port, threefry.ROUNDING, self.step).unit()
            whole = math.floor(due) + (chance < due - math.floor(due))
        sent = float(min(whole, left, self.setting.limit))
        if carries and (due > 0.0 or not by_link):
            self.settled[i, j] = due - sent
        elif carries and due == 0.0:
            self.settled[i, j] = 0.0
        if by_link and (i, j) in self.settled:
            self.settled[j, i] = -self.settled[i, j]
        return sent

    def account(self, i, j, amount):
        self.sent[i, j] = self.sent.get((i, j), 0.0) + amount
        self.moved += amount
        self.parcels += amount > 0.0

    def usable(self, i, j):
        return not self.down & {(i,), (j,), (min(i, j), max(i, j))}

    def fail_and_repair(self):
        """What does so before this step. A link that can no longer be used gives back what is under way on it."""
        while self.faults and self.faults[0][0] <= self.step:
            _, event, what = self.faults.pop(0)
            before = [(i, j) for i, j, _ in self.graph.links if self.usable(i, j)]
            self.down ^= {what}
            self.repairs += event == "repair"
            self.failures[len(what)] += event == "fail"
            for i, j, _ in self.graph.links:
                if self.usable(i, j) and (i, j) not in before:
                    self.since[i, j] = self.since[j, i] = self.step
            self.give_back()

    def give_back(self):
        lost = [parcel for parcel in self.under_way if not self.usable(*parcel[1:3])]
        self.under_way = [parcel for parcel in self.under_way if self.usable(*parcel[1:3])]
        for _, i, j, amount in lost:
            self.held[i] += amount
            self.sent[i, j] -= amount
            self.moved -= amount
            self.returned += 1
            self.load_returned += amount

    def heard(self, when, i, j):
        """Before anything was heard, a neighbour is known by what it says first; what it said before the link between
        them could be used is not heard: None."""
        when = max(0, when)
        return self.history[when][j] if when >= self.since.get((i, j), 0) else None

    def balance_together(self):
        graph, now = self.setting.graph, self.step
        if self.place == 0:
            self.began()
        seen = self.at_start if self.setting.one_port and not self.rule.by_colour else self.levels()
        self.history.append(seen)
        out = [0.0] * graph.n
        for i in range(graph.n):
            for j, colour in graph.neighbours[i]:
                if self.gathers and colour != self.turns[self.place]:
                    continue
                if self.rule.link_of and self.rule.link_of(self.step) != (min(i, j), max(i, j)):
                    continue
                if not (self.invoking[i] or self.invoking[j]) or not self.usable(i, j):
                    continue
                self.announcements += not self.setting.late
                self.partook |= {i, j}
                heard = self.heard(now - self.tau(j, i), i, j)
                left = self.held[i] - out[i]
                amount = self.amount(i, j, seen[i], heard, left) if heard is not None else 0.0
                out[i] += amount
                self.account(i, j, amount)
                if amount > 0.0:
                    self.under_way.append((now + self.takes(i, j), i, j, amount))
        self.announcements += 2 * sum(self.usable(i, j) for i, j, _ in graph.links) if self.setting.late else 0
        for i in range(graph.n):
            self.debit(i, out[i])
        self.errors.update(self.settled)
        self.settled = {}

    def debit(self, i, amount):
        self.held[i] -= amount
        self.native[i] = min(self.native[i], max(self.held[i], 0.0))

    def balance_in_turns(self):
        """Processor after processor, neighbours ascending; what falls due in the next step is usable at once."""
        graph, now = self.setting.graph, self.step
        self.invokers = graph.n
        self.invocations += graph.n
        self.history.append(self.held[:])
        self.arrive(now + 1)
        for i in range(graph.n):
            for j, _ in graph.neighbours[i]:
                if not self.usable(i, j):
                    continue
                self.announcements += 1
                tau = self.tau(j, i)
                heard = self.held[j] if tau == 0 else self.heard(now - tau, i, j)
                amount = self.amount(i, j, self.held[i], heard, self.held[i]) if heard is not None else 0.0
                self.errors.update(self.settled)
                self.account(i, j, amount)
                if amount > 0.0:
                    self.debit(i, amount)
                    self.under_way.append((now + self.takes(i, j), i, j, amount))
                    self.arrive(now + 1)

    def arrive(self, now):
        for due, _, processor, amount in self.under_way:
            if due <= now:
                self.held[processor] += amount
        self.under_way = [parcel for parcel in self.under_way if parcel[0] > now]

    def let_work(self):
        """Bounded, no more is consumed than is there; else it is owed. What came from elsewhere is consumed first."""
        work = self.setting.work
        tick = work[0] if self.setting.work_repeats else work[self.ticks] if self.ticks < len(work) else None
        self.ticks += 1
        for i, change in enumerate(tick or []):
            cut_off = self.down and not any(self.usable(i, j) for j, _ in self.graph.neighbours[i])
            if cut_off or self.setting.working == "suspended" and i in self.partook:
                continue
            if change < 0.0 and self.setting.bounded:
                wanted, change = change, -min(-change, max(self.held[i], 0.0))
                self.unmet += change - wanted
            self.held[i] += change
            self.generated += max(change, 0.0)
            self.consumed += max(-change, 0.0)
            self.native[i] += max(change, 0.0)
            stays = min(self.native[i], max(self.held[i], 0.0))
            self.at_home += self.native[i] - stays if change < 0.0 else 0.0
            self.native[i] = stays
        self.partook = set()
        self.minimum_ever = min(self.minimum_ever, min(self.held))

    def advance(self):
        """One step, and what comes with it."""
        first = self.setting.working == "before"
        self.fail_and_repair()
        if self.setting.work and first and (self.setting.clock_steps or self.place == 0):
            self.let_work()
        if self.setting.turns:
            self.balance_in_turns()
        else:
            self.balance_together()
        self.step += 1
        self.arrive(self.step)
        self.place = (self.place + 1) % len(self.turns)
        self.operation += self.place == 0
        if self.setting.overlaps and self.place == 0:
            self.effects.add(self.graph, self.invoking, self.before, self.held)
        if self.setting.work and not first and (self.setting.clock_steps or self.place == 0):
            self.let_work()
        self.minimum_ever = min(self.minimum_ever, min(self.held))
        most = max(map(abs, self.held))
        if not self.setting.tokens or most > self.rule.exact:
            self.noise = max(self.noise, 1e-9 * most)
        self.rows.append(Row(self))

    def ended(self):
        return self.rule.operations is not None and self.operation >= self.rule.operations

    def flows(self):
        net = [self.sent.get((i, j), 0.0) - self.sent.get((j, i), 0.0) for i, j, _ in self.setting.graph.links]
        return sum_of(map(abs, net)), math.sqrt(squares(net))


def exchange(parameter, tokens, operations=None):
    """Along a link both move towards each other by lambda; whole loads only where they differ by more than 1."""
    def flow(_i, _j, own, heard, _moment):
        return 0.0 if tokens and own - heard <= 1.0 else parameter * (own - heard)
    return Rule(flow, by_colour=True, operations=operations)


def single_link(tokens, graph, seed):
    """A link for each step, drawn evenly, along which both ends become equal."""
    rule = exchange(0.5, tokens)
    rule.by_colour = False
    rule.link_of = lambda step: graph.links[
        threefry.Moment(seed, step, threefry.MATCHING, 0).below(len(graph.links))][:2]
    return rule


def diffusion(parameter):
    return Rule(lambda _i, _j, own, heard, _moment: parameter * (own - heard))


def sender(c):
    return Rule(lambda i, _j, own, heard, _moment: c[i] * (own - heard))


def weighted(weights):
    """A weight for each link, by (i, j) and (j, i)."""
    return Rule(lambda i, j, own, heard, _moment: weights[i, j] * (own - heard))


def metropolis(degree):
    """1/(1 + the larger degree of a link's ends)."""
    return Rule(lambda i, j, own, heard, _moment: (own - heard) / (1.0 + max(degree[i], degree[j])))


def second_order(alpha, beta, whole, switch=0):
    """y = alpha*difference first, then beta*alpha*difference + (beta - 1)*y; from operation `switch` on the first."""
    def coefficients(operation):
        first = operation == 0 or 0 < switch <= operation
        return (alpha, 0.0) if first else (beta * alpha, beta - 1.0)
    return remembering(coefficients, whole)


def chebyshev(low, high, whole):
    """omega is 1, then 1/(1 - g^2/2), then 1/(1 - g^2 omega/4)."""
    alpha, g = 2.0 / (low + high), (high - low) / (high + low)
    omega = [1.0, 1.0 / (1.0 - g * g / 2.0)]

    def coefficients(operation):
        while len(omega) <= operation:
            omega.append(1.0 / (1.0 - g * g * omega[-1] / 4.0))
        return omega[operation] * alpha, omega[operation] - 1.0
    return remembering(coefficients, whole)


def remembering(coefficients, whole):
    """y = gain*difference + memory*(the y before). `whole` makes tokens of y, and may carry an error by (i, j)."""
    last, errors = {}, {}

    def flow(i, j, own, heard, moment):
        gain, memory = coefficients(moment[0])
        due = gain * (own - heard) + memory * last.get((i, j), 0.0)
        last[i, j], errors[i, j] = whole(i, j, due, errors.get((i, j), 0.0), moment[0])
        return last[i, j]
    rule = Rule(flow)
    rule.exact = 1e5  # larger amounts have digits of their own behind the point, which rounding brings forth
    return rule


def rounds_itself(rounding, graph, seed):
    """Rounds a signed flow, the same at both ends of a link; returns it with the error to carry. None: real loads."""
    def link(i, j):
        low, high = min(i, j), max(i, j)
        return sum(map(len, graph.neighbours[:low])) + [k for k, _ in graph.neighbours[low]].index(high)

    def whole(i, j, flow, error, operation):
        due = nearly(flow + (error if rounding == "carry" else 0.0))
        size = abs(due)
        up = size - math.floor(size) > 0.5
        if rounding == "down":
            up = False
        elif rounding == "random" and size > math.floor(size):
            up = threefry.Moment(seed, link(i, j), threefry.ROUNDING, operation).unit() < size - math.floor(size)
        sent = math.copysign(math.floor(size) + up, due)
        return sent, due - sent
    return whole if rounding else lambda _i, _j, flow, _error, _operation: (flow, 0.0)


def polynomial(values):
    """opt: one operation for each eigenvalue, in this order, with its inverse as the parameter."""
    return Rule(lambda _i, _j, own, heard, moment: (own - heard) / values[moment[0]], operations=len(values))


def alternating(parameters, reverses, operations=None):
    """adi, and with `reverses` mdi, on a graph whose colours are its directions, in the order of their turns.
    `parameters` has a list for each direction: by operation, or where `operations` is None one for all. A direction
    that has used up its own takes no step."""
    def of(direction, operation):
        own = parameters[direction]
        return own[0] if operations is None else own[operation] if operation < len(own) else None

    def turns(operation, colours):
        order = range(colours)[::-1] if reverses and operation % 2 == 1 else range(colours)
        return [direction for direction in order if of(direction, operation) is not None]

    def flow(_i, _j, own, heard, moment):
        return of(moment[1], moment[0]) * (own - heard)
    return Rule(flow, by_colour=True, operations=operations, turns=turns)
