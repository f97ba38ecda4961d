# SPDX-License-Identifier: MIT
"""Turns the library's structs into Python values."""
import functools
import math
import types

import numpy as np

from .native import ffi, text

# The fields that a report has only if another field says so. The others are always valid.
CONDITIONS = {
    "ek_report": {"has_stayed": ["stayed"], "has_scan": ["scan_steps"], "has_exchange": ["exchange_steps"],
                  "has_reduction": ["reduction_steps"], "has_shifts": ["shifts"],
                  "has_steps_paper": ["steps_paper", "steps_paper_counts"], "has_cycle": ["cycle"],
                  "has_effects": ["effects"], "has_faults": ["faults"], "has_ranks": ["blocks", "cut", "cut_in_order"],
                  "has_window": ["window_moments", "bound", "variance_mean", "variance_most"], "timed": ["free"],
                  "has_virtual": ["virtual_s"],
                  "has_windows": ["windows", "window_s", "events", "busy_s", "overhead_s", "idle_s"],
                  "has_discrepancy": ["discrepancy_final"],
                  "has_estimates": ["estimate_mean", "estimate_spread", "estimate_error"],
                  "has_tasks": ["tasks"], "has_objects": ["objects"]},
    "ek_tasks_report": {"has_result": ["result"],
                        "has_ticks": ["ticks", "bound_ticks", "idle_ticks", "idle_ticks_most"],
                        "has_shared": ["shared_tick"],
                        "has_times": ["work_s", "done_s", "detection_s", "detection_messages"],
                        "has_bound": ["bound_s", "idle_s", "idle_most_s"],
                        "has_letters": ["requests", "requests_failed", "letter_hops"],
                        "has_search": ["serial_unknown", "serial_most", "nodes_serial", "search_overhead"]},
    "ek_free_report": {"has_counters": ["cycles", "instructions", "cache_misses"],
                       "has_recorder": ["recorder_waits", "recorder_waited"]},
}


class Fields(types.SimpleNamespace):
    """The fields of a part of a report, as attributes. A field that the run does not have is None."""


def _enum_name(name):
    """Returns "criterion" for EK_ENDED_CRITERION."""
    return name.split("_", 2)[2].lower()


def _reader_of(kind):
    """Returns the function that makes a value of this C type a number, a text, a list or Fields; None if a number is as it
    should be."""
    if kind.kind == "struct":
        return fields_of
    if kind.kind == "enum":
        names = {number: _enum_name(name) for number, name in kind.elements.items()}
        return lambda value: names[int(value)]
    if kind.kind == "array" and kind.item.cname == "char":
        return text
    if kind.kind == "array":
        read = _reader_of(kind.item)
        return (lambda value: [read(item) for item in value]) if read else list
    return (lambda value: None) if kind.kind == "function" else None


@functools.cache
def _plan_of(kind):
    """Returns the fields of a struct, without its pointers and conditions: those that are numbers, the others with their
    readers, and the fields that depend on each condition."""
    fields = [(name, _reader_of(field.type)) for name, field in kind.fields
              if not name.startswith("has_") and field.type.kind != "pointer"]
    return ([name for name, read in fields if not read], [field for field in fields if field[1]],
            CONDITIONS.get(kind.cname.split()[-1], {}))


def fields_of(struct):
    """Returns the Fields of a struct, without its pointers, counts and conditions."""
    kind = ffi.typeof(struct)
    numbers, others, conditions = _plan_of(kind.item if kind.kind == "pointer" else kind)
    values = {name: getattr(struct, name) for name in numbers}
    values.update((name, read(getattr(struct, name))) for name, read in others)
    for condition, names in conditions.items():
        if not getattr(struct, condition):
            values.update(dict.fromkeys(names))
    return Fields(**values)


def array_of(pointer, *shape, dtype=np.float64, owner=None):
    """Returns an array of the library with this shape; None for NULL. It is a copy, unless the library's memory belongs to
    `owner`: then the array keeps the owner alive."""
    if pointer == ffi.NULL:
        return None
    if owner is not None:
        pointer = ffi.gc(pointer, functools.partial(_let_go, owner))
    size = math.prod(shape) * ffi.sizeof(ffi.typeof(pointer).item)
    array = np.frombuffer(ffi.buffer(pointer, size), dtype=dtype).reshape(shape)
    return array.copy() if owner is None else array


def _let_go(owner, pointer):
    """The end of an array: its reference to the owner ends with it."""


def record_dtype(struct):
    """Returns NumPy's type of a struct of numbers."""
    formats = {"double": "f8", "uint64_t": "u8", "uint32_t": "u4", "int64_t": "i8"}
    kind = ffi.typeof(struct)
    return np.dtype({"names": [name for name, _ in kind.fields],
                     "formats": [formats[field.type.cname] for _, field in kind.fields],
                     "offsets": [field.offset for _, field in kind.fields], "itemsize": ffi.sizeof(struct)})
