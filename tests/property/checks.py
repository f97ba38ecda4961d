# SPDX-License-Identifier: MIT
"""What must be true of a report: laws that hold for any run, and what recomputing it says. Each check yields sentences
on what is wrong."""
import math
import re

import measures
import overlaps
import programs
import recompute
import rounds
import systems
import virtual_checks
from measures import sum_of

AHEAD = 40  # operations beyond the end, to see whether what is said of the future is true


def near(a, b, noise):
    return a is not None and b is not None and abs(a - b) <= noise


def differ(what, said, found, noise):
    """A sentence where a report's number is not the one that was found."""
    if said is None and found is not None and not math.isfinite(found):
        return
    if not near(said, found, noise):
        yield "%s is %r, recomputed %r" % (what, said, found)


# Laws.

def scale_of(run):
    sizes = run["initial"] + run["final"] + [run["generated"], run["consumed"], run["in_flight"], run["minimum_ever"]]
    return max([1.0] + [abs(x) for x in sizes if x is not None])


def measured(run, noise, capacity):
    """The final loads against what is said of them."""
    first, last = measures.Measure(run["initial"]), measures.Measure(run["final"], run["in_flight"])
    size = scale_of(run)
    yield from differ("variance_initial", run["variance_initial"], first.variance, 1e-9 * size * size * len(run["final"]))
    yield from differ("variance_final", run["variance_final"], last.variance, 1e-9 * size * size * len(run["final"]))
    yield from differ("total_initial", run["total_initial"], first.total, noise)
    yield from differ("spread_final", run["spread_final"], last.spread, noise)
    if "discrepancy_final" in run and capacity is not False:
        levels = [w / c for w, c in zip(run["final"], capacity or [1.0] * len(run["final"]))]
        yield from differ("discrepancy_final", run["discrepancy_final"], max(levels) - min(levels), noise)
    yield from differ("minimum", run["minimum"], last.minimum, 0.0)
    yield from differ("maximum", run["maximum"], last.maximum, 0.0)
    yield from differ("idle", run["idle"], last.idle, 0)
    if run["minimum_ever"] > min(first.minimum, last.minimum):
        yield "minimum_ever is %r, yet there was a load of %r" % (run["minimum_ever"], min(first.minimum, last.minimum))


def errors(run, capacity, noise):
    """The distances from each processor's share of all load."""
    if "error_final" not in run or capacity is False:
        return
    for name, held, in_flight in (("error_initial", run["initial"], 0.0), ("error_final", run["final"], run["in_flight"])):
        (distance, _), _ = measures.terms("error:0", held, in_flight, None, capacity)
        yield from differ(name, run[name], distance, noise)


def may_be_cut(run):
    """Whether --for may have ended the run in virtual time, where nothing drains then."""
    return "windows" in run and run["ended"] in ("time", "criterion")


def conserved(experiment, run, tokens):
    held, flying = sum_of(run["final"]), run["in_flight"]
    owed = sum_of(run["initial"]) + run["generated"] - run["consumed"]
    if run["ended"] != "diverges" and abs(owed - held - flying) > (0.0 if tokens else 1e-6 * scale_of(run)):
        yield "%r of load is held and in flight, and there ought to be %r" % (held + flying, owed)
    slack = 1e-9 * scale_of(run) * len(run["final"])
    yield from differ("total_final", run["total_final"], held + flying, slack)
    yield from differ("held_final", run["held_final"], held, slack)
    yield from differ("mean_final", run["mean_final"], held / len(run["final"]), slack)
    if tokens and any(w != math.floor(w) for w in run["final"]):
        yield "tokens are not whole at the end"
    if not experiment.get("work") and not experiment.get("tasks") and (run["generated"] or run["consumed"]):
        yield "load was generated or consumed without work"
    if flying and not experiment.get("delay") and not experiment.get("delay-load") and not may_be_cut(run):
        yield "%r is in flight at the end without a delay" % flying


def paper_steps(graph, record, run, sides):
    """What each paper counts as steps, from what the machine counted; None: as the machine does."""
    name = record["method"]["name"]
    tokens = record["units"] in ("tokens", "tasks")
    if name in ("ade", "ode", "gde") and tokens or record["method"]["spec"] == "dem":
        return 3 * run["steps"]
    if name == "liquid" and sides is not None and len(sides) > 1:
        return run["operations"]
    if name == "nna" and tokens:
        return int(run["shifts"])
    if name == "dde" and graph and not all(map(systems.is_line, graph.factors)):
        return None  # the paper has paths and rings only
    if name == "dde" and sides is not None:
        scan = sum(k for k in sides if k > 1)
        return None if scan == run["scan_steps"] else scan + run["exchange_steps"]
    return run.get("steps_paper")


def counts(experiment, record, run):
    """What is counted in whole numbers, where that follows from the rest of the report."""
    processors = len(run["final"])
    if "free" in run:
        return
    everybody = not experiment.get("invoke") and record["method"]["name"] not in ("local-average", "random-neighbours")
    begun = run["invocations"] / processors
    has_steps = run["steps"] > 0  # else nothing was to be done, or nobody has a link
    if everybody and has_steps and begun not in (run["operations"], run["operations"] + 1):
        yield "%d invocations of %d processors in %d operations" % (run["invocations"], processors, run["operations"])
    if record["method"]["spec"].startswith("dem:folded"):
        return
    wanted = paper_steps(experiment.graph, record, run, record["topology"].get("sides"))
    if run.get("steps_paper") != wanted:
        yield "steps_paper is %r, as the paper counts it is %r" % (run.get("steps_paper"), wanted)


def counted(run, noise):
    several = "letter_hops" in run  # a message may bring several letters with tasks
    if run["parcels"] > run["messages"] and not several and not (may_be_cut(run) and run["in_flight"] > 0.0):
        yield "%d parcels are more than %d messages" % (run["parcels"], run["messages"])
    l1, l2 = run["flow_l1"], run["flow_l2"]
    sent = run["moved"] + (run["in_flight"] if "windows" in run else 0.0)  # there, load moves when it is received
    if None not in (l1, l2) and not (l2 <= l1 * (1 + 1e-9) + noise and l1 <= sent * (1 + 1e-9) + noise):
        yield "the net flow's norms, %r and %r, do not fit what moved, %r" % (l1, l2, run["moved"])
    there = run["total_initial"] + run["generated"]
    if there > 0.0 and run["normalised_cost"] is not None:
        yield from differ("normalised_cost", run["normalised_cost"], run["moved"] / there, 1e-9 * run["normalised_cost"])
    if run.get("stayed") is None:
        return
    there = run.get("object_count", there)
    if run["stayed"] > there:
        yield "%r tokens stayed, more than there ever were" % run["stayed"]
    if there > 0.0 and run["local_fraction"] is not None:
        yield from differ("local_fraction", run["local_fraction"], run["stayed"] / there, 1e-9)


def place_in(run, row):
    """Where a row of the trace stands: its step, or without rounds its time."""
    return row["time"] if "free" in run else row["step"]


def moment_of(text):
    return 1e-9 * virtual_checks.nanoseconds(text) if text.endswith("s") else float(text)


def window(record, run):
    """Bounds over a part of the run, from the rows of its trace."""
    if record["window"] == "none":
        return
    begin, _, end = record["window"].partition(":")
    if "free" not in run:
        last = min(run["steps"], float(end) if end else math.inf)
        yield from differ("window_moments", run["window_moments"], max(0, last - float(begin) + 1), 0)
    if record["every"] > 1:
        return
    rows = [row for row in run.get("trace", [])  # there is none in a short run in virtual time
            if moment_of(begin) <= place_in(run, row) and (not end or place_in(run, row) <= moment_of(end))]
    yield from differ("window_moments", run["window_moments"], len(rows), 0)
    variances = [row["variance"] for row in rows]
    if rows and None not in variances:
        size = 1e-9 * max(variances)
        yield from differ("bound", run["bound"], max(row["deviation"] for row in rows), 0.0)
        yield from differ("variance_most", run["variance_most"], max(variances), 0.0)
        yield from differ("variance_mean", run["variance_mean"], sum_of(variances) / len(rows), size)


def traced(run, noise):
    rows = run.get("trace", [])
    for before, row in zip(rows, rows[1:]):
        returned = run.get("load_returned", 0.0)  # has not moved after all
        if row.get("step", 0) < before.get("step", 0) or row["moved"] < before["moved"] - returned - noise:
            yield "the trace goes backwards at step %r" % row.get("step")
    for row in rows:
        if None not in (row["maximum"], row["minimum"]) and not near(
                row["spread"], row["maximum"] - row["minimum"], noise):
            yield "a row of the trace has spread %r between %r and %r" % (row["spread"], row["minimum"], row["maximum"])
    if "free" not in run and rows and rows[-1]["step"] == run["steps"] and run.get("virtual_s") is not None:
        # Uncounted steps can follow the last row, as of an operation that finds nothing to do. They take time.
        if run.get("reduction_steps") and not run["virtual_s"] >= rows[-1]["time"]:
            yield "virtual_s is %r, less than %r in the last row" % (run["virtual_s"], rows[-1]["time"])
        elif not run.get("reduction_steps"):
            yield from differ("virtual_s", run["virtual_s"], rows[-1]["time"], 0.0)
    if rows and run["steps"] is not None and rows[-1]["step"] > run["steps"]:
        yield "the trace has step %d of a run of %d" % (rows[-1]["step"], run["steps"])


def guaranteed(record):
    """The largest spread after which a direct method in tokens has converged."""
    sides = record["topology"]["sides"] or []
    if record["method"]["name"] in ("twa", "mwa"):
        return 1
    if record["method"]["spec"].startswith("dem:folded"):
        return sum((side - 1).bit_length() for side in sides)
    return sum(side > 1 for side in sides)


def ended(experiment, record, run):
    """The word for the end against the limits and the criterion."""
    for word, field in (("steps", "steps"), ("operations", "operations")):
        most = experiment.get(field)
        begun = run[field] if run[field] is None or "windows" not in run else run[field] + run["free"]["abandoned"]
        if run["ended"] == word and begun is not None and (most is None or begun < most):
            yield "it ended by --%s, after %r" % (word, run[field])
        if most is not None and run[field] is not None and run[field] > most and "free" not in run:
            yield "it made %d %s of %s" % (run[field], field, most)
    own_end = run["ended"] == "itself" and record["stop"] == "its own end"
    real = record["units"] == "real"
    broken = own_end and (run.get("error_final", 0.0) > 0.02 or run["in_flight"] > 0.0)  # what it promises
    if own_end and record["units"] == "tokens" and record["method"]["name"] in ("dem", "dde", "twa", "mwa"):
        own_end = run["in_flight"] == 0.0 and run["spread_final"] <= guaranteed(record)
    if own_end and record["method"]["name"] == "splitting" and record["timing"] == "rounds":
        own_end = record["invoke"] == "always"  # else it stood still because nobody invoked
    if run["ended"] == "criterion" and not run["converged"]:
        yield "its criterion ended it, and it is said not to have converged"
    if record["stop"] == "its own end" and not (real and broken and not run["converged"]) and run["converged"] != own_end:
        yield "converged is %r of a run that ended by '%s'" % (run["converged"], run["ended"])
    if record["stop"] == "rest" and run["converged"] != (run["ended"] == "itself"):
        yield "converged is %r of a run of objects that ended by '%s'" % (run["converged"], run["ended"])
    if run["converged"] and run["why"]:
        yield "it converged, yet says why not: %s" % run["why"]


def balanced(record, run, graph, capacity):
    """A run has converged where its final loads meet its criterion, whatever ended it."""
    stop = record["stop"]
    if not measures.compares(stop) or graph is None and stop.startswith("neighbours") or run["ended"] == "diverges":
        return
    if capacity is False and stop.startswith("error"):
        return
    pairs = measures.terms(stop, run["final"], run["in_flight"], graph, capacity or None)
    met = measures.verdict(pairs, 1e-9 * scale_of(run))
    if met and not run["converged"] and run["ended"] not in ("violation", "stuck"):
        yield "%s holds of the final loads, and it is said not to have converged" % stop
    if met is False and run["converged"]:
        yield "%s is said to hold, where %s" % (stop, ", ".join("%g is above %g" % p for p in pairs if p[0] > p[1]))


def free(run):
    """Of free timing."""
    more = run["free"]
    if run["in_flight"] != 0.0 and not may_be_cut(run):
        yield "%r is in flight after the drain" % run["in_flight"]
    if run["minimum_ever"] < 0.0:
        yield "a load was %r" % run["minimum_ever"]
    for part, whole in (("overlaps", "engagements"), ("got", "asked"), ("empty_turns", "turns"), ("wakes", "sleeps")):
        carried = part == "got" and "object_count" in run  # a giver adds the rest of its earlier amounts
        if more[part] > more[whole] * (1.0 + 1e-12) and not carried:  # sums in another order
            yield "%s is %r of %s %r" % (part, more[part], whole, more[whole])
    if run["parcels"] and more["latency"]["count"] > run["messages"]:
        yield "latency has %d messages of %d" % (more["latency"]["count"], run["messages"])


def facts(record, run):
    """Bounds that stand beside a run hold for it; they are of the first run's loads."""
    if run["seed"] != record["runs"][0]["seed"]:
        return
    for fact in record["theory"]["facts"]:
        name, value, beside = fact["name"], fact["value"], fact["beside"]
        found = run.get(beside) if beside else None
        whole = run["converged"] and run["ended"] in ("criterion", "itself")
        least = name == "flow_l2_least"
        if value is None or found is None or not whole or least and record["method"]["name"] != "least-flow":
            continue
        slack = 1e-6 * max(1.0, abs(value))
        if least and abs(found - value) > slack:
            yield "least-flow has a flow of %g, and the least is %g" % (found, value)
        if name.endswith("_most") and found > value + slack or name.endswith("_least") and found < value - slack or \
                name.endswith("_all") and abs(found - value) > slack:
            yield "%s is %g beside %s = %g: %s" % (name, value, beside, found, fact["text"])


def searched(experiment, run):
    """What one processor searches, and how many times as many nodes the run has searched."""
    program = programs.program_of(experiment) if run.get("nodes_serial") is not None else None
    if program:
        yield from differ("nodes_serial", run["nodes_serial"], programs.serial_nodes(program), 0)
        yield from differ("search_overhead", run["search_overhead"], run["nodes"] / run["nodes_serial"], 1e-9)


def laws(experiment, record, run):
    tokens = record["units"] in ("tokens", "tasks")
    if None in run["final"]:
        if run["converged"] or run["ended"] not in ("diverges", "steps", "operations"):
            yield "loads are no numbers, and it ended by '%s'" % run["ended"]
        return
    noise = 1e-9 * scale_of(run)
    capacity = recompute.capacity_of(experiment, len(run["final"]))
    yield from measured(run, noise, capacity)
    yield from errors(run, capacity, noise)
    yield from conserved(experiment, run, tokens)
    yield from counted(run, noise)
    yield from counts(experiment, record, run)
    yield from traced(run, noise)
    yield from window(record, run)
    yield from ended(experiment, record, run)
    yield from balanced(record, run, experiment.graph, capacity)
    yield from facts(record, run)
    yield from searched(experiment, run)
    if "effects" in run:
        yield from overlaps.shares(run["effects"])
    if record["stop"] == "never" and run["converged"]:
        yield "it is said to have converged, to no criterion"
    if "free" in run:
        yield from free(run)
        if "windows" in run:
            yield from virtual_checks.laws(record, run)
        if "effects" in run and not experiment.get("work") and not experiment.get("faults"):
            yield from overlaps.whole(run, 1e-9 * scale_of(run) ** 2 * len(run["final"]))
    if run["ended"] == "violation":
        yield "an invariant was violated: %s" % run["why"]
    wanted = recompute.initial_of(experiment, len(run["initial"]))
    if wanted is not None and wanted != run["initial"]:
        yield "the first loads are %r, and not what was asked for" % run["initial"]


# Recomputed.

def advance_to(again, steps):
    while again.step < steps and not (again.ended() and again.place == 0):
        again.advance()
    return again.step == steps


def compare_rows(run, again, noise):
    by_step = {row.step: row for row in again.rows}
    for said in run.get("trace", []):
        row = by_step.get(said["step"])
        if row is None:
            continue
        size = max(1.0, max(map(abs, row.held)))
        for name, found, slack in (("variance", row.variance, (noise + 1e-12 * size) * size * len(row.held)), ("spread", row.spread, noise),
                                   ("minimum", row.minimum, noise), ("maximum", row.maximum, noise),
                                   ("moved", row.moved, noise * len(row.held) * (1 + row.step)),
                                   ("invokers", row.invokers, 0), ("invocations", row.invocations, 0),
                                   ("in_flight", row.in_flight, noise * (1 + row.step)),
                                   *((name, found, noise * len(row.held) * (1 + row.step))
                                     for name, found in row.passed.items() if found is not None)):
            yield from differ("at step %d of the trace, %s" % (row.step, name), said[name], found, slack + 1e-12 * abs(found))


def compare_counts(experiment, run, again, noise):
    slack = noise * len(again.held) * (1 + again.step)
    for name, found in (("operations", again.operation), ("minimum_ever", again.minimum_ever),
                        ("generated", again.generated), ("consumed", again.consumed), ("moved", again.moved),
                        ("in_flight", again.in_flight())):
        yield from differ(name, run[name], found, slack + 1e-12 * abs(found))
    for name, found in again.counts.items():
        yield from differ(name, run[name], found, 0)
    for name, found in (again.estimate_fields() if isinstance(again, systems.System) else {}).items():
        yield from differ(name, run[name], found, noise * len(again.held))
    if "effects" in run and isinstance(again, rounds.Run):
        yield from overlaps.compare(run, again.effects.sums, slack * scale_of(run) * len(again.held))
    if run["flow_l1"] is not None:
        l1, l2 = again.flows()
        yield from differ("flow_l1", run["flow_l1"], l1, slack + 1e-12 * l1)
        yield from differ("flow_l2", run["flow_l2"], l2, slack + 1e-12 * l2)
    if not again.parcels <= run["parcels"] <= again.parcels + again.faint:
        yield "parcels is %d, recomputed %d to %d" % (run["parcels"], again.parcels, again.parcels + again.faint)
    if again.announcements is not None:
        words = run["messages"] - run["parcels"]
        yield from differ("messages without parcels", words, again.announcements, 0)
    if run.get("stayed") is not None:
        yield from differ("stayed", run["stayed"], sum_of(again.native) + again.at_home, 0)
    for name, found in (("invocations", again.invocations), ("unmet", again.unmet)):
        if found is not None:
            yield from differ(name, run[name], found, slack)
    if "repairs" in run:
        yield from compare_faults(run, again, slack)


def compare_faults(run, again, slack):
    for name, found in (("link_failures", again.failures[2]), ("processor_failures", again.failures[1]),
                        ("repairs", again.repairs), ("load_returned", again.load_returned)):
        yield from differ(name, run[name], found, slack)
    if not again.returned - again.faint <= run["returned"] <= again.returned + again.faint:
        yield "%d parcels were returned, recomputed %d" % (run["returned"], again.returned)


def met_earlier(record, run, again, capacity):
    """The criterion is tested before each operation, so no operation begins where it holds."""
    stop = record["stop"]
    if not measures.compares(stop) or record["method"]["direct"] or again.ended():
        return
    for row in again.rows:
        last = row.step == run["steps"]
        if not row.between or row.step > run["steps"] or (last and run["converged"]):
            continue
        pairs = measures.terms(stop, row.held, row.in_flight, again.graph, capacity)
        if measures.verdict(pairs, max(again.noise, 1e-12)) is True:
            yield "%s held after %d operations, and the run went on" % (stop, row.operation)
            return


def look_ahead(again):
    """What would have come: the rows of further operations."""
    begin = len(again.rows)
    until = again.operation + AHEAD
    while again.operation < until and not again.ended():
        again.advance()
    return again.rows[begin - 1:]


def stands_still(ahead, noise):
    return all(near(a, b, noise) for row in ahead for a, b in zip(row.held, ahead[0].held))


def has_grown(run):
    """Rounding counts where loads are some ten thousand million times what they were."""
    first = run["variance_initial"] + run["total_initial"] ** 2
    return run["variance_final"] is None or run["variance_final"] > 1e6 * first


def sentences(run, ahead, noise, silent):
    """What `ended` and `why` say of the future, against the future."""
    why = run["why"]
    still = stands_still(ahead, noise)
    moves = ahead[-1].moved > ahead[0].moved + noise
    if run["ended"] == "frozen" and not still:
        yield "it is said to be frozen, and loads go on changing"
    if run["ended"] == "diverges" and not has_grown(run):
        yield "it is said to diverge, and the variance has not grown"
    if re.search(r"nothing moves|nothing can move", why) and moves:
        yield "'%s': it does" % why
    if re.search(r"change sign|each pair swaps|differences grow", why) and not moves:
        yield "'%s': nothing moves" % why
    if re.search(r"differences grow", why) and not has_grown(run) and ahead[-1].variance <= ahead[0].variance:
        yield "'%s': the variance goes from %g to %g" % (why, ahead[0].variance, ahead[-1].variance)
    if re.search(r"no processor invokes", why) and not silent:
        yield "'%s': somebody does" % why


def cycle(run, again):
    """After so many operations the loads are the same again."""
    begin, until = again.held[:], again.operation + run["cycle"]
    while again.operation < until:
        again.advance()
    if again.held != begin:
        yield "the loads do not come back after %d operations" % run["cycle"]


def parameter(experiment, record):
    method = record["method"]
    capacity = recompute.capacity_of(experiment, record["topology"]["processors"])
    if experiment.graph is None or not experiment.graph.links or capacity is False:
        return
    weighed = capacity if experiment.get("weighting") != "target" else None
    name = experiment.get("method") if experiment.get("method") == "diffusion:best" else method["name"]
    if ":" in experiment.get("method") and name in ("sos", "chebyshev"):
        return  # with given bounds, or a switch
    found = recompute.closed_parameter(name, experiment.graph, weighed, record["units"] in ("tokens", "tasks"))
    if found is not None:
        yield from differ("the method's parameter", method["parameter"], found, 1e-9 * abs(found))


def silent_at_end(again):
    return again.invokes is not None and not any(again.invokes(w) for w in again.held)


def begin_again(experiment, record, run, shift=0.0):
    """The run, recomputed to its end; None where it cannot be. `shift` is added to the first load."""
    loads = [run["initial"][0] + shift] + run["initial"][1:]
    again = recompute.start(experiment, experiment.graph, loads, record["method"]["parameter"], run["seed"])
    if again is not None:
        advance_to(again, run["steps"])
    return again


def chaotic(experiment, record, run, again):
    """Whether so small a change as rounding is at first has come to count: then no program can say the end."""
    if record["units"] in ("tokens", "tasks"):
        return False
    shifted = begin_again(experiment, record, run, 1e-9 * scale_of(run))
    return max(abs(a - b) for a, b in zip(again.held, shifted.held)) > 1e-4 * scale_of(run)


def compare(experiment, record, run, again):
    noise = max(again.noise, 1e-9)
    exact = again.noise if record["units"] in ("tokens", "tasks") else noise  # beyond 2^53 tokens are not
    for p, (said, found) in enumerate(zip(run["final"], again.held)):
        yield from differ("the final load of %d" % p, said, found, exact)
    yield from compare_counts(experiment, run, again, noise)
    yield from compare_rows(run, again, noise)
    yield from met_earlier(record, run, again, recompute.capacity_of(experiment, len(run["final"])))


def compare_future(run, again):
    """What the report says of what would have come."""
    if again.place != 0:
        return
    if run.get("cycle"):
        yield from cycle(run, again)
    elif run["why"] and not again.ended():
        silent = silent_at_end(again)
        yield from sentences(run, look_ahead(again), max(again.noise, 1e-9), silent)


def recomputed(experiment, record, run):
    """Yields what is wrong; returns whether the run was recomputed."""
    if record["timing"] == "virtual":
        return (yield from virtual_checks.recomputed(experiment, record, run))
    if None in run["final"] or run["steps"] is None or \
            run["steps"] * max(1, record["topology"]["links"]) > recompute.STEPS_MAX:
        return False
    again = begin_again(experiment, record, run)
    if again is None or again.close or run["ended"] in ("time", "interrupt", "stuck", "violation"):
        return False
    if again.step != run["steps"]:
        if run["ended"] != "steps":  # which cuts a direct method's one operation
            yield "steps is %d, recomputed %d" % (run["steps"], again.step)
        return False
    wrong = list(compare(experiment, record, run, again))
    if wrong and chaotic(experiment, record, run, again):
        return False
    yield from wrong
    yield from compare_future(run, again)
    return True
