#!/bin/sh
# SPDX-License-Identifier: MIT
# A run that would take more memory than may be used is refused before it takes it: by ulimit, and by a control group
# where this machine lets a test make one. Under sanitizers more is mapped than a ulimit allows: the group alone.
# Every sh that we know has this limit.
# shellcheck disable=SC3045
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh

small="run --topology torus:30x30 --method adf --carrier pool:1"
large="run --topology torus:2000x2000 --method matching --carrier pool:1 --steps 1 --stop never"
bound() { # bound LIMIT: whether the sentence says how much of how much, by which limit
    grep -Eq "^evenkeel: this takes some [0-9]+ MiB .*, and [0-9]+ MiB may be used, bound by $1: use a smaller" \
        "$folder/err" && echo yes
}

if (ulimit -v 400000 && "$EVENKEEL" version) >/dev/null 2>&1; then
    for words in "$large" "run --topology complete:30000 --method adf --carrier pool" \
        "run --topology complete:30000 --timing free --method adf --carrier pool"; do
        # Words on purpose, here and below.
        # shellcheck disable=SC2086
        expect "$words" 2 "$(ulimit -v 400000 && status $words)"
        expect "$words: why" yes "$(bound "ulimit -v")"
    done
    # shellcheck disable=SC2086
    expect "$small" 0 "$(ulimit -v 400000 && status $small)"
    expect "too many stacks" 2 "$(ulimit -v 400000 && status run --topology ring:6000 --method adf)"
    expect "too many stacks: what to do" yes "$(grep -q "or carrier pool$" "$folder/err" && echo yes)"

    # The tasks of a program: too many at the begin, and too many children. The second run may hold about 20 MiB of them.
    outgrown() { # outgrown: whether the sentence says how many tasks are held, and what memory there is
        grep -Eq "outgrow the memory: processors hold [0-9]{6,} of them, and there are [0-9]{1,3} MiB" "$folder/err" &&
            echo yes
    }
    bag="run --topology ring:4 --carrier pool:1 --method none --tasks bag:constant:1 --load peak:40000000"
    # shellcheck disable=SC2086
    expect "too many first tasks" 2 "$(ulimit -v 400000 && status $bag)"
    expect "too many first tasks: why" yes "$(outgrown)"
    for_tasks=$(sed -n 's/.*there are \([0-9]*\) MiB for.*/\1/p' "$folder/err")
    tree="run --topology ring:4 --carrier pool:1 --method none --tasks uts:bin:1000000:0.1:2:1"
    for timing in rounds free virtual; do
        tight=$((400000 - 1024 * (for_tasks - 20) * 8 / 7))
        [ "$timing" = free ] && tight=$((tight + 40000)) # the logs of operations
        # shellcheck disable=SC2086
        expect "too many children in $timing" 2 "$(ulimit -v $tight && status $tree --timing $timing)"
        expect "too many children in $timing: why" yes "$(outgrown)"
    done
    # shellcheck disable=SC2086
    expect "not too many" 0 "$(ulimit -v 400000 && status $tree)"

    # What one thread explores, and makes again, takes no stacks: 1024 of them would be 69 MiB.
    explored="explore --topology torus:32x32 --load peak:6400 --schedules 1 --turns 1000 --jobs 1 --record $folder/cut.ek"
    # shellcheck disable=SC2086
    expect "explore counts no threads" 0 "$(ulimit -v 110000 && status $explored)"
    expect "replay counts none" 0 "$(ulimit -v 110000 && status replay "$folder/cut.ek")"
    expect "explore, too large" 2 "$(ulimit -v 60000 && status explore --topology torus:64x64 --jobs 1)"
    expect "explore, too large: by what" yes \
        "$(bound "ulimit -v" | grep -q yes && ! grep -q threads "$folder/err" && echo yes)"
    # The run alone fits now, but not with the image that every schedule begins from, of 11 MiB.
    taken=$(sed -n 's/.*takes some \([0-9]*\) MiB.*/\1/p' "$folder/err")
    left=$(sed -n 's/.*and \([0-9]*\) MiB may.*/\1/p' "$folder/err")
    roomy=$((60000 + 1024 * (taken - left + 4)))
    expect "explore, image" 2 "$(ulimit -v $roomy && status explore --topology torus:64x64 --jobs 1)"
    expect "explore, image: why" yes "$(bound "ulimit -v")"
else
    echo "skipped: this build does not run under ulimit -v"
fi

made=no
for group in /sys/fs/cgroup/memory/evenkeel.$$ /sys/fs/cgroup/evenkeel.$$; do
    if [ "$made" = yes ] || ! mkdir "$group" 2>/dev/null; then
        continue
    fi
    for limit in memory.limit_in_bytes memory.max; do
        if [ -e "$group/cgroup.procs" ] && [ -e "$group/$limit" ] && echo 200M >"$group/$limit"; then
            made=yes
        fi
    done 2>/dev/null
    if [ "$made" = yes ]; then
        in_group() { # in_group WORDS...: the exit status
            # The inner shell's words.
            # shellcheck disable=SC2016
            sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$EVENKEEL" "$@" >"$folder/out" 2>"$folder/err"
            echo $?
        }
        expect "doctor" 0 "$(in_group doctor)"
        expect "doctor says so" yes "$(grep '^memory' "$folder/out" |
            grep -Eq "1[0-9]{2}.* MiB of .* may be used, bound by the control group's memory limit$" && echo yes)"
        # shellcheck disable=SC2086
        expect "too much for a group" 2 "$(in_group $large)"
        expect "too much for a group: why" yes "$(bound "the control group's memory limit")"
        # shellcheck disable=SC2086
        expect "little enough for a group" 0 "$(in_group $small)"
    fi
    rmdir "$group"
done
[ "$made" = yes ] || echo "skipped: no control group of a test's own with a memory limit can be made here"

result
