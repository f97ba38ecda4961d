#!/bin/sh
# SPDX-License-Identifier: MIT
# `evenkeel sweep`: every row is compared with a run of its command line. Further tests: refused, killed and interrupted
# runs, a full disk, two sweeps on one store, shards, and experiments in files. KILLS=50 kills more often.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh
. tests/support/plugin.sh
: "${TESTS_PART:=1}" "${KILLS:=$((TESTS_PART > 1 ? 4 : 8))}"

store=$folder/store.sqlite
# Runs that last by waiting leave the cores to other tests.
plugin waiting '(usleep(1000), share)'
waiting="--plugin $folder/waiting.so --method waiting --stop never"
ask() { # ask STORE SQL: each row a line, its columns with a '|' between
    python3 - "$@" <<'END'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print("|".join("" if value is None else str(value) for value in row))
END
}
field() { # field NAME...: of the JSON report in $folder/out
    python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
print(*[report[name] for name in sys.argv[2:]])' "$folder/out" "$@"
}
sweep() { # sweep WORDS...: into $store, as JSON
    status sweep --store "$store" --format json --quiet "$@"
}

# Every row and its record have the numbers that the row's command line prints, to the last bit, except times.
expect "a grid" 0 "$(sweep --topology 'ring:{4..8*2},torus:4x4' --method ade,sos,twa --units real,tokens --runs 3 --trace --final)"
expect "its counts" "54 36 0 18 0 0" "$(field planned ran reused refused failed left)"
expect "what is refused, and why" "3 6" "$(python3 -c 'import json, sys
refusals = json.load(open(sys.argv[1]))["refusals"]
print(sum("twa balances chains and trees only" in r["why"] for r in refusals), len(refusals))' "$folder/out")"
expect "every row against its run" "36 rows are as their runs" "$(python3 - "$store" "$EVENKEEL" <<'END'
import json, shlex, sqlite3, subprocess, sys

connection = sqlite3.connect(sys.argv[1])
connection.row_factory = sqlite3.Row
timed = {"elapsed_s", "workers"}
good = 0
for row in connection.execute("SELECT * FROM runs"):
    words = shlex.split(row["command"])[1:]
    done = subprocess.run([sys.argv[2], *words, "--format", "json"], stdout=subprocess.PIPE, check=False)
    record = json.loads(done.stdout)
    run = record["runs"][0]
    wrong = [name for name, value in run.items()
             if not isinstance(value, (list, dict)) and name not in timed and value != row[name]]
    theory = record["theory"]
    wrong += [name for name in ("gamma_exact", "gamma_closed", "operations", "steps")
              if theory[name] != row["theory_" + name]]
    given = {"topology": record["topology"]["spec"], "method": record["method"]["spec"],
             "processors": record["topology"]["processors"], "method_name": record["method"]["name"],
             "units": record["units"], "carrier": record["carrier"], "stop": record["stop"],
             "status": done.returncode}
    wrong += [name for name, value in given.items() if value != row[name]]
    if wrong:
        print(row["command"], wrong)
    good += not wrong
print(good, "rows are as their runs")
END
)"
sweep --topology 'ring:{4..8*2},torus:4x4' --method ade,sos,twa --units real,tokens --runs 3 >"$folder/status"
expect "the same once more" "0 36" "$(field ran reused)"
sweep --topology 'ring:{4..8*2},torus:4x4' --method ade,sos --units real,tokens --seed 1..6 >"$folder/status"
expect "more seeds only add" "36 36" "$(field ran reused)"
first=$(ask "$store" "SELECT started FROM runs WHERE topology = 'ring:4' AND method = 'ade' AND units = 'real' AND seed = 1")
sweep --topology ring:4 --again >"$folder/status"
expect "what is made again" "1 0" "$(field ran reused)"
expect "and replaces what was there" "1 0" "$(ask "$store" "SELECT count(*), sum(started = '$first') FROM runs
    WHERE topology = 'ring:4' AND method = 'ade' AND units = 'real' AND seed = 1" | tr '|' ' ')"
expect "traces and final loads, where they were asked for" "35 of 72" "$(python3 - "$store" <<'END'
import ctypes, json, sqlite3, sys

zstd = ctypes.CDLL("libzstd.so.1")
zstd.ZSTD_decompress.restype = zstd.ZSTD_getFrameContentSize.restype = ctypes.c_size_t

def unpacked(packed):
    room = ctypes.create_string_buffer(zstd.ZSTD_getFrameContentSize(packed, ctypes.c_size_t(len(packed))))
    size = zstd.ZSTD_decompress(room, ctypes.c_size_t(len(room)), packed, ctypes.c_size_t(len(packed)))
    return json.loads(room.raw[:size])

runs = [unpacked(row[0])["runs"][0] for row in sqlite3.connect(sys.argv[1]).execute("SELECT json FROM records")]
print(sum("trace" in run and len(run["final"]) in (4, 8, 16) for run in runs), "of", len(runs))
END
)"

# A machine that was prepared with one seed makes runs with others. Each record tells whether its seed is the default.
expect "seeds out of order" 0 "$(status sweep --store "$folder/seeds" --topology ring:8 --seed 2,1,3 --jobs 1 --quiet)"
expect "are told if given" "1 False 2 True 3 True" "$(python3 - "$folder/seeds" <<'END'
import ctypes, json, sqlite3, sys

zstd = ctypes.CDLL("libzstd.so.1")
zstd.ZSTD_decompress.restype = zstd.ZSTD_getFrameContentSize.restype = ctypes.c_size_t
for seed, packed in sqlite3.connect(sys.argv[1]).execute("SELECT seed, json FROM records JOIN runs AS r ON r.id = run ORDER BY seed"):
    room = ctypes.create_string_buffer(zstd.ZSTD_getFrameContentSize(packed, ctypes.c_size_t(len(packed))))
    size = zstd.ZSTD_decompress(room, ctypes.c_size_t(len(room)), packed, ctypes.c_size_t(len(packed)))
    print(seed, "seed" in json.loads(room.raw[:size])["given"], end=" " if seed < 3 else "")
END
)"

# Runs that measure time are made one after the other.
expect "runs in free timing" 0 "$(status sweep --store "$folder/alone" --topology ring:8 --timing free --stop never --for 200ms --runs 4 --quiet)"
expect "do not overlap" "4 0" "$(ask "$folder/alone" "WITH begun AS (SELECT 86400.0 * julianday(started) AS at FROM runs)
    SELECT count(*), coalesce(sum(at - before < 0.19), 0) FROM (SELECT at, lag(at) OVER (ORDER BY at) AS before FROM begun)" | tr '|' ' ')"

# A typing error is no combination: it is reported before any run.
expect "a name that nobody knows" "2 no" "$(status sweep --store "$folder/slip" --topology ring:8 --method ade,odee
) $([ -e "$folder/slip" ] && echo yes || echo no)"
expect "and what it may mean" "evenkeel: method has no value 'odee': did you mean ode?" "$(head -n 1 "$folder/err")"
printf '[one]\nmethod = ade\n[two]\nmethod = ade,\n  odee\n' >"$folder/slip.ini"
expect "in a file too" "2 no" "$(status sweep --store "$folder/slip" --topology ring:8 --file "$folder/slip.ini"
) $([ -e "$folder/slip" ] && echo yes || echo no)"
expect "with its line, as it is there" "evenkeel: $folder/slip.ini: line 4: method has no value 'odee': did you mean ode?
  method = ade,odee
               ^" "$(cat "$folder/err")"
printf '[one]\nruns = x\n[two]\nsteps = -1\n' >"$folder/wrong.ini"
expect "seeds in a file" "2 2" "$(status sweep --store "$folder/slip" --file "$folder/wrong.ini"
) $(grep -c 'wrong.ini: line 2: --runs takes a whole number\|^  runs = x$' "$folder/err")"
expect "what is typed beside it is no line's" "2 1" "$(status sweep --store "$folder/slip" --runs y --file "$folder/wrong.ini"
) $(grep -c '^  --runs y$' "$folder/err")"
printf '[one]\nmethod = ade\nmethod = ode\n' >"$folder/twice.ini"
expect "twice in a file" "2 1" "$(status sweep --store "$folder/slip" --file "$folder/twice.ini"
) $(grep -c 'twice.ini: line 3: method is given twice, first in line 2' "$folder/err")"
expect "a file without an experiment" "2 no" "$(status sweep --store "$folder/slip" --file /dev/null
) $([ -e "$folder/slip" ] && echo yes || echo no)"

# Killed at any moment and started again: no run is made twice or lost, and the store is not damaged. timeout kills its
# own child only. The shell may have reaped a sweep that has ended, and a thread of another test may have its number.
killed=$folder/killed.sqlite
kills=0
while [ "$kills" -lt "$KILLS" ]; do
    timeout -s KILL "$(awk -v seed="$kills$$" 'BEGIN { srand(seed); print 0.01 + 0.25 * rand() }')" \
        "$EVENKEEL" sweep --store "$killed" --topology 'ring:{8..40+8}' --runs 40 --quiet 2>"$folder/err"
    kills=$((kills + 1))
done
expect "what was killed goes on" 0 "$(status sweep --store "$killed" --topology 'ring:{8..40+8}' --runs 40 --format json --quiet)"
expect "and has made the rest" "200 200" "$(python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
print(report["planned"], report["ran"] + report["reused"])' "$folder/out")"
expect "each run once, with its record" "200|200|200|ok" "$(ask "$killed" "SELECT count(*), count(DISTINCT key || ' ' || seed),
    (SELECT count(*) FROM records JOIN runs AS r ON r.id = run), (SELECT * FROM pragma_integrity_check) FROM runs")"

# Two sweeps at once.
both=$folder/both.sqlite
"$EVENKEEL" sweep --store "$both" --topology 'ring:{8..40+8}' --runs 20 --format csv >"$folder/one" 2>"$folder/err" &
other=$!
expect "two sweeps on one store" 0 "$(status sweep --store "$both" --topology 'ring:{8..40+8}' --runs 20 --format csv)"
wait "$other"
expect "the other of them" 0 $?
expect "together they make all once" "100 100" "$(tail -qn 1 "$folder/one" "$folder/out" | awk -F, '{ ran += $2; planned = $1 } END { print ran, planned }')"
expect "and the store has all" 100 "$(ask "$both" "SELECT count(*) FROM runs")"

# Four sweeps create one store at once.
begin_at_once() {
    for store_number in $(seq 25); do
        begun=
        for _ in 1 2 3 4; do
            "$EVENKEEL" sweep --store "$folder/begun$store_number" --topology ring:8 --runs 1 --quiet 2>>"$folder/begun.err" &
            begun="$begun $!"
        done
        for process in $begun; do
            wait "$process" || echo failed
        done
    done
}
expect "stores that four begin at once" "" "$(begin_at_once; cat "$folder/begun.err")"

# A run that another sweep has begun and does not end: the sweep waits for a minute, and reports it.
if [ "${TESTS_PART:-1}" -eq 1 ]; then
    python3 -c 'import sqlite3, sys, time
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN IMMEDIATE")
print(flush=True)
time.sleep(300)' "$folder/held" >"$folder/holds" &
    holder=$!
    soon test -s "$folder/holds"
    expect "a store that another keeps" 2 "$(timeout 120 "$EVENKEEL" sweep --store "$folder/held" --topology ring:8 --quiet 2>"$folder/err"; echo $?)"
    expect "says so" 1 "$(grep -c 'another process has locked .*/held for 60 s: try again' "$folder/err")"
    kill "$holder"
fi

# Together the shards make every run, and none twice.
for shard in 1 2 3; do
    "$EVENKEEL" sweep --store "$folder/shard$shard" --topology ring:4,ring:8 --runs 5 --shard "$shard/3" --quiet
done
expect "shards" "10 10" "$(for shard in 1 2 3; do ask "$folder/shard$shard" "SELECT key, seed FROM runs"; done | sort | uniq -c | awk '{ runs += $1 } END { print NR, runs }')"
expect "a shard that is none" 2 "$(sweep --shard 4/3)"

# A run that does not end affects no other run, and is tried again the next time, like a run that gets no core for so long.
for _ in 1 2 3 4 5 6 7 8 9 10; do
    # Words on purpose.
    # shellcheck disable=SC2086
    endless=$(sweep $waiting --topology ring:8,ring:12 --steps 10,100000000000 --timeout 1s)
    [ "$(field failed)" = 2 ] && break
done
expect "a run that does not end" 3 "$endless"
expect "costs itself alone" "4 2" "$(field planned failed)"
expect "and is no run" 2 "$(ask "$store" "SELECT count(*) FROM runs WHERE command LIKE '%--stop never%'")"
expect "and says why" "it took longer than 1 s|1" "$(ask "$store" "SELECT why, seed FROM failures WHERE command LIKE '%ring:12 %'")"
made() { # made STORE COUNT: so many runs at least are there
    [ -e "$1" ] && [ "$(ask "$1" "SELECT count(*) FROM runs" 2>/dev/null || echo 0)" -ge "$2" ]
}

# Runs that crash: a method kills its process where a load is above 950. A worker claims several runs at once, of which
# more than one may crash.
plugin crash 'view->load > 950 ? raise(SIGKILL) : share'
expect "runs that crash" "3 30 10 0" "$(timeout 300 "$EVENKEEL" sweep --plugin "$folder/crash.so" --method crash --topology ring:8 \
    --stop never --steps 5 --runs 40 --jobs 1 --store "$folder/crash" --format json >"$folder/out" 2>"$folder/err"
    echo $?) $(field ran failed left)"
expect "are reported once each" "10|10|it died of signal 9 (Killed)" "$(ask "$folder/crash" "SELECT count(*), count(DISTINCT seed), max(why) FROM failures")"

# A worker that dies while it makes no run: another one continues. The preloaded function kills a worker when it ends its
# transaction number KILL_AT, once if KILL_ONCE names a file. The first transaction stores the first run, the second the
# others.
cat >"$folder/between.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

int sqlite3_exec(void *sql, const char *text, int (*row)(void *, int, char **, char **), void *context, char **wrong)
{
    static int ends;
    int dies_with_parent = 0;
    prctl(PR_GET_PDEATHSIG, &dies_with_parent);
    if (dies_with_parent && strcmp(text, "COMMIT") == 0 && ++ends == atoi(getenv("KILL_AT")) &&
        (!*getenv("KILL_ONCE") || open(getenv("KILL_ONCE"), O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)) {
        raise(SIGKILL);
    }
    int (*real)(void *, const char *, int (*)(void *, int, char **, char **), void *, char **);
    *(void **)&real = dlsym(RTLD_NEXT, "sqlite3_exec");
    return real(sql, text, row, context, wrong);
}
END
${CC:-cc} -shared -fPIC -o "$folder/between.so" "$folder/between.c" -ldl
between() { # between KILL_AT KILL_ONCE: the status of a sweep with such a worker, and its counts
    LD_PRELOAD="$folder/between.so" KILL_AT=$1 KILL_ONCE=$2 ASAN_OPTIONS=verify_asan_link_order=0 timeout 300 "$EVENKEEL" sweep \
        --store "$folder/between$1${2:+once}" --topology ring:8 --runs 20 --jobs 1 --format json >"$folder/out" 2>"$folder/err"
    echo $?
}
for transaction in 1 2; do
    expect "a worker that dies at transaction $transaction" "0 20 0 0" "$(between $transaction "$folder/once$transaction") $(field ran failed left)"
    expect "did die" yes "$([ -e "$folder/once$transaction" ] && echo yes)"
done
expect "one that always dies" "2 evenkeel: a worker died 10 times between its runs, last of signal 9 (Killed): choose fewer jobs" \
    "$(between 1 "") $(cat "$folder/err")"

# A worker whose run takes too long is killed when it has just begun the next run: that one has not failed and is made
# again. The preloaded kill() waits until the long run is in the store.
cat >"$folder/late.c" <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int kill(pid_t process, int number)
{
    while (number == SIGKILL && access(getenv("KILL_WHEN"), F_OK) != 0) {
        usleep(1000);
    }
    return (int)syscall(SYS_kill, process, number);
}
END
long_made() {
    made "$folder/late" 1 && [ "$(ask "$folder/late" "SELECT count(*) FROM runs WHERE seconds_max = 3")" = 1 ]
}
${CC:-cc} -shared -fPIC -o "$folder/late.so" "$folder/late.c"
# shellcheck disable=SC2086
LD_PRELOAD="$folder/late.so" KILL_WHEN="$folder/kill" ASAN_OPTIONS=verify_asan_link_order=0 "$EVENKEEL" sweep --store "$folder/late" \
    $waiting --topology ring:8 --for 3s,1s,1001ms,1002ms --timeout 2s --jobs 1 --format json >"$folder/out" 2>"$folder/err" &
soon long_made
sleep 0.2
: >"$folder/kill"
wait $!
expect "a worker that is killed late" "0 4 0" "$? $(field ran failed)"

# Ctrl-C keeps the runs that ended.
"$EVENKEEL" sweep --store "$folder/interrupted" --topology ring:64 --stop never --steps 10000 --runs 5000 --format json >"$folder/out" 2>"$folder/err" &
sweeping=$!
soon made "$folder/interrupted" 1
kill -TERM "$sweeping" # a shell lets what it starts behind it ignore SIGINT
wait "$sweeping"
expect "a sweep that is interrupted" "3 True" "$? $(field interrupted)"
expect "keeps what it has made" "$(field ran)" "$(ask "$folder/interrupted" "SELECT count(*) FROM runs")"
expect "and says so" 1 "$(grep -c 'interrupted with [0-9,]* of 5,000 runs done: run the same command again to continue$' "$folder/err")"

# A run that Ctrl-C ends is no result: it is not in the store, and the next sweep makes it.
interrupted() { # interrupted WORDS...: two runs of 3 s, one after the other
    # shellcheck disable=SC2086
    "$EVENKEEL" sweep --store "$folder/cut" $waiting --topology ring:8,ring:12 --for 3s --jobs 1 "$@"
}
interrupted --format json >"$folder/out" 2>"$folder/err" &
soon made "$folder/cut" 1
sleep 0.5
# The shell has forked for the function; its child is the sweep.
pkill -TERM -P $! || kill -TERM $!
wait $!
expect "a long run that is interrupted" "3 2 1 1" "$? $(field planned ran left)"
expect "is not in the store" "1 time" "$(ask "$folder/cut" "SELECT count(*), max(ended) FROM runs" | tr '|' ' ')"
interrupted --format json >"$folder/out"
expect "and is made the next time" "2 1 1 0" "$(field planned ran reused left)"
expect "to its end" "2 time time" "$(ask "$folder/cut" "SELECT count(*), min(ended), max(ended) FROM runs" | tr '|' ' ')"
# shellcheck disable=SC2086
expect "a limit of more than a second" "0 1 0" "$(status sweep --store "$folder/limit" $waiting --topology ring:8 --for 1500ms --timeout 60s --format json) $(field ran failed)"

# What a sweep says at its end.
end_of() { # end_of WORDS...: the conclusion of a sweep into its own store
    "$EVENKEEL" sweep --store "$folder/ends" "$@" 2>"$folder/err" | grep '^The store'
}
expect "all runs" "The store has all 6 runs." "$(end_of --topology ring:8,ring:16 --runs 3)"
expect "some were cut" "The store has all 6 runs; 3 of this sweep ended before the criterion, so their counts are lower bounds." \
    "$(end_of --topology ring:8,ring:16 --runs 3 --steps 20 --method adf | sed 's/; [0-9]* of/; 3 of/')"
expect "one" "1 of this sweep ended before the criterion, so its counts are lower bounds" "$(end_of --topology ring:8 --steps 2 | grep -o '1 of .* bounds')"
expect "some were refused" "The store has all 2 runs that were not refused." "$(end_of --topology ring:8 --runs 2 --units tokens --method ade,twa)"
expect "all but one were refused" "The store has the run that was not refused." "$(end_of --topology ring:8 --units tokens --method ade,twa)"
expect "one run" "The store has the run." "$(end_of --topology ring:8)"
for refusals in 10 11; do
    "$EVENKEEL" sweep --store "$folder/ends" --topology "ring:{1..$refusals+1}3" --units tokens --method ade,twa >"$folder/out" 2>"$folder/err"
    expect "$refusals refusals: ten are shown, and that there are more" "10 $((refusals - 10))" \
        "$(grep -c '^  *1 run of evenkeel run' "$folder/out") $(grep -c '^  *and 1 more: --format json has all$' "$folder/out")"
done
expect "a dry run with a store" "0 6 3 3" "$(status sweep --store "$folder/ends" --topology ring:8 --runs 6 --dry-run --format json) $(field planned missing reused)"
# shellcheck disable=SC2086
expect "some runs" 0 "$(status sweep --store "$folder/ends" $waiting --topology ring:8 --runs 3 --steps 5 --quiet)"
# shellcheck disable=SC2086
status sweep --store "$folder/ends" $waiting --topology ring:8 --runs 3 --steps 5,100000000000 --timeout 1s --quiet >"$folder/status"
expect "what is missing after a resume" "3 only 3 of 6 runs done: run the same command again to continue" \
    "$(cat "$folder/status") $(sed -n 's/^evenkeel: //p' "$folder/err")"

# On a terminal a line shows the progress and the time left; it is removed at the end.
expect "the line on a terminal" "yes yes" "$(python3 - "$EVENKEEL" "$folder" <<'END'
import os, pty, re, sys
said = b""
process, terminal = pty.fork()
if process == 0:
    os.environ["TERM"] = "xterm"
    os.execl(sys.argv[1], "evenkeel", "sweep", "--topology", "ring:8", "--for", "80ms", "--jobs", "1", "--stop", "never", "--runs", "40",
             "--plugin", sys.argv[2] + "/waiting.so", "--method", "waiting", "--store", sys.argv[2] + "/terminal")
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    said += part
os.waitpid(process, 0)
lines = re.findall(rb"\r([0-9]+) of 40 runs, [0-9.]+ m?s, about [0-9.]+ m?s to go\x1b\[K", said)
good = lines and list(map(int, lines)) == sorted(map(int, lines)) and b"about 0 us" not in said
print("yes" if good else said, "yes" if b"\r\x1b[Kstore" in said else said)
END
)"

# A full disk.
mkdir "$folder/small"
cat >"$folder/full.sh" <<'END'
mount -t tmpfs -o size=400k none "$1/small" || exit 77
"$EVENKEEL" sweep --store "$1/small/store" --topology ring:8 --runs 1000 --quiet
echo $? >"$1/status"
cp "$1/small/store"* "$1/"
END
EVENKEEL=$(realpath "$EVENKEEL") unshare -rm sh "$folder/full.sh" "$folder" 2>"$folder/err"
if [ -e "$folder/status" ]; then
    expect "a full disk" 2 "$(cat "$folder/status")"
    expect "says so" 1 "$(grep -c 'cannot grow, because its disk is full' "$folder/err")"
    mv "$folder/store" "$folder/grown" && mv "$folder/store-wal" "$folder/grown-wal" 2>/dev/null
    rm -f "$folder/store-shm"
    expect "with room it goes on" 0 "$(status sweep --store "$folder/grown" --topology ring:8 --runs 1000 --format json --quiet)"
    expect "and keeps what it had" "1000 True" "$(python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
print(report["ran"] + report["reused"], report["reused"] > 10)' "$folder/out")"
else
    echo "skipped: a full disk, for nobody may mount one here"
fi

# A file that is not a store.
echo text that is no store, and longer than the head of one would have to be, or nearly so >"$folder/none"
expect "a store that is none" 2 "$(status sweep --store "$folder/none")"
expect "says so" 1 "$(grep -c 'is not a store: it is not an SQLite file' "$folder/err")"

# Typing errors, with a caret under each.
refused() { # refused SENTENCE WORDS...
    sentence=$1
    shift
    expect "sweep $*" "2 $sentence" "$(status sweep "$@" --store "$folder/unused" | tr '\n' ' ')$(sed '1s/^evenkeel: //' "$folder/err" | tr '\n' '~')"
}
refused "this brace is not closed: write {x,y} or {a..b}~  --topology ring:8,ring:{4~                         ^~" --topology 'ring:8,ring:{4'
refused "topology and method are zipped but have different numbers of values: give both equally many~  --zip topology,method~                 ^~" \
    --topology ring:4,ring:8 --method ade --zip topology,method
refused "--runs needs a single seed: remove --runs, or the list of seeds~  --seed 1..4~         ^~" --seed 1..4 --runs 3
refused "there is no value of --print called 'page': choose one of line, file~  --print page~          ^~" --print page
refused "the K of --shard K/N must be a whole number from 1 to 1000000~  --shard 0/3~          ^~" --shard 0/3
refused "$folder/nofile cannot be opened (No such file or directory): check the path~" --file "$folder/nofile"
refused "all runs were refused: twa balances chains and trees only: use one, as in chain:16, tree:2:4 or star:8, or the method dde~" --quiet --method twa --units tokens
expect "none of which makes a store, but the last" 0 "$(ask "$folder/unused" "SELECT count(*) FROM runs")"

# Experiments as a file, and back.
cat >"$folder/file" <<'END'
# Sizes and units.
[global]
seed = 1..3
method = ade, fos
[sizes]
topology = ring:{4..8*2},
    torus:4x4
[pairs]
topology = ring:4,ring:8
load = peak:4,peak:8
zip = topology,load
overlaps = true,false
END
sed -i 's/ade, fos/ade,fos/' "$folder/file"
expect "a file as lines" "evenkeel sweep --topology 'ring:{4..8*2},torus:4x4' --method ade,fos --seed 1..3
evenkeel sweep --topology ring:4,ring:8 --method ade,fos --load peak:4,peak:8 --seed 1..3 --overlaps=true,false --zip topology,load" \
    "$("$EVENKEEL" sweep --file "$folder/file" --print line)"
"$EVENKEEL" sweep --file "$folder/file" --print line | while read -r line; do
    sh -c "$EVENKEEL ${line#evenkeel } --print file" | sed -n '2,$p'
done >"$folder/again"
"$EVENKEEL" sweep --file "$folder/file" --print file | sed '/^$/d; /^\[/d' >"$folder/printed"
expect "and back" "" "$(diff "$folder/again" "$folder/printed")"
expect "its runs" 0 "$(status sweep --file "$folder/file" --store "$folder/of_file" --format json --quiet)"
expect "are those of the lines" "42 42 0" "$(field planned ran reused)"
for n in 1 2; do
    sh -c "$("$EVENKEEL" sweep --file "$folder/file" --print line | sed -n "${n}s|^evenkeel|$EVENKEEL|p") --store $folder/of_file --format csv" | tail -n 1
done >"$folder/lines"
expect "which are all there" "18,0,18 24,0,24" "$(cut -d, -f1-3 "$folder/lines" | tr '\n' ' ' | sed 's/ $//')"

# The estimate of a trial run, which leaves nothing in the store.
expected() { # expected: whether time and size are such as such runs take
    python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
print(0.001 < report["expected_s"] < 600 and 100000 < report["expected_bytes"] < 10000000)' "$folder/out"
}
for _ in 1 2 3 4 5; do # a trial run that got no core for seconds takes a hundred times as long in hundred runs
    tried=$(status sweep --store "$folder/dry" --topology 'ring:{4..16*2}' --runs 100 --dry-run --format json)
    [ "$(expected)" = True ] && break
done
expect "a dry run" 0 "$tried"
expect "its counts" "300 300 103" "$(field planned missing measured)"
expect "its time and size" True "$(expected)"
refused "--dry-run prints a table, or --format json~" --dry-run --format csv
expect "which leaves nothing behind" no "$([ -e "$folder/dry" ] && echo yes || echo no)"
expect "of one run" "0 1" "$(status sweep --store "$folder/tiny" --topology ring:8 --runs 1 --dry-run
) $(grep -c '^ *estimated from 1 run, not stored' "$folder/out")"
expect "a run for it" 0 "$(status sweep --store "$folder/whole" --topology ring:8 --runs 1 --quiet)"
expect "of a store that has it" "0 to run nothing: the store has all runs" \
    "$(status sweep --store "$folder/whole" --topology ring:8 --runs 1 --dry-run) $(conclusion | tr -s ' ')"
for runs in 1 2; do # for which the pages of an empty store have room
    tried=$(status sweep --store "$folder/tiny$runs" --topology ring:8 --runs $runs --dry-run --format json)
    expect "what $runs take" "$tried $(field expected_bytes)" "$(status sweep --store "$folder/tiny$runs" --topology ring:8 --runs $runs --quiet
    ) $(stat -c %s "$folder/tiny$runs").0"
done

result
