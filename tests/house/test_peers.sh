#!/bin/sh
# SPDX-License-Identifier: MIT
# What bench/peers compares computes the same: all that is installed, or of the everyday run what a compiler and MPI make.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh
: "${TESTS_PART:=1}"
export EVENKEEL PYTHONDONTWRITEBYTECODE=1

if ! command -v python3 >/dev/null; then
    echo "skipped: python3 is not installed"
    result
    exit
fi

# A copy, which is built in a folder of its own.
mkdir -p "$folder/bench"
cp -r bench/peers bench/page.py "$folder/bench"

set --
if [ "$TESTS_PART" != 1 ]; then
    set -- pthreads openmp loggops
    timeout 300 mpirun --allow-run-as-root -n 1 true >/dev/null 2>&1 </dev/null && set -- "$@" "mpi blocks"
fi
python3 "$folder/bench/peers/check.py" "$@" >"$folder/out" 2>"$folder/err"
expect "all are the same" 0 $?
grep '^skipped: ' "$folder/out"
expect "all were tried" 1 "$(grep -cE '^[0-9]{2,} passed, 0 failed$' "$folder/out")"
cat "$folder/out" >>"$folder/err"

# What is measured and drawn is there, with numbers; how large they are is another day's.
measure() { # measure OPTIONS...: of three peers and ours; its status
    python3 "$folder/bench/peers/measure.py" --peers pthreads,openmp,loggops --samples 1 --seconds 0.02 "$@" >"$folder/out" 2>"$folder/err"
    echo $?
}
if [ "$TESTS_PART" = 1 ]; then
    expect "measured" 0 "$(measure --clock --sizes 64 --largest 256)"
    expect "no virtual time" 0 "$(grep -c '^### Virtual time$' "$folder/out")"
    rates='[0-9.e+-]+ \| [0-9.e+-]+ \.\. [0-9.e+-]+ \|'
    expect "rounds" 4 "$(grep -cE "^\| 64 \| (evenkeel, (pool|threads)|pthreads|OpenMP)[^|]* \| $rates [^|]+ \| [0-9,]* \| 256 \|" "$folder/out")"
    expect "free timing" 3 "$(grep -cE "^\| 64 \| (evenkeel, (pool|threads)|pthreads)[^|]* \| $rates [0-9.e+]+ \| [0-9.e+]+ \| [0-9.e+]+ \|$" "$folder/out")"
    expect "pool is as fast as itself" 2 "$(grep -cE '^\| 64 \| evenkeel, pool.* \| 1 \| [0-9.e+]+ \|$' "$folder/out")"
    expect "carriers and limits" 3 "$(grep -cE '^\| evenkeel, (pool|threads).* \| 64 \|.* \| [0-9.]+ \|$' "$folder/out")"

    expect "virtual time is measured" 0 "$(measure --sizes 64 --virtual)"
    expect "virtual time" 4 "$(grep -cE "^\| 64 \| (evenkeel, (virtual time, pool:[12]|free timing, pool)|a loop over one heap of events) \| $rates [0-9.e+]* *\| [0-9.e+-]+ \| [0-9.e+-]+ \|$" "$folder/out")"
    expect "virtual time has turns" 2 "$(grep -cE '^\| 64 \| evenkeel, virtual time, pool:[12] \|([^|]*\|){2} [0-9.]+e\+[0-9]+ \|' "$folder/out")"

    sed -e 's/500ms/10ms/' -e 's/1\.\.5/1/' -e 's/^\(topology = [^,]*,[^,]*\),.*/\1/' -e '/^    torus/d' \
        -e 's/65536/1024/g' -e 's/pool:4,.*/pool:4/' bench/plots.ini >"$folder/sheet.ini"
    printf 'before\n<!-- bench-plots -->\nold\n<!-- end of bench-plots -->\nafter\n' >"$folder/page.md"
    python3 bench/plots.py --into "$folder/page.md" --sheet "$folder/sheet.ini" --folder "$folder/plots" >"$folder/out" 2>"$folder/err"
    expect "drawn" 0 $?
    expect "written down" "before <!-- bench-plots --> 6 after" \
        "$(head -n 2 "$folder/page.md" | tr '\n' ' ')$(grep -cE '^### (size|workers|degree|link|delay|memory)$' "$folder/page.md") $(tail -n 1 "$folder/page.md")"
    expect "in the place of what was there" 0 "$(grep -cx old "$folder/page.md")"
    expect "the page has places" 6 "$(grep -cE '^<!-- (end of )?bench-(peers|plots|virtual) -->$' bench/RESULTS.md)"
    for name in size workers degree link delay memory; do
        expect "picture of $name" PNG "$(head -c 4 "$folder/plots/$name.png" | tail -c 3)"
        expect "a head and numbers of $name" yes "$([ "$(wc -l <"$folder/plots/$name.csv")" -gt 2 ] && echo yes)"
    done
    expect "memory by carrier and size" "pool:1,16 pool:1,64 pool:1,65536 pool:2,16 pool:2,64 pool:2,65536 threads,16 threads,64" \
        "$(sed -n 's/,[0-9]*$//p' "$folder/plots/memory.csv" | sort | tr '\n' ' ' | sed 's/ $//')"
fi

# Nothing is done twice: programs are built once, two samples that agree suffice, a size that a program failed is not tried
# again, and neither is a limit that is known.
cat >"$folder/once.py" <<'END'
import os, sys
from argparse import Namespace
sys.path.insert(0, sys.argv[1])
import measure, peers
def age():
    return os.stat(f"{peers.BUILD}/pthreads").st_mtime_ns
peers.built(["pthreads"])
before = age()
peers.built(["pthreads"])
same = age() == before
os.utime(f"{peers.HERE}/torus.h")
peers.built(["pthreads"])
print("built", same, age() != before)

print("suffice", *(measure.suffice(values, 3) for values in ([], [1.0], [1.0, 1.02], [1.0, 1.04], [1.0, 1.04, 1.1])))
samples = measure.Samples(peers.POOL, None)
measure.attempt = lambda program, task, options: 1.0
measure.sample([samples], float, Namespace(samples=3))
print("taken", len(samples.outcomes))

def samples_before(round_s):
    measure.attempt = lambda program, task, options: Namespace(seconds=round_s * task.amount, bits="", squares=0)
    return [len(samples.outcomes) for samples in measure.prepared([peers.POOL], 64, Namespace(seconds=0.25))]
print("before", samples_before(0.001), samples_before(0.1))

tried = []
measure.attempt = lambda program, task, options: tried.append((task.timing, task.processors)) or task.processors <= 1024
options = Namespace(largest=4**8, seconds=0.25, samples=3)
ran = measure.Samples(peers.POOL, None)
print("largest", measure.largest(peers.POOL, {64: [ran], 4096: []}, options), tried)

tried.clear()
rounds = measure.Timing([], None, "")
rounds.by_size = {64: []}
measure.measure_free(measure.Timing([peers.POOL], None, ""), rounds, 64, options)
print("free", tried)

measure.subprocess.run = lambda *words, **how: tried.append(words) or Namespace(stdout="1")
measure.limit(options, "yield", 2), measure.limit(options, "yield", 2), measure.limit(options, "yield", 4)
print("limits", len(tried), "runs")
END
expect "nothing is done twice" "built True True
suffice False False True False True
taken 2
before [1] [0]
largest 1024 [('rounds', 256), ('rounds', 1024)]
free []
limits 4 runs" "$(python3 "$folder/once.py" "$folder/bench/peers" 2>"$folder/err")"

# A signal ends the measurement: the rows so far are printed, the others are named, and the page stays as it was.
printf '<!-- bench-peers -->\nold\n<!-- end of bench-peers -->\n' >"$folder/page.md"
for signal in INT:130 TERM:143; do
    : >"$folder/err"
    python3 "$folder/bench/peers/measure.py" --peers pthreads --sizes 16,64,1024 --samples 1 --seconds 0.5 \
        --into "$folder/page.md" >"$folder/out" 2>"$folder/err" &
    process=$!
    for _ in $(seq 1200); do
        grep -qx "rounds with 64 processors" "$folder/err" && break
        sleep 0.05
    done
    kill -s "${signal%:*}" "$process"
    wait "$process"
    expect "the status of SIG${signal%:*}" "${signal#*:}" $?
    expect "rows are shown when they are measured" 3 "$(grep -cE '^  (pthreads|evenkeel, (pool|threads)).*: [0-9.e+-]+ \([0-9.e+-]+ \.\. [0-9.e+-]+\) processor-rounds a second$' "$folder/err")"
    expect "and are in the table" 3 "$(sed '/^### Free/,$d' "$folder/out" | grep -cE '^\| 16 \| (pthreads|evenkeel, (pool|threads))')"
    expect "the others are named" "A signal ended the measurement. Missing: a part of rounds with 64 processors, or all of it; rounds with 1,024 processors; free timing with 16 processors; free timing with 64 processors; free timing with 1,024 processors; the largest sizes; the limits; the carriers against their limits; virtual time with 16 processors; virtual time with 64 processors; virtual time with 1,024 processors." "$(tail -n 1 "$folder/out")"
    expect "the page" old "$(sed -n 2p "$folder/page.md")"
done

# Other arithmetic, and load that is given and kept, would be noticed.
sed -i 's/ALPHA = 0.2;/ALPHA = 0.25;/' "$folder/bench/peers/torus.h"
sed -i '/party->load -= amount;/d' "$folder/bench/peers/threshold.h"
sed -i 's/LATENCY = 1000,/LATENCY = 3000,/' "$folder/bench/peers/loggops.c"
python3 "$folder/bench/peers/check.py" pthreads loggops >"$folder/out" 2>"$folder/err"
expect "other loads are a failure" 1 $?
expect "in rounds" 2 "$(grep -c '^pthreads, [0-9x]*: the same bits: no$' "$folder/out")"
expect "in free timing" 1 "$(grep -c '^pthreads, free, 3x3: nothing lost: no$' "$folder/out")"
expect "in virtual time" 1 "$(grep -c '^loggops, virtual, 8x8: operations: no$' "$folder/out")"
if [ "$TESTS_PART" = 1 ]; then
    expect "and nothing is measured" "1 1" "$(measure --sizes 64) $(grep -c 'the loads differ' "$folder/err")"
fi
result
