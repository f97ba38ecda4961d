#!/bin/sh
# SPDX-License-Identifier: MIT
# The values of whole runs in virtual time, in a sweep's figure, in results and in the table of theory. All follow from
# the example in docs/virtual.md: 5 turns of 100 ns, one of which finds nothing, 6 overheads of 200 ns, 3 gaps of 50 ns
# and 3 latencies.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh

# A gnuplot that only says what it is told.
mkdir "$folder/bin"
printf '#!/bin/sh\nexec cat\n' >"$folder/bin/gnuplot"
chmod +x "$folder/bin/gnuplot"
PATH=$folder/bin:$PATH

store=$folder/store
one="--timing virtual --topology chain:2 --method ade --load list:100,0 --invoke at:0 --operations 1 --stop never"
# swept Y: what the figure of Y over the latency has: its labels and its points.
swept() {
    # Words on purpose.
    # shellcheck disable=SC2086
    status sweep $one --latency 1us,2us,4us --store "$store" --x latency --y "$1" --plot "$folder/plot.svg" \
        --plot-script "$folder/plot.gp" --quiet
    sed -n "s/^set \([xy]\)label '\([^']*\)'.*/\1: \2/p" "$folder/plot.gp"
    awk '/^END/ { inside = 0 } inside && !/^#/ { printf "%.6g %.6g\n", $1, $2 } /<< END/ { inside = 1 }' "$folder/plot.gp"
}
# listed Y: the latency and the mean of Y of each line, in CSV.
listed() {
    "$EVENKEEL" results --store "$store" --x latency --y "$1" --format csv |
        awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
            { printf "%s%s %.10g", (NR > 2 ? "; " : ""), $column["latency"], $column[name ".mean"] }' name="$1"
}
words() { tr '\n' ' ' | sed 's/ $//'; }

expect "the time of a run" "0 y: virtual_s in us x: latency in us 1 4.75 2 7.75 4 13.75" "$(swept virtual_s | words)"
expect "in CSV" "1us 4.75e-06; 2us 7.75e-06; 4us 1.375e-05" "$(listed virtual_s)"
expect "the time of turns" "0 y: busy_s in us x: latency in us 1 1.7 2 1.7 4 1.7" "$(swept busy_s | words)"
expect "in CSV" "1us 1.7e-06; 2us 1.7e-06; 4us 1.7e-06" "$(listed busy_s)"
expect "the time of messages" "0 y: overhead_s in us x: latency in us 1 1.2 2 1.2 4 1.2" "$(swept overhead_s | words)"
expect "the time without turns" "0 y: idle_s in us x: latency in us 1 7.8 2 13.8 4 25.8" "$(swept idle_s | words)"
expect "in CSV" "1us 7.8e-06; 2us 1.38e-05; 4us 2.58e-05" "$(listed idle_s)"
expect "the length of a window" "0 y: window_s in us x: latency in us 1 1.05 2 2.05 4 4.05" "$(swept window_s | words)"
expect "turns and messages" "0 y: events x: latency in us 1 8 2 8 4 8" "$(swept events | words)"
expect "in CSV" "1us 8; 2us 8; 4us 8" "$(listed events)"
expect "windows" "0 y: windows x: latency in us 1 4 2 4 4 4" "$(swept windows | words)"
expect "the mean of a time for each method" "ade 4.75e-06; gde:0.7 4.75e-06" "$(
    # shellcheck disable=SC2086
    "$EVENKEEL" sweep $(echo $one | sed 's/ade/ade,gde:0.7/') --store "$folder/methods" --quiet
    "$EVENKEEL" results --store "$folder/methods" --group method --columns virtual_s --format csv |
        awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
            { printf "%s%s %.10g", (NR > 2 ? "; " : ""), $1, $column["virtual_s.mean"] }')"

# A line's name has the axes that were given, and no others that follow from them, as the mailbox from the timing.
legend() { grep -o "title '[^']*'" "$folder/plot.gp" | sed "s/title '\(.*\)'/\1/" | grep -v '^band' | tr '\n' ';'; }
expect "two timings" 0 "$(status sweep --topology ring:8 --method ade,adf --timing rounds,virtual --latency 1us,2us \
    --store "$folder/timings" --x latency --y virtual_s --plot "$folder/plot.svg" --plot-script "$folder/plot.gp" --quiet)"
expect "their lines" "ade, timing rounds;ade, timing virtual;adf, timing rounds;adf, timing virtual;" "$(legend)"
expect "which results lists with all axes" 2 \
    "$("$EVENKEEL" results --store "$folder/timings" --x latency --y virtual_s --format csv | head -n 1 | grep -oE 'mailbox|barrier' | wc -l)"
expect "two mailboxes too" 0 "$(status sweep --topology ring:8 --method ade --timing virtual --latency 1us,2us --mailbox spsc:1,spsc:4 \
    --store "$folder/mailboxes" --x latency --y virtual_s --plot "$folder/plot.svg" --plot-script "$folder/plot.gp" --quiet)"
expect "are told apart" "mailbox spsc:1;mailbox spsc:4;" "$(legend)"

# The closed form is the time of this run, in the table and in JSON.
# shellcheck disable=SC2086
expect "the run" 0 "$(status run $one --latency 2us)"
expect "its time" 1 "$(grep -c '^  stop  *never, ended after 1 operation, 7.75 us of virtual time$' "$folder/out")"
expect "the theory's line in the table" "  operation_s_theory 7.75e-06 - The virtual time of an operation that meets no" \
    "$(sed -n 's/^\(  operation_s_theory\)  */\1 /p' "$folder/out" | tr -s ' ' | sed 's/^ /  /')"
# shellcheck disable=SC2086
expect "in JSON" "7.75e-06 7.75e-06" "$("$EVENKEEL" run $one --latency 2us --format json | python3 -c '
import json, sys
record = json.load(sys.stdin)
fact = next(fact for fact in record["theory"]["facts"] if fact["name"] == "operation_s_theory")
print("%.10g %.10g" % (fact["value"], record["runs"][0]["virtual_s"]))')"
# shellcheck disable=SC2086
expect "of rounds" "  operation_s_theory 5.1e-06 - The virtual time of an operation: 1 times 2(T" "$(
    "$EVENKEEL" run --timing rounds --latency 2us --topology chain:2 --method ade --load list:100,0 --steps 1 --stop never |
        sed -n 's/^\(  operation_s_theory\)  */\1 /p' | tr -s ' ' | sed 's/^ /  /')"
result
