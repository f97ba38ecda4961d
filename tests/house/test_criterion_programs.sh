#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/support/runner.c runs each test of a Criterion program in a process of its own, and notices each way to fail.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

cat >"$folder/program.c" <<'END'
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int calls, made;
static void make(void) { made++; }
static void end(void) { made--; puts(made == 0 ? "ended" : "not ended"); fflush(stdout); }
TestSuite(suite, .init = make, .fini = make);
Test(good, first) { cr_assert_eq(calls++, 0); }
Test(good, second) { cr_expect_eq(calls++, 0); }
Test(good, with_functions, .init = make, .fini = end) { cr_assert_eq(made, 1); }
Test(suite, its_functions) { cr_assert_eq(made, 1); }
Test(good, left_out, .disabled = true) { cr_assert(0); }
Test(good, skipped) { cr_skip_test("not here"); }
ParameterizedTestParameters(good, numbers)
{
    int *numbers = cr_malloc(3 * sizeof *numbers);
    for (int i = 0; i < 3; i++) {
        numbers[i] = i + 1;
    }
    return cr_make_param_array(int, numbers, 3);
}
ParameterizedTest(int *number, good, numbers) { cr_assert(*number >= 1 && *number <= 3 && calls++ == 0); }
Test(bad, expects) { cr_expect_eq(1, 2, "one is not %d", 2); puts("goes on"); }
Test(bad, asserts, .init = make, .fini = end) { cr_assert(0, "no"); puts("never"); }
Test(bad, aborts) { abort(); }
Test(bad, exits) { exit(0); }
Test(bad, sleeps, .timeout = 1) { sleep(20); }
END
# Words on purpose.
# shellcheck disable=SC2046
expect "the program compiles" 0 "$(${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L $(pkg-config --cflags criterion) "$folder/program.c" \
    build/support.a $(pkg-config --libs criterion) -o "$folder/program" >"$folder/err" 2>&1; echo $?)"
run() { # run FILTER: its status, and the last line
    "$folder/program" --filter "$1" >"$folder/out" 2>"$folder/err"
    echo "$? $(tail -n 1 "$folder/out")"
}
line() { # line TESTED PASSING FAILING CRASHING
    echo "[====] Synthesis: Tested: $1 | Passing: $2 | Failing: $3 | Crashing: $4 "
}
expect "tests that pass" "0 $(line 6 6 0 0)" "$(run 'good/*')"
expect "the end of a test" "ended" "$(head -n 1 "$folder/out")"
expect "functions of a suite" "0 $(line 1 1 0 0)" "$(run suite/its_functions)"
expect "an expectation" "1 $(line 1 0 1 0)" "$(run bad/expects)"
expect "its sentence" 1 "$(grep -c 'one is not 2' "$folder/err")"
expect "the test goes on" "goes on" "$(head -n 1 "$folder/out")"
expect "an assertion" "1 $(line 1 0 1 0)" "$(run bad/asserts)"
expect "the test does not go on, but ends" "ended" "$(head -n 1 "$folder/out")"
expect "an abort" "1 $(line 1 0 1 1)" "$(run bad/aborts)"
expect "an exit" "1 $(line 1 0 1 0)" "$(run bad/exits)"
expect "a limit of time" "1 $(line 1 0 1 1)" "$(run bad/sleeps)"
expect "all" "1" "$("$folder/program" >"$folder/out" 2>"$folder/err"; echo $?)"
expect "all of them" "$(line 12 7 5 2)" "$(tail -n 1 "$folder/out")"
expect "those that fail" 5 "$(grep -c '^\[FAIL\]' "$folder/err")"
expect "no test" "1 $(line 0 0 0 0)" "$(run nothing)"
expect "another option" 2 "$("$folder/program" --list >"$folder/out" 2>"$folder/err"; echo $?)"
result
