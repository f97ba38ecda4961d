# SPDX-License-Identifier: MIT
"""What the report says is known before a run, found again: factors from eigenvalues by Jacobi rotations."""
import math

import graphs
import recompute


def weighted_spectrum(graph, weights, capacity):
    """Eigenvalues of L*C^-1, L the Laplacian of links with weights by (i, j)."""
    root = [math.sqrt(c) for c in capacity or [1.0] * graph.n]
    matrix = [[0.0] * graph.n for _ in range(graph.n)]
    for i, j, _ in graph.links:
        for p, q in ((i, j), (j, i)):
            matrix[p][q] -= weights[i, j] / (root[p] * root[q])
            matrix[p][p] += weights[i, j] / root[p] ** 2
    return graphs.eigenvalues(matrix)


def weights_of(experiment, graph):
    if experiment.get("method") == "metropolis":
        return {(i, j): 1.0 / (1.0 + max(graph.degree[i], graph.degree[j])) for i, j, _ in graph.links}
    return recompute.weights_of(experiment)


def chebyshev_factor(low, high, modes):
    """The largest limit of |T_k(m/g)/T_k(1/g)|^(1/k), each by arccosh; a mode within the bounds does not grow."""
    g = (high - low) / (high + low)
    if g == 0.0:
        return max(abs(mode) for mode in modes)
    grows = lambda x: math.exp(math.acosh(x)) if x > 1.0 else 1.0
    return max(grows(abs(mode) / g) for mode in modes) / grows(1.0 / g)


def factors(experiment, graph, capacity):
    """The facts by their names; a value of None is not compared."""
    name, _, rest = experiment.get("method").partition(":")
    if name == "metropolis" or rest.startswith("file:"):
        values = weighted_spectrum(graph, weights_of(experiment, graph), capacity)[1:]
        return {"gamma": max(abs(1.0 - value) for value in values)} if values[0] > 1e-9 * values[-1] else {}
    values = graphs.spectrum(graph, capacity)
    low, high = values[1], values[-1]
    gamma = (high - low) / (high + low)
    if name == "fos" or (name == "sos" and rest):
        return {"gamma": gamma}
    if name == "sos":
        return {"gamma": gamma / (1.0 + math.sqrt(1.0 - gamma * gamma))}
    if name != "chebyshev":
        return {}
    given = list(map(float, rest.split(":"))) if rest else [low, high]
    modes = [1.0 - 2.0 / sum(given) * value for value in (low, high)]
    found, best = chebyshev_factor(*given, modes), gamma / (1.0 + math.sqrt(1.0 - gamma * gamma))
    if not rest:
        return {"gamma": best, "gamma_best": None, "bounds_cost": None}
    cost = math.log(best) / math.log(found) if best > 1e-9 and found < 1.0 - 1e-9 else None
    return {"gamma": found, "gamma_best": best, "bounds_cost": cost}


def check(experiment, record):
    graph = experiment.graph
    capacity = recompute.capacity_of(experiment, record["topology"]["processors"])
    if graph is None or not graph.links or capacity is False or not record["theory"]:
        return
    said = {fact["name"]: fact["value"] for fact in record["theory"]["facts"]}
    for name, value in factors(experiment, graph, None if experiment.get("weighting") == "target" else capacity).items():
        if name in said and value is not None and said[name] is not None and abs(said[name] - value) > 1e-6 * (1.0 + value):
            yield "the fact %s is %r, recomputed %r" % (name, said[name], value)
        if name == "gamma" and name not in said and plain(record):
            yield "there is no fact %s" % name


def plain(record):
    return record["timing"] == "rounds" and record["invoke"] == "always" and record["delay"] == "none" and record["delay_load"] in ("same", "none") and \
        record["faults"] == "none" and record["link_limit"] in (None, "none") and record["work"] == "none"
