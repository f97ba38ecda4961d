# SPDX-License-Identifier: MIT
"""Programs of tasks as Python functions."""
import dataclasses
import struct

from . import preparing
from .native import Error, failure, ffi, lib, new_error

NO_VALUE = 2**63 - 1  # no value has been found yet
_known = {}


@dataclasses.dataclass
class Executed:
    """What executing a task gives: the tasks that it creates, what it adds to the result, and its cost.

    best: a better value that it has found, for a program with least=True. dropped: it cannot lead to a better value.
    """
    children: list = dataclasses.field(default_factory=list)
    result: int = 0
    cost: int = 1
    best: int | None = None
    dropped: bool = False


def _type(member):
    return dict(ffi.typeof("struct ek_program").fields)[member].type


def is_known(name):
    """Returns whether a function of Python is the program of this name."""
    return name in _known


class _Registered:
    """The structs of a program that the library knows. They must live as long as the process."""

    def __init__(self, name, function, task, children, first, least):
        self.function, self.kept, self.problems = function, [], {}
        self.task = struct.Struct("<" + task)

        def prepare(setting, error):
            text = ffi.string(setting.spec).decode()[setting.at:]
            try:
                tasks = [tuple(item) for item in first(text)]
                roots = [self.task.pack(*item) for item in tasks]
            except Exception as problem:
                error.sentence = f"program {name}: {problem}".encode()[:599]
                error.status, error.at = lib.EK_BAD_INPUT, setting.at
                return ffi.NULL
            block = ffi.new("struct ek_problem *", {
                "task_bytes": self.task.size, "first_tasks": len(roots), "children_most": children, "best": NO_VALUE})
            self.problems[int(ffi.cast("uintptr_t", block))] = block, roots, preparing.machine
            return block

        def release(problem):
            self.problems.pop(int(ffi.cast("uintptr_t", problem)), None)

        def begin(problem, index, room):
            roots = self.problems[int(ffi.cast("uintptr_t", problem))][1]
            ffi.memmove(room, roots[index], self.task.size)

        def execute(problem, task, execution):
            try:
                self.execute(task, execution, least)
            except BaseException as wrong:  # it must not reach the library
                self.problems[int(ffi.cast("uintptr_t", problem))][2].fail(None, wrong, None)

        summary = (function.__doc__ or f"program {name} of Python").strip().split("\n")[0].rstrip(".")
        self.struct = self.keep("struct ek_program *", {
            "name": self.keep("char[]", name.encode()),
            "choice": {"form": self.keep("char[]", f"{name}:TEXT".encode()),
                       "summary": self.keep("char[]", summary.encode())},
            "result": lib.EK_RESULT_LEAST if least else lib.EK_RESULT_SUM,
            **{member: self.call(member, part) for member, part in
               (("prepare", prepare), ("release", release), ("begin", begin), ("execute", execute))}})
        error = new_error()
        if not lib.ek_program_register_for(lib.EK_API_VERSION, self.struct, error):
            raise failure(error)

    def execute(self, task, execution, least):
        fields = self.task.unpack(ffi.buffer(task, self.task.size))
        done = self.function(*fields, best=execution.best) if least else self.function(*fields)
        done = done if isinstance(done, Executed) else Executed(children=list(done))
        execution.result, execution.cost, execution.dropped = done.result, done.cost, done.dropped
        if done.best is not None:
            execution.best = min(execution.best, done.best)
        for child in done.children:
            room = execution.child(execution)
            if room == ffi.NULL:
                return
            ffi.memmove(room, self.task.pack(*child), self.task.size)

    def keep(self, kind, value):
        self.kept.append(ffi.new(kind, value))
        return self.kept[-1]

    def call(self, member, function):
        self.kept.append(ffi.callback(_type(member), function))
        return self.kept[-1]


def program(name, *, task, children, first, least=False):
    """Makes a function a program of tasks with this name: run(tasks="NAME:TEXT", ...).

    task: the fields of a task, as in the module struct: "qi"; at most 64 bytes. children: the most that a task creates.
    first: a function of TEXT that returns the first tasks, a list of tuples.
    The function takes the fields of a task and returns Executed, or only a list of the tasks that it creates. It must
    answer the same when it is asked again. With `least` the result is the least value found, and the function also takes
    `best`, the best value that its processor knows; NO_VALUE at first.

    A second function with the same name replaces the first.
    """
    def make(function):
        known = _known.get(name)
        if known:
            known.function = function
        else:
            _known[name] = _Registered(name, function, task, children, first, least)
        function.program = name
        return function

    return make
