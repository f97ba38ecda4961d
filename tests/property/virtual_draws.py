# SPDX-License-Identifier: MIT
"""Experiments in virtual time, drawn over all axes. Two in three are of the kind that virtual.py makes again."""
import math
import random

import draws
import virtual_checks

KNOWN = ("ade", "ode", "gde", "adf", "odf", "diffusion", "sender")
OTHERS = ("liquid", "nna", "splitting", "local-average", "random-neighbours", "fos")
BY_LETTERS = ("steal:random", "steal:neighbour", "steal:lifeline", "steal:lifeline:0", "place:random", "central", "gradient",
              "gradient:2:4", "cwn", "cwn:1", "cwn:4:2", "initiated:receiver", "initiated:receiver:2:1",
              "initiated:sender", "initiated:sender:3:2")
LETTERS = 0.2  # of all experiments, those with methods by letters
TURNS_MAX, WINDOWS_MAX = 20000, 1500  # about as many as a drawn run may have


def draw_method(rng, experiment, known):
    name = rng.choice(KNOWN if known else KNOWN + OTHERS)
    tokens = name in ("liquid", "splitting") or (name != "fos" and rng.random() < 0.6)
    kinds = draws.WHERE.get(name, draws.EVERYWHERE)
    n = draws.draw_topology(rng, experiment, ["ring"] if name == "nna" and tokens else kinds)
    experiment.say("method", draws.draw_method_spec(rng, name, tokens, experiment))
    experiment.say("units", "tokens" if tokens else "real")
    return name, n, tokens


def draw_time(rng, most, least=0):
    """A whole number of nanoseconds, as often small as large."""
    number = rng.choice([least, rng.randint(least, max(least, 9)), rng.randint(least, most)])
    return "%dns" % number if rng.random() < 0.8 else "%gus" % (number / 1000.0)


def draw_costs(rng, experiment):
    if rng.random() < 0.2:
        return  # all as they are by default
    experiment.say("turn-cost", draw_time(rng, 1500, 1))
    experiment.say("overhead", draw_time(rng, 800))
    experiment.say("gap", draw_time(rng, 900))
    if rng.random() < 0.5:
        experiment.say("byte-time", rng.choice(["0", "0.1ns", "0.03ns", "2ns", "%gns" % round(rng.uniform(0, 30), 2)]))
        experiment.say("message-bytes", rng.choice([0, 1, 16, rng.randint(0, 300)]))
        experiment.say("load-bytes", rng.choice([0, 1, 0.5, 8, round(rng.uniform(0, 40), 2)]))


def draw_spec(rng, experiment, file):
    kind = rng.randrange(5)
    if kind == 0 and experiment.graph:
        lines = []
        ways = rng.choice([1, 2])
        for i, j, _ in experiment.graph.links:
            ends = (i, j) if rng.random() < 0.5 else (j, i)
            times = [draw_time(rng, 5000, 1) for _ in range(ways)]
            lines.append("%d %d %s\n" % (*ends, " ".join(times)))
        rng.shuffle(lines)
        experiment.files[file] = "".join(lines)
        return "file:@" + file
    low = rng.randint(0, 3000)
    return {1: "uniform:%dns:%dns" % (low, low + rng.randint(0, 4000)),
            2: "exponential:%dns" % rng.randint(1, 3000)}.get(kind, "fixed:%s" % draw_time(rng, 6000))


def draw_within(rng, experiment):
    """Not where the least delay and gap could both become 0."""
    factor = rng.choice(["1", "1.01", "1.5", "2", "3", "10", "100", "%.3f" % rng.uniform(1, 5)])
    experiment.say("within", factor + rng.choice(["", ":%d" % rng.randint(0, 9)]))
    if virtual_checks.lookahead_of(experiment) == 0:
        experiment.say("within", "1")


def draw_latency(rng, experiment):
    if rng.random() < 0.3:
        experiment.say("latency", draw_time(rng, 4000))
    if rng.random() < 0.6:
        experiment.say("delay", draw_spec(rng, experiment, "delays.txt"))
    if rng.random() < 0.25:
        experiment.say("delay-load", draw_spec(rng, experiment, "delays-load.txt"))
    if "exponential" in experiment.get("delay", "") + experiment.get("delay-load", "") and \
            experiment.get("gap", "50ns").startswith("0"):
        experiment.say("gap", "1ns")


def draw_invoke(rng, experiment, n, known):
    kinds = ["below:%d" % rng.randint(1, 60), "above:%d" % rng.randint(1, 60),
             "outside:%d:%d" % (rng.randint(1, 20), rng.randint(20, 60)),
             "probability:%s" % rng.choice(["0", "1", "0.1", "0.5"]), "every:%d" % rng.randint(1, 9),
             "at:" + ",".join(map(str, rng.sample(range(n), rng.randint(1, min(n, 3))))),
             "gradient:%d" % rng.randint(0, 20)]
    others = ["global:variance:%d" % rng.randint(0, 2000), "global:spread:%d" % rng.randint(0, 60)]
    experiment.say("invoke", rng.choice(kinds if known else kinds + others))


def draw_work(rng, experiment, n, tokens, known):
    draws.draw_work(rng, experiment, n, tokens)
    while known and experiment.get("work").startswith(("normal", "pareto")):
        draws.draw_work(rng, experiment, n, tokens)
    if rng.random() < 0.6:
        experiment.say("tick", "%dns" % rng.choice([rng.randint(1, 100), rng.randint(1, 20000)]))
    if rng.random() < 0.2 and experiment.get("announce") != "pushed":
        experiment.say("working", "suspended")


def draw_faults(rng, experiment, n, known):
    if not experiment.graph or not known and rng.random() < 0.4:
        experiment.say("faults", "link:%d,repair:%dus" % (rng.choice([1000, 100000, 1000000]), rng.randint(0, 20)))
        return
    links = [(i, j) for i, j, _ in experiment.graph.links]
    down, time, lines = set(), 0, []
    for _ in range(rng.randint(1, 14)):
        time += rng.choice([0, 0, 1, rng.randint(1, 9000)])
        what = rng.choice(links + [(rng.randrange(n),)] + 3 * sorted(down))
        lines.append("%dns %s %s %s\n" % (time, "repair" if what in down else "fail",
                                          "link" if len(what) == 2 else "processor", " ".join(map(str, what))))
        down ^= {what}
    lines += ["%dns repair %s %s\n" % (time + rng.randint(0, 9000), "link" if len(what) == 2 else "processor",
                                       " ".join(map(str, what))) for what in sorted(down)][:1]
    experiment.files["faults.txt"] = "".join(lines)
    experiment.say("faults", "file:@faults.txt")


def draw_protocol(rng, experiment, name, known):
    if name in ("nna", "liquid", "local-average", "random-neighbours"):  # need all their ports
        experiment.say("domains", rng.choice(["overlap", "once", "exclusive"]))
        return
    if name in draws.PUSHABLE + ("fos",) and rng.random() < 0.35:
        experiment.say("announce", "pushed")
        return
    if not known and rng.random() < 0.4:
        experiment.say("ports", "one")
    experiment.say("domains", "overlap" if known else rng.choice(["overlap", "once", "exclusive"]))


def draw_setting(rng, experiment, n, tokens, known, tasks):
    if rng.random() < 0.5:
        draw_invoke(rng, experiment, n, known)
    if rng.random() < 0.3 and not tasks:
        draw_work(rng, experiment, n, tokens, known)
    draw_machine(rng, experiment, n, known, lambda: rng.randint(1, 12) if tokens else rng.choice([0.5, 1, 2.5, 7, 20]))
    if not known and not tokens and rng.random() < 0.15:
        draws.draw_capacity(rng, experiment, n, "")


def draw_machine(rng, experiment, n, known, limit=None):
    if rng.random() < 0.25:
        slow = rng.sample(range(n), min(n, rng.randint(1, 2)))
        experiment.say("slow", ",".join("%d:%d" % (p, rng.randint(2, 9)) for p in slow))
    if rng.random() < 0.25:
        draw_faults(rng, experiment, n, known)
    if limit and rng.random() < 0.15:
        experiment.say("link-limit", limit())
    if rng.random() < 0.5:
        experiment.say("mailbox", "spsc:%d" % rng.choice([1, 1, 2, 3, 16]))


def draw_program(rng, experiment):
    """Returns the number of first tasks."""
    kind = rng.random()
    if kind < 0.4:
        size = rng.randint(1, 6)
        experiment.say("tasks", "queens:%d" % size)
        return 1
    if kind < 0.7:
        experiment.say("tasks", "flowshop-forward:%dx%d:%d" % (rng.randint(1, 6), rng.randint(1, 4), rng.randint(1, 10 ** 6)))
        return 1
    count = rng.randint(1, 120)
    parents = [None] + [rng.randrange(i) if rng.random() < 0.9 else None for i in range(1, count)]
    experiment.files["tasks.txt"] = "".join("%d%s\n" % (rng.choice([1, rng.randint(1, 30)]), "" if p is None else " %d" % p)
                                            for p in parents)
    experiment.say("tasks", "file:@tasks.txt")
    return parents.count(None)


def draw_tasks(rng, experiment, n):
    """Load that consists of tasks, placed anywhere."""
    held = [0] * n
    for _ in range(draw_program(rng, experiment)):
        held[rng.randrange(n)] += 1
    experiment.say("units", "tasks")
    experiment.say("load", "list:" + ",".join(map(str, held)))
    experiment.say("give", rng.choice(["oldest", "newest"]))
    experiment.say("grain", rng.choice([1, 1, rng.randint(1, 9)]))
    experiment.say("task-time", rng.choice(["0", "1us", draw_time(rng, 5000), "%gns" % round(rng.uniform(0, 90), 2)]))
    if rng.random() < 0.15:
        experiment.say("detect", rng.choice(["safra", "mattern"]))
    if rng.random() < 0.1 and experiment.get("method") not in BY_LETTERS:
        experiment.say("operations", rng.randint(1, 200))
    if rng.random() < 0.15:
        experiment.say("for", "%dns" % rng.randint(1, 100000))


def draw_objects(rng, experiment, n):
    """Load that consists of objects, placed anywhere. What objects cannot have is left out."""
    weigh = (lambda: rng.randint(1, 30)) if rng.random() < 0.6 else (lambda: rng.randint(1, 200) / 10)
    few = rng.sample(range(n), rng.randint(1, n))
    lines = ["%d,%s%s\n" % (rng.choice(few), weigh(), rng.choice(["", ",%d" % rng.randint(0, 500)]))
             for _ in range(rng.randint(1, 12 * n))]
    for option in ("load", "load-bytes", "work", "tick", "working", "link-limit", "capacity", "weighting"):
        experiment.options.pop(option, None)
    for name in [name for name in experiment.files if not any("@" + name in str(v) for v in experiment.options.values())]:
        del experiment.files[name]
    experiment.files["objects.csv"] = "".join(lines)
    experiment.say("units", "objects")
    experiment.say("objects", "file:@objects.csv")
    experiment.say("choose", rng.choice(["fit", "nearest", "foreign"]))
    experiment.say("remainder", rng.choice(["carry", "drop"]))


def draw_stop(rng, experiment, n):
    if rng.random() < 0.75:
        experiment.say("stop", rng.choice([
            "variance:1", "variance:%d" % rng.randint(0, 4000), "spread:%d" % rng.randint(0, 40),
            "error:%d" % rng.randint(1, 60), "shared", "neighbours:%d" % rng.randint(0, 30), "never", "never", "never"]))
    lookahead = max(1, virtual_checks.lookahead_of(experiment))
    turn = virtual_checks.costs_of(experiment)["turn-cost"]
    if rng.random() < 0.6:
        experiment.say("operations", rng.choice([1, rng.randint(1, 9), rng.randint(1, 200)]))
    most = math.ceil(min(200000, TURNS_MAX * turn / n, WINDOWS_MAX * lookahead))
    if rng.random() < 0.4 or not experiment.get("operations"):
        experiment.say("for", "%dns" % rng.randint(1, most))
    elif experiment.get("work"):  # which goes on even if no processor ever begins an operation
        experiment.say("for", "%dns" % (20 * most))


def draw_report(rng, experiment):
    experiment.say("seed", rng.randint(1, 10 ** 6))
    experiment.say("trace")
    if rng.random() < 0.4:
        experiment.say("sample", "%dns" % rng.choice([1, rng.randint(1, 3000), rng.randint(1, 30000)]))
    if rng.random() < 0.1:
        experiment.say("runs", rng.randint(2, 3))
    if rng.random() < 0.2:
        experiment.say("links")
    if rng.random() < 0.1:
        experiment.say("no-flows")
    if rng.random() < 0.15:
        start = rng.randint(0, 9)
        experiment.say("window", rng.choice(["%dus" % start, "%dus:%dus" % (start, start + 9)]))
    experiment.say("carrier", "pool:1")


def draw_letters(rng, experiment):
    """A method that places tasks by letters."""
    method = rng.choice(BY_LETTERS)
    experiment.say("method", method)
    n = draws.draw_topology(rng, experiment, ["star", "complete"] if method == "central" else draws.EVERYWHERE)
    if method == "place:random" and rng.random() < 0.5:
        experiment.say("hops", rng.randint(1, 5))
    draw_costs(rng, experiment)
    draw_latency(rng, experiment)
    if rng.random() < 0.3:
        draw_within(rng, experiment)
    draw_machine(rng, experiment, n, True)
    draw_tasks(rng, experiment, n)
    draw_report(rng, experiment)
    return experiment


def draw(seed, number, _available=()):
    rng = random.Random("virtual/%s/%s" % (seed, number))
    experiment = draws.Experiment("VIRTUAL=1 SEED=%s, number %s" % (seed, number))
    known = rng.random() < 0.67
    experiment.say("timing", "virtual")
    if random.Random("letters/%s/%s" % (seed, number)).random() < LETTERS:
        return draw_letters(rng, experiment)
    name, n, tokens = draw_method(rng, experiment, known)
    draws.draw_load(rng, experiment, n, tokens)
    draw_costs(rng, experiment)
    draw_latency(rng, experiment)
    if rng.random() < 0.3:
        draw_within(rng, experiment)
    draw_protocol(rng, experiment, name, known)
    tasks = tokens and rng.random() < 0.3
    draw_setting(rng, experiment, n, tokens, known, tasks)
    if tasks:
        draw_tasks(rng, experiment, n)
    else:
        draw_stop(rng, experiment, n)
    if not tokens and rng.random() < 0.5:
        draw_objects(rng, experiment, n)
    draw_report(rng, experiment)
    return experiment
