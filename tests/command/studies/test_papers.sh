#!/bin/sh
# SPDX-License-Identifier: MIT
# `evenkeel papers`: the list of all claims, the verdicts, also with other seeds, the JSON, the table, the CSV and the page,
# and the errors. Every third claim is tested; TESTS_PART=1 tests all claims with all their seeds.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh
: "${TESTS_PART:=3}"
case $EVENKEEL in
*/asan/*) TESTS_PART=6 ;;
esac

written="dde liquid otis xu delays bounds" # the papers whose claims are written
store=$folder/papers.sqlite

papers() { # papers WORDS...: quietly, from the store
    status papers --store "$store" --quiet "$@"
}
python() { # python PROGRAM WORDS...: with what was printed as `report`
    python3 - "$folder/out" "$@" <<END
import json, sys
report = json.load(open(sys.argv[1]))
claims = {claim["id"]: claim for claim in report["claims"]}
$1
END
}

# The list.
expect "the list" 0 "$(papers --list --format json)"
expect "each claim of the list is there, and no other" "" "$(python '
wanted = [line.rstrip("\n").split("\t") for line in open("tests/data/claims.tsv")][1:]
kinds = {id: kind for id, place, kind, what in wanted if id.split("-")[0] in sys.argv[3].split()}
print(*sorted(set(kinds) ^ set(claims)), *[id for id in kinds if id in claims and claims[id]["kind"] != kinds[id]])
print(*[id for id, claim in claims.items() if not claim["place"] or not claim["claim"]])' "$written" | tr -d '\n')"
expect "190 claims are on the list" 190 "$(($(wc -l <tests/data/claims.tsv) - 1))"
expect "a kind" "figure" "$(papers --list --format json figure >/dev/null; python 'print(*{claim["kind"] for claim in claims.values()})')"
expect "lines that inih would cut" "" "$(awk 'length > 190 { print FILENAME ": " FNR }' lab/papers/*.ini)"

expect "what is drawn over a term has a name for it" "" "$(awk '/^\[/ { name = $0; term = named = 0 }
    /^by = (CAST|CASE [a-z]|printf)/ { term = 1 } /^(x|equals|most|least|chart) = / { named = 1 }
    /^$/ { if (term && !named) print name; term = 0 }' lab/papers/*.ini)"

# The example in docs/papers.md is the claim that is tested.
awk '/^```ini/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/papers.md >"$folder/shown.ini"
awk '/^\[/ { inside = /^\[liquid-19[] ]/ } inside' lab/papers/liquid.ini | sed '$d' >"$folder/written.ini"
expect "the claim in docs/papers.md" "" "$(diff "$folder/written.ini" "$folder/shown.ini" 2>&1)"
expect "has lines" yes "$([ "$(wc -l <"$folder/shown.ini")" -gt 8 ] && echo yes)"

# The tables of what is covered: the numbers of claims and verdicts, the undecided claims, and every claim, method, field and
# value of the literature exists. Methods of papers since 1996 and all bounds are among it.
papers --list --format json >/dev/null
cat >"$folder/covered.py" <<'END'
import collections, json, re, subprocess, sys
known = dict(line.split()[:2] for line in open("tests/data/verdicts.txt") if not line.startswith("#"))
claims = [claim["id"] for claim in json.load(open(sys.argv[1]))["claims"]]
methods = json.loads(subprocess.run([sys.argv[2], "list", "--format", "json"], capture_output=True, check=True).stdout)["methods"]
text = open("docs/papers.md").read().split("## What is covered")[1].split("\n## ")[0]
rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
marked = lambda cells: re.findall("`([^`]*)`", " ".join(cells))
counts = collections.Counter((id.split("-")[0], known[id]) for id in claims)
table = [row for row in rows if len(row) == 6 and row[1].isdigit()]
for row in table:
    paper, numbers = marked(row)[0], list(map(int, row[1:]))
    right = [counts[paper, verdict] for verdict in ("holds", "mended", "fails", "undecided")]
    if numbers != [sum(right)] + right:
        print(paper, numbers, "should be", [sum(right)] + right)
if {marked(row)[0] for row in table} != {id.split("-")[0] for id in claims}:
    print("other papers")
open_ones = [id for row in rows if len(row) == 2 for id in marked(row[:1])]
if sorted(open_ones) != sorted(id for id in claims if known[id] == "undecided"):
    print("undecided:", sorted(set(open_ones) ^ {id for id in claims if known[id] == "undecided"}))
literature = [row for row in rows if len(row) == 3]
here = [name for row in literature for name in marked(row[2:])]
fields = set(re.findall("`([a-z_]*)`", open("docs/report.md").read()))
names = {method["name"] for method in methods}
for name in here:
    value = name.split(":")[0].split()[-1]
    if not (name in claims or value in names | fields or name in ("--rounding random", "carry")):
        print("there is no", name)
print(*[id for id in claims if id.startswith("bounds-") and id not in here])
for method in methods:
    last = max(map(int, re.findall(r"\b(?:19|20)\d\d\b", method["source"])), default=0)
    if last > 1995 and method["name"] not in [name.split(":")[0] for name in here] and method["name"] != "ded":
        print(method["name"], "of", last, "is not in the table")
END
expect "what docs/papers.md says is covered" "" "$(python3 "$folder/covered.py" "$folder/out" "$EVENKEEL" | grep .)"

# The verdicts must be the known ones, for a part of the cheap claims, or for all with TESTS_PART=1.
if [ "$TESTS_PART" -eq 1 ]; then
    chosen=$written
    fewer=$written
    asked=$(grep -vc '^#' tests/data/verdicts.txt)
else
    # otis-27 is always among them: intervals decide it.
    chosen=$(awk -v part="$TESTS_PART" '$1 == "otis-27" || ($3 == "cheap" && NR % part == 0) { print $1 }' tests/data/verdicts.txt)
    fewer=$(echo "$chosen" | awk 'NR % 3 == 0')
    asked=$(echo "$chosen" | wc -w)
fi
verdicts() { # of how many claims the verdict is known, and those whose is another
    python '
known = dict(line.split()[:2] for line in open("tests/data/verdicts.txt") if not line.startswith("#"))
other = [id + " " + claim["verdict"] for id, claim in claims.items() if claim["verdict"] != known.get(id)]
print(len(claims) - len(other) > 2, *other)'
}
# Word splitting is intended.
# shellcheck disable=SC2086
expect "a trial" 0 "$(papers --format json $chosen)"
expect "its verdicts" True "$(verdicts)"
expect "those that do not hold have a command" "" "$(python '
print(*[id for id, claim in claims.items() if claim["verdict"] != "holds" and not all(e["command"] for e in claim["evidence"])])
print(*[id for id, claim in claims.items() for e in claim["evidence"]
        if e["holds"] == "no" and (e["expected"] or "").startswith("in all ") and not e["command"].startswith("evenkeel run ")])' | tr -d '\n')"
expect "false alarms are rare: together all intervals that decide hold their means 95 times of 100, by Bonferroni" True "$(python '
deciding = sum(e["low"] is not None and e["holds"] != "shown" for claim in claims.values() for e in claim["evidence"])
print(0 < deciding * (1 - 0.9999) < 0.05)')"
# shellcheck disable=SC2086
expect "a trial by few other seeds" 0 "$(papers --format json --quick --seed 2 $fewer)"
expect "the same verdicts" True "$(verdicts)"

# --quick uses a quarter of the seeds, but at least twenty if there are so many: dde-29 has 40, liquid-13 has 200.
for claim in dde-29:20 liquid-13:50; do
    status papers --store "$folder/quick-${claim%:*}.sqlite" --quiet --quick "${claim%:*}" >/dev/null
    expect "seeds of ${claim%:*}" "${claim#*:}" "$(python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT count(DISTINCT seed) FROM runs").fetchone()[0])' "$folder/quick-${claim%:*}.sqlite")"
done
# Long checks are left out, and said to be. liquid-25 has four.
"$EVENKEEL" papers --store "$folder/long.sqlite" --quick liquid-25 >"$folder/out" 2>"$folder/err"
expect "long checks" "1 claim: 1 fails but holds when mended (--quick left out 4 long checks)" "$(conclusion)"
expect "are not run" 0 "$(python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM runs WHERE processors > 256").fetchone()[0])' "$folder/long.sqlite")"
for said in "$("$EVENKEEL" explain --quick)" "$(cat docs/papers.md)"; do
    expect "it says so" yes "$(echo "$said" | tr -s ' \n' ' ' | grep -qi 'uses a quarter of the seeds, but at least twenty if a claim has so many' && echo yes)"
done

# Without --report the store has no records, and a page of it is refused.
status papers --store "$folder/numbers.sqlite" --quiet --quick xu-27 >/dev/null
expect "a page of numbers alone" "2 1" "$(status report --out "$folder/none.html" "$folder/numbers.sqlite") $(grep -cE 'numbers.sqlite has only the numbers of run [0-9]+, as evenkeel papers keeps them' "$folder/err")"

# The output for one claim.
expect "two claims" 0 "$(papers --format json dde-08 dde-03)"
expect "the contract" "evenkeel.papers/1 dde-03,dde-08" "$(python 'print(report["schema"], ",".join(claims))')"
expect "names" "check as group command quantity sql paper measured error low high expected runs holds lacking" \
    "$(python 'print(*claims["dde-08"]["evidence"][0])')"
expect "a claim" "dde Example_1 example holds" "$(python '
claim = claims["dde-08"]
print(claim["paper"], claim["place"].replace(" ", "_"), claim["kind"], claim["verdict"])')"
expect "its steps" "dde:receive-first 4.0 4.0 1 yes dde:send-first 2.0 2.0 1 yes" "$(python '
print(*[value for e in claims["dde-08"]["evidence"] if e["check"] == "steps"
        for value in (e["group"], e["paper"], e["measured"], e["runs"], e["holds"])])')"
shown=$(python '
evidence = claims["dde-03"]["evidence"][0]
print(evidence["command"] if evidence["holds"] == "no" else "none")')
expect "a counterexample, alone" "chain:3 beyond the bound" "$(eval "\"\$EVENKEEL\" ${shown#evenkeel } --format json" | python3 -c '
import json, math, sys
record = json.load(sys.stdin)
sides = record["topology"]["sides"]
beyond = record["runs"][0]["spread_final"] > sum(math.ceil(math.log2(side)) for side in sides)
print(record["topology"]["spec"], "beyond the bound" if beyond else "within it")')"
expect "a table" 0 "$(status papers --store "$store" dde-08)"
expect "its last line, and a check" "1 claim: 1 holds
  yes        19 tasks are moved: true in 2, expected in all 2 runs" "$(conclusion; grep '19 tasks are moved: ' "$folder/out")"
expect "nothing is too wide there" 0 "$(grep -cF ... "$folder/out")"
for width in 60 100; do # a command with 137 characters without a space
    expect "at $width columns" 0 "$(COLUMNS=$width status papers --store "$store" otis-13)"
    expect "none has more" "" "$(awk -v width=$width '!/^next: / && length > width' "$folder/out")"
    expect "the way to see all" 1 "$(grep -cF 'Texts that end in "..." are cut: see --format json' "$folder/out")"
    # The quote belongs to the command.
    expect "what is cut says so" yes "$(grep -qE "^ {15}'otis\(chain:[^ ]*\.\.\.$" "$folder/out" && echo yes)"
done
papers --format json otis-13 >/dev/null
expect "which it has" yes "$(grep -qF "otis(star:{4..6}),otis(mesh:3x3)'" "$folder/out" && echo yes)"
expect "a claim that fails as written" 0 "$(status papers --store "$store" dde-03 dde-08)"
expect "and says so" "dde-03       fails; mended version holds (system, section 2)
2 claims: 1 holds, 1 fails but holds when mended" "$(grep '^dde-03' "$folder/out"; conclusion)"
papers --format json dde-03 dde-08 >/dev/null
expect "JSON has both verdicts" "mended fails holds holds 0" "$(python '
print(*[claims[id][name] for id in ("dde-03", "dde-08") for name in ("verdict", "as_written")],
      sum(e["lacking"] for claim in claims.values() for e in claim["evidence"]))')"
papers --format csv dde-03 >/dev/null
expect "so has CSV" "mended fails 0" "$(python3 -c 'import csv, sys
row = next(csv.DictReader(open(sys.argv[1])))
print(row["verdict"], row["as_written"], row["lacking"])' "$folder/out")"
expect "lines" 0 "$(papers --format csv dde-08)"
expect "what is in them" "5 holds 19 tasks are moved 2.0" "$(python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
print(len(rows), rows[2]["verdict"], rows[2]["quantity"], float(rows[2]["measured"]))' "$folder/out")"

# The page.
if command -v gnuplot >/dev/null; then
    expect "a book" 0 "$(papers --quick --report "$folder/book.html" xu-27 liquid-02 liquid-19)"
    expect "a page that is whole and safe" "3 claims, 3 lines, 2 chapters, no script, 1 pictures with what was measured" "$(python3 - "$folder/book.html" <<'END'
import html.parser, sys
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.sections, self.lines, self.scripts, self.text, self.chapters, self.pictures = [], 0, 0, 0, "", 0, 0
    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br", "link", "rect", "circle", "line", "path", "use", "polygon", "polyline", "stop"):
            self.open.append(tag)
        self.sections += tag == "section"
        self.scripts += tag == "script"
        self.chapters += tag == "h2"
        self.pictures += tag == "figure"
        self.lines += tag == "a" and dict(attributes).get("href", "").startswith("#")
    def handle_endtag(self, tag):
        if tag in self.open:
            while self.open.pop() != tag:
                pass
    def handle_data(self, data):
        self.text += data + " "
page = Page()
page.feed(open(sys.argv[1]).read())
print(f"{page.sections} claims, {page.lines} lines, {page.chapters} chapters, {'a' if page.scripts else 'no'} script,",
      page.pictures, "pictures with what was measured" if "measured" in page.text else "pictures")
END
)"
    # Fig. 15 of DDE has a bar for each method on each network.
    papers --quick --report "$folder/bars.html" dde-26 >/dev/null
    expect "bars by network" "DDE, receiving first,DDE, sending first,GDE,mesh:8x8,mesh:8x8x8,torus:16x16,torus:16x16x16" \
        "$(grep -o '<text><tspan[^>]*>[^<]*\|<text>[^<]*' "$folder/bars.html" | sed 's/.*>//' | grep 'DDE\|GDE\|:' | grep -v whisker |
            sed 's/^ *//' | sort -u | paste -sd,)"
    many="dde-02 dde-03 dde-08 dde-13 dde-16 dde-21 dde-29 liquid-01 liquid-04 liquid-23"
    # Word splitting is intended.
    # shellcheck disable=SC2086
    papers --quick --report "$folder/many.html" $many >/dev/null
    expect "its verdicts, counted" "10 claims: 4 hold, 2 fail but hold when mended, 1 fails, 3 are undecided." \
        "$(grep -o '[0-9]* claims: .* are undecided.' "$folder/many.html" | head -n 1)"
    expect "a mended claim fails as written" 2 "$(grep -c '<span class="mended">fails; mended version holds<' "$folder/many.html")"
    expect "how sure it is" 1 "$(grep -c "confidence intervals (99.99 % by Student's t)" "$folder/many.html")"
    expect "text is no markup" "1" "$(grep -c 'X_ade &lt;= X_df' "$folder/book.html")"
fi

# A full disk.
for format in json csv table; do
    expect "a full disk: $format" "2 1" "$("$EVENKEEL" papers --store "$store" --format $format dde-08 >/dev/full 2>"$folder/err"
        echo $?) $(grep -c 'standard output could not be written (No space left on device)' "$folder/err")"
done
if command -v gnuplot >/dev/null; then
    echo before >"$folder/full.html"
    # shellcheck disable=SC2086
    expect "a full disk: a book" "2 1 before" "$(trap '' XFSZ; ulimit -f 80; papers --quick --report "$folder/full.html" $many liquid-02 xu-27) $(grep -c 'full.html could not be written (File too large): nothing of it is left' "$folder/err") $(cat "$folder/full.html")"
    expect "and nothing is left of it" 0 "$(find "$folder" -name '*.part' | wc -l)"
fi

# Errors.
expect "no claim" "2 evenkeel: 'xyz' is no claim, paper or kind of claims: evenkeel papers --list shows them" \
    "$(papers xyz) $(cat "$folder/err")"
expect "no seed" "2 evenkeel: --seed of papers is a number from 1 to 1000000000: each number gives all claims other seeds" \
    "$(papers --seed 0 dde-08) $(cat "$folder/err")"
expect "nothing named" 2 "$(papers)"
expect "a book that cannot be" 2 "$(papers --report /nowhere/book.html dde-08)"
expect "a store that is none" 2 "$(status papers --quiet --store tests/data/claims.tsv dde-08)"
cut_off() { # cut_off: the status of a trial that is told to end when its first run is there
    rm -f "$folder/cut.sqlite"*
    "$EVENKEEL" papers --quiet --store "$folder/cut.sqlite" liquid-17 >"$folder/out" 2>"$folder/err" &
    process=$!
    soon has_run "$folder/cut.sqlite"
    kill -TERM $process
    wait $process
}
has_run() {
    [ -e "$1" ] && python3 -c 'import sqlite3, sys
sys.exit(not sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM runs").fetchone()[0])' "$1" 2>/dev/null
}
for _ in 1 2 3 4 5; do # a busy machine may let all of it be made before it is told
    cut_off
    status=$?
    [ "$status" = 3 ] && break
done
expect "interrupted, status 3" 3 "$status"
expect "and nothing printed as if it were whole" "0 run the same command again to continue" \
    "$(wc -c <"$folder/out") $(grep -o 'run the same.*' "$folder/err")"

# Interrupted while it judges: all runs are in the store, and the full pipe stops the output long before its end. There is
# one judge, since with several all claims may have been judged already.
# shellcheck disable=SC2086
expect "interrupted while it judges" "3, before the last claim" "$(python3 - "$asked" "$EVENKEEL" "$store" "$folder/err" $chosen <<'END'
import fcntl, os, signal, subprocess, sys
there, here = os.pipe()
fcntl.fcntl(here, 1031, 4096)  # F_SETPIPE_SZ
asked, evenkeel, store, err, *claims = sys.argv[1:]
trial = subprocess.Popen([evenkeel, "papers", "--jobs", "1", "--store", store, "--format", "csv", *claims], stdout=here, stderr=open(err, "w"))
os.close(here)
text = os.read(there, 1)
trial.send_signal(signal.SIGTERM)
while piece := os.read(there, 4096):
    text += piece
written = {line.split(",")[0] for line in text.decode().splitlines()[1:]}
print(f"{trial.wait()}, {'before' if len(written) < int(asked) else 'after'} the last claim")
END
)"
expect "it says how far it came, and that no run is lost" 1 "$(grep -Ec "^evenkeel: interrupted: [0-9,]* runs are in $store, and [0-9]+ of $asked claims (was|were) judged: repeat the command, and it continues$" "$folder/err")"
runs() {
    python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*), max(id) FROM runs").fetchall())' "$store"
}
before=$(runs)
# shellcheck disable=SC2086
expect "judged after all" 0 "$(papers --format json $fewer)"
expect "by the same runs" "$before True" "$(runs) $(verdicts)"
result
