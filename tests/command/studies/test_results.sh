#!/bin/sh
# SPDX-License-Identifier: MIT
# `evenkeel results`: tests/command/studies/check_results.py computes every number of a small store again. Further tests:
# errors, texts that could act on a terminal, figures, and the commands of docs/results.md.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh
store="$folder/a.sqlite"

expect "a sweep to ask about" 0 \
    "$(status sweep --method ade,ode,adf --topology 'ring:{4..16*2}' --seed 1..12 --trace --store "$store" --quiet)"
lines=$(EVENKEEL=$EVENKEEL python3 -B tests/command/studies/check_results.py "$store" 2>&1)
printf '%s\n' "$lines" | grep -v ' passed, '
last=$(printf '%s\n' "$lines" | tail -n 1)
case $last in
*' passed, '*' failed')
    passed=$((passed + ${last%% *}))
    last=${last#*, }
    failed=$((failed + ${last%% *}))
    ;;
*) failed=$((failed + 1)) ;; # it fell
esac

refused() { # refused SENTENCE WORDS...: with status 2, and a sentence that has this in it
    sentence=$1
    shift
    expect "results $*: status" 2 "$(status results --store "$store" "$@")"
    expect "results $*: $sentence" yes "$(grep -qF -- "$sentence" "$folder/err" && echo yes)"
    expect "results $*: prints nothing" "" "$(cat "$folder/out")"
}
refused "there is no column 'metod'; the nearest is 'method'" --where metod=ade
refused "there is no column 'stepz'; the nearest is 'steps'" --columns method,stepz
refused "there is no column 'qqqqqqqq'" --group qqqqqqqq
refused "there is no column 'link-limit'; the nearest is 'link_limit'" --group link-limit
refused "there is no column 'link-limit'; the nearest is 'link_limit'" --where link-limit=none
refused "method has no value 'aed'; the nearest is 'ade'" --where method=aed
refused "method has no value 'aed'; the nearest is 'ade'" --compare 'method=ode vs method=aed'
refused "method_name has no value 'aed'; the nearest is 'ade'" --where 'seed=1 or method_name!=aed'
refused "topology has no value 'rnig:8'; the nearest is 'ring'" --where topology=rnig:8
refused "ended has no value 'stepz'; the nearest is 'steps'" --where ended=stepz
refused "load has no value 'qqqqqqqq', and no run of the store has it" --where load=qqqqqqqq
refused "the answer has no column 'stepz'; the nearest is 'steps'" --group method --sort stepz
refused "the answer has no column 'stepz'; the nearest is 'steps'" --group method --best stepz
refused "--best chooses among runs or groups: leave out --compare, --trace-of and --x" --compare 'method=ade vs method=ode' --best steps
refused "--best chooses among runs or groups: leave out --compare, --trace-of and --x" --x processors --y steps --best steps
refused "the name of a column or a number belongs here" --where 'steps>'
refused "=, !=, <, <=, > or >= belongs here" --where steps
refused "=, !=, <, <=, >, >= or ~ (contains) belongs here" --where method
refused "a text belongs here" --where 'method='
refused "this quote is not closed" --where "method='ade"
refused "a ')' belongs here" --where '(method=ade or seed=1'
refused "and, or, or nothing more belongs here" --where 'method=ade seed=1'
refused "method is a text, and a number belongs here" --where 'steps=method'
refused "method is a text, and a number belongs here" --columns steps/method
refused "there is no column 'ade'" --where 'steps=ade'
refused "this is not a number" --where 'steps=3x'
refused "a comma belongs between two columns" --columns 'steps moved'
refused "nested more than 50 deep" --where "$(printf '(%.0s' $(seq 60))seed=1"
refused "more than 256 values" --where "seed=1$(printf ' or seed=%s' $(seq 300))"
refused "method is a text and has no mean" --group topology --columns method
refused "vs, and the other condition, belongs here" --compare method=ade
refused "set has several runs of seed 1 in one group, but partners are found by their seed" --compare 'method=ade vs method=ode' --group units
refused "--compare and --trace-of are two questions" --compare 'seed=1 vs seed=2' --trace-of variance
refused "a trace has no field 'varianc'; the nearest is 'variance'" --trace-of varianc
refused "--trace-of shows one field" --trace-of variance --columns steps
refused "--interval takes t:LEVEL or bootstrap:LEVEL" --group method --interval normal
refused "the level of an interval must be from 0 to 1" --group method --interval t:95
refused "give --x and --y together" --x processors
refused "--y is the column that is shown" --x processors --y steps --columns moved
refused "--plot needs to know what to draw: add --trace-of variance" --plot "$folder/a.svg"
refused "there is no value of --log called 'z': choose one of auto, none, x, y, xy" --x processors --y steps --log z --plot "$folder/a.svg"
refused "topology is a text: choose a column of numbers for --x" --x topology --y steps --plot "$folder/a.svg"
refused "there is nothing to draw: no run satisfies --where" --where seed=99 --x processors --y steps --plot "$folder/a.svg"
refused "results takes options, as --store FILE, or merge INTO FROM..., not 'join'" join
refused "merge needs two stores or more" merge "$store"
expect "no file is left of a refused picture" "" "$(ls "$folder" | grep "^a.svg")"

# Files that are not stores.
echo 'this is a text, and long enough that nobody takes it for anything else' >"$folder/text"
for file in text none; do
    expect "results of $file" 2 "$(status results --store "$folder/$file")"
    expect "results of $file: a sentence" 1 "$(grep -c '^evenkeel: ' "$folder/err")"
done
expect "nothing was made" "" "$(ls "$folder" | grep none)"
: >"$folder/empty"
expect "results of an empty file" "2 1" \
    "$(status results --store "$folder/empty") $(grep -c "/empty is empty: no sweep has stored a run in it yet$" "$folder/err")"
# The middle of the file is lost: the answers must not be wrong.
size=$(wc -c <"$store")
cp "$store" "$folder/damaged"
dd if=/dev/zero of="$folder/damaged" bs=4096 seek=3 count=$((size / 4096 - 6)) conv=notrunc 2>/dev/null
expect "results of a damaged store" 2 "$(status results --store "$folder/damaged" --format csv)"
expect "results of a damaged store: a sentence" yes "$(grep -q 'damaged' "$folder/err" && echo yes)"
if [ -w /dev/full ]; then
    expect "a full disk" 2 "$("$EVENKEEL" results --store "$store" --format csv >/dev/full 2>"$folder/err"; echo $?)"
    expect "a full disk: a sentence" yes "$(grep -q 'could not be written' "$folder/err" && echo yes)"
fi

# Each record of a store has one run.
if command -v zstd >/dev/null; then
    "$EVENKEEL" run --topology ring:4 --carrier pool:1 --format json >"$folder/record.json"
    cp "$store" "$folder/two.sqlite"
    python3 - "$folder" <<'END'
import json, sqlite3, subprocess, sys
folder = sys.argv[1]
with open(folder + "/record.json") as file:
    record = json.load(file)
    record["runs"] *= 2
with open(folder + "/two.json", "w") as file:
    json.dump(record, file)
subprocess.run(["zstd", "-q", folder + "/two.json"], check=True)
with sqlite3.connect(folder + "/two.sqlite") as store, open(folder + "/two.json.zst", "rb") as packed:
    store.execute("UPDATE records SET json = ?", (packed.read(),))
END
    expect "a record of two runs" 2 "$(status results --store "$folder/two.sqlite" --trace-of variance)"
    expect "a record of two runs: a sentence" yes "$(grep -q 'damaged: the record of run' "$folder/err" && echo yes)"
else
    echo "skipped: a record of two runs: zstd is not there"
fi

# An answer may have no lines.
expect "no run" 0 "$(status results --store "$store" --where seed=99 --format csv --columns seed,steps)"
expect "no run: its columns" "seed,steps" "$(cat "$folder/out")"
expect "no run in a table" yes "$("$EVENKEEL" results --store "$store" --where seed=99 | grep -q '0 of 0 runs' && echo yes)"
expect "--quiet" "" "$("$EVENKEEL" results --store "$store" --quiet)"
expect "JSON and CSV are printed with --quiet" "$("$EVENKEEL" results --store "$store" --format json | cksum) $("$EVENKEEL" results --store "$store" --format csv | cksum)" \
    "$("$EVENKEEL" results --store "$store" --format json --quiet | cksum) $("$EVENKEEL" results --store "$store" --format csv --quiet | cksum)"

# Merged stores: the output counts the runs of each store, and queries find all of them.
expect "another store" 0 "$(status sweep --method ade --topology ring:4 --seed 13..15 --store "$folder/b c.sqlite" --quiet)"
expect "merge" 0 "$(status results merge "$folder/all.sqlite" "$store" "$folder/b c.sqlite")"
expect "merge says what it took" "108 runs from $store
3 runs from '$folder/b c.sqlite'" "$(sed '/^next: /d' "$folder/out")"
expect "merge: all are there" 111 "$("$EVENKEEL" results --store "$folder/all.sqlite" --format csv --columns id | grep -c '^[0-9]')"
expect "merge of what is none" 2 "$(status results merge "$folder/all.sqlite" "$folder/text")"
expect "merge of what is not there" 2 "$(status results merge "$folder/all.sqlite" "$folder/none")"
expect "merge into a new store" 2 "$(status results merge "$folder/fresh" "$store" "$folder/none")"
expect "nothing was made, again" no "$([ -e "$folder/fresh" ] && echo yes || echo no)"

# A store whose pages are as SQLite wants them may be damaged, too.
cp "$store" "$folder/changed.sqlite"
python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as store:
    store.execute("UPDATE runs SET steps = 9 WHERE id = 3")' "$folder/changed.sqlite"
why="evenkeel: $folder/changed.sqlite is damaged: the row of run 3 is not as it was written. Delete it by \`sqlite3"
why="$why $folder/changed.sqlite 'DELETE FROM runs WHERE id = 3'\`; the same sweep then makes the run again"
for words in "results --store" "results merge" "results merge $folder/new.sqlite" "report --out $folder/page.html" \
    "sweep --method ade --topology ring:4 --store"; do
    after=$([ "$words" = "results merge" ] && echo "$store")
    # Words on purpose.
    # shellcheck disable=SC2086
    expect "$words a changed row" 2 "$(status $words "$folder/changed.sqlite" $after)"
    expect "$words: why" "$why" "$(cat "$folder/err")"
done

# Texts in a store are not trusted.
cp "$store" "$folder/raw.sqlite"
python3 - "$folder/raw.sqlite" <<'END'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as store:
    store.execute("UPDATE runs SET method = ?, checksum = NULL WHERE seed = 1", ("x\033[1m\u009b5m\u0007",))
END
for format in table csv json; do
    expect "raw, as $format" 0 "$("$EVENKEEL" results --store "$folder/raw.sqlite" --columns method --format $format |
        LC_ALL=C grep -acP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]')"
done
# A table buffers its first lines to find the widths of its columns; it must not lose later lines.
python3 - "$store" "$folder/many.sqlite" <<'END'
import shutil, sqlite3, sys
shutil.copy(sys.argv[1], sys.argv[2])
with sqlite3.connect(sys.argv[2]) as store:
    columns = [row[1] for row in store.execute("PRAGMA table_info(runs)") if row[1] not in ("id", "seed", "checksum")]
    names = ", ".join(f'"{name}"' for name in columns)
    store.execute("CREATE TEMP TABLE numbers AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
                  "i < 1200) SELECT i FROM n")
    store.execute(f"INSERT INTO runs (seed, {names}) SELECT 1000 + i, {names} FROM runs, numbers WHERE id = 1")
END
"$EVENKEEL" results --store "$folder/many.sqlite" --where 'seed>1000' --columns seed |
    sed -n 's/^ *\([12]\),*\([0-9]*\)$/\1\2/p' >"$folder/out"
expect "a table of 1200 lines" "$(seq 1001 2200)" "$(cat "$folder/out")"

# Figures: a line with a band for each method, the theory, and the labels.
if command -v gnuplot >/dev/null; then
    script="$folder/p.gp"
    said() { # said SCRIPT: its title, note and legend, in one line
        { sed -n "s/^set label '\(.*\)' at .*/\1/p" "$1" | tr -d '\n'; grep -o "title '[^']*'" "$1"; }
    }
    expect "--plot" 0 "$(status results --store "$store" --x processors --y steps --log xy --plot "$folder/p.svg" \
        --plot-script "$script")"
    for words in 'steps over processors, topology ring:4 to ring:16, units real, ports all, load uniform:0:1000' \
        'Seeds 1 to 12. Means of 108 runs.' "band: interval of the mean, 95 % by Student" 'ade, theory'; do
        expect "the picture says '$words'" yes "$(said "$script" | grep -qF "$words" && echo yes)"
    done
    expect "--plot of one seed" 0 "$(status results --store "$store" --where seed=2 --x processors --y steps \
        --plot "$folder/p.svg" --plot-script "$script")"
    expect "the picture says that it is one" yes "$(said "$script" | grep -qF 'Seed 2. Means of 9 runs' && echo yes)"
    expect "a trace's --plot" 0 "$(status results --store "$store" --where processors=8 --trace-of variance \
        --plot "$folder/t.svg" --plot-script "$script" --quiet)"
    for words in 'variance over communication steps, topology ring:8, units real' 'of which this holds: processors=8.' \
        'A converged run counts with its last value.'; do
        expect "the picture of a trace says '$words'" yes "$(said "$script" | grep -qF "$words" && echo yes)"
    done
    expect "sweep --plot" 0 "$(status sweep --method ade --topology ring:4 --seed 1..3 --store "$store" --quiet \
        --plot "$folder/s.svg" --plot-script "$script")"
    expect "sweep --plot is of what it swept" yes "$(said "$script" | grep -qF 'Means of 12 runs.' && echo yes)"
else
    echo "skipped: pictures of results: gnuplot is not there"
fi
# The commands of docs/results.md, in their order: other programs compute the same mean from their output.
case $EVENKEEL in
/*) program=$EVENKEEL ;;
*) program=$PWD/$EVENKEEL ;;
esac
mkdir "$folder/bin" "$folder/docs"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" >"$folder/bin/evenkeel"
chmod +x "$folder/bin/evenkeel"
try() { # try COMMAND: as in the docs, in a folder of its own
    (cd "$folder/docs" && PATH="$folder/bin:$PATH" sh -c "$1" 2>"$folder/err")
}
awk '/^```sh/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/results.md | sed 's/  *# .*//' >"$folder/commands"
expect "commands in docs/results.md" 12 "$(wc -l <"$folder/commands")"
while read -r command; do
    case $command in
    *pandas*) python3 -c 'import pandas' 2>/dev/null || { echo "skipped: docs/results.md with pandas: python3-pandas is not there" && continue; } ;;
    *Rscript*) command -v Rscript >/dev/null || { echo "skipped: docs/results.md with R: r-base-core is not there" && continue; } ;;
    *--plot*) command -v gnuplot >/dev/null || continue ;;
    esac
    found=$(try "$command")
    expect "$command" 0 $?
    case $command in
    *python3* | *Rscript*)
        wanted=$(try 'evenkeel results --where method=ade --group method --columns steps --format csv' | tail -n 1)
        expect "$command: the mean" "$(echo "$wanted" | awk -F, '{ printf "%.6g", $4 }')" \
            "$(echo "$found" | awk '{ printf "%.6g", $1 }')"
        ;;
    esac
done <"$folder/commands"

expect "sweep --x without --plot" 2 "$(status sweep --x processors --y steps --store "$store")"
result
