# SPDX-License-Identifier: MIT
"""Topologies, built from their definitions: who is linked to whom, in which colour, and the Laplacian's eigenvalues."""
import itertools
import math


class Graph:
    """Processors 0..n-1; links (i, j, colour) with i < j. `sides` and `wraps` where they lie in a box, `sides` and
    `factors` in a product of other graphs."""

    def __init__(self, processors, links, sides=(), wraps=False, factors=()):
        self.n = processors
        self.links = sorted(links)
        self.sides = sides
        self.wraps = wraps
        self.factors = factors
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

    def line(self, dimension):
        """The graph along a dimension."""
        return self.factors[dimension] if self.factors else box([self.sides[dimension]], self.wraps)

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


def coloured(n, links):
    """From links (p, q, colour) that may be given from both ends, or lead from p to p."""
    return Graph(n, sorted({(min(p, q), max(p, q), colour) for p, q, colour in links if p != q}))


def shifted(n, pairs):
    return uncoloured(n, sorted({(min(p, q), max(p, q)) for p, q in pairs if p != q}))


def product(*factors):
    """Processor x0 + n0*(x1 + n1*(x2 + ...)); the links of factor d change x_d, in the colours after those before."""
    sides = tuple(factor.n for factor in factors)
    n = math.prod(sides)
    links = []
    stride = 1
    for dimension, factor in enumerate(factors):
        for base in (p for p in range(n) if p // stride % factor.n == 0):
            links += [(base + i * stride, base + j * stride, (dimension, colour)) for i in range(factor.n)
                      for j, colour in factor.neighbours[i] if i < j]
        stride *= factor.n
    return Graph(n, links, sides, factors=factors)


def hierarchical(levels, inner):
    """hsn(L,G): words of L digits; G changes the last one, and a level exchanges it with another one."""
    n = inner.n
    links = []
    for word in itertools.product(range(n), repeat=levels):
        number = lambda word: sum(x * n ** (levels - 1 - i) for i, x in enumerate(word))
        links += [(number(word), number(word[:-1] + (y,)), colour) for y, colour in inner.neighbours[word[-1]]]
        for level in range(2, levels + 1):
            swapped_word = list(word)
            swapped_word[-level], swapped_word[-1] = word[-1], word[-level]
            links.append((number(word), number(swapped_word), inner.colours + level))
    return coloured(n ** levels, links)


def tree(children, depth):
    """Level by level; each processor's links have the colours 0, 1, ... but for that of the link to its parent."""
    links, level = [], [(0, None)]
    n = 1
    for _ in range(depth):
        below = []
        for parent, above in level:
            for colour in [c for c in range(children + 1) if c != above][:children]:
                links.append((parent, n, colour))
                below.append((n, colour))
                n += 1
        level = below
    return Graph(n, links)


def cube_connected(d):
    """ccc:D: at each place the link to another corner has the lowest colour that the ring's links leave."""
    ring = box([d], True)
    links = []
    for corner in range(1 << d):
        for i in range(d):
            links += [(corner * d + i, corner * d + j, colour) for j, colour in ring.neighbours[i]]
            free = min(set(range(3)) - {colour for _, colour in ring.neighbours[i]})
            links.append((corner * d + i, (corner ^ 1 << i) * d + i, free))
    return coloured(d << d, links)


def butterfly(d):
    rows = 1 << d
    return coloured((d + 1) * rows, [(level * rows + row, (level + 1) * rows + (row ^ crosses << level),
                                      level % 2 * 2 + crosses)
                                     for level in range(d) for row in range(rows) for crosses in (0, 1)])


def debruijn(base, digits):
    n = base ** digits
    return shifted(n, [(p, (p * base + c) % n) for p in range(n) for c in range(base)])


def shuffle(bits):
    n = 1 << bits
    rotated = lambda p: p * 2 % n + p * 2 // n
    return shifted(n, [(p, q) for p in range(n) for q in (p ^ 1, rotated(p))])


def circulant(n, jumps):
    """Two colours alternate around each ring of a jump, from its lowest processor on, if all rings are even."""
    links = []
    for place, jump in enumerate(jumps):
        for start in range(math.gcd(n, jump)):
            p = start
            for k in range(n // math.gcd(n, jump)):
                links.append((p, (p + jump) % n, (place, k % 2 if 2 * jump != n else 0)))
                p = (p + jump) % n
    if all(n // math.gcd(n, jump) % 2 == 0 for jump in jumps):
        return coloured(n, links)
    return shifted(n, [(p, q) for p, q, _ in links])


def foldedcube(d):
    n = 1 << d
    links = [(p, p ^ 1 << bit, bit) for p in range(n) for bit in range(d)]
    return coloured(n, links + [(p, n - 1 - p, d) for p in range(n) if d > 1])


def cayley(kind, n):
    orders = list(itertools.permutations(range(n)))
    def changed(order, i):
        if kind == "pancake":
            return order[:i][::-1] + order[i:]
        return (order[i - 1],) + order[1:i - 1] + (order[0],) + order[i:]
    return coloured(len(orders), [(p, orders.index(changed(order, i)), i) for p, order in enumerate(orders)
                                  for i in range(2, n + 1)])


def cells(width, height, steps):
    """Cell x + width*y. Along each kind of step two colours alternate, unless its lines have one link only."""
    links = []
    for place, (across, down) in enumerate(steps):
        long = min([width] * (across != 0) + [height] * (down != 0)) > 2
        for y in range(height):
            for x in range(width):
                if 0 <= x + across < width and y + down < height:
                    odd = (y if down else x) % 2 if long else 0
                    links.append((x + width * y, x + across + width * (y + down), (place, odd)))
    return coloured(width * height, links)


def hexagonal(rows, columns):
    return cells(columns, rows, [(1, 0), (-1, 1), (0, 1)])


def moore(width, height):
    return cells(width, height, [(1, 0), (-1, 1), (0, 1), (1, 1)])


def walk_tree(graph):
    """The tree along which dde moves tasks in a factor: parents, the preorder, and the height."""
    level, depth = {0}, {0: 0}
    while level:
        level = {q for p in level for q, _ in graph.neighbours[p]} - set(depth)
        depth.update({q: 1 + max(depth.values()) for q in level})
    parent = {p: max(q for q, _ in graph.neighbours[p] if depth[q] < depth[p]) for p in range(1, graph.n)}
    visit = lambda p: [p] + [r for q in range(1, graph.n) if parent[q] == p for r in visit(q)]
    return parent, visit(0), max(depth.values())


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
    lines = [graph.line(d) for d, k in reversed(list(enumerate(graph.sides))) if k > 1]
    return Graph(graph.n, links, graph.sides, graph.wraps, graph.factors), lines
