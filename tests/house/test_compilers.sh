#!/bin/sh
# SPDX-License-Identifier: MIT
# Schedules have the same logs (plain_schedules.c), and runs in virtual time the same reports (plain_virtual.c), if the
# library is compiled by gcc without optimisation, or by clang, as in the builds that are tested each day. Compiling takes a
# minute or two, so this test runs if TESTS_PART is 1.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

if [ "${TESTS_PART:-1}" != 1 ]; then
    echo "skipped: other compilers, which make test-all tries"
    result
    exit
fi

packages="lapacke lapack blas arpack hwloc liburcu liburcu-qsbr nettle jansson"
programs="plain_schedules plain_virtual"
sources="$(find base topologies core threads -name "*.c") tests/support/runs.c tests/support/virtual_experiments.c"
for program in $programs; do
    sources="$sources tests/concurrency/$program.c"
done

# build COMPILER OPTION: builds the programs in $folder/COMPILER.
build() {
    mkdir "$folder/$1"
    # Several words on purpose, here and below.
    # shellcheck disable=SC2046,SC2086
    echo $sources | xargs -P 2 -n 16 sh -c 'out=$1 compiler=$2 option=$3; shift 3
        for source; do
            "$compiler" -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off "$option" -w -I. '"$(pkg-config --cflags-only-I $packages)"' \
                -DEK_VERSION=\"0\" -c "$source" -o "$out/$(echo "$source" | tr / _).o" || exit 255
        done' sh "$folder/$1" "$1" "$2" 2>"$folder/err"
    for program in $programs; do
        # shellcheck disable=SC2046,SC2086
        "$1" $(find "$folder/$1" -name '*.o' ! -name 'tests_concurrency_*') "$folder/$1/tests_concurrency_$program.c.o" \
            $(pkg-config --libs $packages) -lm -pthread -o "$folder/$1/$program" 2>>"$folder/err"
    done
}

# with COMPILER OPTION: builds the programs, and expects that all they try passes.
with() {
    build "$1" "$2"
    for program in $programs; do
        lines=$(wc -l <"tests/data/${program#plain_}.txt")
        expect "$1 $2, $program" "$lines passed, 0 failed" "$(HWLOC_COMPONENTS=-x86 "$folder/$1/$program" | tail -n 1)"
    done
}

with gcc -O0
if command -v clang >/dev/null; then
    with clang -O2
else
    echo "skipped: clang is not there"
fi
result
