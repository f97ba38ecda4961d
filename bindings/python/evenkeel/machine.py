# SPDX-License-Identifier: MIT
"""Experiments that are ready to run."""
import difflib

import numpy as np

from . import preparing, program
from .fields import fields_of
from .files import reader
from .graph import Graph, graph_of
from .method import Method, spec_of
from .native import Error, failure, ffi, lib, new_error, text
from .run import Run


def axes():
    """Returns the axes of experiments: for each its name, default, meaning and kind of value."""
    rows, index = [], 0
    while (axis := lib.ek_axis_at(index)) != ffi.NULL:
        rows.append({"name": text(axis.option).replace("-", "_"), "default": text(axis.initial),
                     "help": text(axis.help), "more": text(axis.more)})
        index += 1
    return rows


def _axis(name):
    axis = lib.ek_axis_named(name.replace("_", "-").encode())
    if axis == ffi.NULL:
        near = difflib.get_close_matches(name, [row["name"] for row in axes()], 1)
        hint = f"the nearest is {near[0]!r}" if near else "evenkeel.axes() lists them"
        raise Error(f"an experiment has no {name!r}; {hint}")
    return axis


class _Experiment:
    """A struct ek_experiment, with all that it points to."""

    def __init__(self, values):
        self.struct = ffi.new("struct ek_experiment *")
        self.kept = []
        self.struct.keep_loads = self.struct.keep_trace = True
        self.struct.seed = 1
        self.struct.reader = reader()
        for name, value in values.items():
            if value is not None:
                self.set(name, value)

    def set(self, name, value):
        if name == "load" and not isinstance(value, str):
            self._set_loads(value)
        elif name == "topology" and not isinstance(value, str):
            self._set_graph(graph_of(value))
        elif isinstance(value, Method):
            self._set_text(name, spec_of(value))
        elif isinstance(value, bool) or isinstance(value, np.bool_):
            if value:
                self._set_text(name, "")
        else:
            self._set_text(name, value if isinstance(value, str) else format(value))

    def _set_text(self, name, value):
        axis, error = _axis(name), new_error()
        if axis.kind == lib.EK_AXIS_SWITCH and value not in ("", "true"):
            raise Error(f"{name} is True or False")
        word = ffi.new("char[]", value.encode())
        self.kept.append(word)
        if not lib.ek_axis_set(axis, self.struct, word, error):
            raise failure(error)

    def _set_loads(self, value):
        loads = np.ascontiguousarray(value, dtype=np.float64)
        self.kept.append(loads)
        self.struct.loads = ffi.from_buffer("double[]", loads)
        self.struct.loads_count = loads.size

    def _set_graph(self, graph):
        pairs = np.ascontiguousarray(graph.pairs, dtype=np.uint32)
        name = ffi.new("char[]", graph.spec.encode())
        struct = ffi.new("struct ek_graph *", {"processors": graph.processors, "links": len(pairs)})
        struct.link = ffi.cast("struct ek_link *", ffi.from_buffer(pairs))
        self.kept += [pairs, name, struct]
        self.struct.graph, self.struct.topology = struct, name


class Machine:
    """A machine that is ready to run an experiment: its axes are checked, and its topology is built.

    Every axis of `evenkeel run` is an argument of the same name, with `_` for `-`; axes() lists them. In addition
    `topology` can be a Graph, a networkx graph or a SciPy matrix, `load` an array with a number for each processor, and
    `method` a function that `method` has made a method. Raises Error if the experiment cannot run.
    """


    def __init__(self, *, observer=None, **values):
        experiment = _Experiment(values)
        self._broken = []  # what the caller's functions have raised
        self._observer = None
        if observer:
            self._observer = ffi.callback(
                "void(void *, const struct ek_trace_row *, const double *, uint32_t)", _looker(observer),
                onerror=self.fail)
            experiment.struct.observer.look = self._observer
        # Functions in Python need the stacks of usual size, and only one of them runs at a time.
        experiment.struct.large_stacks = True
        python = observer or isinstance(values.get("method"), Method) or _is_program(values.get("tasks"))
        if experiment.struct.carrier == ffi.NULL and python:
            experiment.set("carrier", "pool:1")
        error = new_error()
        preparing.machine = self
        pointer = lib.ek_prepare_sized(experiment.struct, ffi.sizeof("struct ek_experiment"), error)
        if pointer == ffi.NULL:
            raise failure(error)
        self._experiment = experiment
        self._machine = ffi.gc(pointer, lib.ek_machine_destroy)

    def fail(self, kind, value, traceback):
        """Ends the run because a function of the caller has raised."""
        self._broken.append(value)
        lib.ek_interrupt(self._machine)

    @property
    def processors(self):
        """The number of processors."""
        return lib.ek_machine_outline(self._machine).processors

    @property
    def graph(self):
        """The topology, as a Graph."""
        topology = lib.ek_machine_topology(self._machine)
        if topology == ffi.NULL:
            raise MemoryError("there is no memory for the links of the topology")
        return Graph._of(topology)

    @property
    def axes(self):
        """The value of each axis that differs from its default, as text."""
        given, index = {}, 0
        while (axis := lib.ek_axis_at(index)) != ffi.NULL:
            if lib.ek_machine_given(self._machine, index):
                given[text(axis.option).replace("-", "_")] = text(lib.ek_machine_axis(self._machine, index))
            index += 1
        return given

    @property
    def warning(self):
        """A sentence to read before the run, or ""."""
        return text(lib.ek_machine_warning(self._machine))

    def theory(self):
        """Returns what is known before a run: convergence factors, predictions, and `facts`, a dict of numbers with the
        sentence that says where each comes from."""
        theory = ffi.new("struct ek_theory *")
        lib.ek_theory_find_sized(self._machine, theory, ffi.sizeof("struct ek_theory"))
        fields = fields_of(theory)
        if not theory.has_exact:
            fields.gamma_exact = None
        if not theory.has_closed:
            fields.gamma_closed = None
        facts = ffi.new("struct ek_fact[]", lib.EK_FACTS_MAX)
        count = min(lib.ek_facts_find(self._machine, facts, lib.EK_FACTS_MAX), lib.EK_FACTS_MAX)
        fields.facts = {text(fact.name): (fact.value, text(fact.text)) for fact in facts[0:count]}
        return fields

    def run(self, index=0, progress=None):
        """Carries out run `index`, whose seed is the experiment's seed plus `index`. Other Python threads go on.

        progress: a function of (steps, operations, variance, seconds) that is called about ten times a second.
        Ctrl-C ends the run; the Run then says ended == "interrupt". Raises Error if the run goes wrong.
        """
        def report_progress(context, so_far):
            if progress:
                progress(so_far.steps, so_far.operations, so_far.variance, so_far.elapsed_s)

        callback = ffi.callback("void(void *, const struct ek_progress *)", report_progress, onerror=self.fail)
        size, error = ffi.sizeof("struct ek_report"), new_error()
        report = ffi.gc(ffi.new("struct ek_report *"), lambda ended: lib.ek_report_destroy_sized(ended, size))
        status = lib.ek_run_sized(self._machine, index, report, size, callback, ffi.NULL, error)
        broken = [problem for problem in self._broken if not isinstance(problem, KeyboardInterrupt)]
        self._broken.clear()
        if broken:
            raise broken[0]
        if status not in (lib.EK_OK, lib.EK_UNREACHED):
            raise failure(error)
        return Run(self, report)


def _is_program(tasks):
    return isinstance(tasks, str) and program.is_known(tasks.partition(":")[0])


def _looker(observer):
    def look(context, row, loads, processors):
        observer(fields_of(row), np.frombuffer(ffi.buffer(loads, processors * 8)).copy())
    return look


def run(*, runs=None, seed=1, observer=None, progress=None, **values):
    """Carries out an experiment, and returns its Run; with `runs`, a list of so many runs with successive seeds.

    Arguments as for Machine: run(topology="torus:8x8", method="ade", load=array, steps=100).
    """
    machine = Machine(observer=observer, seed=seed, **values)
    if runs is None:
        return machine.run(0, progress)
    results = []
    for index in range(runs):
        results.append(machine.run(index, progress))
        if results[-1].ended == "interrupt":
            break
    return results


def theory(**values):
    """Returns what is known before a run of an experiment, as Machine.theory does."""
    return Machine(**values).theory()
