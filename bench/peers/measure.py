# SPDX-License-Identifier: MIT
"""Measures evenkeel beside its peers, and each carrier beside its own limit, in one run; prints tables,
and writes them into a page if it is told to."""
import argparse
import math
import os
import statistics
import subprocess
import sys

import peers

sys.path.insert(0, os.path.dirname(peers.HERE))
import page  # noqa: E402

SIZES = "64,1024,4096,65536,1048576"
CHECK_ROUNDS = 10  # after which all have the same loads
FEW = 16
TRIAD_LEAST = 48 * 2**10  # bytes, below which its loop is too short to be measured
CALIBRATED = 0.3  # of the time that a sample is to take
EVENTS_S = 1e7  # that a sample of virtual time is to have in a second, about
EVENTS_NS = 3e-3  # of a processor in a nanosecond of virtual time, about
LEAST_NS = 10000  # which suffices for an operation and the begin of the next one
BARRIERS = 2  # a round of evenkeel's, one behind the announcements and one behind the parcels


class Samples:
    """Rates of one program at one size, taken in turn with all others."""

    def __init__(self, program, task):
        self.program, self.task = program, task
        self.outcomes = []
        self.bytes_each = 0.0  # not measured

    def of(self, value):
        return sorted(map(value, self.outcomes))

    def median(self, value):
        return statistics.median(map(value, self.outcomes))


def processor_rounds(outcome, processors):
    return outcome.rounds * processors / outcome.seconds


def message_rate(outcome):
    return outcome.messages / outcome.seconds


def note(text):
    print(text, file=sys.stderr, flush=True)


def task_of(timing, processors, amount, loads=False):
    side = math.isqrt(processors)
    return peers.Task(timing, side, side, amount, loads)


def attempt(program, task, options):
    """The outcome, or None with the reason said."""
    try:
        return peers.run(program, task, options.limit, int(options.memory * 2**30))
    except peers.Failed as why:
        note(f"  {program.name}, {task.timing}, {task.processors}: {why}")
        return None


def calibrated(program, processors, options):
    """So many rounds that a sample takes about as long as it should; and what the first few of them gave."""
    first = outcome = attempt(program, task_of("rounds", processors, CHECK_ROUNDS, loads=True), options)
    rounds = CHECK_ROUNDS
    while outcome and outcome.seconds < CALIBRATED * options.seconds:
        rounds *= max(2, min(50, int(options.seconds / outcome.seconds)))
        outcome = attempt(program, task_of("rounds", processors, rounds), options)
    return rounds, first, outcome


def agree(firsts):
    """Ends the program where two have other loads."""
    bits = {outcome.bits for outcome in firsts if outcome.bits}
    totals = [outcome for outcome in firsts if outcome.squares]
    if len(bits) > 1 or not all(peers.near(o.total, totals[0].total) and peers.near(o.squares, totals[0].squares)
                                for o in totals):
        sys.exit("the loads differ: what was measured is not the same")


def prepared(programs, processors, options):
    """Those that can, each with its number of rounds, all with the same loads after the first few."""
    there, firsts = [], []
    for program in programs:
        rounds, first, outcome = calibrated(program, processors, options)
        if outcome:
            there.append(Samples(program, task_of("rounds", processors, rounds)))
            firsts.append(first)
    agree(firsts)
    return there


def sample(there, options):
    """All in turn; one that fails is not tried again at this size."""
    alive = there
    for _ in range(options.samples):
        outcomes = [attempt(samples.program, samples.task, options) for samples in alive]
        for samples, outcome in zip(alive, outcomes):
            if outcome:
                samples.outcomes.append(outcome)
        alive = [samples for samples, outcome in zip(alive, outcomes) if outcome]
    return [samples for samples in there if samples.outcomes]


def base_bytes(programs, options):
    """What a program takes for so few processors that they weigh nothing."""
    outcomes = {program: attempt(program, task_of("rounds", FEW, CHECK_ROUNDS), options) for program in programs}
    return {program: outcome.bytes if outcome else 0 for program, outcome in outcomes.items()}


def weigh(there, bases):
    """What comes with a processor, where that is more than what a program takes more or less each time."""
    for samples in there:
        more = samples.median(lambda outcome: outcome.bytes) - bases[samples.program]
        if more > 2**20 and samples.task.processors > FEW:
            samples.bytes_each = more / (samples.task.processors - FEW)


def measure_rounds(programs, options):
    by_size = {}
    bases = base_bytes([program for program in programs if "rounds" in program.timings], options)
    alive = [program for program in programs if "rounds" in program.timings]
    for processors in options.sizes:
        note(f"rounds, {processors} processors")
        by_size[processors] = sample(prepared(alive, processors, options), options)
        weigh(by_size[processors], bases)
        alive = [samples.program for samples in by_size[processors]]
    return by_size


def measure_free(programs, options):
    by_size = {}
    alive = [program for program in programs if "free" in program.timings]
    for processors in options.sizes:
        note(f"free timing, {processors} processors")
        task = task_of("free", processors, int(1000 * options.seconds))
        by_size[processors] = sample([Samples(program, task) for program in alive], options)
        alive = [samples.program for samples in by_size[processors]]
    return by_size


def virtual_task(program, processors, options):
    """SimGrid has no end in its own time, so it runs for a time of the clock."""
    if "virtual" in program.timings:
        nanoseconds = EVENTS_S * options.seconds / EVENTS_NS / processors
        return task_of("virtual", processors, int(max(LEAST_NS, nanoseconds)))
    return task_of("free", processors, int(1000 * options.seconds))


def measure_virtual(programs, options):
    by_size = {}
    alive = [program for program in programs if "virtual" in program.timings or program.name in ("simgrid", "pool")]
    for processors in options.sizes:
        note(f"virtual time, {processors} processors")
        there = sample([Samples(program, virtual_task(program, processors, options)) for program in alive], options)
        by_size[processors] = there
        alive = [samples.program for samples in there]
    return by_size


def largest(program, by_size, options):
    """Four times as many processors, as long as a few rounds of them fit the limits."""
    ran = max((n for n, there in by_size.items() if program in [s.program for s in there]), default=4)
    while 4 * ran <= options.largest and attempt(program, task_of("rounds", 4 * ran, CHECK_ROUNDS), options):
        ran *= 4
    return ran


# ---- limits ----

def limit(options, *words):
    """The median of as many samples of one of the machine's limits."""
    milliseconds = str(int(1000 * options.seconds))
    values = [float(subprocess.run([f"{peers.BUILD}/limits", *map(str, words), milliseconds], check=True,
                                   capture_output=True, text=True).stdout) for _ in range(options.samples)]
    return statistics.median(values), min(values), max(values)


def bytes_least(outcome, processors):
    """A processor-round reads and writes a load, and each message is written once and read once."""
    return 16 + 16 * outcome.messages / (outcome.rounds * processors)


def standing_pool(samples, line_s, options):
    processors = samples.task.processors
    least = bytes_least(samples.outcomes[0], processors)
    # The triad goes through as much memory as the machine does, which may fit a cache.
    touched = processors * max(samples.bytes_each, least)
    workers = samples.outcomes[0].workers
    bandwidth = limit(options, "triad", workers, int(max(touched, TRIAD_LEAST)))[0]
    seconds = least / bandwidth
    why = f"{least:.0f} bytes at {bandwidth / 1e9:.0f} GB/s"
    if workers > 1:
        seconds += BARRIERS * line_s / 2 / processors
        why += f" and {BARRIERS} barriers of {1e9 * line_s / 2:.0f} ns"
    return row(samples.program.title, "rounds", processors, why, 1 / seconds,
               samples.median(lambda outcome: processor_rounds(outcome, processors)))


def standing_threads(samples, options):
    processors = samples.task.processors
    yields = limit(options, "yield", processors)[0]
    why = f"a switch of {1e6 * peers.CORES / yields:.2f} us" # its threads meet once a round: what moves is foreseen
    return row(samples.program.title, "rounds", processors, why, yields,
               samples.median(lambda outcome: processor_rounds(outcome, processors)))


def standing_free(samples, options):
    processors = samples.task.processors
    yields = limit(options, "yield", processors)[0]
    return row(samples.program.title, "free: turns", processors, f"a switch of {1e6 * peers.CORES / yields:.2f} us",
               yields, samples.median(lambda outcome: outcome.turns / outcome.seconds))


def row(title, timing, processors, why, most, measured):
    return (title, timing, f"{processors:,}", why, f"{most:.2g}", f"{measured:.2g}", f"{measured / most:.2f}")


def standings(rounds, free, options):
    """Where each carrier stands against what bounds it."""
    line = limit(options, "line")
    rows = []
    for there in rounds.values():
        for samples in there:
            if samples.program in (peers.POOL, peers.RANKS):
                rows.append(standing_pool(samples, line[0], options))
            elif samples.program == peers.THREADS:
                rows.append(standing_threads(samples, options))
    for there in free.values():
        rows += [standing_free(samples, options) for samples in there if samples.program == peers.THREADS]
    return rows


def limits(options):
    """The machine's limits by themselves."""
    rows = []
    for size in (TRIAD_LEAST, 768 * 2**10, 12 * 2**20, 768 * 2**20):
        for threads in (1, peers.CORES):
            rows.append((f"triad, {threads} threads, {size // 2**10:,} KiB in all", "bytes a second",
                         *spread(limit(options, "triad", threads, size))))
    for threads in (peers.CORES, *(n for n in options.sizes if n <= 4096)):
        rows.append((f"sched_yield, {threads:,} threads", "a second", *spread(limit(options, "yield", threads))))
    rows.append(("a cache line to another core and back", "s", *spread(limit(options, "line"))))
    return rows


# ---- tables ----

def spread(values):
    median, least, most = values
    return f"{median:.2e}", f"{least:.2e} .. {most:.2e}"


def median_and_spread(samples, value):
    values = samples.of(value)
    return spread((statistics.median(values), values[0], values[-1]))


def table(title, head, rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join([f"### {title}", "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head), *lines])


def ratios(there, value, ours=(peers.POOL, peers.THREADS)):
    """How many times as fast as each ours are, by the median."""
    own = {samples.program: samples.median(value) for samples in there}
    return {samples.program: [f"{own[mine] / samples.median(value):.3g}" if mine in own else ""
                              for mine in ours] for samples in there}


def rows_of_rounds(by_size, most):
    rows = []
    for processors, there in by_size.items():
        def value(outcome, processors=processors):
            return processor_rounds(outcome, processors)
        ratio = ratios(there, value)
        for samples in sorted(there, key=lambda samples: -samples.median(value)):
            messages = samples.median(message_rate)
            rows.append((f"{processors:,}", samples.program.title, *median_and_spread(samples, value),
                         f"{messages:.2e}" if messages else "none",
                         f"{samples.bytes_each:,.0f}" if samples.bytes_each else "",
                         f"{most[samples.program]:,}", *ratio[samples.program]))
    return rows


def rows_of_free(by_size):
    rows = []
    for processors, there in by_size.items():
        ratio = ratios(there, message_rate)
        for samples in sorted(there, key=lambda samples: -samples.median(message_rate)):
            operations = samples.median(lambda outcome: outcome.rounds / outcome.seconds)
            rows.append((f"{processors:,}", samples.program.title, *median_and_spread(samples, message_rate),
                         f"{operations:.2e}", *ratio[samples.program]))
    return rows


def rows_of_virtual(by_size):
    rows = []
    for processors, there in by_size.items():
        ratio = ratios(there, message_rate, (peers.VIRTUAL_ONE, peers.VIRTUAL_TWO))
        for samples in sorted(there, key=lambda samples: -samples.median(message_rate)):
            turns = samples.median(lambda outcome: outcome.turns)
            events = samples.median(lambda outcome: (outcome.messages + outcome.turns) / outcome.seconds)
            title = "evenkeel, free timing, pool" if samples.program == peers.POOL else samples.program.title
            rows.append((f"{processors:,}", title, *median_and_spread(samples, message_rate),
                         f"{events:.2e}" if turns else "", *ratio[samples.program]))
    return rows


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=SIZES, help=f"numbers of processors, squares [{SIZES}]")
    parser.add_argument("--samples", type=int, default=5, help="of each program at each size, in turn [5]")
    parser.add_argument("--seconds", type=float, default=0.5, help="that a sample takes, about [0.5]")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that a run may take [60]")
    parser.add_argument("--memory", type=float, default=16.0, help="GiB of addresses that a process may have [16]")
    parser.add_argument("--largest", type=int, default=4**12, help="processors that are tried at most [16777216]")
    parser.add_argument("--peers", default="", help=f"only these: {','.join(peer.name for peer in peers.PEERS)}")
    parser.add_argument("--virtual", action="store_true", help="measure virtual time, and not rounds and free timing")
    parser.add_argument("--into", default="", help="a page whose tables these replace: bench/RESULTS.md")
    options = parser.parse_args()
    options.sizes = [int(size) for size in options.sizes.split(",")]
    return options


def virtual_text(programs, options):
    table_of = table("Virtual time", ("N", "what", "messages a second", "smallest .. largest",
                                      "turns and messages a second", "virtual pool:1 is faster by a factor of",
                                      "virtual pool:2 by"), rows_of_virtual(measure_virtual(programs, options)))
    return [page.machine("make bench-peers"), f"Medians of {options.samples} samples, in turn.", table_of]


def rounds_text(programs, missing, options):
    rounds = measure_rounds(programs, options)
    free = measure_free(programs, options)
    note("the largest sizes")
    most = {program: largest(program, rounds, options) for program in programs if "rounds" in program.timings}
    note("limits")
    parts = [page.machine("make bench-peers"),
             f"Medians of {options.samples} samples of about {options.seconds:g} s, in turn.",
             *(f"Left out: {name}, which is not installed." for name in missing),
             table("Rounds", ("N", "what", "processor-rounds a second", "smallest .. largest", "messages a second",
                              "bytes a processor", "largest N that ran", "pool is faster by a factor of", "threads by"),
                   rows_of_rounds(rounds, most)),
             table("Free timing", ("N", "what", "messages a second", "smallest .. largest", "operations a second",
                                   "pool is faster by a factor of", "threads by"), rows_of_free(free)),
             table("Limits", ("what", "of", "median", "smallest .. largest"), limits(options)),
             table("Each carrier against its own limit", ("carrier", "timing", "N", "bound by", "limit, a second",
                                                          "measured", "measured / limit"),
                   standings(rounds, free, options))]
    return parts


def main():
    options = arguments()
    there, missing = peers.built([name for name in options.peers.split(",") if name])
    subprocess.run(["gcc", *peers.C, "limits.c", "-o", f"{peers.BUILD}/limits"], cwd=peers.HERE, check=True)
    programs = [*there, *peers.ours()]
    text = "\n\n".join(virtual_text(programs, options) if options.virtual else rounds_text(programs, missing, options))
    print(text)
    if options.into:
        page.put(options.into, "bench-virtual" if options.virtual else "bench-peers", text)


if __name__ == "__main__":
    main()
