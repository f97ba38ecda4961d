#!/bin/sh
# SPDX-License-Identifier: MIT
# What the command does with the cores that it was given: by taskset, and by a control group's quota where this machine
# lets a test make one.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh

first=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
total=$("$EVENKEEL" doctor | sed -n 's/^cores .* of \([0-9]*\) may be used.*/\1/p')
given="run --topology ring:8000 --method adf --carrier pool --steps 1 --stop never --format json"
workers() { # workers COMMAND...: how many a pool of 8,000 processors takes
    # Words on purpose.
    # shellcheck disable=SC2086
    "$@" "$EVENKEEL" $given | sed -n 's/.*"carrier": "pool:\([0-9]*\)".*/\1/p'
}
cores() { # cores COMMAND...: what doctor says of them
    "$@" "$EVENKEEL" doctor | grep '^cores'
}

expect "as many workers as cores" "$(cores env | sed 's/^cores *\([0-9]*\) .*/\1/')" "$(workers env)"
expect "one core, one worker" 1 "$(workers taskset -c "$first")"
if [ "$total" -gt 1 ]; then
    expect "why" "1 core of $total may be used, bound by the CPU mask ($first): by default a pool has as many workers" \
        "$(cores taskset -c "$first" | sed 's/^cores *//')"
fi

# A group of half a core, of either version.
for group in /sys/fs/cgroup/cpu/evenkeel.$$ /sys/fs/cgroup/evenkeel.$$; do
    if ! mkdir "$group" 2>/dev/null; then
        continue
    fi
    if [ "$total" -gt 1 ] && [ -e "$group/cgroup.procs" ] && { echo 50000 >"$group/cpu.cfs_quota_us" || echo "50000 100000" >"$group/cpu.max"; } 2>/dev/null; then
        # The inner shell's words.
        # shellcheck disable=SC2016
        in_group='echo $$ >"$0/cgroup.procs" && exec "$@"'
        expect "a quota of half a core" 1 "$(workers sh -c "$in_group" "$group")"
        expect "doctor says so" yes \
            "$(cores sh -c "$in_group" "$group" | grep -q "the control group's quota of 0.5 cores" && echo yes)"
    fi
    rmdir "$group"
done

result
