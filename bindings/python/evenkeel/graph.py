# SPDX-License-Identifier: MIT
"""Topologies: which processors are linked."""
import numpy as np

from .fields import array_of
from .files import reader
from .native import Error, failure, ffi, lib, new_error, text


class Graph:
    """A topology: from a spec such as "torus:8x8", or from links.

    processors, links, colours, diameter: their numbers; the diameter is None if it would take too long to compute.
    first [processors + 1], neighbour, twin, colour, dimension, direction [2 * links]: as struct ek_topology says.
    """

    def __init__(self, spec, seed=1):
        error = new_error()
        topology = lib.ek_topology_create(spec.encode(), seed, reader(), error)
        if topology == ffi.NULL:
            raise failure(error)
        try:
            self._take(topology)
        finally:
            lib.ek_topology_destroy(topology)
        self.pairs = None

    @classmethod
    def _of(cls, topology):
        """Returns the graph of a topology of the library."""
        graph = cls.__new__(cls)
        graph._take(topology)
        graph.pairs = None
        return graph

    def _take(self, topology):
        self.spec = text(topology.spec)
        self.processors, self.links = topology.processors, topology.links
        self.colours = topology.colours
        self.degree_min, self.degree_max = topology.degree_min, topology.degree_max
        self.diameter = topology.diameter if topology.diameter >= 0 else None
        self.first = array_of(topology.first, self.processors + 1, dtype=np.uint32)
        for name, dtype in (("neighbour", np.uint32), ("twin", np.uint32), ("colour", np.uint32),
                            ("dimension", np.uint8), ("direction", np.int8)):
            setattr(self, name, array_of(getattr(topology, name), topology.ports, dtype=dtype))

    @classmethod
    def from_links(cls, links, processors=None, name="graph"):
        """Makes a graph from pairs of processors, [links, 2]. Processors are numbered from 0."""
        pairs = np.ascontiguousarray(np.asarray(links, dtype=np.uint32).reshape(-1, 2))
        graph = cls.__new__(cls)
        graph.pairs = pairs
        graph.processors = int(processors if processors is not None else pairs.max() + 1 if len(pairs) else 0)
        graph.links, graph.spec = len(pairs), name
        return graph

    @classmethod
    def from_networkx(cls, graph):
        """Makes a graph from an undirected networkx graph. Its nodes are numbered in their order."""
        number = {node: index for index, node in enumerate(graph.nodes)}
        links = [(number[a], number[b]) for a, b in graph.edges]
        return cls.from_links(links, len(number), graph.name or "networkx")

    @classmethod
    def from_scipy(cls, matrix):
        """Makes a graph from the nonzero elements of a symmetric SciPy matrix, without its diagonal."""
        coordinates = matrix.tocoo()
        rows, columns = np.minimum(coordinates.row, coordinates.col), np.maximum(coordinates.row, coordinates.col)
        links = np.unique(np.stack([rows, columns], axis=1)[(rows != columns) & (coordinates.data != 0)], axis=0)
        return cls.from_links(links, matrix.shape[0], "scipy")

    @classmethod
    def from_metis(cls, path):
        """Reads a graph file of METIS, or any other file that the topology file:PATH reads."""
        return cls(f"file:{path}")

    def edges(self):
        """Returns the links, [links, 2], the lower processor first."""
        if self.pairs is not None:
            return np.sort(self.pairs, axis=1)
        own = np.repeat(np.arange(self.processors, dtype=np.uint32), np.diff(self.first))
        lower = own < self.neighbour
        return np.stack([own[lower], self.neighbour[lower]], axis=1)

    def to_networkx(self):
        """Returns a networkx graph. Each edge has its colour and dimension, if the library made this graph."""
        import networkx

        graph = networkx.Graph(name=self.spec)
        graph.add_nodes_from(range(self.processors))
        if self.pairs is not None:
            graph.add_edges_from(map(tuple, self.pairs.tolist()))
            return graph
        own = np.repeat(np.arange(self.processors), np.diff(self.first))
        for port in np.flatnonzero(own < self.neighbour):
            graph.add_edge(int(own[port]), int(self.neighbour[port]), colour=int(self.colour[port]),
                           dimension=int(self.dimension[port]))
        return graph

    def __repr__(self):
        return f"Graph({self.spec!r}): {self.processors} processors, {self.links} links"


def graph_of(value):
    """Returns what can stand for a topology as a Graph with links: a Graph, a networkx graph or a SciPy matrix."""
    if isinstance(value, Graph):
        return value if value.pairs is not None else Graph.from_links(value.edges(), value.processors, value.spec)
    if hasattr(value, "edges") and hasattr(value, "nodes"):
        return Graph.from_networkx(value)
    if hasattr(value, "tocoo"):
        return Graph.from_scipy(value)
    raise Error(f"a topology is a spec, a Graph, a networkx graph or a SciPy matrix, not {type(value).__name__}")
