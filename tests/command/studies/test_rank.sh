#!/bin/sh
# SPDX-License-Identifier: MIT
# `evenkeel rank`, compared with single runs of each method: order, means, intervals, theory, refusals, and every number in
# the sentences that explain the first place.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh
. tests/support/plugin.sh

against_runs() { # against_runs WORDS...: a ranking as JSON against `run` and `theory` of each of its methods
    expect "rank $*" 0 "$(status rank "$@" --runs 5 --format json)"
    expect "rank $*: as the runs" "" "$(python3 - "$EVENKEEL" "$folder/out" "$@" 2>&1 <<'END'
import csv, json, math, re, statistics, subprocess, sys
evenkeel, found, *words = sys.argv[1:]
rank = json.load(open(found))
experiment = [w for i, w in enumerate(words) if w not in ("--by", "-m") and words[i - 1] not in ("--by", "-m")]
T975 = 2.7764451051977987  # Student's, of 4 degrees of freedom

def close(a, b, digits=1e-9):
    return (a is None or math.isnan(a)) == (b is None or math.isnan(b)) and (a is None or abs(a - b) <= digits * max(1e-300, abs(a), abs(b)))

def check(what, good):
    if not good:
        print("not:", what)

runs = {}
for row in rank["methods"]:
    same = [w for option in ("units", "stop") if "--" + option not in experiment for w in ("--" + option, rank[option])]
    line = [evenkeel, "run", *experiment, *same, "--carrier", "pool", "-m", row["method"], "-r", "5", "--format"]
    out = subprocess.run([*line, "csv"], capture_output=True, text=True)
    if out.returncode == 2:
        check("the reason of " + row["method"], out.stderr.split("\n")[0] == "evenkeel: " + row["refused"] and row["rank"] is None)
        continue
    if next(csv.DictReader(out.stdout.split("\n"))).get("estimate_error"):
        check("estimates are no loads: " + row["method"], "does not balance the loads" in row.get("refused", "") and row["rank"] is None)
        continue
    check("it ran: " + row["method"], "refused" not in row)
    runs[row["method"]] = [{k: float(v) if re.fullmatch(r"[-+.e0-9]+", v) else v for k, v in r.items()}
                           for r in csv.DictReader(out.stdout.split("\n")[:-1])]
    theory = json.loads(subprocess.run([*line, "json"], capture_output=True, text=True).stdout)["theory"]
    check("gamma of " + row["method"], row["gamma"] == theory["gamma_exact"])
    check("theory of " + row["method"], row["theory"] == theory.get(rank["by"]) if rank["by"] in ("steps", "operations") else row["theory"] is None)

for row in rank["methods"]:
    if row["method"] not in runs:
        continue
    mine = runs[row["method"]]
    check("runs of " + row["method"], row["runs"] == len(mine) == 5 and rank["runs_asked"] == 5)
    reached = sum(r["converged"] == "true" or rank["stop"] == "never" for r in mine)
    check("reached by " + row["method"], row["reached"] == reached and (row["rank"] is not None) == (reached == 5))
    for name, summary in row["summary"].items():
        if reached < 5 and name in ("steps", "operations", "messages", "moved", "elapsed_s", "parcels", "invocations", "normalised_cost", "idle", "unmet", "virtual_s"):
            check(f'no mean of {name} of {row["method"]}', summary["mean"] is summary["sd"] is None and summary["max"] is not None)
        elif name != "elapsed_s" and mine[0][name] != "":
            check(f'{name} of {row["method"]}', close(summary["mean"], statistics.mean(r[name] for r in mine)))
    values = [r[rank["by"]] for r in mine]
    check("samples of " + row["method"], row["samples"] == 5)
    if reached < 5:
        lost = any(r["ended"] in ("frozen", "repeats", "itself", "diverges") and r["converged"] != "true" for r in mine)
        check(f'a bound of {row["method"]}', row["at_least"] is None if lost else close(row["at_least"], statistics.mean(values)))
        check(f'no mean of {row["method"]}', row["mean"] is row["low"] is row["high"] is row["behind"] is None)
        continue
    check(f'no bound of {row["method"]}', row["at_least"] is None)
    half = T975 * statistics.stdev(values) / math.sqrt(5)
    for end, wanted in (("mean", statistics.mean(values)), ("low", statistics.mean(values) - half), ("high", statistics.mean(values) + half)):
        check(f'{end} of {row["method"]}', close(row[end], wanted, 1e-6) or abs(row[end] - wanted) < 1e-9)

ranked = [r for r in rank["methods"] if r["rank"]]
others = [r for r in rank["methods"] if r["method"] in runs and not r["rank"]]
check("order", [r["rank"] for r in ranked] == [1 + sum(o["mean"] < r["mean"] for o in ranked) for r in ranked] and ranked + others == rank["methods"][:len(runs)])
check("by the mean", all(a["mean"] <= b["mean"] for a, b in zip(ranked, ranked[1:])))
check("the others by how often", all(a["reached"] >= b["reached"] for a, b in zip(others, others[1:])))

# The sentences: each number and each comparison.
why, (first, second) = rank["why"], ranked[:2]
mean = lambda row, name: row["summary"][name]["mean"]
by = "time" if rank["by"] == "elapsed_s" else rank["by"]
numbers = lambda text: [float(x) for x in re.findall(r"(?<![\w.:(])-?\d+\.?\d*(?:e[-+]?\d+)?", text)]
def said(pattern, *wanted, digits=6e-4):
    match = re.search(pattern, why)
    if not match:
        print("not said:", pattern, "in:", why)
        return
    for text, value in zip(match.groups(), wanted):
        if not close(float(text), value, digits) and abs(float(text) - value) > 1e-9:
            print("not:", value, "but", text, "in", match[0])
N = r"(-?[0-9.e+-]*[0-9])"
a, b = re.escape(first["method"]), re.escape(second["method"])
shared = [r for r in ranked if r["rank"] == 1]
seconds = sum(r["rank"] == 2 for r in ranked)
if len(shared) > 1:
    names = ", ".join(r["method"] for r in shared[:-1]) + " and " + shared[-1]["method"]
    said(rf"^{re.escape(names)} share the first place by {by}, each with {N}\.", first["mean"])
elif seconds > 1:
    said(rf"^{a} is first by {by} with {N}; {seconds} methods share the second place, such as {b}, each with {N}\.",
         first["mean"], second["mean"])
else:
    said(rf"^{a} is first by {by} with {N}; {b} is second with {N}\.", first["mean"], second["mean"])
if len(shared) == 1 and rank["by"] in ("steps", "operations"):
    left = []
    for row in (first, second):
        factor = mean(row, "factor")
        left.append(factor ** (mean(row, "operations") / mean(row, "steps")) if by == "steps" else factor)
    what = "a step" if by == "steps" else "an operation"
    if left[0] < left[1]:
        said(rf"On average {what} of {a} leaves {N} of the distance from balance; with {b} it leaves {N}\.", *left)
    else:
        check("nothing is said that is not so", "On average" not in why)
    if first["gamma"] is not None and second["gamma"] is not None and rank["units"] == "real":
        said(rf"In the long run, by theory, an operation leaves {N}, and with {b} {N}\.", first["gamma"], second["gamma"])
if len(shared) == 1 and by == "moved":
    net = [mean(r, "flow_l1") for r in (first, second)]
    said(rf"Its net flows over links add up to {N}, and {N} more moves to and fro; with {b} {N} and {N}\.",
         net[0], mean(first, "moved") - net[0], net[1], mean(second, "moved") - net[1], digits=1e-5)
# The comparisons with the first: Student's t of 4 degrees of freedom, whose distribution is algebraic; and Holm.
def tail(t):
    if math.isinf(t):
        return 2 / 32
    x = t / math.sqrt(4 + t * t)
    return 1 - (1.5 * x - 0.5 * x ** 3) if t > 0 else 1.0

tested = []
for row in ranked[1:]:
    pairs = [(x[rank["by"]], y[rank["by"]]) for x, y in zip(runs[first["method"]], runs[row["method"]])]
    apart = [y - x for x, y in pairs]
    middle, half = statistics.mean(apart), T975 * statistics.stdev(apart) / math.sqrt(5)
    t = 0 if middle == 0 else math.inf if half == 0 else middle / half * T975
    tested.append((row["behind"], tail(abs(t)), middle, half, statistics.mean((x < y) + (x == y) / 2 for x, y in pairs)))
least = 0
for i, (behind, p, middle, half, superiority) in enumerate(sorted(tested, key=lambda test: test[1])):
    least = max(least, min(1, (len(tested) - i) * p))
    check(f"p of {behind}: {least}", abs(behind["p"] - least) < 1e-6 and behind["samples"] == 5)
    check(f"how much more: {behind}", all(close(behind[name], wanted, 1e-6) or abs(behind[name] - wanted) < 1e-9
          for name, wanted in (("more", middle), ("low", middle - half), ("high", middle + half), ("superiority", superiority))))
check("the first is not behind", first["behind"] is None)
behind = second["behind"]
if all(x[rank["by"]] == y[rank["by"]] for x, y in zip(runs[first["method"]], runs[second["method"]])):
    check("a tie is said", f'{"Both" if len(shared) < 3 else "The first two"} take the same with every seed.' in why)
else:
    holm = rf" by Holm's correction for {len(tested)} comparisons" if len(tested) > 1 else ""
    said(rf"With the same 5 seeds {b} takes {N} more \({N} to {N}, 95 % by Student's t; p [=<] {N}{holm}\): the difference",
         behind["more"], behind["low"], behind["high"], max(behind["p"], 0.001), digits=6e-2)
    check("a small p", ("p < 0.001" in why) == (behind["p"] < 0.001))
    check("whether it is significant", ("the difference is significant." in why) == (behind["p"] <= 0.05) and ("the difference may be chance." in why) == (behind["p"] > 0.05))
    said(rf"{a} takes less with a probability of {N}, where ties count half\.", behind["superiority"])
listed = lambda names: ", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1]
verdict = listed([r["method"] for r in shared]) + (" share the first place" if len(shared) > 1 else " is first") + " by " + by
chance = [r["method"] for r in ranked[len(shared):] if r["behind"]["p"] > 0.05]
if chance:
    verdict += ", but 5 independent samples do not show a significant difference to " + listed(chance) + ": use more --runs"
elif len(ranked) > len(shared):
    verdict += "; with 5 independent samples the difference to " + ("each other method with a place" if len(ranked) - len(shared) > 1 else "the next method")
    verdict += " is significant (5 %" + f", Holm's correction for {len(tested)} comparisons" * (len(tested) > 1) + ")"
verdict += "." + " Methods that did not reach the criterion in every run have no place." * bool(others)
check("the verdict: " + verdict + " not: " + rank["verdict"], rank["verdict"] == verdict)
END
)"
}
against_runs --topology torus:4x4
# Today's networks, and a graph from a file in METIS format: every method has a line, two of them a second one.
printf '6 7\n2 3\n1 3 4\n1 2\n2 5 6\n4 6\n4 5\n' >"$folder/graph.metis"
for topology in dragonfly:4:2 "file:$folder/graph.metis"; do
    against_runs --topology "$topology"
    expect "the methods on $topology" "diffusion:best matching:edge" "$("$EVENKEEL" list --format json | python3 -c '
import json, sys
found = [row["method"] for row in json.load(open(sys.argv[1]))["methods"]]
first = lambda spec: spec.replace("(", ":").split(":")[0]
names = [first(method["name"]) for method in json.load(sys.stdin)["methods"]]
missing = [name for name in names if name not in map(first, found)]
more = [spec for i, spec in enumerate(found) if first(spec) in ("diffusion", "matching") and spec not in ("diffusion:0.2", "matching")]
print(*missing, *sorted(more))' "$folder/out")"
done
against_runs --topology ring:12 --by messages -m ade,adf,fos
against_runs --topology ring:12 --by messages -m matching,ade,odf
against_runs --topology hypercube:4 --by moved -m odf,ode,adf
against_runs --topology ring:10 --by operations -m "gde:{0.6..0.9+0.1},diffusion:0.3"
against_runs --topology ring:8 --units tokens -m ade,dde,ode,adf,fos
against_runs --topology ring:4 -m adf,ade,ode
against_runs --topology ring:6 --units tokens -m ade,ode # they take the same with all seeds but one, which is not the last
against_runs --topology chain:2 --by messages -m ade,ode,adf
against_runs --topology mesh:4x3 --by variance_final --stop never --steps 12 -m ade,adf,ode

# The same ranking as a table and as CSV.
expect "a table" 0 "$(status rank --topology torus:4x4 --runs 5)"
cp "$folder/out" "$folder/table"
expect "CSV" 0 "$(status rank --topology torus:4x4 --runs 5 --format csv)"
cp "$folder/out" "$folder/csv"
expect "JSON" 0 "$(status rank --topology torus:4x4 --runs 5 --format json)"
expect "they agree" "" "$(python3 - "$folder/out" "$folder/csv" "$folder/table" 2>&1 <<'END'
import csv, json, sys
rank = json.load(open(sys.argv[1]))
cells = list(csv.DictReader(open(sys.argv[2])))
table = open(sys.argv[3]).read()
words = " ".join(table.split())
assert len(cells) == len(rank["methods"]) and rank["schema"] == "evenkeel.rank/1"
for row, cell in zip(rank["methods"], cells):
    assert cell["method"] == row["method"] and cell["rank"] == str(row["rank"] or ""), cell
    assert cell["refused"] == row.get("refused", "") and cell["by"] == "steps"
    if "refused" not in row:
        assert [cell[name] and float(cell[name]) for name in ("mean", "low")] == ["" if row[name] is None else row[name] for name in ("mean", "low")]
        behind = row["behind"] or dict.fromkeys(("more", "low", "high", "p", "superiority"))
        for column, value in (("samples", row["samples"]), ("at_least", row["at_least"]), ("more", behind["more"]), ("more_low", behind["low"]),
                              ("more_high", behind["high"]), ("p", behind["p"]), ("superiority", behind["superiority"])):
            assert (cell[column] == "") if value is None else (float(cell[column]) == value), (column, cell)
        assert row["rank"] is None or float(cell["messages"]) == row["summary"]["messages"]["mean"]
        assert int(cell["reached"]) == row["reached"]
        theory = f'{row["theory"]:.6g}' if row["theory"] is not None else "-"
        line = next(l.replace(">= ", ">=").split() for l in table.split("\n") if len(l.split()) > 1 and l.split()[1] == row["method"])
        if row["rank"]:
            assert line[:6] == [str(row["rank"]), row["method"], f'{row["mean"]:.6g}', f'{row["low"]:.6g}', "to", f'{row["high"]:.6g}'], line
            assert line[6] == theory and line[8] == f'{row["summary"]["messages"]["mean"]:.6g}', line
        else:
            bound = lambda value: "-" if row["at_least"] is None else f">={float(value):.6g}"
            assert line[:4] == ["-", row["method"], bound(row["at_least"]), "-"], line
            assert line[4] == theory and line[6] == bound(cell["messages"]), line
    else:
        assert f'{row["method"]} {row["refused"]}' in words, row
assert " ".join(rank["why"].split()) in words and words.partition(" next: ")[0].endswith(" " + " ".join(rank["verdict"].split()))
assert words.startswith("topology torus:4x4: 16 processors") and ", 5 runs of each method, " in words
END
)"

# One run, one method, files, and errors.
# What too few samples do not show: no interval, no p, no significance.
verdict() { # verdict WORDS...: whether a ranking has any bound or p, how many samples, and its verdict
    status rank "$@" --format json >"$folder/status"
    python3 -c 'import json, sys
rank = json.load(open(sys.argv[1]))
rows = [row for row in rank["methods"] if row["rank"]]
known = [v for row in rows for v in (row["low"], row["high"], *[(row["behind"] or {}).get(n) for n in ("low", "high", "p")]) if v is not None]
print("bounds" if known else "none", *[row["samples"] for row in rank["methods"]], "|", rank["verdict"])' "$folder/out"
}
expect "one run" "none 1 1 | ode is first by steps with this seed. Fewer than 5 samples say little about other seeds." "$(verdict -t ring:12 -m ode,ade)"
expect "four loads" "none 4 4 | ode is first by steps with these seeds. Fewer than 5 samples say little about other seeds." "$(verdict -t ring:12 -m ode,ade -r 4)"
expect "five loads" "bounds 5 5 | ode is first by steps; with 5 independent samples the difference to the next method is significant (5 %)." "$(verdict -t ring:12 -m ode,ade -r 5)"
expect "one load, twenty times" "none 1 1 | ode is first by steps on this load. The 20 runs of a method are alike, so they are one sample: draw the load from the seed, as in --load uniform:0:1000, to learn about other loads." \
    "$(verdict -t ring:12 -m ode,ade -r 20 --load peak:1000)"
expect "matchings are drawn" "1 20" "$(verdict -t ring:12 -r 20 --load peak:1000 -m matching,ade | sed 's/^[a-z]* \([0-9 ]*\) |.*/\1/')"
expect "so are graphs" "bounds 6 6" "$(verdict -t random:12:3 -m ode,ade -r 6 --load peak:1000 | sed 's/ |.*//')"
expect "and times" "bounds 6 6" "$(verdict -t ring:12 -m ode,ade -r 6 --load peak:1000 --by time | sed 's/ |.*//')"

# A run that was cut is a lower bound, and its method has no place.
expect "cut runs" 0 "$(status rank --topology ring:16 --runs 6 -m ode,ade,adf --steps 82)"
expect "are bounds" "1 ode 21.6667 / - ade >= 69 reached in 4 of 6 / - adf >= 78.3333 reached in 2 of 6" "$(python3 -c 'import re, sys
lines = open(sys.argv[1]).read().split("\n")
at = next(i for i, line in enumerate(lines) if " method " in line)
row = lambda i: " ".join(re.match(r"  ([-\d])  (\w+) +((>= )?[\d.]+)", lines[i]).groups()[:3])
print(row(at + 1), "/", row(at + 2), lines[at + 3].strip(), "/", row(at + 4), lines[at + 5].strip())' "$folder/out")"
expect "in each column that grows" 2 "$(grep -c '>= [0-9.]*  *>= [0-9]*  *>= [0-9.]*  *>= [0-9.]* us$' "$folder/out")"
expect "the verdict" 1 "$(tr -s "\n " " " <"$folder/out" | grep -c 'ode is first by steps: no other method reached the criterion in every run. next: ')"
expect "two with a place" 1 "$(status rank --topology ring:16 --runs 6 -m ode,ade,adf --steps 100 >/dev/null; tr -s "\n " " " <"$folder/out" |
    grep -c 'significant (5 %). Methods that did not reach the criterion in every run have no place. next: ')"
expect "no run reached it" "3 1" "$(status rank --topology ring:16 --runs 3 -m ode,ade --steps 4) $(grep -c 'No run reached the criterion, so all values are lower bounds' "$folder/out")"
expect "some did" "3 1" "$(status rank --topology ring:16 --runs 6 -m ade,adf --steps 82) $(grep -c 'No method reached the criterion in every run; ade did in 4 of 6' "$folder/out")"
expect "what falls has no bound" "None None" "$(status rank --topology ring:16 --runs 3 -m ade --steps 4 --by variance_final --format json >/dev/null
python3 -c 'import json, sys
row = json.load(open(sys.argv[1]))["methods"][0]
print(row["mean"], row["at_least"])' "$folder/out")"

# A field that only some methods report.
expect "by shifts" 0 "$(status rank --topology ring:8 --units tokens --stop never --steps 40 -m nna:net,ade --by shifts)"
expect "which the others do not report" 1 "$(tr -s "\n " " " <"$folder/out" | grep -c 'is first by shifts: of the others, those that reached the criterion in every run do not report this field')"
expect "as the table says" yes "$(grep -q 'does not report shifts' "$folder/out" && ! grep -q 'reached in' "$folder/out" && echo yes)"
expect "nobody reports it" "2 1" "$(status rank --topology ring:8 -m ade,ode --by shifts) $(grep -c 'no method reports shifts: choose another field for --by, such as steps' "$folder/err")"

# Estimates of the mean load balance, and loads do not: even without a criterion such a method has no place.
why='computes estimates of the mean load and does not balance the loads, so it has no place among methods that do: evenkeel run reports its estimate_error'
status rank --topology ring:8 -m push-sum:5,ade,broadcast-gossip:5 --stop never --steps 90 --format json >"$folder/status"
expect "estimates" "0 1 ade / None push-sum:5 push-sum $why / None broadcast-gossip:5 broadcast-gossip $why / ade is first by steps: no other method ran." \
    "$(cat "$folder/status") $(python3 -c 'import json, sys
rank = json.load(open(sys.argv[1]))
print(" / ".join(" ".join(str(row[n]) for n in ("rank", "method", "refused") if n in row) for row in rank["methods"]), "/", rank["verdict"])' "$folder/out")"
expect "nothing but estimates" "2 1" "$(status rank --topology ring:8 -m push-sum:5) $(grep -c "^evenkeel: push-sum $why" "$folder/err")"

# On different capacities balanced loads differ, so their variance is no criterion.
expect "capacities" "0 error:0.01 2" "$(status rank --topology ring:8 --capacity cs -m adf,fos --runs 2 --format json) $(sed -n 's/^ "stop": "\(.*\)",/\1/p' "$folder/out") $(grep -c '"reached": 2' "$folder/out")"
expect "equal ones" "0 variance:1" "$(status rank --topology ring:8 --capacity homo -m adf --format json) $(sed -n 's/^ "stop": "\(.*\)",/\1/p' "$folder/out")"
expect "with tokens" "2 1" "$(status rank --topology ring:8 --capacity cs --units tokens -m adf) $(grep -c 'there is no criterion that all methods reach with tokens: give --stop, as in --stop error:10' "$folder/err")"
expect "which can be given" "0" "$(status rank --topology ring:8 --capacity cs --units tokens -m adf --stop error:30)"

# A narrow terminal shows the columns that fit, and the names of the others.
wide() { COLUMNS=$1 "$EVENKEEL" rank --topology ring:8 --runs 5 -m ade,adf,random-neighbours:2 --by factor >"$folder/out" 2>"$folder/err"; }
head_of() { sed -n 's/^ *method/method/p' "$folder/out" | sed 's/  */ /g'; }
for columns in 40 60 80; do
    wide $columns
    expect "$columns columns" yes "$(awk -v most=$columns '!/^next: / && length > most { wide = 1 } END { print wide ? "no" : "yes" }' "$folder/out")"
done
wide 60
expect "what 60 have room for" "method factor 95 % by Student's t" "$(head_of)"
expect "what not" "Columns that do not fit: theory, operations, steps, messages, moved, time" \
    "$(sed -n '/Columns that do not fit/,/^$/p' "$folder/out" | xargs)"
expect "its numbers are of the widest" "$(sed -n 's/^  1  //p' "$folder/out" | sed 's/  */ /g')" \
    "$(wide 200; sed -n 's/^  1  //p' "$folder/out" | sed 's/  */ /g' | cut -d ' ' -f 1-5)"
expect "which has all" "method factor 95 % by Student's t theory operations steps messages moved time" "$(wide 200; head_of)"
expect "and says so" 0 "$(grep -c 'Columns that do not fit' "$folder/out")"
expect "loads that are balanced at the start" "0 The loads fulfil the criterion at the start, so nothing is compared: choose \
another --load, or a stronger --stop." "$(status rank --topology ring:8 -m ade,ode --load constant:4 -r 5 --format json) $(
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["verdict"])' "$folder/out")"
expect "one method" "0 1" "$(status rank --topology ring:8 -m ade) $(grep -c 'ade is first by steps: no other method ran' "$folder/out")"
printf '0 1 2\n1 2 2\n2 0 1\n2 3 9\n' >"$folder/graph"
printf '9\n0\n0\n3\n' >"$folder/load"
expect "my graph and my load" 0 "$(status rank --topology "file:$folder/graph" --load "file:$folder/load" --quiet --format json)"
expect "its note" 1 "$(grep -c '"note": "its weights are ignored"' "$folder/out")"
expect "nothing else with --quiet" "0 0" "$(status rank --topology ring:4 -m ade --quiet) $(wc -c <"$folder/out")"
expect "none reached" 3 "$(status rank --topology ring:64 -m ade,adf --steps 2)"
expect "it says so" 1 "$(grep -c '^evenkeel: no method reached the criterion in every run' "$folder/err")"
expect "with what they came to" 2 "$(grep -c 'reached in 0 of 1$' "$folder/out")"
expect "some are at rest" 0 "$(status rank --topology ring:8 --load peak:800 --units tokens -m ode,adf)"
expect "their counts bound nothing" "1 0" "$(grep -c 'reached in 0 of 1; 1 never will$' "$folder/out") $(grep -c '>=' "$folder/out")"
expect "free timing has no steps" 2 "$(status rank --timing free --by steps)"
expect "free timing" 0 "$(status rank --timing free --topology ring:6 -m ade,adf --stop variance:9000 --for 20s --format csv)"
expect "by time" 2 "$(grep -c ',elapsed_s,' "$folder/out" | awk '{ print $1 - 1 }')"
# Several timings: each method in each, by virtual time, which is that of its own run.
costs="--latency 1.5us --byte-time 0.1ns --load-bytes 8"
# The costs are several words.
# shellcheck disable=SC2086
expect "rounds and virtual time" 0 "$(status rank --timing rounds,virtual -t ring:8 -m ade,ode $costs --format json)"
cp "$folder/out" "$folder/both"
expect "its rows" "$(for timing in rounds virtual; do
    for method in ade ode; do
        # shellcheck disable=SC2086
        "$EVENKEEL" run --timing $timing --topology ring:8 --method $method --stop variance:1 --units real --carrier pool:1 $costs \
            --format json | python3 -c '
import json, sys
print(*sys.argv[1:], json.load(sys.stdin)["runs"][0]["virtual_s"])' $method $timing
    done
done | sort -g -k 3)" "$(python3 -c '
import json, sys
whole = json.load(open(sys.argv[1]))
assert whole["by"] == "virtual_s" and [row["rank"] for row in whole["methods"]] == [1, 2, 3, 4]
for row in whole["methods"]:
    assert row["mean"] == row["summary"]["virtual_s"]["mean"], row
    print(row["method"], row["timing"], row["mean"])' "$folder/both")"
best=$(python3 -c '
import json, sys
first, second = json.load(open(sys.argv[1]))["methods"][:2]
print("%s (%s) is first by virtual time with %.6g us; %s (%s) is second with %.6g us." % (
    first["method"], first["timing"], 1e6 * first["mean"], second["method"], second["timing"], 1e6 * second["mean"]))' "$folder/both")
# shellcheck disable=SC2086
expect "as a table" "0 1 1" "$(status rank --timing rounds,virtual -t ring:8 -m ade,ode $costs) $(grep -cF "  $best" "$folder/out") $(
    grep -c 'costs *turn-cost 100ns, overhead 200ns, gap 50ns, latency 1.5us, byte-time 0.1ns,$' "$folder/out")"
expect "its heading" 1 "$(grep -c '^     method  *virtual time  95 % by' "$folder/out")"
# shellcheck disable=SC2086
expect "as CSV" "$(python3 -c '
import json, sys
for row in json.load(open(sys.argv[1]))["methods"]:
    print(row["method"], row["timing"], row["mean"], row["mean"])' "$folder/both")" \
    "$(status rank --timing rounds,virtual -t ring:8 -m ade,ode $costs --format csv >"$folder/status"; python3 -c '
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    print(row["method"], row["timing"], float(row["mean"]), float(row["virtual_s"]))' "$folder/out")"
expect "time in virtual time" "0 virtual_s" "$(status rank --timing virtual -t ring:4 -m ade --by time --format json) $(
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["by"])' "$folder/out")"
expect "virtual time has no steps" 2 "$(status rank --timing virtual,rounds --by steps)"
expect "a timing that is none" "2 1" "$(status rank --timing rounds,virtul -m ade) $(grep -c "did you mean virtual?" "$folder/err")"
expect "a method that virtual time does not have" "0 1" "$(status rank --timing rounds,virtual -t ring:6 -m ade,sos) $(
    grep -c '^  sos (virtual)  *sos works in rounds only' "$folder/out")"
expect "nothing is called so" 2 "$(status rank --by step)"
expect "the nearest" 1 "$(grep -c "there is no ranking by 'step': the nearest is steps" "$folder/err")"
expect "a graph that is wrong" 2 "$(status rank --topology rng:8)"
expect "where" '  --topology rng:8' "$(sed -n 2p "$folder/err")"
expect "Ctrl-C" 3 "$(signalled INT rank -m ade,sos --stop never --for 60s --format json)"
expect "what ran is there" 1 "$(grep -c '"method": "ade"' "$folder/out")"
expect "what was not run is not" 0 "$(grep -c '"method": "sos"' "$folder/out")"
expect "it is said" 1 "$(grep -c '^evenkeel: interrupted' "$folder/err")"
# A method that is interrupted between two of its runs has no place, although all of its runs reached the criterion. It
# interrupts the command itself.
plugin halts 'halts(view) ? 0 : share' FUNCTIONS='
static bool halts(const struct ek_view *view)
{
    static bool done;
    if (view->load > 900 && !done) {
        done = true;
        kill(getpid(), SIGTERM);
    }
    return false;
}'
expect "Ctrl-C between two runs" 3 "$(status rank --plugin "$folder/halts.so" -t ring:8 -m halts,ade -r 5000 --format json)"
expect "asked for 5000 runs" 1 "$(grep -c '^ *"runs_asked": 5000,' "$folder/out")"
expect "gives no place" "halts None some" "$(python3 -c 'import json, sys
rows = json.load(open(sys.argv[1]))["methods"]
print(*[f"""{row["method"]} {row["rank"]} {"some" if 0 < row["reached"] < 5000 else row["reached"]}""" for row in rows])' "$folder/out")"

result
