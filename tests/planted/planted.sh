#!/bin/sh
# SPDX-License-Identifier: MIT
# Planted bugs: each patch in tests/planted/ breaks the sources in one place, and the tests that it names must notice. Its
# first lines say
#   Broken: what is broken
#   Test: BUILD PROGRAM ARGUMENTS..., where the program is one of tests/, or evenkeel
#   Says: what the test then prints, among other things (a basic regular expression); last comes "status N"
#   Explore: ARGUMENTS... with which `evenkeel explore` finds it, too, as it must each bug of the protocol
# with a test, an exploration, or both. Before that each must pass on the sources as they are, but for whole programs, which
# `make test` runs. A patch that does not apply fails, and one that is not noticed within 10 s of processor time: by the
# test in any of five tries, since whether threads meet is left to chance; by the explorer in one, which must leave at most
# 30 turns of it. All is done two side by side, but for the tests that only threads on cores of their own show: these race
# one after the other. The everyday run makes one patch in TESTS_PART.
#
#   tests/planted/planted.sh [NAME]...    these patches only
#   tests/planted/planted.sh --table [NAME]... >TABLE    the same as a table: what notices each, and after how long
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/planted/plant.sh
log=build/planted.$$.log
processor_s=10
tries_most=5
turns_most=30
clock_s=200 # it may have to share its cores
explores='release evenkeel explore --schedules 300 --format json --record /dev/null'
# ThreadSanitizer's shadow memory does not fit every random layout of the addresses.
fixed=
if setarch -R true 2>/dev/null; then
    fixed="setarch -R"
fi
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

note() { # note STATUS SENTENCE: in one piece, since another may print meanwhile
    text=$2
    if [ "$1" -ne 0 ]; then
        text=$(printf '  FAILED  %s\n' "$2"
            [ ! -e "$log" ] || tail -n 20 "$log" | cut -c 1-300 | sed 's/^/      /')
    fi
    printf '%s\n' "$text"
    echo "$1" >>"$statuses"
}

program_of() { # program_of BUILD PROGRAM: where it is built
    case $1 in
    release) out=build ;;
    *) out=build/$1 ;;
    esac
    case $2 in
    evenkeel) echo "$out/$2" ;;
    *) find tests -name "$2.c" | sed "s|\(.*\)\.c$|$out/\1|" ;;
    esac
}

# check PROGRAM ARGUMENTS...: runs the test; `seconds` is how long it took.
check() {
    program=$1
    shift
    start=$(date +%s%N)
    # Words on purpose; every sh that we know has these limits.
    # shellcheck disable=SC2086,SC3045
    (
        ulimit -c 0
        ulimit -t "$processor_s"
        TSAN_OPTIONS=halt_on_error=1 exec timeout -k 1 "$clock_s" $fixed "$program" "$@"
    ) >"$log" 2>&1 </dev/null
    status=$?
    echo "status $status" >>"$log"
    seconds=$(echo "$start $(date +%s%N)" | awk '{ printf "%.1f", ($2 - $1) / 1e9 }')
    return "$status"
}

line_of() { # line_of PATCH WORD: what stands behind the word
    sed -n "s/^$2: //p" "$1" | head -n 1
}

tests_of() { # tests_of PATCH...: of all their tests the lines, those of the explorer as well
    sed -n -e 's/^Test: //p' -e "s|^Explore:|$explores|p" "$@" | sort -u
}

# The watchdog ends early what hangs; here it would end what only waits for a core.
sound() { # sound BUILD PROGRAM ARGUMENTS...: the sources as they are pass; spinning threads take more of a busy machine
    processor_s=60
    patient=
    [ "$2" != plain_free ] || patient=watchdog=30
    tried=$*
    program=$(program_of "$1" "$2")
    shift 2
    if check "$program" "$@" $patient; then
        note 0 "$(printf '  ok      %5s s  %s' "$seconds" "$tried")"
    else
        note 1 "$tried"
    fi
}

# What processors say to one another, and what they do upon it: no race of threads is needed to see a bug in it.
protocol='^+++ b/threads/free/\(protocol\|operation\|processor\|pushed\)\.c'

lay() { # lay PATCH: the sources that it changes, for each build that it is tried in
    if grep -q "$protocol" "$1" && ! grep -q '^Explore: ' "$1"; then
        note 1 "$(basename "$1" .patch): nothing says how it is explored"
    fi
    tests_of "$1" | cut -d ' ' -f 1 | sort -u | while read -r mode; do
        if ! plant_sources "$1" "$plants/$mode/$(basename "$1" .patch)" >"$log" 2>&1; then
            note 1 "$(basename "$1" .patch): the patch does not apply"
        fi
    done
}

seen() { # seen SAYS: the last check failed, and said so
    [ "${status:-0}" -ne 0 ] && grep -q "$1" "$log"
}

caught() { # caught SAYS NAME BUILD PROGRAM ARGUMENTS...: the test fails, and says what the patch says
    says=$1
    name=$2
    test="$3 $4"
    program=$plants/$3/$name/$4
    shift 4
    status=0
    if [ ! -e "$program" ]; then
        note 1 "$name: $test does not build"
        return 1
    fi
    try=0
    until [ "$try" -eq "$tries_most" ] || seen "$says"; do
        try=$((try + 1))
        check "$program" "$@"
    done
    if ! seen "$says"; then
        note 1 "$name: not caught by $test $* in $try tries, the last of $seconds s, status $status"
        return 1
    fi
    note 0 "$(printf '  caught  %5s s  %s\n' "$seconds" "$name"
        printf '                   by %s: %s' "$test" "$(grep -m 1 "$says" "$log" | cut -c 1-120)")"
    again=
    [ "$try" -eq 1 ] || again=", in try $try"
}

number() { # number NAME: of what the explorer has said
    sed -n "s/^ *\"$1\": \([0-9.]*\),*$/\1/p" "$log"
}

explored() { # explored PATCH: what the explorer notices, and how small it makes it
    tries_most=1
    # Words on purpose.
    # shellcheck disable=SC2046
    caught '"small_turns"' "$(basename "$1" .patch)" $explores $(line_of "$1" Explore) || return
    turns=$(number small_turns)
    if [ "$status" -ne 1 ] || [ "$turns" -gt "$turns_most" ]; then
        note 1 "$name: status $status, and $turns turns are left"
    fi
    found="$(($(number schedule) + 1)) | $seconds | $turns"
}

bug() { # bug PATCH: all that is to notice it
    noticed=" | "
    found=" | | "
    if grep -q '^Test: ' "$1"; then
        # Words on purpose.
        # shellcheck disable=SC2046
        caught "$(line_of "$1" Says)" "$(basename "$1" .patch)" $(line_of "$1" Test) &&
            noticed="\`${test#release }\` | $seconds$again"
    fi
    if grep -q '^Explore: ' "$1" && explored "$1" && ! grep -q '^Test: ' "$1"; then
        noticed="\`evenkeel explore\` | $seconds"
    fi
    printf '| `%s` | %s | %s | %s |\n' "$(sed -n 's|^+++ b/||p' "$1" | head -n 1)" "$(line_of "$1" Broken)" \
        "$noticed" "$found" >>"$rows"
}

# One of them, by this script itself.
# shellcheck disable=SC2086
case ${1:-} in
--sound)
    sound $2
    exit 0
    ;;
--bug)
    bug "$2"
    exit 0
    ;;
esac

statuses=$(mktemp)
rows=$(mktemp)
plants=build/planted.$$
mkdir -p "$plants"
export statuses rows plants MAKE
trap 'rm -rf "$log" "$statuses" "$rows" "$plants"' EXIT
table=
if [ "${1:-}" = --table ]; then
    table=yes
    TESTS_PART=1
    shift
    exec 3>&1 1>&2
fi
if [ $# -gt 0 ]; then
    patches=$(printf 'tests/planted/bugs/%s.patch ' "$@")
else
    patches=$(printf '%s\n' tests/planted/bugs/*.patch | awk -v part="${TESTS_PART:-1}" '(NR - 1) % part == 0')
fi
# Of races between threads of the release build only those on cores of their own make much.
alone='release plain_'

# Words on purpose, and below.
# shellcheck disable=SC2046,SC2086
built() { # built MODE: what the tests need of a build: the programs as they are, and those with the bugs
    programs=$(tests_of $patches | awk -v mode="$1" '$1 == mode { print $2 }' | sort -u)
    [ "$programs" ] || return 0
    {
        $MAKE --no-print-directory -k -j 2 BUILD="$1" $(for program in $programs; do program_of "$1" "$program"; done) &&
            plant_programs "$1" "$plants/$1" $(for patch in $patches; do
                tests_of "$patch" | awk -v mode="$1" -v name="$(basename "$patch" .patch)" '$1 == mode { print name "/" $2 }' | sort -u
            done)
    } >"$log" 2>&1 || note 1 "the $1 build"
}

for patch in $patches; do
    lay "$patch"
done
for mode in release asan tsan; do
    built "$mode"
done
echo "the sources as they are:"
# shellcheck disable=SC2086
tests_of $patches | grep ' .* ' | xargs -r -d '\n' -n 1 -P 2 tests/planted/planted.sh --sound
echo "planted:"
# shellcheck disable=SC2086
grep -L "^Test: $alone" $patches | xargs -r -n 1 -P 2 tests/planted/planted.sh --bug
# shellcheck disable=SC2086
grep -l "^Test: $alone" $patches | xargs -r -n 1 tests/planted/planted.sh --bug

write_table() {
    cat <<'EOF'
# The planted bugs

Each patch of `tests/planted/` breaks the sources in one place, and a test must notice it. `tests/planted/planted.sh --table` has
made this table: where the bug is, what is broken, the program that notices it (of `tests/`, or the command itself; under a
sanitizer where that is said), and after how many seconds by the clock. The last three columns are of bugs in the protocol:
how many schedules `evenkeel explore` made until it noticed, after how many seconds it had made the last one small, and how
many turns were left of it.

| in | what is broken | noticed by | after s | schedules | s | turns |
|---|---|---|---|---|---|---|
EOF
    sort "$rows"
}
[ -z "$table" ] || write_table >&3

awk '{ failed += $1 > 0 } END { print NR - failed " passed, " failed + 0 " failed"; exit failed > 0 }' "$statuses"
