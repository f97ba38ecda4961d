#!/bin/sh
# SPDX-License-Identifier: MIT
# Ranks of Open MPI's mpirun: the same as a pool, one voice, one sentence where something is wrong, and an end in bounded
# time where a rank dies. COUNT (200, or the everyday run's few) random experiments are compared (tests/ranks.py).
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/expect.sh
: "${TESTS_PART:=1}"

# What does without MPI: a command on its own has none, and is not linked with it.
cp "$EVENKEEL" "$folder/evenkeel"
expect "no MPI here" 2 "$("$folder/evenkeel" run --carrier mpi 2>"$folder/err" >"$folder/out"; echo $?)"
expect "it is said" 1 "$(grep -c 'built without MPI: install openmpi-bin and libopenmpi-dev' "$folder/err")"
expect "doctor says so" 1 "$("$folder/evenkeel" doctor | grep -c '^mpi  *not built in')"
expect "in JSON too" 1 "$("$folder/evenkeel" doctor --format json | grep -c '^  "built": false')"
expect "not linked with MPI" 0 "$(ldd "$EVENKEEL" | grep -c libmpi)"
expect "a sweep" 2 "$(status sweep --store "$folder/s.db" --topology ring:8 --method ade --carrier mpi)"
expect "is refused" 1 "$(grep -c 'all of it was refused: mpi is for' "$folder/err")"
expect "a ranking" "2 1" "$(status rank --topology ring:8 --carrier mpi) $(grep -c 'that mpirun starts' "$folder/err")"

if [ ! -e "$(dirname "$EVENKEEL")/evenkeel-mpi.so" ] || ! command -v mpirun >/dev/null; then
    echo "skipped: ranks, for want of openmpi-bin, or libopenmpi-dev when it was built"
    result
    exit
fi

# As root, and with more ranks than cores, which are to give way to whoever else is there.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe \
    OMPI_MCA_hwloc_base_binding_policy OMPI_MCA_mpi_yield_when_idle

if ! timeout 60 mpirun -n 2 true >/dev/null 2>"$folder/err" </dev/null; then
    echo "skipped: ranks, since mpirun starts nothing on this computer: $(grep -m 1 '[a-z]' "$folder/err")"
    result
    exit
fi

ranks() { # ranks N WORDS...: the exit status; what is printed goes to $folder/out and $folder/err
    count=$1
    shift
    timeout 60 mpirun -n "$count" "$EVENKEEL" "$@" >"$folder/out" 2>"$folder/err" </dev/null
    echo $?
}
said() { # how many sentences of ours there are
    grep -c '^evenkeel: ' "$folder/err"
}

expect "doctor says that it is there" 1 "$("$EVENKEEL" doctor | grep -c '^mpi  *built in: ')"
expect "two ranks" 0 "$(ranks 2 run --topology torus:8x8 --carrier mpi:2)"
expect "one table" 1 "$(grep -c '^  stop ' "$folder/out")"
expect "which says so" 1 "$(grep -c '^  machine    mpi:2: 2 ranks, barrier none' "$folder/out")"
expect "not in balance yet, into a folder" "3 1" \
    "$(ranks 2 run --topology ring:64 --carrier mpi --runs 2 --steps 5 --out "$folder/run") $(said)"
expect "which is whole" "final.csv run.json trace.csv" "$(cd "$folder/run" && echo *)"
expect "free timing" "2 1" "$(ranks 2 run --timing free --carrier mpi) $(said)"
expect "is refused" 1 "$(grep -c 'mpi carries rounds alone' "$folder/err")"
expect "a slip" "2 1" "$(ranks 2 run --topologie ring:8 --carrier mpi) $(said)"
expect "other ranks than asked for" "2 1" "$(ranks 2 run --carrier mpi:3) $(said)"
expect "more ranks than processors" "2 1" "$(ranks 3 run --topology chain:2 --carrier mpi) $(said)"

# Rank 1 gets a signal when the run is under way.
signalled() { # signalled SIGNAL WORDS...: mpirun's exit status, or "late"
    signal=$1
    shift
    timeout -k 1 60 mpirun -n 2 "$EVENKEEL" run --topology torus:16x16 --stop never --for 50s --carrier mpi \
        >"$folder/out" 2>"$folder/err" </dev/null &
    mpirun=$!
    rank=
    for _ in $(seq 300); do
        for process in $(pgrep -f "^$EVENKEEL run --topology torus:16x16 --stop never --for 50s"); do
            { tr '\0' '\n' <"/proc/$process/environ" | grep -qx OMPI_COMM_WORLD_RANK=1 && rank=$process; } 2>/dev/null
        done
        # Two threads: the one that waits, and the worker.
        [ -n "$rank" ] && [ "$(grep -c . "/proc/$rank/task"/*/comm 2>/dev/null | wc -l)" -gt 3 ] && break
        sleep 0.1
    done
    sleep 1
    kill -s "$signal" "$rank"
    began=$(date +%s)
    wait $mpirun
    ended=$?
    [ $(($(date +%s) - began)) -le 20 ] && echo $ended || echo late
}
expect "a rank that dies ends the others" 137 "$(signalled KILL)"
expect "which is said once" 1 "$(grep -c '^evenkeel: another rank does not answer any more' "$folder/err")"
expect "a rank that is told to end ends the run" 3 "$(signalled TERM)"
expect "which is reported" "1 1" "$(grep -c '^  why  *interrupted' "$folder/out") $(said)"

if command -v python3 >/dev/null; then
    PYTHONDONTWRITEBYTECODE=1 COUNT=${COUNT:-$([ "$TESTS_PART" = 1 ] && echo 200 || echo 6)} EVENKEEL=$EVENKEEL \
        python3 tests/ranks.py >"$folder/agree" 2>&1
    last=$(tail -n 1 "$folder/agree")
    case $last in
    *' passed, '*' failed')
        passed=$((passed + ${last%% *}))
        last=${last#*, }
        failed=$((failed + ${last%% *}))
        [ "${last%% *}" = 0 ] || cat "$folder/agree"
        ;;
    *) expect "python" "its last line" "$(cat "$folder/agree")" ;;
    esac
fi
result
