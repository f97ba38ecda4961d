# SPDX-License-Identifier: MIT
"""Measures evenkeel beside its peers, and each carrier beside its own limit. Each row is shown when it is measured. The
tables follow at the end, and go into a page if it is told to. Ctrl-C or SIGTERM ends it early: it prints what it has."""
import argparse
import math
import os
import signal
import statistics
import subprocess
import sys
from functools import partial

import peers

sys.path.insert(0, os.path.dirname(peers.HERE))
import page  # noqa: E402

SIZES = "64,1024,4096,65536,1048576"
CHECK_ROUNDS = 10  # after which all have the same loads
FEW = 16
TRIAD_LEAST = 48 * 2**10  # bytes, below which its loop is too short to be measured
CALIBRATED = 0.3  # of the time that a sample is to take
STEADY = 0.03  # two samples that differ by no more of their mean need no third
EVENTS_S = 1e7  # that a sample of virtual time is to have in a second, about
EVENTS_NS = 3e-3  # of a processor in a nanosecond of virtual time, about
LEAST_NS = 10000  # which suffices for an operation and the begin of the next one
ROUND_BYTES = 32  # that a round in one pass moves for a processor: it reads its load and what it has sent, and writes both


class Ended(Exception):
    """A signal asked for the end."""


def suffice(values, most):
    """Whether these are enough samples: the most that are to be taken, or fewer that agree."""
    steady = len(values) > 1 and max(values) - min(values) <= STEADY * statistics.mean(values)
    return steady or len(values) >= most


class Samples:
    """Rates of one program at one size, taken in turn with all others."""

    def __init__(self, program, task, title=None):
        self.program, self.task, self.title = program, task, title or program.title
        self.outcomes = []
        self.bytes_each = 0.0  # not measured

    def of(self, value):
        return sorted(map(value, self.outcomes))

    def median(self, value):
        return statistics.median(map(value, self.outcomes))


def processor_rounds(outcome):
    return outcome.rounds * outcome.processors / outcome.seconds


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
    """Those that can, each with its number of rounds, all with the same loads after the first few. The last run that
    looked for the number of rounds is the first sample, unless it also printed the loads."""
    there, firsts = [], []
    for program in programs:
        rounds, first, outcome = calibrated(program, processors, options)
        if outcome:
            samples = Samples(program, task_of("rounds", processors, rounds))
            samples.outcomes += [outcome] if rounds > CHECK_ROUNDS else []
            there.append(samples)
            firsts.append(first)
    agree(firsts)
    return there


def sample(there, value, options):
    """All in turn, until each has enough samples; one that fails is not tried again at this size."""
    alive = there
    for _ in range(options.samples):
        for samples in alive:
            if suffice(samples.of(value), options.samples):
                continue
            outcome = attempt(samples.program, samples.task, options)
            if outcome:
                samples.outcomes.append(outcome)
            else:
                alive = [other for other in alive if other != samples]


def base_bytes(programs, options):
    """What a program takes for so few processors that they weigh nothing."""
    outcomes = {program: attempt(program, task_of("rounds", FEW, CHECK_ROUNDS), options) for program in programs}
    return {program: outcome.bytes if outcome else 0 for program, outcome in outcomes.items()}


def weigh(there, bases):
    """What comes with a processor, where that is more than what a program takes more or less each time."""
    for samples in measured(there):
        more = samples.median(lambda outcome: outcome.bytes) - bases[samples.program]
        if more > 2**20 and samples.task.processors > FEW:
            samples.bytes_each = more / (samples.task.processors - FEW)


class Timing:
    """The samples of one timing: of the sizes so far, and of the programs that ran at the size before."""

    def __init__(self, programs, value, of):
        self.alive, self.value, self.of = programs, value, of
        self.by_size = {}

    def measure(self, processors, there, options):
        self.by_size[processors] = there  # from now on, since a signal may end it
        sample(there, self.value, options)
        self.alive = [samples.program for samples in measured(there)]

    def show(self, processors):
        for samples in measured(self.by_size[processors]):
            note(f"  {samples.title}: {' ('.join(median_and_spread(samples, self.value))}) {self.of}")

    def sizes(self):
        return {processors: measured(there) for processors, there in self.by_size.items()}


def measured(there):
    return [samples for samples in there if samples.outcomes]


def measure_rounds(timing, processors, bases, options):
    if not bases:
        bases.update(base_bytes(timing.alive, options))
    timing.measure(processors, prepared(timing.alive, processors, options), options)
    weigh(timing.by_size[processors], bases)
    timing.show(processors)


def measure_free(timing, rounds, processors, options):
    """A program that did not run rounds at this size is not tried."""
    task = task_of("free", processors, int(1000 * options.seconds))
    ran = [samples.program for samples in rounds.sizes()[processors]]
    timing.measure(processors, [Samples(program, task) for program in timing.alive if program in ran], options)
    timing.show(processors)


def virtual_task(program, processors, options):
    """SimGrid has no end in its own time, so it runs for a time of the clock."""
    if "virtual" in program.timings:
        nanoseconds = EVENTS_S * options.seconds / EVENTS_NS / processors
        return task_of("virtual", processors, int(max(LEAST_NS, nanoseconds)))
    return task_of("free", processors, int(1000 * options.seconds))


def measure_virtual(timing, processors, options):
    there = [Samples(program, virtual_task(program, processors, options),
                     "evenkeel, free timing, pool" if program == peers.POOL else None) for program in timing.alive]
    timing.measure(processors, there, options)
    timing.show(processors)


def largest(program, by_size, options):
    """Four times as many processors, as long as a few rounds of them fit the limits. At the next measured size they did
    not."""
    ran = max((n for n, there in by_size.items() if program in [s.program for s in there]), default=4)
    failed = min((n for n in by_size if n > ran), default=math.inf)
    largest_tried = min(options.largest, failed - 1)
    while 4 * ran <= largest_tried and attempt(program, task_of("rounds", 4 * ran, CHECK_ROUNDS), options):
        ran *= 4
    note(f"  {program.title}: {ran:,}")
    return ran


# ---- limits ----

known = {}  # limits that were measured, by their words


def limit(options, *words):
    """The median of samples of one of the machine's limits, measured when it is first needed."""
    if words not in known:
        command = [f"{peers.BUILD}/limits", *map(str, words), str(int(1000 * options.seconds))]
        values = []
        while not suffice(values, options.samples):
            values.append(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        known[words] = statistics.median(values), min(values), max(values)
    return known[words]


def standing_pool(samples, line_s, options):
    processors = samples.task.processors
    # The triad goes through as much memory as the machine does, which may fit a cache.
    touched = processors * max(samples.bytes_each, ROUND_BYTES)
    workers = samples.outcomes[0].workers
    bandwidth = limit(options, "triad", workers, int(max(touched, TRIAD_LEAST)))[0]
    seconds = ROUND_BYTES / bandwidth
    why = f"{ROUND_BYTES} bytes at {bandwidth / 1e9:.0f} GB/s"
    if workers > 1:
        seconds += line_s / 2 / processors
        why += f" and a barrier of {1e9 * line_s / 2:.0f} ns"
    return row(samples.program.title, "rounds", processors, why, 1 / seconds,
               samples.median(processor_rounds))


def standing_threads(samples, options):
    processors = samples.task.processors
    yields = limit(options, "yield", processors)[0]
    why = f"a switch of {1e6 * peers.CORES / yields:.2f} us" # its threads meet once a round: what moves is foreseen
    return row(samples.program.title, "rounds", processors, why, yields,
               samples.median(processor_rounds))


def standing_free(samples, options):
    processors = samples.task.processors
    yields = limit(options, "yield", processors)[0]
    return row(samples.program.title, "free: turns", processors, f"a switch of {1e6 * peers.CORES / yields:.2f} us",
               yields, samples.median(lambda outcome: outcome.turns / outcome.seconds))


def row(title, timing, processors, why, most, measured):
    return (title, timing, f"{processors:,}", why, f"{most:.2g}", f"{measured:.2g}", f"{measured / most:.2f}")


def standings(rows, rounds, free, options):
    """Where each carrier stands against what bounds it."""
    line = limit(options, "line")

    def add(standing):
        note(f"  {standing[0]}, {standing[1]}, {standing[2]}: {standing[-1]} of {standing[3]}")
        rows.append(standing)

    for samples in (samples for there in rounds.sizes().values() for samples in there):
        if samples.program in (peers.POOL, peers.RANKS):
            add(standing_pool(samples, line[0], options))
        elif samples.program == peers.THREADS:
            add(standing_threads(samples, options))
    for samples in (samples for there in free.sizes().values() for samples in there):
        if samples.program == peers.THREADS:
            add(standing_free(samples, options))


def limits(rows, options):
    """The machine's limits by themselves."""
    def add(title, unit, *words):
        rows.append((title, unit, *spread(limit(options, *words))))
        note(f"  {title}: {' ('.join(rows[-1][2:])}) {unit}")

    for size in (TRIAD_LEAST, 768 * 2**10, 12 * 2**20, 768 * 2**20):
        for threads in (1, peers.CORES):
            add(f"triad, {threads} threads, {size // 2**10:,} KiB in all", "bytes a second", "triad", threads, size)
    for threads in (peers.CORES, *(n for n in options.sizes if n <= 4096)):
        add(f"sched_yield, {threads:,} threads", "a second", "yield", threads)
    add("a cache line to another core and back", "s", "line")


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
        ratio = ratios(there, processor_rounds)
        for samples in sorted(there, key=lambda samples: -samples.median(processor_rounds)):
            messages = samples.median(message_rate)
            rows.append((f"{processors:,}", samples.title, *median_and_spread(samples, processor_rounds),
                         f"{messages:.2e}" if messages else "none",
                         f"{samples.bytes_each:,.0f}" if samples.bytes_each else "",
                         f"{most[samples.program]:,}" if samples.program in most else "", *ratio[samples.program]))
    return rows


def rows_of_free(by_size):
    rows = []
    for processors, there in by_size.items():
        ratio = ratios(there, message_rate)
        for samples in sorted(there, key=lambda samples: -samples.median(message_rate)):
            operations = samples.median(lambda outcome: outcome.rounds / outcome.seconds)
            rows.append((f"{processors:,}", samples.title, *median_and_spread(samples, message_rate),
                         f"{operations:.2e}", *ratio[samples.program]))
    return rows


def rows_of_virtual(by_size):
    rows = []
    for processors, there in by_size.items():
        ratio = ratios(there, message_rate, (peers.VIRTUAL_ONE, peers.VIRTUAL_TWO))
        for samples in sorted(there, key=lambda samples: -samples.median(message_rate)):
            turns = samples.median(lambda outcome: outcome.turns)
            events = samples.median(lambda outcome: (outcome.messages + outcome.turns) / outcome.seconds)
            rows.append((f"{processors:,}", samples.title, *median_and_spread(samples, message_rate),
                         f"{events:.2e}" if turns else "", *ratio[samples.program]))
    return rows


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=SIZES, help=f"numbers of processors, squares [{SIZES}]")
    parser.add_argument("--samples", type=int, default=3, help="of each program at each size, in turn, at most [3]")
    parser.add_argument("--seconds", type=float, default=0.25, help="that a sample takes, about [0.25]")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds that a run may take [5]")
    parser.add_argument("--memory", type=float, default=16.0, help="GiB of addresses that a process may have [16]")
    parser.add_argument("--largest", type=int, default=4**11, help="processors that are tried at most [4194304]")
    parser.add_argument("--peers", default="", help=f"only these: {','.join(peer.name for peer in peers.PEERS)}")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--virtual", action="store_true", help="measure virtual time only")
    only.add_argument("--clock", action="store_true", help="measure rounds and free timing only")
    parser.add_argument("--into", default="", help="a page whose tables these replace: bench/RESULTS.md")
    options = parser.parse_args()
    options.sizes = [int(size) for size in options.sizes.split(",")]
    return options


class Rounds:
    """Rounds and free timing, and what bounds them: the tables, and the steps that fill them."""

    mark = "bench-peers"

    def __init__(self, programs, options):
        self.options = options
        self.programs = [program for program in programs if "rounds" in program.timings]
        free = [program for program in programs if "free" in program.timings]
        self.rounds = Timing(self.programs, processor_rounds, "processor-rounds a second")
        self.free = Timing(free, message_rate, "messages a second")
        self.most, self.limits, self.standings = {}, [], []

    def steps(self):
        options, bases = self.options, {}
        return [*((f"rounds with {n:,} processors", partial(measure_rounds, self.rounds, n, bases, options))
                  for n in options.sizes),
                *((f"free timing with {n:,} processors", partial(measure_free, self.free, self.rounds, n, options))
                  for n in options.sizes),
                ("the largest sizes", self.find_largest),
                ("the limits", partial(limits, self.limits, options)),
                ("the carriers against their limits",
                 partial(standings, self.standings, self.rounds, self.free, options))]

    def find_largest(self):
        for program in self.programs:
            self.most[program] = largest(program, self.rounds.sizes(), self.options)

    def tables(self):
        return [table("Rounds", ("N", "what", "processor-rounds a second", "smallest .. largest", "messages a second",
                                 "bytes a processor", "largest N that ran", "pool is faster by a factor of",
                                 "threads by"), rows_of_rounds(self.rounds.sizes(), self.most)),
                table("Free timing", ("N", "what", "messages a second", "smallest .. largest", "operations a second",
                                      "pool is faster by a factor of", "threads by"), rows_of_free(self.free.sizes())),
                table("Limits", ("what", "of", "median", "smallest .. largest"), self.limits),
                table("Each carrier against its own limit", ("carrier", "timing", "N", "bound by", "limit, a second",
                                                             "measured", "measured / limit"), self.standings)]


class Virtual:
    """Virtual time: the table, and the steps that fill it."""

    mark = "bench-virtual"

    def __init__(self, programs, options):
        self.options = options
        self.virtual = Timing([program for program in programs
                               if "virtual" in program.timings or program.name in ("simgrid", "pool")],
                              message_rate, "messages a second")

    def steps(self):
        return [(f"virtual time with {n:,} processors", partial(measure_virtual, self.virtual, n, self.options))
                for n in self.options.sizes]

    def tables(self):
        return [table("Virtual time", ("N", "what", "messages a second", "smallest .. largest",
                                       "turns and messages a second", "virtual pool:1 is faster by a factor of",
                                       "virtual pool:2 by"), rows_of_virtual(self.virtual.sizes()))]


def measure(steps):
    """Takes the steps from the list. A signal ends it; then the steps that are missing stay. Returns the status."""
    def ended(number, frame):
        for every in (signal.SIGINT, signal.SIGTERM):
            signal.signal(every, signal.SIG_IGN)
        raise Ended(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ended)
    try:
        while steps:
            note(steps[0][0])
            steps[0][1]()
            steps.pop(0)
    except Ended as why:
        return why.args[0]
    return 0


def main():
    options = arguments()
    there, lacking = peers.built([name for name in options.peers.split(",") if name])
    subprocess.run(["gcc", *peers.C, "limits.c", "-o", f"{peers.BUILD}/limits"], cwd=peers.HERE, check=True)
    programs = [*there, *peers.ours()]
    kinds = [Virtual] if options.virtual else [Rounds] if options.clock else [Rounds, Virtual]
    groups = [kind(programs, options) for kind in kinds]
    steps = [step for group in groups for step in group.steps()]
    status = measure(steps)
    about = [page.machine("make bench-peers"),
             f"Medians of {options.samples} samples of about {options.seconds:g} s, in turn, or of the first two if "
             f"they differ by at most {100 * STEADY:g} %.",
             *(f"Left out: {name}, which is not installed." for name in lacking)]
    print("\n\n".join([*about, *(text for group in groups for text in group.tables())]))
    if steps:
        first, *others = (name for name, _ in steps)
        print(f"\nA signal ended the measurement. Missing: a part of {first}, or all of it"
              + "".join(f"; {name}" for name in others) + ".")
    elif options.into:
        for group in groups:
            page.put(options.into, group.mark, "\n\n".join([*about, *group.tables()]))
    return status


if __name__ == "__main__":
    sys.exit(main())
