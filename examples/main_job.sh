#!/bin/sh
# SPDX-License-Identifier: MIT
# `make run`: computes a Mandelbrot picture on the machine. Its tiles are tasks, of very different costs, and every
# processor begins with a strip of them. The table compares no balancing, two methods and work stealing. Then it says what
# was gained. The fastest run shows the picture, as its tasks have computed it, and ends with a next command.
#     main_job.sh [--out DIR]    the picture as DIR/picture.png, and the run's report
set -eu
cd "$(dirname "$0")/.."
: "${EVENKEEL:=build/evenkeel}"
if [ $# -gt 0 ] && { [ $# -ne 2 ] || [ "$1" != --out ]; }; then
    echo "usage: $0 [--out DIR]" >&2
    exit 2
fi

job="--topology torus:8x8 --tasks mandelbrot:600x400:8 --grain 1000"
methods="none ade liquid:c4 steal:random"

# figures METHOD: a line with the method and the numbers of its run.
figures() {
    # Words on purpose.
    # shellcheck disable=SC2086
    "$EVENKEEL" run $job --method "$1" --carrier pool --quiet --format csv | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
        NR == 2 {
            gsub(/"[^"]*"/, "") # texts, which may have commas
            print $column["method"], $column["ticks"], $column["speedup"], $column["efficiency"], $column["idle_ticks"],
                $column["idle_ticks_most"], $column["tasks_moved"], $column["messages"], $column["bound_ticks"]
        }'
}

echo "A Mandelbrot picture of 600x400 points. Its 75x50 tiles are tasks for 64 processors (torus:8x8); each begins with a"
echo "strip of 58 or 59 tiles. In a tick a processor computes 1000 iterations of a point:"
echo "                                            idle ticks of a processor"
echo "  method          ticks  speedup  efficiency        mean         most  tiles moved  messages"
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
for method in $methods; do
    figures "$method" >>"$rows"
    tail -n 1 "$rows" | awk '{ printf "  %-14s%7d%9.1f%12.3f%12.1f%13d%13d%10d\n", $1, $2, $3, $4, $5, $6, $7, $8 }'
done

best=$(sort -n -k 2,2 "$rows" | awk 'NR == 1 { print $1 }')
awk -v best="$best" '
    $1 == "none" { alone = $2 }
    $1 == best { ticks = $2; bound = $9 }
    END {
        printf "With %s the machine computes the picture in %d ticks instead of %d, %.2f times as fast; no schedule takes\n",
            best, ticks, alone, alone / ticks
        printf "fewer than %d ticks, and the time of messages is not counted.\n", bound
    }' "$rows"
echo
echo "The fewest ticks: $EVENKEEL run $job --method $best --carrier pool --picture"
[ $# -eq 0 ] || echo "It writes the picture to $2/picture.png."
echo
# shellcheck disable=SC2086
"$EVENKEEL" run $job --method "$best" --carrier pool --picture "$@"
