# SPDX-License-Identifier: MIT
"""evenkeel: an emulated parallel machine, and nearest-neighbour load balancing on it.

    import evenkeel as ek
    run = ek.run(topology="torus:8x8", method="ade", load="peak:6400")
    run.trace["variance"], run.final, run.to_frame()
"""
from .graph import Graph
from .machine import Machine, axes, run, theory
from .method import Step, method
from .program import NO_VALUE, Executed, program
from .native import Error, lib as _lib, text as _text
from .run import Run
from .studies import rank, read, sweep

__version__ = _text(_lib.ek_version())
__all__ = ["Error", "Executed", "NO_VALUE", "Graph", "Machine", "Run", "Step", "axes", "method", "program", "rank", "read", "run", "sweep", "theory"]
