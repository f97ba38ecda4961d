#!/bin/sh
# SPDX-License-Identifier: MIT
# Planted bugs: each patch in tests/planted/ breaks the sources in one place, and the test that it names must notice. Its
# first lines say
#   Broken: what is broken
#   Test: BUILD PROGRAM ARGUMENTS..., where the program is one of tests/, or evenkeel
#   Says: what the test then prints, among other things (a basic regular expression); last comes "status N"
# The sources and what was built of them are copied to build/planted.*, so that only what the patch touches is built
# again; the seconds shown are the test's alone. Before that each test must pass on the sources as they are. A patch
# that does not apply, and one that is not noticed within 10 s of processor time, fails. Two are tried side by side, but
# those that only threads on cores of their own show.
#
#   tests/planted.sh [NAME]...    these patches only
set -u
cd "$(dirname "$0")/.." || exit 1
: "${MAKE:=make}"
copy=build/planted.$$
log=build/planted.$$.log
processor_s=10
clock_s=200 # it may have to share its cores
# ThreadSanitizer's shadow memory does not fit every random layout of the addresses.
fixed=
if setarch -R true 2>/dev/null; then
    fixed="setarch -R"
fi
trap 'rm -rf "$copy" "$log"' EXIT
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

# check FOLDER BUILD PROGRAM ARGUMENTS...: runs the test; `seconds` is how long it took.
check() {
    program=$1/$(program_of "$2" "$3")
    shift 3
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
sound() { # sound BUILD PROGRAM ARGUMENTS...: the sources as they are pass
    patient=
    [ "$2" != plain_free ] || patient=watchdog=30
    if check . "$@" $patient; then
        note 0 "$(printf '  ok      %5s s  %s' "$seconds" "$*")"
    else
        note 1 "$*"
    fi
}

# The sources, and the objects of one build, as old as they are.
copy_all() { # copy_all BUILD
    out=$(out_of "$1")
    mkdir -p "$copy"
    {
        find topologies core threads lab cli tests -maxdepth 3 -name '*.[ch]'
        find "$out/topologies" "$out/core" "$out/threads" "$out/lab" "$out/cli" "$out/tests" -maxdepth 3 -name '*.[od]' \
            2>/dev/null
    } | tar -cf - -T - Makefile VERSION "$out/rooms.a" | tar -xpf - -C "$copy"
}

caught() { # caught PATCH BUILD PROGRAM ARGUMENTS...: the test fails, and says what the patch says
    patch=$1
    name=$(basename "$1" .patch)
    says=$(line_of "$1" Says)
    copy_all "$2"
    if ! patch -s -d "$copy" -p1 --fuzz=0 <"$1" >"$log" 2>&1; then
        note 1 "$name: the patch does not apply"
        return
    fi
    shift
    if ! build "$copy" "$1" "$2"; then
        note 1 "$name: does not build"
        return
    fi
    check "$copy" "$@"
    if [ "$status" -ne 0 ] && grep -q "$says" "$log"; then
        note 0 "$(printf '  caught  %5s s  %s: %s\n' "$seconds" "$name" "$(line_of "$patch" Broken)"
            printf '                   by %s %s: %s' "$1" "$2" "$(grep -m 1 "$says" "$log" | cut -c 1-120)")"
    else
        note 1 "$name: not caught by $* in $seconds s, status $status"
    fi
}

# One of them, by this script itself.
# shellcheck disable=SC2046,SC2086
case ${1:-} in
--sound)
    sound $2
    exit 0
    ;;
--caught)
    caught "$2" $(line_of "$2" Test)
    exit 0
    ;;
esac

statuses=$(mktemp)
export statuses MAKE
trap 'rm -rf "$copy" "$log" "$statuses"' EXIT
patches='tests/planted/*.patch'
if [ $# -gt 0 ]; then
    patches=$(printf 'tests/planted/%s.patch ' "$@")
fi
# Of races between threads of the release build only those on cores of their own make much.
alone='release plain_'

# shellcheck disable=SC2086
tests=$(sed -n 's/^Test: //p' $patches | sort -u)
echo "$tests" | while read -r mode program rest; do
    build . "$mode" "$program" || note 1 "$mode $program does not build"
done
echo "the sources as they are:"
echo "$tests" | grep -v "^$alone" | xargs -r -d '\n' -n 1 -P 2 tests/planted.sh --sound
echo "$tests" | grep "^$alone" | xargs -r -d '\n' -n 1 tests/planted.sh --sound
echo "planted:"
# shellcheck disable=SC2086
grep -L "^Test: $alone" $patches | xargs -r -n 1 -P 2 tests/planted.sh --caught
# shellcheck disable=SC2086
grep -l "^Test: $alone" $patches | xargs -r -n 1 tests/planted.sh --caught

awk '{ failed += $1 > 0 } END { print NR - failed " passed, " failed + 0 " failed"; exit failed > 0 }' "$statuses"
