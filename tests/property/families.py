# SPDX-License-Identifier: MIT
"""Families of graphs, built again by networkx or by graphs.py from their definitions: links and numbers of processors,
colours, degrees, diameters, and eigenvalues by LAPACK (scipy). Each family has 20 specs, or as many as have few enough
processors. The colours are those of graphs.py, where they have a closed form."""
import itertools
import json
import os
import random
import subprocess
import sys

import networkx as nx
import numpy
import scipy.linalg

import draws
import graphs

SEED = 11  # of the graphs that are drawn
EVENKEEL = os.environ["EVENKEEL"]
PART = int(os.environ.get("TESTS_PART", "1"))


def numbered(graph, number):
    """The graph with its nodes renamed by a function."""
    return nx.relabel_nodes(graph, {node: number(node) for node in graph})


def from_rows(n, neighbours):
    """A simple graph of n nodes, from a function that lists neighbours, perhaps p itself, perhaps twice."""
    graph = nx.empty_graph(n)
    graph.add_edges_from((p, q) for p in range(n) for q in neighbours(p) if p != q)
    return graph


def product(*factors):
    """Node x0 + n0*(x1 + n1*(x2 + ...))."""
    whole = factors[0]
    for factor in factors[1:]:
        n = len(whole)
        whole = numbered(nx.cartesian_product(whole, factor), lambda node, n=n: node[0] + n * node[1])
    return whole


def ccc(d):
    corner = lambda p: p // d
    place = lambda p: p % d
    return from_rows(d << d, lambda p: [corner(p) * d + (place(p) + 1) % d, (corner(p) ^ 1 << place(p)) * d + place(p)])


def butterfly(d):
    rows = 1 << d
    return from_rows((d + 1) * rows, lambda p: [] if p // rows == d else [p + rows, (p ^ 1 << p // rows) + rows])


def debruijn(k, d):
    words = ["".join(word) for word in itertools.product("0123456789"[:k], repeat=d)]
    place = {word: i for i, word in enumerate(words)}
    return from_rows(len(words), lambda p: [place[words[p][1:] + digit] for digit in "0123456789"[:k]])


def shuffle(d):
    word = lambda p: format(p, "0%db" % d)
    return from_rows(1 << d, lambda p: [p ^ 1, int(word(p)[1:] + word(p)[0], 2)])


def foldedcube(d):
    graph = numbered(nx.hypercube_graph(d), lambda bits: int("".join(map(str, bits)), 2) if d > 1 else bits)
    graph.add_edges_from((p, (1 << d) - 1 - p) for p in range(1 << d))
    return graph


def cayley(n, change):
    orders = list(itertools.permutations(range(n)))
    place = {order: i for i, order in enumerate(orders)}
    return from_rows(len(orders), lambda p: [place[change(orders[p], i)] for i in range(1, n)])


def exchange_first(order, i):
    changed = list(order)
    changed[0], changed[i] = changed[i], changed[0]
    return tuple(changed)


def reverse_first(order, i):
    return order[i::-1] + order[i + 1:]


def hexagonal(rows, columns):
    """Two cells are neighbours if their distance in the plane of 60-degree axes is 1."""
    place = lambda p: complex(p % columns, 0) + (p // columns) * complex(0.5, 3 ** 0.5 / 2)
    near = lambda p: [q for q in (p + 1, p + columns - 1, p + columns, p + columns + 1)
                      if q < rows * columns and abs(place(p) - place(q)) < 1.1]
    return from_rows(rows * columns, near)


def moore(width, height):
    return numbered(nx.strong_product(nx.path_graph(width), nx.path_graph(height)), lambda at: at[0] + width * at[1])


def swapped(levels, nucleus):
    n = len(nucleus)
    digits = lambda p: [p // n ** i % n for i in range(levels)]
    number = lambda word: sum(x * n ** i for i, x in enumerate(word))

    def neighbours(p):
        word = digits(p)
        inner = [number([x] + word[1:]) for x in nucleus[word[0]]]
        return inner + [number(list(exchange_first(word, i))) for i in range(1, levels)]
    return from_rows(n ** levels, neighbours)


FACTORS = {"chain:2": nx.path_graph(2), "chain:4": nx.path_graph(4), "ring:5": nx.cycle_graph(5),
           "complete:4": nx.complete_graph(4), "star:5": nx.star_graph(4), "tree:2:2": nx.balanced_tree(2, 2),
           "circulant:8:1,2": nx.circulant_graph(8, [1, 2]), "hex:2x3": hexagonal(2, 3), "foldedcube:3": foldedcube(3)}

JUMPS = ["1", "1,2", "2,3", "1,2,5", "3,4,6", "1,7"]


def cases():
    """Specs with their graphs, by family."""
    pairs = list(itertools.combinations(FACTORS, 2))[:19]
    yield "product", [("product(%s,%s)" % pair, product(*map(FACTORS.get, pair))) for pair in pairs] + [
        ("product(complete:3,complete:4,complete:5)", product(*map(nx.complete_graph, (3, 4, 5)))),
        ("product(product(ring:5,chain:2),otis(chain:2))", product(nx.cycle_graph(5), nx.path_graph(2),
                                                                     swapped(2, nx.path_graph(2))))]
    yield "hsn", [("hsn(%d,%s)" % (levels, name), swapped(levels, graph)) for levels in (2, 3, 4)
                  for name, graph in FACTORS.items() if len(graph) ** levels <= 1000]
    yield "tree", [("tree:%d:%d" % (k, d), nx.balanced_tree(k, d)) for k in range(2, 9) for d in range(7)
                   if k ** d <= 600][:24]
    yield "ccc", [("ccc:%d" % d, ccc(d)) for d in range(1, 8)]
    yield "butterfly", [("butterfly:%d" % d, butterfly(d)) for d in range(1, 8)]
    yield "debruijn", [("debruijn:%d:%d" % (k, d), debruijn(k, d)) for k in range(2, 9) for d in range(1, 10)
                       if k ** d <= 600]
    yield "shuffle", [("shuffle:%d" % d, shuffle(d)) for d in range(1, 11)]
    yield "circulant", [("circulant:%d:%s" % (n, jumps), nx.circulant_graph(n, list(map(int, jumps.split(",")))))
                        for n, jumps in itertools.product((12, 14, 16, 21, 35), JUMPS)
                        if numpy.gcd.reduce([n] + list(map(int, jumps.split(",")))) == 1 and
                        max(map(int, jumps.split(","))) <= n // 2]
    yield "foldedcube", [("foldedcube:%d" % d, foldedcube(d)) for d in range(1, 11)]
    yield "cayley:star", [("cayley:star:%d" % n, cayley(n, exchange_first)) for n in range(1, 7)]
    yield "cayley:pancake", [("cayley:pancake:%d" % n, cayley(n, reverse_first)) for n in range(1, 7)]
    yield "hex", [("hex:%dx%d" % (r, c), hexagonal(r, c)) for r in (1, 2, 3, 4, 9) for c in (1, 2, 3, 5, 8)]
    yield "moore", [("moore:%dx%d" % (w, h), moore(w, h)) for w in (1, 2, 3, 4, 9) for h in (1, 2, 3, 5, 8)]


def geometric(n, radius):
    """networkx finds the links between the points."""
    points, _ = graphs.geometric_points(n, radius, SEED)
    return nx.random_geometric_graph(n, radius, pos=dict(enumerate(points)))


def margulis(n):
    """networkx has the multigraph of the same links."""
    found = nx.Graph(numbered(nx.margulis_gabber_galil_graph(n), lambda place: place[0] + n * place[1]))
    found.remove_edges_from(list(nx.selfloop_edges(found)))
    return found


def networkx_of(graph):
    """A graph of graphs.py."""
    found = nx.empty_graph(graph.n)
    found.add_edges_from((i, j) for i, j, _ in graph.links)
    return found


def searched():
    """Specs with their graphs, of the families whose colours are searched for."""
    for a, h in itertools.product(range(1, 6), range(1, 5)):
        yield "dragonfly:%d:%d" % (a, h), networkx_of(graphs.dragonfly(a, h))
    for q in (3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19):
        yield "slimfly:%d" % q, networkx_of(graphs.slimfly(q))
    for k in range(2, 14, 2):
        yield "fattree:%d" % k, networkx_of(graphs.fattree(k))
    for n in range(2, 22):
        yield "margulis:%d" % n, margulis(n)
    for (n, k), p in itertools.product(((5, 4), (10, 2), (20, 4), (40, 6), (80, 4)), (0, 0.1, 0.5, 1)):
        yield "smallworld:%d:%d:%g" % (n, k, p), networkx_of(graphs.smallworld(n, k, p, SEED))
    for n, r in itertools.product((2, 10, 30, 60, 100), (0.3, 0.4, 0.6, 1.5)):
        if n > 10 or r > 0.5:
            yield "geometric:%d:%g" % (n, r), geometric(n, r)
    for n, m in itertools.product((6, 20, 50, 100), range(1, 6)):
        yield "powerlaw:%d:%d" % (n, m), networkx_of(graphs.powerlaw(n, m, SEED))


def laplacian(graph):
    adjacency = nx.to_numpy_array(graph, sorted(graph))
    return numpy.diag(adjacency.sum(axis=0)) - adjacency


def ask(*words):
    done = subprocess.run([EVENKEEL, *words, "--format", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(done.stderr)
    return json.loads(done.stdout)


def check_links(spec, graph):
    """Yields what is wrong with the links and their colours."""
    told = ask("list", "--links", "--topology", spec, "--seed", str(SEED))
    links = {(link["from"], link["to"]) for link in told["links"]}
    if links != {tuple(sorted(edge)) for edge in graph.edges}:
        yield "other links than networkx has"
    ends = [(end, link["colour"]) for link in told["links"] for end in (link["from"], link["to"])]
    if len(set(ends)) != len(ends):
        yield "two links of one colour meet"
    if {colour for _, colour in ends} != set(range(told["colours"])):
        yield "a colour without links"


def check_few_colours(spec, graph):
    """Yields what is wrong with colours that were searched for: Vizing's theorem says that one more than the degree do."""
    told = ask("list", "--links", "--topology", spec, "--seed", str(SEED))
    most = max(degree for _, degree in graph.degree)
    if not most <= told["colours"] <= most + 1:
        yield "%d colours for a degree of %d" % (told["colours"], most)
    if spec.startswith("slimfly"):  # the second eigenvalue is what it is built for
        spectrum = theory_of(spec)["spectrum"]
        if not abs(spectrum["lambda_2"] - int(spec.split(":")[1])) < 1e-9:
            yield "the second eigenvalue is %s" % spectrum["lambda_2"]


def theory_of(spec, *words):
    """With targets, switches have a share of the load, too, so the eigenvalues are those of the whole graph."""
    return ask("theory", "--topology", spec, "--seed", str(SEED), *(words or ("--method", "fos", "--weighting", "target")))


def check_numbers(graph, told, direct):
    """Yields the numbers that differ, of the graph and of its spectrum. `direct`: `told` is about a direct method."""
    degrees = [degree for _, degree in graph.degree]
    values = scipy.linalg.eigvalsh(laplacian(graph))
    found = [value for value in values[1:]]
    distinct = 0 if not found else 1 + sum(b > a * (1.0 + 1e-9) for a, b in zip(found, found[1:]))
    expected = {"processors": len(graph), "links": graph.number_of_edges(), "degree_min": min(degrees),
                "degree_max": max(degrees), "diameter": nx.diameter(graph)}
    for name, value in expected.items():
        if told["topology"][name] != value:
            yield "%s is %s, not %s" % (name, told["topology"][name], value)
    if found:
        for name, value in (("lambda_2", found[0]), ("lambda_m", found[-1])):
            if not abs(told["spectrum"][name] - value) <= 1e-10 * max(1.0, found[-1]):
                yield "%s is %s, not %s" % (name, told["spectrum"][name], value)
        facts = {fact["name"]: fact["value"] for fact in told["methods"][0]["facts"]}
        if direct and facts["operations_all"] != distinct:
            yield "%s distinct eigenvalues, not %d" % (facts["operations_all"], distinct)


def check_colours(spec, graph):
    """Yields what is wrong with links and colours of a graph of graphs.py."""
    told = ask("list", "--links", "--topology", spec)["links"]
    found = [(link["from"], link["to"], link["colour"] if graph.coloured else None) for link in told]
    expected = [(i, j, colour) for i in range(graph.n) for j, colour in graph.neighbours[i] if i < j]
    if found != expected:
        yield "other links or colours: %s" % sorted(set(expected) ^ set(found))[:4]


def outcomes():
    """What is wrong with each spec."""
    for _, specs in cases():
        for spec, graph in specs[::PART]:
            told = theory_of(spec, "--method", "opt", "--load", "constant:1")
            yield spec, list(check_links(spec, graph)) + list(check_numbers(graph, told, True))
    for spec, graph in itertools.islice(searched(), 0, None, PART):
        wrong = list(check_links(spec, graph)) + list(check_numbers(graph, theory_of(spec), False))
        yield spec, wrong + list(check_few_colours(spec, graph))
    rng = random.Random(1)
    for spec, build in draws.FAMILIES.items():
        yield spec, list(check_colours(spec, build()))
    for _ in range(60 // PART):
        experiment = draws.Experiment("")
        draws.draw_product(rng, experiment, list(draws.FACTORS))
        yield experiment.get("topology"), list(check_colours(experiment.get("topology"), experiment.graph))


def main():
    passed = failed = 0
    for spec, wrong in outcomes():
        for sentence in wrong:
            print("FAIL %s: %s" % (spec, sentence))
        failed += bool(wrong)
        passed += not wrong
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
