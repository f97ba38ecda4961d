#!/bin/sh
# SPDX-License-Identifier: MIT
# The files that options name: two commands that write at once, pipes, devices, links, names that are in use, and signals.
# tests/unit/lab/test_atomic_file.c lets the system calls fail.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh
run="run --topology ring:8 --carrier pool:1"

# Words on purpose, here and below.
# shellcheck disable=SC2086
"$EVENKEEL" $run --format json --trace >"$folder/run.json"

# A directory belongs to one run. The other one is refused before it begins.
# shellcheck disable=SC2086
"$EVENKEEL" $run --seed 1 --stop never --for 600s --out "$folder/o" --quiet 2>/dev/null &
pid=$!
soon started "$pid"
# shellcheck disable=SC2086
expect "a second run" 2 "$(status $run --seed 2 --out "$folder/o" --quiet)"
expect "why" "evenkeel: another run writes its files in $folder/o: choose another --out" "$(cat "$folder/err")"
kill -TERM "$pid"
wait "$pid"
expect "the first run has its files" "final.csv run.json trace.csv" "$(ls -A "$folder/o" | tr '\n' ' ' | sed 's/ $//')"
expect "its own" 1 "$(grep -c '"seed": 1,' "$folder/o/run.json")"

# If the names do not reach the disk, which is the fourth fsync, no file keeps its name.
if strace -o /dev/null true 2>/dev/null; then
    # shellcheck disable=SC2086
    strace -f -o /dev/null -e trace=fsync -e inject=fsync:error=EIO:when=4 \
        "$EVENKEEL" $run --out "$folder/lost" --quiet 2>"$folder/err"
    expect "names that are lost" 2 $?
    expect "why they are" "evenkeel: $folder/lost could not be written (Input/output error): none of the files is kept" \
        "$(cat "$folder/err")"
    expect "nothing is there" no "$([ -e "$folder/lost" ] && echo yes || echo no)"
fi

# A signal leaves nothing behind, although a time line is being written.
"$EVENKEEL" run --topology ring:64 --timing free --carrier pool:2 --method adf --stop never --for 2s \
    --record "$folder/long.ek" --quiet 2>/dev/null
for signal in INT KILL; do
    mkdir "$folder/killed"
    timeout -s "$signal" 0.1 "$EVENKEEL" replay "$folder/long.ek" --timeline "$folder/killed/t.json" --quiet 2>/dev/null
    expect "$signal" "" "$(find "$folder/killed" -name '.*' -o -name '*.part')"
    rm -r "$folder/killed"
done

# Pipes, devices and links stay what they are.
mkfifo "$folder/reader"
cat "$folder/reader" >"$folder/received" &
expect "a pipe" 0 "$(status report "$folder/run.json" --out "$folder/reader")"
wait
expect "it stays" yes "$([ -p "$folder/reader" ] && echo yes)"
expect "its reader has the page" "</html>" "$(tail -n 1 "$folder/received")"
# Copies, because an error in the code could destroy a device. Only root can make them.
if mknod "$folder/null" c 1 3 2>/dev/null && mknod "$folder/full" c 1 7 && : >"$folder/null"; then
    expect "a device" 0 "$(status report "$folder/run.json" --out "$folder/null")"
    expect "it stays a device" yes "$([ -c "$folder/null" ] && echo yes)"
    expect "a full device" 2 "$(status report "$folder/run.json" --out "$folder/full")"
    expect "why not" "evenkeel: $folder/full could not be written (No space left on device)" "$(cat "$folder/err")"
fi
echo before >"$folder/target.html"
ln -s target.html "$folder/link.html"
echo mine >"$folder/link.html.part"
expect "a link" 0 "$(status report "$folder/run.json" --out "$folder/link.html")"
expect "it stays a link" target.html "$(readlink "$folder/link.html")"
expect "its target is the page" "</html>" "$(tail -n 1 "$folder/target.html")"
expect "a user's file of a similar name" mine "$(cat "$folder/link.html.part")"
ln -s /proc/self/fd/1 "$folder/stream" # as /dev/stdout is
expect "standard output" 0 "$(status report "$folder/run.json" --out "$folder/stream")"
expect "has the page" "</html>" "$(tail -n 1 "$folder/out")"

# A recording replaces an older one when its run begins, and not before.
record="run --topology ring:8 --timing free --carrier pool:2 --record $folder/old.ek --quiet"
# shellcheck disable=SC2086
expect "a recording" 0 "$(status $record --method adf)"
before=$(cksum <"$folder/old.ek")
# shellcheck disable=SC2086
expect "a method that does not exist" 2 "$(status $record --method typo)"
expect "the older recording stays" "$before" "$(cksum <"$folder/old.ek")"
# shellcheck disable=SC2086
expect "a file that does not exist" 2 "$(status $record --method adf --load "file:$folder/none")"
expect "it still stays" "$before" "$(cksum <"$folder/old.ek")"
"$EVENKEEL" run --topology ring:8 --timing free --carrier pool:1 --method adf --stop never --for 60s --seed 7 \
    --record "$folder/old.ek" --quiet &
pid=$!
replaced() { "$EVENKEEL" replay "$folder/old.ek" --until 1 2>/dev/null | grep -q -- '--seed 7'; }
soon replaced
kill -KILL "$pid"
wait "$pid" 2>/dev/null
expect "the recording of a killed run" 0 "$(status replay "$folder/old.ek" --format json --quiet)"
expect "is cut off" 1 "$(grep -c '"whole": false' "$folder/out")"
expect "its CSV is printed with --quiet, too" "$("$EVENKEEL" replay "$folder/old.ek" --every 10 --format csv)" \
    "$("$EVENKEEL" replay "$folder/old.ek" --every 10 --format csv --quiet)"
expect "nothing is left beside it" "" "$(find "$folder" -name '.*')"
result
