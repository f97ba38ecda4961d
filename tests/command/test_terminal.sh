#!/bin/sh
# SPDX-License-Identifier: MIT
# Nothing that a user or a file gave is printed raw: names and specs with escape sequences (ESC, OSC), a bell, DEL and
# control characters beyond ASCII (U+009B begins a sequence too) act on no terminal, whatever prints them.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

# The octal digits are what is meant: ESC [ 1 m, ESC ] 0 ; t BEL, DEL, U+009B 5 m.
bad=$(printf 'x\033[1m\033]0;t\007\177\302\2335m')
graph="$folder/$bad.graph"
load="$folder/$bad.load"
printf '0 1\n1 2\n2 3\n3 0\n' >"$graph"
printf '4\n0\n0\n0\n' >"$load"
printf '0 1%s\n' "$bad" >"$graph.wrong"

raw() { # raw FILES...: how many lines have a control character
    cat "$@" | LC_ALL=C grep -acP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]'
}
harmless() { # harmless STATUS WORDS...: it ends so, and prints nothing raw
    wanted=$1
    shift
    what=$(printf '%s ' "$@" | cat -v)
    expect "$what: status" "$wanted" "$(status "$@")"
    expect "$what: raw" 0 "$(raw "$folder/out" "$folder/err")"
    expect "$what: it is shown all the same" yes "$(cat "$folder/out" "$folder/err" | grep -q '?\[1m' && echo yes)"
}
run="run --carrier pool:1"
expect "the test sees them" 1 "$(echo "$bad" | raw)"
expect "and U+009B alone" 1 "$(printf '\302\233' | raw)"
# Words on purpose.
# shellcheck disable=SC2086
{
    harmless 0 $run --topology "file:$graph" --load "file:$load"
    harmless 0 $run --topology "file:$graph" --load "file:$load" --format csv
    harmless 0 $run --topology "file:$graph" --load "file:$load" --format json
    harmless 2 $run --topology "file:$graph.none"
    harmless 2 $run --topology "file:$graph.wrong"
    harmless 2 $run --topology ring:5 --load "file:$load"
    harmless 2 $run --topology "$bad"
    harmless 2 $run --topology "ring:8$bad"
    harmless 2 $run --method "$bad"
    harmless 2 $run --out "/nowhere/$bad" --quiet
    harmless 2 $run --plot "/nowhere/$bad.svg"
    harmless 2 $run "$bad"
    harmless 2 $run "--$bad"
}
harmless 2 "$bad"
harmless 2 help "$bad"
harmless 2 explain "$bad"
harmless 2 show "$folder/$bad"
harmless 2 list "$bad"
harmless 0 rank --topology "file:$graph" --load "file:$load" -m ade,fos
harmless 0 rank --topology "file:$graph" -m "{ade,$bad}"
harmless 0 rank --topology "file:$graph" -m "{ade,$bad}" --format csv
harmless 0 rank --topology "file:$graph" -m "{ade,$bad}" --format json
harmless 2 rank --by "$bad"
harmless 2 torture --topology "file:$graph$bad" --runs 1
harmless 0 theory --topology "file:$graph"
harmless 0 contention --topology "file:$graph" --method adf --vary ports --runs 1 --for 1ms
harmless 2 contention --topology "file:$graph.none" --runs 1 --for 1ms

# What is written to be shown later.
expect "a record" 0 "$(status run --carrier pool:1 --topology "file:$graph" --load "file:$load" --quiet --out "$folder/o")"
expect "in its files" 0 "$(raw "$folder"/o/*)"
harmless 0 show "$folder/o/run.json"
if command -v gnuplot >/dev/null; then
    expect "a picture" 0 "$(status show "$folder/o/run.json" --plot "$folder/p.svg" --quiet)"
    expect "in it" 0 "$(raw "$folder/p.svg")"
    expect "and of contention" 0 "$(status contention --topology "file:$graph" --vary ports --runs 1 --for 1ms --plot "$folder/c.svg")"
    expect "in that" 0 "$(raw "$folder/c.svg")"
fi

# A long computation shows its progress on a line that is removed at its end.
expect "theory that takes long" "said gone 0" "$(PYTHONPATH=tests/command python3 -B - "$EVENKEEL" 2>&1 <<'END'
import sys
from screen import Terminal

SAID = "fos, method 1 of 1: computing distances and the spectrum"
terminal = Terminal([sys.argv[1], "theory", "--topology", "random:6000:3", "--method", "fos"])
said = terminal.until(lambda screen: SAID in screen.text())
status = terminal.wait(180)
text = "\n".join(terminal.screen.text())
print("said" if said else "", "gone" if "computing" not in text and "lambda_2" in text else text, status)
END
)"
expect "theory that does not" "0 0" "$(status theory --topology ring:8 --method fos) $(wc -c <"$folder/err")"

result
