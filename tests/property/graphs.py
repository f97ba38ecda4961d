# SPDX-License-Identifier: MIT
"""Topologies, built from their definitions: who is linked to whom, in which colour, and the Laplacian's eigenvalues."""
import itertools
import math

import threefry

LINKS = 0  # the purpose of the random numbers from which links are drawn


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


def dragonfly(routers, globals_):
    """Complete groups of routers; port k of group i leads to group k, or k + 1 from i on; each router has some ports."""
    groups = routers * globals_ + 1
    pairs = {(g * routers + a, g * routers + b) for g in range(groups) for a, b in itertools.combinations(range(routers), 2)}
    for group in range(groups):
        for port in range(groups - 1):
            other = port if port < group else port + 1
            back = group if group < other else group - 1
            ends = (group * routers + port // globals_, other * routers + back // globals_)
            pairs.add((min(ends), max(ends)))
    return uncoloured(groups * routers, sorted(pairs))


class Field:
    """q elements as tuples of e coefficients below p, the highest power of x first; so the tuples are in the order of the
    numbers that have them as digits. The polynomial is the first, in the order of its digits, whose x is a generator;
    with e = 1 the generator is the smallest primitive root."""

    def __init__(self, q):
        self.p = next(p for p in range(2, q + 1) if q % p == 0)
        self.e = round(math.log(q, self.p))
        assert self.p ** self.e == q
        self.elements = list(itertools.product(range(self.p), repeat=self.e))
        self.number = {element: i for i, element in enumerate(self.elements)}
        one = self.elements[1]
        for self.tail in self.elements[1:]:
            self.powers = [one]
            while True:
                following = self.times_generator(self.powers[-1])
                if following == one or following in self.powers or not any(following):
                    break
                self.powers.append(following)
            if following == one and len(self.powers) == q - 1:
                return

    def times_generator(self, element):
        if self.e == 1:
            return (element[0] * self.tail[0] % self.p,)
        moved = element[1:] + (0,)
        return tuple((a - element[0] * b) % self.p for a, b in zip(moved, self.tail))

    def add(self, a, b):
        return tuple((x + y) % self.p for x, y in zip(a, b))

    def multiply(self, a, b):
        if not any(a) or not any(b):
            return self.elements[0]
        return self.powers[(self.powers.index(a) + self.powers.index(b)) % len(self.powers)]


def slimfly(q):
    """McKay, Miller & Siran, with the generator sets of Besta & Hoefler."""
    field = Field(q)
    z, w = field.powers, (q + 1) // 4
    if q % 4 == 3:
        even = [z[i] for i in range(0, 2 * w, 2)] + [z[i] for i in range(2 * w - 1, 4 * w - 2, 2)]
    else:
        even = z[0::2]
    odd = [field.multiply(z[1], element) for element in even]
    pairs = set()
    for x, y in itertools.product(range(q), repeat=2):
        for side, differences in ((0, even), (q * q, odd)):
            for difference in differences:
                other = field.number[field.add(field.elements[y], difference)]
                pairs.add((side + x * q + min(y, other), side + x * q + max(y, other)))
        for m in range(q):
            to = field.add(field.multiply(field.elements[m], field.elements[x]), field.elements[y])
            pairs.add((x * q + field.number[to], q * q + m * q + y))
    return uncoloured(2 * q * q, sorted(pairs))


def fattree(k):
    """Hosts, edge switches, aggregation switches and cores."""
    half = k // 2
    edges = k * half * half
    aggregations, cores = edges + k * half, edges + 2 * k * half
    pairs = [(host, edges + host // half) for host in range(edges)]
    for pod in range(k):
        for a, b in itertools.product(range(half), repeat=2):
            pairs.append((edges + pod * half + a, aggregations + pod * half + b))
            pairs.append((aggregations + pod * half + a, cores + a * half + b))
    return uncoloured(cores + half * half, sorted(pairs))


def margulis(n):
    """Gabber & Galil, without loops and repeated links."""
    pairs = set()
    for x, y in itertools.product(range(n), repeat=2):
        for u, v in ((x + 2 * y, y), (x + 2 * y + 1, y), (x, y + 2 * x), (x, y + 2 * x + 1)):
            ends = sorted((x + n * y, u % n + n * (v % n)))
            if ends[0] < ends[1]:
                pairs.add(tuple(ends))
    return uncoloured(n * n, sorted(pairs))


def is_connected(n, pairs):
    neighbours = [[] for _ in range(n)]
    for i, j in pairs:
        neighbours[i].append(j)
        neighbours[j].append(i)
    reached, row = {0}, [0]
    while row:
        row = [q for p in row for q in neighbours[p] if q not in reached and not reached.add(q)]
    return len(reached) == n


def smallworld(n, k, probability, seed):
    """Watts & Strogatz: drawn again, with the numbers that follow, until it is connected."""
    random = threefry.Moment(seed, 0, LINKS, 0)
    while True:
        ends = [[(i, (i + lap) % n) for i in range(n)] for lap in range(1, k // 2 + 1)]
        known = {frozenset(pair) for lap in ends for pair in lap}
        for lap in ends:
            for i in range(n):
                if random.unit() < probability and sum(i in pair for pair in known) < n - 1:
                    other = random.below(n)
                    while other == i or frozenset((i, other)) in known:
                        other = random.below(n)
                    known.remove(frozenset(lap[i]))
                    known.add(frozenset((i, other)))
                    lap[i] = (i, other)
        pairs = sorted(tuple(sorted(pair)) for pair in known)
        if is_connected(n, pairs):
            return uncoloured(n, pairs)


def geometric_points(n, radius, seed):
    """The points of the first connected graph."""
    random = threefry.Moment(seed, 0, LINKS, 0)
    while True:
        points = [(random.unit(), random.unit()) for _ in range(n)]
        pairs = [(i, j) for i, j in itertools.combinations(range(n), 2)
                 if (points[i][0] - points[j][0]) ** 2 + (points[i][1] - points[j][1]) ** 2 <= radius * radius]
        if is_connected(n, pairs):
            return points, pairs


def powerlaw(n, m, seed):
    """Barabasi & Albert, from a star: an end of a link is drawn, so a processor counts once for each link."""
    random = threefry.Moment(seed, 0, LINKS, 0)
    ends = [end for leaf in range(1, m + 1) for end in (0, leaf)]
    pairs = [(0, leaf) for leaf in range(1, m + 1)]
    for p in range(m + 1, n):
        chosen = []
        while len(chosen) < m:
            other = ends[random.below(len(ends))]
            if other not in chosen:
                chosen.append(other)
        ends += [end for other in chosen for end in (other, p)]
        pairs += [(other, p) for other in chosen]
    return uncoloured(n, sorted(pairs))
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
