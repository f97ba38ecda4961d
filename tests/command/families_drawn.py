# SPDX-License-Identifier: MIT
"""Builds each graph again and compares it with the command's. Prints what is wrong, and how much was right."""
import json
import os
import subprocess
import sys
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "property"), os.path.join(HERE, "..", "support")]
import graphs
import networkx
import numpy
from expect import end, expect, near

SEED = 11
warnings.simplefilter("ignore", FutureWarning)


def geometric(n, radius, seed):
    """networkx finds the links between the points."""
    points, _ = graphs.geometric_points(n, radius, seed)
    found = networkx.random_geometric_graph(n, radius, pos=dict(enumerate(points)))
    return graphs.uncoloured(n, sorted(tuple(sorted(pair)) for pair in found.edges))


def margulis(n):
    """networkx has the multigraph of the same links."""
    found = networkx.Graph(networkx.margulis_gabber_galil_graph(n))
    number = lambda place: place[0] + n * place[1]
    pairs = {tuple(sorted((number(a), number(b)))) for a, b in found.edges if a != b}
    assert pairs == {(i, j) for i, j, _ in graphs.margulis(n).links}
    return graphs.uncoloured(n * n, sorted(pairs))


CASES = (
    [("dragonfly:%d:%d" % (a, h), graphs.dragonfly(a, h)) for a in range(1, 6) for h in range(1, 5)]
    + [("slimfly:%d" % q, graphs.slimfly(q)) for q in (3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19)]
    + [("fattree:%d" % k, graphs.fattree(k)) for k in range(2, 14, 2)]
    + [("margulis:%d" % n, margulis(n)) for n in range(2, 22)]
    + [("smallworld:%d:%d:%g" % (n, k, p), graphs.smallworld(n, k, p, SEED))
       for n, k in ((5, 4), (10, 2), (20, 4), (40, 6), (80, 4)) for p in (0, 0.1, 0.5, 1)]
    + [("geometric:%d:%g" % (n, r), geometric(n, r, SEED)) for n in (2, 10, 30, 60, 100) for r in (0.3, 0.4, 0.6, 1.5)
       if n > 10 or r > 0.5]
    + [("powerlaw:%d:%d" % (n, m), graphs.powerlaw(n, m, SEED)) for n in (6, 20, 50, 100) for m in range(1, 6)]
)


def said(*words):
    """What the command prints as JSON."""
    done = subprocess.run([os.environ["EVENKEEL"], *words, "--format", "json"], capture_output=True, check=True)
    return json.loads(done.stdout)


def compare(spec, graph):
    listed = said("list", "--topology", spec, "--links", "--seed", str(SEED))
    links = [(link["from"], link["to"]) for link in listed["links"]]
    expect(spec + ": links", [(i, j) for i, j, _ in graph.links], links)
    at = [(end, link["colour"]) for link in listed["links"] for end in (link["from"], link["to"])]
    expect(spec + ": no two links of a colour meet", len(at), len(set(at)))
    expect(spec + ": colours", True, max(graph.degree) <= listed["colours"] <= max(graph.degree) + 1)
    theory = said("theory", "--topology", spec, "--method", "fos", "--weighting", "target", "--seed", str(SEED))
    topology, spectrum = theory["topology"], theory["spectrum"]
    other = networkx.Graph(links)
    expect(spec + ": degrees", (min(graph.degree), max(graph.degree)), (topology["degree_min"], topology["degree_max"]))
    expect(spec + ": diameter", networkx.diameter(other), topology["diameter"])
    values = numpy.linalg.eigvalsh(networkx.laplacian_matrix(other).toarray().astype(float))
    expect(spec + ": smallest eigenvalue %.17g" % values[1], True, near(spectrum["lambda_2"], values[1]))
    expect(spec + ": largest eigenvalue %.17g" % values[-1], True, near(spectrum["lambda_m"], values[-1]))
    return values


for spec, graph in CASES:
    found = compare(spec, graph)
    if spec.startswith("slimfly"):  # the diameter and the closed form of the second eigenvalue are what it is built for
        expect(spec + ": the second eigenvalue is Q", True, near(found[1], float(spec.split(":")[1])))
end()
