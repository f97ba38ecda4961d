# SPDX-License-Identifier: MIT
"""data.py PAGE RECORD...: whether the data in a page is what the records say, value by value, but for what a page is
said to leave out; whether nothing else can be in its scripts; and how large it is without its data."""

import json
import re
import sqlite3
import sys

TRACES, ROWS, LOADS, BYTES = 64, 500, 4, 400_000
BY_PROCESSOR = ("initial", "final", "frames", "links", "quotas")


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
    if [item["file"] for item in data["items"]] != files:
        return "its files are %s" % [item["file"] for item in data["items"]]
    for item in data["items"]:
        with open(item["file"], encoding="utf-8") as record:
            record = json.load(record)
        rows = max(len(run.get("trace", [])) for run in record["runs"])
        record["runs"] = [kept(run, index) for index, run in enumerate(record["runs"])]
        if item["rows"] != rows or item["record"] != record:
            return "%s is not what is in the page" % item["file"]
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


if __name__ == "__main__":
    store = sys.argv[1] == "--store"
    print((wrong_store(*sys.argv[2:]) if store else wrong(sys.argv[1], sys.argv[2:])) or "right")
