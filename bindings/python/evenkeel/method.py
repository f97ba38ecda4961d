# SPDX-License-Identifier: MIT
"""Balancing methods as Python functions of arrays."""
import functools

import numpy as np

from . import preparing
from .native import Error, failure, ffi, lib, new_error

_LINKS = {"all": lib.EK_LINKS_ALL, "colour": lib.EK_LINKS_COLOUR, "matching": lib.EK_LINKS_MATCHING}
_PORTS = {"all": lib.EK_ALL_PORTS, "one": lib.EK_ONE_PORT}
_known = {}  # the methods by name; the library knows them for as long as the process lives
_END = np.dtype([("processor", np.uint32), ("port", np.uint32)])


class Step:
    """What a method sees in a step. Arrays are by processor or by port: a port is a processor's end of a link.

    load [processors]: the loads to compare. announced [ports]: the load of the neighbour at each port.
    processor [ports]: the index in `load` of the port's own processor. degree [processors]: the number of its ports.
    held [processors], capacity [processors], dimension [ports], direction [ports]: as struct ek_view says.
    memory [ports, N]: numbers that the method keeps; zeros at first. parameter: the method's, or nan.
    """

    def __init__(self, **fields):
        self.__dict__.update(fields)

    @property
    def own(self):
        """The load of each port's own processor, [ports]."""
        return self.load[self.processor]

    @functools.cached_property
    def difference(self):
        """The own load minus the neighbour's, [ports]."""
        return self.own - self.announced


class Method:
    """A registered method. Calling it with a parameter, as in mine(0.25), returns the method with this parameter."""

    def __init__(self, name, function, properties):
        self.name, self.function, self.properties = name, function, properties
        self.parameter = None
        self.__doc__ = function.__doc__

    def __call__(self, parameter):
        other = object.__new__(Method)
        other.__dict__.update(self.__dict__, parameter=parameter)
        return other

    def __repr__(self):
        return f"method {spec_of(self)}"


def spec_of(method):
    """Returns what --method would be."""
    return method.name if method.parameter is None else f"{method.name}:{method.parameter:.17g}"


def _array(pointer, count, dtype):
    return np.frombuffer(ffi.buffer(pointer, count * np.dtype(dtype).itemsize), dtype=dtype)


def _amounts(method, step, ports, tokens):
    """Returns what the function sends over each port: never less than 0, and whole if loads are tokens."""
    amounts = np.asarray(method.function(step), dtype=np.float64)
    if amounts.shape != (ports,):
        raise Error(f"method {method.name} returned an array of shape {amounts.shape}; it must be ({ports},): an amount "
                    "for each port")
    amounts = np.where(np.isnan(step.announced), 0.0, amounts)  # such a neighbour takes no part
    if not np.isfinite(amounts).all():
        raise Error(f"method {method.name} returned an amount that is no finite number", "violation")
    amounts = np.maximum(amounts, 0.0)
    return np.floor(amounts) if tokens else amounts


class _Block:
    """The machine's arrays of a block of processors that do not change from step to step."""

    def __init__(self, block):
        self.begin, self.count = block.begin, block.end - block.begin
        self.first = _array(block.first + block.begin, self.count + 1, np.uint32).astype(np.int64)
        self.base, ports = int(self.first[0]), int(self.first[-1] - self.first[0])
        self.ports = slice(self.base, self.base + ports)
        self.degree = np.diff(self.first)
        self.processor = np.repeat(np.arange(self.count), self.degree)
        self.neighbour = _array(block.neighbour + self.base, ports, np.uint32).astype(np.int64)
        self.reach = int(self.neighbour.max(initial=block.end - 1)) + 1
        self.dimension = _array(block.dimension + self.base, ports, np.uint8).copy()
        self.direction = _array(block.direction + self.base, ports, np.int8).copy()
        self.count_ports = ports
        self.regular = int(self.degree[0]) if ports and (self.degree == self.degree[0]).all() else 0

    def sum(self, amounts):
        """Returns the sum of the amounts of each processor's ports."""
        if self.regular:
            return amounts.reshape(self.count, self.regular).sum(axis=1)
        return np.bincount(self.processor, weights=amounts, minlength=self.count)


class _Prepared:
    """A machine that runs the method: its blocks, and where errors go."""

    def __init__(self, machine):
        self.machine, self.blocks = machine, {}

    def of(self, block):
        key = block.begin, block.end
        if key not in self.blocks:
            self.blocks[key] = _Block(block)
        return self.blocks[key]


def _run_block(method, block):
    """Does what ek_block_flows does, with arrays in place of loops."""
    arrays = ffi.from_handle(block.plan.data).of(block)
    count, ports = arrays.count, arrays.count_ports
    level = _array(block.level, arrays.reach, np.float64)
    announced = (level[arrays.neighbour] if block.announced == ffi.NULL else
                 _array(block.announced + arrays.base, ports, np.float64))
    kept = block.plan.port_doubles
    step = Step(load=level[block.begin:block.end], announced=announced, processor=arrays.processor,
                degree=arrays.degree, held=_array(block.held + block.begin, count, np.float64),
                capacity=(np.ones(count) if block.capacity == ffi.NULL else
                          _array(block.capacity + block.begin, count, np.float64)),
                dimension=arrays.dimension, direction=arrays.direction, parameter=block.plan.parameter,
                memory=_array(block.memory + arrays.base * kept, ports * kept, np.float64).reshape(ports, kept))
    tokens = block.native != ffi.NULL
    amounts = _amounts(method, step, ports, tokens)
    if block.ends != ffi.NULL:
        taking = _array(block.ends, block.ends_count, _END)["port"] - arrays.base
        others = np.ones(ports, dtype=bool)
        others[taking] = False
        amounts[others] = 0.0
    if block.invokes != ffi.NULL:
        invokes = _array(block.invokes + block.begin, count, np.uint8)[arrays.processor]
        amounts[(invokes == 0) & (_array(block.invited + arrays.base, ports, np.float64) == 0)] = 0.0
    if block.links != ffi.NULL:
        block.carry(block.links, arrays.base, ports, ffi.from_buffer("double[]", amounts))
    if block.ends == ffi.NULL:
        _array(block.parcel + arrays.base, ports, np.float64)[:] = amounts
    else:
        _array(block.parcel + arrays.base, ports, np.float64)[taking] = amounts[taking]
    if block.sent != ffi.NULL:
        _array(block.sent + arrays.base, ports, np.float64)[:] += amounts
    block.parcels += int(np.count_nonzero(amounts))
    out = arrays.sum(amounts)
    held = _array(block.held + block.begin, count, np.float64)
    held -= out
    if tokens:
        native = _array(block.native + block.begin, count, np.float64)
        np.minimum(native, np.maximum(held, 0.0), out=native)
    _array(block.moved + block.begin, count, np.float64)[:] += out


def _run_port(method, view, port, tokens):
    """Returns what one processor sends over one port, for timings in which processors act one by one."""
    kept = view.plan.port_doubles
    step = Step(load=np.array([view.load]), announced=_array(view.announced, view.degree, np.float64),
                processor=np.zeros(view.degree, dtype=np.int64), degree=np.array([view.degree]),
                held=np.array([view.held]), capacity=np.array([view.capacity]),
                dimension=_array(view.dimension, view.degree, np.uint8),
                direction=_array(view.direction, view.degree, np.int8), parameter=view.plan.parameter,
                memory=_array(view.memory, view.degree * kept, np.float64).reshape(view.degree, kept))
    return float(_amounts(method, step, view.degree, tokens)[port])


def _type(struct, member):
    """Returns the type of a struct's member, a pointer to a function."""
    return dict(ffi.typeof(f"struct {struct}").fields)[member].type


def _guarded(kind, function, plan_of, result=None):
    """Returns a callback. If the function raises, the run ends, and Machine.run raises the same."""
    def call(*arguments):
        try:
            return function(*arguments)
        except BaseException as problem:  # it must not reach the library
            ffi.from_handle(plan_of(arguments[0]).data).machine.fail(None, problem, None)
            return result
    return ffi.callback(kind, call)


class _Registered:
    """The structs of a method that the library knows. They must live as long as the process."""

    def __init__(self, method, links, tokens, ports, overdraws, parameter, memory):
        self.method, self.kept = method, []
        title = (method.__doc__ or f"method {method.name} of Python").strip().split("\n")[0].rstrip(".")

        def prepare(plan, given, at, setting, error):
            plan.parameter = float("nan") if parameter is None else parameter
            if given != ffi.NULL:
                try:
                    plan.parameter = float(ffi.string(given))
                except ValueError:
                    error.sentence = f"the parameter of {method.name} is a number".encode()
                    error.status, error.axis, error.at = lib.EK_BAD_INPUT, b"method", at
                    return False
            plan.port_doubles = memory
            handle = ffi.new_handle(_Prepared(preparing.machine))
            self.handles[int(ffi.cast("uintptr_t", handle))] = handle
            plan.data = handle
            return True

        def destroy(plan):
            self.handles.pop(int(ffi.cast("uintptr_t", plan.data)), None)

        def of_view(view):
            return view.plan

        self.handles = {}
        flow = _guarded(_type("ek_rule", "flow"),
                        lambda view, port: _run_port(self.method, view, port, False), of_view, 0.0)
        flow_tokens = _guarded(_type("ek_rule", "flow_tokens"),
                               lambda view, port: _run_port(self.method, view, port, True), of_view, 0.0)
        block = _guarded(_type("ek_rounds_part", "block"), lambda block: _run_block(self.method, block), of_view)
        rule = self.keep("struct ek_rule *", {"flow": flow, "flow_tokens": flow_tokens if tokens else ffi.NULL})
        rounds = self.keep("struct ek_rounds_part *", {"block": block, "block_tokens": block if tokens else ffi.NULL,
                                                      "block_checks": True})
        texts = self.keep("struct ek_texts *", {"title": self.word(title)})
        self.kept += [flow, flow_tokens, block]
        self.struct = self.keep("struct ek_method *", {
            "name": self.word(method.name), "texts": texts, "links": _LINKS[links], "rule": rule, "rounds": rounds,
            "free": self.keep("struct ek_free_part *", {}),
            "prepare": self.call("prepare", prepare), "destroy": self.call("destroy", destroy)})
        self.struct.supports.units = lib.EK_REAL | (lib.EK_TOKENS if tokens else 0)
        self.struct.supports.ports = sum(_PORTS[name] for name in ports)
        self.struct.supports.turns, self.struct.supports.overdraws = True, overdraws
        error = new_error()
        if not lib.ek_method_register_for(lib.EK_API_VERSION, self.struct, error):
            raise failure(error)

    def keep(self, kind, value):
        self.kept.append(ffi.new(kind, value))
        return self.kept[-1]

    def word(self, value):
        return self.keep("char[]", value.encode())

    def call(self, member, function):
        self.kept.append(ffi.callback(_type("ek_method", member), function))
        return self.kept[-1]


def method(name, *, links="all", tokens=True, ports=("all", "one"), overdraws=False, parameter=None,
           memory=0):
    """Makes a function a balancing method with this name, which --method and Machine then know.

    The function takes a Step and returns an amount for each port, [ports]. A positive amount leaves over the link, other
    amounts are not sent. It is called once a step with the arrays of all processors of a worker, or with those of one
    processor. So it must compute each port's amount only from what that port's processor sees.

    links: "all" (diffusion), "colour" (dimension exchange) or "matching" (random matchings).
    tokens: it works with whole loads too; amounts are then rounded down. ports: what --ports can be.
    overdraws: a processor may send more than it holds. parameter: the default of the number in NAME:NUMBER.
    memory: numbers that the method keeps for each port, in step.memory.

    A second function with the same name and properties replaces the first, as when a cell of a notebook is run again.
    """
    properties = (links, tokens, tuple(ports), overdraws, parameter, memory)

    def make(function):
        made = Method(name, function, properties)
        known = _known.get(name)
        if known and known.method.properties != properties:
            raise Error(f"a method {name} with other properties is there already: choose another name")
        if known:
            known.method = made
        else:
            _known[name] = _Registered(made, links, tokens, ports, overdraws, parameter, memory)
        return made

    return make
