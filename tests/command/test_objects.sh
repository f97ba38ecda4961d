#!/bin/sh
# SPDX-License-Identifier: MIT
# Objects from LB data files of vt, and back: a placement that a run has written is read as the start of another run.
# Wrong files are refused with one sentence.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

tool="python3 tests/command/objects.py"
# A tool of several words.
# shellcheck disable=SC2086
{
    $tool files "$folder"
    value() { $tool value "$1" "$2"; }
    run() { # run WORDS...: a run on three processors, with its report in $folder/out
        status run --topology chain:3 --carrier pool:1 --format json --final "$@"
    }
}

# What the files say. Rank 0 holds 0.3 + 0.2 + 0.1 + 0.1 + 0.05 s, rank 1 0.1125 s and rank 2 0.1 s.
expect "files of vt" 0 "$(run --objects "vt:$folder/right/lb.%p.json" --method none)"
expect "their loads" "[0.75, 0.1125, 0.1]" "$(value "$folder/out" final)"
expect "their objects" 9 "$(value "$folder/out" object_count)"
expect "what crosses processors" 96.0 "$(value "$folder/out" edge_cut_initial)"
expect "a star for the rank" 0 "$(run --objects "vt:$folder/right/lb.*.json" --method none)"
expect "numbers in order" 0 "$(run --objects "vt:$folder/sequential/lb.%p.json" --method none)"
expect "ranks without files" 0 "$(status run --topology ring:9 --objects "vt:$folder/right/lb.%p.json" --quiet)"
expect "another phase" 0 "$(run --objects "vt:$folder/right/lb.%p.json" --phase 5 --method none)"
expect "has one object" "[5.0, 0.0, 0.0]" "$(value "$folder/out" final)"

# Of a phase that is identical to the one before, the metadata have the number alone. 6 to 8 are phase 5 again.
for phase in 5 6 8; do
    expect "identical phase $phase" 0 "$(run --objects "vt:$folder/identical/lb.%p.json" --phase $phase --method none --out "$folder/phase$phase")"
    expect "has the object of phase 5" "[5.0, 0.0, 0.0]" "$(value "$folder/out" final)"
    expect "and is written with its number" "$phase 0" "$(grep -o '"id":[5-8],' "$folder/phase$phase/lb.2.json" | tr -dc 5-8) $(grep -c identical "$folder/phase$phase/lb.2.json")"
done

# 0.75 - 0.1125 is 0.6375, of which half goes: the object of 0.3 s. Then processor 1 gives 0.1 s of 0.4125 s to
# processor 2. The object of 0.05 s cannot migrate.
expect "balanced" 0 "$(run --objects "vt:$folder/right/lb.%p.json" --method ade --stop never --operations 1 --out "$folder/new")"
expect "the loads" "[0.45, 0.3125, 0.2]" "$(value "$folder/out" final)"
expect "an object of 100 bytes, and one of 1" 101 "$(value "$folder/out" bytes_moved)"
expect "the most from a processor" 100 "$(value "$folder/out" most_bytes)"
# shellcheck disable=SC2086
expect "the same objects" "same 3" "$($tool same "$folder/right" "$folder/new")"
cp "$folder/out" "$folder/first"
expect "the new placement" 0 "$(run --objects "vt:$folder/new/lb.%p.json" --method none --out "$folder/again")"
expect "has the same loads" "$(value "$folder/first" final)" "$(value "$folder/out" final)"
expect "the same imbalance" "$(value "$folder/first" imbalance)" "$(value "$folder/out" imbalance_initial)"
expect "and the same edge cut" "$(value "$folder/first" edge_cut)" "$(value "$folder/out" edge_cut_initial)"
for rank in 0 1 2; do
    expect "file $rank does not change any more" 0 "$(cmp "$folder/new/lb.$rank.json" "$folder/again/lb.$rank.json" && echo 0)"
done
expect "a shown record" 0 "$(status show "$folder/new/run.json")"
expect "does not ask for --out again" 0 "$(grep -c -e '--out DIR' "$folder/out")"
expect "says what moved" 1 "$(grep -c 'with 2 moves of objects and 101 bytes' "$folder/out")"
expect "files of an earlier run" 2 "$(run --objects "vt:$folder/right/lb.%p.json" --method ade --out "$folder/right")"
expect "are kept" 1 "$(grep -c 'lb.2.json could not be written (File exists)' "$folder/err")"
expect "and nothing else written" 0 "$(find "$folder/right" -name 'run.json' | wc -l)"

# Compressed files.
mkdir "$folder/packed"
for rank in 0 1 2; do
    cp "$folder/right/lb.$rank.json" "$folder/packed"
    # shellcheck disable=SC2086
    $tool compress "$folder/packed/lb.$rank.json"
done
brotli="vt:$folder/packed/lb.%p.json.br"
if [ "$(run --objects "$brotli" --method none)" = 0 ]; then
    expect "compressed files" "[0.75, 0.1125, 0.1]" "$(value "$folder/out" final)"
    expect "are written uncompressed" 0 "$(run --objects "$brotli" --out "$folder/unpacked")"
    expect "with that name" 3 "$(find "$folder/unpacked" -name 'lb.?.json' | wc -l)"
    head -c 100 "$folder/packed/lb.0.json.br" >"$folder/short" && mv "$folder/short" "$folder/packed/lb.0.json.br"
    expect "a compressed file that is cut short" 2 "$(run --objects "$brotli")"
    expect "says so" 1 "$(grep -c 'is not compressed by Brotli, or is cut short' "$folder/err")"
else
    expect "without Brotli" 1 "$(grep -c 'was built without Brotli' "$folder/err")"
fi

refused() { # refused NAME WORDS PART: the files of this folder are refused with this sentence
    # Several words.
    # shellcheck disable=SC2086
    expect "$1 $2" "2 1" "$(run --objects "vt:$folder/$1/lb.%p.json" $2) $(grep -c "$3" "$folder/err")"
}
refused twice "" 'lb.1.json: task 2 of phase 4 has the id of another object'
refused unknown "" 'lb.1.json: communication 1 of phase 4 goes to an object that no file has'
refused sender "" 'lb.1.json: communication 1 of phase 4 comes from an object that no file has'
refused negative "" 'lb.1.json: task 0 of phase 4 has no time that is at least 0'
refused nan "" 'has no time that is at least 0'
refused untimed "" 'has no time that is at least 0'
refused size "" 'has a size in bytes that is below 0'
refused bytes "" 'communication 0 of phase 4 has no number of bytes'
refused home "" 'has a home that is no processor'
refused node "" 'has a node that is no processor'
refused nameless "" 'has neither an id nor a seq_id'
refused typeless "" 'has no entity of type object'
refused rank "" 'lb.1.json is the file of another rank'
refused type "" 'lb.1.json is no LB data file with phases'
refused empty "" 'lb.1.json is no LB data file with phases'
refused phase "" 'lb.1.json has no phase 4'
refused right "--phase 7" 'lb.0.json has no phase 7'
refused identical "--phase 3" 'lb.0.json has no phase 3'
refused identical "--phase 9" 'lb.0.json left out phase 9'
refused identical "--phase 12" 'lb.0.json left out phase 12'
for timing in turns free virtual; do
    refused twice "--timing $timing" 'lb.1.json: task 2 of phase 4 has the id of another object'
    refused unknown "--timing $timing" 'lb.1.json: communication 1 of phase 4 goes to an object that no file has'
    refused negative "--timing $timing" 'lb.1.json: task 0 of phase 4 has no time that is at least 0'
    refused nan "--timing $timing" 'has no time that is at least 0'
done
refused huge "" 'the weights add up to more than 9007199.25'
refused gap "" 'rank 2 has a file and rank 1 has none'
refused cut "" 'lb.2.json:1: this is no JSON'
refused none "" 'lb.0.json cannot be opened'

expect "too few processors" 2 "$(status run --topology chain:2 --objects "vt:$folder/right/lb.%p.json")"
expect "says how many" 1 "$(grep -c 'there are files of more than 2 ranks' "$folder/err")"

# Lines of text.
text() { # text LINES PART: a file with these lines is refused with this sentence
    printf '%b' "$1" >"$folder/objects.csv"
    expect "$1" "2 1" "$(run --objects "file:$folder/objects.csv") $(grep -c "$2" "$folder/err")"
}
text '' 'there are no objects'
text '0,-1\n' 'objects.csv:1: a weight is a number above 0'
text '0,1\n0,nan\n' 'objects.csv:2: a weight is a number above 0'
text '0,0\n' 'a weight is above 0'
text '0,0.0000000001\n' 'weights are multiples of 1e-9'
text '3,1\n' 'the processor must be a whole number from 0 to 2'
text '0,1,-2\n' 'the size in bytes must be a whole number'
text '0,1,2,3\n' 'cannot follow'
text '0,18000000000\n0,0.000000001\n' 'add up to more than'
text '0,9007199\n0,0.254740993\n' 'add up to more than 9007199.25'
text '0,1,281474976710657\n' 'more than 2^48 bytes'
printf '# a comment\n0, 1.5 , 10\n 2,1e-3\n' >"$folder/objects.csv"
expect "lines" 0 "$(run --objects "file:$folder/objects.csv" --method none)"
expect "their loads" "[1.5, 0.0, 0.001]" "$(value "$folder/out" final)"

# A ranking answers which method moves the fewest bytes; a sweep notices that a file has changed.
expect "a run without --out" 0 "$(status run --topology hypercube:3 --objects 'vt:examples/objects/data.%p.json' --method nna)"
expect "says how to get the placement" 1 "$(grep -c '^next: evenkeel run .* --out placement$' "$folder/out")"
expect "a ranking" 0 "$(status rank --topology hypercube:3 --objects 'vt:examples/objects/data.%p.json' --format csv)"
expect "orders by bytes" "bytes_moved 40448" "$(awk -F , 'NR == 2 { print $3, $4 }' "$folder/out")"
sweep() { status sweep --topology chain:3 --objects "file:$folder/objects.csv" --store "$folder/store.sqlite" --jobs 1 --format json; }
expect "a sweep" 0 "$(sweep)"
printf '0,2\n0,2\n' >"$folder/objects.csv"
expect "with another file" 0 "$(sweep)"
expect "runs again" '"ran": 1' "$(grep -o '"ran": [0-9]*' "$folder/out")"
result
