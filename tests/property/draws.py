# SPDX-License-Identifier: MIT
"""Experiments drawn at random over all axes. What is drawn is legal as a rule; what is not, the command must refuse."""
import math
import os
import random
import shlex

import graphs

# Per method: (weight, units, ports, {what it goes with}), from the papers' definitions. "d" delays, "t" turns, "f"
# free timing, "i" invocations, "c" capacities weighed by itself, "x" links that fail in rounds and turns.
METHODS = {
    "ade": (7, "rt", "ao", "dfix"),
    "ode": (5, "rt", "ao", "dfix"),
    "gde": (8, "rt", "ao", "dfix"),
    "adf": (8, "rt", "ao", "cdtfix"),
    "odf": (5, "rt", "ao", "dtfix"),
    "diffusion": (8, "rt", "ao", "cdtfix"),
    "sender": (10, "rt", "ao", "dtficx"),
    "fos": (4, "rt", "ao", "cdix"),
    "sos": (5, "rt", "ao", "cd"),
    "chebyshev": (5, "rt", "ao", "cd"),
    "metropolis": (5, "rt", "ao", "cdtfix"),
    "dem": (2, "t", "ao", "d"),
    "dde": (8, "t", "ao", ""),
    "twa": (3, "t", "ao", ""),
    "mwa": (4, "rt", "ao", ""),
    "liquid": (6, "t", "a", "f"),
    "nna": (4, "rt", "a", "f"),
    "splitting": (4, "t", "ao", "fi"),
    "rotor": (4, "t", "a", "d"),
    "matching": (4, "rt", "ao", "x"),
    "local-average": (2, "rt", "a", "fi"),
    "random-neighbours": (2, "rt", "a", "fi"),
    "push-sum": (3, "r", "a", ""),
    "broadcast-gossip": (3, "r", "a", ""),
    "opt": (2, "r", "ao", "cd"),
    "ops": (2, "r", "ao", "cd"),
    "adi": (1, "r", "ao", "d"),
    "mdi": (1, "r", "ao", "d"),
    "de": (1, "r", "ao", ""),
    "ded": (1, "r", "ao", "c"),
    "least-flow": (2, "r", "ao", "c"),
}

# Those that only give, so that loads can be pushed.
PUSHABLE = ("adf", "odf", "diffusion", "sender", "metropolis")

# Those whose real amounts can be rounded to tokens.
ROUNDABLE = ("ade", "ode", "gde", "matching", "adf", "odf", "diffusion", "fos", "sender", "metropolis", "sos",
             "chebyshev")


class Experiment:
    """Options in order, the files that they name, and the topology's graph where it is known."""

    def __init__(self, label):
        self.label = label
        self.options = {}
        self.files = {}
        self.graph = None

    def say(self, option, value=True):
        self.options[option] = value

    def get(self, option, default=None):
        return self.options.get(option, default)

    def words(self, folder):
        """The words of the command line behind `run`; the files are written into the folder."""
        for name, text in self.files.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        words = []
        for option, value in self.options.items():
            words.append("--" + option)
            if value is not True:
                words.append(self.place_files(str(value), folder))
        return words

    def place_files(self, value, folder):
        for name in self.files:
            value = value.replace("@" + name, os.path.join(folder, name))
        return value

    def shell(self, folder="/tmp"):
        """One line for a shell."""
        parts = ["printf %s >%s" % (shlex.quote(text.replace("\n", "\\n")), os.path.join(folder, name))
                 for name, text in self.files.items()]
        words = []
        for option, value in self.options.items():
            words += ["--" + option] + ([] if value is True else [self.place_files(str(value), folder)])
        return "; ".join(parts + ["build/evenkeel run " + " ".join(map(shlex.quote, words))])

    def without(self, option):
        other = Experiment(self.label)
        other.options = {o: v for o, v in self.options.items() if o != option}
        other.files = {n: t for n, t in self.files.items() if any("@" + n in str(v) for v in other.options.values())}
        other.graph = self.graph
        return other


def sides(rng, most=16):
    drawn = [rng.randint(1, 6) for _ in range(rng.randint(2, 3))]
    while math.prod(drawn) > most:
        drawn[drawn.index(max(drawn))] -= 1
    return drawn


def draw_file_graph(rng, experiment):
    """A connected graph: a random tree and some more links."""
    n = rng.randint(2, 10)
    pairs = {(rng.randrange(i), i) for i in range(1, n)}
    for _ in range(rng.randint(0, n)):
        i, j = sorted(rng.sample(range(n), 2))
        pairs.add((i, j))
    experiment.files["links.txt"] = "".join("%d %d\n" % pair for pair in sorted(pairs))
    experiment.say("topology", "file:@links.txt")
    experiment.graph = graphs.uncoloured(n, sorted(pairs))
    return n


def draw_box(rng, experiment, kind):
    if kind in ("ring", "chain"):
        k = rng.randint(2, 14)
        experiment.say("topology", "%s:%d" % (kind, k))
        experiment.graph = graphs.box([k], kind == "ring")
    elif kind == "hypercube":
        d = rng.randint(1, 4)
        experiment.say("topology", "hypercube:%d" % d)
        experiment.graph = graphs.box([2] * d, False)
    elif kind == "kary":
        k, d = rng.choice([(2, 3), (3, 2), (4, 2), (2, 2), (5, 1), (3, 1)])
        experiment.say("topology", "kary:%d^%d" % (k, d))
        experiment.graph = graphs.box([k] * d, True)
    else:
        drawn = sides(rng)
        experiment.say("topology", "%s:%s" % (kind, "x".join(map(str, drawn))))
        experiment.graph = graphs.box(drawn, kind == "torus")


def draw_topology(rng, experiment, kinds):
    kind = rng.choice(kinds)
    if kind in ("ring", "chain", "hypercube", "kary", "mesh", "torus"):
        draw_box(rng, experiment, kind)
    elif kind in ("complete", "star"):
        n = rng.randint(2, 9)
        experiment.say("topology", "%s:%d" % (kind, n))
        experiment.graph = graphs.complete(n) if kind == "complete" else graphs.star(n)
    elif kind == "otis":
        inner, graph = rng.choice([("mesh:2x2", graphs.box([2, 2], False)), ("ring:3", graphs.box([3], True)),
                                   ("ring:4", graphs.box([4], True)), ("hypercube:1", graphs.box([2], False)),
                                   ("complete:3", graphs.complete(3)), ("chain:3", graphs.box([3], False))])
        experiment.say("topology", "otis(%s)" % inner)
        experiment.graph = graphs.swapped(graph)
    elif kind == "network":
        spec, graph = rng.choice([("dragonfly:2:1", graphs.dragonfly(2, 1)), ("dragonfly:3:1", graphs.dragonfly(3, 1)),
                                  ("dragonfly:1:4", graphs.dragonfly(1, 4)), ("slimfly:3", graphs.slimfly(3)),
                                  ("margulis:2", graphs.margulis(2)), ("margulis:3", graphs.margulis(3))])
        experiment.say("topology", spec)
        experiment.graph = graph
    elif kind == "plane":
        sides = [rng.randint(1, 6), rng.randint(1, 6)]
        experiment.say("topology", "mesh:%dx%d" % tuple(sides))
        experiment.graph = graphs.box(sides, False)
    elif kind == "tree":
        spec = rng.choice([spec for spec in FAMILIES if spec.startswith("tree:")] + ["star:%d" % rng.randint(2, 9)])
        experiment.say("topology", spec)
        experiment.graph = FAMILIES[spec]() if spec in FAMILIES else graphs.star(int(spec[5:]))
    elif kind == "family":
        spec = rng.choice(list(FAMILIES))
        experiment.say("topology", spec)
        experiment.graph = FAMILIES[spec]()
    elif kind == "product":
        draw_product(rng, experiment, list(FACTORS))
    elif kind == "ring product":
        draw_product(rng, experiment, RINGS)
    elif kind == "random":
        n, degree = rng.choice([(6, 3), (8, 3), (10, 3), (9, 4), (12, 5), (7, 2)])
        experiment.say("topology", "random:%d:%d" % (n, degree))
        return n
    else:
        return draw_file_graph(rng, experiment)
    return experiment.graph.n


# Families that take no part in the other draws, each with some specs.
FAMILIES = {
    "hsn(2,ring:3)": lambda: graphs.hierarchical(2, graphs.box([3], True)),
    "hsn(3,chain:2)": lambda: graphs.hierarchical(3, graphs.box([2], False)),
    "hsn(2,complete:4)": lambda: graphs.hierarchical(2, graphs.complete(4)),
    "tree:2:3": lambda: graphs.tree(2, 3), "tree:3:2": lambda: graphs.tree(3, 2), "tree:5:1": lambda: graphs.tree(5, 1),
    "ccc:1": lambda: graphs.cube_connected(1), "ccc:2": lambda: graphs.cube_connected(2),
    "ccc:3": lambda: graphs.cube_connected(3),
    "butterfly:1": lambda: graphs.butterfly(1), "butterfly:2": lambda: graphs.butterfly(2),
    "debruijn:2:3": lambda: graphs.debruijn(2, 3), "debruijn:3:2": lambda: graphs.debruijn(3, 2),
    "debruijn:4:1": lambda: graphs.debruijn(4, 1),
    "shuffle:3": lambda: graphs.shuffle(3), "shuffle:4": lambda: graphs.shuffle(4),
    "circulant:8:1,2": lambda: graphs.circulant(8, [1, 2]), "circulant:12:3,5,6": lambda: graphs.circulant(12, [3, 5, 6]),
    "circulant:9:1,3": lambda: graphs.circulant(9, [1, 3]),
    "foldedcube:2": lambda: graphs.foldedcube(2), "foldedcube:3": lambda: graphs.foldedcube(3),
    "cayley:star:3": lambda: graphs.cayley("star", 3), "cayley:pancake:3": lambda: graphs.cayley("pancake", 3),
    "cayley:star:4": lambda: graphs.cayley("star", 4), "cayley:pancake:4": lambda: graphs.cayley("pancake", 4),
    "hex:3x4": lambda: graphs.hexagonal(3, 4), "hex:4x2": lambda: graphs.hexagonal(4, 2),
    "moore:4x3": lambda: graphs.moore(4, 3), "moore:2x5": lambda: graphs.moore(2, 5),
}

FACTORS = {
    "chain:2": lambda: graphs.box([2], False), "chain:3": lambda: graphs.box([3], False),
    "ring:3": lambda: graphs.box([3], True), "ring:4": lambda: graphs.box([4], True),
    "torus:5": lambda: graphs.box([5], True), "complete:1": lambda: graphs.complete(1),
    "complete:3": lambda: graphs.complete(3), "complete:4": lambda: graphs.complete(4), "star:4": lambda: graphs.star(4),
    "tree:2:2": lambda: graphs.tree(2, 2), "circulant:8:1,2": lambda: graphs.circulant(8, [1, 2]),
    "circulant:6:1,3": lambda: graphs.circulant(6, [1, 3]), "mesh:2x2": lambda: graphs.box([2, 2], False),
    "hex:2x2": lambda: graphs.hexagonal(2, 2),
}

RINGS = ["ring:3", "ring:4", "torus:5", "chain:2"]


def draw_product(rng, experiment, names):
    """Of two or three factors, or with rings only as liquid wants them."""
    while True:
        drawn = [rng.choice(names) for _ in range(rng.choice([2, 2, 3]))]
        factors = [FACTORS[name]() for name in drawn]
        if math.prod(factor.n for factor in factors) <= 24:
            break
    experiment.say("topology", "product(%s)" % ",".join(drawn))
    experiment.graph = graphs.product(*factors)


EVERYWHERE = ["ring", "ring", "chain", "mesh", "mesh", "torus", "torus", "hypercube", "kary", "complete", "star", "otis",
              "random", "file"]
BOXES = ["ring", "chain", "mesh", "torus", "hypercube", "kary"]
WHERE = {"dem": ["hypercube"], "dde": BOXES + ["ring", "torus"], "twa": ["chain", "tree", "tree"], "mwa": ["chain", "plane", "plane", "plane"], "liquid": ["ring", "torus", "kary"], "nna": EVERYWHERE,
         "splitting": ["ring"], "adi": BOXES, "mdi": BOXES, "ded": ["otis"]}


# With FAMILIES=1 the methods that suit other graphs take these, and the others what they always do.
FAMILIES_ONLY = os.environ.get("FAMILIES", "0") == "1"
WHERE_FAMILIES = {**WHERE, "twa": ["tree"], "mwa": ["plane"], "nna": ["product", "family"], "dde": ["product"], "adi": ["product"], "mdi": ["product"],
                  "liquid": ["ring product"]}


def kinds_of(name):
    if FAMILIES_ONLY:
        return WHERE_FAMILIES.get(name, ["product", "family", "network"])
    return WHERE.get(name, EVERYWHERE)


def draw_weights(rng, experiment):
    lines = ["%d %d %s\n" % (i, j, rng.choice([0, 0.1, 0.25, round(0.4 * rng.random(), 3)]))
             for i, j, _ in experiment.graph.links]
    experiment.files["weights.txt"] = "".join(lines)
    return "diffusion:file:@weights.txt"


def draw_method_spec(rng, name, tokens, experiment):
    if name == "gde":
        return "gde:%s" % rng.choice(["0.5", "0.3", "0.72", "0.9", "%.3f" % rng.random()])
    if name == "diffusion" and experiment.graph and rng.random() < 0.3:
        return draw_weights(rng, experiment)
    if name == "sos":
        return rng.choice(["sos", "sos:%d" % rng.randint(1, 20)])
    if name == "matching":
        return rng.choice(["matching", "matching:edge"])
    if name == "chebyshev":
        return rng.choice(["chebyshev", "chebyshev:%s:%s" % (rng.choice([0.1, 0.5, 1]), rng.choice([4, 6.5, 9]))])
    if name == "diffusion":
        return "diffusion:%s" % rng.choice(["best", "0.2", "0.25", "0.1", "0.5", "%.3f" % rng.random()])
    if name == "sender":
        return "sender:%s" % rng.choice(["1/deg", "1/(deg+1)", "1/(2deg)", "1.5/deg", "0.2", "0.5"])
    if name == "dde":
        return rng.choice(["dde", "dde:receive-first", "dde:send-first"])
    if name == "twa":
        chain = experiment.get("topology").startswith("chain")
        return rng.choice(["twa:middle", "twa:binomial", "twa:whole"] if chain else ["twa", "twa:whole"])
    if name == "liquid":
        return "liquid:" + rng.choice(["c0", "c1", "c2", "c2r", "c3", "c4", "c4r", "c5"])
    if name == "nna":
        return rng.choice(["nna", "nna:portion", "nna:net"])
    if name == "splitting":
        return "splitting:" + rng.choice(["1/2", "1/3", "0.25", "3/4"])
    if name == "push-sum":
        return "push-sum:%d" % rng.randint(1, 60)
    if name == "broadcast-gossip":
        share = rng.choice(["", ":%s" % rng.choice([0, 0.25, 0.5, 0.9, 1])])
        return "broadcast-gossip:%d%s" % (rng.randint(1, 150), share)
    if name == "rotor":
        return "rotor:%d" % rng.choice([0, 1, 2, 4, 9])
    if name == "random-neighbours":
        return rng.choice(["random-neighbours:1", "random-neighbours:2"])
    if name in ("adi", "mdi"):
        return "%s(%s)" % (name, rng.choice(["fos", "opt"]))
    if name == "de":
        return "de(%s)" % rng.choice(["fos", "opt", "ops"])
    if name == "ded":
        return "ded(%s)" % rng.choice(["fos", "sos", "opt", "ops", "opt,one-group", "ops,one-group"])
    if name == "opt":
        return rng.choice(["opt", "opt", "opt:leja", "opt:young", "opt:descending"])
    return name


def draw_load(rng, experiment, n, tokens):
    amounts = lambda: [rng.randint(0, 60) if tokens or rng.random() < 0.5 else round(rng.uniform(0, 60), 2)
                       for _ in range(n)]
    kind = rng.randrange(6)
    if kind == 0:
        low = rng.randint(0, 50)
        experiment.say("load", "uniform:%d:%d" % (low, low + rng.randint(0, 300)))
    elif kind == 1:
        at = "@%d" % rng.randrange(n) if rng.random() < 0.5 else ""
        experiment.say("load", "peak:%d%s" % (rng.randint(0, 40 * n), at))
    elif kind == 2:
        experiment.say("load", "constant:%d" % rng.randint(0, 30))
    elif kind == 3:
        experiment.say("load", "modulo:%d:%d" % (rng.randint(1, 9000), rng.randint(1, 200)))
    elif kind == 4:
        experiment.say("load", "list:" + ",".join(map(str, amounts())))
    else:
        experiment.files["loads.txt"] = "".join("%s\n" % amount for amount in amounts())
        experiment.say("load", "file:@loads.txt")


def draw_work(rng, experiment, n, tokens):
    kind = rng.randrange(4)
    if kind == 3:
        experiment.say("work", "pareto:%s:%s:%d" % (rng.choice([0.8, 1, 1.1, 1.5, 3]), rng.choice([0.5, 1, 4]),
                                                    rng.choice([0, 0, rng.randint(0, 9)])))
    elif kind == 0:
        experiment.say("work", "normal:%d:%d:%d" % (rng.randint(0, 20), rng.randint(0, 40), rng.randint(0, 20)))
    elif kind == 1:
        chosen = rng.sample(range(n), min(n, rng.randint(1, 3)))
        experiment.say("work", "constant:" + ",".join("%d=%d" % (p, rng.randint(-8, 8)) for p in chosen))
    else:
        ticks = [" ".join(str(rng.choice([0, 0, rng.randint(-9, 12)])) for _ in range(n))
                 for _ in range(rng.randint(1, 6))]
        experiment.files["work.txt"] = "\n".join(ticks) + "\n"
        experiment.say("work", "file:@work.txt")


def draw_demand(rng, experiment, tokens, free, available):
    if "demand" in available and rng.random() < 0.3:
        experiment.say("demand", "bounded" if tokens or free else rng.choice(["bounded", "owed"]))
    if "working" in available and rng.random() < 0.3 and not free:
        experiment.say("working", rng.choice(["before", "suspended"]))


def draw_steps(rng, experiment, path):
    """A delay in steps, perhaps with other delays of a link's two directions."""
    kind = rng.randrange(4)
    if kind == 0:
        return "uniform:%d:%d" % (0, rng.randint(0, 4))
    if kind == 1 and experiment.graph:
        ways = rng.choice([1, 2])
        experiment.files[path] = "".join("%d %d %s\n" % (i, j, " ".join(str(rng.randint(0, 5)) for _ in range(ways)))
                                         for i, j, _ in experiment.graph.links)
        return "file:@" + path
    return "fixed:%d" % rng.randint(0, 6)


def draw_delay(rng, experiment, free):
    if free:
        experiment.say("delay", rng.choice(["fixed:20us", "uniform:0us:50us", "exponential:10us"]))
        return
    kinds = rng.choice(["delay", "delay", "delay delay-load", "delay-load"])
    if "delay" in kinds.split():
        experiment.say("delay", draw_steps(rng, experiment, "delays.txt"))
    if "delay-load" in kinds:
        experiment.say("delay-load", rng.choice(["none", "same"] + 4 * [draw_steps(rng, experiment, "delays-load.txt")]))


def draw_capacity(rng, experiment, n, goes_with):
    kind = rng.randrange(3)
    if kind == 0:
        experiment.files["capacities.txt"] = "".join("%d\n" % rng.randint(1, 5) for _ in range(n))
        experiment.say("capacity", "file:@capacities.txt")
    else:
        experiment.say("capacity", rng.choice(["semi", "cs", "uniform:1:8"]))
    if "c" not in goes_with or rng.random() < 0.4:
        experiment.say("weighting", "target")


def draw_stop(rng, experiment, free):
    if rng.random() < 0.75:
        experiment.say("stop", rng.choice(["variance:1", "variance:%d" % rng.randint(0, 400), "spread:1", "discrepancy:%d" % rng.randint(1, 20),
                                           "spread:%d" % rng.randint(0, 20), "error:0.1", "error:%d" % rng.randint(1, 9),
                                           "shared", "neighbours:1", "neighbours:%d" % rng.randint(0, 9), "never"]))
    if free:
        experiment.say("for", "%dms" % rng.randint(30, 200))
        if rng.random() < 0.3:
            experiment.say("operations", rng.randint(1, 3000))
    elif rng.random() < 0.6:
        experiment.say("steps", rng.choice([rng.randint(1, 12), rng.randint(1, 150)]))
    elif rng.random() < 0.5:
        experiment.say("operations", rng.randint(1, 60))
    else:
        experiment.say("steps", 3000)


def draw_invoke(rng, experiment, free):
    """Bounds among the loads, so that some load is just at one."""
    if rng.random() < 0.5:
        experiment.say("load", "uniform:0:%d" % rng.randint(10, 60))
    kinds = ["below:%d" % rng.randint(1, 30), "outside:%d:%d" % (rng.randint(1, 20), rng.randint(20, 40)),
             "probability:%s" % rng.choice(["0", "1", "0.1", "0.5"])]
    experiment.say("invoke", rng.choice(kinds + ["gradient:%d" % rng.randint(1, 20)] * free))


def draw_machine(rng, experiment, free):
    # In turns two workers hand a baton to and fro: slow where they share a core.
    experiment.say("carrier", "pool:%d" % (1 if "turns" in experiment.get("timing", "") else rng.randint(1, 2)))
    if rng.random() < 0.3:
        experiment.say("mailbox", rng.choice(["spsc", "wfcq", "mutex"] + ["slot"] * (not free)))
    if rng.random() < 0.2 and not free:
        experiment.say("barrier", rng.choice(["spin", "yield", "sleep", "pthread"]))
    # Two experiments run side by side: pinned, lone workers would all sit on the first core.
    if rng.random() < (0.9 if experiment.get("carrier") == "pool:1" else 0.1):
        experiment.say("unpinned")


def draw_free(rng, experiment, n, may_push, available):
    experiment.say("timing", "free")
    if "announce" in available and may_push and rng.random() < 0.4:
        experiment.say("announce", "pushed")
    else:
        experiment.say("domains", rng.choice(["overlap", "once", "exclusive"]))
    if rng.random() < 0.2:
        experiment.say("slow", "%d:%d" % (rng.randrange(n), rng.randint(2, 8)))
    if rng.random() < 0.2:
        experiment.say("perturb", "0.1")
    if rng.random() < 0.2:
        experiment.say("faults", "link:%d,repair:1ms" % rng.randint(5, 500))
    if rng.random() < 0.3:
        experiment.say("links")


def draw_faults(rng, experiment, n):
    """In rounds and turns: by rates, or event after event where the links are known."""
    links = [(i, j) for i, j, _ in experiment.graph.links] if experiment.graph else []
    if not links or rng.random() < 0.3:
        part = rng.choice(["link", "processor"]) if links else "processor"
        experiment.say("faults", "%s:%s,repair:%d" % (part, rng.choice(["0", "0.05", "0.5", "2"]), rng.randint(0, 9)))
        return
    down, step, lines = set(), 0, []
    for _ in range(rng.randint(1, 12)):
        step += rng.choice([0, 0, 1, rng.randint(1, 15)])
        what = rng.choice(links + [(p,) for p in range(n)] + 3 * sorted(down))
        lines.append("%d %s %s %s\n" % (step, "repair" if what in down else "fail",
                                        "link" if len(what) == 2 else "processor", " ".join(map(str, what))))
        down ^= {what}
    experiment.files["faults.txt"] = "".join(lines)
    experiment.say("faults", "file:@faults.txt")


def draw_report(rng, experiment, free):
    experiment.say("seed", rng.randint(1, 10 ** 6))
    if rng.random() < 0.1:
        experiment.say("runs", rng.randint(2, 3))
    if rng.random() < 0.15:
        experiment.say("every", rng.randint(2, 9))
    if rng.random() < 0.1:
        experiment.say("no-flows")
    experiment.say("trace")
    if rng.random() < 0.3:
        start, unit = rng.randint(0, 9), "ms" if free else ""
        experiment.say("window", rng.choice(["%d%s" % (start, unit), "%d%s:%d%s" % (start, unit, start + 9, unit)]))


def draw_setting(rng, experiment, n, tokens, goes_with, turns, available):
    """What makes a run other than the papers' plain case: none of it, or some."""
    free = experiment.get("timing") == "free"
    if rng.random() < (0.3 if goes_with else 0.7):
        return
    if not turns and (free or "i" in goes_with) and rng.random() < 0.25:
        draw_invoke(rng, experiment, free)
    if rng.random() < 0.25:
        draw_work(rng, experiment, n, tokens)
        draw_demand(rng, experiment, tokens, free, available)
    if ("d" in goes_with or free) and rng.random() < 0.4:
        draw_delay(rng, experiment, free)
    if not turns and ("c" in goes_with or not tokens) and rng.random() < 0.2:
        draw_capacity(rng, experiment, n, goes_with)
    if "x" in goes_with and not free and rng.random() < 0.3:
        draw_faults(rng, experiment, n)
    if goes_with and rng.random() < 0.2:
        experiment.say("link-limit", rng.randint(1, 12) if tokens else rng.choice([0.5, 1, 2.5, 7, 20]))


def draw(seed, number, available=()):
    """`available`: the command's options; those that it has not yet are not drawn."""
    rng = random.Random("%s/%s" % (seed, number))
    experiment = Experiment("SEED=%s, number %s" % (seed, number))
    name = rng.choices(list(METHODS), [row[0] for row in METHODS.values()])[0]
    _, units, ports, goes_with = METHODS[name]
    free = "f" in goes_with and rng.random() < 0.06
    turns = not free and "t" in goes_with and rng.random() < 0.15
    tokens = "r" not in units or ("t" in units and rng.random() < 0.5)
    n = draw_topology(rng, experiment, kinds_of(name))
    if name == "nna" and tokens:
        n = draw_topology(rng, experiment, ["ring"])
    experiment.say("method", draw_method_spec(rng, name, tokens, experiment))
    experiment.say("units", "tokens" if tokens else "real")
    one_port = "o" in ports and not turns and rng.random() < 0.3
    if one_port:
        experiment.say("ports", "one")
    if free:
        may_push = name in PUSHABLE and not one_port
        draw_free(rng, experiment, n, may_push, available)
    elif turns:
        experiment.say("timing", rng.choice(["turns", "turns", "turns:random"]))
    if "rounding" in available and tokens and name in ROUNDABLE and rng.random() < 0.6:
        pushed = experiment.get("announce") == "pushed"
        if not free or pushed or name != "sender":
            experiment.say("rounding", "nearest" if pushed else rng.choice(["nearest", "random", "carry", "carry"]))
    if not free and rng.random() < 0.25:
        experiment.say("clock", "step")
    draw_load(rng, experiment, n, tokens)
    draw_setting(rng, experiment, n, tokens, goes_with, turns, available)
    draw_stop(rng, experiment, free)
    draw_machine(rng, experiment, free)
    draw_report(rng, experiment, free)
    if not (free or turns) and "i" in goes_with and not experiment.get("delay") and not experiment.get("delay-load") and not experiment.get("capacity") \
            and rng.random() < 0.2:
        experiment.say("overlaps")
    return experiment
