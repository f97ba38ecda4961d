#!/bin/sh
# SPDX-License-Identifier: MIT
# What the command writes, when and where: a run in CSV or JSON is there as soon as it has ended, and stays whatever comes
# after it; --out touches nothing that is not its own; standard input is a file; a dumb terminal gets plain text.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

lines() { # lines COUNT: that many are there
    [ "$(wc -l <"$folder/out")" -ge "$1" ]
}
slow="run --topology ring:8 --carrier pool:1 --method adf --load peak:800 --work constant:0=1 --stop never --for 100ms --runs 500"

# Killed outright: what was written is whole.
# Words on purpose, here and below.
# shellcheck disable=SC2086
"$EVENKEEL" $slow --format csv --quiet >"$folder/out" 2>"$folder/err" &
pid=$!
soon lines 4
expect "it is still running" 0 "$(kill -0 "$pid"; echo $?)"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
expect "lines as they come" yes "$([ "$(wc -l <"$folder/out")" -ge 4 ] && echo yes)"
expect "all of them whole" 1 "$(awk -F , '{ print NF }' "$folder/out" | sort -u | wc -l)"
expect "to the end of the last" "" "$(tail -c 1 "$folder/out" | tr -d '\n')"
expect "in their order" "1 2 3" "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seed") c = i } NR > 1 { print $c }' "$folder/out" |
    head -n 3 | tr '\n' ' ' | sed 's/ $//')"

# Interrupted: the JSON ends as it has to.
: >"$folder/out" # or the lines of the one before are counted
# shellcheck disable=SC2086
"$EVENKEEL" $slow --format json >"$folder/out" 2>"$folder/err" &
pid=$!
soon lines 4
kill -TERM "$pid"
wait "$pid"
expect "interrupted" 3 $?
expect "whole JSON of some runs" yes "$(python3 - "$folder/out" 2>&1 <<'END'
import json, sys
record = json.load(open(sys.argv[1]))
runs = record["runs"]
print("yes" if 3 <= len(runs) < record["runs_asked"] and record["summary"]["operations"]["min"] <= runs[0]["operations"] else runs)
END
)"
expect "it says where" 1 "$(grep -c '^evenkeel: interrupted [a-z]* run [0-9]* of 500: the experiment ended early in [0-9]* of [0-9]* runs: ' "$folder/err")"
expect "in the first" 3 "$(signalled INT run --carrier pool:1 --topology ring:8 --method adf --load peak:800 --work constant:0=1 \
    --stop variance:0.001 --for 60s --runs 5 --quiet)"
expect "of five" 1 "$(grep -c '^evenkeel: interrupted in run 1 of 5: variance:0.001 was not reached in the first run: ' "$folder/err")"

# Nowhere to write to: it ends with the first run.
expect "a full disk" 2 "$(timeout 300 "$EVENKEEL" run --topology ring:8 --carrier pool:1 --runs 1000000 --format csv \
    >/dev/full 2>"$folder/err"; echo $?)"
expect "it is said once" "evenkeel: standard output could not be written (No space left on device)" "$(cat "$folder/err")"

# What was asked for is printed with --quiet too.
without_times() {
    sed -e 's/"elapsed_s": .*"workers"/"workers"/' -e 's/"command": "[^"]*"//' -e '/^ "summary"/d' "$folder/out"
}
expect "JSON" 0 "$(status run --topology ring:8 --format json --runs 2)"
without_times >"$folder/loud"
expect "JSON, quietly" 0 "$(status run --topology ring:8 --format json --runs 2 --quiet)"
expect "the same" "$(cat "$folder/loud")" "$(without_times)"
expect "it is there" 2 "$(grep -c '"seed": [12], ' "$folder/out")"
expect "nothing that was not asked for" "0 0" "$(status run --topology ring:8 --quiet) $(wc -c <"$folder/out")"

# --out keeps what is there, and refuses to overwrite.
mkdir "$folder/o"
echo mine >"$folder/o/notes"
expect "beside a file" 0 "$(status run --topology ring:8 --quiet --out "$folder/o")"
expect "all files" "final.csv notes run.json trace.csv" "$(ls "$folder/o" | tr '\n' ' ' | sed 's/ $//')"
rm "$folder/o/run.json" "$folder/o/trace.csv"
expect "over a file" 2 "$(status run --topology ring:8 --quiet --out "$folder/o")"
expect "which one" "evenkeel: $folder/o/final.csv exists already: remove it, or choose another --out" "$(cat "$folder/err")"
expect "nothing was written" "final.csv notes" "$(ls "$folder/o" | tr '\n' ' ' | sed 's/ $//')"
expect "in a file" 2 "$(status run --topology ring:8 --quiet --out "$folder/o/notes")"
expect "why" "evenkeel: $folder/o/notes exists already and is no directory: choose another --out" "$(cat "$folder/err")"
rm "$folder/o/final.csv"
expect "no room" 2 "$(trap '' XFSZ; ulimit -f 2; "$EVENKEEL" run --topology ring:500 --carrier pool:1 --out "$folder/o" \
    >"$folder/out" 2>"$folder/err"; echo $?)"
expect "the sentence" "evenkeel: $folder/o/run.json could not be written (File too large): none of the files is kept" "$(cat "$folder/err")"
expect "what was there" "notes" "$(ls "$folder/o")"
expect "the table all the same" 1 "$(grep -c '^  topology   ring:500: 500 processors' "$folder/out")"

# Standard input, for several readers of it.
printf '0 1\n1 2\n' >"$folder/graph"
expect "a graph from a pipe" 0 "$(status run --carrier pool:1 --topology file:- --runs 2 --format csv <"$folder/graph")"
expect "both runs" 2 "$(grep -c '^file:-,ade,' "$folder/out")"
expect "for all methods" 0 "$(status theory --topology file:- <"$folder/graph")"
expect "its links" 1 "$(grep -c '^file:-: 3 processors, 2 links' "$folder/out")"
expect "a load" 0 "$(printf '9\n0\n0\n' | status run --carrier pool:1 --topology chain:3 --load file:- --format json)"
expect "it was read" 1 "$(grep -c '"total_initial": 9.0, ' "$folder/out")"
expect "what is wrong in it" 2 "$(printf '0 1\n1 x\n' | status run --carrier pool:1 --topology file:-)"
expect "where" 1 "$(grep -c '^evenkeel: -:2: ' "$folder/err")"
expect "closed" 2 "$("$EVENKEEL" run --topology file:- 2>"$folder/err" <&-; echo $?)"
expect "its sentence" "evenkeel: standard input cannot be read to its end" "$(head -n 1 "$folder/err")"

# Terminals.
on_terminal() { # on_terminal TERM: whether braille and escape sequences are shown there
    TERM=$1 COLUMNS=80 python3 - "$EVENKEEL" <<'END'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "run", "--topology", "ring:8", "--carrier", "pool:1"])
shown = b""
try:
    while chunk := os.read(terminal, 65536):
        shown += chunk
except OSError:  # how Linux says that the other end is closed
    pass
os.waitpid(pid, 0)
text = shown.decode()
print(any("⠀" <= c <= "⣿" for c in text), "\033" in text, "|****" in text)
END
}
expect "xterm" "True True False" "$(on_terminal xterm)"
expect "dumb" "False False True" "$(on_terminal dumb)"

expect "a name cut short" 2 "$(status run --top ring:8)"
expect "is that" "evenkeel: run has no option --top; the nearest is --topology" "$(cat "$folder/err")"

result
