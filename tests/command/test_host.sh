#!/bin/sh
# SPDX-License-Identifier: MIT
# --host sets the costs of virtual time: those that `list` shows, those of a file, or those that `contention --keep` has
# measured. A cost that is given replaces the host's. The record has the costs.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh
XDG_DATA_HOME=$folder/data
export XDG_DATA_HOME

run="run --timing virtual --topology chain:2 --method ade --load list:100,0 --invoke at:0 --operations 1 --stop never"
# costs WORDS...: the costs in the record of a run, and whether the operation took what they give: four turns, six
# overheads, three latencies, and three messages of 16 bytes on the wire.
costs() {
    # shellcheck disable=SC2086
    "$EVENKEEL" $run "$@" --format json >"$folder/record" 2>"$folder/err" || { cat "$folder/err"; return; }
    python3 - "$folder/record" <<'P'
import json, sys
record = json.load(open(sys.argv[1]))
units = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9, "": 0.0}
def ns(name):
    text = record[name]
    unit = text.lstrip("0123456789.")
    return float(text[:len(text) - len(unit)]) * units[unit]
turn, overhead, gap, latency, byte = (ns(n) for n in ("turn_cost", "overhead", "gap", "latency", "byte_time"))
wanted = 4 * turn + 6 * overhead + 3 * (gap + int(16 * byte + 0.5)) + 3 * latency
took = 1e9 * record["runs"][0]["virtual_s"]
print(record["turn_cost"], record["overhead"], record["gap"], record["latency"], record["byte_time"],
      "right" if abs(took - wanted) < 1e-3 else f"took {took} ns instead of {wanted}")
P
}

listed=$("$EVENKEEL" list host | tr -s '\n ' ' ')
for host in none cluster ethernet transputer sharedmemory; do
    line=$(echo "$listed" | sed -n "s/.* $host turn \([^,]*\), overhead \([^,]*\), gap \([^,]*\), latency \([^,]*\), byte \([^:]*\):.*/\1 \2 \3 \4 \5/p")
    expect "the costs of $host" "$line right" "$(costs --host $host)"
done
expect "the defaults" "$(costs --host none)" "$(costs)"
expect "costs of its own" "110ns 5us 7ns 1us 1.1ns right" "$(costs --host ethernet --gap 7ns --latency 1us)"
expect "the host in the table" 1 "$("$EVENKEEL" run --timing virtual --host transputer --topology ring:4 --method ade |
    grep -c '^  costs      transputer: turn-cost 17us, overhead 900ns, gap 0, latency 650ns, byte-time 575ns,$')"

printf '%s\n' '# mine' '' 'latency 5us' 'turn-cost 10ns' 'byte-time 0.25ns' >"$folder/mine"
expect "the costs of a file" "10ns 200ns 50ns 5us 0.25ns right" "$(costs --host "file:$folder/mine")"
printf '%s\n' 'latency 0.00000100000000000000s' >"$folder/long"
expect "a cost of 23 characters" "100ns 200ns 50ns 0.00000100000000000000s 0 right" "$(costs --host "file:$folder/long")"
wrong() { # wrong LINE SENTENCE
    printf 'latency 5us\n%s\n' "$1" >"$folder/wrong"
    expect "$1" "2 evenkeel: $folder/wrong:2: $2" \
        "$(status run --timing virtual --host "file:$folder/wrong") $(head -n 1 "$folder/err")"
}
wrong 'turn-cost 0ns' 'the cost of a turn is at least 1ns'
wrong 'latency 4us' 'latency is there already: leave one out'
wrong 'latncy 5us' "there is no cost of a host called 'latncy': did you mean latency?"
wrong 'overhead 5' 'the overhead of a message needs a unit after the number: ns, us, ms, s, m or h'
wrong 'overhead' 'a line has a cost and its time, as in latency 5us'
wrong 'gap 0.000001000000000000000s' 'gap has too many digits: write fewer'
wrong 'load-bytes 5' "there is no cost of a host called 'load-bytes': choose one of turn-cost, overhead, gap, latency, byte-time"
expect "a host that is none" "2 evenkeel: there is no host called 'clustr': did you mean cluster?" \
    "$(status run --timing virtual --host clustr) $(head -n 1 "$folder/err")"

# What was measured is kept, and the record does not depend on it.
missing="2 evenkeel: this computer has not been measured: run evenkeel contention --keep"
expect "nothing was measured" "$missing" "$(status run --timing virtual --host measured) $(cat "$folder/err")"
mkdir -p "$folder/data/evenkeel"
cp "$folder/mine" "$folder/data/evenkeel/host"
expect "what was kept" "10ns 200ns 50ns 5us 0.25ns right" "$(costs --host measured)"
# shellcheck disable=SC2086
expect "a recording" 0 "$(status $run --host measured --record "$folder/run.ek" --quiet)"
expect "a sweep" 0 "$(status sweep --timing virtual --host measured --topology ring:4 --method ade --store "$folder/store" --quiet)"
expect "in a list" 0 "$(status sweep --timing virtual --host none,measured --topology ring:4 --method ade --store "$folder/list" --format json)"
expect "both hosts ran" 2 "$(sed -n 's/^ "ran": \([0-9]*\),$/\1/p' "$folder/out")"
expect "the costs of each" "100ns 1us;10ns 5us" "$(status results --store "$folder/list" --columns turn_cost,latency --format csv >/dev/null
    sed 1d "$folder/out" | LC_ALL=C sort | tr ',\n' ' ;' | sed 's/;$//')"
expect "as a list of its own" "evenkeel sweep --topology ring:4 --host {file:$folder/data/evenkeel/host,cluster}" \
    "$(status sweep --host '{measured,cluster}' --topology ring:4 --print line >/dev/null; tr -d "'" <"$folder/out")"
printf '[hosts]\ntopology = ring:4\nmethod = ade\ntiming = virtual\nhost = none,\n  measured\n' >"$folder/hosts.ini"
expect "in a sweep's file" 0 "$(status sweep --file "$folder/hosts.ini" --store "$folder/file.db" --format json)"
expect "both hosts of the file ran" 2 "$(sed -n 's/^ "ran": \([0-9]*\),$/\1/p' "$folder/out")"
expect "the costs of each in the file" "100ns 1us;10ns 5us" "$(status results --store "$folder/file.db" --columns turn_cost,latency --format csv >/dev/null
    sed 1d "$folder/out" | LC_ALL=C sort | tr ',\n' ' ;' | sed 's/;$//')"
expect "the file as a command line" "evenkeel sweep --topology ring:4 --method ade --timing virtual --host none,file:$folder/data/evenkeel/host" \
    "$(status sweep --file "$folder/hosts.ini" --print line >/dev/null; tr -d "'" <"$folder/out")"
expect "a run has one host" "2 evenkeel: ',' cannot follow 'none': expected the end" \
    "$(status run --timing virtual --host none,measured) $(head -n 1 "$folder/err")"
rm "$folder/data/evenkeel/host"
expect "a list without it" "$missing" "$(status sweep --timing virtual --host none,measured) $(cat "$folder/err")"
expect "a sweep's file without it" "2 evenkeel: $folder/hosts.ini: line 5: ${missing#*: }" \
    "$(status sweep --file "$folder/hosts.ini") $(cat "$folder/err")"
expect "which the command line replaces" 0 "$(status sweep --file "$folder/hosts.ini" --host none --store "$folder/other.db" --quiet)"
expect "the recording without the file" 0 "$(status replay "$folder/run.ek" --format json)"
expect "has its costs" 1 "$(grep -c '"latency": "5us"' "$folder/out")"
# On a busy computer two threads may never run at the same time; then nothing is kept.
for try in 1 2 3 4 5; do
    measured=$(status contention --vary ports --runs 1 --for 20ms --keep)
    grep -q 'too busy' "$folder/err" || break
done
expect "measuring" "0 1" "$measured $(grep -c '^evenkeel: kept in ' "$folder/err")"
expect "its costs" "right" "$(costs --host measured | awk '{ print ($1 + 0 > 0 && $2 + 0 > 0 && $3 == "0" && $4 + 0 > 0 && $5 + 0 > 0) ? $6 : $0 }')"
expect "a directory that cannot be" "2 1" "$(touch "$folder/file"; XDG_DATA_HOME=$folder/file status contention --vary ports --runs 1 --for 20ms --keep) $(
    grep -c "^evenkeel: $folder/file/evenkeel cannot be created" "$folder/err")"
result
