#!/bin/sh
# SPDX-License-Identifier: MIT
# Records, a store and a recording that an earlier build wrote (tests/data/earlier) can still be read, and give the same
# results. A recording is bound to its version: another version refuses it with a sentence.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh
earlier=tests/data/earlier

# earlier_values EARLIER NOW: where a table in CSV lacks a column or a value of the earlier table. It may have more columns.
earlier_values() {
    python3 -c '
import csv, sys
def rows(path):
    names = []
    for row in csv.reader(open(path)):
        if row[0] in ("topology", "place"):
            names = row
        else:
            yield dict(zip(names, row, strict=True))
earlier, now = (list(rows(path)) for path in sys.argv[1:])
if len(earlier) != len(now):
    print(len(earlier), "rows, now", len(now))
for number, (row, other) in enumerate(zip(earlier, now)):
    for name, value in row.items():
        if other.get(name) != value:
            print("row", number, name, value, "now", other.get(name))
' "$1" "$2" 2>&1
}

for record in rounds free; do
    expect "the record $record.json" 0 "$(status show $earlier/$record.json --format csv)"
    expect "its values" "" "$(earlier_values $earlier/$record.csv "$folder/out")"
    expect "its JSON" 0 "$(status show $earlier/$record.json --format json)"
    expect "the same values" same "$(python3 -c '
import json, sys
def lacks(earlier, now):  # an object may have new fields, of which nothing is known
    if isinstance(earlier, dict):
        return any(lacks(earlier[name], now[name]) for name in earlier) or any(now[name] is not None for name in set(now) - set(earlier))
    if isinstance(earlier, list):
        return len(earlier) != len(now) or any(map(lacks, earlier, now))
    return earlier != now
earlier, now = (json.load(open(path)) for path in sys.argv[1:])
print("other" if lacks(earlier["runs"], now["runs"]) or lacks(earlier["theory"], now["theory"]) else "same")
' $earlier/$record.json "$folder/out")"
done

python3 -c '
import sqlite3, sys
sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())
' "$folder/store.sqlite" $earlier/store.sql
expect "a store" 0 "$(status results --store "$folder/store.sqlite" --format csv --where 'seed >= 0')"
cp "$folder/out" "$folder/store.csv"
expect "its traces" 0 "$(status results --store "$folder/store.sqlite" --format csv --trace-of variance --where timing=rounds)"
cat "$folder/out" >>"$folder/store.csv"
expect "its values" "" "$(earlier_values $earlier/store.csv "$folder/store.csv")"
expect "a sweep that it has" 0 "$(status sweep --store "$folder/store.sqlite" --topology ring:4 --method ade --runs 2 --trace --format json)"
expect "is not run again" "0 2" \
    "$(python3 -c 'import json, sys; t = json.load(open(sys.argv[1])); print(t["ran"], t["reused"])' "$folder/out")"

base64 -d $earlier/free.ek.base64 >"$folder/free.ek"
if [ "$(cat VERSION)" = 0.1.0 ]; then
    expect "a recording" 0 "$(status replay "$folder/free.ek" --format json)"
    expect "its run" 1 "$(grep -c '"replayed": true' "$folder/out")"
else
    expect "a recording of another version" 2 "$(status replay "$folder/free.ek")"
    expect "says so" 1 "$(grep -c '0\.1\.0' "$folder/err")"
fi

result
