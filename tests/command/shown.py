# SPDX-License-Identifier: MIT
"""shown.py EVENKEEL FOLDER: prints what `show` prints of many records: of runs in rounds, with times that do not depend on
the computer, of an earlier run in free timing, and of both with changes that are rare in real runs. Lines that were
printed before are only counted, with a checksum."""
import copy
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from new_lines import print_new

EVENKEEL, FOLDER = sys.argv[1:]


def record_of(*words):
    line = [EVENKEEL, "run", "--carrier", "pool:1", "--format", "json", "--final", "--trace", *words]
    record = json.loads(subprocess.run(line, capture_output=True, check=False).stdout)
    record["version"], record["barrier"] = "0.0.1", "spin"
    record["host"] = {"processor": "a processor", "cores": 2, "memory_bytes": 1 << 34}
    for index, run in enumerate(record["runs"]):
        run["elapsed_s"] = 0.0125 * (index + 1)
    return record


def changed(record, **changes):
    """A copy with other values. A name such as runs_0_free__turns leads into the record; __ stands for a dot."""
    record = copy.deepcopy(record)
    for name, value in changes.items():
        *path, last = name.split("__")
        at = record
        for part in path:
            at = at[int(part)] if part.isdigit() else at[part]
        at[last] = value
    return record


def run_of(record, index=0, **changes):
    """A copy with another run in place of one."""
    return changed(record, **{f"runs__{index}__{name}": value for name, value in changes.items()})


def given(record, *options):
    return changed(record, given=[*record["given"], *options])


def show(what, record, *formats):
    path = f"{FOLDER}/shown.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(record, file)
    for form in formats or ("table",):
        done = subprocess.run([EVENKEEL, "show", path, "--format", form], capture_output=True, text=True, check=False)
        print(f"\n== {what}, {form}: status {done.returncode}")
        print_new((done.stdout + done.stderr).replace(FOLDER, "FOLDER"))


# How a run ends, with and without a criterion and a workload. What is over after 12 operations of 3 steps.
def show_ends(one, never):
    for ended, why in (("itself", "the method ended by itself"), ("steps", "the limit on steps ended the run"),
                       ("operations", "the limit on operations ended the run"), ("time", "the time is over"),
                       ("interrupt", "interrupted"), ("frozen", "no load moves"), ("repeats", "the loads repeat"),
                       ("diverges", "the loads diverge"), ("given_up", "it seems to have no end"),
                       ("stuck", "no processor makes progress"), ("violation", "load was lost")):
        missed = run_of(one, converged=False, ended=ended, why=why)
        show(f"missed, {ended}", missed)
        show(f"no criterion, {ended}", run_of(never, ended=ended, why=why))
        if ended in ("steps", "interrupt", "frozen"):
            show(f"missed with work, {ended}", given(missed, "work"))
            show(f"no criterion but work, {ended}", given(run_of(never, ended=ended, why=why), "work"))
    show("hopeless", run_of(one, converged=False, ended="steps", hopeless=True))
    show("farther than at the start", run_of(one, converged=False, ended="steps", error_final=1e6))
    show("as far as at the start", run_of(one, converged=False, ended="time", error_initial=7.0, error_final=7.0))
    show("a factor of 1", changed(run_of(one, converged=False, ended="steps"), theory__gamma_exact=1.0))
    show("at once", run_of(one, operations=1, steps=1))
    show("reached with work", given(one, "work"))
    show("reached with capacities", given(one, "capacity"))


def show_several(three):
    show("three runs", three, "table", "csv")
    cut = run_of(three, 1, converged=False, ended="steps", why="the limit on steps ended the run")
    show("one of three is cut", cut, "table", "csv")
    show("one of three is cut and one failed", run_of(cut, 2, converged=False, ended="violation", why="load was lost"))
    show("one of three diverged", run_of(three, 0, converged=False, ended="diverges", why="the loads diverge",
                                         error_final=1e300, factor=None))
    show("one of three was given up", run_of(three, 2, converged=False, ended="given_up", why="no end is seen"))
    show("one of three is at rest", run_of(three, 2, converged=False, ended="frozen", why="no load moves"))
    show("three of five", changed(three, runs_asked=5))
    show("interrupted in the third of five", changed(run_of(three, 2, converged=False, ended="interrupt", why="interrupted"),
                                                      runs_asked=5))
    same = copy.deepcopy(three)
    for run in same["runs"]:
        run["steps"], run["minimum_ever"] = 24, -5.5
    same["runs"][1]["minimum_ever"] = 0.0
    show("all as long, two below zero", same)
    many = copy.deepcopy(three)
    many["runs"] = [{**copy.deepcopy(many["runs"][0]), "seed": seed, "moved": 1e12 / seed} for seed in range(1, 10)]
    many["runs_asked"] = 9
    show("nine runs", many)
    many["runs"][4].update(converged=False, ended="steps", why="the limit on steps ended the run")
    show("nine runs, one is cut", many)
    never = changed(three, stop="never")
    for run in never["runs"]:
        run.update(converged=False, ended="steps")
    show("three without a criterion", never)


def show_others(one):
    show("one port, unpinned, a parameter", changed(one, ports="one", unpinned=True, method__parameter=0.1234567))
    show("settings", given(changed(one, capacity="semi", tick_s=0.001, delay="fixed:3"), "capacity", "tick", "delay"))
    show("a topology with a note and no diameter", changed(one, topology__diameter=None, topology__note="it is a note"))
    show("theory with a closed form alone", changed(one, theory__gamma_exact=None, theory__gamma_closed=0.999999999))
    show("no theory", changed(one, theory__gamma_exact=None, theory__gamma_closed=None, theory__note="none is known"))
    show("no theory and no note", changed(one, theory__gamma_exact=None, theory__gamma_closed=None, theory__note="",
                                           theory__facts=[]))
    show("load in flight, work, a window", run_of(one, in_flight=2.5, generated=10.0, consumed=0.25, unmet=1.5, bound=12.5,
                                                   variance_mean=3.25, variance_most=7.5, window_moments=1))
    show("without flows", run_of(one, flow_l1=None, flow_l2=None))
    show("tokens", run_of(changed(one, units="tokens"), stayed=17))
    show("not finite", run_of(one, variance_final=None, spread_final=None, minimum=None, maximum=None, minimum_ever=None,
                              moved=None))
    show("ranks", run_of(changed(one, carrier="mpi"), workers=4, blocks="boxes", cut=12, cut_in_order=34))
    show("a rank", run_of(changed(one, carrier="mpi"), workers=1, blocks="order", cut=1, cut_in_order=1))
    show("faults", run_of(given(one, "faults"), link_failures=1, processor_failures=2, repairs=3, returned=1, load_returned=4.5))
    fact = {"name": "moved_least", "value": 12.5, "beside": "moved", "at_end": True, "text": "The least load."}
    facts = [fact, {**fact, "name": "steps_all", "beside": "steps", "at_end": False, "value": 1234567},
             {**fact, "name": "nothing", "beside": "", "value": None}]
    show("facts", changed(one, theory__facts=facts))
    show("facts of a run that was cut", changed(run_of(one, converged=False, ended="steps"), theory__facts=facts))


def show_free(free):
    show("free timing", free, "table", "csv")
    run = "runs__0__free__"
    show("few audits, no requests", changed(free, **{
        run + "audits": 1, run + "audit_interval": None, run + "asked": 0.0, run + "refusals": 1, run + "abandoned": 2,
        run + "reached_s": 0.25, run + "reached_operations": 1234, run + "reached_window_s": 0.01}))
    show("no audits, all available", changed(free, **{
        run + "audits": 0, run + "asked": 12.0, run + "got": 12.0, run + "stale": 0, run + "refusals": 0, run + "engagements": 0}))
    show("requests fell short", changed(free, **{
        run + "asked": 12.0, run + "got": 3.0, run + "stale": 1, run + "engagements": 200, run + "overlaps": 50,
        run + "overlap_most": 3, run + "stale_age__median": 0.00125}))
    quantiles = {"count": 10, "mean": 0.002, "median": 0.001, "p90": 0.003, "p99": 0.004, "maximum": 0.5}
    for name, median in (("late", 0.0012), ("near", 0.0011)):
        show(f"delays that are {name}", changed(free, **{
            run + "delay_asked": quantiles, run + "delay_realised": {**quantiles, "median": median},
            run + "announced_age": quantiles, run + "operation_time": quantiles}))
    show("waits", changed(free, **{
        run + "waited": {"answer": 0.1, "peer": 0.2, "room": 0.3, "turned": 0.4, "idle": 0.5},
        run + "sleeps": 1, run + "wakes": 1, run + "migrations": 1}))
    show("no waits", changed(free, **{run + "waited": dict.fromkeys(("answer", "peer", "room", "turned", "idle"), 0.0),
                                      run + "turns": 0, run + "empty_turns": 0, run + "depth": [0] * 8}))
    show("counters and a recorder", changed(free, **{
        run + "cycles": 2000, run + "instructions": 3000, run + "cache_misses": 1, run + "recorder_waits": 1,
        run + "recorder_waited": 0.5}))
    for lag in (0.01, 0.06):
        show(f"faults that came {lag} s late", given(changed(free, **{
            run + "link_failures": 2, run + "processor_failures": 1, run + "repairs": 1, run + "returned": 2,
            run + "load_returned": 3.5, run + "fault_lag": lag}), "faults"))
    show("fast", run_of(free, elapsed_s=1e-5))
    show("one operation missed", run_of(free, converged=False, ended="time", operations=1, why="the time is over"))
    two = copy.deepcopy(free)
    two["runs"] = [two["runs"][0], copy.deepcopy(two["runs"][0])]
    two["runs"][1].update(seed=2, operations=77)
    two["runs_asked"] = 2
    show("two runs in free timing", two)
    effect = {"count": 5, "before": 100.0, "after": 25.0, "left": 0.25, "left_error": 0.0125}
    kinds = ("alone", "overlapped", "adjacent", "one_shared", "two_shared", "many")
    effects = {kind: {**effect, "count": 5 + i, "left": 0.25 + i / 100} for i, kind in enumerate(kinds)}
    facts = [{"name": name, "value": 0.5 + i / 10, "beside": "", "at_end": False, "text": "It is known."}
             for i, name in enumerate(("left_alone", "left_adjacent_most", "left_one_shared", "left_two_shared_most"))]
    show("domains", changed(free, runs__0__effects={**effects, "unknown": 1}, theory__facts=facts), "table", "csv")
    effects["alone"].update(count=1, left_error=None)
    effects["overlapped"].update(before=None, left=None)
    for kind in kinds[2:]:
        effects[kind] = {**effect, "count": 0}
    show("few domains", changed(free, runs__0__effects={**effects, "unknown": 0}))


def main():
    one = record_of("--topology", "torus:4x4", "--method", "ode", "--load", "peak:640")
    never = record_of("--topology", "torus:4x4", "--method", "ode", "--load", "peak:640", "--stop", "never", "--steps", "12")
    three = record_of("--topology", "ring:8", "--method", "adf", "--runs", "3", "--units", "tokens", "--stop", "neighbours:4")
    with open("tests/data/earlier/free.json", encoding="utf-8") as file:
        free = json.load(file)
    show("one run", one, "table", "csv", "json")
    show_ends(one, never)
    direct = record_of("--topology", "chain:4", "--method", "dde", "--load", "list:9,1,1,1", "--units", "tokens")
    show("a direct method", direct, "table", "csv")
    show("a direct method that was cut", run_of(direct, converged=False, ended="steps", why="the limit on steps ended the run"))
    show("a method that promises no balance", changed(direct, method__direct=False))
    show_several(three)
    show_others(one)
    show("links and quotas", record_of("--topology", "torus:3x2", "--method", "dde", "--load", "list:9,7,4,1,4,6", "--links"),
         "table", "csv")
    show_free(free)


main()
