# SPDX-License-Identifier: MIT
"""Reports of virtual time against the same experiment made turn by turn by another program (virtual.py)."""
import math

import indivisible
import measures
import programs
import recompute
import virtual
import virtual_letters
from measures import sum_of
from threefry import DELAY, INVOKE, PAUSE, TURN_COSTS, WIRE_COSTS, Moment

DEFAULTS = {"turn-cost": "100ns", "overhead": "200ns", "gap": "50ns", "latency": "1us", "byte-time": "0",
            "message-bytes": "16", "load-bytes": "0", "task-time": "1us"}
UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
TURNS_MAX = 60000  # a longer run is not made again
FORGIVEN = ("frozen", "given_up", "diverges", "violation", "interrupt")  # when such a run ends is not computed again


def nanoseconds(text):
    text = str(text)
    number = text.rstrip("nums")
    return float(number) * UNITS.get(text[len(number):], 1.0)


def whole(text):
    return round(nanoseconds(text))


def costs_of(experiment):
    said = {name: experiment.get(name, initial) for name, initial in DEFAULTS.items()}
    exact = ("byte-time", "message-bytes", "load-bytes", "task-time")
    return {name: nanoseconds(said[name]) if name in exact else whole(said[name]) for name in said}


class Latency:
    """The delays of one axis, drawn by the sender's port and the message's number."""

    def __init__(self, spec, experiment, seed=0):
        self.kind, _, rest = spec.partition(":")
        self.seed = seed
        if self.kind == "file":
            self.way = {}
            for line in experiment.files[rest[1:]].splitlines():
                i, j, *times = line.split()
                self.way[int(i), int(j)], self.way[int(j), int(i)] = whole(times[0]), whole(times[-1])
            self.least = min(self.way.values(), default=0)
        else:
            self.bounds = [nanoseconds(text) for text in rest.split(":")]
            self.least = 0 if self.kind == "exponential" else round(self.bounds[0])

    def of(self, port, number):
        if self.kind == "file":
            return self.way[port.owner, port.neighbour]
        if self.kind == "fixed":
            return round(self.bounds[0])
        moment = Moment(self.seed, port.number, DELAY, number)
        if self.kind == "uniform":
            low, high = map(round, self.bounds)
            return low + moment.below(high - low + 1)
        mean = self.bounds[0]
        return min(math.ceil(8 * mean), math.floor(mean * moment.exponential() + 0.5))


def latencies_of(experiment, seed=0):
    """Of messages without load, and of those with load."""
    fixed = "fixed:" + experiment.get("latency", DEFAULTS["latency"])
    plain = Latency(experiment.get("delay", fixed), experiment, seed)
    return plain, Latency(experiment.get("delay-load"), experiment, seed) if experiment.get("delay-load") else plain


class Within:
    """Costs that are drawn between 1/F and F times their values, evenly on a logarithmic scale in STEPS steps."""

    STEPS = 256

    def __init__(self, spec, seed=0):
        factor, _, number = spec.partition(":")
        self.factor, self.number, self.seed = float(factor), int(number or 0), seed
        middles = [(2 * k + 1) / self.STEPS - 1.0 for k in range(self.STEPS)]
        self.exact = [self.factor ** u for u in middles]

    def scaled(self, cost, k):
        return cost if self.factor == 1.0 else math.floor(cost * self.exact[k] + 0.5)

    def least(self, cost):
        return self.scaled(cost, 0)

    def drawn(self, purpose, owner, moment, *costs):
        """Each cost has eight bits of one word, the first ones the lowest."""
        bits = Moment(self.seed, owner, purpose + (self.number << 32), moment).bits()
        return [self.scaled(cost, bits >> 8 * i & 255) for i, cost in enumerate(costs)]

    def turn(self, processor, turn, cost):
        first, *others = self.drawn(TURN_COSTS, processor, turn, cost["turn-cost"], cost["overhead"], cost["overhead"])
        return [max(first, 1), *others]


def within_of(experiment, seed=0):
    return Within(str(experiment.get("within", "1")), seed)


def lookahead_of(experiment):
    within = within_of(experiment)
    return within.least(min(latency.least for latency in latencies_of(experiment))) + \
        within.least(costs_of(experiment)["gap"])


def invokes_of(experiment, seed):
    """(a test of processor, load and turn; the gradient; whether later turns may invoke), None if it is unknown."""
    kind, _, rest = experiment.get("invoke", "always").partition(":")
    if kind == "probability":
        share = float(rest)
        return lambda p, _, turn: Moment(seed, p, INVOKE, turn).unit() < share, None, share > 0.0
    if kind == "every":
        return lambda _p, _w, turn: (turn + 1) % int(rest) == 0, None, True
    if kind == "at":
        chosen = set(map(int, rest.split(",")))
        return lambda p, _w, _t: p in chosen, None, False
    if kind == "gradient":
        return None, float(rest), False
    test = recompute.invokes_of(experiment)
    return None if test is False else (lambda _p, w, _t: test is None or test(w), None, False)


def faults_of(experiment):
    """The events in their order; None if the command drew them."""
    if not experiment.get("faults"):
        return []
    if not experiment.get("faults").startswith("file:"):
        return None
    lines = [line.split() for line in experiment.files["faults.txt"].splitlines()]
    return [(whole(time), event, tuple(sorted(map(int, which)))) for time, event, _, *which in lines]


def slow_of(experiment):
    parts = experiment.get("slow", "").split(",")
    return {int(p): int(factor) for p, factor in (part.split(":") for part in parts if part)}


def flow_of(rule, tokens):
    def flow(i, j, own, known):
        amount = rule.flow(i, j, own, known, (0, 0))
        return float(math.floor(amount)) if tokens and amount > 0.0 else amount
    return flow


def objects_of(experiment):
    if not experiment.get("objects"):
        return None
    carries = experiment.get("remainder", "carry") == "carry"
    return indivisible.Objects(experiment.files["objects.csv"], experiment.get("choose", "fit"), carries)


def setting_of(experiment, record, run):
    """None if the experiment has a part that this program does not know."""
    graph, seed = experiment.graph, run["seed"]
    tokens = record["units"] in ("tokens", "tasks")
    method = virtual_letters.method_of(experiment.get("method"), int(experiment.get("hops", 1)))
    rule = graph and graph.links and not method and \
        recompute.rule_of(experiment, graph, None, record["method"]["parameter"])
    work, repeats = recompute.work_of(experiment, graph.n) if graph else (False, False)
    invokes = invokes_of(experiment, seed)
    faults = faults_of(experiment)
    unknown = experiment.get("detect", "snapshot") != "snapshot" or work is False or None in (invokes, faults) or record["domains"] != "overlap" or record["ports"] != "all"
    known = graph and (method or (rule and record["method"]["name"] in recompute.FREE))
    if not known or unknown or record["capacity"] != "homo":
        return None
    cost = costs_of(experiment)
    plain, loaded = latencies_of(experiment, seed)
    within = within_of(experiment, seed)
    return virtual.Setting(
        graph, run["initial"], flow_of(rule, tokens), by_colour=bool(rule) and rule.by_colour, method=method, seed=seed,
        gives_only=record["method"]["name"] == "sender", pushed=record["announce"] == "pushed", cost=cost,
        turn_costs=lambda p, turn: within.turn(p, turn, cost),
        wire_costs=lambda port, number, *costs: within.drawn(WIRE_COSTS, port, number, *costs),
        latency=lambda port, number, carries: (loaded if carries else plain).of(port, number),
        lookahead=lookahead_of(experiment), room=int(record["mailbox"].partition(":")[2]),
        slow=slow_of(experiment), invokes=invokes[0], gradient=invokes[1], recurs=invokes[2],
        limit=float(experiment.get("link-limit", math.inf)), ticks=work, repeats=repeats,
        tick_ns=whole(experiment.get("tick", "0")), suspends=experiment.get("working") == "suspended",
        faults=faults,
        pause=lambda p, degree, turn: 1 + Moment(seed, p, PAUSE, turn).below(2 * degree + 2), stop=record["stop"],
        operations=int(experiment.get("operations", 0)),
        end=whole(experiment.get("for")) if experiment.get("for") else virtual.NEVER,
        sample=whole(experiment.get("sample", "0")), program=programs.program_of(experiment),
        grain=int(experiment.get("grain", 1)), gives_newest=experiment.get("give") == "newest",
        task_ns=lambda p: cost["task-time"], objects=objects_of(experiment))


def differ(what, said, found, slack=0.0):
    if said is None or not abs(said - found) <= slack:
        yield "%s is %r, and turn by turn %r" % (what, said, found)


def task_laws(record, run):
    """What holds for every run of tasks in virtual time."""
    if run["converged"] != (run["ended"] == "done"):
        yield "converged is %r, and it ended by '%s'" % (run["converged"], run["ended"])
    yield from differ("transfers", run["transfers"], run["parcels"])
    yield from differ("tasks_moved", run["tasks_moved"], run["moved"])
    if record["detect"] == "snapshot" and run["detection_messages"]:
        yield "%d messages were sent to detect what the end of a window shows" % run["detection_messages"]
    if run["detection_messages"] > run["messages"] + len(run["final"]):
        yield "%d messages of detection are more than all %d" % (run["detection_messages"], run["messages"])


def laws(record, run):
    """What holds for every run in virtual time."""
    if "executed" in run:
        yield from task_laws(record, run)
    more, processors = run["free"], len(run["final"])
    busy, idle = run["busy_s"], run["idle_s"]
    least = processors * run["virtual_s"]
    if not (idle >= 0.0 and busy >= run["overhead_s"] >= 0.0 and busy + idle >= least * (1.0 - 1e-12)):
        yield "busy %r, of it overhead %r, and idle %r do not fill %r" % (busy, run["overhead_s"], idle, least)
    if run["ended"] == "time" and busy + idle > least * (1.0 + 1e-12):
        yield "busy %r and idle %r are more than %r" % (busy, idle, least)
    if run["events"] != more["turns"] + run["messages"]:
        yield "events is %d, of %d turns and %d messages" % (run["events"], more["turns"], run["messages"])
    if run["windows"] > more["turns"]:
        yield "%d windows had %d turns" % (run["windows"], more["turns"])
    joined, refused = more["engagements"], 2 * more["refusals"]
    answered = 3 * joined + refused  # ASK and TELL, then GIVE, PULL or RELEASE; a PULL is answered
    most = answered + (2 if record["domains"] == "exclusive" else 1) * joined
    whole = run["ended"] in ("operations", "criterion", "itself") and run["in_flight"] == 0.0
    asked = record["announce"] == "asked" and record["faults"] == "none" and not record["seconds_max"]
    if whole and asked and not answered <= run["messages"] <= most:
        yield "%d messages in operations with %d members and %d refusals" % (run["messages"], joined, more["refusals"])


def compare_times(run, again):
    """In whole nanoseconds."""
    end_ns = again.setting.end if again.cut else again.last
    busy, overheads = again.count["busy"], again.count["overheads"]
    ends = [min(max(own.ended, end_ns), again.setting.end) for own in again.processors]
    for name, found in (("virtual_s", end_ns), ("window_s", again.setting.lookahead), ("busy_s", busy),
                        ("overhead_s", overheads), ("idle_s", sum(ends) - busy)):
        yield from differ(name, round(1e9 * run[name]), found)


def compare_counts(run, again):
    count, more = again.count, run["free"]
    for name, found in (("operations", count["begun"]), ("invocations", count["begun"]),
                        ("messages", count["messages"]), ("windows", count["windows"]),
                        ("events", count["messages"] + count["turns"]), ("parcels", count["parcels"])):
        yield from differ(name, run[name], found)
    for name in ("turns", "empty_turns", "engagements", "overlaps", "overlap_most", "stale", "stalls", "depth_most",
                 "refusals", "abandoned", "link_failures", "processor_failures", "repairs", "returned"):
        yield from differ("free." + name, more[name], count[name])
    for name, found in (("latency", again.latencies), ("operation_time", again.times)):
        yield from differ("free.%s.count" % name, more[name]["count"], len(found))
        if found:
            yield from differ("free.%s.maximum" % name, round(1e9 * more[name]["maximum"]), max(found))
            mean = sum_of(found) / len(found)
            yield from differ("free.%s.mean" % name, 1e9 * more[name]["mean"], mean, 0.02 * max(found))


def compare_tasks(run, again):
    count, setting = again.count, again.setting
    for name in ("executed", "nodes", "cost", "most_held"):
        yield from differ(name, run[name], count[name])
    for name in ("requests", "requests_failed", "letter_hops") if setting.method else ():
        yield from differ(name, run[name], count[name])
    best = min(own.best for own in again.processors)
    found = count["result"] if not setting.program.least else best if best < math.inf else None
    if run.get("result") != found:
        yield "the result is %r, and turn by turn %r" % (run.get("result"), found)
    yield from differ("tasks_moved", run["tasks_moved"], again.amount["moved"])
    yield from differ("native_fraction", run["native_fraction"], count["native"] / count["executed"], 1e-12)
    end_ns = count["done_ns"] if again.ended == "done" else setting.end if again.cut else again.last
    task_ns, processors = setting.task_ns(0), len(again.processors)
    idle = [end_ns - own.worked for own in again.processors]
    bound_ns = task_ns * max(count["cost"] / processors, count["longest"])
    for name, found in (("done_s", end_ns), ("work_s", sum(own.worked for own in again.processors)),
                        ("bound_s", bound_ns), ("tasks_idle_s", sum(idle) / processors), ("tasks_idle_most_s", max(idle))):
        yield from differ(name, 1e9 * run[name], found, 1e-6 + 1e-12 * abs(found))
    if end_ns:
        yield from differ("speedup", run["speedup"], count["cost"] * task_ns / end_ns, 1e-9 * run["speedup"])
        yield from differ("efficiency", run["efficiency"], run["speedup"] / processors, 1e-12)


def compare_objects(run, again):
    objects, processors = again.setting.objects, again.processors
    most = max(objects.units(own.tasks) for own in processors)
    mean = sum(objects.weight) / len(processors)
    first = [objects.units(i for i, home in enumerate(objects.home) if home == own.number) for own in processors]
    for name, found in (("imbalance_initial", max(first) / mean - 1.0), ("edge_cut_initial", 0.0), ("edge_cut", 0.0),
                        ("bytes_moved", sum(own.bytes for own in processors)),
                        ("most_bytes", max(own.bytes for own in processors)),
                        ("objects_moved", sum(again.moves)), ("stayed", again.moves.count(0)),
                        ("moved_once", sum(moves <= 1 for moves in again.moves) / len(again.moves)),
                        ("imbalance", most / mean - 1.0)):
        yield from differ(name, run[name], found, 1e-12 * (1.0 + abs(found)))


def compare_links(record, run, again, noise):
    ports = [port for own in again.processors for port in own.ports]
    for port, said in zip(ports, run["free"].get("links", [])):
        way = "of the way from %d to %d, " % (port.neighbour, port.owner)
        for name in ("messages", "stalls", "depth_most"):
            yield from differ(way + name, said[name], port.count[name])
        if said["load"] is not None:
            yield from differ(way + "the load", said["load"], port.load, noise * (1 + port.count["messages"]))
    if run["flow_l1"] is not None and not (run["in_flight"] and record["faults"] != "none"):
        net = [abs(port.sent() - port.twin.sent()) for port in ports if port.owner < port.neighbour]
        slack = noise * (1 + again.count["messages"])
        yield from differ("flow_l1", run["flow_l1"], sum_of(net), slack)
        yield from differ("flow_l2", run["flow_l2"], math.sqrt(measures.squares(net)), slack)


def compare_final_loads(run, again, noise):
    for own, said in zip(again.processors, run["final"]):
        yield from differ("the final load of %d" % own.number, said, own.held, noise)


def compare_loads(run, again, noise):
    yield from compare_final_loads(run, again, noise)
    slack = noise * (1 + again.count["messages"])
    for name in ("moved", "generated", "consumed", "unmet"):
        yield from differ(name, run[name], again.amount[name], slack)
    for name in ("asked", "got", "load_returned"):
        yield from differ("free." + name, run["free"][name], again.amount[name], slack)
    yield from differ("in_flight", run["in_flight"], again.in_flight(), slack)
    yield from differ("minimum_ever", run["minimum_ever"], min(own.minimum for own in again.processors), noise)


def compare_rows(run, again, noise):
    """The trace, whose rows stand at the ends of windows."""
    rows = run.get("trace", [])
    times = [round(1e9 * row["time"]) for row in rows]
    if times != list(again.rows):
        yield "the trace has rows at %s ns, and turn by turn at %s" % (times[:9], list(again.rows)[:9])
        return
    tight = noise + 1e-12 * (run["total_initial"] + run["generated"])
    for row, time in zip(rows, times):
        held, in_flight, moved, generated, ended, invokers = again.rows[time]
        measure = measures.Measure(held, in_flight)
        size = noise * max(1.0, max(map(abs, held))) * len(held)
        more = measures.passed(held, in_flight, None, moved, run["total_initial"] + generated, None)
        wide = size + 1e-12 * measure.variance
        for name, found, slack in (("variance", measure.variance, wide), ("error", more["error"], wide + 1e-9),
                                   ("in_flight", in_flight, noise), ("minimum", measure.minimum, noise),
                                   ("maximum", measure.maximum, noise), ("mean", more["mean"], tight),
                                   ("deviation", more["deviation"], tight),
                                   ("normalised_cost", more["normalised_cost"], noise + 1e-12),
                                   ("invocations", ended, 0),
                                   ("invokers", None if again.setting.pushed else invokers, 0),
                                   ("moved", moved, noise * (1 + again.count["messages"]))):
            if found is not None:
                yield from differ("at %d ns of the trace, %s" % (time, name), row[name], found, slack)


def recomputed(experiment, record, run):
    """Yields what is wrong; returns whether the run was made again."""
    if run["free"]["turns"] > TURNS_MAX or run["ended"] in FORGIVEN:
        return False
    setting = setting_of(experiment, record, run)
    if setting is None:
        return False
    try:
        again = (virtual_letters if setting.method else virtual).Run(setting)
    except ArithmeticError:
        return False
    if measures.compares(record["stop"]) and again.rests():
        return False  # the engine may have noticed that the criterion is out of reach, and have ended the run
    noise = 0.0 if record["units"] in ("tokens", "tasks") else 1e-9 * max([1.0] + [abs(w) for w in run["initial"]])
    if record["stop"] == "rest" and run["ended"] == "itself" != again.ended:
        yield from compare_final_loads(run, again, noise)  # no object could move any more
        return False
    if run["ended"] != again.ended:
        yield "it ended by '%s', and turn by turn by '%s'" % (run["ended"], again.ended)
    yield from compare_times(run, again)
    yield from compare_counts(run, again)
    yield from compare_loads(run, again, noise)
    yield from compare_links(record, run, again, noise)
    yield from compare_rows(run, again, noise)
    if setting.program:
        yield from compare_tasks(run, again)
    if setting.objects:
        yield from compare_objects(run, again)
    if measures.compares(record["stop"]):
        yield from differ("converged", run["converged"], again.reached())
    if record["stop"] == "nobody invokes":
        yield from differ("converged", run["converged"], run["ended"] == "itself")
    return True
