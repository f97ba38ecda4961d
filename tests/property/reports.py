# SPDX-License-Identifier: MIT
"""The three forms of a report: whether table, JSON and CSV of one run carry the same values, each rounded as it rounds."""
import csv
import io
import math
import re

from measures import squares, sum_of

ALONE = ("seed", "hopeless", "converged", "cycle", "workers", "window_s")  # of several runs there is no mean
NUMBER = r"(-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?|-|-?inf|-?nan)"


def cell(value):
    """A JSON value as CSV has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


def same_cell(text, value):
    value = cell(value)
    if isinstance(value, str) or text in ("", None):
        return text == value
    return float(text) == float(value)


def flat(run):
    """The fields of a run as columns: groups with their names before them, lists by place."""
    found = {}
    for name, value in run.items():
        if isinstance(value, dict):
            found.update({"%s.%s" % (name, inner): v for inner, v in flat(value).items()})
        elif not isinstance(value, list):
            found[name] = value
    return found


def check_csv(record, text):
    """Each run's line has its fields, and no cell says more than the JSON."""
    rows = list(csv.DictReader(io.StringIO(text)))
    if len(rows) != len(record["runs"]):
        yield "CSV has %d lines for %d runs" % (len(rows), len(record["runs"]))
        return
    for row, run in zip(rows, record["runs"]):
        head = {"topology": record["topology"]["spec"], "method": record["method"]["spec"],
                "parameter": record["method"]["parameter"]}
        fields = {**{n: record[n] for n in row if n in record and n not in head}, **head, **flat(run)}
        for name, text in row.items():
            if name.startswith("free.depth"):
                continue
            if not same_cell(text, fields.get(name)):
                yield "CSV has %s = %r, JSON %r" % (name, text, fields.get(name))
        for name in fields:
            if name not in row and name != "free.dump":
                yield "CSV has no column %s" % name


def check_pages(record, trace, final):
    """trace.csv and final.csv of --out."""
    traced = [(run["seed"], row) for run in record["runs"] for row in run.get("trace", [])]
    rows = list(csv.DictReader(io.StringIO(trace))) if trace else []
    if len(rows) != len(traced):
        yield "trace.csv has %d lines for %d rows" % (len(rows), len(traced))
    for line, (seed, row) in zip(rows, traced):
        for name, text in line.items():
            if not same_cell(text, seed if name == "seed" else row.get(name)):
                yield "trace.csv has %s = %r, JSON %r" % (name, text, row.get(name))
        if set(line) != {"seed", *row}:
            yield "trace.csv has columns %s, JSON %s" % (", ".join(line), ", ".join(row))
    loads = [(run["seed"], p, w) for run in record["runs"] for p, w in enumerate(run["final"])]
    rows = [(r["seed"], r["processor"], r["load"]) for r in csv.DictReader(io.StringIO(final))]
    if len(rows) != len(loads) or not all(same_cell(a, b) for row, load in zip(rows, loads) for a, b in zip(row, load)):
        yield "final.csv is not the JSON's final loads"


def check_pooled(record):
    """What operations did in all runs together."""
    for part, said in record["summary"].get("effects", {}).items():
        of = [run["effects"][part] for run in record["runs"]]
        count = sum(of) if part == "unknown" else sum(e["count"] for e in of)
        if (said if part == "unknown" else said["count"]) != count:
            yield "the summary's effects.%s is %r, recomputed %d" % (part, said, count)
        for word in ("before", "after") if part != "unknown" and count else ():
            found = [e["count"] * e[word] for e in of if e["count"] and e[word] is not None]
            if said[word] is not None and not abs(said[word] * count - sum_of(found)) <= 1e-6 * max(1.0, sum_of(found)):
                yield "the summary's effects.%s.%s is %r, recomputed %r" % (part, word, said[word], sum_of(found) / count)


def check_summary(record):
    fields = [name for name, value in record["runs"][0].items()
              if name not in ALONE and (value is None or isinstance(value, (int, float)))]
    for name in fields + [name for name in record["summary"] if name not in fields and name != "effects"]:
        values = [run.get(name) for run in record["runs"]]
        found = record["summary"].get(name)
        if found is None or None in values:
            if found is not None and any(v is not None for v in found.values()):
                yield "the summary has %s, the runs do not" % name
            elif found is None and None not in values:
                yield "the summary lacks %s" % name
            continue
        mean = sum_of(values) / len(values)
        deviation = math.sqrt(squares(v - mean for v in values) / (len(values) - 1)) if len(values) > 1 else 0.0
        size = max(map(abs, values))
        for word, wanted in (("mean", mean), ("sd", deviation), ("min", min(values)), ("max", max(values))):
            if found[word] is None and not math.isfinite(wanted) or abs(found[word] - wanted) <= 1e-6 * size:
                continue
            yield "the summary's %s of %s is %r, recomputed %r" % (word, name, found[word], wanted)


def paragraphs(table):
    """Lines by their label, with what was wrapped put together again."""
    lines = []
    for line in table.splitlines():
        if re.match(r"  \S", line):
            lines.append(line.strip())
        elif lines and line.strip():
            lines[-1] += " " + line.strip()
    return lines


def same_number(text, value, digits=6):
    """Whether the text is the value with so many digits, or whole."""
    if value is None or text == "-":
        return value is None and text == "-"
    shown = float(text.replace(",", ""))
    return abs(shown - value) <= max(5.001 * 10.0 ** -digits * abs(value), 0.5 if abs(value) >= 1e6 else 0.0)


def has_tasks(run):
    return "executed" in run


def has_objects(run):
    return "object_count" in run


def has_numbers(run):
    return not has_tasks(run) and not has_objects(run)


# Of the table of one run: what a line looks like, and the fields of its numbers. Beside it, where it must stand.
LINES = [
    ("stop", r"after %s operations?, %s steps?" % (NUMBER, NUMBER), ["operations", "steps"],
     lambda run: "free" not in run),
    ("variance", r"%s at the start, %s at the end" % (NUMBER, NUMBER), ["variance_initial", "variance_final"], has_numbers),
    ("loads", r"%s to %s at the end, never below %s" % (NUMBER, NUMBER, NUMBER),
     ["minimum", "maximum", "minimum_ever"], has_numbers),
    ("loads", r"total %s" % NUMBER, ["total_final"], has_numbers),
    ("traffic", r"%s messages?, %s parcels?, %s of load" % (NUMBER, NUMBER, NUMBER), ["messages", "parcels", "moved"],
     lambda run: not has_tasks(run)),
    ("traffic", r"%s net" % NUMBER, ["flow_l1"], lambda run: has_numbers(run) and run["flow_l1"] is not None),
    ("steps", r"%s to scan, %s to exchange load" % (NUMBER, NUMBER), ["scan_steps", "exchange_steps"],
     lambda run: "scan_steps" in run),
    ("shifts", NUMBER, ["shifts"], lambda run: "shifts" in run),
    ("work", r"%s generated, %s consumed" % (NUMBER, NUMBER), ["generated", "consumed"],
     lambda run: has_numbers(run) and (run["generated"] > 0.0 or run["consumed"] > 0.0)),
    ("in flight", NUMBER, ["in_flight"], lambda run: has_numbers(run) and run["in_flight"] > 0.0),
    ("window", r"within %s of the mean; variance %s on average and at most %s, from %s" % (4 * (NUMBER,)),
     ["bound", "variance_mean", "variance_most", "window_moments"], lambda run: "window_moments" in run and not has_objects(run)),
    ("tokens", r"%s never left" % NUMBER, ["stayed"],
     lambda run: run.get("stayed") is not None and not has_objects(run)),
    ("imbalance", r"%s at the start, %s at the end" % (NUMBER, NUMBER), ["imbalance_initial", "imbalance"], has_objects),
    ("loads", r"%s to %s at the end, total %s" % (NUMBER, NUMBER, NUMBER), ["minimum", "maximum", "total_final"],
     has_objects),
    ("objects", r"%s in all, %s never left" % (NUMBER, NUMBER), ["object_count", "stayed"], has_objects),
    ("moves", r"%s moves? of objects, %s bytes?, at most %s bytes? from" % (NUMBER, NUMBER, NUMBER),
     ["objects_moved", "bytes_moved", "most_bytes"], has_objects),
    ("tasks", r"^tasks +%s tasks? executed" % NUMBER, ["executed"], has_tasks),
    ("tasks", r", %s units of cost" % NUMBER, ["cost"], lambda run: has_tasks(run) and run["cost"] != run["executed"]),
    ("tasks", r", result %s$" % NUMBER, ["result"], lambda run: run.get("result") is not None),
    ("held", r"at most %s tasks? by a processor" % NUMBER, ["most_held"], has_tasks),
    ("traffic", r"%s messages?, %s parcels?, %s moves? of tasks over links" % (3 * (NUMBER,)),
     ["messages", "transfers", "tasks_moved"], has_tasks),
]


def check_line(lines, run, label, pattern, fields):
    found = [m for line in lines if line.startswith(label) for m in [re.search(pattern, line)] if m]
    if not found:
        yield "the table has no line '%s' with %s" % (label, ", ".join(fields))
        return
    for text, field in zip(found[-1].groups(), fields):
        digits = 4 if field.startswith("imbalance") else 6
        if not same_number(text, run[field], digits):
            yield "the table has %s %s, JSON %r" % (field, text, run[field])


SECONDS = r"(\S+ (?:s|ms|us))\b"
SHARE = r"(\S+(?: %)?)"
UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "%": 100.0}


def same_amount(text, value):
    """Whether a time or a share, which have three digits and their unit, or a rate, is the value."""
    number, _, unit = text.partition(" ")
    if number == "-":
        return value is None
    return same_number(number, value * UNITS.get(unit, 1.0), 3) or float(number.replace(",", "")) == round(value)


def time_of_all(record, run):
    return run["virtual_s"] * record["topology"]["processors"]


def share_of(part, whole):
    return part / whole if whole > 0.0 else None


# Of the table of one run in virtual time: a line's label, what it looks like, and its numbers.
OPERATIONS_LINE = ("stop", r"after %s operations?, %s of virtual time" % (NUMBER, SECONDS),
                   lambda _, run: (run["operations"], run["virtual_s"]))
LETTERS_LINES = [
    ("stop", r"after %s of virtual time" % SECONDS, lambda _, run: [run["virtual_s"]]),
    ("letters", r"letters crossed %s links?$" % NUMBER, lambda _, run: [run["letter_hops"]]),
]
VIRTUAL_LINES = [
    ("processors", r"^processors +%s busy, of which %s sending and receiving; %s idle$" % (3 * (SHARE,)),
     lambda record, run: [share_of(run[name], time_of_all(record, run)) for name in ("busy_s", "overhead_s", "idle_s")]),
    ("turns", r"^turns +%s, %s empty$" % (NUMBER, SHARE),
     lambda _, run: (run["free"]["turns"], share_of(run["free"]["empty_turns"], run["free"]["turns"]))),
    ("events", r"^events +%s in %s windows? of %s; computed in %s on this computer, (\S+)( million)? per second$" %
     (NUMBER, NUMBER, SECONDS, SECONDS),
     lambda _, run: (run["events"], run["windows"], run["window_s"], run["elapsed_s"], run["events"] / run["elapsed_s"])),
]


# The same, of tasks in virtual time.
TASK_LINES = [
    ("speedup", r"^speedup +%s, efficiency %s: %s of work in %s" % (NUMBER, NUMBER, SECONDS, SECONDS),
     lambda _, run: [run[name] for name in ("speedup", "efficiency", "work_s", "done_s")]),
    ("idle", r"does not work for %s on average, at most for %s$" % (SECONDS, SECONDS),
     lambda _, run: (run["tasks_idle_s"], run["tasks_idle_most_s"])),
    ("native", r"^native +%s of the executed tasks" % SHARE,
     lambda _, run: [float("%.3f" % run["native_fraction"])]),  # one digit after the point of a percentage
]
DONE_LINES = [
    ("done", r"^done +the last task was executed after %s" % SECONDS, lambda _, run: [run["done_s"]]),
    ("speedup", r"; no schedule takes less than %s$" % SECONDS, lambda _, run: [run["bound_s"]]),
]


def check_virtual_lines(record, run, lines):
    known = VIRTUAL_LINES + (LETTERS_LINES if "letter_hops" in run else [OPERATIONS_LINE])
    known = known + (TASK_LINES if run.get("executed") else [])
    known = known + (DONE_LINES if has_tasks(run) and run["converged"] else [])
    for label, pattern, values in known:
        found = next((m for line in lines if line.startswith(label) for m in [re.search(pattern, line)] if m), None)
        if not found:
            yield "the table has no line '%s' of virtual time" % label
            continue
        million = 1e6 if found.groups()[-1] == " million" else 1.0
        texts = [text for text in found.groups() if text not in (None, " million")]
        wanted = list(values(record, run))
        wanted[-1] = wanted[-1] and wanted[-1] / million
        for text, value in zip(texts, wanted):
            if not same_amount(text, value):
                yield "the table's line '%s' has %s instead of %r" % (label, text, value)


def check_rows(record, table):
    """Of several runs a row each, with a star if it missed the criterion; four digits where there is no room for six.
    In virtual time there are no steps, and this computer's seconds say nothing of the runs."""
    virtual = record["timing"] == "virtual"
    tasks = has_tasks(record["runs"][0])
    columns = ["executed", "done_s", "speedup", "efficiency", "bound_s" if virtual else "messages", "tasks_moved", "result"] \
        if tasks else \
              ["operations", "virtual_s" if virtual else "steps", "variance_final", "spread_final", "moved", "messages",
               "events" if virtual else "elapsed_s"]
    if has_objects(record["runs"][0]):
        columns = ["operations", "imbalance", "bytes_moved", "most_bytes", "objects_moved", "edge_cut", "messages"]
    rows = [line.split() for line in table.splitlines()]
    for run in record["runs"]:
        start = ([] if run["converged"] or record["stop"] == "never" else ["*"]) + [str(run["seed"])]
        row = next((row[len(start) - 1:] for row in rows
                    if row[:len(start)] == start and len(row) == len(start) + len(columns)), None)
        if row is None:
            yield "the table has no row for seed %d" % run["seed"]
            continue
        for text, name in zip(row[1:], columns):
            if not same_number(text, run.get(name), 4):
                yield "the table has %s %s for seed %d, JSON %r" % (name, text, run["seed"], run[name])


def check_table(record, table):
    """Of one run every number; of several their seeds."""
    lines = paragraphs(table)
    run = record["runs"][0]
    if len(record["runs"]) > 1:
        yield from check_rows(record, table)
        return
    for label, pattern, fields, when in LINES:
        if when is None or when(run):
            yield from check_line(lines, run, label, pattern, fields)
    if record["timing"] == "virtual":
        yield from check_virtual_lines(record, run, lines)
    stop = next((line for line in lines if line.startswith("stop ")), "")
    if has_tasks(run):
        if ("no task left" in stop) != run["converged"]:
            yield "the table says '%s' of tasks with converged = %r" % (stop, run["converged"])
    elif record["stop"] != "never" and ("not reached" in stop) == run["converged"]:
        yield "the table says '%s' of a run with converged = %r" % (stop, run["converged"])
    if run["why"] and not any(" ".join(line.split()[1:]) == " ".join(run["why"].split()) for line in lines):
        yield "the table does not say why: %s" % run["why"]
