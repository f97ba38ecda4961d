#!/bin/sh
# SPDX-License-Identifier: MIT
# Planted bugs: each patch in tests/planted/ breaks the sources in one place, and the test that it names must notice. Its
# first lines say
#   Broken: what is broken
#   Test: BUILD PROGRAM ARGUMENTS..., where the program is one of tests/, or evenkeel
#   Says: what the test then prints, among other things (a basic regular expression); last comes "status N"
# The sources, and what was built of them that the test needs, are copied to build/planted.*, so that only what the patch
# touches is built again; the seconds shown are the test's alone. Before that each test must pass on the sources as they
# are. A patch that does not apply fails, and one that is not noticed within 10 s of processor time, in any of five
# tries, since whether threads meet is left to chance. All is done two side by side, but for the tests that only threads
# on cores of their own show: these race one after the other. The everyday run makes one patch in TESTS_PART.
#
#   tests/planted.sh [NAME]...    these patches only
#   tests/planted.sh --table [NAME]... >TABLE    the same as a table: what notices each, and after how long
set -u
cd "$(dirname "$0")/.." || exit 1
: "${MAKE:=make}"
log=build/planted.$$.log
processor_s=10
tries_most=5
clock_s=200 # it may have to share its cores
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
            tail -n 20 "$log" | cut -c 1-300 | sed 's/^/      /')
    fi
    printf '%s\n' "$text"
    echo "$1" >>"$statuses"
}

out_of() { # out_of BUILD: where it is built
    if [ "$1" = release ]; then
        echo build
    else
        echo "build/$1"
    fi
}

program_of() { # program_of BUILD PROGRAM
    if [ "$2" = evenkeel ]; then
        echo "$(out_of "$1")/evenkeel"
    else
        echo "$(out_of "$1")/tests/$2"
    fi
}

# build FOLDER BUILD PROGRAM
build() {
    $MAKE --no-print-directory -C "$1" BUILD="$2" "$(program_of "$2" "$3")" >"$log" 2>&1
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

# The sources, and the objects of one build that a program is made of, as old as they are.
copy_all() { # copy_all FOLDER BUILD PROGRAM
    out=$(out_of "$2")
    mkdir -p "$1"
    {
        find topologies core threads lab cli tests -maxdepth 3 -name '*.[ch]'
        find "$out/topologies" "$out/core" "$out/threads" -name '*.[od]'
        case $3 in
        evenkeel | test_cli_*)
            find "$out/lab" "$out/cli" -name '*.[od]'
            find cli/report/page build/uplot -type f # the parts of its page
            ;;
        esac
        [ "$3" = evenkeel ] || find "$out/tests" -name "$3.[od]" -o -name '*.[od]' ! -name '*_*'
    } | tar -cf - -T - Makefile VERSION CHANGELOG.md | tar -xpf - -C "$1"
}

plant() { # plant PATCH BUILD PROGRAM ...: leaves the program with the bug in $plants
    name=$(basename "$1" .patch)
    copy=$plants/$name.copy
    copy_all "$copy" "$2" "$3"
    if ! patch -s -d "$copy" -p1 --fuzz=0 <"$1" >"$log" 2>&1; then
        note 1 "$name: the patch does not apply"
    elif ! build "$copy" "$2" "$3"; then
        note 1 "$name: does not build"
    else
        mv "$copy/$(program_of "$2" "$3")" "$plants/$name"
    fi
    rm -rf "$copy"
}

seen() { # seen SAYS: the last check failed, and said so
    [ "${status:-0}" -ne 0 ] && grep -q "$1" "$log"
}

caught() { # caught PATCH BUILD PROGRAM ARGUMENTS...: the test fails, and says what the patch says
    patch=$1
    name=$(basename "$1" .patch)
    says=$(line_of "$1" Says)
    test="$2 $3"
    shift 3
    [ -e "$plants/$name" ] || return # `plant` has said why
    try=0
    until [ "$try" -eq "$tries_most" ] || seen "$says"; do
        try=$((try + 1))
        check "$plants/$name" "$@"
    done
    if seen "$says"; then
        note 0 "$(printf '  caught  %5s s  %s: %s\n' "$seconds" "$name" "$(line_of "$patch" Broken)"
            printf '                   by %s: %s' "$test" "$(grep -m 1 "$says" "$log" | cut -c 1-120)")"
        printf '| `%s` | %s | `%s` | %s%s |\n' "$(sed -n 's|^+++ b/||p' "$patch" | head -n 1)" \
            "$(line_of "$patch" Broken)" "${test#release }" "$seconds" "$([ "$try" -eq 1 ] || echo ", in try $try")" >>"$rows"
    else
        note 1 "$name: not caught by $test $* in $try tries, the last of $seconds s, status $status"
    fi
}

# One of them, by this script itself.
# shellcheck disable=SC2046,SC2086
case ${1:-} in
--sound)
    sound $2
    exit 0
    ;;
--plant)
    plant "$2" $(line_of "$2" Test)
    exit 0
    ;;
--caught)
    caught "$2" $(line_of "$2" Test)
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
    patches=$(printf 'tests/planted/%s.patch ' "$@")
else
    patches=$(printf '%s\n' tests/planted/*.patch | awk -v part="${TESTS_PART:-1}" '(NR - 1) % part == 0')
fi
# Of races between threads of the release build only those on cores of their own make much.
alone='release plain_'

# shellcheck disable=SC2086
tests=$(sed -n 's/^Test: //p' $patches | sort -u)
echo "$tests" | while read -r mode program rest; do
    build . "$mode" "$program" || note 1 "$mode $program does not build"
done
echo "the sources as they are:"
echo "$tests" | xargs -r -d '\n' -n 1 -P 2 tests/planted.sh --sound
echo "planted:"
# shellcheck disable=SC2086
echo $patches | xargs -r -n 1 -P 2 tests/planted.sh --plant
# shellcheck disable=SC2086
grep -L "^Test: $alone" $patches | xargs -r -n 1 -P 2 tests/planted.sh --caught
# shellcheck disable=SC2086
grep -l "^Test: $alone" $patches | xargs -r -n 1 tests/planted.sh --caught

write_table() {
    cat <<'EOF'
# The planted bugs

Each patch of `tests/planted/` breaks the sources in one place, and a test must notice it. `tests/planted.sh --table` has
made this table: where the bug is, what is broken, the program that notices it (of `tests/`, or the command itself; under a
sanitizer where that is said), and after how many seconds by the clock.

| in | what is broken | noticed by | after s |
|---|---|---|---|
EOF
    sort "$rows"
}
[ -z "$table" ] || write_table >&3

awk '{ failed += $1 > 0 } END { print NR - failed " passed, " failed + 0 " failed"; exit failed > 0 }' "$statuses"
