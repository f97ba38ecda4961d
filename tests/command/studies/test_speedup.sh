#!/bin/sh
# SPDX-License-Identifier: MIT
# `sweep --x processors --y speedup --plot`: the measured lines, the ideal and the bound of the figure, against the runs in
# the store. The ideal is the capacity of the machine, and in free timing its cores.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh

cat >"$folder/check.py" <<'END'
import math, re, sqlite3, sys

script, store, kind = open(sys.argv[1]).read(), sqlite3.connect(sys.argv[2]), sys.argv[3]
rows = store.execute("SELECT method, processors, speedup, efficiency, cost, grain, ticks, bound_ticks, done_s, bound_s FROM runs").fetchall()

def mean(values):
    return sum(values) / len(values)

methods = sorted({row[0] for row in rows})
places = sorted({row[1] for row in rows})
ideal, bound, lines = [], [], {}
for method in methods:
    for x in places:
        of = [row for row in rows if row[:2] == (method, x)]
        lines.setdefault(method, []).append(mean([row[2] for row in of]))
for x in places:
    of = [[row for row in rows if row[:2] == (method, x)] for method in methods]
    ideal.append(max(mean([row[2] / row[3] for row in runs]) for runs in of))
    if kind == "rounds":
        bound.append(max(mean([row[4] / (row[5] * row[7]) for row in runs]) for runs in of))
    elif kind == "virtual":
        bound.append(max(mean([row[2] * row[8] / row[9] for row in runs]) for runs in of))
if kind != "free": # the machine has as many processors, of capacity 1 or, half of them, 2
    each = 1.5 if len(sys.argv) > 4 else 1.0
    assert all(math.isclose(y, each * x) for x, y in zip(places, ideal)), ideal
wanted = {method if len(methods) > 1 else "mean": lines[method] for method in methods}
wanted["ideal: the capacity of the machine"] = ideal
if bound and any(b < 0.99 * i for b, i in zip(bound, ideal)):
    wanted["bound: no schedule is faster"] = bound
data = dict(re.findall(r"\$series(\d+) << END\n#[^\n]*\n(.*?)END", script, re.S))
titles, last = {}, None  # a line's title is that of its sign, which follows the line
for line in script.splitlines():
    last = (re.findall(r"\$series(\d+) using", line) or [last])[0]
    for title in re.findall(r" title '([^']*)'", line):
        titles.setdefault(last, title)
found = {titles[n]: [[float(cell) for cell in line.split()[:2]] for line in data[n].splitlines()] for n in data}
assert set(found) == set(wanted), (set(found), set(wanted))
for name, values in wanted.items():
    assert [x for x, _ in found[name]] == places, name
    assert all(math.isclose(y, v, rel_tol=1e-9) for (_, y), v in zip(found[name], values)), (name, found[name], values)
print("bound" if len(found) > len(methods) + 1 else "ideal")
END

figure() { # figure NAME LINES KIND WORDS...
    name=$1 lines=$2 kind=$3
    shift 3
    expect "$name" 0 "$(status sweep --topology 'torus:{2..8*2}x4' --carrier pool:1 --seed 1..2 --x processors --y speedup --log xy \
        "$@" --store "$folder/$name.sqlite" --plot "$folder/$name.svg" --plot-script "$folder/$name.gp" --quiet)"
    case $* in *semi*) kind="$kind semi" ;; esac
    # The kind can be two words.
    # shellcheck disable=SC2086
    expect "lines of $name" "$lines" "$(python3 "$folder/check.py" "$folder/$name.gp" "$folder/$name.sqlite" $kind 2>&1)"
    expect "$name is drawn" yes "$([ -s "$folder/$name.svg" ] && echo yes)"
}
if ! command -v gnuplot >/dev/null; then
    echo "skipped: figures of speedups, for want of gnuplot"
    result
    exit
fi
figure wide ideal rounds --tasks queens:9 --method none,adf,liquid:c4
figure deep bound rounds --tasks queens:5 --method adf,ade --grain 2
figure capacities bound rounds --tasks queens:5 --method adf --capacity semi
figure virtual bound virtual --tasks queens:5 --method adf,none --timing virtual
figure free ideal free --tasks queens:6 --method adf --timing free --invoke below:2
expect "efficiency" 0 "$(status results --store "$folder/deep.sqlite" --x processors --y efficiency --plot "$folder/e.svg" --plot-script "$folder/e.gp")"
expect "it has neither" 0 "$(grep -c 'ideal: \|bound: ' "$folder/e.gp")"
result
