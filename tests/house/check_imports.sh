#!/bin/sh
# SPDX-License-Identifier: MIT
# Imports run downwards only. The table below lists the rooms of the house from low to high: a file includes headers of
# its own room and of the rooms on lower lines, and its code calls functions of these rooms only. Of the library lab/ and
# cli/ see base/ and the public headers. base/, topologies/ and core/ include no header of threads, locks, clocks or files.
# No files call each other in a circle. Each check is tried on planted violations.
set -u
cd "$(dirname "$0")/../.." || exit 1
floors="base topologies core threads lab cli"

# A room is a folder or a file; what lies below it belongs to it unless the table lists that as a room of its own. Rooms on
# one line do not know each other.
rooms='
base
topologies
topologies/spectra
topologies/families topologies/files
topologies/registry.c
core
core/axes
core/steps core/links core/cargo core/domains core/programs core/objects
core/theory
core/methods/kernels
core/methods/lines
core/methods
threads/api
threads/host
threads/mail
threads/watch
threads/ranks
threads/machine
threads/cargo
threads/rounds threads/free
threads/rounds/over_ranks threads/free/control
threads/free/over_ranks
threads/drivers/threads threads/drivers/recorder threads/drivers/virtual
threads/drivers/porters threads/drivers/replay
threads/drivers/explore
threads/drivers
threads/experiment
lab
cli/terminal cli/mpi
cli/line
cli/figures
cli/tables
cli/report
cli/page
cli/commands
cli
'

# Functions of awk: the rank of a path's room, and whether a file may use another.
house='
    function learn(table,    line, n, i, name, m, j) {
        n = split(table, line, "\n")
        for (i = 1; i <= n; i++) {
            m = split(line[i], name, " ")
            for (j = 1; j <= m; j++) {
                rank[name[j]] = i
            }
        }
    }
    function room(path) {
        while (!(path in rank) && sub("/[^/]*$", "", path)) {
        }
        return path
    }
    function may_use(user, used,    here, there) {
        here = room(user)
        there = room(used)
        return (here in rank) && (there in rank) && (here == there || rank[there] < rank[here])
    }'

# upward_imports ROOT: each include that breaks a rule, as FILE:LINE: "header".
upward_imports() {
    # Words on purpose.
    # shellcheck disable=SC2086
    (cd "$1" && grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.[ch]' $floors) | awk -v rooms="$rooms" "$house"'
        BEGIN {
            learn(rooms)
            split("topologies/topology core/method core/program core/register", part, " ")
            for (i in part) public[part[i] ".h"] = 1
            split("ranks axis experiment measures report prepared run turn replay explore", part, " ")
            for (i in part) public["threads/api/" part[i] ".h"] = 1
            impure = "^<(pthread|threads|stdatomic|semaphore|time|signal|unistd|fcntl|sched|sys/|urcu|hwloc)"
        }
        {
            split($0, place, ":")
            file = place[1]
            match($0, /["<][^">]*[">]/)
            header = substr($0, RSTART, RLENGTH)
            name = substr(header, 2, RLENGTH - 2)
            if (header ~ /^</) {
                wrong = file ~ /^(base|topologies|core)\// && header ~ impure
            } else {
                wrong = !may_use(file, name) ||
                        (file ~ /^(lab|cli)\// && name ~ /^(topologies|core|threads)\// && !(name in public))
            }
            if (wrong) {
                print file ":" place[2] ": " header
            }
        }'
}

# calls OBJECTS...: each pair of objects of which the first uses a symbol of the second, without the folder build/.
calls() {
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
        }' | sed 's|build/||g' | sort -u
}

# upward_calls: of the pairs of `calls` on standard input those that run upwards.
upward_calls() {
    sed 's/\.o\>/.c/g' | awk -v rooms="$rooms" "$house"'BEGIN { learn(rooms) } !may_use($1, $2)'
}

# circles: of the pairs of `calls` the objects that use each other in a circle.
circles() {
    tsort 2>&1 >/dev/null | sed -n 's/^tsort: \(.*\.o\)$/\1/p' | sort -u
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
for folder in topologies/spectra topologies/files core/axes core/links core/theory core/methods/lines base threads/host threads/ranks \
    threads/machine threads/rounds threads/free threads/experiment lab cli/terminal cli/line cli/report cli/page; do
    mkdir -p "$plant/$folder"
done

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
planted topologies/a.c '"topologies/spectra/spectrum.h"' 'topologies/a.c:1: "topologies/spectra/spectrum.h"'
planted topologies/spectra/a.c '"topologies/registry.c"' 'topologies/spectra/a.c:1: "topologies/registry.c"'
planted topologies/files/a.c '"topologies/families/a.h"' 'topologies/files/a.c:1: "topologies/families/a.h"'
planted topologies/files/a.c '"topologies/spectra/spectrum.h"' ''
planted topologies/registry.c '"topologies/families/a.h"' ''
planted core/axes/a.c '"core/links/delay.h"' 'core/axes/a.c:1: "core/links/delay.h"'
planted core/links/a.c '"core/steps/forest.h"' 'core/links/a.c:1: "core/steps/forest.h"'
planted core/links/a.c '"core/axes/spec.h"' ''
planted core/theory/a.c '"core/methods/kernels/block.h"' 'core/theory/a.c:1: "core/methods/kernels/block.h"'
planted core/methods/lines/a.c '"core/methods/methods.h"' 'core/methods/lines/a.c:1: "core/methods/methods.h"'
planted core/methods/a.c '"core/methods/lines/walk.h"' ''
planted threads/host/a.c '"threads/watch/trace.h"' 'threads/host/a.c:1: "threads/watch/trace.h"'
planted threads/ranks/a.c '"threads/machine/plan.h"' 'threads/ranks/a.c:1: "threads/machine/plan.h"'
planted threads/machine/a.c '"threads/rounds/rounds_engine.h"' 'threads/machine/a.c:1: "threads/rounds/rounds_engine.h"'
planted threads/rounds/a.c '"threads/free/look.h"' 'threads/rounds/a.c:1: "threads/free/look.h"'
planted threads/rounds/a.c '"threads/rounds/over_ranks/rounds_ranks.h"' 'threads/rounds/a.c:1: "threads/rounds/over_ranks/rounds_ranks.h"'
planted threads/free/a.c '"threads/drivers/replay/replay_driver.h"' 'threads/free/a.c:1: "threads/drivers/replay/replay_driver.h"'
planted threads/rounds/a.c '"threads/ranks/collect.h"' ''
planted threads/experiment/a.c '"threads/drivers/free_engine.h"' ''
planted core/a.c '"core/theory/facts.h"' 'core/a.c:1: "core/theory/facts.h"'
planted cli/terminal/a.c '"cli/line/command.h"' 'cli/terminal/a.c:1: "cli/line/command.h"'
planted cli/line/a.c '"cli/figures/chart.h"' 'cli/line/a.c:1: "cli/figures/chart.h"'
planted cli/report/a.c '"cli/page/page.h"' 'cli/report/a.c:1: "cli/page/page.h"'
planted cli/page/a.c '"cli/commands/run_ranks.h"' 'cli/page/a.c:1: "cli/commands/run_ranks.h"'
planted cli/report/a.c '"cli/line/complain.h"' ''
planted cli/main.c '"cli/commands/commands.h"' ''

# objects NUMBER...: an object for each, in which the function of that number calls that of the next argument.
objects() {
    while [ $# -gt 1 ]; do
        echo "void f$1(void); void f$2(void); void f$1(void) { f$2(); }" >"$plant/$1.c"
        gcc -c "$plant/$1.c" -o "$plant/$1.o"
        shift
    done
}
objects 1 2 3 4
expect "a row of calls" "" "$(calls "$plant/1.o" "$plant/2.o" "$plant/3.o" | circles)"
expect "a call downwards" "" "$(echo core/methods/a.o core/theory/b.o | upward_calls)"
expect "a call upwards" "core/theory/b.c core/methods/a.c" "$(echo core/theory/b.o core/methods/a.o | upward_calls)"
objects 1 2 3 1
expect "a circle of calls" "$plant/1.o $plant/2.o $plant/3.o" \
    "$(calls "$plant/1.o" "$plant/2.o" "$plant/3.o" | circles | tr '\n' ' ' | sed 's/ $//')"

expect "imports that run upwards" "" "$(upward_imports .)"
found=0
list=$(mktemp)
for floor in $floors; do # cli/mpi becomes an object that is opened, not one of these
    find "$floor" -name '*.c' ! -path 'cli/mpi/*' | sed 's|\(.*\)\.c$|build/\1.o|'
done >"$list"
while read -r object; do
    [ -e "$object" ] && found=$((found + 1))
done <"$list"
expect "objects that are built" "$(wc -l <"$list")" "$found"
# shellcheck disable=SC2046
calls $(cat "$list") >"$plant/calls"
expect "calls that run upwards" "" "$(upward_calls <"$plant/calls")"
expect "files that call each other in a circle" "" "$(circles <"$plant/calls")"
rm -f "$list"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
