# SPDX-License-Identifier: MIT
# Checks recordings through the command: replays are compared with a second computation here, and damaged recordings
# must be refused or replayed as far as they are intact. Prints each failure, and the line "N passed, N failed".
import fcntl
import json
import os
import random
import re
import subprocess
import tempfile
import time

import overlaps
from replays import BINARY, check, end, replayed, run

MUTILATED = int(os.environ.get("MUTILATED", "60" if os.environ.get("TESTS_PART", "1") == "1" else "36"))


def close(a, b, size=1.0):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), size)


# The experiment of a replay equals the one that `run` reported, except for the field `replayed`.
def whole(path, *words):
    status, out, err = run("run", "--timing", "free", "--record", path, "--format", "json", "--final", "--trace", *words)
    check(status in (0, 3), f"{words}: status {status}, {err}")
    then = json.loads(out)
    now = replayed(path, "--final", "--trace")
    check(now.pop("replayed", False) is True, f"{words}: it is not said to be replayed")
    check(now == then, f"{words}: the replay is another report")
    return then


# Recomputes each moment from the loads after its turn.
def moments(path, then):
    run = then["runs"][0]
    turns = run["free"]["turns"]
    every = max(1, turns // 7)
    trace = replayed(path, "--every", str(every))["trace"]
    check([row["turn"] for row in trace] == list(range(0, turns + 1, every)), "a row each so many turns")
    for row in trace[1:]:
        look = replayed(path, "--until", str(row["turn"]), "--final")
        held = look["final"]
        check(look["moment"] == row, f"turn {row['turn']}: --until and --every differ")
        share = run["total_initial"] / len(held)
        check(close(row["variance"], sum((w - share) ** 2 for w in held), 1e-6), f"turn {row['turn']}: variance")
        check(row["minimum"] == min(held) and row["maximum"] == max(held), f"turn {row['turn']}: least and most")
        check(close(row["spread"], max(held) - min(held)), f"turn {row['turn']}: spread")
        check(close(row["mean"], sum(held) / len(held)), f"turn {row['turn']}: mean")
        check(close(sum(held) + row["in_flight"], run["total_initial"]), f"turn {row['turn']}: the ledger")
    last = replayed(path, "--until", str(turns), "--final")
    check(last["final"] == run["final"], "the loads after the last turn are the final ones")


# The printed operations and messages account for every change of the loads.
def words(path, then, peak):
    held = [peak] + [0.0] * (then["topology"]["processors"] - 1)
    flight = {}
    out = run("replay", path, "--from", "1")[1]
    p = None
    for line in out.splitlines():
        turn = re.match(r"  turn .*  processor (\d+), worker \d+, load (\S+)", line)
        event = re.match(r"        (takes|sends) (give|return) (\S+) (?:from|to) (\d+)", line)
        if turn:
            p = int(turn[1])
        elif event:
            amount = float(event[3])
            held[p] += amount if event[1] == "takes" else -amount
            key = (int(event[4]), p) if event[1] == "takes" else (p, int(event[4]))
            flight[key] = flight.get(key, 0.0) + (-amount if event[1] == "takes" else amount)
    final = then["runs"][0]["final"]
    # Printed numbers have six digits.
    check(all(abs(a - b) < 1e-2 * peak for a, b in zip(held, final)), "words give the loads")
    check(all(abs(left) < 1e-2 * peak for left in flight.values()), "what is sent is taken")
    ends = out.count("ends its operation")
    check(ends == then["runs"][0]["operations"], f"{ends} operations are told to end")
    link = run("replay", path, "--show", "0-1")[1]
    check("sends" in link and not re.search(r"(from|to) (?!0\b|1\b)\d+$", link, re.M), "a link's messages alone")
    one = run("replay", path, "--show", "3")[1]
    check(set(re.findall(r"processor (\d+),", one)) == {"3"}, "a processor's turns alone")


# The time line contains each operation and both ends of each parcel. A parcel is received after it was sent.
def timeline(path, then, folder):
    name = os.path.join(folder, "timeline.json")
    status, out, err = run("replay", path, "--quiet", "--timeline", name)
    check(status == 0 and not out, f"--timeline: {status}, {err}")
    with open(name) as file:
        line = json.load(file)
    events = line["traceEvents"]
    check(line["otherData"]["left_out"] == 0, "nothing is left out")
    slices = [e for e in events if e["ph"] == "X" and e["name"] == "operation"]
    sent = {e["id"]: e for e in events if e["ph"] == "s"}
    taken = {e["id"]: e for e in events if e["ph"] == "f"}
    run_of = then["runs"][0]
    check(len(slices) == run_of["operations"], f"{len(slices)} operations on the time line")
    check(len(sent) == len(taken) == run_of["parcels"], f"{len(sent)} parcels on the time line")
    check(close(sum(e["args"]["load"] for e in sent.values()), run_of["moved"]), "the load of the parcels")
    check(all(sent[k]["args"]["to"] == taken[k]["tid"] and sent[k]["args"]["load"] == taken[k]["args"]["load"]
              and sent[k]["tid"] == taken[k]["args"]["from"] for k in sent), "both ends of an arrow are one parcel's")
    check(all(e["dur"] >= 0 and 0 <= e["ts"] <= 1e6 * run_of["elapsed_s"] + 1e5 for e in slices), "times")
    longest = run_of["free"]["operation_time"]["maximum"]
    check(close(1e-6 * max(e["dur"] for e in slices), longest, 1e-3), f"the longest slice lasts {longest} s")
    status, out, err = run("replay", path, "--quiet", "--timeline", "/dev/full/x")
    check(status == 2 and "cannot be written" in err, f"a time line nowhere: {status}, {err}")


# Computes overlaps, domains and spheres from the printed events of the same recording.
def overlapping(folder, *words):
    path = os.path.join(folder, "overlapping")
    with tempfile.TemporaryDirectory() as out:
        then = whole(path, "--units", "tokens", "--out", out, *words)
        with open(os.path.join(out, "run.json")) as file:
            load = json.load(file)["runs"][0]["initial"]
    mean = sum(load) / len(load)
    done, held = overlaps.operations(run("replay", path, "--from", "1")[1], load)
    check(held == then["runs"][0]["final"], f"{words}: the words give the loads")
    found = replayed(path, "--overlaps")["overlaps"]
    check(found["pairs"] == overlaps.pairs(done), f"{words}: overlaps of two, {found['pairs']}, {overlaps.pairs(done)}")
    described = sorted((overlaps.describe(sphere, mean) for sphere in overlaps.spheres(done)), key=order_of_sphere)
    same_spheres(words, sorted(found["spheres"], key=order_of_sphere), described)
    effects(words, found["effects"], done, described, mean)
    lines = run("replay", path, "--overlaps", "--format", "csv")[1].splitlines()
    rows = [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:]]
    same_spheres(words, sorted(({k: v if k == "kind" else float(v) for k, v in row.items()} for row in rows),
                               key=order_of_sphere), described)
    check([int(row["begin"]) for row in rows] == sorted(int(row["begin"]) for row in rows), f"{words}: by their begins")
    table = run("replay", path, "--overlaps")[1]
    check(f"{sum(found['pairs'].values()):,} of two operations" in table, f"{words}: the table says how many overlap")
    sizes = re.findall(r"^  (\d+)(?:-(\d+))? +([\d,]+) +\S+ +\S+ +\S+ +\S+ +\S+$", table, re.M)
    check(sum(int(n[2].replace(",", "")) for n in sizes) == len(described), f"{words}: the table has all spheres")
    for least, most, count in sizes:
        inside = [s for s in described if int(least) <= s["operations"] <= int(most or least)]
        check(len(inside) == int(count.replace(",", "")), f"{words}: {count} spheres of {least} to {most}")
    return found


def order_of_sphere(sphere):
    return sphere["begin"], sphere["end"], sphere["before"]


def same_spheres(words, found, wanted):
    check(len(found) == len(wanted), f"{words}: {len(found)} spheres, not {len(wanted)}")
    for sphere, other in zip(found, wanted):
        same = all(close(sphere[k], other[k], 1e-6) if k in ("before", "after") else sphere[k] == other[k] for k in other)
        check(same, f"{words}: sphere {sphere}, not {other}")


# The sums by kind, as docs/report.md defines them.
def effects(words, found, done, described, mean):
    for kind in "alone", "adjacent", "one_shared", "two_shared", "many":
        these = [sphere for sphere in described if sphere["kind"] == kind]
        effect = found[kind]
        check(effect["count"] == len(these), f"{words}: {effect['count']} {kind}, not {len(these)}")
        for end in ("before", "after") if these else ():
            mean_of = sum(sphere[end] for sphere in these) / len(these)
            check(close(effect[end], mean_of, 1e-6), f"{words}: {kind} {end}: {effect[end]}, not {mean_of}")
    alone = found["alone"]["count"]
    check(found["overlapped"]["count"] == len(done) - alone and found["unknown"] == 0, f"{words}: {alone} are alone")


# No event is missing, the reductions by spheres add up to the fall of the variance, and a run that continues says so.
def all_overlaps(folder):
    kinds = {}
    for words in [
        ("--topology", "torus:4x4", "--method", "adf", "--invoke", "probability:0.02", "--operations", "150",
         "--stop", "never", "--carrier", "pool:2"),
        ("--topology", "torus:8x8", "--method", "ade", "--invoke", "probability:0.002", "--operations", "150",
         "--stop", "never", "--carrier", "pool:3", "--domains", "once"),
        ("--topology", "ring:12", "--method", "adf", "--invoke", "outside:300:600", "--domains", "exclusive",
         "--operations", "100", "--stop", "never"),
        ("--topology", "star:6", "--method", "adf", "--ports", "one", "--invoke", "probability:0.1", "--operations", "100",
         "--stop", "never", "--carrier", "pool:2"),
        ("--topology", "torus:4x4", "--method", "adf", "--invoke", "probability:0.02", "--operations", "150", "--stop",
         "never", "--carrier", "pool:2", "--faults", "link:3000,repair:200us"),
    ]:
        found = overlapping(folder, *words)
        for sphere in found["spheres"]:
            kinds[sphere["kind"]] = kinds.get(sphere["kind"], 0) + 1
    check(kinds.keys() >= {"alone", "adjacent", "many"}, f"the runs have spheres of {kinds}")
    path = os.path.join(folder, "overlapping")
    begin = str(found["spheres"][len(found["spheres"]) // 2]["begin"])  # of an operation at least, which does not end in it
    part = replayed(path, "--overlaps", "--until", begin)["overlaps"]
    check(part["effects"]["unknown"] > 0, f"what is open at turn {begin} is not known")
    check(" that had not ended, or may" in run("replay", path, "--overlaps", "--until", begin)[1], "and the table says so")
    for words, sentence in [
        (("--method", "adf", "--announce", "pushed"), "none overlap"),
        (("--method", "adf", "--capacity", "uniform:1:9"), "overlaps mean nothing"),
    ]:
        run("run", "--timing", "free", "--topology", "ring:6", "--for", "50ms", "--record", path, "--quiet", *words)
        status, out, err = run("replay", path, "--overlaps")
        check(status == 2 and sentence in err and not out, f"--overlaps of {words}: {status}, {err}")
    status, out, err = run("replay", path, "--overlaps", "--show", "1")
    check(status == 2 and "prints its own tables" in err, f"--overlaps and --show: {err}")


def refusals(path, folder):
    for words, sentence in [
        ((path, "--show", "99"), "a processor must be a whole number from 0 to 15"),
        ((path, "--show", "0-10"), "have no link between them"),
        ((path, "--from", "3", "--format", "json"), "print text: leave out --format"),
        ((path, "--until", "3", "--format", "csv"), "--every"),
        ((os.path.join(folder, "none"),), "cannot be opened"),
        (("README.md",), "is not a recording"),
        ((folder,), "is a directory: give a file"),
    ]:
        status, out, err = run("replay", *words)
        check(status == 2 and sentence in err and not out, f"{words}: {status}, {err}")
    for words, sentence in [
        (("--timing", "free", "--runs", "2"), "--record records one run"),
        ((), "--record is for --timing free"),
    ]:
        status, out, err = run("run", "--record", os.path.join(folder, "x"), *words)
        check(status == 2 and sentence in err, f"{words}: {status}, {err}")
    status, out, err = run("run", "--timing", "free", "--topology", "ring:4", "--record", "/dev/full", "--quiet")
    check(status == 2 and err.count("could not be written") == 1, f"a full disk: {status}, {err}")


# A recording that was cut, had a bit changed, or was put together from two is refused, or replayed with a report of how
# far it goes and with loads that add up. It must never count as complete, and never pass silently.
def mutilated(path, other, then, folder):
    lots = random.Random(1)
    good = open(path, "rb").read()
    strange = open(other, "rb").read()
    total = then["runs"][0]["total_initial"]
    refused = cut = 0
    for number in range(MUTILATED):
        kind = number % 4
        at = lots.randrange(1, len(good))
        if kind == 0:
            bad = good[:at]
        elif kind == 1:
            bad = good[:at] + bytes([good[at] ^ 1 << lots.randrange(8)]) + good[at + 1 :]
        elif kind == 2:
            bad = good[:at] + strange[lots.randrange(len(strange)) :]
        else:
            upto = lots.randrange(at, len(good))
            bad = good[:at] + good[upto:] if number % 8 < 4 else good[:upto] + good[at:]
        if bad == good:
            continue
        name = os.path.join(folder, "bad")
        with open(name, "wb") as file:
            file.write(bad)
        status, out, err = run("replay", name, "--format", "json", "--final")
        what = f"mutilation {number}, at byte {at}"
        if status == 2:
            refused += 1
            check(not out and err.startswith("evenkeel: "), f"{what}: {out[:50]}, {err}")
        elif status == 0:
            cut += 1
            look = json.loads(out)
            check(look.get("whole") is False, f"{what}: it is taken for whole")
            moment = look["moment"]
            check(close(sum(look["final"]) + moment["in_flight"], total), f"{what}: the ledger")
        else:
            check(False, f"{what}: status {status}, {err}")
    check(refused > MUTILATED // 4 and cut > MUTILATED // 16, f"{refused} refused, {cut} cut")


# A missing or repeated block has a valid checksum but the wrong index. zstd ignores the fifth bit of a frame's
# descriptor, and other bits without influence on the content.
def blocks(path, folder):
    good = open(path, "rb").read()
    begins = [match.start() for match in re.finditer(re.escape(b"\x28\xb5\x2f\xfd"), good)] + [len(good)]
    check(len(begins) > 3, f"{len(begins) - 1} blocks")
    for begin, end in zip(begins[:-2], begins[1:]):
        marked = good[: begin + 4] + bytes([good[begin + 4] ^ 0x10]) + good[begin + 5 :]
        for bad, what in (good[:begin] + good[end:], "missing"), (good[:end] + good[begin:], "doubled"), (marked, "marked"):
            name = os.path.join(folder, "blocks")
            with open(name, "wb") as file:
                file.write(bad)
            status, out, err = run("replay", name, "--format", "json")
            check(status == 2 and "is damaged at byte" in err and not out, f"block at {begin} {what}: {status}, {err}")


# The last complete blocks of a killed run. The run has one worker thread: if each processor had its own, one of them
# might get no core for so long that no turn after its last one could be replayed.
def killed(folder):
    path = os.path.join(folder, "killed")
    process = subprocess.Popen(
        [BINARY, "run", "--timing", "free", "--topology", "torus:4x4", "--method", "adf", "--stop", "never", "--for", "60s",
         "--carrier", "pool:1", "--record", path, "--quiet"]
    )
    while process.poll() is None and (not os.path.exists(path) or os.path.getsize(path) < 100000):
        time.sleep(0.01)
    process.kill()
    process.wait()
    look = replayed(path, "--final")
    check(look["whole"] is False and look["moment"]["turn"] > 1000, "a killed run is replayed as far as it got")


# Returns the report of a run that records into a pipe. The pipe is read only after a pause; what is read goes into the
# file.
def piped(path, *words):
    pipe = path + ".pipe"
    os.mkfifo(pipe)
    process = subprocess.Popen([BINARY, "run", *words, "--record", pipe, "--format", "json"], stdout=subprocess.PIPE)
    with open(pipe, "rb") as reader, open(path, "wb") as file:
        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 1 << 12)
        time.sleep(0.8)
        file.write(reader.read())
    os.remove(pipe)
    return json.loads(process.communicate()[0])["runs"][0]["free"]


# The pipe is not read during the run, so workers wait. The report shows that, also after a replay. Without --record
# there is no such line.
def waits(folder):
    path = os.path.join(folder, "piped")
    words = ("--timing", "free", "--topology", "torus:8x8", "--method", "adf", "--invoke", "outside:500:500", "--stop",
             "never", "--for", "800ms", "--carrier", "pool:8")
    free = {"recorder_waited": 0.0}
    for _ in range(10):  # a busy machine may let it run only when the pipe is read
        if free["recorder_waited"] <= 0.1:
            free = piped(path, *words)
    check(free["recorder_waits"] > 0 and 0.1 < free["recorder_waited"] < 8 * 60, f"a slow pipe: {free}")
    table = run("replay", path)[1]
    check(f"workers waited {free['recorder_waits']:,} time" in table, f"the table says it: {table}")
    free = json.loads(run("run", *words[:6], "--format", "json")[1])["runs"][0]["free"]
    check("recorder_waits" not in free, "without --record nothing waits for it")


# Files that specs name are part of the recording.
def carries_files(folder):
    name = os.path.join(folder, "load")
    with open(name, "w") as file:
        file.write("\n".join(str(100 * p) for p in range(8)))
    path = os.path.join(folder, "files")
    whole(path, "--topology", "ring:8", "--load", f"file:{name}", "--stop", "spread:1")
    os.remove(name)
    check(replayed(path)["replayed"] is True, "the file is not needed any more")


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a")
        other = os.path.join(folder, "b")
        then = whole(path, "--topology", "torus:4x4", "--method", "ade", "--load", "peak:1600", "--seed", "5")
        whole(other, "--topology", "ring:9", "--method", "adf", "--units", "tokens", "--carrier", "pool:2", "--ports", "one",
              "--delay", "uniform:10us:50us", "--faults", "link:500,repair:1ms", "--for", "50ms", "--stop", "never")
        moments(path, then)
        words(path, then, 1600.0)
        timeline(path, then, folder)
        all_overlaps(folder)
        refusals(path, folder)
        mutilated(path, other, then, folder)
        mutilated(other, path, json.loads(run("replay", other, "--format", "json")[1]), folder)
        blocks(path, folder)
        killed(folder)
        carries_files(folder)
        waits(folder)
    end()


if __name__ == "__main__":
    main()
