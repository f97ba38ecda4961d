# SPDX-License-Identifier: MIT
"""A run once more, by another program: from the experiment's options and the first loads to what the report must say."""
import math

import gossip
import graphs
import indivisible
import measures
import rounds
import systems

STEPS_MAX = 64000  # beyond so many steps times links a run is not recomputed
EXCHANGE = ("ade", "ode", "gde", "dem")
OWN_ROUNDING = ("sos", "chebyshev")  # which round their amounts themselves
FREE = ("ade", "ode", "gde", "adf", "odf", "diffusion", "fos", "sender", "metropolis")  # that virtual.py makes again


def plain(experiment):
    """Nothing but loads and links: what the systems are recomputed for."""
    return not any(experiment.get(o) for o in ("work", "delay", "delay-load", "invoke", "capacity", "link-limit", "faults"))


def closed_parameter(name, graph, capacity, tokens):
    """A method's lambda or alpha from its closed form or the spectrum; None where it has neither here."""
    if name in ("ade", "dem"):
        return 0.5
    if name == "adf":
        return 1.0 / (1 + max(graph.degree))
    if name in ("ode", "odf") and graph.sides and not graph.factors:
        n = sum(k > 1 for k in graph.sides)
        k = max(graph.sides)
        if k <= 2:
            return 0.5 if name == "ode" else 1.0 / (n + 1)
        turn = 2.0 * math.pi / k
        if name == "ode":
            return 1.0 / (1.0 + math.sin(turn if graph.wraps else turn / 2.0))
        return 1.0 / (2 * n + 1 - math.cos(turn)) if graph.wraps else 1.0 / (2 * n)
    if name in ("fos", "odf", "chebyshev", "diffusion:best"):
        values = graphs.spectrum(graph, capacity)
        return 2.0 / (values[1] + values[-1])
    if name == "sos":
        values = graphs.spectrum(graph, capacity)
        ratio = values[1] / values[-1]
        g = (1.0 - ratio) / (1.0 + ratio)
        return 2.0 / (1.0 + math.sqrt(1.0 - g * g))
    return None


def sender_shares(spec, degree):
    number, _, below = spec.partition("/")
    under = {"": lambda d: 1, "deg": lambda d: d, "(deg+1)": lambda d: d + 1, "(2deg)": lambda d: 2 * d}[below]
    return [float(number) / under(d) for d in degree]


def weights_of(experiment):
    weights = {}
    for line in experiment.files["weights.txt"].splitlines():
        i, j, weight = line.split()
        weights[int(i), int(j)] = weights[int(j), int(i)] = float(weight)
    return weights


def remembering_of(experiment, graph, capacity, parameter, seed):
    """sos or chebyshev, whose amounts depend on those before; they round by themselves."""
    name, _, rest = experiment.get("method").partition(":")
    rounding = experiment.get("rounding", "down") if experiment.get("units") in ("tokens", "tasks") else None
    whole = rounds.rounds_itself(rounding, graph, seed)
    values = graphs.spectrum(graph, capacity)
    if name == "sos":
        return rounds.second_order(2.0 / (values[1] + values[-1]), parameter, whole, int(rest or 0))
    bounds = map(float, rest.split(":")) if rest else (values[1], values[-1])
    return rounds.chebyshev(*bounds, whole)


def rule_of(experiment, graph, capacity, parameter, seed=0):
    """The rule of a method that compares two loads; None for another. `parameter` is the report's, to the last bit."""
    name, _, rest = experiment.get("method").partition(":")
    tokens = experiment.get("units") in ("tokens", "tasks")
    if name in EXCHANGE:
        down = tokens and experiment.get("rounding", "down") == "down"
        return rounds.exchange(parameter, down, 1 if name == "dem" else None) if graph.coloured else None
    if (name, rest) == ("matching", "edge"):
        down = tokens and experiment.get("rounding", "down") == "down"
        return rounds.single_link(down, graph, seed)
    if rest.startswith("file:"):
        return rounds.weighted(weights_of(experiment)) if name == "diffusion" else None
    if name in ("adf", "odf", "diffusion", "fos"):
        return rounds.diffusion(parameter)
    if name == "metropolis":
        return rounds.metropolis(graph.degree)
    if name == "sender":
        return rounds.sender(sender_shares(rest, graph.degree))
    if name in OWN_ROUNDING:
        return remembering_of(experiment, graph, capacity, parameter, seed)
    if name == "opt":
        return rounds.polynomial(graphs.ordered(graphs.distinct(graphs.spectrum(graph, capacity)), rest))
    return None


def alternating_of(spec, lines):
    """adi or mdi with fos or opt."""
    spectra = [graphs.distinct(graphs.spectrum(line)) for line in lines]
    reverses = spec.startswith("mdi")
    if spec.endswith("(fos)"):
        return rounds.alternating([[2.0 / (values[0] + values[-1])] for values in spectra], reverses)
    parameters = [[1.0 / value for value in graphs.ordered(values, "")] for values in spectra]
    return rounds.alternating(parameters, reverses, max(map(len, parameters)))


def numbers(text):
    return [float(word) for word in text.split()]


def capacity_of(experiment, n):
    """By processor; None where all are equal, False where the command drew them."""
    spec = experiment.get("capacity", "homo")
    if spec == "homo":
        return None
    if spec == "semi":
        return [2.0 if p < n // 2 else 1.0 for p in range(n)]
    if spec == "cs":
        return [n + 1.0] + [1.0] * (n - 1)
    return numbers(experiment.files["capacities.txt"]) if spec.startswith("file:") else False


def delay_of(experiment, graph, option="delay"):
    """By (sender, receiver); None where nothing is late, False where the command drew it."""
    kind, _, rest = experiment.get(option, "none").partition(":")
    if kind == "same":
        return delay_of(experiment, graph)
    if kind == "none":
        return None
    if kind == "file":
        links = [map(int, line.split()) for line in experiment.files[rest.lstrip("@")].splitlines()]
    elif kind == "fixed":
        links = [(i, j, int(rest)) for i, j, _ in graph.links]
    else:
        return False
    delay = {}
    for i, j, forth, *back in links:
        delay[i, j], delay[j, i] = forth, back[0] if back else forth
    return delay


def work_of(experiment, n, seed=None):
    """The ticks, and whether the first comes again and again; False where the command drew them."""
    kind, _, rest = experiment.get("work", "none").partition(":")
    if kind == "none":
        return None, False
    if kind == "file":
        return [numbers(line) for line in experiment.files["work.txt"].splitlines()], False
    if kind == "constant":
        tick = [0.0] * n
        for part in rest.split(","):
            p, amount = part.split("=")
            tick[int(p)] = float(amount)
        return [tick], True
    if kind == "pareto" and rest.endswith(":0") and seed is not None:
        shape, least, _ = map(float, rest.split(":"))
        return rounds.DrawnWork(n, seed, shape, least, experiment.get("units") == "tokens"), False
    return False, False


def faults_of(experiment):
    """The events in their order; False where the command drew them."""
    if not experiment.get("faults"):
        return []
    if not experiment.get("faults").startswith("file:"):
        return False
    lines = [line.split() for line in experiment.files["faults.txt"].splitlines()]
    return [(int(step), event, tuple(sorted(map(int, which)))) for step, event, _, *which in lines]


def invokes_of(experiment):
    kind, *bounds = experiment.get("invoke", "always").split(":")
    bounds = list(map(float, bounds)) if kind in ("below", "outside", "probability", "above") else []
    return {"always": lambda: None,
            "below": lambda: lambda w: w < bounds[0],
            "outside": lambda: lambda w: w < bounds[0] or w > bounds[1],
            "probability": lambda: (lambda w: bounds[0] == 1.0) if bounds[0] in (0.0, 1.0) else False,
            "above": lambda: lambda w: w > bounds[0]}.get(kind, lambda: False)()


def initial_of(experiment, n):
    """The first loads; None where the command draws them."""
    if experiment.get("objects"):
        objects = indivisible.Objects(experiment.files["objects.csv"], "fit", True)
        return [objects.load([i for i, home in enumerate(objects.home) if home == p]) for p in range(n)]
    kind, _, rest = experiment.get("load", "default").partition(":")
    if kind == "peak":
        amount, _, place = rest.partition("@")
        return [float(amount) if p == int(place or 0) else 0.0 for p in range(n)]
    if kind == "constant":
        return [float(rest)] * n
    if kind == "modulo":
        factor, modulus = map(int, rest.split(":"))
        return [float(p * factor % modulus) for p in range(n)]
    if kind == "list":
        return list(map(float, rest.split(",")))
    return numbers(experiment.files["loads.txt"]) if kind == "file" else None


def system_of(experiment, graph, loads, seed):
    if not plain(experiment) or experiment.get("ports") == "one":
        return None
    name, _, rest = experiment.get("method").partition(":")
    if name == "dde":
        return systems.DirectExchange(graph, loads, rest == "send-first")
    if name == "twa" and (graph.n > 2 and not graph.sides or rest == "whole"):
        return systems.TreeWalk(graph, loads)
    if name == "mwa" and experiment.get("units") == "tokens":
        return systems.MeshWalk(graph, loads)
    if name == "liquid":
        return systems.Liquid(graph, loads, rest)
    if name == "nna" and experiment.get("units") == "tokens":
        return systems.Averaging(graph, loads, rest)
    if name == "splitting":
        return systems.Splitting(graph, loads, rest)
    if name == "push-sum":
        return gossip.PushSum(graph, loads, int(rest), seed)
    if name == "broadcast-gossip":
        operations, _, kept = rest.partition(":")
        return gossip.Broadcast(graph, loads, int(operations), seed, float(kept or 0.5))
    if name == "rotor":
        return systems.Rotor(graph, loads, int(rest))
    return None


def start(experiment, graph, loads, parameter, seed):
    """A run that has not begun, to be advanced step by step; None where this program cannot say."""
    timing = experiment.get("timing", "rounds")
    if graph is None or not graph.links or timing not in ("rounds", "turns"):
        return None
    tokens = experiment.get("units") == "tokens"
    capacity = capacity_of(experiment, graph.n)
    delay = delay_of(experiment, graph)
    delay_load = delay_of(experiment, graph, "delay-load" if experiment.get("delay-load") else "delay")
    work, repeats = work_of(experiment, graph.n, seed)
    invokes = invokes_of(experiment)
    faults = faults_of(experiment)
    one_port = experiment.get("ports") == "one"
    if False in (capacity, delay, delay_load, work, invokes, faults) or (one_port and not graph.coloured):
        return None
    to_target = experiment.get("weighting") == "target"
    if experiment.get("method")[:4] in ("adi(", "mdi(") and not one_port:
        graph, lines = graphs.directions(graph)
        rule = alternating_of(experiment.get("method"), lines)
    else:
        rule = rule_of(experiment, graph, None if to_target else capacity, parameter, seed)
    if rule is None:
        return system_of(experiment, graph, loads, seed)
    itself = experiment.get("method").partition(":")[0] in OWN_ROUNDING
    rounding = "down" if itself else experiment.get("rounding", "down")
    setting = rounds.Setting(graph, loads, tokens, one_port=one_port, capacity=capacity, to_target=to_target,
                             delay=delay, delay_load=delay_load, limit=float(experiment.get("link-limit", math.inf)), invokes=invokes,
                             work=work, work_repeats=repeats,
                             bounded=experiment.get("demand", "bounded" if tokens else "owed") == "bounded",
                             working=experiment.get("working", "after"), clock_steps=experiment.get("clock") == "step",
                             turns=timing == "turns", overlaps=experiment.get("overlaps", False), faults=faults,
                             rounding=rounding, seed=seed)
    return rounds.Run(setting, rule)


def criterion(stop, row, graph, capacity, noise):
    return measures.verdict(measures.terms(stop, row.held, row.in_flight, graph, capacity), noise)
