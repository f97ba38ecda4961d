#!/bin/sh
# SPDX-License-Identifier: MIT
# Imports run downwards only: cli > threads > core > topologies, and cli/ sees of the library the public headers alone.
# topologies/ and core/ include no header of threads, locks, clocks or files. Planted breaches must be found.
set -u
cd "$(dirname "$0")/.." || exit 1

# upward_imports ROOT: each include that breaks the rule, as FILE:LINE: "header".
upward_imports() {
    (cd "$1" && grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.[ch]' topologies core threads cli) | awk '
        BEGIN {
            rank["topologies"] = 1; rank["core"] = 2; rank["threads"] = 3; rank["cli"] = 4
            public["topologies/topology.h"] = public["core/method.h"] = public["threads/run.h"] = 1
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
                        (folder == "cli" && above != "cli" && !(name in public))
            }
            if (wrong) {
                split($0, place, ":")
                print place[1] ":" place[2] ": " header
            }
        }'
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
mkdir -p "$plant/topologies" "$plant/core/methods" "$plant/threads" "$plant/cli"

planted() { # planted FILE HEADER WANTED: one include in an otherwise empty house
    echo "#include $2" >"$plant/$1"
    expect "$1 with $2" "$3" "$(upward_imports "$plant")"
    rm "$plant/$1"
}
planted topologies/a.c '"core/method.h"' 'topologies/a.c:1: "core/method.h"'
planted topologies/a.c '<pthread.h>' 'topologies/a.c:1: <pthread.h>'
planted core/methods/a.c '"threads/run.h"' 'core/methods/a.c:1: "threads/run.h"'
planted core/a.h '"../cli/text.h"' 'core/a.h:1: "../cli/text.h"'
planted threads/a.c '"cli/text.h"' 'threads/a.c:1: "cli/text.h"'
planted cli/a.c '"core/block.h"' 'cli/a.c:1: "core/block.h"'
planted cli/a.c '"threads/run.h"' ''
planted threads/a.c '<pthread.h>' ''
planted core/a.c '"topologies/scan.h"' ''

expect "imports that run upwards" "" "$(upward_imports .)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
