#!/bin/sh
# SPDX-License-Identifier: MIT
# --profile: run.json, profile.csv and processors.csv have the same numbers, which agree with the run's other fields in
# every timing. How they are computed is in tests/runs/test_profiles.c.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

cat >"$folder/check.py" <<'END'
import csv, json, math, sys

folder, most, lasts = sys.argv[1], int(sys.argv[2]), sys.argv[3]
record = json.load(open(folder + "/run.json"))
processors = record["topology"]["processors"]

def rows_of(name):
    with open(folder + "/" + name) as file:
        return list(csv.reader(file))

def near(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)

def whole(run, profile):
    """The sums over processors and intervals, and the fields that say the same."""
    sums = {name: sum(values) for name, values in profile["processors"].items()}
    for name in ("work", "overhead", "idle"):
        assert near(sums[name], sum(sum(one[name]) for one in profile["intervals"])), name
    assert sums["executed"] == run["executed"] == sums["created"]
    if "ticks" in run:
        assert near(sums["work"] + sums["idle"], run["ticks"] * processors), sums
        assert near(sums["overhead"] + sums["idle"], run["idle_ticks"] * processors), sums
    elif lasts == "free":
        assert math.isclose(sums["work"], run["work_s"], abs_tol=1e-9 * run["executed"]), sums
    else:
        assert near(sums["work"], run["work_s"]) and near(sums["work"] + sums["overhead"], run["busy_s"]), sums
    end = run["ticks"] if "ticks" in run else run["elapsed_s"] if lasts == "free" else run["virtual_s"]
    last = profile["intervals"][-1]["to"]
    assert last >= end * (1 - 1e-9) and (lasts == "free" or near(last, end)), (last, end)

intervals, lines = [["seed", "from", "to", "processor", "processors", "work", "overhead", "idle"]], []
lines.append(["seed", "processor", "work", "overhead", "idle", "executed", "created"])
for run in record["runs"]:
    profile, group = run["profile"], run["profile"]["group"]
    assert group == -(-processors // 1024) and 1 < len(profile["intervals"]) <= most
    whole(run, profile)
    for before, after in zip(profile["intervals"], profile["intervals"][1:]):
        assert before["to"] == after["from"]
    for one in profile["intervals"]:
        for g, first in enumerate(range(0, processors, group)):
            times = [one[name][g] for name in ("work", "overhead", "idle")]
            intervals.append([run["seed"], one["from"], one["to"], first, min(group, processors - first), *times])
    columns = [profile["processors"][name] for name in lines[0][2:]]
    lines.extend([run["seed"], p, *(column[p] for column in columns)] for p in range(processors))
for name, wanted in (("profile.csv", intervals), ("processors.csv", lines)):
    found = rows_of(name)
    assert found[0] == wanted[0], found[0]
    assert [[float(cell) for cell in row] for row in found[1:]] == [list(map(float, row)) for row in wanted[1:]], name
print("right")
END

profile() { # profile NAME MOST KIND WORDS...
    name=$1 most=$2 kind=$3
    shift 3
    expect "$name" 0 "$(status run "$@" --profile "$most" --out "$folder/$name" --quiet)"
    expect "numbers of $name" right "$(python3 "$folder/check.py" "$folder/$name" "$most" "$kind" 2>&1)"
}
profile rounds 9 ticks --topology torus:4x4 --tasks queens:7 --method adf --runs 2
profile turns 5 ticks --topology torus:4x4 --tasks flowshop:8x4:3 --method sender:0.2 --timing turns
profile many 4 ticks --topology torus:50x41 --tasks queens:8 --method ade --carrier pool
profile virtual 50 virtual --topology torus:4x4 --tasks queens:7 --method adf --timing virtual --runs 2
profile free 6 free --topology torus:4x4 --tasks queens:8 --method adf --timing free --invoke below:2 --carrier pool:2
expect "the files" "final.csv processors.csv profile.csv run.json trace.csv" "$(ls "$folder/free" | tr '\n' ' ' | sed 's/ $//')"

# Without --profile there are no such files, and an old one is in nobody's way; with it, nothing is overwritten.
mkdir "$folder/old"
echo old >"$folder/old/processors.csv"
expect "an old file" 2 "$(status run --topology ring:4 --tasks queens:5 --method ade --profile 4 --out "$folder/old" --quiet)"
expect "it says so" yes "$(grep -q 'old/processors.csv exists already: remove it, or choose another --out' "$folder/err" && echo yes)"
expect "the old file without --profile" 0 "$(status run --topology ring:4 --tasks queens:5 --method ade --out "$folder/old" --quiet)"
expect "it stays" old "$(cat "$folder/old/processors.csv")"
expect "no profile" "0" "$(grep -c '"intervals"' "$folder/old/run.json")"
expect "without tasks" 2 "$(status run --profile 4 --format json)"
expect "it says why" yes "$(grep -q 'a profile shows how processors execute tasks: use tasks queens:8' "$folder/err" && echo yes)"
result
