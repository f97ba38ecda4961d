# SPDX-License-Identifier: MIT
# Recordings of runs in virtual time, through the command: a replay is the whole report of its run; the loads between
# two turns, the words and the time line agree with the run and with the costs; a recording that is cut or damaged is
# replayed as far as it is intact, or refused. Prints each failure, and the line "N passed, N failed".
import json
import os
import re
import signal
import subprocess
import tempfile
import time

from replays import BINARY, check, end, replayed, run

# The machine, and what else a run has.
TORUS = ("--topology", "torus:4x4", "--method", "adf", "--load", "peak:1600")
RUNS = [
    ("--stop", "variance:1e6"),
    ("--stop", "never", "--for", "73us", "--carrier", "pool:3"),
    ("--stop", "never", "--for", "200us", "--faults", "link:40000,repair:20us"),
    ("--stop", "never", "--for", "200us", "--work", "normal:10:3:10", "--tick", "5us", "--carrier", "pool:2"),
    ("--stop", "never", "--operations", "300", "--load-bytes", "8", "--byte-time", "0.5ns", "--mailbox", "spsc:1"),
    ("--stop", "never", "--operations", "300", "--delay-load", "uniform:1us:9us", "--units", "tokens", "--slow", "3:4"),
    ("--stop", "never", "--operations", "300", "--within", "3:5", "--delay", "exponential:2us"),
]


def recorded(path, *words):
    status, out, err = run("run", "--timing", "virtual", "--record", path, "--format", "json", "--final", "--trace",
                           *TORUS, *words)
    check(status in (0, 3), f"{words}: status {status}, {err}")
    return json.loads(out)


# The report of the replay is that of the run, and so is what `show` reads of it.
def whole(path, words):
    then = recorded(path, *words)
    now = replayed(path, "--final", "--trace")
    check(now.pop("replayed", False) is True, f"{words}: it is not said to be replayed")
    check(now == then, f"{words}: the replay is another report")
    name = path + ".json"
    with open(name, "w") as file:
        json.dump(then, file)
    check(run("show", name, "--format", "csv")[1] == run("replay", path, "--format", "csv")[1], f"{words}: show, in CSV")
    status, out, err = run("show", path)
    check(status == 2 and not out and f"evenkeel replay {path}" in err, f"show of a recording: {status}, {err}")
    return then["runs"][0]


# Between two turns the loads add up, and the times are those of the run.
def moments(path, words, then):
    turns = then["free"]["turns"]
    every = max(1, turns // 5)
    rows = replayed(path, "--every", str(every))["trace"]
    check([row["turn"] for row in rows] == list(range(0, turns + 1, every)), f"{words}: a row each so many turns")
    check(all(a["time"] <= b["time"] <= then["virtual_s"] + 1e-9 for a, b in zip(rows, rows[1:])), f"{words}: times")
    for row in rows[1:]:
        look = replayed(path, "--until", str(row["turn"]), "--final")
        held = look["final"]
        check(look["moment"] == row, f"{words}: turn {row['turn']}: --until and --every differ")
        check(row["minimum"] == min(held) and row["maximum"] == max(held), f"{words}: turn {row['turn']}: extremes")
        if "--work" not in words:
            check(abs(sum(held) + row["in_flight"] - 1600) < 1e-8, f"{words}: turn {row['turn']}: the ledger")
    last = replayed(path, "--until", str(turns), "--final")
    check(last["final"] == then["final"] and last["whole"] is True, f"{words}: the last turn")


# Each message arrives at least T + o + g + L after the turn that sends it began (with the defaults 1.35 us; a factor F
# divides this), in the order of sending, and turns are in the order of time.
def messages(path, words, then, least_us):
    out = run("replay", path, "--from", "1")[1]
    now, under_way, taken = 0.0, {}, 0
    for line in out.splitlines():
        turn = re.match(r"  turn [\d,]+  (\S+) (us|ms)  processor (\d+), load ", line)
        event = re.match(r"        (takes|sends) (\w+)( \S+)? (?:from|to) (\d+)$", line)
        if turn:
            at = float(turn[1]) * (1000 if turn[2] == "ms" else 1)
            check(at >= now, f"{words}: {line} is too early")
            now, p = at, int(turn[3])
        elif event and event[1] == "sends":
            under_way.setdefault((p, int(event[4])), []).append((now, event[2], event[3]))
        elif event:
            sent = under_way.get((int(event[4]), p), []).pop(0)
            check(sent[1:] == (event[2], event[3]), f"{words}: {line} takes another message, {sent}")
            # printed times have three digits
            check(now * 1.005 + 0.005 - sent[0] >= least_us, f"{words}: {line} came {now - sent[0]} us after its turn")
            taken += 1
    check(taken == then["messages"], f"{words}: {taken} of {then['messages']} messages are in words")
    check(out.count("worker") == 0, f"{words}: workers do not matter")


# An interrupted run is replayed, and a killed one as far as the disk has it.
def ended_from_outside(path):
    for how in signal.SIGINT, signal.SIGKILL:
        os.remove(path)
        process = subprocess.Popen([BINARY, "run", "--timing", "virtual", *TORUS, "--stop", "never", "--for", "10m",
                                    "--carrier", "pool:2", "--record", path, "--format", "json", "--final"],
                                   stdout=subprocess.PIPE, text=True)
        while process.poll() is None and (not os.path.exists(path) or os.path.getsize(path) < 1500):
            time.sleep(0.01)
        process.send_signal(how)
        out = process.communicate()[0]
        if how == signal.SIGINT:
            then = json.loads(out)
            check(then["runs"][0]["ended"] == "interrupt" and process.returncode == 3, f"status {process.returncode}")
            now = replayed(path, "--final")
            check(now.pop("replayed", False) is True and now == then, "an interrupted run")
        else:
            look = replayed(path, "--final")
            check(look["whole"] is False and look["ended"] is False and look["moment"]["turn"] > 100000, "a killed run")
            check(abs(sum(look["final"]) + look["moment"]["in_flight"] - 1600) < 1e-6, "a killed run's ledger")

# Wherever a recording is cut, or a byte of it is wrong, it is not taken for the whole.
def mutilated(path):
    recorded(path, "--stop", "never", "--operations", "300")
    with open(path, "rb") as file:
        good = file.read()
    refused = cut = 0
    for at in range(1, len(good), 151):
        for bad in good[:at], good[:at] + bytes([good[at] ^ 4]) + good[at + 1:]:
            with open(path, "wb") as file:
                file.write(bad)
            status, out, err = run("replay", path, "--format", "json", "--final")
            refused += status == 2
            cut += status == 0
            check(status == 2 and not out and err.startswith("evenkeel: ") or
                  status == 0 and json.loads(out).get("whole") is False, f"byte {at} of {len(good)}: {status}, {err}")
    check(refused > 10 and cut > 1, f"{refused} refused, {cut} cut")


# The recording of another machine does not fit: its head says other costs.
def refusals(path):
    recorded(path, "--stop", "never", "--operations", "300")
    for words, sentence in [
        (("replay", path, "--then", "random:7"), "it can be replayed but not continued"),
        (("run", "--timing", "virtual", "--record", path, "--runs", "2"), "--record records one run"),
        (("run", "--timing", "virtual", "--record", "/dev/full", "--quiet"), "could not be written"),
        (("run", "--record", path), "--record is for --timing free and virtual"),
    ]:
        status, out, err = run(*words)
        check(status == 2 and sentence in err, f"{words}: {status}, {err}")


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "run.ek")
    for words in RUNS:
        then = whole(path, words)
        moments(path, words, then)
        if "--faults" not in words and "--slow" not in words:
            messages(path, words, then, 1.35 if "--within" not in words else 0.35 / 3)
    ended_from_outside(path)
    mutilated(path)
    refusals(path)
end()
