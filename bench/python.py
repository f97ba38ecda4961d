# SPDX-License-Identifier: MIT
"""What Python costs: `ek.run` beside the same run by the C library, and a method of ten lines beside the built-in one that
computes the same. Needs `make python`. Prints a table, and writes it into a page if it is told to."""
import argparse
import statistics
import time

import evenkeel as ek
import page
from evenkeel.machine import _Experiment
from evenkeel.native import ffi, lib, new_error

SIZES = {64: "torus:8x8", 4096: "torus:64x64", 65536: "torus:256x256"}
STEPS, MORE = 24, 2_000_000  # steps of a run, and processor-rounds more


@ek.method("share", parameter=0.2, tokens=False)
def share(step):
    """a share of each difference, as adf on a torus"""
    return step.parameter * step.difference


def options():
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--samples", type=int, default=15, help="of each, in turn [15]")
    reader.add_argument("--into", metavar="PAGE", help="write the tables into a page")
    return reader.parse_args()


def experiment(topology, method):
    return {"topology": topology, "method": method, "load": "uniform:0:1000", "steps": STEPS, "stop": "never",
            "carrier": "pool:1"}


def seconds(function):
    """Returns the processor time of a call, in all threads: on a busy computer it says more than the time that passed."""
    began = time.process_time()
    function()
    return time.process_time() - began


def library(topology, method):
    """Does what a program in C does for a run and its report: ek_prepare, ek_run, and an end of both."""
    written = _Experiment(experiment(topology, method))
    written.struct.large_stacks = True
    report, error, sizes = ffi.new("struct ek_report *"), new_error(), [ffi.sizeof(f"struct ek_{name}")
                                                                        for name in ("experiment", "report")]

    def run():
        machine = lib.ek_prepare_sized(written.struct, sizes[0], error)
        if lib.ek_run_sized(machine, 0, report, sizes[1], ffi.NULL, ffi.NULL, error) not in (lib.EK_OK, lib.EK_UNREACHED):
            raise RuntimeError(ffi.string(error.sentence))
        lib.ek_report_destroy_sized(report, sizes[1])
        lib.ek_machine_destroy(machine)
    return run


def medians(samples, *functions):
    """Returns the median time of each function; they take turns, after one turn that does not count."""
    times = [[seconds(function) for function in functions] for _ in range(samples + 1)][1:]
    return [statistics.median(column) for column in zip(*times)]


def overhead(samples):
    """Returns a row for each size: the run by the library, ek.run, and their difference."""
    rows = []
    for processors, topology in SIZES.items():
        in_c, in_python = medians(samples, library(topology, "adf"), lambda: ek.run(**experiment(topology, "adf")))
        rows.append([f"{processors:,}", f"{1e3 * in_c:.2f}", f"{1e3 * in_python:.2f}", f"{1e3 * (in_python - in_c):.2f}"])
    return rows


def rate(samples):
    """Returns a row for each size: the processor-rounds per second of both methods, and their ratio. What
    more steps add to a run is their own time."""
    rows = []
    for processors, topology in SIZES.items():
        more = max(100, MORE // processors)
        machines = [ek.Machine(**experiment(topology, method) | {"steps": steps})
                    for method in ("adf", share) for steps in (STEPS, STEPS + more)]
        if abs(machines[0].run().final - machines[2].run().final).max() > 1e-9:
            raise RuntimeError("the two methods compute different loads")
        few, many, few_python, many_python = medians(samples, *[machine.run for machine in machines])
        built_in, python = processors * more / (many - few), processors * more / (many_python - few_python)
        rows.append([f"{processors:,}", f"{built_in:.2g}", f"{python:.2g}", f"1/{built_in / python:.0f}"])
    return rows


def table(heads, rows):
    return ["| " + " | ".join(row) + " |" for row in (heads, ["---"] * len(heads), *rows)]


def main():
    asked = options()
    lines = [f"{page.machine('make bench-python')} {STEPS} steps of diffusion on a torus with `pool:1`; medians of the "
             f"processor time of {asked.samples} calls that took turns. Milliseconds of a call, with its preparations:", "",
             *table(["N", "C library", "`ek.run`", "difference"], overhead(asked.samples)), "",
             "Processor-rounds per second:", "",
             *table(["N", "`adf`", "the same in Python", "ratio"], rate(asked.samples))]
    print("\n".join(lines))
    if asked.into:
        page.put(asked.into, "bench-python", "\n".join(lines))


main()
