#!/bin/sh
# SPDX-License-Identifier: MIT
# The experiments that torture draws, with and without bounds, and its JSON report.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh

check() { # check: a Python expression of `t`, the report, and `words(run)`, a run's options, for each line
    python3 -c '
import json, shlex, sys
t = json.load(open(sys.argv[1]))
def words(run):
    line = shlex.split(run["command"])[2:]
    options, i = {}, 0
    while i < len(line):
        switch = i + 1 == len(line) or line[i + 1].startswith("--")
        options[line[i][2:]] = None if switch else line[i + 1]
        i += 1 if switch else 2
    return options
for line in sys.stdin:
    if not eval(line):
        print("not:", line, end="")
' "$folder/out" 2>&1
}

# The sums of the report agree with its runs.
expect "JSON" 0 "$(status torture --seed 11 --runs 12 --format json)"
expect "all of it" "" "$(check <<'END'
t["schema"] == "evenkeel.torture/1" and t["seed"] == 11 and t["ran"] == len(t["runs"]) == 12
[r["seed"] for r in t["runs"]] == list(range(11, 23)) == [int(words(r)["seed"]) for r in t["runs"]]
t["failed"] == t["refused"] == 0 and all(r["status"] in (0, 3) and r["error"] is None for r in t["runs"])
all(r["status"] == (0 if r["converged"] or words(r).get("stop") == "never" else 3) for r in t["runs"] if r["ended"] != "violation")
all(words(r)["timing"] == "free" or "tasks" in words(r) for r in t["runs"]) and len({words(r)["method"] for r in t["runs"]}) > 3
max(r["depth_most"] for r in t["runs"]) == t["near_misses"][0]["most"]
max(r["longest_wait"] for r in t["runs"] if r["longest_wait"]) == t["near_misses"][2]["most"]
[m["seed"] for m in t["near_misses"]] == [next((r["seed"] for r in t["runs"] if r[of] and r[of] == m["most"]), None) for m, of in zip(t["near_misses"], ("depth_most", "stale_age_most", "longest_wait", "overlap_most"))]
sum(b["runs"] for b in t["near_misses"][0]["bins"]) == sum(r["depth_most"] > 0 for r in t["runs"])
[b["runs"] for b in t["near_misses"][0]["bins"]][:2] == [sum(r["depth_most"] == d for r in t["runs"]) for d in (1, 2)]
[b["to"] for b in t["near_misses"][3]["bins"]] == [1, 2, 4, 8, 16, 32, 64, None]
t["elapsed_s"] >= sum(r["elapsed_s"] for r in t["runs"])
END
)"
cp "$folder/out" "$folder/free"
line=$(python3 -c "import json; print(json.load(open('$folder/out'))['runs'][0]['command'])")
expect "a command can be pasted" yes "$(sh -c "$EVENKEEL ${line#evenkeel } --quiet" 2>/dev/null; case $? in 0 | 3) echo yes ;; esac)"

# With bounds: lists as in a sweep; axes without bounds are drawn as before.
expect "restricted" 0 "$(status torture --seed 11 --runs 12 --format json --carrier pool:1 --mailbox "spsc:{2,5}")"
expect "only that" "" "$(check <<'END'
all(words(r)["carrier"] == "pool:1" for r in t["runs"]) and {words(r)["mailbox"] for r in t["runs"]} == {"spsc:2", "spsc:5"}
[{k: v for k, v in words(r).items() if k not in ("carrier", "mailbox")} for r in t["runs"]] == [{k: v for k, v in words(r).items() if k not in ("carrier", "mailbox")} for r in json.load(open(sys.argv[1].replace("out", "free")))["runs"]]
END
)"
expect "to methods, topologies" 0 "$(status torture --runs 12 --format json -m ade,liquid:c1 -t "ring:{6,9},torus:3x3" --units tokens \
    --delay fixed:1us --faults none --domains exclusive)"
expect "only these" "" "$(check <<'END'
{words(r)["method"] for r in t["runs"]} == {"ade", "liquid:c1"} and {words(r)["topology"] for r in t["runs"]} == {"ring:6", "ring:9", "torus:3x3"}
all(words(r)["units"] == "tokens" and words(r)["delay"] == "fixed:1us" and words(r)["domains"] == "exclusive" for r in t["runs"])
t["refused"] == t["failed"] == 0 and all(r["link_failures"] == r["processor_failures"] == 0 for r in t["runs"])
all(int(words(r)["load"].split("@")[1]) < 9 for r in t["runs"] if "@" in words(r).get("load", ""))
END
)"
expect "mailboxes of one place" 0 "$(status torture --seed 11 --runs 4 --format json --carrier pool:1 --mailbox spsc:1)"
expect "are full in all runs: the first is named" "" "$(check <<'END'
all(r["depth_most"] == 1 for r in t["runs"]) and t["near_misses"][0]["most"] == 1 and t["near_misses"][0]["seed"] == 11
END
)"
expect "to one port" 0 "$(status torture --runs 8 --format json --ports one --carrier pool:1)"
expect "methods that can" "" "$(check <<'END'
all(words(r)["ports"] == "one" for r in t["runs"]) and t["refused"] == 0
END
)"

# Impossible combinations are refused and counted; if all are refused, the status is 2.
expect "some refused" 0 "$(status torture --runs 10 -m ade,liquid:c1 -t mesh:4x4 --carrier pool:1)"
refused=$(sed -n 's/^torture: 10 runs in .* 0 failed, \([0-9]*\) refused: .*/\1/p' "$folder/out")
expect "some of them" yes "$([ "${refused:-0}" -gt 0 ] && [ "$refused" -lt 10 ] && echo yes)"
expect "it says so" 1 "$(grep -c "^evenkeel: $refused of 10 runs refused, first that of seed [0-9]*: the liquid model shifts load around rings" "$folder/err")"
first=$(sed -n 's/.*refused, first that of seed \([0-9]*\): .*/\1/p' "$folder/err")
expect "the first of them" 0 "$(status torture --runs 10 -m ade,liquid:c1 -t mesh:4x4 --carrier pool:1 --format json)"
expect "has that seed" "" "$(echo "[r['seed'] for r in t['runs'] if r['status'] == 2][0] == ${first:-0} and t['refused'] > 1" | check)"
expect "all refused" 2 "$(status torture --runs 2 -m liquid:c1 -t mesh:4x4 --format json)"
expect "with their reasons" "" "$(check <<'END'
t["refused"] == t["ran"] == 2 and all(r["status"] == 2 and r["error"].startswith("the liquid model") and "operations" not in r for r in t["runs"])
all(m["most"] is None and m["seed"] is None for m in t["near_misses"])
END
)"

# After Ctrl-C the report of the runs is complete.
"$EVENKEEL" torture --format json --seed 5 >"$folder/out" 2>"$folder/err" &
pid=$!
soon grep -q '"seed": 6' "$folder/out"
kill -TERM "$pid" # a shell lets what it starts behind it ignore SIGINT
wait "$pid"
expect "interrupted" "" "$(check <<'END'
t["ran"] == len(t["runs"]) > 0 and t["failed"] == 0
END
)"
expect "no time for a run" "3 1" "$(status torture --for 1ns) $(grep -c '^evenkeel: the time was too short for a run: give a longer --for$' "$folder/err")"
expect "nowhere to write to" 2 "$(timeout 30 "$EVENKEEL" torture --format json >/dev/full 2>"$folder/err"; echo $?)"

result
