#!/bin/sh
# SPDX-License-Identifier: MIT
# What the command says of runs in free timing, and its commands torture and contention. Nothing here depends on speed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh
: "${TESTS_PART:=1}"

free() { # free WORDS...: a short run that its operations end
    status run --timing free --method adf --invoke probability:0.2 --stop never --operations 500 "$@"
}

# The table: plain words, and nothing that was not measured.
expect "a run" 0 "$(free --delay fixed:20us --faults link:50,repair:2ms)"
for label in speed ledger operations overlap latency mailboxes waiting turns switches delay faults; do
    expect "the line of $label" 1 "$(grep -c "^  $label  *[^ ]" "$folder/out")"
done
expect "no steps" 0 "$(grep -c ' step' "$folder/out")"
expect "no NaN" 0 "$(grep -ciw -e nan -e inf "$folder/out")"
expect "the ledger" 1 "$(grep -cE '^  ledger +[0-9]+ audits?.*, all exact$' "$folder/out")"
expect "no delay" 0 "$(free --carrier pool:2 --units tokens)"
expect "no line for it" 0 "$(grep -cE '^  (delay|faults) ' "$folder/out")"
expect "quiet" 0 "$(status run --timing free --invoke outside:400:600 --stop spread:200 --method adf)"
expect "quiet without the criterion" 3 "$(status run --timing free --load peak:64 --invoke below:0 --stop spread:1)"
expect "it says why" 1 "$(grep -c 'no processor invokes an operation any more' "$folder/err")"
expect "three runs" 0 "$(free --runs 3)"
expect "a dash for the steps" 3 "$(awk '$1 ~ /^[123]$/ && $3 == "-"' "$folder/out" | wc -l)"

# The reports: every name is described, steps are null, the trace is by time.
expect "JSON" 0 "$(free --format json --trace --audit 1ms)"
expect "steps" 1 "$(grep -c '"steps": null, "variance_initial"' "$folder/out")"
expect "a trace by time" yes "$(grep -q '"trace": \[{"time": ' "$folder/out" && echo yes)"
sed -n 's/.*"free": {\(.*\)}, "trace".*/\1/p' "$folder/out" | grep -o '"[a-z_0-9]*":' | tr -d '":' | sort -u >"$folder/names"
expect "names of the report" yes "$([ "$(wc -l <"$folder/names")" -gt 50 ] && echo yes)"
while read -r name; do
    expect "$name in docs/report.md" yes "$(grep -q "\`$name\`" docs/report.md && echo yes)"
done <"$folder/names"
expect "CSV" 0 "$(free --format csv --runs 2)"
expect "as many columns on every line" "3 1" "$(awk -F , '{ print NF }' "$folder/out" | uniq -c | awk '{ print $1, NR }')"
expect "files" 0 "$(free --out "$folder/o" --quiet)"
expect "the trace's columns" \
    "seed,time,variance,spread,minimum,maximum,moved,invokers,in_flight,error,mean,deviation,normalised_cost,local_fraction,invocations" \
    "$(head -n 1 "$folder/o/trace.csv")"
if command -v gnuplot >/dev/null; then
    expect "--plot" 0 "$(free --plot "$folder/a.svg" --quiet)"
    expect "over time" 1 "$(grep -c '>time in seconds<' "$folder/a.svg")"
fi

# The options' own numbers.
for words in "--perturb 2" "--perturb x" "--perturb -1" "--tick 5" "--audit 0s" "--watchdog s"; do
    # shellcheck disable=SC2086
    expect "$words" 2 "$(free $words)"
    expect "a caret" 3 "$(wc -l <"$folder/err")"
done
expect "--steps" 2 "$(status run --timing free --steps 5)"

# Torture ends well, and repeats what it draws; contention has a line for every point.
drawn=$((TESTS_PART > 1 ? 12 : 40))
expect "torture" 0 "$(status torture --runs $drawn --for 100s)"
expect "its verdict" 1 "$(grep -c "^torture: $drawn runs in .*, 0 failed: " "$folder/out")"
expect "this machine carries them all" "" "$(cat "$folder/err")"
expect "only that with --quiet" 0 "$(status torture --runs 2 --quiet)"
expect "one line" 1 "$(wc -l <"$folder/out")"
expect "contention" 0 "$(status contention --topology ring:4 --for 2ms --runs 1)"
expect "all that is varied" "topology mailbox ports unpinned carrier barrier" \
    "$(sed -n '/mess/,/latency/s/^  \([a-z]*\)\( (in rounds, compared with the first)\)*$/\1/p' "$folder/out" | tr '\n' ' ' | sed 's/ $//')"
expect "a line for each mailbox but the base's" "wfcq:4 mutex:4 spsc:1 spsc:2 spsc:16" \
    "$(sed -n '/^  mailbox/,/^  ports/s/^    \([^ ]*\) .*/\1/p' "$folder/out" | head -n 5 | tr '\n' ' ' | sed 's/ $//')"
expect "a method that does not run free" 2 "$(status contention --method sos)"
expect "too many runs" 2 "$(status contention --runs 1000)"

result
