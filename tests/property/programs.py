# SPDX-License-Identifier: MIT
"""Programs of tasks, made again: what executing a task costs, creates and finds."""
import math

MODULUS = 2 ** 31 - 1


class Executed:
    def __init__(self, children, cost=1, result=0, best=math.inf, dropped=False):
        self.children, self.cost, self.result, self.best, self.dropped = children, cost, result, best, dropped


class Queens:
    """A task is a tuple of columns, one for each row that has a queen."""
    least = False

    def __init__(self, text):
        self.size = int(text)

    def first(self):
        return [()]

    def execute(self, task, _best):
        row = len(task)
        if row == self.size:
            return Executed([], result=1)
        return Executed([task + (column,) for column in range(self.size)
                         if all(column != other and abs(column - other) != row - i for i, other in enumerate(task))])


class File:
    """A task is the number of its line."""
    least = False

    def __init__(self, lines):
        rows = [[int(word) for word in line.partition("#")[0].split()] for line in lines]
        self.cost = [row[0] for row in rows]
        self.parent = [row[1] if len(row) > 1 else None for row in rows]

    def first(self):
        return [i for i, parent in enumerate(self.parent) if parent is None]

    def execute(self, task, _best):
        children = [i for i, parent in enumerate(self.parent) if parent == task]
        return Executed(children, self.cost[task], self.cost[task])


class FlowshopForward:
    """A task is a tuple of jobs, the first of a permutation, and its bound."""
    least = True

    def __init__(self, text):
        size, seed = text.split(":")[:2]
        self.jobs, self.machines = (int(number) for number in size.split("x"))
        state, self.time = int(seed), []
        for _ in range(self.machines):
            row = []
            for _ in range(self.jobs):
                state = 16807 * state % MODULUS
                row.append(1 + 99 * state // MODULUS)
            self.time.append(row)

    def bound(self, placed):
        ends = [0] * self.machines
        for job in placed:
            before = 0
            for i in range(self.machines):
                before = ends[i] = max(before, ends[i]) + self.time[i][job]
        rest = [job for job in range(self.jobs) if job not in placed]
        tails = [min((sum(self.time[k][job] for k in range(i + 1, self.machines)) for job in rest), default=0)
                 for i in range(self.machines)]  # after machine i, at least so much follows
        return max(ends[i] + sum(self.time[i][job] for job in rest) + tails[i] for i in range(self.machines))

    def first(self):
        return [((), self.bound(()))]

    def execute(self, task, best):
        placed, bound = task
        if bound >= best:
            return Executed([], dropped=True)
        if len(placed) == self.jobs:
            return Executed([], best=bound)
        children = [(placed + (job,), self.bound(placed + (job,))) for job in range(self.jobs) if job not in placed]
        children.sort(key=lambda child: (child[1], child[0][-1]), reverse=True)  # the worst first, then the highest job
        return Executed(children)


def serial_nodes(program):
    """The tasks that a single processor executes without dropping them, the newest first."""
    held, best, nodes = list(program.first()), math.inf, 0
    while held:
        done = program.execute(held.pop(), best)
        held.extend(done.children)
        best = min(best, done.best)
        nodes += not done.dropped
    return nodes


def program_of(experiment):
    """None if there are no tasks."""
    name, _, rest = (experiment.get("tasks") or "none").partition(":")
    if name == "file":
        return File(experiment.files[rest.lstrip("@")].splitlines())
    return {"none": lambda _: None, "queens": Queens, "flowshop-forward": FlowshopForward}[name](rest)
