# SPDX-License-Identifier: MIT
"""Topologies, built from their definitions: who is linked to whom, in which colour, and the Laplacian's eigenvalues."""
import itertools
import math


class Graph:
    """Processors 0..n-1; links (i, j, colour) with i < j. `sides` and `wraps` where they lie in a box."""

    def __init__(self, processors, links, sides=(), wraps=False):
        self.n = processors
        self.links = sorted(links)
        self.sides = sides
        self.wraps = wraps
        self.coloured = all(colour is not None for _, _, colour in links)
        colours = sorted({colour for _, _, colour in links}) if self.coloured else []
        self.colours = len(colours)
        self.neighbours = [[] for _ in range(processors)]  # (neighbour, colour), ascending
        for i, j, colour in links:
            place = colours.index(colour) if self.coloured else None
            self.neighbours[i].append((j, place))
            self.neighbours[j].append((i, place))
        for row in self.neighbours:
            row.sort()
        self.degree = [len(row) for row in self.neighbours]

    def coordinates(self, p):
        place = []
        for side in self.sides:
            place.append(p % side)
            p //= side
        return place

    def step_along(self, p, dimension, by):
        """The processor `by` places further in a dimension, around its end."""
        stride = math.prod(self.sides[:dimension])
        x = self.coordinates(p)[dimension]
        return p + ((x + by) % self.sides[dimension] - x) * stride

    def laplacian(self):
        matrix = [[0.0] * self.n for _ in range(self.n)]
        for i, j, _ in self.links:
            matrix[i][j] = matrix[j][i] = -1.0
            matrix[i][i] += 1.0
            matrix[j][j] += 1.0
        return matrix


def box(sides, wraps):
    """A grid; with `wraps`, sides of 3 and more are rings. Index = x0 + k0*(x1 + k1*(x2 + ...))."""
    links = []
    stride = 1
    n = math.prod(sides)
    for dimension, k in enumerate(sides):
        for p in range(n):
            x = p // stride % k
            if x + 1 < k:
                links.append((p, p + stride, (dimension, x % 2)))
            elif wraps and k >= 3:
                links.append((p - (k - 1) * stride, p, (dimension, 1 if k % 2 == 0 else 2)))
        stride *= k
    return Graph(n, links, tuple(sides), wraps)


def complete(n):
    """The colours are the rounds of a tournament: i and j meet in round i + j; of an even number the last one meets
    whoever would meet itself."""
    rounds = n - 1 if n % 2 == 0 else n
    meets = lambda i, j: (i + (j if j < rounds else i)) % rounds
    return Graph(n, [(i, j, meets(i, j)) for i, j in itertools.combinations(range(n), 2)])


def star(n):
    return Graph(n, [(0, leaf, leaf) for leaf in range(1, n)])


def swapped(inner):
    """otis(G): processor p of group g is g*n + p; (g, p) is linked to (p, g), in the last colour."""
    n = inner.n
    links = [(g * n + i, g * n + j, colour) for g in range(n)
             for i in range(n) for j, colour in inner.neighbours[i] if i < j]
    links += [(g * n + p, p * n + g, inner.colours) for g in range(n) for p in range(g + 1, n)]
    return Graph(n * n, links)


def uncoloured(n, pairs):
    return Graph(n, [(i, j, None) for i, j in pairs])


def eigenvalues(matrix):
    """Of a symmetric matrix, ascending, by cyclic Jacobi rotations."""
    a = [row[:] for row in matrix]
    n = len(a)
    size = sum(x * x for row in a for x in row)
    for _ in range(60):
        if sum(a[p][q] ** 2 for p in range(n) for q in range(p)) <= 1e-26 * size:
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                rotate(a, p, q)
    return sorted(a[i][i] for i in range(n))


def rotate(a, p, q):
    if a[p][q] == 0.0:
        return
    theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q])
    t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for row in a:
        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
    top, low = a[p], a[q]
    a[p] = [c * x - s * y for x, y in zip(top, low)]
    a[q] = [s * x + c * y for x, y in zip(top, low)]


def spectrum(graph, capacity=None):
    """Eigenvalues of L, or of L*C^-1, which is similar to C^-1/2 L C^-1/2."""
    matrix = graph.laplacian()
    if capacity:
        root = [math.sqrt(c) for c in capacity]
        matrix = [[x / (root[i] * root[j]) for j, x in enumerate(row)] for i, row in enumerate(matrix)]
    return eigenvalues(matrix)


def distinct(values):
    """The nonzero eigenvalues, each once: those equal to 1e-9 are one."""
    found = []
    for value in sorted(values):
        if value > 1e-9 * max(values) and (not found or value - found[-1] > 1e-9 * value):
            found.append(value)
    return found


def by_scores(values, weighted):
    """Leja's order: first the largest, then each time the one farthest, in the product, from those before."""
    left, order = sorted(values, reverse=True), []
    while left:
        scores = [math.prod(abs(x - y) for y in order) * (x if weighted else 1.0) for x in left]
        best = next(k for k, score in enumerate(scores) if not order or score >= max(scores) * (1.0 - 1e-9))
        order.append(left.pop(best))
    return order


def outside_in_backwards(values):
    left, order = sorted(values), []
    while left:
        order.append(left.pop())
        if left:
            order.append(left.pop(0))
    return order[::-1]


def ordered(values, order):
    return {"": lambda: by_scores(values, True), "weighted-leja": lambda: by_scores(values, True),
            "leja": lambda: by_scores(values, False), "young": lambda: outside_in_backwards(values),
            "ascending": lambda: sorted(values), "descending": lambda: sorted(values, reverse=True)}[order]()


def directions(graph):
    """The same graph with its directions as colours, the last one first; and each direction's line."""
    links = [(i, j, -colour[0]) for i, j, colour in graph.links]
    lines = [box([k], graph.wraps) for k in reversed(graph.sides) if k > 1]
    return Graph(graph.n, links, graph.sides, graph.wraps), lines
