#!/bin/sh
# SPDX-License-Identifier: MIT
# What README says of a machine that gives way, in "When something gives way": few threads, cores that others keep busy, a disk
# that is full, a reader or a terminal that is gone. What this system does not let a test make is skipped, and that is said.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh

free="run --timing free --topology ring:8 --carrier pool:2 --stop never"
said() { # said PATTERN: whether the one sentence on standard error matches
    grep -Eqx "evenkeel: $1" "$folder/err" && echo yes
}

# Few threads. The limit of root is none, so somebody else is asked.
few() { # few THREADS WORDS...: the exit status
    limit=$1
    shift
    if [ "$(id -u)" = 0 ]; then
        set -- setpriv --reuid=65534 --regid=65534 --clear-groups "$EVENKEEL" "$@"
    else
        set -- "$EVENKEEL" "$@"
    fi
    # A search for leaks at the end would need a thread of its own.
    ASAN_OPTIONS=detect_leaks=0 prlimit --nproc="$limit" "$@" >"$folder/out" 2>"$folder/err"
    echo $?
}
if [ "$(few 50 run --topology ring:8 --quiet)" = 0 ]; then
    expect "too many threads" 2 "$(few 50 run --topology torus:8x8)"
    expect "which limit" yes "$(said '64 threads are needed and ulimit -u allows [0-9]+: raise this limit, .* or choose carrier pool')"
    expect "faults take one more" 2 "$(few 9 run --topology ring:8 --timing free --faults link:1 --quiet)"
    expect "a pool" 0 "$(few 50 run --topology torus:8x8 --carrier pool --quiet)"
    expect "doctor" 0 "$(few 50 doctor)"
    expect "it says so" 1 "$(grep -c '^threads .* up to [0-9]* processors, bound by ulimit -u;' "$folder/out")"
    expect "torture skips what it cannot carry" 0 "$(few 20 torture --runs 12 --quiet)"
    expect "and says so" yes "$(said '[0-9]+ of 12 runs refused, first that of seed [0-9]+: .*')"
    expect "none failed" 1 "$(grep -c '^torture: [0-9]* runs\{0,1\} in .*, 0 failed, [0-9]* refused: ' "$folder/out")"
    expect "torture that can carry nothing" 2 "$(few 1 torture --runs 3 --quiet)"
    expect "all of it" yes "$(said '3 of 3 runs refused, first that of seed 1: .*')"
else
    echo "skipped: few threads, for this build does not run as somebody else, or others of this user run already"
fi

# Cores that are busy with something else, and more important.
busy=
for _ in 1 2; do
    (while :; do :; done) &
    busy="$busy $!"
done
# Words on purpose, here and below.
# shellcheck disable=SC2086
trap 'kill $busy; rm -rf "$folder"' EXIT
for words in "run --topology ring:8 --method ade" "run --topology ring:8 --timing free --method adf --stop spread:9"; do
    # shellcheck disable=SC2086
    expect "nice 12 beside busy loops: $words" 0 "$(nice -n 12 timeout 150 "$EVENKEEL" $words --quiet 2>"$folder/err"; echo $?)"
done
# shellcheck disable=SC2086
kill $busy
trap 'rm -rf "$folder"' EXIT

# A full disk.
"$EVENKEEL" run --carrier pool:1 --out "$folder/o" --quiet
for words in "run --carrier pool:1" "run --carrier pool:1 --format json" "run --carrier pool:1 --format csv" list doctor help \
    "list --format json" "list method --format json" "doctor --format json" "theory --topology ring:6 --format json" \
    "torture --runs 1 --format json" "explore --schedules 2 --format json" "show $folder/o/run.json --format json" \
    "rank --topology ring:6 --format json" version "help --man" "explain ade" "theory --topology ring:6" "show $folder/o/run.json" "torture --runs 1"; do
    # shellcheck disable=SC2086
    expect "a full disk: $words" 2 "$("$EVENKEEL" $words >/dev/full 2>"$folder/err"; echo $?)"
    expect "it is said" yes "$(said 'standard output could not be written \(No space left on device\)')"
done
# The inner shell's words.
# shellcheck disable=SC2016
small='mount -t tmpfs -o size=64k tmpfs "$0" && "$@"; echo $? >"$0.status"; find "$0" -mindepth 1 >"$0.left"'
mkdir "$folder/small"
# shellcheck disable=SC2016
if unshare -rm sh -c 'mount -t tmpfs tmpfs "$0"' "$folder/small" 2>/dev/null; then
    unshare -rm sh -c "$small" "$folder/small" "$EVENKEEL" run --topology ring:500 --carrier pool:1 --out "$folder/small/o" \
        --quiet 2>"$folder/err"
    expect "--out on a full disk" 2 "$(cat "$folder/small.status")"
    expect "it says which file" yes "$(said "$folder/small/o/[a-z.]* could not be written \(No space left on device\): .*")"
    expect "and leaves nothing" "" "$(cat "$folder/small.left")"
else
    echo "skipped: a small disk, which this system does not let a test mount"
fi

# A reader that is gone.
gone() { # gone: a reader that goes, and says so
    exec <&-
    touch "$folder/gone"
}
# shellcheck disable=SC2086
{
    (
        trap '' PIPE
        soon test -e "$folder/gone"
        "$EVENKEEL" $free --for 200ms 2>"$folder/err"
        echo $? >"$folder/status"
    ) | gone
}
expect "a pipe that nobody reads" 2 "$(cat "$folder/status")"
rm "$folder/gone"
expect "it is said then" yes "$(said 'standard output could not be written \(Broken pipe\)')"
# shellcheck disable=SC2086
{ (soon test -e "$folder/gone"; "$EVENKEEL" $free --for 200ms 2>"$folder/err"; echo $? >"$folder/status") | gone; }
expect "a pipe that ends it" "141 " "$(cat "$folder/status") $(cat "$folder/err")"
expect "a closed standard output" 2 "$("$EVENKEEL" list 2>"$folder/err" >&-; echo $?)"
expect "that is said" yes "$(said 'standard output could not be written \(Bad file descriptor\)')"

# A terminal that is gone: the run ends as by Ctrl-C, and its files are written.
cat >"$folder/close.py" <<'END'
import os
import pty
import sys
import time

pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
while len(os.listdir("/proc/%d/task" % pid)) < 3:
    time.sleep(0.01)
time.sleep(0.1)
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
# shellcheck disable=SC2086
expect "a closed terminal" 3 "$(timeout 300 python3 "$folder/close.py" "$EVENKEEL" $free --for 50s --out "$folder/t" --quiet)"
expect "what it has" 1 "$(grep -c '"ended": "interrupt"' "$folder/t/run.json")"
# shellcheck disable=SC2086
expect "and a report for it" 2 "$(timeout 300 python3 "$folder/close.py" "$EVENKEEL" $free --for 50s --out "$folder/u")"
expect "what that has" 1 "$(grep -c '"ended": "interrupt"' "$folder/u/run.json")"
trap '' HUP
# shellcheck disable=SC2086
"$EVENKEEL" $free --for 500ms --format csv >"$folder/out" 2>"$folder/err" &
pid=$!
trap - HUP
sleep 0.2
kill -HUP "$pid"
wait "$pid"
expect "nohup" "0 1" "$? $(grep -c ',time,' "$folder/out")"

result
