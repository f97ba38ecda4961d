#!/bin/sh
# SPDX-License-Identifier: MIT
# Ranks of Open MPI's mpirun: the same as a pool, one voice, one sentence where something is wrong, and an end in bounded
# time where a rank dies. COUNT (200, or the everyday run's few) random experiments are compared (tests/command/check_ranks.py).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh
: "${TESTS_PART:=1}"

# What does without MPI: a command on its own has none, and is not linked with it.
cp "$EVENKEEL" "$folder/evenkeel"
expect "no MPI here" 2 "$("$folder/evenkeel" run --carrier mpi 2>"$folder/err" >"$folder/out"; echo $?)"
expect "it is said" 1 "$(grep -c 'built without MPI: install openmpi-bin and libopenmpi-dev' "$folder/err")"
expect "doctor says so" 1 "$("$folder/evenkeel" doctor | grep -c '^mpi  *not built in')"
expect "in JSON too" 2 "$("$folder/evenkeel" doctor --format json | grep -cE '^  "(built|metis)": false')"
expect "not linked with MPI" 0 "$(ldd "$EVENKEEL" | grep -c libmpi)"
expect "a sweep" 2 "$(status sweep --store "$folder/s.db" --topology ring:8 --method ade --carrier mpi)"
expect "is refused" 1 "$(grep -c 'all runs were refused: mpi needs ranks that mpirun starts' "$folder/err")"
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
# A rank of one computer starts a quarter quicker if it opens only what it will choose.
OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 PMIX_MCA_gds=hash PMIX_MCA_psec=none
export OMPI_MCA_btl OMPI_MCA_pml PMIX_MCA_gds PMIX_MCA_psec

if ! timeout 300 mpirun -n 2 true >/dev/null 2>"$folder/err" </dev/null; then
    echo "skipped: ranks, since mpirun starts nothing on this computer: $(grep -m 1 '[a-z]' "$folder/err")"
    result
    exit
fi

ranks() { # ranks N WORDS...: the exit status; what is printed goes to $folder/out and $folder/err
    count=$1
    shift
    timeout 300 mpirun -n "$count" "$EVENKEEL" "$@" >"$folder/out" 2>"$folder/err" </dev/null
    echo $?
}
refused() { # refused N WORDS...: as `ranks`, where the first rank ends before the others begin. mpirun ends these at once.
    OMPI_MCA_odls_base_sigkill_timeout=0
    export OMPI_MCA_odls_base_sigkill_timeout
    ranks "$@"
}
said() { # how many sentences of ours there are
    grep -c '^evenkeel: ' "$folder/err"
}

expect "doctor says that it is there" 1 "$("$EVENKEEL" doctor | grep -c '^mpi  *built in: ')"
expect "two ranks" 0 "$(ranks 2 run --topology torus:8x8 --carrier mpi:2)"
expect "one table" 1 "$(grep -c '^  stop ' "$folder/out")"
expect "which says so" 1 "$(grep -c '^  machine    mpi:2: 2 ranks, barrier none' "$folder/out")"
expect "blocks in order, where nothing cuts fewer links" 1 \
    "$(grep -c '^  ranks      blocks in order, 16 links between ranks$' "$folder/out")"

# Boxes of a product; and parts of two rings, whose processors' numbers alternate, with a link between them: METIS leaves that.
expect "a mesh" 0 "$(ranks 4 run --topology mesh:40x40 --method diffusion:0.2 --stop never --steps 3 --carrier mpi)"
expect "has boxes" 1 "$(grep -c '^  ranks      boxes, 80 links between ranks (120 with blocks in order)$' "$folder/out")"
{ seq 0 63 | awk '{ print $1, ($1 + 2) % 64 }'; echo 0 1; } >"$folder/rings"
expect "two rings" 0 \
    "$(ranks 2 run --topology "file:$folder/rings" --method ade --stop never --steps 9 --carrier mpi --format json --final)"
wanted='"blocks": "order", "cut": 4, "cut_in_order": 4'
case $("$EVENKEEL" doctor) in *', with METIS'*) wanted='"blocks": "parts", "cut": 1, "cut_in_order": 4' ;; esac
expect "have parts" "$wanted" "$(grep -o '"blocks": .*"cut_in_order": [0-9]*' "$folder/out")"
"$EVENKEEL" run --topology "file:$folder/rings" --method ade --stop never --steps 9 --final --format json >"$folder/one"
expect "and the same loads" "$(grep -o '"final": .*' "$folder/one")" "$(grep -o '"final": .*' "$folder/out")"

# Two cliques: parts in the order of processors, however METIS numbers them.
awk 'BEGIN { for (p = 0; p < 100; p++) for (q = p + 1; q < 100; q++) if ((p < 51) == (q < 51) || q == p + 1) print p, q }' >"$folder/cliques"
expect "two cliques" "0 0" \
    "$(ranks 2 run --topology "file:$folder/cliques" --method fos --steps 50 --stop never --carrier mpi --format json --final) $(said)"
"$EVENKEEL" run --topology "file:$folder/cliques" --method fos --steps 50 --stop never --carrier pool --final --format json >"$folder/one"
expect "and the same loads" "$(grep -o '"final": .*' "$folder/one")" "$(grep -o '"final": .*' "$folder/out")"

expect "not in balance yet, into a folder" "3 1" \
    "$(ranks 2 run --topology ring:64 --carrier mpi --runs 2 --steps 5 --out "$folder/run") $(said)"
expect "which is whole" "final.csv run.json trace.csv" "$(cd "$folder/run" && echo *)"
expect "a folder that is taken" "2 1" "$(refused 2 run --topology ring:64 --carrier mpi --out "$folder/run") $(said)"
expect "ends no rank by force" "1 0" "$(grep -c 'run.json exists already' "$folder/err") $(grep -c MPI_ "$folder/err")"
expect "a rank without MPI on its host" 2 \
    "$(timeout 300 mpirun -n 1 "$EVENKEEL" run --carrier mpi : -n 1 "$folder/evenkeel" run --carrier mpi 2>"$folder/err" >"$folder/out" </dev/null; echo $?)"
expect "is named" "1 1" "$(said) $(grep -c '^evenkeel: rank 1 cannot begin on ' "$folder/err")"
expect "a recording" "2 1" "$(refused 2 run --timing free --record "$folder/run.ek" --carrier mpi) $(said)"
expect "is refused" 1 "$(grep -c 'only one process can be recorded' "$folder/err")"
expect "a live view" "2 1" "$(refused 2 run --live --carrier mpi) $(said)"
expect "is refused" 1 "$(grep -c ': --live shows the runs of one process, and here are ranks: ' "$folder/err")"
expect "a slip" "2 1" "$(refused 2 run --topologie ring:8 --carrier mpi) $(said)"
expect "other ranks than asked for" "2 1" "$(refused 2 run --carrier mpi:3) $(said)"
expect "how many" 1 "$(grep -c ': the experiment wants 3 ranks, but 2 were started: use mpirun -n 3$' "$folder/err")"
expect "one rank alone" "2 1" "$(refused 1 run --carrier mpi:3) $(grep -c 'wants 3 ranks, but 1 was started:' "$folder/err")"
expect "no rank" "2 1" "$(refused 1 run --carrier mpi:0) $(grep -c 'the number of ranks must be a whole number from 1 to' "$folder/err")"
expect "more ranks than processors" "2 1" "$(refused 3 run --topology chain:2 --carrier mpi) $(said)"
expect "than one" "2 1" "$(refused 2 run --topology mesh:1x1 --carrier mpi) $(grep -c ': 2 ranks cannot carry 1 processor: ' "$folder/err")"

# Turns: the same run on every number of ranks and on a pool, also where a graph is irregular, and where a run stops in the
# middle. With more ranks than cores, one stint after the other.
seq 1 36 | awk '{ print $1, ($1 * 7) % 37; if ($1 % 3 == 0) print $1 - 1, ($1 * 11 + 5) % 37; print 0, $1 }' |
    awk '$1 != $2 { key = $1 < $2 ? $1 " " $2 : $2 " " $1; if (!seen[key]++) print key }' >"$folder/irregular"
in_turns() { # in_turns WHAT END WORDS...: the run ends so, and is the same on a pool and on 1 to 4 ranks
    what=$1
    end=$2
    shift 2
    set -- run "$@" --seed 5 --final --trace --format json
    "$EVENKEEL" "$@" --carrier pool:2 >"$folder/one" 2>"$folder/err"
    for count in 1 2 3 4; do
        ranks "$count" "$@" --carrier mpi >"$folder/status"
        cp "$folder/out" "$folder/$count"
    done
    # The names of what differs, how both ended, and the ranks.
    expect "$what" ",$end 1,,$end 2,,$end 3,,$end 4" "$(python3 - "$folder/one" "$folder/1" "$folder/2" "$folder/3" "$folder/4" <<'END' | paste -sd ,
import json
import sys

pool, *on_ranks = (json.load(open(name))["runs"][0] for name in sys.argv[1:])
assert len(pool["trace"]) > 1 and len(pool["final"]) > 1
for ranks in on_ranks:
    print(*(name for name in pool if pool[name] != ranks.get(name) and name not in ("elapsed_s", "workers")))
    print(pool["ended"], ranks["workers"])
END
)"
}
in_turns "turns" steps --timing turns --topology "file:$folder/irregular" --method adf --stop never --steps 17
in_turns "random turns" criterion --timing turns:random --topology mesh:6x5 --method sender:0.2 --units tokens --delay uniform:0:2 \
    --faults link:0.5,repair:3
in_turns "turns of tasks" "done" --timing turns:random --topology "file:$folder/irregular" --method odf --tasks tsp:8:4
in_turns "turns of objects" itself --timing turns --topology torus:4x4 --method adf --objects mesh:16x16 --load peak:256 \
    --choose communicating
expect "more ranks than processors" "2 1" \
    "$(refused 3 run --timing turns --method adf --topology chain:2 --carrier mpi) $(grep -c ': 3 ranks cannot carry 2 processors: ' "$folder/err")"
expect "what turns refuse on ranks" "2 1" \
    "$(refused 2 run --timing turns --method adf --mailbox spsc --carrier mpi) $(grep -c ': ranks exchange messages through MPI: use mailbox slot, or carrier pool$' "$folder/err")"

# Virtual time: the same run on ranks and on a pool, but for what the computer takes.
virtual="run --timing virtual --topology torus:8x8 --method adf --load peak:640 --domains once --format json --final --trace"
# Words on purpose.
# shellcheck disable=SC2086
expect "virtual time" 0 "$(ranks 3 $virtual --carrier mpi)"
# shellcheck disable=SC2086
"$EVENKEEL" $virtual --carrier pool:2 >"$folder/one"
expect "is as on a pool" "workers" "$(python3 - "$folder/out" "$folder/one" <<'END'
import json
import sys

ranks, pool = (json.load(open(name))["runs"][0] for name in sys.argv[1:])
assert pool["virtual_s"] > 0 and len(pool["trace"]) > 1 and len(pool["final"]) == 64
print(*(name for name in pool if pool[name] != ranks.get(name) and name != "elapsed_s"))
END
)"

# The log of operations and the recording too. The first rank writes the recording, which one process replays.
logged="run --timing virtual --topology torus:8x8 --method ade --load uniform:0:100 --invoke probability:0.1 --stop never"
logged="$logged --operations 1500 --overlaps --format json"
# shellcheck disable=SC2086
"$EVENKEEL" $logged --carrier pool:2 --record "$folder/one.ek" >"$folder/one"
for count in 1 2 3 4; do
    # shellcheck disable=SC2086
    expect "a recording by $count ranks" 0 "$(ranks $count $logged --carrier mpi --record "$folder/ranks.ek")"
    expect "and a log are as on a pool" 0 "$(python3 - "$folder/out" "$folder/one" <<'END'
import json
import sys

ranks, pool = (json.load(open(name))["runs"][0] for name in sys.argv[1:])
assert pool["free"]["logged"] >= 1500 and pool["effects"]["overlapped"]["count"] >= 1500
print(*(name for name in pool if pool[name] != ranks.get(name) and name not in ("elapsed_s", "workers")),
      pool["effects"]["unknown"])
END
)"
    "$EVENKEEL" replay "$folder/ranks.ek" --format json >"$folder/replayed" || echo "no replay"
    expect "is replayed" "" "$(python3 - "$folder/replayed" "$folder/out" <<'END'
import json
import sys

replayed, run = (json.load(open(name))["runs"][0] for name in sys.argv[1:])
print(*(name for name in run if run[name] != replayed.get(name) and name not in ("elapsed_s", "workers")))
END
)"
done
expect "recordings without failures" "0 0" \
    "$(ranks 2 run --timing virtual --topology ring:8 --carrier mpi --record-failures "$folder/failed") $(find "$folder/failed" -type f | wc -l)"

# A sweep starts ranks by itself: the same loads as on a pool, and why where it cannot.
sweep() { # sweep EVENKEEL WORDS...: its status; what it says goes to $folder/err
    command=$1
    shift
    rm -f "$folder/sweep.db"*
    timeout 300 env PATH="${FOUND_IN:-$PATH}" "$command" sweep --store "$folder/sweep.db" --method ade --stop never "$@" >"$folder/out" 2>"$folder/err" </dev/null
    echo $?
}
answer() {
    "$EVENKEEL" results --store "$folder/sweep.db" --format csv --columns "$1" | tail -n +2 | sort -u | tr '\n' ' '
}
expect "a sweep over ranks" 0 "$(sweep "$EVENKEEL" --topology "file:$folder/rings" --steps 9 --carrier pool:1,mpi:2 --trace --final)"
expect "has all of them" "mpi:2 pool:1 " "$(answer carrier)"
expect "with one result" 1 "$(answer variance_final,moved,messages,flow_l2 | wc -w)"
expect "and lines that make them" "--seed 1" "$(answer command | grep -o -- 'mpi:2 .*' | cut -d ' ' -f 2-3)"
expect "traces too" 10 "$("$EVENKEEL" results --store "$folder/sweep.db" --where 'carrier=mpi:2' --trace-of variance --format csv | tail -n +2 | wc -l)"
odd="$folder/a tab	and a ' and \\"
cp "$folder/rings" "$odd"
expect "a path that needs quotes" 0 "$(sweep "$EVENKEEL" --topology "file:$odd" --steps 9 --carrier pool:1,mpi:2)"
expect "has its runs" "mpi:2 pool:1 " "$(answer carrier)"
expect "what ranks refuse" 2 "$(sweep "$EVENKEEL" --topology chain:2 --steps 9 --carrier mpi:3)"
expect "is their sentence" 1 "$(grep -c 'all runs were refused: 3 ranks cannot carry 2 processors' "$folder/err")"
expect "no MPI for a sweep" 2 "$(sweep "$folder/evenkeel" --topology ring:8 --steps 9 --carrier mpi:2)"
expect "is said" 1 "$(grep -c 'refused: this evenkeel was built without MPI' "$folder/err")"
expect "no mpirun" 2 "$(FOUND_IN=/nowhere sweep "$(realpath "$EVENKEEL")" --topology ring:8 --steps 9 --carrier mpi:2)"
expect "is said too" 1 "$(grep -c 'refused: there is no mpirun to start ranks' "$folder/err")"

# Rank 1 gets a signal when the run is under way. Others' tests may have ranks here, too, but not by this name; and what
# pgrep has found may have ended since.
export TESTS_RANKS_OF="$folder"
found() { # found EVENKEEL: rank 1 of its run, when it has two threads: the one that waits, and the worker
    rank=
    for _ in $(seq 300); do
        for process in $(pgrep -f "^$1 run --topology torus:16x16 --stop never --for 50s"); do
            [ "$(tr '\0' '\n' <"/proc/$process/environ" | grep -cx -e OMPI_COMM_WORLD_RANK=1 -e "TESTS_RANKS_OF=$folder")" -eq 2 ] &&
                rank=$process
        done 2>/dev/null
        [ -n "$rank" ] && [ "$(grep -c . "/proc/$rank/task"/*/comm 2>/dev/null | wc -l)" -gt 3 ] && break
        sleep 0.1
    done
    echo "$rank"
}
signalled() { # signalled SIGNAL WORDS...: mpirun's exit status, or "late"
    signal=$1
    shift
    timeout -k 1 300 mpirun -n 2 "$EVENKEEL" run --topology torus:16x16 --stop never --for 50s --carrier mpi "$@" \
        >"$folder/out" 2>"$folder/err" </dev/null &
    mpirun=$!
    rank=$(found "$EVENKEEL")
    sleep 0.2
    kill -s "$signal" "$rank"
    began=$(date +%s)
    wait $mpirun
    ended=$?
    [ $(($(date +%s) - began)) -le 20 ] && echo $ended || echo late
}
reported() { # by mpirun, and once by the first rank, unless mpirun has ended it before it could (tests/concurrency/plain_ranks.c)
    grep -q 'exited on signal 9' "$folder/err" &&
        [ "$(grep -c '^evenkeel: another rank does not answer: ' "$folder/err")" -le 1 ] && echo yes
}
expect "a rank that dies ends the others" 137 "$(signalled KILL)"
expect "which is said" yes "$(reported)"
expect "in turns too" 137 "$(signalled KILL --timing turns --method adf)"
expect "which is said" yes "$(reported)"
expect "in free timing too" 137 "$(signalled KILL --timing free)"
expect "which is said" yes "$(reported)"
expect "a rank that is told to end ends the run" 3 "$(signalled TERM)"
expect "which is reported" "1 1" "$(grep -c '^  why  *interrupted' "$folder/out") $(said)"
expect "in turns too" "3 1 1" "$(signalled TERM --timing turns:random --method adf) $(grep -c '^  why  *interrupted' "$folder/out") $(said)"
expect "in free timing too" "3 1 1" "$(signalled TERM --timing free) $(grep -c '^  why  *interrupted' "$folder/out") $(said)"
sweep "$EVENKEEL" --topology torus:16x16 --for 50s,10ms --carrier mpi:2 --format json >"$folder/status" &
kill -s KILL "$(found "$(realpath "$EVENKEEL")")"
wait $!
expect "a sweep goes on" "0 1 1" "$(cat "$folder/status") $(sed -n 's/^ "\(ran\|refused\)": \([0-9]*\),$/\2/p' "$folder/out" | paste -sd ' ')"
expect "and says which rank was lost" 1 "$(grep -c '"why": "another rank does not answer: ' "$folder/out")"

if command -v python3 >/dev/null; then
    # Free timing on four ranks, under faults and delays: nothing is lost, whatever comes too late.
    json() { # json EXPRESSION: of the report
        python3 -c 'import json, sys; report = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$folder/out" "$1"
    }
    lost() { # what its first run has lost, in tokens
        json 'sum(sign * report["runs"][0][name] for sign, name in
            ((1, "total_initial"), (1, "generated"), (-1, "consumed"), (-1, "total_final"), (-1, "in_flight")))'
    }
    for what in '--method adf --stop never --for 300ms' '--method adf --announce pushed --stop never --operations 5000' \
        '--method adf --domains exclusive --work normal:100:30:50 --tick 1ms --stop never --for 200ms' '--method ade --ports one --stop never --operations 3000'; do
        # Words on purpose.
        # shellcheck disable=SC2086
        expect "free: $what" 0 "$(ranks 4 run --timing free --topology torus:8x8 --units tokens --faults link:300,processor:20,repair:2ms \
            --delay uniform:0us:300us --carrier mpi --format json $what)"
        expect "nothing is lost" 0.0 "$(lost)"
        case $what in
        *--operations*) expect "and no operation made" "${what##* }" "$(json 'report["runs"][0]["operations"]')" ;;
        esac
    done
    expect "with delays that were kept" True "$(json '(lambda f: f["delay_realised"]["median"] >= f["delay_asked"]["median"] > 1e-4)(report["runs"][0]["free"])')"
    expect "between ranks, too" "4 order" "$(json '"%d %s" % (report["runs"][0]["workers"], report["runs"][0]["blocks"])')"
    free() { # free TOPOLOGY: two ranks' status, their blocks, the links between them, and what was lost
        status=$(ranks 2 run --timing free --method adf --units tokens --topology "$1" --stop never --operations 2000 --carrier mpi --format json)
        echo "$status $(json '"%(blocks)s %(cut)d %(cut_in_order)d" % report["runs"][0]') $(lost)"
    }
    expect "boxes as in rounds" "0 boxes 4 8 0.0" "$(free mesh:8x4)"
    case $wanted in
    *parts*) expect "and parts" "0 parts 1 4 0.0" "$(free "file:$folder/rings")" ;;
    esac

    # The fit of bench/scale.py finds the factors of what was made of known ones, and none where one would be below 0.
    expect "fitted factors" "2.000 0.000 5.000" "$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=bench python3 -c '
import scale
rows = [[1, 4, 2], [2, 1, 0], [5, 3, 1], [1, 1, 9]]
print(*("%.3f" % f for f in scale.fit(rows, [2 * a + 5 * c for a, b, c in rows])))')"
    expect "what would be negative" "0.000" "$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=bench python3 -c '
import scale
print("%.3f" % scale.fit([[1, 1], [1, 2]], [2, 1])[1])')"

    # Each number is one write, and so one line, whoever else writes.
    expect "a number of each rank" "alone" "$(python3 -c '
import socket, subprocess, sys
here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
subprocess.run([sys.executable, "tests/command/peak_memory.py", "true"], stderr=there)
written = here.recv(100)
print("alone" if written[:-1].isdigit() and written.endswith(b"\n") else written)')"

    # Of the 24 bytes of a processor a rank has its own half in place: 12 MiB less here, and something for MPI.
    resident() { # resident RANKS ARGUMENTS: the most KiB in place of any
        count=$1
        shift
        timeout 300 mpirun -n "$count" python3 tests/command/peak_memory.py "$EVENKEEL" run --stop never --carrier mpi "$@" \
            2>&1 >/dev/null </dev/null | sort -n | tail -n 1
    }
    rounds='--method diffusion:0.1 --steps 2 --no-flows'
    # Words on purpose.
    # shellcheck disable=SC2086
    expect "two ranks have less memory in place" 1 "$(($(resident 1 --topology torus:1024x1024 $rounds) - $(resident 2 --topology torus:1024x1024 $rounds) > 2000))"
    # And nothing of the others: a fourth of 206 MiB each. An array of 8 bytes for all would leave 137 MiB less.
    # shellcheck disable=SC2086
    expect "a rank of four has a fourth" 1 "$(($(resident 1 --topology torus:3000x3000 $rounds) - $(resident 4 --topology torus:3000x3000 $rounds) > 147000))"
    # In virtual time and free timing a rank has the state of its own processors only. The topology and the libraries,
    # some 45 MB of 190 and 290, are the same in all.
    for what in '--timing virtual --for 10us' '--timing free --for 300ms'; do
        what="--topology torus:512x512 --method adf $what"
        # shellcheck disable=SC2086
        expect "a rank of four takes less than 6 tenths: $what" 1 "$((10 * $(resident 4 $what) < 6 * $(resident 1 $what)))"
    done

    # Large graphs, of which each rank stores its own rows: a process has 22 MiB of a file with 602,000 links in place, and
    # 30 MiB of a mesh with 808,000. Of four ranks each has little more than a quarter of that. Some links are long.
    links() { # links FROM TO: the part of the file's links of these processors
        awk -v from="$1" -v to="$2" 'BEGIN { n = 200000
            for (p = from; p < to; p++) {
                print p, (p + 1) % n; print (p + 3) % n, p; print p, (p + 50) % n
                if (p % 100 == 0) print p, (p + n / 2 + 7) % n
            } }'
    }
    mkdir "$folder/other"
    links 0 200000 >"$folder/graph"
    { links 0 199999; echo 199999 0; echo 2 199999; echo 199999 60; } >"$folder/other/graph"
    one=$(resident 1 --topology "file:$folder/graph" $rounds)
    expect "a quarter of a file's links" 1 "$((one - $(resident 4 --topology "file:$folder/graph" $rounds) > 12000))"
    expect "and of a family's" 1 "$(($(resident 1 --topology moore:450x450 $rounds) - $(resident 4 --topology moore:450x450 $rounds) > 17000))"
    by_block() { # by_block RANKS WORDS...: how the reports of ranks and of a pool differ, and the colours of both
        count=$1
        shift
        "$EVENKEEL" run "$@" --trace --format json --carrier pool:2 >"$folder/one" 2>"$folder/err"
        ranks "$count" run "$@" --trace --format json --carrier mpi >"$folder/status"
        python3 - "$folder/out" "$folder/one" <<'END'
import json
import sys

ranks, pool = (json.load(open(name)) for name in sys.argv[1:])
one, other = ranks["runs"][0], pool["runs"][0]
of, all = ranks["topology"], pool["topology"]
assert one["cut"] > 100 and len(one["trace"]) > 2 and ranks["theory"] == pool["theory"]
print(*(name for name in other if other[name] != one.get(name) and name not in ("elapsed_s", "workers")),
      *(name for name in all if all[name] != of[name]), of["colours"], all["colours"], of["diameter"])
END
    }
    expect "the report of a pool" "colours None 8 None" \
        "$(by_block 3 --topology "file:$folder/graph" --method adf --stop error:50000)"
    expect "whatever the topology" "colours None 5 None" \
        "$(by_block 2 --topology random:200000:4 --method diffusion:0.1 --stop neighbours:200 --load exponential:100)"
    timeout 300 mpirun -n 1 -wdir "$folder" "$(realpath "$EVENKEEL")" run --topology file:graph --method adf --steps 1 --carrier mpi \
        : -n 1 -wdir "$folder/other" "$(realpath "$EVENKEEL")" run --topology file:graph --method adf --steps 1 --carrier mpi \
        >"$folder/out" 2>"$folder/err" </dev/null
    expect "two files of one name" "2 1" "$? $(said)"

    PYTHONDONTWRITEBYTECODE=1 COUNT=${COUNT:-$([ "$TESTS_PART" = 1 ] && echo 200 || echo 2)} EVENKEEL=$EVENKEEL \
        python3 tests/command/check_ranks.py >"$folder/agree" 2>&1
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
