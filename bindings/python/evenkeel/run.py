# SPDX-License-Identifier: MIT
"""Runs, as they ended."""
import functools

import numpy as np

from . import notebook
from ._fields import ReportFields
from .fields import Fields, array_of, fields_of, record_dtype
from .native import ffi, lib


def _profile_of(profile, processors):
    """Returns a profile with its arrays (struct ek_profile); None if there is none."""
    if profile.interval == ffi.NULL:
        return None
    return Fields(group=profile.group,
                  interval=array_of(profile.interval, profile.intervals, dtype=record_dtype("struct ek_interval")),
                  time=array_of(profile.time, profile.intervals, lib.EK_PROFILE_TIMES, profile.groups),
                  processor=array_of(profile.processor, lib.EK_PROFILE_KINDS, processors))


class Run(ReportFields):
    """A run. Its attributes are the fields of a report (docs/report.md); a field that it does not have is None.

    initial, final: the loads of all processors at the start and at the end, [processors].
    trace: a row for each step, or snapshot, as a structured array: trace["variance"].
    frames: the loads at several moments, [moments, processors], with `frames=N`; else None. frame_steps, frame_times.
    flow: with links=True, the flow over each link, as a structured array; else None.
    profile: with `profile=N`, its `interval`, `time` [intervals, kinds, groups] and `processor` [kinds, processors], the
    kinds being work, overhead and idle, and for a processor also the tasks that it executed and created; else None.
    """

    def __init__(self, machine, report):
        self.axes = machine.axes
        self._machine = machine
        self._fields = fields_of(report)
        for part in ("tasks", "objects"):
            inner = getattr(self._fields, part)
            if inner is not None:
                self._fields.__dict__.update(inner.__dict__)
        processors = machine.processors
        array = functools.partial(array_of, owner=report)
        self._fields.initial = array(report.initial, processors)
        self._fields.final = array(report.final, processors)
        self._fields.trace = array(report.trace, report.trace_count, dtype=record_dtype("struct ek_trace_row"))
        self.frames = array(report.frame_load, report.frame_count, processors)
        moments = [(frame.step, frame.time) for frame in report.frame[0:report.frame_count]]
        self.frame_steps = np.array([step for step, _ in moments], dtype=np.uint64)
        self.frame_times = np.array([time for _, time in moments])
        self._fields.flow = array(report.flow, report.flow_count, dtype=record_dtype("struct ek_flow_report"))
        self._fields.quota = array(report.quota, report.quota_dimensions, processors)
        self._fields.profile = _profile_of(report.profile, processors)
        if report.has_tasks and report.tasks.picture != ffi.NULL:
            shape = report.tasks.picture_height, report.tasks.picture_width
            self._fields.picture = array(report.tasks.picture, *shape, dtype=np.uint32)

        self._compute(report)

    @functools.cached_property
    def graph(self):
        """The topology, as a Graph. Its arrays are copied when they are first asked for."""
        return self._machine.graph

    def _compute(self, report):
        """Adds the fields that follow from others, as records do (docs/report.md)."""
        fields = self._fields
        load = report.total_initial + report.generated
        fields.normalised_cost = report.moved / load if load else None
        everything = report.objects.object_count if report.has_objects else load
        fields.local_fraction = report.stayed / everything if report.has_stayed and everything else None
        fields.steps = None if report.timed else report.steps
        fields.tasks_moved = report.moved if report.has_tasks else None
        fields.transfers = report.parcels if report.has_tasks else None

    @property
    def normalised_cost(self) -> float:
        """The load moved over links divided by all load there ever was (Wu & Shu, Fig. 15)."""
        return self._fields.normalised_cost

    @property
    def local_fraction(self) -> float:
        """The part of the tokens or objects that never left their first processor."""
        return self._fields.local_fraction

    @property
    def tasks_moved(self) -> float:
        """The moves of tasks over links."""
        return self._fields.tasks_moved

    @property
    def transfers(self) -> int:
        """The parcels of tasks that crossed a link."""
        return self._fields.transfers

    def to_frame(self):
        """Returns the trace as a pandas DataFrame with a row for each step."""
        import pandas

        return pandas.DataFrame(self.trace)

    def to_dict(self):
        """Returns all numbers and texts of the run, without arrays."""
        return {name: value for name, value in vars(self._fields).items()
                if not isinstance(value, (np.ndarray, list)) and not hasattr(value, "__dict__") and value is not None}

    def animate(self, width=480):
        """Returns an animation of the frames for a notebook. The run must have frames: run(frames=100, ...)."""
        return notebook.animation(self, width)

    def _repr_html_(self):
        return notebook.run_html(self)

    def __repr__(self):
        axes = ", ".join(f"{name}={value}" for name, value in self.axes.items())
        steps = f", {self.steps} steps" if self.steps is not None else ""
        return (f"Run({axes}): {self.ended} after {self.operations} operations{steps}; "
                f"variance {self.variance_initial:.4g} to {self.variance_final:.4g}")
