#!/bin/sh
# SPDX-License-Identifier: MIT
# Imports run downwards only: cli > lab > threads > core > topologies > base, and lab/ and cli/ see of the library base/
# and the public headers alone. topologies/ and core/ include no header of threads, locks, clocks or files. And no files of the house
# call each other in a circle, by what their objects define and use. Planted breaches must be found.
set -u
cd "$(dirname "$0")/../.." || exit 1
rooms="base topologies core threads lab cli"

# upward_imports ROOT: each include that breaks the rule, as FILE:LINE: "header".
upward_imports() {
    # Words on purpose.
    # shellcheck disable=SC2086
    (cd "$1" && grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.[ch]' $rooms) | awk '
        BEGIN {
            rank["base"] = 0; rank["topologies"] = 1; rank["core"] = 2; rank["threads"] = 3; rank["lab"] = 4; rank["cli"] = 5
            public["base/common.h"] = public["topologies/topology.h"] = public["core/method.h"] = public["threads/api/run.h"] = public["threads/api/replay.h"] = 1
            public["threads/api/explore.h"] = 1
            impure = "^<(pthread|threads|stdatomic|semaphore|time|signal|unistd|fcntl|sched|sys/|urcu|hwloc)"
        }
        {
            folder = substr($0, 1, index($0, "/") - 1)
            match($0, /["<][^">]*[">]/)
            header = substr($0, RSTART, RLENGTH)
            name = substr(header, 2, RLENGTH - 2)
            above = substr(name, 1, index(name, "/") - 1)
            if (header ~ /^</) {
                wrong = rank[folder] <= 2 && header ~ impure
            } else {
                wrong = !(above in rank) || rank[above] > rank[folder] || \
                        (rank[folder] >= 4 && rank[above] >= 1 && rank[above] <= 3 && !(name in public))
            }
            if (wrong) {
                split($0, place, ":")
                print place[1] ":" place[2] ": " header
            }
        }'
}

# circles OBJECTS...: the objects that use one another in a circle.
circles() {
    nm -A -g "$@" | awk '
        { file = $1; sub(/:.*/, "", file) }
        $(NF - 1) == "U" { uses[++count] = file; used[count] = $NF; next }
        { home[$NF] = file }
        END {
            for (i = 1; i <= count; i++) {
                if (used[i] in home && home[used[i]] != uses[i]) {
                    print uses[i], home[used[i]]
                }
            }
        }' | sort -u | tsort 2>&1 >/dev/null | sed -n 's/^tsort: \(.*\.o\)$/\1/p' | sort -u
}

passed=0
failed=0
expect() { # expect WHAT WANTED FOUND
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s:\n%s\n' "$1" "$3"
    fi
}

plant=$(mktemp -d)
trap 'rm -rf "$plant"' EXIT
mkdir -p "$plant/topologies" "$plant/core/methods" "$plant/base" "$plant/threads/free" "$plant/lab" "$plant/cli/report"

planted() { # planted FILE HEADER WANTED: one include in an otherwise empty house
    echo "#include $2" >"$plant/$1"
    expect "$1 with $2" "$3" "$(upward_imports "$plant")"
    rm "$plant/$1"
}
planted topologies/a.c '"core/method.h"' 'topologies/a.c:1: "core/method.h"'
planted topologies/a.c '<pthread.h>' 'topologies/a.c:1: <pthread.h>'
planted core/methods/a.c '"threads/api/run.h"' 'core/methods/a.c:1: "threads/api/run.h"'
planted core/a.h '"../cli/text.h"' 'core/a.h:1: "../cli/text.h"'
planted threads/free/a.c '"cli/terminal/text.h"' 'threads/free/a.c:1: "cli/terminal/text.h"'
planted threads/a.c '"lab/record/record.h"' 'threads/a.c:1: "lab/record/record.h"'
planted lab/a.c '"cli/terminal/text.h"' 'lab/a.c:1: "cli/terminal/text.h"'
planted lab/a.c '"threads/machine/machine.h"' 'lab/a.c:1: "threads/machine/machine.h"'
planted cli/report/a.c '"core/methods/kernels/block.h"' 'cli/report/a.c:1: "core/methods/kernels/block.h"'
planted cli/a.c '"threads/api/run.h"' ''
planted lab/a.c '"base/error.h"' ''
planted cli/a.c '"lab/record/record.h"' ''
planted threads/a.c '<pthread.h>' ''
planted core/a.c '"topologies/family.h"' ''
planted base/a.c '"topologies/topology.h"' 'base/a.c:1: "topologies/topology.h"'
planted topologies/a.c '"base/cursor.h"' ''

# objects NUMBER...: an object for each, in which the function of that number calls that of the next argument.
objects() {
    while [ $# -gt 1 ]; do
        echo "void f$1(void); void f$2(void); void f$1(void) { f$2(); }" >"$plant/$1.c"
        gcc -c "$plant/$1.c" -o "$plant/$1.o"
        shift
    done
}
objects 1 2 3 4
expect "a row of calls" "" "$(circles "$plant/1.o" "$plant/2.o" "$plant/3.o")"
objects 1 2 3 1
expect "a circle of calls" "$plant/1.o $plant/2.o $plant/3.o" \
    "$(circles "$plant/1.o" "$plant/2.o" "$plant/3.o" | tr '\n' ' ' | sed 's/ $//')"

expect "imports that run upwards" "" "$(upward_imports .)"
found=0
list=$(mktemp)
for room in $rooms; do # cli/mpi becomes an object that is opened, not one of these
    find "$room" -name '*.c' ! -path 'cli/mpi/*' | sed 's|\(.*\)\.c$|build/\1.o|'
done >"$list"
while read -r object; do
    [ -e "$object" ] && found=$((found + 1))
done <"$list"
expect "objects that are built" "$(wc -l <"$list")" "$found"
# shellcheck disable=SC2046
expect "files that call each other in a circle" "" "$(circles $(cat "$list"))"
rm -f "$list"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
