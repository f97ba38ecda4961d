#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures ranks of MPI on this computer: their memory, the links between them, and the time of a step on 1, 2 and 4
of them. Fits a model to these times, and computes from it a step of 10^9 processors on 1,000 nodes. Prints the tables of
"Measurements and a model" and of the plan in docs/scale.md.

EVENKEEL is the command, SAMPLES how often each time is taken, of which the least counts; LATENCY_S and BANDWIDTH (bytes a
second) are those of a network between nodes, which one computer cannot measure, and NODE_BYTES the memory of a node."""
import json
import math
import os
import resource
import subprocess
import sys

EVENKEEL = os.environ.get("EVENKEEL", "build/evenkeel")
SAMPLES = int(os.environ.get("SAMPLES", "5"))
LATENCY_S = float(os.environ.get("LATENCY_S", "2e-6"))
BANDWIDTH = float(os.environ.get("BANDWIDTH", "10e9"))
NODE_BYTES = float(os.environ.get("NODE_BYTES", "256e9"))
TALLY_BYTES = 600  # of each rank, that a test gathers twice
CORES = len(os.sched_getaffinity(0))
RESIDENT = os.path.join(os.path.dirname(__file__), "..", "tests", "command", "peak_memory.py")
MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
RANKS = (1, 2, 4)
SIDES = {64: 5000, 256: 400, 1024: 40}  # steps of each
TESTED = "error:1e-9"  # in every step, and never reached
IN_ORDER = 1 << 16  # the most processors whose loads are gathered and summed in order (core/measure.h)


def run(ranks, topology, steps, stop="never", around=()):
    """The report of a run on so many ranks, and what was printed beside it."""
    words = ["run", "--topology", topology, "--method", "diffusion:0.1", "--stop", stop, "--steps", str(steps),
             "--no-flows", "--carrier", "mpi", "--format", "json"]
    done = subprocess.run([*MPIRUN, "-n", str(ranks), *around, EVENKEEL, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        return json.loads(done.stdout)["runs"][0], done.stderr.decode()
    except ValueError:
        sys.exit("mpirun -n %d evenkeel %s: %s" % (ranks, " ".join(words), done.stderr.decode()))


def fit(rows, measured):
    """Factors, none below 0, that make the rows come near to what was measured: least squares of the relative errors, one
    factor after another."""
    rows = [[value / wanted for value in row] for row, wanted in zip(rows, measured)]
    factors = [0.0] * len(rows[0])
    for _ in range(20000):
        for i in range(len(factors)):
            left = [1 - sum(f * v for f, v in zip(factors, row)) + factors[i] * row[i] for row in rows]
            size = sum(row[i] ** 2 for row in rows)
            factors[i] = max(0.0, sum(row[i] * rest for row, rest in zip(rows, left)) / size) if size else 0.0
    return factors


def table(heads, lines):
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


def memory():
    """Bytes a processor of the whole machine, and of a rank's own part, that a rank has in place: without a test of
    --stop, and with one."""
    held, lines = {}, []
    for stop in ("never", TESTED):
        rows, measured = [], []
        for side in (1024, 2048):
            for ranks in RANKS:
                errors = run(ranks, "torus:%dx%d" % (side, side), 2, stop, around=["python3", RESIDENT])[1]
                kibibytes = [int(line) for line in errors.split() if line.isdigit()]
                most = 1024.0 * max(kibibytes)
                rows.append([1.0, side * side, side * side / ranks])
                measured.append(most)
                if side == 2048:
                    lines.append([stop, str(ranks), "%.0f" % (most / 2**20), "%.0f" % (ranks * most / 2**20)])
        held[stop] = fit(rows, measured)
    table(["`--stop`", "ranks", "MiB in each", "in all"], lines)
    table(["`--stop`", "MiB per rank", "bytes per processor of the machine", "bytes per own processor"],
          [[stop, "%.0f" % (base / 2**20), "%.0f" % whole, "%.0f" % own]
           for stop, (base, whole, own) in held.items()])
    return held[TESTED]


def stored():
    """What a rank has in place if links are stored: a mesh of 1,048,576 processors and 4,190,210 links."""
    lines = []
    for ranks in RANKS:
        errors = run(ranks, "moore:1024x1024", 2, around=["python3", RESIDENT])[1]
        most = 1024.0 * max(int(line) for line in errors.split() if line.isdigit())
        lines.append([str(ranks), "%.0f" % (most / 2**20), "%.0f" % (ranks * most / 2**20)])
    table(["ranks", "MiB in each", "in all"], lines)


def start():
    """Seconds of a core for each own processor of a rank, before the first step and after the last one."""
    spent = []
    for side in (64, 2048):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(1, "torus:%dx%d" % (side, side), 1)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    each = (spent[1] - spent[0]) / (2048**2 - 64**2)
    print("A run of one step takes %.0f ns of a core for each processor.\n" % (1e9 * each))
    return each


def cuts():
    lines = []
    for topology in ("torus:256x256", "mesh:256x256", "torus:32x32x32", "hypercube:14", "random:16384:4",
                     "otis(mesh:8x8)"):
        for ranks in (4, 8):
            report = run(ranks, topology, 1)[0]
            lines.append([topology, str(ranks), report["blocks"], "{:,}".format(report["cut"]),
                          "{:,}".format(report["cut_in_order"])])
    table(["topology", "ranks", "blocks", "links between ranks", "in order"], lines)


def links_out(side, ranks):
    """Those of a slab of a torus."""
    return 2 * side if ranks > 1 else 0


def row(side, ranks, tested):
    """What the factors of the model stand before: see model()."""
    size, rounds = side * side, max(1.0, ranks / CORES)  # with more ranks than cores, these take turns
    doublings = math.log2(ranks)
    return [*(size / ranks * rounds if side == other else 0 for other in SIDES), links_out(side, ranks) * rounds,
            doublings, float(ranks > CORES), size * rounds if tested and size <= IN_ORDER else 0,
            size * rounds if tested and size <= IN_ORDER and ranks > 1 else 0,
            size / ranks * rounds if tested and size > IN_ORDER else 0]


def times():
    """The least seconds a step, by side, ranks and whether --stop is tested."""
    least = {}
    for _ in range(SAMPLES):
        for side, steps in SIDES.items():
            for ranks in RANKS:
                for tested in (False, True):
                    report = run(ranks, "torus:%dx%d" % (side, side), steps, TESTED if tested else "never")[0]
                    step_s = report["elapsed_s"] / report["steps"]
                    least[side, ranks, tested] = min(step_s, least.get((side, ranks, tested), math.inf))
    return least


def model(least):
    rows = [row(*key) for key in least]
    factors = fit(rows, list(least.values()))
    lines = []
    for (side, ranks, tested), step_s in least.items():
        says = sum(f * v for f, v in zip(factors, row(side, ranks, tested)))
        lines.append(["%dx%d" % (side, side), str(ranks), TESTED if tested else "never", "%.1f" % (1e6 * step_s),
                      "%.1f" % (1e6 * says), "%+.0f %%" % (100 * (says / step_s - 1))])
    table(["torus", "ranks", "`--stop`", "us a step", "model", "off"], lines)
    names = [*("a processor of %dx%d, ns" % (side, side) for side in SIDES), "a link to another rank, ns",
             "a doubling of the ranks, us", "more ranks than cores, us", "a test of up to 65,536 processors, of each, ns",
             "gathering for it, of each processor, ns", "a test of more processors, of each own one, ns"]
    table(["in a step", "costs"], [[name, "%.2f" % (f * (1e6 if name.endswith("us") else 1e9))]
                                   for name, f in zip(names, factors)])
    return factors


def predict(factors, held, start_s):
    """10^9 processors on 1,000 nodes like this computer, a rank a core, boxes; between nodes the network is added."""
    base, whole, own = held
    processor_s, link_s, doubling_s, _, _, _, test_s = factors[len(SIDES) - 1:]
    size, nodes = 1e9, 1000

    def step(size, ranks):
        box = size / ranks
        out = 4 * math.sqrt(box)
        halo = out * link_s + LATENCY_S + 8 * out / BANDWIDTH
        meeting = math.log2(ranks) * max(doubling_s, LATENCY_S)
        return box * processor_s, halo, meeting

    def efficiency(size, ranks):
        parts = step(size, ranks)
        return parts[0] / sum(parts)

    ranks = nodes * CORES
    work, halo, meeting = step(size, ranks)
    test = size / ranks * test_s + 2 * (meeting + ranks * TALLY_BYTES / BANDWIDTH)
    table(["%g processors, %d nodes of %d cores, %d ranks" % (size, nodes, CORES, ranks), "ms a step"],
          [["the processors' own work", "%.2f" % (1e3 * work)], ["halo", "%.2f" % (1e3 * halo)],
           ["a meeting", "%.2f" % (1e3 * meeting)], ["together", "%.2f" % (1e3 * (work + halo + meeting))],
           ["and a test of `--stop`", "%.2f" % (1e3 * test)]])
    most = ranks
    while efficiency(size, 2 * most) >= 0.5:
        most *= 2
    print("Efficiency is %.0f %% there, and stays above a half up to some %d ranks (strong scaling). With 10^6 processors a rank"
          " it is %.0f %% on 10 ranks and %.0f %% on 10^6 (weak scaling)."
          % (100 * efficiency(size, ranks), most, 100 * efficiency(1e7, 10), 100 * efficiency(1e12, 1e6)))
    each = base + whole * size + own * size / ranks
    print("A rank would have %.2f GB, a node %.2f GB; nodes of %.0f GB suffice from %d nodes on. Start and end take"
          " some %.0f ms.\n"
          % (each / 1e9, CORES * each / 1e9, NODE_BYTES / 1e9,
             math.ceil(own * size / (NODE_BYTES - CORES * (base + whole * size))), 1e3 * start_s * size / ranks))


def main():
    print("On %d cores, least of %d; 4 ranks take turns on them where there are fewer.\n" % (CORES, SAMPLES))
    held = memory()
    stored()
    start_s = start()
    cuts()
    predict(model(times()), held, start_s)


if __name__ == "__main__":
    main()
