# SPDX-License-Identifier: MIT
"""data.py PAGE RECORD...: whether the data in a page is what the records, or measurements of contention, say, value by
value, but for what a page is said to leave out; whether nothing else can be in its scripts; and how large it is without its
data. --store PAGE STORE and --recording PAGE TIMELINE FILE: the same of a store, and of a recording."""

import csv
import json
import os
import re
import sqlite3
import subprocess
import sys

from spheres import operations_of, spheres

TRACES, ROWS, LOADS, BYTES = 64, 500, 4, 400_000
BY_PROCESSOR = ("initial", "final", "frames", "links", "quotas", "profile")


def kept(run, index):
    """What a page has of the run with this index."""
    run = dict(run)
    trace = run.pop("trace", None)
    if trace and index < TRACES:
        last = len(trace) - 1
        run["trace"] = trace if len(trace) <= ROWS else [trace[i * last // (ROWS - 1)] for i in range(ROWS)]
    if index >= LOADS:
        for name in BY_PROCESSOR:
            run.pop(name, None)
        run.get("free", {}).pop("links", None)
    return run


def wrong(page, files):
    with open(page, encoding="utf-8") as text:
        text = text.read()
    scripts = re.findall(r"<script([^>]*)>(.*?)</script", text, re.S)
    if [attributes.strip() for attributes, _ in scripts] != ['id="data" type="application/json"', "", ""]:
        return "its scripts are not its data, uPlot and its own"
    data = json.loads(scripts[0][1])
    if len(text.encode()) - len(scripts[0][1].encode()) > BYTES:
        return "without its data it is too large"
    if "<" in scripts[0][1]:
        return "a '<' in its data"
    shown = data["items"] + data["contentions"]
    if [item["file"] for item in shown] != files:
        return "its files are %s" % [item["file"] for item in shown]
    for item in data["contentions"]:
        with open(item["file"], encoding="utf-8") as measured:
            if item["measured"] != json.load(measured):
                return "%s is not what is in the page" % item["file"]
    for item in data["items"]:
        with open(item["file"], encoding="utf-8") as record:
            record = json.load(record)
        rows = max(len(run.get("trace", [])) for run in record["runs"])
        record["runs"] = [kept(run, index) for index, run in enumerate(record["runs"])]
        if item["rows"] != rows or item["record"] != record:
            return "%s is not what is in the page" % item["file"]
    return wrong_drawing(data["items"])


def wrong_drawing(items):
    """Each topology of up to 1,024 processors is drawn once, with the circles and the paths that `evenkeel draw` writes."""
    drawn = set()
    for item in items:
        spec = item["record"]["topology"]["spec"]
        large = item["record"]["topology"]["processors"] > 1024
        if ("drawing" in item) == (large or spec in drawn):
            return "%s is drawn twice, not at all, or too large to be drawn" % spec
        drawn.add(spec)
        if "drawing" not in item:
            continue
        seed = str(item["record"]["runs"][0]["seed"])
        svg = subprocess.run([os.environ.get("EVENKEEL", "build/evenkeel"), "draw", spec, "--seed", seed, "--out", "-"],
                             capture_output=True, text=True, check=True).stdout
        circles = [[float(x), float(y)] for x, y in re.findall(r'<circle cx="([^"]*)" cy="([^"]*)"', svg)]
        paths = re.findall(r'<path d="([^"]*)"', svg)
        drawing = item["drawing"]
        if circles != drawing["at"] or paths != [path for path, _ in sorted(drawing["lines"], key=lambda line: line[1])]:
            return "%s is not drawn as evenkeel draw does" % spec
        if len(drawing["light"]) != item["record"]["topology"]["colours"] or len(set(drawing["light"])) != len(drawing["light"]):
            return "%s has other colours" % spec
    return None


def wrong_store(page, store):
    """The same of a store: an experiment for each key, with the runs that have it."""
    with open(page, encoding="utf-8") as text:
        items = json.loads(re.search(r'type="application/json">(.*?)</script', text.read(), re.S)[1])["items"]
    keys = {}
    names = ("seed", "method", "topology", "steps", "variance_final", "moved")
    query = f"SELECT key, {', '.join(names)} FROM runs ORDER BY method, processors, topology, key, seed"
    for key, *values in sqlite3.connect(store).execute(query):
        keys.setdefault(key, []).append(tuple(values))
    found = []
    for record in (item["record"] for item in items):
        same = (record["method"]["spec"], record["topology"]["spec"])
        found.append([(run["seed"], *same, *(run[name] for name in names[3:])) for run in record["runs"]])
        if record["runs_asked"] != len(record["runs"]):
            return "its runs are not all there"
    return None if found == list(keys.values()) else f"{found}\n  is not what the store has"


def replayed(*words):
    """What `evenkeel replay` prints."""
    command = [os.environ.get("EVENKEEL", "build/evenkeel"), "replay", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def wrong_turns(recording, line, run):
    """The trace and the frames of a recording, against `replay`: each has every so many turns, and the last."""
    every, last = line["trace_every"], line["turns"]
    wanted = list(csv.DictReader(replayed(recording, "--every", str(every), "--format", "csv").splitlines()))
    rows = run["trace"]
    if last != run["free"]["turns"] or len(rows) != len(wanted) + (last % every > 0):
        return f"{len(rows)} rows of {last} turns, wanted {len(wanted)} of {run['free']['turns']}"
    for row, turn in zip(rows, wanted):
        for name in ("variance", "spread", "minimum", "maximum", "in_flight", "mean"):
            if row[name] != float(turn[name]):
                return f"turn {turn['turn']}: {name} is {row[name]}, wanted {turn[name]}"
    end = {"variance": run["variance_final"], "moved": run["moved"], "invocations": run["invocations"],
           "error": run["error_final"]}
    wrong_end = {name: (rows[-1][name], value) for name, value in end.items() if abs(rows[-1][name] - value) > 1e-9 * abs(value) + 1e-9}
    if wrong_end:
        return f"the last row and the run: {wrong_end}"
    frames = [0, *range(line["frame_every"], last, line["frame_every"]), last]
    if len(run["frames"]) != len(frames) or run["frames"][-1]["load"] != run["final"]:
        return f"{len(run['frames'])} frames, wanted {len(frames)}"
    for index in {1, len(frames) // 2}:
        told = json.loads(replayed(recording, "--until", str(frames[index]), "--format", "json", "--final"))["final"]
        if run["frames"][index]["load"] != told:
            return f"frame {index} is not the loads after turn {frames[index]}"
    return None


def wrong_recording(page, timeline, recording):
    """The same of a recording: against what the run itself counted, and the time line and the turns of `replay`."""
    with open(page, encoding="utf-8") as text:
        (item,) = json.loads(re.search(r'type="application/json">(.*?)</script', text.read(), re.S)[1])["items"]
    line, run = item["timeline"], item["record"]["runs"][0]
    operations = operations_of(line)
    sizes = [len(sphere) for sphere in spheres(operations)]
    alone = sum(size == 1 for size in sizes)
    counts = {
        "operations": (run["operations"], len(operations)),
        "engagements": (run["free"]["engagements"], len(line["stays"])),
        "parcels": (run["parcels"], len(line["parcels"])),
        "operations alone": (run["effects"]["alone"]["count"], alone),
        "operations that overlap": (run["effects"]["overlapped"]["count"], len(operations) - alone),
        "load": (round(run["moved"], 6), round(sum(parcel[4] for parcel in line["parcels"]), 6)),
        "the run goes on": (False, line["cut"]),
    }
    wrong_counts = {name: pair for name, pair in counts.items() if pair[0] != pair[1]}
    if wrong_counts:
        return f"wanted and found: {wrong_counts}"
    with open(timeline, encoding="utf-8") as text:
        slices = [event for event in json.load(text)["traceEvents"] if event["ph"] == "X"]
    wanted = sorted((one["tid"], one["ts"], one["dur"], one["args"]["got"]) for one in slices if "got" in one["args"])
    start = lambda one: round(1e6 * one["from"], 3)
    found = sorted((one["processor"], start(one), round(1e6 * one["to"] - 1e6 * one["from"], 3), one["got"]) for one in operations)
    return wrong_turns(recording, line, run) if wanted == found else f"operations: wanted {wanted}\n  found {found}"


if __name__ == "__main__":
    kinds = {"--store": wrong_store, "--recording": wrong_recording}
    of_kind = kinds.get(sys.argv[1])
    print((of_kind(*sys.argv[2:]) if of_kind else wrong(sys.argv[1], sys.argv[2:])) or "right")
